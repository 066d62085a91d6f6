/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of arcs prove that no flow is better. Let each arc have any length. A block goes at least as
 * far as the distance from its source to its destination, so all blocks together cross at least the
 * length
 *
 *     sum over pairs of (demand * distance).
 *
 * If no cable carried more than L, that would be at most L * sum over arcs of (cables * length). So L is
 * at least the quotient of the two sums. With bandwidths instead of cables it is a bound of the time. The
 * best lengths solve a linear program (program.h), and their quotient is that of the best flow; all
 * others give a true bound as well, so their finder need not be trusted.
 */
#ifndef COLLC_BOUND_FLOW_LENGTHS_H
#define COLLC_BOUND_FLOW_LENGTHS_H

#include "bound/flow/blocks.h"
#include "bound/fraction.h"

/* The measure of arcs. */
enum flow_measure { FLOW_LOAD, FLOW_TIME };

/* Returns cables or bytes per second; 0 if the arc is crossed at no cost and has the length 0. */
static inline uint64_t flow_capacity(const struct flow_arc *arc, enum flow_measure measure)
{
    return measure == FLOW_LOAD || arc->cables == 0 ? arc->cables : arc->bandwidth;
}

enum { LENGTH_BITS = 40 }; /* limit of one length, in bits */

/* Returns the quotient; none if the lengths are all 0, or a block cannot reach its destination. */
struct fraction flow_quotient(const struct flow_block *block, enum flow_measure measure,
                              const uint64_t *length);

/* True if every node with a demand reaches its destinations; else `from` and `to` are a counterexample. */
bool flow_reaches(const struct flow_block *block, uint32_t *from, uint32_t *to);

#endif
