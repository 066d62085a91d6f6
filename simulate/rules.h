/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules of simulate/player.h that stand once for all players: who of several is served first, how long
 * a machine's memory and ports are busy, and what a time on the network is made of. The rules of links
 * are in asap_links.h.
 */
#ifndef COLLC_SIMULATE_RULES_H
#define COLLC_SIMULATE_RULES_H

#include "base/integer.h"
#include "base/key_order.h"
#include "simulate/player.h"
#include "simulate/timetable.h"

/* A request to be served by the memory or the port of a machine now. */
struct request {
    uint64_t key;           /* what is drawn, then the rank */
    uint64_t number;        /* of one rank: what is local, 0, then sends in their order */
    uint32_t rank, message; /* REQUEST_LOCAL: the next local operation of the rank */
};
#define REQUEST_LOCAL UINT32_MAX

/* Requests of one time. Zero-initialise. */
struct requests {
    struct request *items;
    size_t n, capacity;
    struct key_order order;
};

/* Adds a request at the time `now`. */
void requests_add(struct requests *requests, const struct player_settings *settings, uint64_t now,
                  uint32_t rank, uint64_t number, uint32_t message);
/* Puts the requests in the order in which they are served, that of order.items. */
void requests_order(struct requests *requests);
void requests_free(struct requests *requests);

/* Lets a memory or a port that is free from *free on serve for so long, from now on or when it is free.
 * Returns when it begins. */
static inline uint64_t serve_in_turn(uint64_t *free, uint64_t now, uint64_t lasts)
{
    const uint64_t begin = *free > now ? *free : now;
    *free = time_sum(begin, lasts);
    return begin;
}

/* Adds the parts of a passage through the network: latency of links, what the bytes take alone, and waiting
 * for the rest. */
static inline void add_passage(struct time_parts *parts, uint64_t passed, uint64_t latency,
                               uint64_t bandwidth)
{
    const uint64_t of_latency = smaller(latency, passed);
    const uint64_t of_bandwidth = smaller(bandwidth, passed - of_latency);
    parts->latency += of_latency;
    parts->bandwidth += of_bandwidth;
    parts->waiting += passed - of_latency - of_bandwidth;
}

#endif
