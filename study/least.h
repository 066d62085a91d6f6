/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds lower bounds for all schedules of a collective, to compare a schedule with: the sharpest of the
 * bounds that are computed instantly. For any routes these are the bounds by cuts and, on a small
 * network, the one by flows; on the given routes, for few servers, the one by relays.
 */
#ifndef COLLC_STUDY_LEAST_H
#define COLLC_STUDY_LEAST_H

#include "bound/bound.h"
#include "verify/verify.h"

/* Limit of (machines and routers) times links of a network for a linear program. */
#define LEAST_MAX_FLOW (UINT64_C(1) << 17)
bool least_is_small(const struct topology *topology);

/* The sharpest bounds of the load, for any routes and for the given ones, and of the time. */
struct least {
    const char *kind;          /* NULL: unknown */
    uint64_t top, bottom;      /* blocks, or bytes with counts, that some link carries: top / bottom */
    const char *routes_kind;   /* the same on the given routes; NULL: unknown, */
    uint64_t routes_top, routes_bottom;
    const char *routes_missing; /* and reason why it was not computed (bound/overlay/overlay.h) */
    const char *time_kind;     /* NULL: no bound of the time is known */
    uint64_t blocks, bandwidth; /* bound of the time: blocks, or bytes, over bytes per second */
};

struct least_request {
    enum collective collective;
    uint32_t root;
    struct counts *counts; /* or NULL */
    const struct topology *topology; /* NULL: no bound is known */
    const struct placement *placement;
};

/* Finds the bounds. O(links + ranks), with counts of pairs O(ranks^2), plus the time of flows and relays. */
struct least least_of(const struct least_request *request);
/* Finds them without relays, by programs of flows with at most most_rows rows. */
struct least least_by_flows(const struct least_request *request, uint64_t most_rows);
struct least_request least_request_of(const struct schedule_header *header, const struct topology *topology,
                                      const struct placement *placement);

/* Merges a bound that holds for all schedules into `data`, a struct least: keeps the sharper one. */
void least_take(const struct bound *bound, void *data);

/* Converts the bound to units of a schedule (ir/counts.h), `block_units` of which are a block. It is not
 * rounded up: others may divide blocks differently, and all schedules are compared with the same bound. */
struct least_load least_load(const struct least *least, uint32_t block_units);
/* Returns ns for blocks of `bytes` bytes (1 with counts); 0 if no bound is known, UINT64_MAX if it is
 * more. */
uint64_t least_time(const struct least *least, uint64_t bytes);

/* A cache of bounds on one network, by their inputs; must be zero-initialised. */
struct least_cache {
    struct least_known {
        const struct topology *topology;
        enum collective collective;
        uint32_t root, n_ranks;
        struct least least;
    } *items;
    size_t n, capacity;
};
/* Finds the bounds in the cache, if a network and a number of ranks have one placement; never with counts. */
struct least least_cached(struct least_cache *cache, const struct least_request *request);
void least_cache_free(struct least_cache *cache);

#endif
