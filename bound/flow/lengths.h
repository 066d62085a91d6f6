/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why no flow is better: lengths of arcs. Let each arc have a length, whatever it is. A block goes at
 * least as far as its source is from its destination, so all of them together cross at least
 *
 *     sum over pairs of (demand * distance)
 *
 * of length. If no cable carried more than L, it would be at most L * sum over arcs of (cables *
 * length). So L is at least the quotient of the two sums. With bandwidths in the place of cables it
 * is a bound of the time. The best lengths are the solution of a linear program (program.h), and with
 * them the quotient is what the best flow has; all others give a bound that is true as well, so who
 * finds them need not be believed.
 */
#ifndef COLLC_BOUND_FLOW_LENGTHS_H
#define COLLC_BOUND_FLOW_LENGTHS_H

#include "bound/flow/blocks.h"
#include "bound/fraction.h"

/* What the arcs are measured by. */
enum flow_measure { FLOW_LOAD, FLOW_TIME };

/* Cables or bytes per second; 0: the arc is crossed at no cost and has the length 0. */
static inline uint64_t flow_capacity(const struct flow_arc *arc, enum flow_measure measure)
{
    return measure == FLOW_LOAD || arc->cables == 0 ? arc->cables : arc->bandwidth;
}

enum { LENGTH_BITS = 40 }; /* of one length, at most */

/* The quotient; none if the lengths are all 0, or a block cannot go where it must. */
struct fraction flow_quotient(const struct flow_block *block, enum flow_measure measure,
                              const uint64_t *length);

/* From any node with a demand; false: that cannot reach where it must go. */
bool flow_reaches(const struct flow_block *block, uint32_t *from, uint32_t *to);

#endif
