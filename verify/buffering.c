/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what buffers would do for a schedule that ends in a deadlock if every send waits for its receive.
 * An MPI may keep messages at the receiver that were sent before their receive was posted; let each rank
 * have room for so many chunks of them. A send whose message fits is over. Which messages are there first
 * is not known, so the question is with how much room no order of events ends in a deadlock. To tell that
 * exactly means to search the orders. Two bounds:
 *
 *   enough   Let P be steps that ranks reach in every order. A send of r to d that is posted in P
 *            ends in every order if it fits beside all that may lie at d while r waits: the
 *            messages to d whose receives are not posted in P, but for those that r sends to d
 *            later. If all such sends are taken to be over, P grows; when P is everything, the
 *            room was enough. The least such room is found in one pass: where nothing ends
 *            any more, the room is raised to what the next send needs.
 *   least    An order that ends in a deadlock with a room shows that more is needed. The order
 *            tried lets those ranks run ahead and fill the room that do not wait in a cycle.
 *
 * All orders pass through the state in which ranks with rendezvous sends stand still, since a
 * buffer only lets more happen: what was done before need not be looked at.
 */
#include "ir/counts.h"
#include "verify/execution.h"

#include <stdlib.h>
#include <string.h>

/* Message that has not been sent and received yet. */
struct message {
    uint32_t from, to;
    uint32_t pair;  /* number of the ordered pair of ranks */
    uint64_t size;
    bool is_sent, is_received; /* posted */
    bool is_over;              /* for the sender */
};

/* Send or receive that a rank does in a later step: part of a message, by step. */
struct part {
    uint64_t step;
    uint32_t message;
    bool is_send;
};

struct buffering {
    uint32_t n_ranks;
    const bool *is_in_cycle;   /* [rank] */
    struct message *messages;
    size_t n_messages, message_capacity;
    struct part *parts;
    size_t n_parts, part_capacity;
    size_t *start;             /* [rank + 1] into parts */
    uint32_t n_pairs;
    /* a run */
    size_t *next;              /* [rank] first part not posted */
    uint32_t *n_open;          /* [rank] parts posted and not over */
    uint64_t *coming;          /* [rank] sizes of messages to it whose receive is not posted */
    uint64_t *unsent;          /* [pair] sizes of messages not posted */
    uint64_t *held;            /* [rank] sizes of what lies there */
    uint32_t *blocked;         /* messages sent, not received and not over */
    size_t n_blocked;
    uint32_t *ready;           /* ranks whose step is over */
    size_t n_ready;
    uint64_t work;             /* blocked sends looked at, in all runs */
};

/* Limit of the work for each bound, which takes seconds. Above it the result is unknown. */
#define MAX_WORK (UINT64_C(1) << 30)

/* ---- the messages ---- */

static void buffering_add_part(struct buffering *b, uint64_t step, uint32_t message, bool is_send)
{
    b->parts = mem_grow(b->parts, &b->part_capacity, b->n_parts + 1, sizeof *b->parts);
    b->parts[b->n_parts++] = (struct part){step, message, is_send};
}

/* Messages in the order of their senders. message_of: [operation], number + 1. */
static void buffering_list_messages(struct buffering *b, struct execution *execution, uint32_t *message_of)
{
    struct backlog *backlog = &execution->backlog;
    for (uint32_t rank = 0; rank < b->n_ranks; rank++)
        for (uint32_t i = backlog->ranks[rank].queue.first; i; i = op_at(backlog, i)->next) {
            const struct queued_op *queued = op_at(backlog, i);
            if (queued->is_met || queued->op.kind != OP_SEND)
                continue;
            b->messages = mem_grow(b->messages, &b->message_capacity, b->n_messages + 1,
                                   sizeof *b->messages);
            b->messages[b->n_messages++] = (struct message){
                .from = rank, .to = queued->op.peer,
                .size = schedule_carried_units(execution->data.header, &queued->op)};
            message_of[i] = message_of[queued->partner] = (uint32_t)b->n_messages;
        }
}

static void list_parts(struct buffering *b, struct execution *execution, const uint32_t *message_of)
{
    struct backlog *backlog = &execution->backlog;
    b->start = mem_alloc(b->n_ranks + (size_t)1, sizeof *b->start);
    for (uint32_t rank = 0; rank < b->n_ranks; rank++) {
        b->start[rank] = b->n_parts;
        for (uint32_t i = backlog->ranks[rank].queue.first; i; i = op_at(backlog, i)->next) {
            const struct queued_op *queued = op_at(backlog, i);
            if (!queued->is_met && !op_is_local(&queued->op))
                buffering_add_part(b, queued->step, message_of[i] - 1, queued->op.kind == OP_SEND);
        }
    }
    b->start[b->n_ranks] = b->n_parts;
}

