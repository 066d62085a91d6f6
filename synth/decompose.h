/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decomposes a square matrix into a sum of permutations with weights (Birkhoff 1946, von Neumann 1953).
 * The sum of the weights is the matrix's largest sum of a row or column; all others are filled up to it.
 */
#ifndef COLLC_SYNTH_DECOMPOSE_H
#define COLLC_SYNTH_DECOMPOSE_H

#include <stdint.h>

/* Receives a permutation. `to`: [row] its column, for all rows, including those that only fill up. Valid
 * during the call. */
typedef void decompose_found(void *data, const uint32_t *to, uint64_t weight);

/* Decomposes matrix[row * n + column], which is overwritten; its sums must be below 2^62. Large entries
 * come first. At most n^2 - 2 n + 2 permutations; time O(n^2) for each and for each entry that has become
 * too small, mostly much less. Returns the sum of the weights. */
uint64_t decompose(uint64_t *matrix, uint32_t n, decompose_found *found, void *data);

#endif
