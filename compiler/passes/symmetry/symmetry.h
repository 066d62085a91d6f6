/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out whether a bound program does the same on every rank, but for a shift of its coordinates: on
 * the text, each expression once, whatever the number of ranks and of steps. An expression is known as
 *
 *   uniform    the same on all ranks, as long as it is looked at in the same place of the walk
 *   affine     a sum of coordinates times constants, plus something uniform, perhaps
 *              modulo the extent of a coordinate
 *   neither    and then nothing is claimed
 *
 * Shifts of coordinates are tried first; then, of programs that count ranks by one number, those of the
 * dimensions of a grid, and r xor g: there an expression is uniform, or the rank *shifted* by
 * something uniform (shift, displace; xor), or neither; on a grid also a coordinate of such a rank, as above.
 *
 * Some of several coordinates may not be shifted: then they are the same on all ranks of an orbit, so
 * uniform. A loop over all of a coordinate that is shifted, or over all points of them, with operations
 * inside of ranks only, may be done in another order on each rank: its variable is then the coordinate, or
 * the number of the point, plus something uniform.
 *
 * A peer or a block of chunks must be, coordinate by coordinate, the rank's own plus something
 * uniform; conditions, bounds of loops, segments and windows must be uniform. So a shift of a rank shifts
 * its peers and chunks, and what it does is the same. An expression that might overflow at one rank
 * and not at another is neither.
 */
#ifndef COLLC_COMPILER_PASSES_SYMMETRY_SYMMETRY_H
#define COLLC_COMPILER_PASSES_SYMMETRY_SYMMETRY_H

#include "compiler/passes/expand.h"
#include "ir/symmetry.h"

/* True, with all of *symmetry but the schedule, if the program is symmetric; else *reason is the reason why
 * that is not known: a phrase, in the arena of the diagnostics or static. Tries groups from the *next-th on,
 * those with few orbits first; *next is then the one behind that which was found. O(text, calls written out),
 * for each group. */
bool symmetry_find(const struct binding *binding, uint32_t *next, struct symmetry *symmetry,
                   struct diagnostics *diagnostics, const char **reason);

#endif
