/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds which send met which receive: of those with one key at one rank the first meets the first, as MPI
 * matches them (MPI 4.0, section 3.5).
 */
#include "tuning/trace/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct end {
    uint32_t to, rank, event;
    const char *key;
};
struct ends {
    struct end *items;
    size_t n, capacity;
};

static int compare_ends(const void *x, const void *y)
{
    const struct end *a = x, *b = y;
    const int by_key = strcmp(a->key, b->key);
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (by_key)
        return by_key;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

static bool add_ends(struct work *work, uint32_t rank, struct ends *sends, struct ends *receives)
{
    const struct trace_call *call = work->calls[rank];
    for (uint32_t i = 0; i < call->n_events; i++) {
        const struct trace_event *event = &call->events[i];
        if (event->kind != TRACE_SEND && event->kind != TRACE_RECV)
            continue;
        const bool is_send = event->kind == TRACE_SEND;
        struct ends *ends = is_send ? sends : receives;
        if (!event->key)
            return work_fail(work, "rank %" PRIu32 " has a receive from anybody that never ended", rank);
        if (is_send && event->to >= work->header.n_ranks)
            return work_fail(work, "rank %" PRIu32 " sends to a rank outside of the call", rank);
        ends->items = mem_grow(ends->items, &ends->capacity, ends->n + 1, sizeof *ends->items);
        ends->items[ends->n++] = (struct end){is_send ? event->to : rank, rank, i, event->key};
    }
    return true;
}

static int compare_by_sender(const void *x, const void *y)
{
    const struct message *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->send > b->send) - (a->send < b->send);
}

static bool pair_ends(struct work *work, const struct ends *sends, const struct ends *receives)
{
    work->messages = arena_alloc(work->arena, sends->n, sizeof *work->messages);
    for (size_t i = 0; i < sends->n || i < receives->n; i++) {
        const struct end *send = i < sends->n ? &sends->items[i] : NULL;
        const struct end *receive = i < receives->n ? &receives->items[i] : NULL;
        if (!send || (receive && (receive->to < send->to ||
                                  (receive->to == send->to && strcmp(receive->key, send->key) < 0))))
            return work_fail(work, "rank %" PRIu32 " has received a message that was not seen at its sender",
                             receive->rank);
        if (!receive || receive->to != send->to || strcmp(receive->key, send->key) != 0)
            return work_fail(
                work, "rank %" PRIu32 " has sent rank %" PRIu32 " a message whose receive was not seen",
                send->rank, send->to);
        work->messages[i] = (struct message){
            .from = send->rank, .to = send->to, .send = send->event, .receive = receive->event};
    }
    work->n_messages = (uint32_t)sends->n;
    return true;
}

static void point_to_messages(struct work *work)
{
    for (uint32_t rank = 0; rank < work->header.n_ranks; rank++) {
        const size_t n = work->calls[rank]->n_events;
        work->ranks[rank].message_of = arena_alloc(work->arena, n, sizeof(uint32_t));
        for (size_t i = 0; i < n; i++)
            work->ranks[rank].message_of[i] = NO_MESSAGE;
    }
    for (uint32_t i = 0; i < work->n_messages; i++) {
        const struct message *message = &work->messages[i];
        work->ranks[message->from].message_of[message->send] = i;
        work->ranks[message->to].message_of[message->receive] = i;
    }
}

static bool check_message_sizes(struct work *work)
{
    for (uint32_t i = 0; i < work->n_messages; i++) {
        const struct message *message = &work->messages[i];
        const uint64_t sent = work->calls[message->from]->events[message->send].n;
        const uint64_t most = work->calls[message->to]->events[message->receive].n;
        if (sent > most)
            return work_fail(work, "rank %" PRIu32 " sends rank %" PRIu32 " more than it takes",
                             message->from, message->to);
    }
    return true;
}

bool work_messages(struct work *work)
{
    struct ends sends = {0}, receives = {0};
    bool is_well = true;
    for (uint32_t rank = 0; rank < work->header.n_ranks && is_well; rank++)
        is_well = add_ends(work, rank, &sends, &receives);
    if (is_well && sends.n >= NO_MESSAGE)
        is_well = work_fail(work, "there are too many messages");
    if (sends.n)
        qsort(sends.items, sends.n, sizeof *sends.items, compare_ends);
    if (receives.n)
        qsort(receives.items, receives.n, sizeof *receives.items, compare_ends);
    is_well = is_well && pair_ends(work, &sends, &receives);
    free(sends.items);
    free(receives.items);
    if (!is_well)
        return false;
    if (work->n_messages)
        qsort(work->messages, work->n_messages, sizeof *work->messages, compare_by_sender);
    point_to_messages(work);
    return check_message_sizes(work);
}
