/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that direct.c, which plays ranks, and direct_read.c, which reads steps, share: see direct.h.
 *
 * Turns, messages and what ranks do by themselves have numbers that count up, step by step, and lie in
 * rings: a step goes as a whole when all its turns and those of steps before are over.
 */
#ifndef COLLC_SIMULATE_DIRECT_PARTS_H
#define COLLC_SIMULATE_DIRECT_PARTS_H

#include "simulate/asap_links.h"
#include "simulate/rules.h"

#define DIRECT_NONE UINT32_MAX

enum direct_message_state {
    MESSAGE_NOT_READY,
    MESSAGE_READY, /* it waits for its receive */
    MESSAGE_THERE, /* at the host of its receiver */
};

/* A message, from when its step is read. Its way to the network begins with the turn `origin`: that of its
 * sender, or of its receiver if that is what it waited for. */
struct direct_message {
    struct asap_flight flight; /* first; n_hops 0: inside of a machine; state: the above */
    uint32_t turn, origin; /* turn: of its receiver */
    uint64_t enters;       /* when the network took it; inside of a machine: when it asked for the way */
    uint64_t waited;       /* ns, to cross its machine to another adapter */
};

/* The operations of a rank in a step. struct direct_rank has their state while it goes on. */
struct direct_turn {
    uint32_t next, step;
    uint32_t first_send, n_sends;
    uint32_t first_receive, n_receives; /* in direct->incoming */
    uint32_t first_local, n_copies, n_combines; /* with what is packed, and unpacked */
    uint64_t begin;        /* when sends and receives were posted */
    struct time_parts parts; /* of that */
};

/* A rank, and of the turn that it is at: */
struct direct_rank {
    uint32_t first, last;  /* turns that are not over */
    uint32_t n_unread;     /* turns in steps not yet read, once direct->is_counted */
    uint32_t n_sent, n_local; /* by the host; of copies and combinations */
    uint32_t n_open;       /* sends and receives whose end is not known */
    uint64_t over;         /* when the last of it ends, of what is known so far: */
    uint64_t over_since;   /* of a send: what its bytes take on the way out */
    uint32_t over_message; /* that was sent, or that the host is busy since; DIRECT_NONE: what was posted */
    uint32_t busy_from;    /* such a message: since it came the host has had no break */
    uint64_t host_free;    /* and has none until then */
    bool over_is_send, is_posted, is_hungry; /* is_hungry: it cannot go on without further steps */
    struct time_parts parts; /* of the time at which it last went on */
};

/* A step that is read and not gone. */
struct direct_step {
    uint32_t n_active;     /* turns that are not over */
    uint32_t end_turn, end_message, end_local; /* the numbers behind its own */
};

/* Data counted and found of a rank while a step is read; zero between steps but for `turn`. */
struct direct_count {
    uint32_t sends, receives, incoming, copies, combines;
    uint32_t turn;
};

struct direct {
    struct schedule *schedule;
    const struct player_settings *settings;
    bool has_barrier;
    uint64_t now;
    struct timetable of_ranks;
    uint64_t n_moments;    /* of ranks */
    bool is_in_network;    /* the network goes on now: what ends at this time is known soon enough */
    struct direct_rank *ranks;
    uint32_t n_ranks, n_active, n_hungry;
    uint64_t n_read;       /* steps */
    bool is_counted, is_all_read, is_given_up;
    /* rings: those from first_ to next_ are in use; their sizes are powers of two */
    struct direct_turn *turns;
    uint32_t *incoming;    /* messages by who receives them, as many as there are */
    uint32_t *peers;       /* whom those are expected from */
    uint64_t *locals;      /* bytes */
    struct direct_step *steps;
    uint32_t turn_mask, local_mask, step_mask;
    uint32_t first_turn, next_turn, first_message, next_message, first_local, next_local, first_step,
        next_step;
    /* reading */
    struct direct_count *counts; /* [rank] */
    uint32_t *touched, n_touched;
    int32_t *balance;      /* [rank] */
    uint64_t units, unit_bytes; /* what was multiplied last */
    /* ranks that may go on, and what they want */
    uint32_t *moved, n_moved;
    struct requests requests;
    /* machines and links */
    uint64_t *memory_free, *inside_free;  /* [server]; inside_free as in struct player */
    uint64_t *port_sends, *port_receives; /* [server * n_ports + port] */
    uint32_t n_ports;
    struct asap_links links; /* and the ring of messages */
    /* what is found */
    uint64_t time;
    struct time_parts parts;
};

static inline struct direct_turn *direct_turn_at(struct direct *direct, uint32_t turn)
{
    return &direct->turns[turn & direct->turn_mask];
}

static inline struct direct_message *direct_message_at(struct direct *direct, uint32_t message)
{
    return (struct direct_message *)(void *)asap_flight_at(&direct->links, message);
}

/* ---- direct_read.c ---- */

/* Reads the next step, whose ranks are in direct->touched; sets is_all_read at the end, and is_given_up where
 * a message is not received in the step in which it is sent, or too much is ahead. */
void direct_read_step(struct direct *direct);
/* A turn of that step is over. */
void direct_end_turn(struct direct *direct, uint32_t step);
void direct_free_steps(struct direct *direct);

#endif
