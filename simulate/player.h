/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays a schedule in time: ranks go through their steps, each by its own clock, on a model of the
 * network (simulate/network_model.h). What a step means is said in ir/schedule.h. In time:
 *
 *   turn      what one rank does in one step
 *   copies    first, one after the other; a machine's memory serves the copies, combinations and
 *             messages inside of it one after the other, as they come
 *   send      costs its rank o; then it leaves its machine, not sooner than g after the one before
 *   message   of up to `eager_limit` bytes leaves at once; a longer one when its receive is posted
 *   receive   the host takes messages off a network g apart at least; then its rank spends o on it
 *   end       all sends have left, all is received; then `reduce` combines, one after the other
 *
 * A rank does one thing at a time, what was first to be done first. Messages of a pair of ranks
 * meet its receives in order, whatever their steps. What wants the same at the same time is served
 * by rank, or as drawn (enum send_order).
 *
 * Memory: O(ranks + operations between the first rank and the last). Times: ns.
 */
#ifndef COLLC_SIMULATE_PLAYER_H
#define COLLC_SIMULATE_PLAYER_H

#include "ir/schedule.h"
#include "network/host_costs.h"
#include "simulate/network_model.h"

/* When a rank goes on (simulate/words.def). */
enum synchronisation {
#define SYNCHRONISATION(name, spelling, title) SYNC_##name,
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
    N_SYNCHRONISATIONS
};

/* Operations that wait because ranks are far behind others are at most so many. */
#define PLAYER_MAX_AHEAD (UINT64_C(1) << 24)
/* The longest message that leaves without its receive, unless it is said otherwise. */
#define PLAYER_EAGER_LIMIT (UINT64_C(64) << 10)

/* The parts of a time; it is their sum. */
struct time_parts {
    uint64_t latency;   /* of links */
    uint64_t bandwidth; /* bytes on the links, as if nobody else sent */
    uint64_t waiting;   /* for a port, a link, a memory that serves others */
    uint64_t host;      /* o and g */
    uint64_t local;     /* copies and combinations */
    uint64_t memory;    /* messages inside of a machine */
    uint32_t event;     /* the last of played->events on the way to it, from 1 on; 0: none */
};

/* The end of an operation: a message has left, a rank has one, or has copied or combined. */
struct played_event {
    uint32_t cause;     /* the event that it waited for last; 0: none but the beginning */
    uint32_t rank, peer; /* of a local operation: no peer, the rank itself */
    enum op_kind kind;
    uint64_t step, time;
    uint64_t waiting;   /* time_parts.waiting until then */
};

/* An operation that is over. */
struct played_op {
    uint32_t rank, peer; /* of a local operation: no peer, the rank itself */
    enum op_kind kind;
    uint64_t step;
    uint32_t number;     /* in its array of the step */
    uint64_t bytes;
    uint64_t start;      /* posted; of a local operation: its turn at the memory */
    uint64_t end;        /* of a send: left; of a receive: the rank has it, and has combined it */
};

struct player_settings {
    const struct topology *topology;
    const struct placement *placement;
    struct host_costs costs;
    bool assumes_memory, assumes_host; /* rate of memory, overhead and gap are defaults: for reports */
    uint64_t chunk_bytes;  /* bytes of a unit (ir/counts.h) */
    const uint64_t *unit_bytes; /* [rank] the same of each rank, where they are of several jobs; or NULL */
    uint64_t eager_limit;
    enum synchronisation synchronisation;
    enum send_order order; /* those of the model */
    uint64_t seed;
    uint32_t window;       /* send t of a rank is posted when its send t - window has left and, but
                              for SYNC_NONE, its receive t - window is over, if that is of a step
                              before: in steps that only send `in` (nobody writes it) and combine
                              and copy nothing. 0: what a step sends is posted together */
    uint64_t max_time;     /* a schedule that takes longer is given up; 0: SIMULATE_TIME_MAX */
    uint64_t max_ahead;    /* 0: PLAYER_MAX_AHEAD */
    uint32_t max_events;   /* so many events are kept at most; if there are more, none is */
    void (*observe)(void *context, const struct played_op *op); /* in the order of their ends; NULL */
    void *context;
};

enum played_outcome {
    PLAYED_WHOLE,
    PLAYED_STUCK,  /* a deadlock: `problem` says who waits for whom */
    PLAYED_BROKEN, /* given up: `problem`, or what was reported, says why */
};

/* A rank that has nothing to do but to wait for a message. */
struct played_wait {
    uint32_t rank, peer;
    uint64_t step, time; /* of the receive; how long */
};
/* A rank, how long it waits for messages in all, and when longest. */
struct played_rank_wait {
    uint64_t time;
    struct played_wait longest;
};
enum { PLAYED_WAITS = 16 };

struct played {
    enum played_outcome outcome;
    uint64_t time;            /* when the last rank ends */
    struct time_parts parts;  /* along the critical path to that end */
    uint32_t last_rank;
    uint64_t n_steps;         /* as in predict/: idle ones included, those that only copy not */
    uint64_t n_messages;
    uint64_t waited;          /* by all ranks for messages, together */
    struct played_wait longest; /* time 0: nobody waits */
    struct played_rank_wait waits[PLAYED_WAITS]; /* of the ranks that wait most, most first */
    uint32_t n_waits;
    struct played_event *events; /* [1 .. n_events], in the order in which they happen; NULL: not kept */
    size_t n_events;
    uint64_t most_ahead;      /* operations that were waiting at once */
    char *problem;            /* heap, or NULL */
};

/* Plays the schedule from its beginning; the model is a new one on the same topology and
 * placement. What is wrong with the schedule itself is reported to `diagnostics`. */
void player_run(struct schedule *schedule, struct network_model *model,
                const struct player_settings *settings, struct played *played,
                struct diagnostics *diagnostics);
void played_free(struct played *played);
/* The critical path: the events that the end waited for, from the beginning on. *n of them, a heap
 * array; NULL if events were not kept. */
uint32_t *played_critical_path(const struct played *played, size_t *n);

#endif
