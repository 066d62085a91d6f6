/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the method `relays`: ways of blocks from server to server, on which other servers may pass them
 * on.
 *
 * A way is a list of relays. Between two of them the block takes the route of the network: a *leg*. `n`
 * of the chunks from one server to another go a way. Load is counted in chunks over the bandwidth of a
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
    uint32_t next;          /* next way of the same two servers, or RELAYS_NONE */
    uint32_t n_relays;
    size_t first;           /* its relays: servers[first] ... */
};

struct relays {
    const struct synth_request *request;
    const struct topology *topology;
    const struct placement *placement;
    uint32_t n_servers;
    uint32_t segments;      /* chunks of a block */
    double *cost;           /* [link] cost of a chunk: the slowest bandwidth over the link's */
    double *weight;         /* [from * n_servers + to] weight of a chunk, 1 on average; NULL: all are 1 */
    double *load;           /* [link] load of all ways */
    struct relay_way *ways;
    size_t n_ways, ways_capacity;
    uint32_t *way;          /* [from * n_servers + to] first way */
    uint32_t *servers;      /* relays of all ways */
    size_t n_relays, relays_capacity;
    struct hop *hops;       /* scratch for one leg */
};

/* Finds the links of the route from server to server in relays->hops; returns their number. */
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

/* Adds a way from server to server, pair = from * n_servers + to; it becomes the first. */
void relays_add_way(struct relays *relays, size_t pair, struct relay_way way);

/* Finds ways that keep the busiest link as free as possible, for `segments` chunks a block. Starts with
 * straight ways and moves chunks to a way over less busy links as long as that helps (relay_ways.c). Time
 * O(rounds * (servers * links between neighbours + moved chunks * hops)). */
void relays_find(struct relays *relays);
double relays_most(const struct relays *relays);
/* Continues from the existing ways, with prices at their steepest. */
void relays_polish(struct relays *relays);
/* Takes the ways of the best flow over relays (bound/overlay/spread.h), in whole chunks, if these keep the
 * busiest link less busy than the ways so far. */
struct relays_flow {
    const struct overlay_network *network;
    const struct overlay_flow *flow;
};
void relays_take_flow(struct relays *relays, const struct relays_flow *flow);

/* Chunks that go a way together, from rank to rank. */
struct relay_parcel {
    uint32_t from, to, first_chunk, n_chunks; /* ranks; chunks of the block */
    uint32_t way, n_legs;
    double weight;    /* weight of all its chunks */
    size_t first_leg; /* first of its legs in relay_steps.steps */
};
struct relay_steps {
    struct relay_parcel *parcels;
    size_t n, capacity;
    uint32_t *steps;        /* [leg] its step */
    size_t n_legs;
    uint32_t most_legs;
    uint32_t n_steps;
};
/* Gives each leg a step after the one before, of `n_steps` in all, so that the busiest links of all steps
 * together are about as busy as relays_most. Returns that sum. Time O(legs * steps * hops). */
double relays_place(const struct relays *relays, struct relay_steps *steps, uint32_t n_steps);

#endif
