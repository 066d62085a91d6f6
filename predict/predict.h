/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time of a schedule by the model `step`: every step is a closed form of what it puts on the network, and
 * the steps of a lockstep schedule add up.
 *
 *   step     = local + host + max(network, memory)
 *   network  = latency of the longest route
 *              + max(busiest link, blocked sender)
 *   link     = bytes on it / its bandwidth: messages share it fairly
 *   sender   = time of the link by which a server's messages leave, times the slowdown
 *              of the server by head-of-line blocking (measure/hol.h)
 *   memory   = latency + bytes of messages within the busiest server / bandwidth inside of it
 *   local    = (bytes the busiest server copies, packs and combines + bytes the busiest unpacks)
 *              / memory bandwidth
 *   host     = 2 o + max((m - 1) o, (n - 1) g), with m the most messages that one rank
 *              sends (or receives), n the most that one server puts on (or takes off) a
 *              network, o and g as in LogGP (Alexandrov et al. 1995)
 *
 * Blocking slows the sender and not the busiest link: where many servers send to one,
 * the link into it carries all their bytes already, and waiting for it must not be
 * counted twice. In the setting of Naruse et al. 2010 (every server sends and receives
 * at the rate of its cable) both are the same.
 *
 * Adaptive routes: the busiest link is that of the balanced load (network/spread.h), and the time by the
 * worst choices is beside it. Senders and latencies are those of the routes of the rule.
 *
 * A step is kept as numbers of chunks on the links that decide, so one pass over the
 * schedule serves every message size. Times are whole nanoseconds; each quotient is
 * rounded up; a time of UINT64_MAX is that or more, and so is one of counts whose sum is.
 */
#ifndef COLLC_PREDICT_PREDICT_H
#define COLLC_PREDICT_PREDICT_H

#include "ir/symmetry.h"
#include "measure/transfer.h"
#include "network/host_costs.h"
#include "network/networks.h"
#include "network/shifts.h"

/* Load of consecutive equal steps on network and memory. */
struct step_load {
    uint64_t first, n_steps;
    uint64_t latency;           /* ns of the longest route; UINT64_MAX: nothing on the network */
    struct transfer link;       /* the busiest one; where routes are adaptive, by the best choices */
    struct transfer worst;      /* the same by the worst choices; nothing where routes are fixed */
    struct transfer sender;     /* the first link of the sender blocked longest */
    uint64_t slowdown;          /* slowdown of that sender, in millionths; 1000000: not blocked */
    uint64_t memory_chunks, local_chunks;
    uint32_t rank_messages, server_messages;
    bool has_memory;            /* messages within a server */
};

struct predict_loads {
    struct step_load *loads;    /* in order; idle steps are left out */
    size_t n, capacity;
    struct step_load *unlike;   /* the same without repeats; n_steps counts all equal steps */
    size_t n_unlike;
    uint64_t n_steps;           /* steps of the schedule, idle ones included, but not those that only copy */
    uint64_t n_messages;
    uint64_t n_operations;      /* sends, receives, local ones */
    uint64_t n_crossings;       /* links crossed by messages */
    struct transfer link_total; /* total of all steps: the busiest link (nothing if routes are adaptive), */
    uint64_t memory_total, local_total; /* and the busiest servers */
};

/* Parts of a time, in ns; the time is their sum. */
struct prediction {
    uint64_t time;
    uint64_t worst;     /* the time by the worst choices of adaptive switches; else `time` */
    uint64_t latency;   /* routes, or memory where that takes longer */
    uint64_t bandwidth; /* busiest links, or memory */
    uint64_t hol;       /* what head-of-line blocking adds */
    uint64_t host;      /* messages at the hosts */
    uint64_t local;     /* copies and combinations */
};

/* Measures the steps. placement NULL: one rank per machine. False after reporting: L002 or L003 for machines
 * that no route, or not that network, joins; or the steps could not be produced. Time O(messages + flows *
 * (hops + log fan-in)), the latter for steps unlike the one before; memory O(ranks + links + unlike steps +
 * messages of a step). Release with predict_loads_free, also after a failure. */
bool predict_gather(struct schedule *schedule, const struct topology *topology,
                    const struct placement *placement, struct predict_loads *loads,
                    struct diagnostics *diagnostics);
/* Measures a symmetric schedule, whose witnesses symmetry->schedule has, from what its representatives do:
 * where shifts of ranks are shifts of servers. False: it cannot be measured so; nothing is said, and the
 * loads are empty. Where these are shifts of machines by which links have classes (topology_has_shifts), time
 * O(operations of witnesses + flows of a server x hops by class, of steps unlike the one before), memory
 * O(ranks + classes x positions + unlike steps). Elsewhere the flows of all servers are routed, 2^27 at most:
 * time O(these x hops + links, of steps unlike the one before), memory O(ranks + links + unlike steps). */
bool predict_gather_shifted(const struct symmetry *symmetry, const struct topology *topology,
                            const struct placement *placement, struct predict_loads *loads);
void predict_loads_free(struct predict_loads *loads);

/* Returns the parts of the time of one of the equal steps, with so many bytes in a chunk. O(1). */
struct prediction predict_step(const struct step_load *load, const struct host_costs *costs,
                               uint64_t chunk_bytes);
/* Returns the time of all steps together. O(unlike steps). */
struct prediction predict_time(const struct predict_loads *loads,
                               const struct host_costs *costs, uint64_t chunk_bytes);

/* Loads, and the bytes of a chunk of them. */
struct predict_sized {
    const struct predict_loads *loads;
    uint64_t chunk_bytes;
};
/* Returns the time that the busiest link of all steps together is busy: bytes over its bandwidth. However
 * steps overlap, the schedule takes no less. O(1). */
uint64_t predict_busiest_link(const struct predict_loads *loads, uint64_t chunk_bytes);
/* Returns a lower bound of the time of the same algorithm with more segments than in `last`; `before` has
 * half as many, or loads NULL: not known. More segments do not reduce the steps, so their latencies and host
 * costs are at least those of `last`. The total that the busiest link carries passes it one after the other;
 * it has the form a + c / segments, with c = 0 where every byte takes the same way whatever the segments, and
 * two variants give a. O(unlike steps). */
uint64_t predict_floor(struct predict_sized last, struct predict_sized before,
                       const struct host_costs *costs);

#endif
