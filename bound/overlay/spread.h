/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds nearly the best flow over relays, and lengths that nearly prove it. Blocks may be divided at will
 * here. A link has a price, e to the power of a multiple of its load. For pair after pair it finds the
 * cheapest way, and moves as much of the demand there from each dearer way as makes both equally dear (a
 * Newton step). When nothing is left to move, the sum of all powers is the least, and prices prove a
 * bound that is below the load by about the logarithm of the number of links over that multiple; so the
 * multiple grows whenever the bound has come that near.
 */
#ifndef COLLC_BOUND_OVERLAY_SPREAD_H
#define COLLC_BOUND_OVERLAY_SPREAD_H

#include "bound/overlay/distances.h"

/* A way with some of the demand of a pair. */
struct overlay_way {
    double flow;
    uint32_t n_stops, n_hops;
    size_t stop;   /* its servers, the destination last: stops[stop] ... */
    size_t hop;    /* its links: hops[hop] ... */
    uint32_t next; /* next way of the same pair, or OVERLAY_NONE */
};
#define OVERLAY_NONE UINT32_MAX

struct overlay_flow {
    struct overlay_way *ways;
    uint32_t *way;       /* [from * n_servers + to] first way, or OVERLAY_NONE */
    uint32_t *stops, *hops;
    size_t n_ways, ways_capacity, n_stops, stops_capacity, n_hops, hops_capacity;
    double *load;        /* [link] load over its capacity */
    double most;         /* maximum of all loads, */
    double straight;     /* and the maximum by straight ways */
    double *length;      /* [link] the best prices found, */
    double proved;       /* and the bound that they prove */
};

/* The end of the search. Without any work the flow goes by straight ways, and nothing is proved. */
struct overlay_effort {
    uint64_t work; /* limit of servers and hops visited, approximately */
    double enough; /* fraction of the load by straight ways that, once proved, ends the search; 0: never */
    double least;  /* known lower bound of the load; ways that need hardly more end the search; 0: unknown */
};
struct overlay_flow overlay_spread(const struct overlay_network *network, enum flow_measure measure,
                                   const struct overlay_effort *effort);
/* Returns the approximate work of a round. */
uint64_t overlay_round_work(const struct overlay_network *network);
void overlay_flow_free(struct overlay_flow *flow);

#endif
