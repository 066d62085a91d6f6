/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lower bounds on the load that any schedule of a collective puts on a network. Each kind of bound is a
 * file of this folder and has a function here; bound_each calls all of them. The bound by flows, for
 * which a program is solved, is in bound/flow/.
 *
 * The *load* of a bound is a number of blocks (one block is one pair's data of an all-to-all, one rank's
 * of an allgather, all data of a broadcast, as MPI's count) that cross one link, over the whole schedule.
 * As steps follow one after the other, the sum over steps of the load of the busiest link, which `collc
 * verify` calls sum_step_load, is not below it either, with any number of messages in flight, as long as
 * each message is of one block. Messages of several blocks are fewer, but longer by as much. With unequal
 * counts there are no equal blocks, and everything is counted in bytes.
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
    struct counts *counts; /* unequal counts, in all below 2^63; or NULL */
    bool counts_blocks;    /* these are numbers of blocks, of a pattern whose size nobody said */
};

enum { BOUND_MAX_PAIRED_RANKS = 4096 }; /* limit for alltoallv, whose pairs are all visited */

struct bound {
    const char *kind;   /* a word */
    struct fraction load; /* least number of blocks, or bytes, on the busiest link; no whole number where
                             schedules may cut blocks. None: unknown */
    uint64_t blocks;    /* blocks that must cross the links together ... */
    uint64_t bandwidth; /* ... and bandwidth of these, bytes per second; 0: unknown */
    struct text reason; /* proof: one sentence, without full stop */
};

/* True if bounds of the collective are known. */
bool bound_serves(enum collective collective);

/* Calls `found` for each bound that is known for the request. The bound and its reason are valid during the
 * call. */
typedef void bound_found(const struct bound *bound, void *data);
void bound_each(const struct bound_request *request, bound_found *found, void *data);
/* Calls `found` only for bounds of every schedule, with relays or without, that are found in time O(links +
 * ranks), with counts of pairs O(ranks^2): bounds by cuts, and for an allreduce by all messages
 * together. */
void bound_each_cut(const struct bound_request *request, bound_found *found, void *data);

/* Returns "blocks", or "bytes" with counts of these. */
static inline const char *bound_unit(const struct bound_request *request)
{
    return request->counts && !request->counts_blocks ? "bytes" : "blocks";
}

/* Returns the time in ns that the links need for blocks of `bytes` bytes (1 if the unit is bytes), without
 * latencies; UINT64_MAX if it is more, 0 if the bandwidth is unknown. */
uint64_t bound_time(const struct bound *bound, uint64_t bytes);

#endif
