/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the step of every message, copy and combination.
 *
 * The ranks are played as if each send waited for its receive: whoever goes on after a message was there when
 * both ends had posted it. Each rank has a floor, the step in which it may be: one more than those of the
 * messages that it went on after. A message is in the later of the floors of its ends. If nobody can go on,
 * the MPI has buffered a message: its send then is in a step of its own, before that of its receive.
 */
#include "tuning/trace/parts.h"

#include <inttypes.h>
#include <stdlib.h>

struct player_rank {
    size_t next; /* item */
    uint64_t floor;
};

struct playing {
    struct work *work;
    struct player_rank *ranks;
    uint8_t *ends; /* [message] 1: its send is posted, 2: its receive */
};

/* Posts an end; its step is final when both are. */
static void post_end(struct playing *playing, uint32_t rank, const struct item *item)
{
    struct message *message = &playing->work->messages[item->message];
    const uint64_t floor = playing->ranks[rank].floor;
    const bool is_send = item->kind == ITEM_POST_SEND;
    playing->ends[item->message] |= is_send ? 1 : 2;
    if (message->is_buffered) {
        message->receive_step = floor > message->send_step ? floor : message->send_step;
        return;
    }
    if (floor > message->send_step)
        message->send_step = floor;
    message->receive_step = message->send_step;
}

static bool is_there(const struct playing *playing, const struct item *item)
{
    return playing->ends[item->message] == 3;
}

/* True if the rank goes on after its own send, which is buffered. */
static bool goes_on_after_send(const struct playing *playing, uint32_t rank, const struct item *item)
{
    const struct message *message = &playing->work->messages[item->message];
    return message->is_buffered && message->from == rank;
}

/* Plays a rank until it waits. Returns true if it has done anything. */
static bool play_rank(struct playing *playing, uint32_t rank)
{
    struct rank_work *of = &playing->work->ranks[rank];
    struct player_rank *player = &playing->ranks[rank];
    const size_t before = player->next;
    for (; player->next < of->n_items; player->next++) {
        struct item *item = &of->items[player->next];
        if (item->kind == ITEM_LOCAL) {
            item->step = player->floor;
        } else if (item->kind != ITEM_DONE) {
            post_end(playing, rank, item);
        } else {
            const struct message *message = &playing->work->messages[item->message];
            const bool is_send = message->from == rank;
            if (!is_there(playing, item) && !goes_on_after_send(playing, rank, item))
                break;
            const uint64_t step = is_send ? message->send_step : message->receive_step;
            if (step + 1 > player->floor)
                player->floor = step + 1;
        }
    }
    return player->next > before;
}

/* Lets the first rank that waits for the receive of its send go on. Returns false if there is none. */
static bool buffer_one(struct playing *playing)
{
    struct work *work = playing->work;
    for (uint32_t rank = 0; rank < work->header.n_ranks; rank++) {
        const struct rank_work *of = &work->ranks[rank];
        const struct item *item =
            playing->ranks[rank].next < of->n_items ? &of->items[playing->ranks[rank].next] : NULL;
        if (!item || work->messages[item->message].from != rank || playing->ends[item->message] != 1)
            continue;
        work->messages[item->message].is_buffered = true;
        work->n_buffered++;
        return true;
    }
    return false;
}

static bool all_have_ended(const struct playing *playing)
{
    for (uint32_t rank = 0; rank < playing->work->header.n_ranks; rank++)
        if (playing->ranks[rank].next < playing->work->ranks[rank].n_items)
            return false;
    return true;
}

/* Returns the order in which messages between two ranks are sent. */
static int compare_sent(const void *x, const void *y)
{
    const struct message *a = *(const struct message *const *)x, *b = *(const struct message *const *)y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->send_step != b->send_step)
        return a->send_step < b->send_step ? -1 : 1;
    return (a->send > b->send) - (a->send < b->send);
}

/* Messages of a schedule meet in the order in which they are sent. */
static bool check_meeting_order(struct work *work)
{
    const struct message **sent = mem_alloc((size_t)work->n_messages + 1, sizeof *sent);
    bool is_well = true;
    for (uint32_t i = 0; i < work->n_messages; i++)
        sent[i] = &work->messages[i];
    qsort(sent, work->n_messages, sizeof *sent, compare_sent);
    for (uint32_t i = 1; i < work->n_messages && is_well; i++)
        if (sent[i]->from == sent[i - 1]->from && sent[i]->to == sent[i - 1]->to &&
            sent[i]->receive_step < sent[i - 1]->receive_step)
            is_well = work_fail(work,
                                "rank %" PRIu32 " sends rank %" PRIu32
                                " messages that are taken in another order, by "
                                "their tags: a schedule file cannot say that",
                                sent[i]->from, sent[i]->to);
    free(sent);
    return is_well;
}

bool work_steps(struct work *work)
{
    const uint32_t n = work->header.n_ranks;
    struct playing playing = {.work = work,
                              .ranks = mem_alloc(n, sizeof *playing.ranks),
                              .ends = mem_alloc((size_t)work->n_messages + 1, 1)};
    bool goes_on = true;
    while (goes_on && !all_have_ended(&playing)) {
        goes_on = false;
        for (uint32_t rank = 0; rank < n; rank++)
            goes_on |= play_rank(&playing, rank);
        if (!goes_on)
            goes_on = buffer_one(&playing);
    }
    const bool has_ended = all_have_ended(&playing);
    free(playing.ranks);
    free(playing.ends);
    if (!has_ended)
        return work_fail(work, "the recordings of the ranks do not fit together");
    return check_meeting_order(work);
}
