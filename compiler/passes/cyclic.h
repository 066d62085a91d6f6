/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors of numbers modulo a number of ranks or an extent.
 */
#ifndef COLLC_COMPILER_PASSES_CYCLIC_H
#define COLLC_COMPILER_PASSES_CYCLIC_H

#include "compiler/passes/arithmetic.h"

/* Computes out[i] = (value at lane i) modulo `modulus`, for n <= BLOCK_LANES lanes; the modulus is 1 ..
 * SCHEDULE_MAX_RANKS. */
void cyclic_reduce_lanes(const struct value *value, uint32_t modulus, uint32_t n, uint32_t *out);
/* Adds `by` to number[i], modulo `modulus`, in place; both are below it. */
void cyclic_turn_lanes(uint32_t *number, uint32_t n, uint32_t by, uint32_t modulus);

#endif
