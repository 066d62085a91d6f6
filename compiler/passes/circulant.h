/* SPDX-License-Identifier: BSD-3-Clause
 *
 * circulant_block(n, r, k): the receive schedule of the round-optimal broadcast of many
 * blocks on a circulant graph, for any number n of ranks. Traeff 2025 ("Optimal broadcast
 * schedules in logarithmic time with applications to broadcast, reduction, all-broadcast and
 * all-reduction", ACM Transactions on Parallel Computing); also arXiv 2407.18004.
 *
 * With q = ceil(log2 n), skip[q] = n and skip[k] = ceil(skip[k+1] / 2), rank r receives from
 * r - skip[k] and sends to r + skip[k] in round k, modulo n, and so again in each phase of q
 * rounds. The *base block* of r is the smallest skip of the greedy path of skips from rank 0
 * to r; the root has none. In a phase that begins with block 0, r gets its base block b
 * (value b), and for every other one of the q skips the block of the phase before it (values
 * -1 .. -q but b - q). What r sends in round k is what r + skip[k] receives in it. The
 * schedule is right because (the conditions of the paper)
 *   1, 2. what is sent is what is received at the other end,
 *   3. the values of r are b and -1 .. -q but b - q, each once, and
 *   4. what r sends in round k is b - q or was received by it in a round before k,
 * which tests/unit/test_circulant.c checks.
 */
#ifndef COLLC_COMPILER_PASSES_CIRCULANT_H
#define COLLC_COMPILER_PASSES_CIRCULANT_H

#include "compiler/passes/arithmetic.h"

#include <stdbool.h>
#include <stdint.h>

/* Computes a block; r is taken modulo n. False if there is no such value: n must be 1 .. 2^32 - 1, and k one
 * of the rounds 0 .. q - 1. Takes O(log^2 n) time. */
bool circulant_block(int64_t n, int64_t r, int64_t k, int64_t *result);

/* Values of one n; those of all rounds of a rank are kept when it is first asked for. Initially zero. */
struct circulant {
    int64_t n, n_rounds;
    int8_t *value; /* [k][r], plus CIRCULANT_SHIFT; 0: not yet found */
};
enum { CIRCULANT_SHIFT = 64 };

/* Computes circulant_block() of each lane of r; keeps the values of the first n, of up to 2^20. */
bool circulant_blocks(struct circulant *kept, int64_t n, const struct value *r, int64_t k,
                      uint32_t n_lanes, int64_t *result);
void circulant_free(struct circulant *kept);

#endif
