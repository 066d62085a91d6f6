/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the ranks of a schedule. Sends are rendezvous: an operation is over when
 * it has met its counterpart, a step when all its operations are, and a rank
 * posts a step when the one before is over. There are no wildcard receives, so
 * one execution stands for all (Siegel & Avrunin 2005).
 *
 * A *closed* step is one in which no rank is behind and every send meets its
 * receive in the same step. Then all ranks end the step and nothing need be
 * remembered: O(operations), the usual case. Any other step goes through the
 * backlog (backlog.c), which queues operations per rank until they meet.
 */
#include "verify/execution.h"

#include <stdlib.h>
#include <string.h>

/* Limit of a scan: if a receive is not found among this many, all are matched in the order of pairs. */
enum { MAX_SCAN = 64 };

struct execution *execution_new(struct verifier *verifier)
{
    struct execution *execution = mem_alloc(1, sizeof *execution);
    execution->verifier = verifier;
    data_init(&execution->data, verifier, NULL, verifier->n_ranks);
    verifier->data = &execution->data;
    execution->first = mem_alloc(verifier->n_ranks, sizeof *execution->first);
    backlog_init(execution);
    return execution;
}

void execution_free(struct execution *execution)
{
    backlog_free(execution);
    data_free(&execution->data);
    free(execution->first);
    free(execution->next);
    free(execution->send_of);
    key_order_free(&execution->send_order);
    key_order_free(&execution->receive_order);
    free(execution->carried);
    free(execution->value);
    free(execution->ops);
    free(execution->is_damaged);
    free(execution->list.runs);
    free(execution);
}

static void execution_make_room(struct execution *execution, size_t n)
{
    if (n <= execution->capacity)
        return;
    size_t capacity = n + n / 2;
    execution->next = mem_resize(execution->next, capacity, sizeof *execution->next);
    execution->send_of = mem_resize(execution->send_of, capacity, sizeof *execution->send_of);
    execution->carried = mem_resize(execution->carried, capacity, sizeof *execution->carried);
    execution->value = mem_resize(execution->value, capacity, sizeof *execution->value);
    execution->ops = mem_resize(execution->ops, 2 * capacity, sizeof(struct op *));
    execution->capacity = capacity;
}

/* Operations posted in a step: buffers as bits. */
struct posted {
    bool has_several;        /* receives at a rank */
    unsigned sent, received; /* sent from; received into, not combined */
};

/* True if a step has so few operations that work for each rank would take longer. */
static bool is_sparse(const struct execution *execution, size_t n)
{
    enum { FEW = 16 }; /* ranks in a row for an operation */
    return n < execution->verifier->n_ranks / FEW;
}

/* No rank that receives or is sent to has receives so far. */
static void clear_chains(struct execution *execution, const struct step *step)
{
    uint32_t *first = execution->first;
    if (!is_sparse(execution, step->n_sends + step->n_receives)) {
        memset(first, 0, execution->verifier->n_ranks * sizeof *first);
        return;
    }
    for (size_t i = 0; i < step->n_sends; i++)
        first[step->sends[i].peer] = 0;
    for (size_t i = 0; i < step->n_receives; i++)
        first[step->receives[i].rank] = 0;
}

/* first[rank] and next[i] chain the receives of each rank in order, as index + 1. */
static void chain_by_rank(struct execution *execution, const struct op *receives, size_t n,
                          struct posted *posted)
{
    uint32_t *first = execution->first, *next = execution->next;
    uint32_t several = 0;
    unsigned received = 0;
    for (size_t i = n; i-- > 0;) {
        const struct op *receive = &receives[i];
        const uint32_t before = first[receive->rank];
        several |= before;
        received |= (receive->kind == OP_RECV ? 1u : 0u) << receive->buffer;
        next[i] = before;
        first[receive->rank] = (uint32_t)i + 1;
    }
    posted->has_several = several != 0;
    posted->received = received;
}

/* Matches a step of which no rank has several receives, which are in the order of ranks, and no several
 * sends. first[rank] is the send of the rank; of one without it is left from another use, and is compared.
 * False: it is no such step, or is not closed. */
