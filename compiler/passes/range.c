/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interval arithmetic. See range.h.
 *
 * Monotone operators have their bounds at those of their operands, which the scalar
 * definition (arithmetic.h) gives: where it fails there the operation may fail, and nothing
 * is known. Bounds need not be tight.
 */
#include "compiler/passes/range.h"

#include "compiler/passes/arithmetic.h"

__attribute__((always_inline)) static inline struct range bounds_of(const int64_t *value, uint32_t n)
{
    struct range range = range_of_one(value[0]);
    for (uint32_t i = 1; i < n; i++) {
        range.low = value[i] < range.low ? value[i] : range.low;
        range.high = value[i] > range.high ? value[i] : range.high;
    }
    return range;
}

VECTORISED static struct range bounds_of_lanes(const int64_t *value, uint32_t n)
{
    return bounds_of(value, n);
}

struct range range_of_few(const int64_t *value, uint32_t n)
{
    return bounds_of(value, n);
}

struct range range_of_lanes(const int64_t *value, uint32_t n)
{
    struct range range = bounds_of_lanes(value, n);
    range.slope = (uint64_t)range.high - (uint64_t)range.low == n - 1;
    for (uint32_t i = 0; range.slope && i < n; i++)
        range.slope = value[i] - range.low == (int64_t)i;
    return range;
}

struct range range_join(struct range row, struct range after)
{
    struct range range = range_between(row.low < after.low ? row.low : after.low,
                                       row.high > after.high ? row.high : after.high);
    range.slope = row.slope == 1 && after.slope == 1 && row.high < after.low && row.high + 1 == after.low;
    return range;
}

/* Bounds operators whose extremes are at corners of a x b: those that are monotone in each operand while the
 * other one is fixed. */
static bool at_corners(enum expr_kind kind, struct range a, struct range b, struct range *result)
{
    const int64_t left[] = {a.low, a.high, a.low, a.high}, right[] = {b.low, b.low, b.high, b.high};
    const uint32_t n = range_is_one(b) ? 2 : 4;
    int64_t corner[4];
    for (uint32_t i = 0; i < n; i++)
        if (!arithmetic_apply(kind, left[i], right[i], &corner[i]))
            return false;
    *result = bounds_of(corner, n);
    return true;
}

/* The extremes of a product are at corners, too. */
static bool of_product(struct range a, struct range b, struct range *result)
{
    int64_t corner[4];
    if (__builtin_mul_overflow(a.low, b.low, &corner[0]) ||
        __builtin_mul_overflow(a.low, b.high, &corner[1]) ||
        __builtin_mul_overflow(a.high, b.low, &corner[2]) ||
        __builtin_mul_overflow(a.high, b.high, &corner[3]))
        return false;
    *result = bounds_of(corner, 4);
    return true;
}

static bool of_sum(struct range a, struct range b, struct range *result)
{
    result->slope = range_is_one(b) ? a.slope : range_is_one(a) ? b.slope : 0;
    return !__builtin_add_overflow(a.low, b.low, &result->low) &&
           !__builtin_add_overflow(a.high, b.high, &result->high);
}

static bool of_difference(struct range a, struct range b, struct range *result)
{
    result->slope = range_is_one(b) ? a.slope : range_is_one(a) ? -b.slope : 0;
    return !__builtin_sub_overflow(a.low, b.high, &result->low) &&
           !__builtin_sub_overflow(a.high, b.low, &result->high);
}

/* Bounds a remainder; exactly where all quotients by one divisor are the same, as the remainder keeps the
 * order then. */
static bool of_remainder(struct range a, struct range b, struct range *result)
{
    struct range quotient;
    if (b.low < 1)
        return false;
    *result = range_between(0, b.high - 1);
    if (a.low >= 0 && a.high < result->high)
        result->high = a.high;
    if (!range_is_one(b) || (uint64_t)a.high - (uint64_t)a.low >= (uint64_t)b.low)
        return true;
    if (at_corners(EXPR_DIV, a, b, &quotient) && range_is_one(quotient))
        return arithmetic_apply(EXPR_MOD, a.low, b.low, &result->low) &&
               arithmetic_apply(EXPR_MOD, a.high, b.low, &result->high);
    return true;
}

static bool of_truth(bool is_true, bool is_false, struct range *result)
{
    *result = range_between(is_true, !is_false);
    return true;
}

