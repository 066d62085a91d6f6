/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the two halves of the execution engine: execution.c (steps that
 * close) and backlog.c (everything else).
 */
#ifndef COLLC_VERIFY_EXECUTION_H
#define COLLC_VERIFY_EXECUTION_H

#include "base/key_order.h"
#include "verify/internal.h"

/* Partner of an operation that was not queued any more. */
#define PARTNER_LATER UINT32_MAX

/* Operation that waits in its rank's queue. Indices into backlog->ops are stored + 1, 0 is none. */
struct queued_op {
    struct op op;
    uint64_t step;
    uint32_t partner;     /* judging: the counterpart it would meet, or PARTNER_LATER */
    uint32_t next;        /* in the queue of the rank, or in the free list */
    uint32_t next_in_pair; /* in its pair's queue */
    uint32_t n_runs;
    bool is_posted, is_met;
    bool is_whole;        /* a receive with the size of its send */
    bool is_damaged;      /* a rule says that what its rank posts in the step is damaged */
    struct run *runs;     /* data carried: of a posted send, of a met receive */
};

struct queue {
    uint32_t first, last;
};

/* Operations from one rank to another that are posted and not yet met, in posting order. At most one of the
 * two queues is not empty, except while leftovers are judged. */
struct pair {
    uint64_t key; /* source << 32 | destination, + 1; 0 is a free slot */
    struct queue sends, receives;
};

struct rank_state {
    struct queue queue; /* operations from the first step that is not over */
    uint32_t unposted;  /* first operation not posted */
    uint32_t n_open;    /* posted operations of the current step not met */
};

struct backlog {
    struct queued_op *ops;
    size_t n_ops, op_capacity;
    size_t n_queued;    /* operations that are not free */
    bool is_full;       /* nothing more is queued or executed: backlog_close */
    uint32_t free_op;
    struct rank_state *ranks;
    struct pair *pairs; /* open addressing */
    size_t n_pairs, pair_capacity;
    uint32_t *ready;    /* stack of ranks whose current step is over */
    size_t n_ready, ready_capacity;
};

static inline struct queued_op *op_at(struct backlog *backlog, uint32_t index)
{
    return &backlog->ops[index - 1];
}

/* Runs of a send in the list. */
struct carried {
    size_t first, n;
};

struct execution {
    struct verifier *verifier;
    struct data data;
    /* one closed step */
    uint32_t *first;    /* [rank] */
    uint32_t *next;     /* [operation] */
    uint32_t *send_of;  /* [receive] */
    struct key_order send_order, receive_order; /* of a step with long lists of receives */
    struct carried *carried; /* [send] */
    struct chunk_value *value; /* [send] the same of steps of single chunks */
    const struct op **ops;
    size_t capacity;
    bool *is_damaged;   /* [rank] what it posts in the step is damaged; NULL: never was */
    uint32_t n_damaged; /* number of such ranks */
    struct run_list list;
    /* everything else */
    uint32_t n_behind;  /* ranks with a queue */
    struct backlog backlog;
};

void backlog_init(struct execution *execution);
void backlog_free(struct execution *execution);
/* Closes the backlog (stuck.c): no more operations are queued. Called where more operations wait than
 * backlog_limit: something early is most likely broken, and the rest of the schedule would all be queued
 * behind it. What waits is judged by later operations, which are only looked at. */
void backlog_close(struct execution *execution);
void backlog_look_at(struct execution *execution, const struct step *step);
/* Returns the pair's entry if it was made, or NULL. */
struct pair *backlog_find_pair(struct backlog *backlog, uint32_t source, uint32_t destination);
/* Queues the operations of the step and lets all ranks advance as far as they can. */
void backlog_step(struct execution *execution, const struct step *step);
/* Returns the number of operations that may wait from one step to the next. */
size_t backlog_limit(const struct verifier *verifier);
/* Judges what is left at the end, with ranks behind (stuck.c): offers operations that are unmatched, unequal,
 * wait in a cycle or are not judged. */
void backlog_judge(struct execution *execution);
/* Finds what buffers for messages would do for ranks that wait for each other, into report->eager_*
 * (buffering.c). Requires that every receive has a partner. is_in_cycle: [rank]. Where a send has no partner,
 * is_unmatched, only EAGER_IN_VAIN is told: how much room helps is not the question then. */
void backlog_measure_buffers(struct execution *execution, const bool *is_in_cycle, bool is_unmatched);
/* Returns the pair's entry, made if need be; valid until the next call. */
struct pair *backlog_pair(struct backlog *backlog, uint32_t source, uint32_t destination);
void backlog_push(struct backlog *backlog, struct queue *queue, uint32_t index, bool in_pair);

#endif
