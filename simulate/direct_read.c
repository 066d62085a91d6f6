/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads steps into rings, and brings messages together with their receives: see direct_parts.h.
 *
 * Messages of a pair of ranks meet its receives in order. If in each step as many are sent from one to the
 * other as are received, they meet in their step, and which of them meets which receive makes no difference
 * in time.
 */
#include "simulate/direct_parts.h"

#include <string.h>

/* Numbers of messages and turns stay far from where they would come round, and from DIRECT_NONE. */
#define MOST_READ (UINT32_C(1) << 31)
/* Turns are counted once that part of what may be ahead is so. */
enum { PART_TO_COUNT = 256 };

/* ---- rings ---- */

/* A ring of the items `first` to `next` that has room for `need` more; *mask is its size less one. Those that
 * do not stay go where nothing was: large ones are not copied as a whole. */
static void *ring_grow(void *items, uint32_t *mask, uint32_t first, uint32_t next, uint32_t need, size_t size)
{
    const uint32_t used = next - first, before = items ? *mask : 0;
    uint32_t n = items ? *mask + 1 : 64;
    while (n - used < need)
        n *= 2;
    char *grown = mem_resize(items, n, size);
    for (uint32_t i = first; i != next; i++)
        if ((i & (n - 1)) != (i & before))
            memcpy(grown + (i & (n - 1)) * size, grown + (i & before) * size, size);
    *mask = n - 1;
    return grown;
}

static bool direct_read_has_room(const void *items, uint32_t mask, uint32_t first, uint32_t next,
                                 uint32_t need)
{
    return items && mask + 1 - (next - first) >= need;
}

static void direct_read_make_room(struct direct *direct, uint32_t n_messages, uint32_t n_locals)
{
    if (!direct_read_has_room(direct->turns, direct->turn_mask, direct->first_turn, direct->next_turn,
                              direct->n_touched))
        direct->turns = ring_grow(direct->turns, &direct->turn_mask, direct->first_turn,
                                  direct->next_turn, direct->n_touched, sizeof *direct->turns);
    if (!direct_read_has_room(direct->locals, direct->local_mask, direct->first_local, direct->next_local,
                              n_locals))
        direct->locals = ring_grow(direct->locals, &direct->local_mask, direct->first_local,
                                   direct->next_local, n_locals, sizeof *direct->locals);
    if (!direct_read_has_room(direct->steps, direct->step_mask, direct->first_step, direct->next_step, 1))
        direct->steps = ring_grow(direct->steps, &direct->step_mask, direct->first_step,
                                  direct->next_step, 1, sizeof *direct->steps);
    if (direct_read_has_room(direct->links.messages, direct->links.message_mask, direct->first_message,
                             direct->next_message, n_messages))
        return;
    const uint32_t first = direct->first_message, next = direct->next_message;
    uint32_t mask = direct->links.message_mask;
    direct->incoming = ring_grow(direct->incoming, &mask, first, next, n_messages, sizeof(uint32_t));
    mask = direct->links.message_mask;
    direct->peers = ring_grow(direct->peers, &mask, first, next, n_messages, sizeof(uint32_t));
    direct->links.messages = ring_grow(direct->links.messages, &direct->links.message_mask, first, next,
                                       n_messages, direct->links.message_size);
}

void direct_free_steps(struct direct *direct)
{
    free(direct->turns);
    free(direct->incoming);
    free(direct->peers);
    free(direct->locals);
    free(direct->steps);
}

void direct_end_turn(struct direct *direct, uint32_t step)
{
    direct->n_active--;
    direct->steps[step & direct->step_mask].n_active--;
    while (direct->first_step != direct->next_step) {
        const struct direct_step *first = &direct->steps[direct->first_step & direct->step_mask];
        if (first->n_active)
            return;
        direct->first_turn = first->end_turn;
        direct->first_message = first->end_message;
        direct->first_local = first->end_local;
        direct->first_step++;
    }
}

/* ---- a step ---- */

static struct direct_count *count_of(struct direct *direct, uint32_t rank)
{
    struct direct_count *count = &direct->counts[rank];
    if (count->turn == DIRECT_NONE) {
        count->turn = 0;
        direct->touched[direct->n_touched++] = rank;
    }
    return count;
}

/* True if the rank combines, or unpacks, what it has received. */
static bool direct_read_is_local(const struct op *receive)
{
    return receive->kind == OP_REDUCE || receive->is_set;
}

