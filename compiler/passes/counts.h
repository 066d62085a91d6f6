/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of collectives with unequal counts, from a file or a formula (ir/counts.h).
 */
#ifndef COLLC_COMPILER_PASSES_COUNTS_H
#define COLLC_COMPILER_PASSES_COUNTS_H

#include "compiler/passes/neighbors.h"
#include "ir/counts.h"

/* Reads counts: bytes below 2^63, decimal, between blanks, commas and line ends, `#` to the end of a line
 * left out: `n` of them, for alltoallv p * p by sender, of blocks of neighbours by sender. NULL after
 * reporting E021. Time and memory O(text). */
struct counts *counts_read(const struct source *source, uint64_t n,
                           struct diagnostics *diagnostics);
/* Makes counts of a formula with i (alltoallv and neighbor_alltoallv: the sender, and j the destination), p
 * and bytes. `neighbors` are those of a neighbourhood collective; a block for nobody has 0 bytes. It is
 * evaluated when asked for; a missing or negative value is reported once, as E007 or E021, and counts as 0.
 * NULL after reporting that it cannot be read, or that `bytes` is named without a size, where `bytes` is
 * NULL, or not named with one. */
struct counts *counts_of_formula(const struct source *source, enum collective collective,
                                 const struct neighborhood *neighbors, uint32_t n_ranks,
                                 const uint64_t *bytes, struct diagnostics *diagnostics);

#endif
