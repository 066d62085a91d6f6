/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interval arithmetic over the operators of the language (R. E. Moore 1966, "Interval
 * Analysis"): what values can an operation have, if its operands are within bounds? So a
 * condition is decided for a block of ranks at once, and what cannot fail is known before
 * it is evaluated.
 */
#ifndef COLLC_COMPILER_PASSES_RANGE_H
#define COLLC_COMPILER_PASSES_RANGE_H

#include "ir/program.h"

/* Range of all values from low to high; low <= high. With a slope of 1 the value is low at lane 0 of the
 * block, and one more at each lane after it; with -1 it is high, and one less. 0: not known. */
struct range {
    int64_t low, high;
    int slope;
};

static inline struct range range_between(int64_t low, int64_t high)
{
    return (struct range){low, high, 0};
}

static inline struct range range_of_one(int64_t value)
{
    return range_between(value, value);
}

static inline bool range_is_one(struct range range)
{
    return range.low == range.high;
}

/* True if no value is true (0). The other: true if none is false. */
static inline bool range_is_false(struct range range)
{
    return range.low == 0 && range.high == 0;
}

static inline bool range_is_true(struct range range)
{
    return range.low > 0 || range.high < 0;
}

/* Returns the bounds of n >= 1 values; their slope, if it is 1. */
struct range range_of_lanes(const int64_t *value, uint32_t n);

/* Returns the same for so few values that vectors are not worth it, and for lanes that are not
 * consecutive. */
struct range range_of_few(const int64_t *value, uint32_t n);

/* Returns the bounds of the values of consecutive lanes and of those after them. */
struct range range_join(struct range row, struct range after);

/* Bounds a kind b (b ignored by unary kinds) for all a and b within bounds. False if the operation has no
 * result for some of them, or this is not known. Not for functions of the grid and of the servers, which need
 * more than their operands. */
bool range_apply(enum expr_kind kind, struct range a, struct range b, struct range *result);

#endif
