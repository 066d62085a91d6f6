/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What no routes can beat: the best flow of a collective in which each block has one source and one
 * destination (alltoall, scatter, gather, with equal or unequal counts), whatever ways the blocks
 * go and however they are divided. See lengths.h for the proof, blocks.h and symmetry.h for why it is
 * found soon.
 */
#ifndef COLLC_BOUND_FLOW_FLOW_H
#define COLLC_BOUND_FLOW_FLOW_H

#include "bound/flow/lengths.h"
#include "lp/lp.h"

struct flow_proof {
    enum flow_measure measure;
    struct fraction quotient; /* none: nothing is known */
    uint64_t *length;         /* [arc of the network] */
    enum lp_end end;          /* LP_SOLVED: no lengths are much better */
};

struct flow {
    struct flow_network network;
    struct flow_proof proof[2]; /* of the load, then of the time: the same if all links are alike */
    uint32_t n_proofs;          /* 0: nothing is known */
    bool is_apart;              /* no way leads from ... */
    uint32_t apart[2];          /* ... this node to that one, as it must: there is no schedule */
};

struct flow flow_of(const struct bound_request *request, const struct lp_solver *solver);
void flow_free(struct flow *flow);

/* False if nothing is known; else the reason is to be freed with text_free. */
bool flow_bound(const struct flow *flow, const struct bound_request *request, struct bound *bound);

#endif
