/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The general half of the execution engine: a queue of operations per rank, and
 * per pair of ranks the posted operations that have not met. Time O(operations),
 * memory O(operations of ranks that are behind), and no more than backlog_limit between
 * steps.
 */
#include "verify/execution.h"

#include <stdlib.h>
#include <string.h>

void backlog_init(struct execution *execution)
{
    execution->backlog.ranks = mem_alloc(execution->verifier->n_ranks, sizeof(struct rank_state));
}

void backlog_free(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    for (size_t i = 0; i < backlog->n_ops; i++)
        free(backlog->ops[i].runs);
    free(backlog->ops);
    free(backlog->ranks);
    free(backlog->pairs);
    free(backlog->ready);
}

/* ---- queues and pairs ---- */

void backlog_push(struct backlog *backlog, struct queue *queue, uint32_t index, bool in_pair)
{
    if (!queue->first)
        queue->first = index;
    else if (in_pair)
        op_at(backlog, queue->last)->next_in_pair = index;
    else
        op_at(backlog, queue->last)->next = index;
    queue->last = index;
}

static uint32_t pop_pair(struct backlog *backlog, struct queue *queue)
{
    uint32_t index = queue->first;
    queue->first = op_at(backlog, index)->next_in_pair;
    op_at(backlog, index)->next_in_pair = 0;
    return index;
}

static uint64_t pair_key(uint32_t source, uint32_t destination)
{
    return ((uint64_t)source << 32 | destination) + 1;
}

