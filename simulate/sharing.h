/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Max-min fairness: links with a capacity, and streams of messages that cross them. All messages
 * of a stream cross the same links, so they have one rate. A rate is max-min fair if it can only
 * grow at the cost of a message that is no faster (Bertsekas & Gallager 1992, section 6.5.2); there
 * is one such set of rates. Progressive filling finds it: all rates grow alike until a link is full,
 * the messages on it keep what they have, the others go on.
 *
 * Changes are collected and settled together, and only what they can reach is computed anew:
 *
 *   - streams that share links with a change, directly or through others; and of these
 *   - none that is slower than all that ended were, and than all that began will be. Filling goes
 *     as before up to that level.
 *
 * A rate is in bytes per ns.
 */
#ifndef COLLC_SIMULATE_SHARING_H
#define COLLC_SIMULATE_SHARING_H

#include "base/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARING_CLASSES = 32 };

/* A place at which a stream crosses a link. */
struct sharing_hop {
    uint32_t link;
    uint32_t position; /* in `crossings` of the link */
};
struct sharing_crossing {
    uint32_t stream;
    uint32_t hop; /* of the stream */
};
struct sharing_stream {
    double rate;      /* of each of its messages; 0 before it is settled */
    double limit;     /* no message is faster: links that do not contend. INFINITY: there is none */
    uint32_t n;       /* messages */
    uint32_t first;   /* of its hops; links free streams */
    uint32_t n_hops;
    uint64_t round;   /* the last one in which its rate was looked for; 1 more: and found */
    bool is_grown;    /* in `grown` */
};
struct sharing_link {
    double capacity;  /* 0: not yet said */
    struct sharing_crossing *crossings; /* `only`, or on the heap */
    struct sharing_crossing only;
    uint32_t n, room; /* crossings */
    uint32_t n_messages;
    uint32_t n_open;  /* in a round: messages without a rate yet, ... */
    double left;      /* ... and what is there for them */
    uint64_t round;   /* the last one in which it was reached */
    bool is_touched;  /* in `touched` */
};
/* A full link, or (`is_limit`) a stream at its limit. */
struct sharing_level {
    double level;
    uint32_t number;
    bool is_limit;
};
struct sharing_list {
    uint32_t *items;
    size_t n, capacity;
};
struct sharing {
    struct sharing_link *links;
    uint32_t n_links;
    struct sharing_stream *streams;
    size_t n_streams, stream_capacity;
    uint32_t free_stream;
    struct sharing_hop *hops;
    size_t n_hops, hop_capacity;
    uint32_t free_hops[SHARING_CLASSES]; /* of 2^i hops; `link` of the first has the next */
    double slowest_end; /* of the streams that lost a message since */
    struct sharing_list touched; /* links on which others may be slower or faster now */
    struct sharing_list grown;   /* streams in which messages began */
    struct sharing_list settled; /* what sharing_settle found: streams that have another rate, or
                                    more messages */
    struct sharing_list reached_links, reached_streams; /* in a round */
    struct heap heap; /* of struct sharing_level */
    uint64_t round;
};

struct sharing sharing_new(uint32_t n_links);
void sharing_free(struct sharing *sharing);

/* A stream of one message over links whose capacity is set; a link may be there twice. */
uint32_t sharing_open(struct sharing *sharing, const uint32_t *links, uint32_t n, double limit);
/* A message more in a stream. */
void sharing_begin(struct sharing *sharing, uint32_t stream);
/* A message less; without messages the stream is no more. Requires that it is settled. */
void sharing_end(struct sharing *sharing, uint32_t stream);
/* Finds the rates of all streams again; sharing->settled says what to look at. */
void sharing_settle(struct sharing *sharing);

static inline bool sharing_is_settled(const struct sharing *sharing)
{
    return !sharing->touched.n && !sharing->grown.n;
}

#endif