static int buffering_compare_pairs(const void *left, const void *right)
{
    const struct message *a = *(struct message *const *)left, *b = *(struct message *const *)right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void number_pairs(struct buffering *b)
{
    struct message **sorted = mem_alloc(b->n_messages, sizeof(struct message *));
    for (size_t i = 0; i < b->n_messages; i++)
        sorted[i] = &b->messages[i];
    qsort(sorted, b->n_messages, sizeof(struct message *), buffering_compare_pairs);
    for (size_t i = 0; i < b->n_messages; i++) {
        b->n_pairs += i == 0 || buffering_compare_pairs(&sorted[i - 1], &sorted[i]) != 0;
        sorted[i]->pair = b->n_pairs - 1;
    }
    free(sorted);
}

static void buffering_init(struct buffering *b, struct execution *execution)
{
    uint32_t *message_of = mem_alloc(execution->backlog.n_ops + 1, sizeof *message_of);
    buffering_list_messages(b, execution, message_of);
    list_parts(b, execution, message_of);
    number_pairs(b);
    free(message_of);
    b->next = mem_alloc(b->n_ranks, sizeof *b->next);
    b->n_open = mem_alloc(b->n_ranks, sizeof *b->n_open);
    b->coming = mem_alloc(b->n_ranks, sizeof *b->coming);
    b->held = mem_alloc(b->n_ranks, sizeof *b->held);
    b->unsent = mem_alloc(b->n_pairs, sizeof *b->unsent);
    b->blocked = mem_alloc(b->n_messages, sizeof *b->blocked);
    b->ready = mem_alloc(b->n_ranks, sizeof *b->ready);
}

static void buffering_free(struct buffering *b)
{
    free(b->messages);
    free(b->parts);
    free(b->start);
    free(b->next);
    free(b->n_open);
    free(b->coming);
    free(b->unsent);
    free(b->held);
    free(b->blocked);
    free(b->ready);
}

/* ---- runs ---- */

static void end_part(struct buffering *b, uint32_t rank)
{
    if (--b->n_open[rank] == 0)
        b->ready[b->n_ready++] = rank;
}

static void buffering_post_send(struct buffering *b, uint32_t number)
{
    struct message *message = &b->messages[number];
    message->is_sent = true;
    b->unsent[message->pair] -= message->size;
    if (message->is_received) {
        message->is_over = true;
        end_part(b, message->from);
        end_part(b, message->to);
    } else {
        b->blocked[b->n_blocked++] = number;
    }
}

static void buffering_post_receive(struct buffering *b, uint32_t number)
{
    struct message *message = &b->messages[number];
    message->is_received = true;
    b->coming[message->to] -= message->size;
    if (!message->is_sent)
        return;
    if (message->is_over)
        b->held[message->to] -= message->size;
    else
        end_part(b, message->from);
    message->is_over = true;
    end_part(b, message->to);
}

/* The parts of the rank's next step. One is held open meanwhile. */
static void buffering_post_step(struct buffering *b, uint32_t rank)
{
    const size_t end = b->start[rank + 1];
    if (b->next[rank] == end)
        return;
    const size_t first = b->next[rank];
    const uint64_t step = b->parts[first].step;
    b->n_open[rank]++;
    while (b->next[rank] < end && b->parts[b->next[rank]].step == step) {
        b->n_open[rank]++;
        b->next[rank]++;
    }
    for (size_t i = first; i < b->next[rank]; i++) {
        if (b->parts[i].is_send)
            buffering_post_send(b, b->parts[i].message);
        else
            buffering_post_receive(b, b->parts[i].message);
    }
    end_part(b, rank);
}

static void buffering_run_ready(struct buffering *b)
{
    while (b->n_ready)
        buffering_post_step(b, b->ready[--b->n_ready]);
}

static void start_run(struct buffering *b)
{
    memset(b->coming, 0, b->n_ranks * sizeof *b->coming);
    memset(b->held, 0, b->n_ranks * sizeof *b->held);
    memset(b->n_open, 0, b->n_ranks * sizeof *b->n_open);
    memset(b->unsent, 0, b->n_pairs * sizeof *b->unsent);
    b->n_blocked = b->n_ready = 0;
    for (size_t i = 0; i < b->n_messages; i++) {
        struct message *message = &b->messages[i];
        message->is_sent = message->is_received = message->is_over = false;
        b->coming[message->to] = units_sum(b->coming[message->to], message->size);
        b->unsent[message->pair] = units_sum(b->unsent[message->pair], message->size);
    }
    memcpy(b->next, b->start, b->n_ranks * sizeof *b->next);
    for (uint32_t rank = 0; rank < b->n_ranks; rank++)
        buffering_post_step(b, rank);
    buffering_run_ready(b);
}

static bool is_done(const struct buffering *b)
{
    for (uint32_t rank = 0; rank < b->n_ranks; rank++)
        if (b->next[rank] < b->start[rank + 1] || b->n_open[rank])
            return false;
    return true;
}

/* Drops what is over from the list of blocked sends. */
static void sweep(struct buffering *b)
{
    size_t n = 0;
    b->work += b->n_blocked;
    for (size_t i = 0; i < b->n_blocked; i++)
        if (!b->messages[b->blocked[i]].is_over)
            b->blocked[n++] = b->blocked[i];
    b->n_blocked = n;
}

/* ---- enough ---- */

/* Returns the room with which the send ends whatever else lies there. */
static uint64_t buffering_room_needed(const struct buffering *b, const struct message *message)
{
    return message->size ? b->coming[message->to] - b->unsent[message->pair] : 0;
}

/* Ends the sends that the room is enough for; the least that another one needs. */
static uint64_t end_sends(struct buffering *b, uint64_t room)
{
    uint64_t least = UINT64_MAX;
    sweep(b);
    for (size_t i = 0, n = b->n_blocked; i < n; i++) {
        struct message *message = &b->messages[b->blocked[i]];
        const uint64_t needed = buffering_room_needed(b, message);
        least = needed > room && needed < least ? needed : least;
        if (needed > room)
            continue;
        message->is_over = true;
        b->held[message->to] += message->size;
        end_part(b, message->from);
    }
    return least;
}

/* Finds the smallest room, *enough, for which this argument excludes a deadlock, if there is one. */
static enum eager find_enough(struct buffering *b, uint64_t *enough)
{
    uint64_t room = 0;
    start_run(b);
    while (b->n_blocked && b->work < MAX_WORK) {
        const uint64_t least = end_sends(b, room);
        if (b->n_ready)
            buffering_run_ready(b);
        else if (least == UINT64_MAX)
            break;
        else
            room = least;
    }
    *enough = room;
    if (b->work >= MAX_WORK)
        return EAGER_UNKNOWN;
    return is_done(b) ? EAGER_HELPS : EAGER_IN_VAIN;
}

/* ---- least ---- */

/* Ends sends of the ranks that are in a cycle, or that are not, as long as the room is left for
 * them. Whether there was one. */
static bool fill_room(struct buffering *b, uint64_t room, bool is_in_cycle)
{
    bool is_any = false;
    for (size_t i = 0, n = b->n_blocked; i < n; i++) {
        struct message *message = &b->messages[b->blocked[i]];
        if (message->is_over || b->is_in_cycle[message->from] != is_in_cycle ||
            message->size > room || b->held[message->to] > room - message->size)
            continue;
        message->is_over = is_any = true;
        b->held[message->to] += message->size;
        end_part(b, message->from);
    }
    return is_any;
}

/* True if the order ends in a deadlock with that room. */
static bool is_too_little(struct buffering *b, uint64_t room)
{
    start_run(b);
    do {
        buffering_run_ready(b);
        sweep(b);
    } while (b->work < MAX_WORK && (fill_room(b, room, false) || fill_room(b, room, true)));
    return b->work < MAX_WORK && !is_done(b);
}

/* Returns the least room, as far as such orders tell; `enough` is. */
static uint64_t buffering_find_least(struct buffering *b, uint64_t enough)
{
    uint64_t least = 0, most = enough;
    if (enough == 0 || is_too_little(b, enough - 1))
        return enough;
    while (least < most) {
        const uint64_t room = least + (most - least) / 2;
        if (is_too_little(b, room))
            least = room + 1;
        else
            most = room;
    }
    return least;
}

void backlog_measure_buffers(struct execution *execution, const bool *is_in_cycle, bool is_unmatched)
{
    struct verify_report *report = execution->verifier->report;
    struct buffering b = {.n_ranks = execution->verifier->n_ranks, .is_in_cycle = is_in_cycle};
    buffering_init(&b, execution);
    uint64_t enough;
    report->eager = find_enough(&b, &enough);
    if (is_unmatched && report->eager == EAGER_HELPS)
        report->eager = EAGER_UNKNOWN;
    if (report->eager == EAGER_HELPS) {
        b.work = 0;
        report->eager_chunks = enough;
        report->eager_chunks_least = buffering_find_least(&b, enough);
        if (!mem_multiply(enough, schedule_unit_bytes(execution->data.header), &report->eager_bytes))
            report->eager_bytes = UINT64_MAX;
    }
    buffering_free(&b);
}
