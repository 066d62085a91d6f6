/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the player share: turns.c reads steps, pairs.c brings messages and receives
 * together, actions.c does what happens, stuck.c says why nothing goes on, player.c lets time go on.
 */
#ifndef COLLC_SIMULATE_INTERNAL_H
#define COLLC_SIMULATE_INTERNAL_H

#include "measure/flows.h"
#include "simulate/rules.h"

#define NO_MESSAGE UINT32_MAX

struct turn;

struct player_op {
    struct turn *turn;
    struct player_op *next; /* of posted receives of a pair, or in what its rank has to do */
    uint64_t bytes, start;
    uint32_t peer, number, message; /* message: NO_MESSAGE, or that of a send, or the one met */
    uint8_t kind, network;
    bool is_packed; /* a message that is packed: copied before it is sent, or when it has come */
    bool is_over;
};

/* The operations of a rank in a step: ops are sends, receives, then copies. */
struct turn {
    struct turn *next; /* of the rank; also of a list of free ones */
    uint32_t rank, step;
    uint32_t n_sends, n_receives, n_copies;
    uint32_t n_sends_posted, n_receives_posted;
    uint32_t n_open;   /* operations that are not over, local ones not counted */
    uint32_t local;    /* the local operation that is next: copies, sends that are packed, receives that
                          combine or are unpacked */
    bool is_free;      /* it only sends `in`, and copies and combines nothing */
    bool is_begun;
    struct player_op ops[];
};

static inline bool turn_is_posted(const struct turn *turn)
{
    return turn->n_sends_posted == turn->n_sends && turn->n_receives_posted == turn->n_receives;
}

/* A message on its way, or waiting for its receive. */
struct message {
    struct transit transit;
    struct player_op *send;    /* NULL: it has left */
    struct player_op *receive; /* that it meets, or NULL */
    uint64_t step;             /* of the send, for people */
    uint64_t begun;            /* when its network or memory took it */
    struct time_parts parts;   /* of the time at which it was last seen */
    uint32_t next;             /* of its pair, or of free ones */
    bool has_arrived;
};

enum { SENDS, RECEIVES };

static inline uint32_t turn_n_ops(const struct turn *turn, int kind)
{
    return kind == SENDS ? turn->n_sends : turn->n_receives;
}

/* The place up to which operations of a kind have been asked for: a turn that is not over (NULL: behind all
 * that are read), and how many there are before it. */
struct turn_cursor {
    struct turn *turn;
    uint64_t n_before;
};

static inline void turn_cursor_pass(struct turn_cursor *cursor, int kind)
{
    cursor->n_before += turn_n_ops(cursor->turn, kind);
    cursor->turn = cursor->turn->next;
}

/* A rank: its turns and its messages in flight. */
struct player_rank {
    struct turn *first, *last; /* turns that are not over */
    struct turn *posting;      /* the first that is not posted wholly, or NULL */
    uint64_t n_unread;         /* turns in steps not yet read */
    struct time_parts parts;   /* of the time at which it last went on */
    struct player_op *to_do, *last_to_do; /* by the host of the rank: o for each */
    struct player_op *doing;   /* NULL: idle */
    struct time_parts doing_parts; /* of its end */
    struct played_rank_wait wait;
    uint64_t idle_since;       /* nothing to do, nothing leaving; UINT64_MAX: it is busy */
    uint32_t n_sending;        /* sends posted and not left */
    uint64_t n_posted;         /* sends */
    struct turn_cursor asked[2]; /* of each kind */
    bool is_local;             /* copying or combining */
    bool is_behind_free;       /* the turn before `posting` is free */
    bool is_hungry;            /* it cannot go on without further steps */
    bool is_moved;             /* listed in player->moved */
};

/* One pair of ranks: messages that wait for receives, or receives that wait for messages. */
struct pair {
    uint32_t from, to, next;   /* next: of the bucket, or of free ones */
    uint32_t first_message, last_message;
    struct player_op *first_receive, *last_receive;
};
struct pairs {
    struct pair *pairs;
    uint32_t *buckets;         /* a power of two of them; NO_MESSAGE: empty */
    size_t n, capacity, n_buckets;
    uint32_t free;             /* chain */
    size_t n_used;
};

enum { TURN_SIZES = 8 };

struct player {
    struct schedule *schedule;
    struct network_model *model;
    const struct player_settings *settings;
    struct played *played;
    struct diagnostics *diagnostics;
    uint64_t now;
    struct timetable table;
    uint64_t n_moments;
    struct player_rank *ranks;
    uint32_t n_ranks;
    uint32_t n_active;         /* turns that are read and not over */
    uint32_t n_hungry;
    bool is_all_read;
    uint64_t n_ahead;          /* operations of turns that are read and not over */
    /* turns.c */
    uint32_t *step_counts;     /* [rank][3], zero between steps */
    struct turn **step_turns;  /* [rank] */
    uint32_t *touched;         /* ranks with a turn in the step */
    struct turn *free_turns[TURN_SIZES + 1];
    /* messages */
    struct message *messages;
    size_t n_messages, message_capacity;
    uint32_t free_message;
    struct pairs pairs;
    /* ranks that may go on, and what they want */
    uint32_t *moved;
    size_t n_moved;
    struct requests requests;
    /* machines */
    uint64_t *memory_free;     /* [server] */
    uint64_t *inside_free;     /* [server] of messages inside; the same array if they take the memory */
    uint64_t *port_sends, *port_receives; /* [server * n_ports + network or port of the machine] */
    uint32_t n_ports;
    struct flow_networks networks;
    bool has_networks; /* several, or ways: they are asked for */
    struct transit_events events;
    size_t event_capacity;     /* of played->events */
};

/* ---- turns.c ---- */

/* Counts the turns of every rank, all steps and messages. False if a step could not be produced. */
bool turns_count(struct player *player);
/* Reads the next step and appends its turns to their ranks, which it lists in player->touched:
 * returns how many. Sets is_all_read at the end. */
uint32_t turns_read(struct player *player);
void turn_free(struct player *player, struct turn *turn);
void turns_free_all(struct player *player);

/* ---- actions.c ---- */

/* The rank may be able to go on; now is the end of the path. */
void player_move(struct player *player, uint32_t number, const struct time_parts *path);
/* Ends turns of the rank that are over, and posts what may be. */
void player_go_on(struct player *player, uint32_t number);
/* Serves the requests for a memory or a port, in their order. */
void player_serve_requests(struct player *player);
void player_take_event(struct player *player, const struct transit_event *event);
void player_happen(struct player *player, const struct moment *moment);
/* Gives up; problem NULL: it was reported. */
void player_break_off(struct player *player, const char *problem);

/* ---- pairs.c ---- */

/* The message that a receive meets, or NO_MESSAGE, and it waits. */
uint32_t pairs_post_receive(struct player *player, struct player_op *receive);
/* The receive that a message meets, or NULL, and it waits. */
struct player_op *pairs_post_message(struct player *player, uint32_t message);
void player_pairs_free(struct pairs *pairs);

/* ---- stuck.c ---- */

/* Returns the text of which rank waits for which, on the heap. */
char *player_describe_stuck(struct player *player);

#endif
