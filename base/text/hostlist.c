/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expands hostlist expressions. An item is cut into parts first, literal text and
 * brackets by turns, and the number of its names is known before any is made.
 */
#include "base/text/hostlist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a number: what fits in 64 bits. */
enum { MAX_DIGITS = 18, MAX_BRACKETS = 8 };

/* Text between '[' and ']'. */
struct bracket {
    struct slice text;
    uint64_t n; /* numbers in it */
};

/* literal[0] bracket[0] literal[1] bracket[1] ... literal[n] */
struct item {
    struct slice literal[MAX_BRACKETS + 1];
    struct bracket bracket[MAX_BRACKETS];
    uint32_t n_brackets;
    uint32_t times;
};

/* Range of numbers, or one, at least `width` digits wide. */
struct range {
    uint64_t first, last;
    int width;
};

static bool hostlist_fail(struct hostlist *list, const char *text, size_t length, const char *problem)
{
    list->error = (struct slice){text, length ? length : 1};
    list->problem = problem;
    return false;
}

/* ---- brackets ---- */

/* A number without sign; moves past it. */
static bool hostlist_take_digits(struct slice *rest, uint64_t *value, int *width)
{
    size_t n = 0;
    *value = 0;
    for (; n < rest->length && rest->text[n] >= '0' && rest->text[n] <= '9'; n++) {
        if (n == MAX_DIGITS)
            return false;
        *value = *value * 10 + (uint64_t)(rest->text[n] - '0');
    }
    *width = (int)n;
    rest->text += n;
    rest->length -= n;
    return n > 0;
}

static bool take_char(struct slice *rest, char c)
{
    if (!rest->length || *rest->text != c)
        return false;
    rest->text++;
    rest->length--;
    return true;
}

/* The next range of a bracket and the comma behind it. */
static bool hostlist_take_range(struct hostlist *list, struct slice *rest, struct range *range)
{
    const char *start = rest->text;
    int ignored;
    if (!hostlist_take_digits(rest, &range->first, &range->width))
        return hostlist_fail(list, start, 1,
                             rest->length && (*start | 0x20) >= 'a' && (*start | 0x20) <= 'z'
                                 ? "ranges are of numbers; names that end in letters are written out, as in ethA,ethB"
                                 : "expected a number of up to 18 digits");
    range->last = range->first;
    if (take_char(rest, '-') && !hostlist_take_digits(rest, &range->last, &ignored))
        return hostlist_fail(list, rest->text, 1, "expected the last number of the range");
    if (range->last < range->first)
        return hostlist_fail(list, start, (size_t)(rest->text - start), "the range runs backwards");
    if (rest->length && (!take_char(rest, ',') || !rest->length))
        return hostlist_fail(list, rest->text - !rest->length, 1, "expected a comma, '-' or ']' here");
    return true;
}

static bool count_bracket(struct hostlist *list, struct bracket *bracket)
{
    struct slice rest = bracket->text;
    struct range range;
    do {
        if (!hostlist_take_range(list, &rest, &range))
            return false;
        bracket->n += range.last - range.first + 1; /* below 2^60 each, and few: see the limit */
        if (bracket->n > HOSTLIST_MAX_NAMES)
            return hostlist_fail(list, bracket->text.text, bracket->text.length,
                                 "the range holds too many numbers");
    } while (rest.length);
    return true;
}

/* ---- items ---- */

/* `*N` at the end. */
static bool take_times(struct hostlist *list, struct slice *text, struct item *item)
{
    const char *star = memchr(text->text, '*', text->length);
    item->times = 1;
    if (!star)
        return true;
    size_t before = (size_t)(star - text->text);
    struct slice number = {star + 1, text->length - before - 1};
    if (parse_count(number, &item->times) != VALUE_OK || !item->times ||
        item->times > HOSTLIST_MAX_NAMES)
        return hostlist_fail(list, star, number.length + 1, "expected a number of times after '*'");
    text->length = before;
    return true;
}

/* The next '[...]' of the item from `at` on; false with no problem set: there is none. */
static bool take_bracket(struct hostlist *list, struct slice *rest, struct item *item)
{
    const char *open = memchr(rest->text, '[', rest->length);
    const char *stray = memchr(rest->text, ']', open ? (size_t)(open - rest->text) : rest->length);
    if (stray)
        return hostlist_fail(list, stray, 1, "']' without '['");
    if (!open)
        return false;
    struct slice inside = {open + 1, (size_t)(rest->text + rest->length - open) - 1};
    const char *close = memchr(inside.text, ']', inside.length);
    if (!close)
        return hostlist_fail(list, open, 1, "'[' is not closed");
    if (item->n_brackets == MAX_BRACKETS)
        return hostlist_fail(list, open, 1, "a name has at most 8 pairs of brackets");
    inside.length = (size_t)(close - inside.text);
    if (!inside.length)
        return hostlist_fail(list, open, 2, "nothing between the brackets");
    item->literal[item->n_brackets] = (struct slice){rest->text, (size_t)(open - rest->text)};
    item->bracket[item->n_brackets++] = (struct bracket){inside, 0};
    rest->length -= (size_t)(close + 1 - rest->text);
    rest->text = close + 1;
    return count_bracket(list, &item->bracket[item->n_brackets - 1]);
}

