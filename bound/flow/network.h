/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A collective in which every block has one source and one destination, as demands between the nodes of a
 * network: for any routes and relays. Parallel links are one arc. Machines that run no ranks and forward
 * nothing are left out, so all nodes may relay.
 */
#ifndef COLLC_BOUND_FLOW_NETWORK_H
#define COLLC_BOUND_FLOW_NETWORK_H

#include "bound/bound.h"

struct flow_arc {
    uint32_t from, to;
    uint64_t cables;    /* parallel links; 0: any number of messages crosses, at no cost */
    uint64_t bandwidth; /* sum over all of them, bytes per second */
};

struct flow_network {
    uint32_t n_nodes, n_arcs; /* n_nodes: nodes of the topology */
    struct flow_arc *arcs;    /* by `from`, then by `to` */
    uint32_t *first;          /* [n_nodes + 1] first arc of a node */
    uint32_t *ranks;          /* [node] */
    bool is_even;             /* all arcs have the same bandwidth per cable */
};

/* Makes the network. Returns false if the links of the topology are not those of a graph. */
bool flow_network_of(const struct bound_request *request, struct flow_network *network);
void flow_network_free(struct flow_network *network);

/* True if demands are the product of ranks at both ends, for all pairs of nodes; else flow_each_demand must
 * list them. */
bool flow_is_product(const struct bound_request *request);
/* True if the collective has a source and a destination for each block. */
bool flow_serves(const struct bound_request *request);

/* Calls `visit` for each two machines with a demand: `amount` blocks, or bytes. Time is proportional to the
 * pairs of ranks. */
typedef void flow_demand(void *data, uint32_t from, uint32_t to, uint64_t amount);
void flow_each_demand(const struct bound_request *request, flow_demand *visit, void *data);

#endif
