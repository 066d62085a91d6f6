/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The expression by which a value was combined: which contributions, and in which brackets. For floats
 * a + b = b + a is exact and (a + b) + c = a + (b + c) is not, so an expression is a binary tree without
 * order, whose leaves are ranks.
 *
 * An expression is one number: its *shape* above the bits of its *anchor*. The anchor is one of its ranks,
 * and the shape is the tree with all ranks taken relative to the anchor. So chunks that are combined along
 * a ring, each from another rank on, have the same shapes, and their anchors are a progression, as runs of
 * values (values.h) want it. The ranks are a group: "relative" means shifted back by the anchor
 * (ir/symmetry.h).
 *
 * An expression that was combined from contributions has one number. One that was shifted may have another
 * one, where a tree is its own image under a shift: brackets_equal decides that exactly.
 */
#ifndef COLLC_VERIFY_BRACKETS_H
#define COLLC_VERIFY_BRACKETS_H

#include "base/map.h"
#include "ir/symmetry.h"
#include "verify/values.h"

/* Value without an expression: nothing is combined, or it is the result that all ranks have. */
#define NO_BRACKETS UINT64_C(0)

enum { SHAPE_LEAF = 1 };

/* Shape first@0 + second@offset; 0 and 0 for a single contribution. Partial sums along a ring are chains, in
 * which each adds `first` to the one before: n shapes from `number` on, with seconds from `second` on and
 * n_leaves that grow by those of `first`. Only if `second` is number - 1; else n is 1. */
struct shape {
    uint32_t number, n;
    uint32_t first, second, offset;
    uint32_t n_leaves; /* saturates */
};

/* Two shapes, the second shifted by the offset, and true if they are the same expression. */
struct same_shape {
    uint32_t a, b, offset;
    bool is_same;
};

struct brackets {
    struct shifts group;
    uint32_t anchor_bits;    /* as few bits as the ranks need, so that progressions have small strides */
    const uint32_t *place;   /* [rank] its number in the group; NULL: the rank */
    const uint32_t *rank_at; /* [number in the group]; NULL: the same */
    struct shape *shapes;    /* ascending by number; [0] is none */
    size_t n_entries, shape_capacity;
    uint32_t n_shapes;       /* the numbers that are given */
    struct hash_map by_key;
    struct same_shape *same; /* earlier comparisons */
    size_t n_same, same_capacity;
    struct hash_map same_by_key;
    bool is_too_deep; /* two trees differ in their numbers deeper than they are compared */
    uint32_t last[3], last_shape; /* key looked for last, and its shape */
};

/* Prepares for the ranks of the sets, as they are ordered or laid on a grid; or for those of the group, if
 * it is not NULL. Release with brackets_free. */
void brackets_init(struct brackets *brackets, const struct rank_sets *sets, const struct shifts *group);
void brackets_free(struct brackets *brackets);
/* Returns the expression that is the contribution of one rank. */
uint64_t brackets_of(const struct brackets *brackets, uint32_t rank);
/* Returns the number in the group of one of its ranks. */
uint32_t brackets_anchor(const struct brackets *brackets, uint64_t expression);
/* Returns a + b; NO_BRACKETS if one of them is. O(1), O(dimensions of the group) */
uint64_t brackets_combine(struct brackets *brackets, uint64_t a, uint64_t b);
/* True if all pairs of chunks of two runs of the same chunks combine to a progression, which starts with the
 * first pair's and has *stride. Else they are combined one by one. */
bool brackets_are_regular(const struct brackets *brackets, const struct run *a, const struct run *b,
                          int32_t *stride);
/* Returns the expression with all ranks shifted. */
uint64_t brackets_shift(const struct brackets *brackets, uint64_t expression, uint32_t by);
/* True if the two are the same tree. Time O(pairs of shapes in them), of which each is compared once. */
bool brackets_equal(struct brackets *brackets, uint64_t a, uint64_t b);
/* Splits an expression of two contributions or more; false: it has one, of *rank. */
bool brackets_split(const struct brackets *brackets, uint64_t expression, uint64_t *first, uint64_t *second,
                    uint32_t *rank);
/* Returns the number of contributions; saturates. */
uint32_t brackets_n_leaves(const struct brackets *brackets, uint64_t expression);
/* Appends the expression: "(0 + 1) + 2". With more than eight contributions it prints the upper two levels,
 * and the levels below by their ranks: "[0..6] + 7". */
void brackets_print(const struct brackets *brackets, uint64_t expression, struct text *out);
/* Appends the whole expression, without the contributions of rank `below` and higher. Two expressions are the
 * same if the texts are, also of two schedules. Time O(contributions^2). */
void brackets_print_below(const struct brackets *brackets, uint64_t expression, uint32_t below,
                          struct text *out);

#endif
