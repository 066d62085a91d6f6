/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See sizes.h.
 */
#include "study/sizes.h"

#include <string.h>

/* Keeps the list ascending; what is there already is not added again. */
static bool sizes_add_size(struct size_list *sizes, uint64_t size)
{
    size_t at = sizes->n;
    while (at > 0 && sizes->items[at - 1] > size)
        at--;
    if (at > 0 && sizes->items[at - 1] == size)
        return true;
    if (sizes->n == SIZES_MAX)
        return false;
    memmove(sizes->items + at + 1, sizes->items + at, (sizes->n - at) * sizeof *sizes->items);
    sizes->items[at] = size;
    sizes->n++;
    return true;
}

static bool add_doubling(struct size_list *sizes, uint64_t first, uint64_t last)
{
    if (first == 0 || first > last)
        return false;
    for (uint64_t size = first; size <= last; size *= 2) {
        if (!sizes_add_size(sizes, size))
            return false;
        if (size > last / 2)
            break;
    }
    return true;
}

/* Adds the sizes of "64KiB" or "8..4MiB". */
static enum value_result sizes_add_word(struct slice word, struct size_list *sizes)
{
    size_t length = 0; /* length of the first size */
    while (length < word.length && strncmp(word.text + length, "..", 2) != 0)
        length++;
    const bool is_range = length < word.length;
    uint64_t first, last;
    enum value_result result = parse_size((struct slice){word.text, length}, &first);
    if (result == VALUE_OK && is_range)
        result = parse_size((struct slice){word.text + length + 2, word.length - length - 2}, &last);
    if (result != VALUE_OK)
        return result;
    bool is_added = is_range ? add_doubling(sizes, first, last) : sizes_add_size(sizes, first);
    return is_added ? VALUE_OK : VALUE_SYNTAX;
}

enum value_result sizes_parse(const char *text, struct size_list *sizes, struct arena *arena)
{
    if (!sizes->items)
        sizes->items = arena_alloc(arena, SIZES_MAX, sizeof *sizes->items);
    for (;;) {
        size_t length = strcspn(text, ",");
        enum value_result result = sizes_add_word((struct slice){text, length}, sizes);
        if (result != VALUE_OK || text[length] == '\0')
            return result;
        text += length + 1;
    }
}
