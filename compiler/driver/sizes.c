/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of message sizes, as --sizes takes them.
 */
#include "compiler/driver/options.h"

#include <string.h>

/* Keeps the list ascending; what is there already is not added again. */
static bool add_size(struct size_list *sizes, uint64_t size)
{
    size_t at = sizes->n;
    while (at > 0 && sizes->items[at - 1] > size)
        at--;
    if (at > 0 && sizes->items[at - 1] == size)
        return true;
    if (sizes->n == MAX_SIZES)
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
        if (!add_size(sizes, size))
            return false;
        if (size > last / 2)
            break;
    }
    return true;
}

/* "64KiB" or "8..4MiB" */
static bool add_word(char *word, struct size_list *sizes)
{
    char *dots = strstr(word, "..");
    uint64_t first, last;
    if (!dots)
        return parse_size(word, &first) && add_size(sizes, first);
    *dots = '\0';
    return parse_size(word, &first) && parse_size(dots + 2, &last) &&
           add_doubling(sizes, first, last);
}

bool parse_sizes(const char *text, struct size_list *sizes, struct arena *arena)
{
    if (!sizes->items)
        sizes->items = arena_alloc(arena, MAX_SIZES, sizeof *sizes->items);
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!add_word(arena_strndup(arena, text, length), sizes))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}
