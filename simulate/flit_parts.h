/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the flit model share. All is kept by number, in pools:
 *
 *   message   what was sent, and its route
 *   piece     the part of a packet in one buffer: how many of its flits have come, and how many
 *             have gone on. The first piece of a packet is at its sender and has them all
 *   channel   a virtual channel of a link with the buffer behind it. Only those exist that are
 *             not idle
 *   output    a link, or (behind the links) what a machine takes out of the network
 *   waiting   heads that have found no channel, in a list for each output; where routes are adaptive, for
 * each node: whatever comes free there may do
 *
 *   message 7        piece 12        piece 15        piece 19
 *   sender --------> link 3 -------> link 8 -------> machine 5
 *                    channel 4       channel 6
 *
 * Piece 12 is in no channel and wants output 3; the packet holds channel 4 until 12 has sent
 * its last flit. Piece 15 is in the buffer of channel 4 and wants output 8.
 *
 * The state at the start of a cycle decides what can happen in it; so the order in which
 * outputs are served is of no account, and nothing depends on it.
 */
#ifndef COLLC_SIMULATE_FLIT_PARTS_H
#define COLLC_SIMULATE_FLIT_PARTS_H

#include "base/heap.h"
#include "simulate/flit.h"

#include <assert.h>

#define NOTHING UINT32_MAX

struct message {
    uint32_t id, from, to, source, destination; /* of struct transit */
    struct hop *hops;
    size_t capacity;
    uint32_t n_hops;
    uint64_t sequence;      /* of the order in which messages were taken */
    uint64_t time;          /* ns at which it was sent */
    uint64_t birth;         /* cycle in which it may start */
    uint64_t flits;
    uint64_t unsent;        /* flits not yet in a packet */
    uint64_t unreceived;
    uint64_t n_packets;     /* sent so far */
    uint64_t first_arrival; /* cycle of the first flit, if `unreceived` is not `flits` */
    bool is_in_port;        /* a packet of it is on its way out of the machine */
    uint32_t next;          /* of its rank, not all sent */
    uint64_t lone_latency, lone_cycles; /* if nobody else sends: cycles until the first flit is
                                           there, and those that the flits take */
};

struct piece {
    uint64_t place;     /* by which turns go: that of its buffer, link first, or of its port */
    uint64_t served_at; /* cycle after that of its last flit sent */
    uint32_t message;   /* NOTHING: it is none */
    uint32_t channel;   /* whose buffer it is in; NOTHING: at the sender */
    uint32_t after;     /* the piece behind it in that buffer */
    uint32_t output;    /* where it goes */
    uint32_t ahead;     /* the piece at the next hop; NOTHING: its head has not left */
    uint32_t toward;    /* the channel of that; NOTHING: of none */
    uint32_t before_ready, after_ready; /* in the list of its output */
    uint32_t flits, arrived, sent;
    uint32_t hop;       /* index of the next link; n_hops: the machine */
    uint32_t lane;      /* where routes are adaptive, if its output is the rule's: the lane; else NOTHING */
    bool is_ready;      /* in the list of its output of those that can send ... */
    bool is_waiting;    /* ... or of those whose head needs a channel */
    bool is_front;
    bool is_at_machine; /* its output is that of its machine */
};

struct channel {
    uint32_t link, number;
    uint64_t credits;
    uint64_t delay;       /* until a credit is back */
    uint32_t holder;      /* the piece that sends into it */
    uint32_t front, back; /* pieces in its buffer, or on the way there */
    uint32_t next;        /* of the link */
};

struct output {
    uint64_t free_at;        /* cycles << PERIOD_BITS */
    uint64_t period;         /* of a flit, likewise */
    uint64_t delay, credit;  /* cycles until a flit is there, until a credit is back */
    uint64_t buffer;         /* flits of each channel */
    uint32_t at_once;        /* packets that get a flit each; 1 unless it is open */
    uint32_t channels;       /* those not idle */
    uint32_t held;           /* piece served last, while its packet lasts */
    uint32_t first_ready, last_ready;
    uint32_t n_ready;
    uint32_t to;             /* node that the link leads to */
    uint32_t waiting;        /* list of heads that wait for a channel of it */
    uint32_t turn;           /* the first ready piece behind `last_place`; NOTHING: the first */
    uint64_t last_place;     /* of the piece served last */
    bool is_open;            /* no channels, no credits */
    bool is_active;          /* in the list of those to be served */
};
enum { PERIOD_BITS = 20 };
/* Stands for the number of a message where the delay of a machine is drawn. */
#define JITTER UINT64_MAX

/* A machine's way into the network. */
struct nic {
    uint32_t *ranks; /* that have something to send, ascending */
    size_t n_ranks, capacity;
    uint32_t n_ports;
    bool *is_busy;   /* [port], NULL: none was yet */
    uint64_t n_picks;
    bool is_dirty;   /* may have something to send */
};

/* Messages of a rank, in order, and when it may send if its rate is limited: cycles with
 * PERIOD_BITS after the point. */
struct sender {
    uint32_t first, last; /* messages with flits that have not left */
    uint64_t sends_at, receives_at;
};

/* An event due at a cycle: a kind and a number. */
enum due { DUE_FLIT, DUE_CREDIT, DUE_FRONT, DUE_OUTPUT, DUE_ARRIVED, DUE_START, DUE_NIC, DUE_CHOOSE };
enum { DUE_BITS = 3, DUE_SOON = 1 << 12 };
struct due_list {
    uint32_t *items;
    size_t n, capacity;
};
struct due_later {
    uint64_t cycle, sequence;
    uint32_t item;
};

