/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The best flow over relays, nearly, and lengths that nearly prove it. Blocks may be divided at will here.
 * A link has a price, e to the power of a multiple of its load. Pair after pair the cheapest way is found,
 * and as much of its demand moves there from each dearer way as makes both equally dear (a step of
 * Newton's). When nothing is left to move, the sum of all powers is the least, and prices prove a bound that
 * is below the load by a part of about the logarithm of the number of links over that multiple; so that grows
 * whenever the bound has come so near.
 */
#ifndef COLLC_BOUND_OVERLAY_SPREAD_H
#define COLLC_BOUND_OVERLAY_SPREAD_H

#include "bound/overlay/distances.h"

/* A way of some of the demand of a pair. */
struct overlay_way {
    double flow;
    uint32_t n_stops, n_hops;
    size_t stop;   /* servers, the destination the last, from stops[stop] on */
    size_t hop;    /* links, from hops[hop] on */
    uint32_t next; /* way of the same pair, or OVERLAY_NONE */
};
#define OVERLAY_NONE UINT32_MAX

struct overlay_flow {
    struct overlay_way *ways;
    uint32_t *way;       /* [from * n_servers + to] the first one, or OVERLAY_NONE */
    uint32_t *stops, *hops;
    size_t n_ways, ways_capacity, n_stops, stops_capacity, n_hops, hops_capacity;
    double *load;        /* [link] over its capacity */
    double most;         /* of all loads, */
    double straight;     /* and what it is by straight ways */
    double *length;      /* [link] the best prices that were found, */
    double proved;       /* and what they prove */
};

/* When it ends. Without any work it is of straight ways, and nothing is proved. */
struct overlay_effort {
    uint64_t work; /* servers and hops that may be looked at, about */
    double enough; /* what is proved is so large a part of what straight ways need; 0: never */
    double least;  /* ways need hardly more than this load, which is needed anyway; 0: not known */
};
struct overlay_flow overlay_spread(const struct overlay_network *network, enum flow_measure measure,
                                   const struct overlay_effort *effort);
/* Of a round, about. */
uint64_t overlay_round_work(const struct overlay_network *network);
void overlay_flow_free(struct overlay_flow *flow);

#endif
