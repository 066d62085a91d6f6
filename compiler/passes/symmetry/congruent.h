/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of a symmetric program, for whoever wants to know how much goes where and not of which chunks: a
 * step in which representatives do as much with the same ranks as in an earlier one is given without its
 * operations (struct step). The ring of 65,536 ranks has two steps then, and says of the others that they are
 * like these.
 */
#ifndef COLLC_COMPILER_PASSES_SYMMETRY_CONGRUENT_H
#define COLLC_COMPILER_PASSES_SYMMETRY_CONGRUENT_H

#include "compiler/passes/expand.h"

/* Returns the schedule of a bound program with steps that are like others, for a caller that understands
 * that; its operations are right in all but buffers and chunks, and is_set says only that a message
 * is packed. NULL, without a report: it is not known to be
 * symmetric, or has too many unlike steps, or steps cannot be produced. The binding outlives the schedule.
 * Time O(text) and of representatives and witnesses as by expand_witnesses, then O(operations) of unlike
 * steps; memory O(steps + operations of representatives in unlike steps + operations of a step). */
struct schedule *expand_congruent(const struct binding *binding);
/* Returns the number of operations in all its steps that have any, each step once. O(1) */
uint64_t congruent_n_operations(const struct schedule *alike);

#endif
