/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operators of the language on 64-bit integers: once for a single value,
 * which is their definition, and once for a vector of values, one per rank
 * (lane), which is what makes expansion fast. Every result that does not exist
 * (overflow, division by zero, an exponent below 0 or above 62, the logarithm
 * of a number below 1) is detected, never wrapped.
 */
#ifndef COLLC_COMPILER_PASSES_ARITHMETIC_H
#define COLLC_COMPILER_PASSES_ARITHMETIC_H

#include "base/vectorised.h"
#include "ir/program.h"

/* Lanes evaluated together: a handful of vectors of this many int64_t stay in
 * the L1 cache. */
enum { BLOCK_LANES = 512 };

/* A value for every lane: lane[i] if `lane` is not NULL, else `scalar` for all. */
struct value {
    const int64_t *lane;
    int64_t scalar;
};

static inline int64_t value_at(const struct value *value, uint32_t lane)
{
    return value->lane ? value->lane[lane] : value->scalar;
}

/* Computes *result = a kind b (b ignored by unary kinds). False if there is none. AND and OR take truth
 * values; any value but 0 is true. */
bool arithmetic_apply(enum expr_kind kind, int64_t a, int64_t b, int64_t *result);

/* Reverses the lowest k digits of n to a base. False if there is no such number: the base must be at least 2,
 * n and k at least 0, and the result below 2^63. */
bool arithmetic_reverse_digits(int64_t base, int64_t n, int64_t k, int64_t *result);

/* Does the same as arithmetic_apply for n lanes, at least one of a and b being a vector; `out` may be the
 * vector of a or b. False if some lane has no result; `out` is then void. */
bool arithmetic_lanes(enum expr_kind kind, const struct value *a, const struct value *b, uint32_t n,
                      int64_t *out);

/* Returns the reason why kind has no result for (a, b): "overflows 64 bits", ... */
const char *arithmetic_reason(enum expr_kind kind, int64_t a, int64_t b);

#endif
