/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lower bounds: what every schedule of a collective does to a network, however clever.
 * Each kind of bound is a file of this folder and has a function here; whoever wants all
 * of them calls bound_each. The one by flows, for which a program is solved, is in bound/flow/.
 *
 * The *load* of a bound is a number of blocks (what MPI's count counts: one pair's data of
 * an all-to-all, one rank's of an allgather, all of it in a broadcast) that cross one link,
 * over the whole schedule. As one step after the other crosses the links, the sum over steps
 * of the load of the busiest link, which `collc verify` calls sum_step_load, is not below it
 * either, with any number of messages in flight, as long as each message is of one block.
 * Messages of several blocks are fewer, but as much longer. With unequal counts there are no equal
 * blocks, and all of this is counted in bytes.
 */
#ifndef COLLC_BOUND_BOUND_H
#define COLLC_BOUND_BOUND_H

#include "bound/fraction.h"
#include "ir/collective.h"
#include "ir/counts.h"
#include "network/placement/placement.h"
#include "network/topology.h"

struct bound_request {
    enum collective collective;
    uint32_t root;
    const struct topology *topology;
    const struct placement *placement;
    struct counts *counts; /* of the form with unequal ones, in all below 2^63; or NULL */
};

enum { BOUND_MAX_PAIRED_RANKS = 4096 }; /* of alltoallv: each pair is looked at */

struct bound {
    const char *kind;   /* a word */
    uint64_t load;      /* blocks, or bytes, on the busiest link, at least */
    struct fraction exact; /* the load before it was rounded up; none: it was not */
    uint64_t n_links;   /* of a cut: the load is that of one of these, rounded up; 0: of no cut */
    uint64_t blocks;    /* that have to cross the links together ... */
    uint64_t bandwidth; /* ... which have this bandwidth, bytes per second; 0: not said */
    struct text reason; /* why: one sentence, without full stop */
};

/* Whether bounds of the collective are known at all. */
bool bound_serves(enum collective collective);

/* Calls `found` for each bound that is known of the collective there. The bound and its
 * reason are valid during the call. */
typedef void bound_found(const struct bound *bound, void *data);
void bound_each(const struct bound_request *request, bound_found *found, void *data);
/* Only those that hold for every schedule, with relays or without, and are found in time
 * O(links + ranks), with counts of pairs O(ranks^2): those by cuts, and of an allreduce by all messages
 * together. */
void bound_each_cut(const struct bound_request *request, bound_found *found, void *data);

/* "blocks", or "bytes" with counts. */
static inline const char *bound_unit(const struct bound_request *request)
{
    return request->counts ? "bytes" : "blocks";
}

/* The time in ns that the links need for the blocks of so many bytes (1, if they are bytes),
 * latencies left out; UINT64_MAX if that is more, 0 if the bandwidth is not said. */
uint64_t bound_time(const struct bound *bound, uint64_t bytes);

#endif
