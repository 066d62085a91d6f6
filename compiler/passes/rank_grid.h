/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the language for grids of any number of dimensions: extent(d),
 * coordinate(r, d), shift(r, d, k), displace(r, v, k) and rotate(v, k), on rank numbers. One
 * rank is on every machine of the logical view (network/view.h); its *place* is the sum of
 * coordinate * stride, x fastest.
 *
 * Numbers of ranks are those of the program. `from root` they count from the root's, and
 * coordinates with them, each modulo its extent: the root, number 0, is at 0 in every
 * dimension, and shift leads from number to number. So
 *
 *   coordinate(shift(r, d, k), e) = coordinate(r, e) + (e == d ? k : 0), modulo extent(e)
 *
 * holds with and without it. A number r is taken modulo the ranks, as a target is. A
 * dimension beyond the last one has extent 1; one below 0 is an error.
 *
 * A number also stands for a displacement: the way from number 0 to it. Its hop in a
 * dimension is its coordinate, or, beyond half of the extent, that less the extent.
 */
#ifndef COLLC_COMPILER_PASSES_RANK_GRID_H
#define COLLC_COMPILER_PASSES_RANK_GRID_H

#include "compiler/passes/arithmetic.h"
#include "network/placement/placement.h"
#include "network/topology.h"

struct rank_grid {
    uint32_t n_ranks; /* 0: there is no grid */
    uint32_t n_dimensions;
    uint32_t root;    /* `from root`, else 0 */
    struct divider extent[TOPOLOGY_MAX_DIMENSIONS], stride[TOPOLOGY_MAX_DIMENSIONS];
    const uint32_t *place_of; /* [rank]; NULL: the rank itself */
    const uint32_t *rank_at;  /* [place] */
    uint32_t step[TOPOLOGY_MAX_DIMENSIONS]; /* from the number of a rank to that at the next place */
    bool is_even; /* the steps are the same everywhere, but for those round the end */
};

/* Returns the logical view that has a rank at each of its machines, in their order; NULL: there is none. */
const struct topology *grid_of_ranks(const struct topology *topology, const struct placement *placement);

/* Makes the grid of a logical view; tables, if it needs them, are made in the arena. */
void rank_grid_make(struct rank_grid *grid, const struct topology *view, uint32_t root, struct arena *arena);
/* Makes the grid of these extents, x fastest. The tables, as in struct rank_grid, live as long. */
void rank_grid_of_extents(struct rank_grid *grid, uint32_t n_ranks, uint32_t n_dimensions,
                          const uint32_t *extent, const uint32_t *place_of, const uint32_t *rank_at);

/* Returns the ranks, which are the machines, at the places of a logical view, x fastest. */
uint32_t *ranks_of_view(const struct topology *view, struct arena *arena);

/* Computes a function of the grid of the operands in their order. False if there is no value: a dimension
 * below 0, or no grid. */
bool rank_grid_apply(const struct rank_grid *grid, enum expr_kind kind, const int64_t operand[3],
                     int64_t *result);
/* Does the same for n lanes; `out` may be the vector of the first operand. */
bool rank_grid_lanes(const struct rank_grid *grid, enum expr_kind kind, const struct value operand[3],
                     uint32_t n, int64_t *out);

#endif