static bool match_single(struct execution *execution, const struct step *step, struct posted *posted)
{
    uint32_t *first = execution->first, *send_of = execution->send_of;
    const size_t n = step->n_sends; /* as many receives */
    uint32_t least = 0; /* the lowest rank that may be next */
    unsigned sent = 0, received = 0;
    if (n > execution->verifier->n_ranks)
        return false;
    for (size_t i = 0; i < n; i++) {
        sent |= 1u << step->sends[i].buffer;
        first[step->sends[i].rank] = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++) {
        const struct op *receive = &step->receives[i];
        const uint32_t found = first[receive->peer];
        if (receive->rank < least || found >= n || step->sends[found].rank != receive->peer ||
            step->sends[found].peer != receive->rank)
            return false;
        least = receive->rank + 1;
        received |= (receive->kind == OP_RECV ? 1u : 0u) << receive->buffer;
        send_of[i] = found;
    }
    *posted = (struct posted){false, sent, received};
    return true;
}

#define NOT_SEEN UINT32_MAX

/* Takes the first receive that is from `source` out of a chain; its index + 1, or 0, there is none; or
 * NOT_SEEN, the chain is long. */
static inline uint32_t take_receive(uint32_t *link, uint32_t *next, const struct op *receives,
                                    uint32_t source)
{
    for (int scanned = 0; *link; scanned++) {
        if (scanned == MAX_SCAN)
            return NOT_SEEN;
        const uint32_t found = *link;
        if (receives[found - 1].peer == source) {
            *link = next[found - 1];
            return found;
        }
        link = &next[found - 1];
    }
    return 0;
}

/* Matches all of a step: the k-th send of a pair of ranks is the k-th receive. O(n) for each byte of the
 * numbers of ranks. */
static bool match_by_pairs(struct execution *execution, const struct step *step)
{
    const size_t n = step->n_sends; /* as many receives */
    struct keyed *sends = key_order_items(&execution->send_order, n);
    struct keyed *receives = key_order_items(&execution->receive_order, n);
    bool is_matched = true;
    for (size_t i = 0; i < n; i++) {
        const struct op *send = &step->sends[i], *receive = &step->receives[i];
        sends[i] = (struct keyed){(uint64_t)send->peer << 32 | send->rank, (uint32_t)i};
        receives[i] = (struct keyed){(uint64_t)receive->rank << 32 | receive->peer, (uint32_t)i};
    }
    key_order_sort(&execution->send_order, n);
    key_order_sort(&execution->receive_order, n);
    sends = execution->send_order.items;
    receives = execution->receive_order.items;
    for (size_t i = 0; is_matched && i < n; i++) {
        is_matched = sends[i].key == receives[i].key;
        execution->send_of[receives[i].index] = sends[i].index;
    }
    return is_matched;
}

/* Matches the step within itself; send_of[receive] on success. */
static bool close_step(struct execution *execution, const struct step *step, struct posted *posted)
{
    uint32_t *first = execution->first, *next = execution->next, *send_of = execution->send_of;
    uint32_t found = 1;
    unsigned sent = 0;
    clear_chains(execution, step);
    chain_by_rank(execution, step->receives, step->n_receives, posted);
    for (size_t i = 0; i < step->n_sends; i++)
        sent |= 1u << step->sends[i].buffer;
    for (size_t i = 0; i < step->n_sends && found && found != NOT_SEEN; i++) {
        const struct op *send = &step->sends[i];
        found = take_receive(&first[send->peer], next, step->receives, send->rank);
        if (found && found != NOT_SEEN)
            send_of[found - 1] = (uint32_t)i;
    }
    posted->sent = sent;
    return found == NOT_SEEN ? match_by_pairs(execution, step) : found > 0;
}

/* True if operations that a rank posts together may overlap: it has several receives, or receives into a
 * buffer that this step sends from; `in` may be part of `out`. */
static bool may_overlap(const struct posted *posted, const struct schedule_header *header)
{
    uint32_t in, out;
    unsigned sent = posted->sent;
    if ((sent & 1u << BUFFER_IN) && schedule_in_place(header, header->root, &in, &out))
        sent |= 1u << BUFFER_OUT;
    return posted->has_several || (sent & posted->received) != 0;
}

