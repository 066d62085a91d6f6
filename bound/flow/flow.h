/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound that no routes can beat: the best flow of a collective in which each block has one source and
 * one destination (alltoall, scatter, gather, with equal or unequal counts), by any paths and with any
 * division of blocks. See lengths.h for the proof, blocks.h and symmetry.h for the speed.
 */
#ifndef COLLC_BOUND_FLOW_FLOW_H
#define COLLC_BOUND_FLOW_FLOW_H

#include "bound/flow/lengths.h"
#include "lp/lp.h"

struct flow_proof {
    enum flow_measure measure;
    struct fraction quotient; /* none: unknown */
    uint64_t *length;         /* [arc of the network] */
    enum lp_end end;          /* LP_SOLVED: no lengths are much better */
};

struct flow {
    struct flow_network network;
    struct flow_proof proof[2]; /* for the load, then for the time: the same if all links are equal */
    uint32_t n_proofs;          /* 0: no bound is known */
    bool is_apart;              /* no path leads from ... */
    uint32_t apart[2];          /* ... this node to that one, which it must: there is no schedule */
};

struct flow flow_of(const struct bound_request *request, const struct lp_solver *solver);
void flow_free(struct flow *flow);

/* Makes the bound. Returns false if none is known; else the reason is to be freed with text_free. */
bool flow_bound(const struct flow *flow, const struct bound_request *request, struct bound *bound);

#endif
