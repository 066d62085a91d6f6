/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The best lengths of a block (lengths.h) as a linear program. Its variables are a length for each class
 * of arcs and, for one source of each class, the distance of each node:
 *
 *   maximise   sum over sources and nodes of (demand * distance)
 *   where      a node is at most as far as another one plus the arc from there
 *              the sum over arcs of (cables * length) is 1
 *
 * It is the dual of the program of a flow from each source that loads no cable above L, for the least L.
 * The solver's result is rounded to whole numbers and evaluated again.
 */
#ifndef COLLC_BOUND_FLOW_PROGRAM_H
#define COLLC_BOUND_FLOW_PROGRAM_H

#include "bound/flow/lengths.h"
#include "bound/flow/symmetry.h"
#include "lp/lp.h"

/* Search for lengths. First it tries some without a program: the same for all arcs; those of one node
 * alone; each cut that the network's structure suggests; each class alone. The load by some known routes,
 * `enough`, ends the search: nothing better can be proved. */
struct flow_search {
    const struct topology *topology;
    const struct lp_solver *solver;
    struct fraction enough; /* none: unknown */
};

/* The result for a block. */
struct flow_block_bound {
    struct fraction quotient; /* none: unknown */
    enum lp_end end;          /* LP_SOLVED: no lengths are much better */
};

/* Finds the bound and writes length[arc], which have no common divisor. */
struct flow_block_bound flow_block_solve(const struct flow_block *block, enum flow_measure measure,
                                         const struct flow_search *search, uint64_t *length);

#endif