static void direct_read_count_step(struct direct *direct, const struct step *step, uint32_t *n_locals)
{
    direct->n_touched = 0;
    *n_locals = (uint32_t)step->n_copies;
    for (size_t i = 0; i < step->n_sends; i++) {
        struct direct_count *count = count_of(direct, step->sends[i].rank);
        count->sends++;
        count->copies += step->sends[i].is_set;
        *n_locals += step->sends[i].is_set;
    }
    for (size_t i = 0; i < step->n_receives; i++) {
        struct direct_count *count = count_of(direct, step->receives[i].rank);
        const bool is_local = direct_read_is_local(&step->receives[i]);
        count->receives++;
        count->combines += is_local;
        *n_locals += is_local;
    }
    for (size_t i = 0; i < step->n_copies; i++)
        count_of(direct, step->copies[i].rank)->copies++;
}

/* An empty turn for each rank; its counts become where its next operation of each list goes. */
static void begin_turns(struct direct *direct)
{
    uint32_t message = direct->next_message, receive = message, local = direct->next_local;
    for (uint32_t i = 0; i < direct->n_touched; i++) {
        const uint32_t rank = direct->touched[i];
        struct direct_count *count = &direct->counts[rank];
        count->turn = direct->next_turn++;
        struct direct_turn *turn = direct_turn_at(direct, count->turn);
        turn->next = DIRECT_NONE;
        turn->step = direct->next_step;
        turn->first_send = message;
        turn->n_sends = count->sends;
        turn->first_receive = receive;
        turn->n_receives = count->receives;
        turn->first_local = local;
        turn->n_copies = count->copies;
        turn->n_combines = count->combines;
        message += turn->n_sends;
        local += turn->n_copies + turn->n_combines;
        *count = (struct direct_count){.sends = turn->first_send,
                                       .receives = receive,
                                       .incoming = receive,
                                       .copies = turn->first_local,
                                       .combines = turn->first_local + turn->n_copies,
                                       .turn = count->turn};
        receive += turn->n_receives;
    }
}

static uint64_t direct_read_bytes_of(struct direct *direct, const struct op *op)
{
    const uint64_t units = op->n_chunks; /* counts are equal */
    if (units != direct->units) {
        direct->units = units;
        if (!mem_multiply(units, direct->settings->chunk_bytes, &direct->unit_bytes))
            direct->unit_bytes = UINT64_MAX;
    }
    return direct->unit_bytes;
}

/* False: more is sent to a rank than it receives. */
static bool fill_sends(struct direct *direct, const struct step *step)
{
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *op = &step->sends[i];
        struct direct_count *own = &direct->counts[op->rank], *other = &direct->counts[op->peer];
        if (other->turn == DIRECT_NONE)
            return false;
        const struct direct_turn *to = direct_turn_at(direct, other->turn);
        const uint32_t number = own->sends++;
        if (other->incoming - to->first_receive == to->n_receives)
            return false;
        direct->incoming[other->incoming++ & direct->links.message_mask] = number;
        struct direct_message *message = direct_message_at(direct, number);
        message->flight.bytes = direct_read_bytes_of(direct, op);
        message->flight.from = op->rank;
        message->flight.to = op->peer;
        message->turn = other->turn;
        message->origin = own->turn;
        message->flight.n_hops = 0;
        message->flight.state = MESSAGE_NOT_READY;
    }
    return true;
}

static void direct_read_add_copy(struct direct *direct, const struct op *op)
{
    direct->locals[direct->counts[op->rank].copies++ & direct->local_mask] = direct_read_bytes_of(direct, op);
}

static void fill_others(struct direct *direct, const struct step *step)
{
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        struct direct_count *count = &direct->counts[op->rank];
        direct->peers[count->receives++ & direct->links.message_mask] = op->peer;
        if (direct_read_is_local(op))
            direct->locals[count->combines++ & direct->local_mask] = direct_read_bytes_of(direct, op);
    }
    for (size_t i = 0; i < step->n_copies; i++)
        direct_read_add_copy(direct, &step->copies[i]);
    for (size_t i = 0; i < step->n_sends; i++)
        if (step->sends[i].is_set)
            direct_read_add_copy(direct, &step->sends[i]);
}

/* The rank that sends what comes to that place of direct->incoming. */
static uint32_t sender_at(struct direct *direct, uint32_t at)
{
    const uint32_t message = direct->incoming[at & direct->links.message_mask];
    return direct_message_at(direct, message)->flight.from;
}