struct flit_pool {
    uint32_t n, n_free, *free;
    size_t capacity, free_capacity;
};

struct flit_model {
    struct network_model base;
    struct network_model_settings network;
    struct flit_settings settings;
    uint64_t bandwidth; /* at which a flit takes a cycle */
    uint32_t n_lanes;
    uint64_t now;       /* the first cycle that has not been */
    uint64_t n_moves;
    uint32_t n_messages;
    uint64_t n_taken;   /* messages ever */
    uint64_t n_put_off; /* things due later, ever */
    uint64_t leaving;   /* cycles from the last hop to the host */

    struct message *messages;
    struct piece *pieces;
    struct channel *channels;
    struct flit_pool message_pool, piece_pool, channel_pool;
    struct output *outputs; /* links, then machines */
    uint32_t *first_waiting; /* [list], as many as outputs or nodes */
    struct hop *choices;     /* of a head; NULL: routes are fixed */
    struct nic *nics;       /* by machine */
    struct sender *senders; /* by rank */
    uint64_t rank_period;   /* of a flit, as sends_at; 0: ranks are not limited */
    uint32_t *active, n_active;
    uint32_t *dirty;        /* machines */
    uint32_t n_dirty;
    struct hop *route;
    uint32_t *chosen;
    size_t chosen_capacity;

    struct due_list soon[DUE_SOON]; /* by cycle modulo; those without events have no memory */
    uint64_t n_soon;                /* number of lists with events */
    struct due_list *spare;         /* memory of lists that are done: the last one is still in the cache */
    size_t n_spare, spare_capacity;
    struct heap later; /* of struct due_later: cycles further on */
    struct transit_events *events; /* of the caller, during `advance` */
};

/* flit_due.c */
void flit_due_grow(struct flit_model *model, struct due_list *list);
void flit_due_later(struct flit_model *model, uint64_t cycle, uint32_t item);
static inline void flit_due_at(struct flit_model *model, uint64_t cycle, enum due kind,
                               uint32_t number)
{
    const uint32_t item = number << DUE_BITS | kind;
    assert(cycle >= model->now && number < UINT32_MAX >> DUE_BITS);
    if (cycle - model->now >= DUE_SOON) {
        flit_due_later(model, cycle, item);
        return;
    }
    struct due_list *list = &model->soon[cycle % DUE_SOON];
    if (list->n == list->capacity)
        flit_due_grow(model, list);
    list->items[list->n++] = item;
}
/* Returns the events due in this cycle; flit_due_done empties the list. */
struct due_list *flit_due_now(struct flit_model *model);
void flit_due_done(struct flit_model *model, struct due_list *list);
/* The next cycle at which something is due, from `now` on; SIMULATE_NEVER: none. */
uint64_t flit_due_next(const struct flit_model *model);
/* A number of the pool whose array is at *items_at. */
uint32_t flit_pool_take(struct flit_pool *pool, void *items_at, size_t size);
void flit_pool_give(struct flit_pool *pool, uint32_t number);

/* flit_nic.c: into the network, and out of it. */
void flit_nic_start(struct flit_model *model, uint32_t message);
void flit_nic_wake(struct flit_model *model, uint32_t machine);
void flit_nic_send(struct flit_model *model, uint32_t machine);
/* The last flit of a packet has left its machine; of a message, has come to its own. */
void flit_packet_left(struct flit_model *model, uint32_t message, uint32_t port);
void flit_message_received(struct flit_model *model, uint32_t message);
void flit_message_arrived(struct flit_model *model, uint32_t message);
/* When a cycle begins, in ns. */
uint64_t flit_time(const struct flit_model *model, uint64_t cycle);
/* A number drawn for a purpose, the same in every run with this seed. */
uint64_t flit_draw(const struct flit_model *model, uint64_t purpose, uint64_t number);

/* flit_router.c: from buffer to buffer. */
uint32_t flit_new_piece(struct flit_model *model, uint32_t message, uint32_t hop, uint32_t flits);
/* The place of what comes over a link, and of what comes from a port. */
#define FLIT_PLACE(link, channel) ((uint64_t)(link) << 32 | (channel))
#define FLIT_PORT_PLACE(port) (UINT64_C(1) << 63 | (port))
/* A piece at the front of its buffer, or at its sender, has a flit to send. */
void flit_wants(struct flit_model *model, uint32_t piece);
/* Handles the events due in this cycle; then the outputs that have something to send. */
void flit_do_due(struct flit_model *model);
void flit_serve_all(struct flit_model *model);
/* The channels of its link that the head of a piece may take: the first, and how many. Where routes are
 * adaptive: those in which no cycle of waiting messages is, for which it waits when it finds no other. */
uint32_t flit_allowed_channels(const struct flit_model *model, const struct piece *piece,
                               uint32_t *n);
/* Returns the state of a channel; NOTHING: it is idle. */
uint32_t flit_find_channel(const struct flit_model *model, uint32_t link, uint32_t number);
/* Finds the lowest channel that the head of a piece may take at its output: its number, and what there is of
 * it (NOTHING: it is idle). False if there is none. */
bool flit_free_channel(const struct flit_model *model, const struct piece *piece, uint32_t *number,
                       uint32_t *channel);

/* flit_choose.c: adaptive routing. */
/* Makes room for it. Requires an adaptive topology. */
void flit_choose_init(struct flit_model *model);
/* Gives a head the output with the shortest queue of those that lead nearer and have a channel for it.
 * Returns false if there is none: it waits at the output of the rule. */
bool flit_choose(struct flit_model *model, uint32_t piece);

/* flit_stuck.c */
uint32_t flit_stuck(struct network_model *base, char **why);

#endif
