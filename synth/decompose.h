/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A square matrix as a sum of permutations with weights (Birkhoff 1946, von Neumann 1953), so that the
 * weights together are its largest sum of a row or column: to that every other is filled up.
 */
#ifndef COLLC_SYNTH_DECOMPOSE_H
#define COLLC_SYNTH_DECOMPOSE_H

#include <stdint.h>

/* `to`: [row] its column, for all rows; those that only fill up are among them. Valid during the
 * call. */
typedef void decompose_found(void *data, const uint32_t *to, uint64_t weight);

/* matrix[row * n + column], which is changed; its sums are below 2^62. Large entries come first. At most
 * n^2 - 2 n + 2 permutations; time O(n^2) for each and for each entry that has become too small, mostly
 * much less. Returns the sum of the weights. */
uint64_t decompose(uint64_t *matrix, uint32_t n, decompose_found *found, void *data);

#endif