static struct pair *backlog_find_slot(struct pair *pairs, size_t capacity, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ hash >> 32) & (capacity - 1);
    while (pairs[at].key && pairs[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &pairs[at];
}

/* A table twice as large; pairs with nothing posted are forgotten, as base/map.h forgets none. */
static void rebuild_pairs(struct backlog *backlog)
{
    size_t capacity = backlog->pair_capacity ? backlog->pair_capacity * 2 : 64, n = 0;
    struct pair *pairs = mem_alloc(capacity, sizeof *pairs);
    for (size_t i = 0; i < backlog->pair_capacity; i++) {
        const struct pair *old = &backlog->pairs[i];
        if (old->key && (old->sends.first || old->receives.first)) {
            *backlog_find_slot(pairs, capacity, old->key) = *old;
            n++;
        }
    }
    free(backlog->pairs);
    backlog->pairs = pairs;
    backlog->pair_capacity = capacity;
    backlog->n_pairs = n;
}

struct pair *backlog_pair(struct backlog *backlog, uint32_t source, uint32_t destination)
{
    if ((backlog->n_pairs + 1) * 2 > backlog->pair_capacity)
        rebuild_pairs(backlog);
    struct pair *pair =
        backlog_find_slot(backlog->pairs, backlog->pair_capacity, pair_key(source, destination));
    if (!pair->key) {
        pair->key = pair_key(source, destination);
        backlog->n_pairs++;
    }
    return pair;
}

struct pair *backlog_find_pair(struct backlog *backlog, uint32_t source, uint32_t destination)
{
    if (!backlog->pair_capacity)
        return NULL;
    struct pair *pair =
        backlog_find_slot(backlog->pairs, backlog->pair_capacity, pair_key(source, destination));
    return pair->key ? pair : NULL;
}

/* ---- running ---- */

static void set_ready(struct backlog *backlog, uint32_t rank)
{
    backlog->ready = mem_grow(backlog->ready, &backlog->ready_capacity, backlog->n_ready + 1,
                              sizeof *backlog->ready);
    backlog->ready[backlog->n_ready++] = rank;
}

static void backlog_end_op(struct backlog *backlog, uint32_t index)
{
    struct queued_op *queued = op_at(backlog, index);
    queued->is_met = true;
    if (--backlog->ranks[queued->op.rank].n_open == 0)
        set_ready(backlog, queued->op.rank);
}

static void backlog_meet(struct execution *execution, uint32_t send_index, uint32_t receive_index)
{
    struct backlog *backlog = &execution->backlog;
    struct queued_op *send = op_at(backlog, send_index), *receive = op_at(backlog, receive_index);
    events_message(execution->verifier, &send->op, send->step, &receive->op, receive->step);
    receive->is_whole =
        !events_unequal(execution->verifier, &send->op, send->step, &receive->op, receive->step);
    receive->runs = send->runs;
    receive->n_runs = send->n_runs;
    send->runs = NULL;
    backlog_end_op(backlog, send_index);
    backlog_end_op(backlog, receive_index);
}

static void keep_payload(struct execution *execution, struct queued_op *send)
{
    struct run_list *list = &execution->list;
    list->n = 0;
    if (send->is_damaged)
        data_read_damaged(&send->op, list);
    else
        data_read(&execution->data, &send->op, send->step, list);
    send->runs = mem_alloc(list->n, sizeof *send->runs);
    if (list->n)
        memcpy(send->runs, list->runs, list->n * sizeof *send->runs);
    send->n_runs = (uint32_t)list->n;
}

static void post_op(struct execution *execution, uint32_t index)
{
    struct backlog *backlog = &execution->backlog;
    struct queued_op *queued = op_at(backlog, index);
    const struct op *op = &queued->op;
    queued->is_posted = true;
    if (op_is_local(op)) {
        data_copy(&execution->data, op, queued->step, &execution->list);
        return;
    }
    const bool is_send = op->kind == OP_SEND;
    if (is_send)
        keep_payload(execution, queued);
    backlog->ranks[op->rank].n_open++;
    struct pair *pair = is_send ? backlog_pair(backlog, op->rank, op->peer)
                                : backlog_pair(backlog, op->peer, op->rank);
    struct queue *waiting = is_send ? &pair->receives : &pair->sends;
    if (!waiting->first) {
        backlog_push(backlog, is_send ? &pair->sends : &pair->receives, index, true);
        return;
    }
    uint32_t other = pop_pair(backlog, waiting);
    backlog_meet(execution, is_send ? index : other, is_send ? other : index);
}

/* Offers what a rank posts from the operation `first` on, in its step. */
static void backlog_offer_rank(struct execution *execution, uint32_t first, uint64_t step)
{
    struct backlog *backlog = &execution->backlog;
    size_t n = 0, capacity = 0;
    const struct op **ops = NULL;
    for (uint32_t i = first; i && op_at(backlog, i)->step == step; i = op_at(backlog, i)->next) {
        if (op_is_local(&op_at(backlog, i)->op))
            continue;
        ops = mem_grow(ops, &capacity, n + 1, sizeof(struct op *));
        ops[n++] = &op_at(backlog, i)->op;
    }
    const bool is_damaged =
        events_posted(execution->verifier, ops, n, step) && !execution->data.is_barrier;
    free(ops);
    for (uint32_t i = first; is_damaged && i && op_at(backlog, i)->step == step;
         i = op_at(backlog, i)->next)
        op_at(backlog, i)->is_damaged = true;
}

/* Posts the next step of a rank whose step before is over. One operation is
 * held open meanwhile, so that the rank is not ready before all are posted. */
static void backlog_post_step(struct execution *execution, uint32_t rank)
{
    struct backlog *backlog = &execution->backlog;
    struct rank_state *state = &backlog->ranks[rank];
    uint64_t step = op_at(backlog, state->unposted)->step;
    backlog_offer_rank(execution, state->unposted, step);
    state->n_open++;
    while (state->unposted && op_at(backlog, state->unposted)->step == step) {
        uint32_t index = state->unposted;
        state->unposted = op_at(backlog, index)->next;
        post_op(execution, index);
    }
    if (--state->n_open == 0)
        set_ready(backlog, rank);
}

static void free_op(struct backlog *backlog, uint32_t index)
{
    struct queued_op *queued = op_at(backlog, index);
    free(queued->runs);
    queued->runs = NULL;
    queued->next = backlog->free_op;
    backlog->free_op = index;
    backlog->n_queued--;
}

static void backlog_land(struct execution *execution, const struct queued_op *queued)
{
    if (queued->op.kind != OP_RECV && queued->op.kind != OP_REDUCE)
        return;
    if (queued->is_damaged)
        data_damage(&execution->data, &queued->op);
    else if (queued->is_whole)
        data_write(&execution->data, &queued->op, queued->step, queued->runs, queued->n_runs);
}

/* The rank's step is over: its receives land, its operations leave the queue. */
static void backlog_end_step(struct execution *execution, uint32_t rank)
{
    struct backlog *backlog = &execution->backlog;
    struct rank_state *state = &backlog->ranks[rank];
    uint32_t end = state->unposted;
    while (state->queue.first != end) {
        uint32_t index = state->queue.first;
        state->queue.first = op_at(backlog, index)->next;
        backlog_land(execution, op_at(backlog, index));
        free_op(backlog, index);
    }
    if (end)
        backlog_post_step(execution, rank);
    else
        execution->n_behind--;
}

static void backlog_run_ready(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    while (backlog->n_ready)
        backlog_end_step(execution, backlog->ready[--backlog->n_ready]);
}

static uint32_t new_op(struct backlog *backlog)
{
    uint32_t index = backlog->free_op;
    if (index) {
        backlog->free_op = op_at(backlog, index)->next;
        return index;
    }
    if (backlog->n_ops >= UINT32_MAX - 1)
        fatal("more than %u operations wait for each other", UINT32_MAX - 1);
    backlog->ops = mem_grow(backlog->ops, &backlog->op_capacity, backlog->n_ops + 1,
                            sizeof *backlog->ops);
    return (uint32_t)++backlog->n_ops;
}

static void enqueue(struct execution *execution, const struct op *ops, size_t n, uint64_t step)
{
    struct backlog *backlog = &execution->backlog;
    for (size_t i = 0; i < n; i++) {
        uint32_t index = new_op(backlog);
        backlog->n_queued++;
        *op_at(backlog, index) = (struct queued_op){.op = ops[i], .step = step};
        struct rank_state *state = &backlog->ranks[ops[i].rank];
        if (!state->queue.first)
            execution->n_behind++;
        backlog_push(backlog, &state->queue, index, false);
        if (!state->unposted)
            state->unposted = index;
    }
}

/* Returns the number of operations that may wait from one step to the next: some for each rank, or a hundred
 * megabytes. */
size_t backlog_limit(const struct verifier *verifier)
{
    return (size_t)64 * verifier->n_ranks + ((size_t)1 << 21);
}

void backlog_step(struct execution *execution, const struct step *step)
{
    struct backlog *backlog = &execution->backlog;
    if (backlog->is_full) {
        backlog_look_at(execution, step);
        return;
    }
    if (execution->data.header->sets)
        execution->data.header->sets->is_kept = true;
    enqueue(execution, step->copies, step->n_copies, step->index);
    enqueue(execution, step->sends, step->n_sends, step->index);
    enqueue(execution, step->receives, step->n_receives, step->index);
    for (uint32_t rank = 0; rank < execution->verifier->n_ranks; rank++) {
        struct rank_state *state = &backlog->ranks[rank];
        if (state->unposted && state->unposted == state->queue.first)
            backlog_post_step(execution, rank);
    }
    backlog_run_ready(execution);
    if (backlog->n_queued > backlog_limit(execution->verifier))
        backlog_close(execution);
}