/* Cuts the item in parts and counts its names. */
static bool parse_item(struct hostlist *list, struct slice text, uint64_t limit,
                       struct item *item)
{
    struct slice rest = text;
    uint64_t n = 1;
    memset(item, 0, sizeof *item);
    if (!take_times(list, &rest, item))
        return false;
    if (!rest.length)
        return hostlist_fail(list, text.text, text.length, "expected a name");
    for (size_t i = 0; i < rest.length; i++)
        if (text_is_blank(rest.text[i]))
            return hostlist_fail(list, rest.text + i, 1, "a blank inside a name: is a comma missing?");
    while (n <= limit && take_bracket(list, &rest, item))
        n *= item->bracket[item->n_brackets - 1].n; /* both at most 2^20 */
    item->literal[item->n_brackets] = rest;
    if (list->problem)
        return false;
    if (n > limit / item->times)
        return hostlist_fail(list, text.text, text.length, "too many names");
    return true;
}

/* ---- names ---- */

struct writer {
    struct hostlist *list;
    const struct item *item;
    char name[HOSTLIST_MAX_LENGTH + 1];
};

static bool hostlist_add_name(struct writer *writer, size_t length)
{
    struct hostlist *list = writer->list;
    size_t at = list->pool_length;
    list->names = mem_grow(list->names, &list->names_capacity, (size_t)list->n + 1,
                           sizeof *list->names);
    list->pool = mem_grow(list->pool, &list->pool_capacity, at + length + 1, 1);
    memcpy(list->pool + at, writer->name, length);
    list->pool[at + length] = '\0';
    list->pool_length = at + length + 1;
    list->names[list->n++] = (struct hostlist_name){at, (uint32_t)length, list->n_items - 1};
    return true;
}

static bool too_long(struct hostlist *list)
{
    struct slice item = list->items[list->n_items - 1];
    return hostlist_fail(list, item.text, item.length, "a name has at most 255 bytes");
}

static bool write_from(struct writer *writer, uint32_t part, size_t length);

static bool hostlist_write_range(struct writer *writer, uint32_t part, size_t length,
                                 const struct range *range)
{
    size_t room = sizeof writer->name - length;
    for (uint64_t number = range->first;; number++) {
        int n = snprintf(writer->name + length, room, "%0*" PRIu64, range->width, number);
        if (n < 0 || (size_t)n >= room)
            return too_long(writer->list);
        if (!write_from(writer, part + 1, length + (size_t)n))
            return false;
        if (number == range->last)
            return true;
    }
}

/* Appends literal `part` and what follows, `length` bytes being there; the depth is that of
 * the brackets. */
static bool write_from(struct writer *writer, uint32_t part, size_t length)
{
    const struct item *item = writer->item;
    struct slice literal = item->literal[part];
    struct range range;
    if (length + literal.length > HOSTLIST_MAX_LENGTH)
        return too_long(writer->list);
    if (literal.length)
        memcpy(writer->name + length, literal.text, literal.length);
    length += literal.length;
    if (part == item->n_brackets)
        return hostlist_add_name(writer, length);
    for (struct slice rest = item->bracket[part].text; rest.length;)
        if (!hostlist_take_range(writer->list, &rest, &range) ||
            !hostlist_write_range(writer, part, length, &range))
            return false;
    return true;
}

/* ---- expressions ---- */

/* Up to the next comma outside brackets, without the blanks around it. */
static struct slice take_item(struct slice *rest)
{
    size_t n = 0;
    for (bool inside = false; n < rest->length && (inside || rest->text[n] != ','); n++)
        inside = rest->text[n] == '[' || (inside && rest->text[n] != ']');
    struct slice item = {rest->text, n};
    rest->text += n;
    rest->length -= n;
    for (; item.length && text_is_blank(*item.text); item.length--)
        item.text++;
    while (item.length && text_is_blank(item.text[item.length - 1]))
        item.length--;
    return item;
}

static bool hostlist_add_item(struct hostlist *list, struct slice text, uint32_t limit)
{
    struct item item;
    struct writer writer = {.list = list, .item = &item};
    list->items = mem_grow(list->items, &list->items_capacity, (size_t)list->n_items + 1,
                           sizeof *list->items);
    list->items[list->n_items++] = text;
    if (!parse_item(list, text, limit - list->n, &item))
        return false;
    for (uint32_t i = 0; i < item.times; i++)
        if (!write_from(&writer, 0, 0))
            return false;
    return true;
}

bool hostlist_expand(struct slice expression, uint32_t limit, struct hostlist *list)
{
    struct slice rest = expression;
    *list = (struct hostlist){0};
    do {
        if (!hostlist_add_item(list, take_item(&rest), limit))
            return false;
    } while (take_char(&rest, ','));
    return true;
}

void hostlist_free(struct hostlist *list)
{
    free(list->names);
    free(list->items);
    free(list->pool);
}
