/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The overlay of a run on its network: its servers, and between any two of them the route that the
 * network gives to messages. Only servers relay. Links that no route crosses, and those that any number
 * of messages crosses at no cost, are left out.
 */
#ifndef COLLC_BOUND_OVERLAY_NETWORK_H
#define COLLC_BOUND_OVERLAY_NETWORK_H

#include "bound/bound.h"
#include "bound/flow/lengths.h"

struct overlay_link {
    uint32_t id;        /* number in the topology */
    uint64_t bandwidth; /* bytes per second */
};

struct overlay_network {
    uint32_t n_servers, n_links;
    struct overlay_link *links; /* by their ends, then by id */
    size_t *first;      /* [from * n_servers + to] first link of its route; one more at the end */
    uint32_t *route;    /* numbers of links */
    bool *is_routed;    /* [from * n_servers + to] true if it has a route, perhaps of no links */
    uint64_t *demand;   /* [from * n_servers + to] blocks, or bytes */
    size_t *first_arc;  /* [server] first of `arcs`; one more at the end */
    uint32_t *arcs;     /* the other ends of those routes that are not two others joined */
    bool is_even;       /* all links have the same bandwidth */
};

enum { OVERLAY_MAX_SERVERS = 512, OVERLAY_MAX_HOPS = 1 << 24 }; /* limits; hops of all routes together */

/* Makes the overlay. Returns false if there are too many servers or hops, more than one network, a demand
 * without route, or no load on any link. Time and memory O(servers^2 * hops) and, without counts,
 * demands. */
bool overlay_network_of(const struct bound_request *request, struct overlay_network *network);
void overlay_network_free(struct overlay_network *network);

static inline uint64_t overlay_capacity(const struct overlay_link *link, enum flow_measure measure)
{
    return measure == FLOW_LOAD ? 1 : link->bandwidth;
}

#endif
