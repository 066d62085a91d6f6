/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact fractions of two numbers below 2^127 that are not negative.
 */
#ifndef COLLC_BOUND_FRACTION_H
#define COLLC_BOUND_FRACTION_H

#include "base/memory.h"

__extension__ typedef unsigned __int128 wide; /* not in ISO C; gcc, clang */

struct fraction {
    wide top, bottom; /* in lowest terms; bottom 0: none */
};

/* Returns the fraction in lowest terms. Requires bottom > 0. */
struct fraction fraction_of(wide top, wide bottom);
/* True if a is above b; none is below everything. */
bool fraction_is_above(struct fraction a, struct fraction b);
double fraction_real(struct fraction fraction);
/* Finds two numbers below 2^62 whose quotient is the fraction or, if that is impossible, a little less. */
void fraction_narrow(struct fraction fraction, uint64_t *top, uint64_t *bottom);

/* Prints "2904/7", or "64" if it is whole. */
void fraction_print(struct fraction fraction, struct text *out);
void wide_print(wide number, struct text *out);

#endif
