/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions as numbers. See brackets.h.
 */
#include "verify/brackets.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_NODE = SHAPE_LEAF + 1, DEPTH_MAX = 20000 };

static uint64_t brackets_name_of(const struct brackets *brackets, uint32_t shape, uint32_t anchor)
{
    return (uint64_t)shape << brackets->anchor_bits | anchor;
}

static uint32_t brackets_shape_of(const struct brackets *brackets, uint64_t expression)
{
    return (uint32_t)(expression >> brackets->anchor_bits);
}

static uint32_t anchor_of(const struct brackets *brackets, uint64_t expression)
{
    return (uint32_t)(expression & ((UINT64_C(1) << brackets->anchor_bits) - 1));
}

uint32_t brackets_anchor(const struct brackets *brackets, uint64_t expression)
{
    return anchor_of(brackets, expression);
}

/* ---- the group ---- */

/* Makes the group of the grid that sets of ranks are boxes of. */
static void take_boxes(struct shifts *group, const struct rank_boxes *boxes)
{
    group->n = boxes->n;
    group->is_xor = true;
    for (uint32_t i = 0; i < boxes->n; i++) {
        group->extent[i] = boxes->extent[i];
        group->stride[i] = boxes->stride[i];
        group->is_xor = group->is_xor && boxes->extent[i] == 2;
    }
}

void brackets_init(struct brackets *brackets, const struct rank_sets *sets, const struct shifts *group)
{
    *brackets = (struct brackets){.group = {.n_ranks = sets->n_ranks, .n = 1}};
    while (UINT64_C(1) << brackets->anchor_bits < sets->n_ranks)
        brackets->anchor_bits++;
    brackets->group.extent[0] = sets->n_ranks;
    brackets->group.stride[0] = 1;
    if (group) {
        brackets->group = *group;
    } else if (sets->boxes.n) {
        take_boxes(&brackets->group, &sets->boxes);
    } else {
        brackets->place = sets->place;
        brackets->rank_at = sets->rank_at;
    }
    brackets->shapes = mem_grow(NULL, &brackets->shape_capacity, FIRST_NODE, sizeof *brackets->shapes);
    brackets->shapes[0] = (struct shape){.n = 1};
    brackets->shapes[SHAPE_LEAF] = (struct shape){.number = SHAPE_LEAF, .n = 1, .n_leaves = 1};
    brackets->n_entries = brackets->n_shapes = FIRST_NODE;
}

void brackets_free(struct brackets *brackets)
{
    free(brackets->shapes);
    free(brackets->same);
    map_free(&brackets->by_key);
    map_free(&brackets->same_by_key);
    *brackets = (struct brackets){0};
}

/* Returns where `to` is, seen from `from`. */
static uint32_t brackets_offset_of(const struct shifts *group, uint32_t from, uint32_t to)
{
    if (group->n == 1 && !group->is_mirrored && !group->is_xor)
        return to >= from ? to - from : to - from + group->n_ranks;
    return shifts_add(group, to, shifts_back(group, from));
}

uint64_t brackets_of(const struct brackets *brackets, uint32_t rank)
{
    return brackets_name_of(brackets, SHAPE_LEAF, brackets->place ? brackets->place[rank] : rank);
}

uint64_t brackets_shift(const struct brackets *brackets, uint64_t expression, uint32_t by)
{
    if (expression == NO_BRACKETS)
        return NO_BRACKETS;
    const uint32_t anchor = shifts_add(&brackets->group, anchor_of(brackets, expression), by);
    return brackets_name_of(brackets, brackets_shape_of(brackets, expression), anchor);
}

/* ---- shapes ---- */

static uint32_t saturate(uint64_t n_leaves)
{
    return n_leaves < UINT32_MAX ? (uint32_t)n_leaves : UINT32_MAX;
}

