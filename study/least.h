/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What no schedule of a collective can beat, to be compared with what one does: the sharpest of the
 * bounds that hold for all schedules and are found in no time. Whatever the routes these are the bounds by
 * cuts and on a small network the one by flows; on the given routes, for few servers, the one by relays.
 */
#ifndef COLLC_STUDY_LEAST_H
#define COLLC_STUDY_LEAST_H

#include "bound/bound.h"
#include "verify/verify.h"

/* Machines and routers times links of a network on which a linear program is solved for this. */
#define LEAST_MAX_FLOW (UINT64_C(1) << 17)
bool least_is_small(const struct topology *topology);

/* The sharpest bounds of the load, for any routes and for the given ones, and of the time. */
struct least {
    const char *kind;          /* NULL: nothing is known */
    uint64_t top, bottom;      /* blocks, or bytes with counts, that some link carries: top / bottom */
    const char *routes_kind;   /* the same on the given routes; NULL: it is not known, */
    uint64_t routes_top, routes_bottom;
    const char *routes_missing; /* and why it was not computed (bound/overlay/overlay.h) */
    const char *time_kind;     /* NULL: of the time nothing is known */
    uint64_t blocks, bandwidth; /* that time: blocks, or bytes, over bytes per second */
};

struct least_request {
    enum collective collective;
    uint32_t root;
    struct counts *counts; /* or NULL */
    const struct topology *topology; /* NULL: nothing is known */
    const struct placement *placement;
};

/* O(links + ranks), with counts of pairs O(ranks^2), and what flows and relays take. */
struct least least_of(const struct least_request *request);
/* The same without relays, by programs of flows that have at most so many rows. */
struct least least_by_flows(const struct least_request *request, uint64_t most_rows);
struct least_request least_request_of(const struct schedule_header *header, const struct topology *topology,
                                      const struct placement *placement);

/* A bound that holds for all schedules; what is sharper of it, in `data`, a struct least, is kept. */
void least_take(const struct bound *bound, void *data);

/* In units of a schedule (ir/counts.h), of which a block is `block_units`. It is not rounded up: others may
 * divide blocks as this schedule does not, and all schedules are compared with the same. */
struct least_load least_load(const struct least *least, uint32_t block_units);
/* ns for blocks of so many bytes (with counts 1); 0 if nothing is known, UINT64_MAX if that is more. */
uint64_t least_time(const struct least *least, uint64_t bytes);

/* Those of one network, by what they depend on; zero to start. */
struct least_cache {
    struct least_known {
        const struct topology *topology;
        enum collective collective;
        uint32_t root, n_ranks;
        struct least least;
    } *items;
    size_t n, capacity;
};
/* The same, where a network and a number of ranks have one placement; with counts never from the cache. */
struct least least_cached(struct least_cache *cache, const struct least_request *request);
void least_cache_free(struct least_cache *cache);

#endif
