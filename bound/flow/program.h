/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The best lengths of a block (lengths.h) as a linear program. Its variables are a length for each
 * class of arcs and, for one source of each class, the distance of each node:
 *
 *   maximise   sum over sources and nodes of (demand * distance)
 *   where      a node is at most as far as another one and the arc from there together
 *              the sum over arcs of (cables * length) is 1
 *
 * That is the dual of the program of a flow from each source that loads no cable above L, for the
 * least L. What the solver says is rounded to whole numbers and counted again.
 */
#ifndef COLLC_BOUND_FLOW_PROGRAM_H
#define COLLC_BOUND_FLOW_PROGRAM_H

#include "bound/flow/lengths.h"
#include "bound/flow/symmetry.h"
#include "lp/lp.h"

/* Lengths that are tried first, without a program: the same for all arcs; those of one node alone;
 * each cut that goes with the way the network is built; each class alone. What some known routes
 * need, `enough`, ends the search: nothing better than that can be proved. */
struct flow_search {
    const struct topology *topology;
    const struct lp_solver *solver;
    struct fraction enough; /* none: not known */
};

/* What is found of a block. */
struct flow_block_bound {
    struct fraction quotient; /* none: nothing is known */
    enum lp_end end;          /* LP_SOLVED: no lengths are much better */
};

/* Writes length[arc], which have no divisor in common. */
struct flow_block_bound flow_block_solve(const struct flow_block *block, enum flow_measure measure,
                                         const struct flow_search *search, uint64_t *length);

#endif
