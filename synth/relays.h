/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the method `relays`: ways of blocks from server to server, where other servers may pass them on.
 *
 * A way is a list of relays. Between one and the next the block takes the route of the network: a *leg*.
 * Of the chunks from one server to another `n` go a way. Load is counted in chunks over the bandwidth of a
 * link, in multiples of the slowest; with unequal counts a chunk counts as its weight.
 */
#ifndef COLLC_SYNTH_RELAYS_H
#define COLLC_SYNTH_RELAYS_H

#include "bound/overlay/spread.h"
#include "network/load.h"
#include "synth/method.h"

#define RELAYS_NONE UINT32_MAX

struct relay_way {
    uint32_t n;             /* chunks */
    uint32_t next;          /* way of the same two servers, or RELAYS_NONE */
    uint32_t n_relays;
    size_t first;           /* the relays: servers[first] .. */
};

struct relays {
    const struct synth_request *request;
    const struct topology *topology;
    const struct placement *placement;
    uint32_t n_servers;
    uint32_t segments;      /* chunks of a block */
    double *cost;           /* [link] of a chunk: the slowest bandwidth over its own */
    double *weight;         /* [from * n_servers + to] of a chunk, 1 in the mean; NULL: all are 1 */
    double *load;           /* [link] of all ways */
    struct relay_way *ways;
    size_t n_ways, ways_capacity;
    uint32_t *way;          /* [from * n_servers + to] the first one */
    uint32_t *servers;      /* relays of all ways */
    size_t n_relays, relays_capacity;
    struct hop *hops;       /* of one leg */
};

/* Links of the route from server to server in relays->hops; how many. */
uint32_t relays_leg(const struct relays *relays, uint32_t from, uint32_t to);
static inline double relays_weight(const struct relays *relays, size_t pair)
{
    return relays->weight ? relays->weight[pair] : 1;
}
static inline uint32_t relays_stop(const struct relays *relays, const struct relay_way *way, uint32_t i,
                                   uint32_t to)
{
    return i < way->n_relays ? relays->servers[way->first + i] : to;
}

/* A way from server to server, pair = from * n_servers + to; it becomes the first. */
void relays_add_way(struct relays *relays, size_t pair, struct relay_way way);

/* Finds ways that keep the busiest link as free as can be, for `segments` chunks a block, from straight ones
 * on: chunks move to a way over links that are less busy as long as that helps (relay_ways.c). Time O(rounds
 * * (servers * links between neighbours + chunks that move * hops)). */
void relays_find(struct relays *relays);
double relays_most(const struct relays *relays);
/* The same, from ways that are there on, with prices at their steepest. */
void relays_polish(struct relays *relays);
/* Takes the ways of the best flow over relays (bound/overlay/spread.h), in whole chunks, where these keep the
 * busiest link less busy than the ways that were found. */
struct relays_flow {
    const struct overlay_network *network;
    const struct overlay_flow *flow;
};
void relays_take_flow(struct relays *relays, const struct relays_flow *flow);

/* Chunks that go a way together, from rank to rank. */
struct relay_parcel {
    uint32_t from, to, first_chunk, n_chunks; /* ranks; chunks of the block */
    uint32_t way, n_legs;
    double weight;    /* of all its chunks */
    size_t first_leg; /* steps[first_leg] .. */
};
struct relay_steps {
    struct relay_parcel *parcels;
    size_t n, capacity;
    uint32_t *steps;        /* [leg] */
    size_t n_legs;
    uint32_t most_legs;
    uint32_t n_steps;
};
/* Gives each leg a step after the one before, of `n_steps` in all, so that the busiest links of all steps
 * together are as busy as relays_most, or little more: returns that sum. Time O(legs * steps * hops). */
double relays_place(const struct relays *relays, struct relay_steps *steps, uint32_t n_steps);

#endif