static void execution_offer_rank(struct execution *execution, const struct op **ops, size_t n, uint64_t step)
{
    if (!events_posted(execution->verifier, ops, n, step))
        return;
    if (!execution->is_damaged)
        execution->is_damaged =
            mem_alloc(execution->verifier->n_ranks, sizeof *execution->is_damaged);
    execution->is_damaged[ops[0]->rank] = true;
    execution->n_damaged++;
}

/* Ranks ascending; of a rank the sends, then the receives, each in their order. */
static int execution_compare_posted(const void *a, const void *b)
{
    const struct op *x = *(const struct op *const *)a, *y = *(const struct op *const *)b;
    const bool x_is_send = x->kind == OP_SEND, y_is_send = y->kind == OP_SEND;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x_is_send != y_is_send)
        return x_is_send ? -1 : 1;
    return (x > y) - (x < y);
}

/* O(operations log operations). */
static void sort_few(const struct step *step, const struct op **by_rank)
{
    size_t n = 0;
    for (size_t i = 0; i < step->n_sends; i++)
        by_rank[n++] = &step->sends[i];
    for (size_t i = 0; i < step->n_receives; i++)
        by_rank[n++] = &step->receives[i];
    qsort(by_rank, n, sizeof *by_rank, execution_compare_posted);
}

/* Does the same in O(operations + ranks). */
static void execution_sort_by_rank(struct execution *execution, const struct step *step,
                                   const struct op **by_rank)
{
    uint32_t *start = execution->first, n_ranks = execution->verifier->n_ranks;
    memset(start, 0, n_ranks * sizeof *start);
    for (size_t i = 0; i < step->n_sends; i++)
        start[step->sends[i].rank]++;
    for (size_t i = 0; i < step->n_receives; i++)
        start[step->receives[i].rank]++;
    for (uint32_t rank = 0, sum = 0; rank < n_ranks; rank++) {
        sum += start[rank];
        start[rank] = sum;
    }
    for (size_t i = step->n_receives; i-- > 0;)
        by_rank[--start[step->receives[i].rank]] = &step->receives[i];
    for (size_t i = step->n_sends; i-- > 0;)
        by_rank[--start[step->sends[i].rank]] = &step->sends[i];
}

static bool are_by_rank(const struct op *ops, size_t n)
{
    size_t in_order = 1;
    while (in_order < n && ops[in_order - 1].rank <= ops[in_order].rank)
        in_order++;
    return in_order >= n;
}

/* Offers what each rank posts where sends and receives are in the order of ranks. O(operations). */
static void offer_in_order(struct execution *execution, const struct step *step)
{
    const struct op *send = step->sends, *const last_send = send + step->n_sends;
    const struct op *receive = step->receives, *const last_receive = receive + step->n_receives;
    while (send < last_send || receive < last_receive) {
        const bool is_send = receive == last_receive || (send < last_send && send->rank <= receive->rank);
        const uint32_t rank = is_send ? send->rank : receive->rank;
        size_t n = 0;
        while (send < last_send && send->rank == rank)
            execution->ops[n++] = send++;
        while (receive < last_receive && receive->rank == rank)
            execution->ops[n++] = receive++;
        execution_offer_rank(execution, execution->ops, n, step->index);
    }
}

/* Offers what each rank posts. */
static void offer_ranks(struct execution *execution, const struct step *step)
{
    const size_t n = step->n_sends + step->n_receives;
    const struct op **by_rank = execution->ops;
    if (is_sparse(execution, n)) {
        sort_few(step, by_rank);
    } else if (are_by_rank(step->sends, step->n_sends) && are_by_rank(step->receives, step->n_receives)) {
        offer_in_order(execution, step);
        return;
    } else {
        execution_sort_by_rank(execution, step, by_rank);
    }
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && by_rank[end]->rank == by_rank[begin]->rank;)
            end++;
        execution_offer_rank(execution, by_rank + begin, end - begin, step->index);
    }
}

static void execution_offer_messages(const struct execution *execution, const struct step *step)
{
    if (!execution->verifier->asked[FACT_message].n)
        return;
    for (size_t i = 0; i < step->n_receives; i++)
        events_message(execution->verifier, &step->sends[execution->send_of[i]], step->index,
                       &step->receives[i], step->index);
}