/* True if what is sent to the rank in the step is what it receives. */
static bool direct_read_is_matched(struct direct *direct, const struct direct_turn *turn, uint32_t n_incoming)
{
    const uint32_t first = turn->first_receive, end = first + turn->n_receives;
    bool is_same = true;
    if (n_incoming != turn->n_receives)
        return false;
    if (turn->n_receives == 1)
        return sender_at(direct, first) == direct->peers[first & direct->links.message_mask];
    for (uint32_t i = first; i != end; i++) {
        direct->balance[sender_at(direct, i)]++;
        direct->balance[direct->peers[i & direct->links.message_mask]]--;
    }
    for (uint32_t i = first; i != end; i++)
        is_same = is_same && !direct->balance[sender_at(direct, i)];
    for (uint32_t i = first; i != end; i++) {
        direct->balance[sender_at(direct, i)] = 0;
        direct->balance[direct->peers[i & direct->links.message_mask]] = 0;
    }
    return is_same;
}

/* The turns of the step go to their ranks. False: a message is not received in the step. */
static bool append_turns(struct direct *direct)
{
    bool is_same = true;
    for (uint32_t i = 0; i < direct->n_touched; i++) {
        struct direct_count *count = &direct->counts[direct->touched[i]];
        struct direct_rank *rank = &direct->ranks[direct->touched[i]];
        struct direct_turn *turn = direct_turn_at(direct, count->turn);
        is_same = is_same && direct_read_is_matched(direct, turn, count->incoming - turn->first_receive);
        if (rank->first == DIRECT_NONE)
            rank->first = count->turn;
        else
            direct_turn_at(direct, rank->last)->next = count->turn;
        rank->last = count->turn;
        rank->n_unread -= direct->is_counted;
        *count = (struct direct_count){.turn = DIRECT_NONE};
    }
    direct->n_active += direct->n_touched;
    return is_same;
}

/* Counts the turns of every rank that are not read yet, so that no more is read for ranks that have ended. */
static void count_turns(struct direct *direct)
{
    struct schedule *schedule = direct->schedule;
    uint64_t *seen = mem_alloc(direct->n_ranks, sizeof *seen); /* the step after the last one */
    struct step step;
    while (schedule->next(schedule, &step)) {
        const struct op *const lists[] = {step.sends, step.receives, step.copies};
        const size_t lengths[] = {step.n_sends, step.n_receives, step.n_copies};
        for (int list = 0; list < 3; list++)
            for (size_t i = 0; i < lengths[list]; i++) {
                const uint32_t rank = lists[list][i].rank;
                direct->ranks[rank].n_unread += seen[rank] != step.index + 1;
                seen[rank] = step.index + 1;
            }
    }
    free(seen);
    schedule->rewind(schedule);
    for (uint64_t i = 0; i < direct->n_read; i++)
        schedule->next(schedule, &step);
    for (uint32_t rank = 0; rank < direct->n_ranks; rank++)
        if (direct->ranks[rank].is_hungry && direct->ranks[rank].first == DIRECT_NONE &&
            !direct->ranks[rank].n_unread) {
            direct->ranks[rank].is_hungry = false;
            direct->n_hungry--;
        }
    direct->is_counted = true;
}

void direct_read_step(struct direct *direct)
{
    struct step step;
    uint32_t n_locals;
    direct->n_touched = 0;
    if (!direct->schedule->next(direct->schedule, &step)) {
        direct->is_all_read = true;
        return;
    }
    direct->n_read++;
    if (step_is_idle(&step))
        return;
    direct_read_count_step(direct, &step, &n_locals);
    direct_read_make_room(direct, (uint32_t)step.n_sends, n_locals);
    begin_turns(direct);
    const bool is_whole = step.n_sends == step.n_receives && fill_sends(direct, &step);
    if (is_whole)
        fill_others(direct, &step);
    direct->next_message += (uint32_t)step.n_sends;
    direct->next_local += n_locals;
    direct->steps[direct->next_step++ & direct->step_mask] =
        (struct direct_step){direct->n_touched, direct->next_turn, direct->next_message,
                             direct->next_local};
    const uint64_t most = direct->settings->max_ahead ? direct->settings->max_ahead : PLAYER_MAX_AHEAD;
    const uint64_t n_ahead = direct->next_message - direct->first_message;
    direct->is_given_up =
        !is_whole || !append_turns(direct) || n_ahead > most || direct->next_message > MOST_READ;
    if (!direct->is_counted && n_ahead > most / PART_TO_COUNT + step.n_sends)
        count_turns(direct);
}
