/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated network, as the player of a schedule sees it (simulate/player.h): it takes
 * messages and says when they have left and when they have arrived. Time goes on only by
 * `advance`, and never back. Each model is one file that ends in its maker:
 *
 *   asap   links serve messages one after the other, in the order in which they come
 *   flow   messages share links by max-min fairness
 *   flit   routers pass on flits by cycles, with finite buffers
 *
 * The player accounts for what happens inside of a machine, and for what a host spends on a message.
 * Times are ns.
 */
#ifndef COLLC_SIMULATE_NETWORK_MODEL_H
#define COLLC_SIMULATE_NETWORK_MODEL_H

#include "network/networks.h"
#include "network/placement/placement.h"

#define SIMULATE_NEVER UINT64_MAX

/* A message between two machines. */
struct transit {
    uint32_t id;               /* given back with its events; ids are used again */
    uint32_t from, to;         /* ranks */
    uint32_t source, destination; /* their machines, not the same */
    uint8_t network;           /* of the topology, or NO_NETWORK: as it chooses */
    uint64_t bytes;            /* 0: a message without data */
};

/* A message has left its sender, which may use the port again; or all of it is at the receiver.
 * Both happen once to each message, in this order, perhaps at the same time. */
enum transit_event_kind { TRANSIT_LEFT, TRANSIT_ARRIVED };
struct transit_event {
    uint64_t time;
    uint32_t id;
    enum transit_event_kind kind;
    /* Parts of the time since `send`: latency of the links (0 of what has left), and what the
     * bytes take where nobody else sends. The rest it waited for others; 0, 0: all of it. */
    uint64_t latency, bandwidth;
};
struct transit_events {
    struct transit_event *items;
    size_t n, capacity;
};

struct network_model;
struct network_model_methods {
    const char *name;
    /* Is told, before the first message, how many will be sent. NULL: that makes no difference. */
    void (*expect)(struct network_model *model, uint64_t n_messages);
    /* Takes a message at `time`, which is not before the last `advance`. False if no route joins
     * the machines: nothing is taken then. */
    bool (*send)(struct network_model *model, const struct transit *message, uint64_t time);
    /* When something happens next if no message is sent before: SIMULATE_NEVER if nothing will,
     * either because all have arrived or because those that have not block each other. What
     * happens may be of no event: by `flit` it is the end of the next cycle with a moving flit. */
    uint64_t (*next)(struct network_model *model);
    /* Lets time go on to `time`, which is at most `next`, and appends what happened, in order. */
    void (*advance)(struct network_model *model, uint64_t time, struct transit_events *events);
    /* Messages that have been taken and not arrived. With `next` at SIMULATE_NEVER they are stuck:
     * *why, a heap string, or NULL, names the cycle of what waits for what. */
    uint32_t (*stuck)(struct network_model *model, char **why);
    void (*free)(struct network_model *model);
};
struct network_model {
    const struct network_model_methods *methods;
};

/* In which order the messages of several ranks leave their machine (simulate/words.def). */
enum send_order {
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) SEND_##name,
#include "simulate/words.def"
    N_SEND_ORDERS
};

/* The data that every model is made from. */
struct flit_settings;
struct network_model_settings {
    const struct topology *topology;
    const struct placement *placement;
    uint64_t process_bandwidth; /* B/s at which one rank sends, and receives; 0: as its cable */
    enum send_order order;      /* the player hands over messages of one time in this order */
    uint64_t seed;
    const struct flit_settings *flit; /* of the model `flit` (simulate/flit.h); NULL: defaults */
};

/* The same as `inner`, which it owns, and tells of each message when it comes onto the network (arrives
 * false) and when it has arrived, in the order of time. */
typedef void transit_watcher(void *context, const struct transit *message, bool arrives, uint64_t time);
struct network_model *network_model_watched(struct network_model *inner, transit_watcher *watcher,
                                            void *context);
/* The same as `inner`, which it owns, for messages that are cut into stripes (struct rank_adapters):
 * inner gets each stripe with data as a message by the way of the stripe, of a message without data the
 * first one. A message has left, and has arrived, with the last of its stripes. Requires
 * placement_stripes > 1. */
struct network_model *network_model_striped(struct network_model *inner, const struct placement *placement);

#endif
