/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The links of the model `asap`: as soon as possible. Every link serves messages one after the other, in the
 * order in which their heads come; of those that come at the same time the one that was sent first.
 * Virtual cut-through (Kermani & Kleinrock 1979) with buffers without limit:
 *
 *   begin_l  = max(head_l, when link l is free)
 *   free_l   = begin_l + bytes / bandwidth_l
 *   head_l+1 = begin_l + latency_l
 *   tail_l+1 = max(tail_l, free_l) + latency_l      its last byte; at the end, it has arrived
 *
 * If a process has a rate of its own, each rank has a port at that rate before the first link,
 * and one behind the last: links without latency of their own. A message has left when its last
 * byte is on the first link. The first link is taken when the message is sent; what comes to a link
 * at that time from another link has come before it.
 *
 * asap.c makes a model for the player of them, and direct.c plays ranks on them. The owner keeps the
 * messages: each begins with a flight and has room for its route at its end.
 */
#ifndef COLLC_SIMULATE_ASAP_LINKS_H
#define COLLC_SIMULATE_ASAP_LINKS_H

#include "network/topology.h"
#include "simulate/timetable.h"

#define ASAP_NONE UINT32_MAX

/* A message on its way. All that a link asks of it is in one line of a cache. */
struct asap_flight {
    uint64_t head;         /* when that comes to the link where it is next */
    uint64_t tail;         /* when its last byte is there, or it has arrived */
    uint64_t bytes;        /* set by the owner before it is sent, as are from and to */
    uint64_t number;       /* messages sent before it */
    uint32_t next;         /* message that waits for the same link */
    uint32_t n_hops, at;   /* links on its route, and the one that is next */
    uint32_t from, to;     /* ranks */
    bool is_first_waiting; /* it brings the next that waits for the link before that one */
    uint8_t state;         /* the owner's */
};

/* A link or a port, which serves messages one after the other, or (is_shared) any number at once. Messages
 * that are far behind are a list, of which only the first comes into the timetable. */
struct asap_link {
    uint64_t free, latency;
    uint64_t bandwidth;   /* B/s; 0: not yet asked for */
    uint64_t sooner;      /* ns, the least latency from a machine to its end; asap_links.c */
    uint32_t first, last; /* far behind, and not in the timetable; ASAP_NONE: there are none */
    bool is_shared;
    bool has_first; /* one is in the timetable that brings the next of them there */
};

/* Kinds of moments on the links, in this order of one message at one time. */
enum asap_moment { ASAP_HEAD_COMES, ASAP_HAS_LEFT, ASAP_ARRIVES, N_ASAP_MOMENTS };

/* Functions of the owner. */
struct asap_owner_methods {
    /* Is told when a message will have left, of which its bytes take `since` if nobody else sends. */
    void (*leaves)(void *owner, const struct asap_flight *flight, uint32_t message, uint64_t time,
                   uint64_t since);
    /* It is the time that was given to asap_links_plan_left. */
    void (*has_left)(void *owner, uint32_t what);
    /* The last byte of a message is at the machine of its receiver. */
    void (*arrives)(void *owner, uint32_t message);
};

struct asap_links {
    const struct topology *topology;
    const struct asap_owner_methods *methods;
    void *owner;
    uint64_t now;
    uint64_t n_sent;
    uint64_t process_bandwidth; /* B/s at which one rank sends, and receives; 0: as its cable */
    /* the owner's messages, which it may move and make more of */
    char *messages; /* message_size bytes each */
    size_t message_size, route_at;
    uint32_t message_mask;                        /* of their numbers */
    uint32_t route_size;                          /* bytes of a link in a route, 2 or 4 */
    struct asap_link *links;                      /* [link] */
    struct asap_link *rank_sends, *rank_receives; /* [rank] its ports; NULL: it has none */
    const struct asap_link *known;                /* one of those asked for */
    bool is_alike; /* all that were asked for have one bandwidth and one latency */
    struct hop *hops;
    uint64_t *sooner; /* [node] ns, the least latency from a machine; NULL: as if that were 0 */
    uint64_t lasts_bytes, lasts_bandwidth, lasts; /* the transfer that was computed last */
    struct timetable table;
};

/* Requires zeroed links with their topology, process_bandwidth, methods and owner; of a message the owner
 * keeps own_size bytes, a multiple of 8. */
void asap_links_init(struct asap_links *links, uint32_t n_ranks, size_t own_size);
/* Frees the messages, too. */
void asap_links_free(struct asap_links *links);
/* Finds what lets heads be dealt with before they come; before the first message is sent.
 * O(links x links from a machine to the node that is farthest from all). */
void asap_links_look_ahead(struct asap_links *links);
/* Sends a message at the time, which is not before what was taken last. False if there is no route. */
bool asap_links_send(struct asap_links *links, uint32_t message, uint32_t source, uint32_t destination,
                     uint8_t network, uint64_t time);
/* Plans that has_left is called with `what` when the message has left. */
void asap_links_plan_left(struct asap_links *links, const struct asap_flight *flight, uint64_t time,
                          uint32_t what);
/* Goes on to `time`, which is at most that of the first moment in the table. */
void asap_links_advance(struct asap_links *links, uint64_t time);
/* Returns in ns the latency of the route of a message that has arrived, and *bandwidth, the time of its bytes
 * on the slowest link. */
uint64_t asap_links_find_way(struct asap_links *links, const struct asap_flight *flight, uint64_t *bandwidth);

static inline struct asap_flight *asap_flight_at(const struct asap_links *links, uint32_t message)
{
    return (struct asap_flight *)(void *)(links->messages +
                                          (message & links->message_mask) * links->message_size);
}

/* Returns the ns that so many bytes take. */
static inline uint64_t asap_lasts(struct asap_links *links, uint64_t bytes, uint64_t bandwidth)
{
    if (links->lasts_bytes != bytes || links->lasts_bandwidth != bandwidth) {
        links->lasts_bytes = bytes;
        links->lasts_bandwidth = bandwidth;
        links->lasts = transfer_ns(bytes, bandwidth);
    }
    return links->lasts;
}

/* Lets a link that is free from *free on serve a message whose head comes at `head` and whose bytes last so
 * long. Returns when it begins; *tail goes on to the end of the link. */
static inline uint64_t asap_serve(uint64_t *free, bool is_shared, uint64_t latency, uint64_t head,
                                  uint64_t lasts, uint64_t *tail)
{
    const uint64_t begin = !is_shared && *free > head ? *free : head;
    const uint64_t end = time_sum(begin, lasts);
    *free = end;
    *tail = time_sum(end > *tail ? end : *tail, latency);
    return begin;
}

#endif