static bool range_of_comparison(enum expr_kind kind, struct range a, struct range b, struct range *result)
{
    const bool equal = range_is_one(a) && range_is_one(b) && a.low == b.low;
    const bool apart = a.high < b.low || b.high < a.low;
    if (kind == EXPR_EQ)
        return of_truth(equal, apart, result);
    if (kind == EXPR_NE)
        return of_truth(apart, equal, result);
    if (kind == EXPR_LT)
        return of_truth(a.high < b.low, a.low >= b.high, result);
    if (kind == EXPR_LE)
        return of_truth(a.high <= b.low, a.low > b.high, result);
    if (kind == EXPR_GT)
        return of_truth(a.low > b.high, a.high <= b.low, result);
    return of_truth(a.low >= b.high, a.high < b.low, result);
}

/* No number has more bits than the longest. */
static bool of_xor(struct range a, struct range b, struct range *result)
{
    if (a.low < 0 || b.low < 0) {
        *result = range_between(INT64_MIN, INT64_MAX);
        return true;
    }
    const uint64_t most = (uint64_t)(a.high | b.high);
    *result = range_between(0, most ? (int64_t)(UINT64_MAX >> __builtin_clzll(most)) : 0);
    return true;
}

static bool of_abs(struct range a, struct range *result)
{
    if (!at_corners(EXPR_ABS, a, a, result))
        return false;
    if (a.low < 0 && a.high > 0)
        result->low = 0;
    return true;
}

static bool of_reversal(struct range k, struct range *result)
{
    int64_t places = 0;
    *result = range_between(0, 0);
    if (k.low < 0 || !arithmetic_apply(EXPR_POW, 2, k.high, &places))
        return false;
    result->high = places - 1;
    return true;
}

bool range_apply(enum expr_kind kind, struct range a, struct range b, struct range *result)
{
    result->slope = 0;
    if (range_is_one(a) && range_is_one(b)) {
        const bool done = arithmetic_apply(kind, a.low, b.low, &result->low);
        result->high = result->low;
        return done;
    }
    switch (kind) {
    case EXPR_ADD: return of_sum(a, b, result);
    case EXPR_SUB: return of_difference(a, b, result);
    case EXPR_NEGATE: return of_difference(range_of_one(0), a, result);
    case EXPR_MUL: return of_product(a, b, result);
    case EXPR_MIN:
    case EXPR_MAX: return at_corners(kind, a, b, result);
    case EXPR_DIV: return b.low > 0 && at_corners(kind, a, b, result);
    case EXPR_MOD: return of_remainder(a, b, result);
    case EXPR_POW: return a.low > 0 && at_corners(kind, a, b, result);
    case EXPR_CEIL_LOG2:
    case EXPR_FLOOR_LOG2:
    case EXPR_CEIL_LOG: return at_corners(kind, a, b, result);
    case EXPR_REVERSE_BITS: return of_reversal(b, result);
    case EXPR_ABS: return of_abs(a, result);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return range_of_comparison(kind, a, b, result);
    case EXPR_XOR: return of_xor(a, b, result);
    case EXPR_NOT: return of_truth(range_is_false(a), range_is_true(a), result);
    case EXPR_AND:
        return of_truth(range_is_true(a) && range_is_true(b), range_is_false(a) || range_is_false(b),
                        result);
    case EXPR_OR:
        return of_truth(range_is_true(a) || range_is_true(b), range_is_false(a) && range_is_false(b),
                        result);
    case EXPR_LCM:
    case EXPR_INTEGER:
    case EXPR_VARIABLE:
    case EXPR_CHOICE:
    case EXPR_CALL:
    case EXPR_ARGUMENT:
    case EXPR_GROUPS_BEFORE:
    case EXPR_REVERSE_DIGITS:
    case EXPR_CIRCULANT_BLOCK:
    case EXPR_EXTENT:
    case EXPR_OUT_DEGREE:
    case EXPR_IN_DEGREE:
    case EXPR_OUT_NEIGHBOR:
    case EXPR_IN_NEIGHBOR:
    case EXPR_IN_TURN:
    case EXPR_IN_PLACE:
    case EXPR_OUT_HOP:
    case EXPR_OUT_LIKE:
    case EXPR_OUT_HOPS:
    case EXPR_COORDINATE:
    case EXPR_SHIFT:
    case EXPR_DISPLACE:
    case EXPR_ROTATE:
    case N_EXPR_KINDS:
        break;
    }
    return false;
}