static void forget_damage(struct execution *execution)
{
    if (execution->n_damaged)
        memset(execution->is_damaged, 0,
               execution->verifier->n_ranks * sizeof *execution->is_damaged);
    execution->n_damaged = 0;
}

/* True if the rank's data are damaged. A barrier's are not: it moves no chunks. */
static bool is_damaged(const struct execution *execution, uint32_t rank)
{
    return execution->n_damaged && !execution->data.is_barrier && execution->is_damaged[rank];
}

/* Writes the data of the send to the chunks of the receive. */
static inline void execution_land(struct execution *execution, const struct step *step,
                                  const struct op *receive, uint32_t send_index)
{
    const struct op *send = &step->sends[send_index];
    if (send->n_chunks != receive->n_chunks) {
        events_unequal(execution->verifier, send, step->index, receive, step->index);
        if (is_damaged(execution, receive->rank)) /* as in backlog.c */
            data_damage(&execution->data, receive);
    } else if (is_damaged(execution, receive->rank)) {
        data_damage(&execution->data, receive);
    } else if (send->buffer == BUFFER_IN && send->n_chunks && !is_damaged(execution, send->rank)) {
        data_write_in(&execution->data, receive, step->index, send);
    } else if (send->n_chunks || execution->data.is_barrier) {
        const struct carried *carried = &execution->carried[send_index];
        data_write(&execution->data, receive, step->index, execution->list.runs + carried->first,
                   carried->n);
    }
}

static void execution_read_send(struct execution *execution, const struct op *send, uint64_t step)
{
    struct data *data = &execution->data;
    if (is_damaged(execution, send->rank))
        data_read_damaged(send, &execution->list);
    else if (send->buffer != BUFFER_IN || data->is_barrier)
        data_read(data, send, step, &execution->list);
    else if (send->n_chunks)
        data_read_aliased(data, send, step);
}

/* `in` never changes and is read when it lands: nothing is to be done before. */
static bool reads_nothing(const struct execution *execution, unsigned sent)
{
    return sent == 1u << BUFFER_IN && !execution->n_damaged && !execution->data.is_barrier &&
           !execution->data.has_in_place;
}

/* The places of n operations by rank, each rank's in their order; false: so they are. O(operations +
 * ranks). */
