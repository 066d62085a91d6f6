/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes and times for people to read.
 */
#ifndef COLLC_BASE_QUANTITY_H
#define COLLC_BASE_QUANTITY_H

#include "base/memory.h"

/* "64KiB" where it is a whole number of KiB, MiB ... EiB, else "1000": exact, and what --bytes
 * takes. */
void print_size(uint64_t bytes, struct text *out);
/* Prints a size in the largest unit that it has one of, with three digits where that is no whole number:
 * "8.41KiB". */
void print_size_roughly(uint64_t bytes, struct text *out);
/* "17.25 us": nanoseconds with four digits, in ns, us, ms or s. */
void print_time(uint64_t ns, struct text *out);

#endif