/* Returns the entry that has the shape. O(log entries) */
static const struct shape *entry_of(const struct brackets *brackets, uint32_t number)
{
    const struct shape *lo = brackets->shapes, *hi = lo + brackets->n_entries - 1;
    if (number >= hi->number)
        return hi;
    while (lo + 1 < hi) {
        const struct shape *middle = lo + (hi - lo) / 2;
        if (middle->number <= number)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* Returns the shape by itself. O(log contributions * log entries): `first` has at most half of those that a
 * shape behind the head of a chain has. */
static struct shape shape_at(const struct brackets *brackets, uint32_t number)
{
    const struct shape *entry = entry_of(brackets, number);
    struct shape shape = *entry;
    const uint32_t behind = number - entry->number;
    if (!behind)
        return shape;
    shape.number = number;
    shape.second += behind;
    shape.n_leaves = saturate(entry->n_leaves + (uint64_t)behind * shape_at(brackets, entry->first).n_leaves);
    return shape;
}

uint32_t brackets_n_leaves(const struct brackets *brackets, uint64_t expression)
{
    return shape_at(brackets, brackets_shape_of(brackets, expression)).n_leaves;
}

/* ---- combining ---- */

static uint32_t hash_of_three(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t pair = (uint64_t)a << 32 | b;
    return map_hash_number(pair * UINT64_C(0xff51afd7ed558ccd) + c);
}

/* Items of the map are the shapes from FIRST_NODE on. */
static uint32_t shape_hash(const void *items, uint32_t item)
{
    const struct shape *shape = (const struct shape *)items + item;
    return hash_of_three(shape->first, shape->second, shape->offset);
}

static bool shape_is(const void *items, uint32_t item, const void *key)
{
    const struct shape *shape = (const struct shape *)items + item, *wanted = key;
    return shape->first == wanted->first && shape->second == wanted->second &&
           shape->offset == wanted->offset;
}

static bool is_first_plus(const struct shape *shape, const struct shape *wanted)
{
    return shape->first == wanted->first && shape->offset == wanted->offset;
}

/* Adds the shape to the chain that the last entry is or becomes; false: it does not continue it. */
static bool continue_chain(struct brackets *brackets, const struct shape *key)
{
    struct shape *last = &brackets->shapes[brackets->n_entries - 1];
    const bool is_chain = last->second == last->number - 1 && is_first_plus(last, key) &&
                          key->second == last->second + last->n;
    last->n += is_chain;
    brackets->n_shapes += is_chain;
    return is_chain;
}

/* Returns the number of the shape, a new one if it was not there before. Behind the head of a chain a shape
 * has the number behind its `second`, and is not in the map. */
static uint32_t find_shape(struct brackets *brackets, uint32_t first, uint32_t second, uint32_t offset)
{
    struct shape key = {.n = 1, .first = first, .second = second, .offset = offset};
    if (second + 1 < brackets->n_shapes) {
        const struct shape next = shape_at(brackets, second + 1);
        if (next.second == second && is_first_plus(&next, &key))
            return second + 1;
    }
    map_reserve(&brackets->by_key, shape_hash, brackets->shapes + FIRST_NODE);
    uint32_t *slot = map_slot(&brackets->by_key, hash_of_three(first, second, offset), shape_is,
                              brackets->shapes + FIRST_NODE, &key);
    if (*slot != MAP_NONE)
        return brackets->shapes[FIRST_NODE + *slot].number;
    if (continue_chain(brackets, &key))
        return brackets->n_shapes - 1;
    key.number = brackets->n_shapes++;
    key.n_leaves = saturate((uint64_t)shape_at(brackets, first).n_leaves +
                            shape_at(brackets, second).n_leaves);
    if (brackets->n_entries == brackets->shape_capacity)
        brackets->shapes = mem_grow(brackets->shapes, &brackets->shape_capacity, brackets->n_entries + 1,
                                    sizeof *brackets->shapes);
    brackets->shapes[brackets->n_entries++] = key;
    map_fill(&brackets->by_key, slot);
    return key.number;
}

/* The smaller shape comes first; of equal ones that from which the other is nearer; of these the lower. */
static bool is_swapped(const struct brackets *brackets, uint64_t a, uint64_t b, uint32_t *offset)
{
    const struct shifts *group = &brackets->group;
    *offset = brackets_offset_of(group, anchor_of(brackets, a), anchor_of(brackets, b));
    if (brackets_shape_of(brackets, a) != brackets_shape_of(brackets, b))
        return brackets_shape_of(brackets, b) < brackets_shape_of(brackets, a);
    const uint32_t back = brackets_offset_of(group, anchor_of(brackets, b), anchor_of(brackets, a));
    return back < *offset || (back == *offset && anchor_of(brackets, b) < anchor_of(brackets, a));
}

uint64_t brackets_combine(struct brackets *brackets, uint64_t a, uint64_t b)
{
    uint32_t offset;
    if (a == NO_BRACKETS || b == NO_BRACKETS)
        return NO_BRACKETS;
    if (is_swapped(brackets, a, b, &offset)) {
        const uint64_t first = b;
        b = a;
        a = first;
        offset = brackets_offset_of(&brackets->group, anchor_of(brackets, a), anchor_of(brackets, b));
    }
    uint32_t *last = brackets->last;
    if (last[0] != brackets_shape_of(brackets, a) || last[1] != brackets_shape_of(brackets, b) ||
        last[2] != offset) {
        brackets->last_shape =
            find_shape(brackets, brackets_shape_of(brackets, a), brackets_shape_of(brackets, b), offset);
        last[0] = brackets_shape_of(brackets, a);
        last[1] = brackets_shape_of(brackets, b);
        last[2] = offset;
    }
    return brackets_name_of(brackets, brackets->last_shape, anchor_of(brackets, a));
}

/* True if all of a run have the same shape. */
static bool has_one_shape(const struct brackets *brackets, const struct run *run)
{
    return brackets_shape_of(brackets, run->expr) == brackets_shape_of(brackets, run_expr(run, run->n - 1));
}

/* In a cyclic group anchors that move alike keep their offset. */
bool brackets_are_regular(const struct brackets *brackets, const struct run *a, const struct run *b,
                          int32_t *stride)
{
    const struct shifts *group = &brackets->group;
    const bool is_cyclic = group->n == 1 && !group->is_mirrored;
    *stride = a->expr_stride;
    if (a->expr == NO_BRACKETS || b->expr == NO_BRACKETS)
        *stride = 0;
    else if (a->n > 1 && (a->expr_stride || b->expr_stride))
        return is_cyclic && a->expr_stride == b->expr_stride && has_one_shape(brackets, a) &&
               has_one_shape(brackets, b);
    return true;
}

/* ---- comparing ---- */

static uint32_t same_hash(const void *items, uint32_t item)
{
    const struct same_shape *same = (const struct same_shape *)items + item;
    return hash_of_three(same->a, same->b, same->offset);
}

static bool same_is(const void *items, uint32_t item, const void *key)
{
    const struct same_shape *same = (const struct same_shape *)items + item, *wanted = key;
    return same->a == wanted->a && same->b == wanted->b && same->offset == wanted->offset;
}

static void remember(struct brackets *brackets, const struct same_shape *same)
{
    map_reserve(&brackets->same_by_key, same_hash, brackets->same);
    uint32_t *slot = map_slot(&brackets->same_by_key, hash_of_three(same->a, same->b, same->offset), same_is,
                              brackets->same, same);
    if (*slot != MAP_NONE)
        return;
    if (brackets->n_same == brackets->same_capacity)
        brackets->same = mem_grow(brackets->same, &brackets->same_capacity, brackets->n_same + 1,
                                  sizeof *brackets->same);
    brackets->same[brackets->n_same++] = *same;
    map_fill(&brackets->same_by_key, slot);
}

static bool brackets_is_equal(struct brackets *brackets, uint64_t a, uint64_t b, uint32_t depth);

/* Each part of the one is a part of the other. */
static bool are_parts_equal(struct brackets *brackets, uint64_t a, uint64_t b, uint32_t depth)
{
    uint64_t x[2] = {0, 0}, y[2] = {0, 0};
    uint32_t rank;
    if (!brackets_split(brackets, a, &x[0], &x[1], &rank) ||
        !brackets_split(brackets, b, &y[0], &y[1], &rank))
        return false; /* leaves of different ranks */
    return (brackets_is_equal(brackets, x[0], y[0], depth) &&
            brackets_is_equal(brackets, x[1], y[1], depth)) ||
           (brackets_is_equal(brackets, x[0], y[1], depth) && brackets_is_equal(brackets, x[1], y[0], depth));
}

static bool brackets_is_equal(struct brackets *brackets, uint64_t a, uint64_t b, uint32_t depth)
{
    const uint32_t offset =
        brackets_offset_of(&brackets->group, anchor_of(brackets, a), anchor_of(brackets, b));
    struct same_shape same = {brackets_shape_of(brackets, a), brackets_shape_of(brackets, b), offset, false};
    if (a == b)
        return true;
    brackets->is_too_deep = brackets->is_too_deep || depth == DEPTH_MAX;
    if (brackets_n_leaves(brackets, a) != brackets_n_leaves(brackets, b) || brackets->is_too_deep)
        return false;
    const uint32_t hash = hash_of_three(same.a, same.b, same.offset);
    const uint32_t known = map_find(&brackets->same_by_key, hash, same_is, brackets->same, &same);
    if (known != MAP_NONE)
        return brackets->same[known].is_same;
    same.is_same = are_parts_equal(brackets, a, b, depth + 1);
    remember(brackets, &same);
    return same.is_same;
}

bool brackets_equal(struct brackets *brackets, uint64_t a, uint64_t b)
{
    return brackets_is_equal(brackets, a, b, 0);
}

/* ---- taking apart ---- */

bool brackets_split(const struct brackets *brackets, uint64_t expression, uint64_t *first, uint64_t *second,
                    uint32_t *rank)
{
    const struct shape shape = shape_at(brackets, brackets_shape_of(brackets, expression));
    const uint32_t anchor = anchor_of(brackets, expression);
    if (!shape.first) {
        *rank = brackets->rank_at ? brackets->rank_at[anchor] : anchor;
        return false;
    }
    *first = brackets_name_of(brackets, shape.first, anchor);
    *second = brackets_name_of(brackets, shape.second, shifts_add(&brackets->group, shape.offset, anchor));
    return true;
}

/* Returns the ranks of an expression, ascending. The caller frees them. */
static uint32_t *list_ranks(const struct brackets *brackets, uint64_t expression, uint32_t *n)
{
    const uint32_t n_leaves = brackets_n_leaves(brackets, expression);
    uint32_t *ranks = mem_alloc(n_leaves, sizeof *ranks);
    uint64_t *open = mem_alloc(n_leaves, sizeof *open), second; /* open: no more than leaves */
    uint32_t n_open = 1;
    open[0] = expression;
    for (*n = 0; n_open;) {
        uint64_t *top = &open[n_open - 1];
        if (brackets_split(brackets, *top, top, &second, &ranks[*n])) {
            open[n_open++] = second;
        } else {
            ++*n;
            n_open--;
        }
    }
    free(open);
    qsort(ranks, *n, sizeof *ranks, compare_uint32);
    return ranks;
}

static void brackets_print_ranks(const struct brackets *brackets, uint64_t expression, struct text *out)
{
    enum { RANGES = 3 };
    uint32_t n, *ranks = list_ranks(brackets, expression, &n), n_ranges = 0;
    text_printf(out, "[");
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && ranks[end] == ranks[end - 1] + 1;)
            end++;
        if (n_ranges++ == RANGES) {
            text_printf(out, ", ...");
            break;
        }
        text_printf(out, i ? ", %u" : "%u", ranks[i]);
        if (end > i + 1)
            text_printf(out, "..%u", ranks[end - 1]);
    }
    text_printf(out, "]");
    free(ranks);
}

