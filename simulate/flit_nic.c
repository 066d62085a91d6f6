/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model at the machines. A machine has ports; each sends one packet, and takes the next
 * when the last flit has left. Its ranks' messages share them: of each rank the first message
 * that is in no port may send its next packet; which of these does is the send order.
 *
 * A rank with a rate of its own begins a packet when the one before would be through at that
 * rate, and has received a message no sooner than at that rate since its first flit.
 */
#include "simulate/flit_parts.h"

#include "base/integer.h"
#include "base/memory.h"

#include <assert.h>

uint64_t flit_time(const struct flit_model *model, uint64_t cycle)
{
    const divider_product bits = (divider_product)cycle * model->settings.flit_bytes * 1000000000u;
    return (uint64_t)((bits + model->bandwidth - 1) / model->bandwidth);
}

/* splitmix64 (Steele, Lea and Flood 2014) of a few numbers. */
uint64_t flit_draw(const struct flit_model *model, uint64_t purpose, uint64_t number)
{
    uint64_t drawn = model->network.seed;
    const uint64_t numbers[] = {purpose, number};
    for (int i = 0; i < 2; i++) {
        drawn = (drawn ^ numbers[i]) + UINT64_C(0x9e3779b97f4a7c15);
        drawn = (drawn ^ drawn >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        drawn = (drawn ^ drawn >> 27) * UINT64_C(0x94d049bb133111eb);
        drawn ^= drawn >> 31;
    }
    return drawn;
}

/* At the end of this cycle. The parts are rounded, so they are held to what has gone by. */
static void emit(struct flit_model *model, enum transit_event_kind kind, uint32_t number)
{
    const struct message *message = &model->messages[number];
    struct transit_events *events = model->events;
    const uint64_t time = flit_time(model, model->now + 1), gone_by = time - message->time;
    const uint64_t latency =
        kind == TRANSIT_LEFT ? 0 : smaller(flit_time(model, message->lone_latency), gone_by);
    const uint64_t bandwidth = smaller(flit_time(model, message->lone_cycles), gone_by - latency);
    events->items = mem_grow(events->items, &events->capacity, events->n + 1,
                             sizeof *events->items);
    events->items[events->n++] =
        (struct transit_event){time, message->id, kind, latency, bandwidth};
}

void flit_nic_wake(struct flit_model *model, uint32_t machine)
{
    if (!model->nics[machine].is_dirty)
        model->dirty[model->n_dirty++] = machine;
    model->nics[machine].is_dirty = true;
}

/* ---- the ranks of a machine that have something to send ---- */

static size_t rank_position(const struct nic *nic, uint32_t rank)
{
    size_t low = 0, high = nic->n_ranks;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (nic->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void flit_nic_start(struct flit_model *model, uint32_t number)
{
    struct message *message = &model->messages[number];
    struct sender *sender = &model->senders[message->from];
    struct nic *nic = &model->nics[message->source];
    if (sender->first == NOTHING) {
        const size_t at = rank_position(nic, message->from);
        nic->ranks = mem_grow(nic->ranks, &nic->capacity, nic->n_ranks + 1, sizeof *nic->ranks);
        for (size_t i = nic->n_ranks++; i > at; i--)
            nic->ranks[i] = nic->ranks[i - 1];
        nic->ranks[at] = message->from;
        sender->first = number;
    } else {
        model->messages[sender->last].next = number;
    }
    sender->last = number;
    message->next = NOTHING;
    flit_nic_wake(model, message->source);
}

/* Takes a message that has left out of its rank's list. */
static void forget_sent(struct flit_model *model, uint32_t number)
{
    struct message *message = &model->messages[number];
    struct sender *sender = &model->senders[message->from];
    uint32_t before = NOTHING;
    for (uint32_t at = sender->first; at != number; at = model->messages[at].next)
        before = at;
    *(before == NOTHING ? &sender->first : &model->messages[before].next) = message->next;
    if (sender->last == number)
        sender->last = before;
    if (sender->first != NOTHING)
        return;
    struct nic *nic = &model->nics[message->source];
    nic->n_ranks--;
    for (size_t i = rank_position(nic, message->from); i < nic->n_ranks; i++)
        nic->ranks[i] = nic->ranks[i + 1];
}

/* The message of which the rank could send a packet now; NOTHING: it has none, or is not to. */
static uint32_t candidate(struct flit_model *model, uint32_t machine, uint32_t rank)
{
    const struct sender *sender = &model->senders[rank];
    uint32_t at = sender->first;
    while (at != NOTHING && (model->messages[at].is_in_port || !model->messages[at].unsent))
        at = model->messages[at].next;
    if (at != NOTHING && sender->sends_at >> PERIOD_BITS > model->now) {
        flit_due_at(model, sender->sends_at >> PERIOD_BITS, DUE_NIC, machine);
        return NOTHING;
    }
    return at;
}

/* True if `a` sends before `b`, whose rank is higher. */
static bool sends_first(const struct flit_model *model, const struct message *a,
                        const struct message *b)
{
    if (model->network.order == SEND_LOCKSTEP)
        return a->n_packets <= b->n_packets;
    return a->birth != b->birth ? a->birth < b->birth : a->sequence < b->sequence;
}

static uint32_t flit_nic_pick(struct flit_model *model, uint32_t machine)
{
    struct nic *nic = &model->nics[machine];
    uint32_t picked = NOTHING;
    size_t n = 0;
    for (size_t i = 0; i < nic->n_ranks; i++) {
        const uint32_t message = candidate(model, machine, nic->ranks[i]);
        if (message == NOTHING)
            continue;
        if (n == model->chosen_capacity)
            model->chosen = mem_grow(model->chosen, &model->chosen_capacity, n + 1,
                                     sizeof *model->chosen);
        model->chosen[n++] = message;
        if (picked == NOTHING || !sends_first(model, &model->messages[picked],
                                              &model->messages[message]))
            picked = message;
    }
    if (n && model->network.order == SEND_RANDOM)
        picked = model->chosen[flit_draw(model, machine, nic->n_picks++) % n];
    return picked;
}

static void send_packet(struct flit_model *model, uint32_t number, uint32_t port)
{
    struct message *message = &model->messages[number];
    const uint64_t most = model->settings.packet_flits;
    const uint32_t flits = (uint32_t)(message->unsent < most ? message->unsent : most);
    struct sender *sender = &model->senders[message->from];
    const uint64_t now = model->now << PERIOD_BITS;
    sender->sends_at = (sender->sends_at > now ? sender->sends_at : now) +
                       flits * model->rank_period;
    message->unsent -= flits;
    message->is_in_port = true;
    const uint32_t piece = flit_new_piece(model, number, 0, flits);
    model->pieces[piece].arrived = flits;
    model->pieces[piece].place = FLIT_PORT_PLACE(port);
    model->nics[message->source].is_busy[port] = true;
    flit_wants(model, piece);
}

void flit_nic_send(struct flit_model *model, uint32_t machine)
{
    struct nic *nic = &model->nics[machine];
    nic->is_dirty = false;
    if (!nic->is_busy)
        nic->is_busy = mem_alloc(nic->n_ports, sizeof *nic->is_busy);
    for (uint32_t port = 0; port < nic->n_ports; port++) {
        const uint32_t message = nic->is_busy[port] ? NOTHING : flit_nic_pick(model, machine);
        if (message != NOTHING)
            send_packet(model, message, port);
    }
}

/* ---- the ends of a message ---- */

void flit_packet_left(struct flit_model *model, uint32_t number, uint32_t port)
{
    struct message *message = &model->messages[number];
    message->is_in_port = false;
    message->n_packets++;
    model->nics[message->source].is_busy[port] = false;
    flit_nic_wake(model, message->source);
    if (message->unsent)
        return;
    forget_sent(model, number);
    emit(model, TRANSIT_LEFT, number);
}

void flit_message_received(struct flit_model *model, uint32_t number)
{
    const struct message *message = &model->messages[number];
    uint64_t end = model->now;
    if (model->rank_period) {
        struct sender *rank = &model->senders[message->to];
        const uint64_t first = message->first_arrival << PERIOD_BITS;
        rank->receives_at = (rank->receives_at > first ? rank->receives_at : first) +
                            message->flits * model->rank_period;
        const uint64_t through = rank->receives_at >> PERIOD_BITS;
        end = end > through ? end : through;
    }
    if (end + model->leaving - 1 == model->now)
        flit_message_arrived(model, number);
    else
        flit_due_at(model, end + model->leaving - 1, DUE_ARRIVED, number);
}

void flit_message_arrived(struct flit_model *model, uint32_t number)
{
    emit(model, TRANSIT_ARRIVED, number);
    model->n_messages--;
    flit_pool_give(&model->message_pool, number);
}
