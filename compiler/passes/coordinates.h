/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between ranks and the coordinates of a `ranks` clause. A point of the
 * coordinates has an *index*, the sum of coordinate * stride; the rank there is
 *
 *   coordinates over servers and slots   the one at that slot of that server; none, if
 *                                        they are over max_slots and it has fewer
 *   over clusters, their servers or ranks, and slots   the one there (network/placement/clusters.h)
 *   coordinates over nx, ny, nz          the machine there in the logical view of the
 *                                        grid (network/view.h): without one the index, x fastest
 *   anything else                        the index, the first coordinate slowest
 *
 * `from root`, the coordinates of the root are added first, each modulo its extent.
 */
#ifndef COLLC_COMPILER_PASSES_COORDINATES_H
#define COLLC_COMPILER_PASSES_COORDINATES_H

#include "compiler/passes/evaluate.h"
#include "compiler/passes/expand.h"

/* Stands for a rank: there is none at these coordinates. */
#define NO_RANK UINT32_MAX

struct coordinates {
    uint32_t n, n_ranks;
    uint32_t shift;                 /* root, `from root`, else 0 */
    uint32_t origin[PROGRAM_MAX_COORDINATES]; /* of the root, `from root`, else 0 */
    uint32_t extent[PROGRAM_MAX_COORDINATES];
    uint32_t stride[PROGRAM_MAX_COORDINATES];
    const uint32_t *ranks;          /* [index] rank; NULL: the index itself */
    const struct placement *ragged; /* servers with unequal slots; NULL: a rank at each point */
    struct divider max_slots;       /* of `ragged` */
    uint32_t first_slot;            /* of `ragged`: the root's, `from root`, else 0 */
    uint32_t *of_rank[PROGRAM_MAX_COORDINATES]; /* [rank]; in the arena given */
};

/* Makes the coordinates. Requires a binding. */
void coordinates_make(struct coordinates *coordinates, const struct binding *binding,
                      struct arena *arena);

/* Converts rank numbers as the program counts them (below n_ranks) to ranks, in place. */
void coordinates_shift(const struct coordinates *coordinates, uint32_t n, uint32_t *number);
/* Finds the ranks at the points given by one expression for each coordinate, or by one that is a rank number,
 * on lanes of the environment's block. False: see its fault. */
bool coordinates_find(const struct coordinates *coordinates, struct environment *environment,
                      struct expr *const *point, uint32_t n, const struct lanes *lanes,
                      uint32_t *rank);

#endif
