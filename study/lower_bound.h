/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds lower bounds for all schedules of a collective, to compare a schedule with: the sharpest of the
 * bounds that are computed instantly. For any routes these are the bounds by cuts and, on a small
 * network, the one by flows; on the given routes, for few servers, the one by relays.
 */
#ifndef COLLC_STUDY_LOWER_BOUND_H
#define COLLC_STUDY_LOWER_BOUND_H

#include "bound/bound.h"
#include "verify/verify.h"

/* Limit of (machines and routers) times links of a network for a linear program. */
#define LOWER_BOUND_MAX_FLOW (UINT64_C(1) << 17)
bool lower_bound_is_small(const struct topology *topology);

/* The sharpest bounds of the load, for any routes and for the given ones, and of the time. */
struct lower_bound {
    const char *kind;          /* NULL: unknown */
    uint64_t top, bottom;      /* blocks, or bytes with counts, that some link carries: top / bottom */
    const char *routes_kind;   /* the same on the given routes; NULL: unknown, */
    uint64_t routes_top, routes_bottom;
    const char *routes_missing; /* and reason why it was not computed (bound/overlay/overlay.h) */
    const char *time_kind;     /* NULL: no bound of the time is known */
    uint64_t blocks, bandwidth; /* bound of the time: blocks, or bytes, over bytes per second */
};

struct lower_bound_request {
    enum collective collective;
    uint32_t root;
    struct counts *counts; /* or NULL */
    const struct topology *topology; /* NULL: no bound is known */
    const struct placement *placement;
};

/* Finds the bounds. O(links + ranks), with counts of pairs O(ranks^2), plus the time of flows and relays. */
struct lower_bound lower_bound_of(const struct lower_bound_request *request);
/* Finds them without relays, by programs of flows with at most most_rows rows. */
struct lower_bound lower_bound_by_flows(const struct lower_bound_request *request, uint64_t most_rows);
/* Finds what the links of machines carry at least, however switches are cabled. O(links + ranks). */
struct lower_bound lower_bound_of_machines(const struct lower_bound_request *request);
struct lower_bound_request lower_bound_request_of(const struct schedule_header *header,
                                                  const struct topology *topology,
                                                  const struct placement *placement);

/* Merges a bound that holds for all schedules into `data`, a struct lower_bound: keeps the sharper one. */
void lower_bound_take(const struct bound *bound, void *data);

/* Converts the bound to units of a schedule (ir/counts.h), `block_units` of which are a block. It is not
 * rounded up: others may divide blocks differently, and all schedules are compared with the same bound. */
struct least_load least_load(const struct lower_bound *least, uint32_t block_units);
/* Returns ns for blocks of `bytes` bytes (1 with counts); 0 if no bound is known, UINT64_MAX if it is
 * more. */
uint64_t lower_bound_time(const struct lower_bound *least, uint64_t bytes);

/* A cache of bounds on one network, by their inputs; must be zero-initialised. */
struct lower_bound_cache {
    struct lower_bound_known {
        const struct topology *topology;
        enum collective collective;
        uint32_t root, n_ranks;
        struct lower_bound least;
    } *items;
    size_t n, capacity;
};
/* Finds the bounds in the cache, if a network and a number of ranks have one placement; never with counts. */
struct lower_bound lower_bound_cached(struct lower_bound_cache *cache,
                                      const struct lower_bound_request *request);
void lower_bound_cache_free(struct lower_bound_cache *cache);

#endif