static bool execution_order_by_rank(struct execution *execution, const struct op *ops, size_t n,
                                    uint32_t *order)
{
    uint32_t *start = execution->first;
    const uint32_t n_ranks = execution->verifier->n_ranks;
    if (are_by_rank(ops, n))
        return false;
    memset(start, 0, n_ranks * sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[ops[i].rank]++;
    for (uint32_t rank = 0, sum = 0; rank < n_ranks; rank++) {
        sum += start[rank];
        start[rank] = sum;
    }
    for (size_t i = n; i-- > 0;)
        order[--start[ops[i].rank]] = (uint32_t)i;
    return true;
}

/* True if ranks do so much in a step that each is done at once, so that its data stay in the cache. */
static bool has_much(const struct execution *execution, size_t n)
{
    enum { MANY_RANKS = 64, MANY = 2 };
    const uint32_t n_ranks = execution->verifier->n_ranks;
    return n_ranks >= MANY_RANKS && n / n_ranks >= MANY;
}

/* The sends of each rank in a row. False: nothing is gained, or something is to be said, in the order of
 * sends. */
static bool read_by_rank(struct execution *execution, const struct step *step)
{
    const struct data *data = &execution->data;
    struct run_list *list = &execution->list;
    uint32_t *order = execution->next; /* no chain is needed any more */
    bool is_whole = true;
    if (!has_much(execution, step->n_sends) || execution->n_damaged || data->is_barrier ||
        data->has_in_place || !execution_order_by_rank(execution, step->sends, step->n_sends, order))
        return false;
    list->n = 0;
    for (size_t i = 0; i < step->n_sends && is_whole; i++) {
        const struct op *send = &step->sends[order[i]];
        const size_t first = list->n;
        if (i + AHEAD < step->n_sends)
            data_prefetch(data, &step->sends[order[i + AHEAD]]);
        is_whole = send->buffer == BUFFER_IN || data_read_whole(data, send, list);
        execution->carried[order[i]] = (struct carried){first, list->n - first};
    }
    return is_whole;
}

static void execution_read_sends(struct execution *execution, const struct step *step)
{
    struct run_list *list = &execution->list;
    if (read_by_rank(execution, step))
        return;
    list->n = 0;
    for (size_t i = 0; i < step->n_sends; i++) {
        const size_t first = list->n;
        execution_read_send(execution, &step->sends[i], step->index);
        execution->carried[i] = (struct carried){first, list->n - first};
    }
}

static void execution_copy(struct execution *execution, const struct step *step, const struct op *op)
{
    if (op->kind == OP_COPIES)
        data_copy_rows(&execution->data, op, step, &execution->list);
    else
        data_copy(&execution->data, op, step->index, &execution->list);
}

/* The order in which a rank copies is kept. */
static bool copy_by_rank(struct execution *execution, const struct step *step)
{
    if (!has_much(execution, step->n_copies))
        return false;
    uint32_t *order = mem_alloc(step->n_copies, sizeof *order);
    const bool is_other = execution_order_by_rank(execution, step->copies, step->n_copies, order);
    for (size_t i = 0; is_other && i < step->n_copies; i++) {
        if (i + AHEAD < step->n_copies)
            data_prefetch(&execution->data, &step->copies[order[i + AHEAD]]);
        execution_copy(execution, step, &step->copies[order[i]]);
    }
    free(order);
    return is_other;
}

static void execution_copy_all(struct execution *execution, const struct step *step)
{
    if (copy_by_rank(execution, step))
        return;
    for (size_t i = 0; i < step->n_copies; i++)
        execution_copy(execution, step, &step->copies[i]);
}

/* True if each message is one chunk and all could be read at once into execution->value; no rule is asked of
 * them. */
static bool are_single(struct execution *execution, const struct step *step, unsigned sent)
{
    const struct data *data = &execution->data;
    return !(sent & 1u << BUFFER_IN) && !execution->n_damaged && !data->is_barrier &&
           !has_much(execution, step->n_sends) && data_read_singles(data, step, execution->value);
}

/* The step in its order: copies, then all reads, then all writes. */
static void move_data(struct execution *execution, const struct step *step, unsigned sent)
{
    const bool is_in = reads_nothing(execution, sent);
    execution_copy_all(execution, step);
    if (are_single(execution, step, sent)) {
        data_write_singles(&execution->data, step, execution->send_of, execution->value);
        return;
    }
    if (!is_in)
        execution_read_sends(execution, step);
    for (size_t i = 0; i < step->n_receives; i++) {
        if (is_in)
            i = data_write_all_in(&execution->data, step, execution->send_of, i);
        if (i == step->n_receives)
            break;
        if (i + AHEAD < step->n_receives)
            data_prefetch(&execution->data, &step->receives[i + AHEAD]);
        execution_land(execution, step, &step->receives[i], execution->send_of[i]);
    }
}

bool execution_step(struct execution *execution, const struct step *step)
{
    size_t n = step->n_sends > step->n_receives ? step->n_sends : step->n_receives;
    struct posted posted = {.sent = 0};
    if (!execution->data.is_started)
        data_start(&execution->data, step, NULL);
    execution_make_room(execution, n + 1);
    const bool is_closed = execution->n_behind == 0 && step->n_sends == step->n_receives &&
                           (match_single(execution, step, &posted) || close_step(execution, step, &posted));
    execution->verifier->has_rows |= step->n_rows > 0;
    if (!is_closed) {
        if (step->n_rows) /* which end with the step */
            execution->verifier->is_beyond_rows = true;
        else
            backlog_step(execution, step);
        return false;
    }
    execution_offer_messages(execution, step);
    if (may_overlap(&posted, execution->data.header))
        offer_ranks(execution, step);
    move_data(execution, step, posted.sent);
    forget_damage(execution);
    return true;
}

void execution_end(struct execution *execution)
{
    if (!execution->data.is_started)
        data_start(&execution->data, NULL, NULL);
    if (execution->n_behind)
        backlog_judge(execution);
    else
        data_end(&execution->data);
    data_judge_agreement(&execution->data);
}