static uint32_t brackets_lowest_rank(const struct brackets *brackets, uint64_t expression)
{
    uint32_t n, *ranks = list_ranks(brackets, expression, &n);
    const uint32_t lowest = ranks[0];
    free(ranks);
    return lowest;
}

/* An expression as it is printed: so many levels of it, without the ranks that are not below `below`. */
struct printed {
    const struct brackets *brackets;
    uint32_t levels, below;
    struct text *out;
};

/* The part with the lowest rank stands first. */
static void brackets_print_part(const struct printed *printed, uint64_t expression, uint32_t level,
                                bool is_part)
{
    const struct brackets *brackets = printed->brackets;
    uint64_t part[2] = {0, 0};
    uint32_t rank;
    if (!brackets_split(brackets, expression, &part[0], &part[1], &rank)) {
        text_printf(printed->out, "%u", rank);
        return;
    }
    if (level == printed->levels) {
        brackets_print_ranks(brackets, expression, printed->out);
        return;
    }
    const uint32_t lowest[2] = {brackets_lowest_rank(brackets, part[0]),
                                brackets_lowest_rank(brackets, part[1])};
    const uint32_t first = lowest[1] < lowest[0];
    if (lowest[!first] >= printed->below) {
        brackets_print_part(printed, part[first], level, is_part);
        return;
    }
    text_printf(printed->out, is_part ? "(" : "");
    brackets_print_part(printed, part[first], level + 1, true);
    text_printf(printed->out, " + ");
    brackets_print_part(printed, part[!first], level + 1, true);
    text_printf(printed->out, is_part ? ")" : "");
}

void brackets_print(const struct brackets *brackets, uint64_t expression, struct text *out)
{
    enum { WHOLE = 8, LEVELS = 2 };
    const bool is_short = brackets_n_leaves(brackets, expression) <= WHOLE;
    brackets_print_part(&(struct printed){brackets, is_short ? WHOLE : LEVELS, UINT32_MAX, out}, expression,
                        0, false);
}

void brackets_print_below(const struct brackets *brackets, uint64_t expression, uint32_t below,
                          struct text *out)
{
    brackets_print_part(&(struct printed){brackets, UINT32_MAX, below, out}, expression, 0, false);
}
