/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model inside of the network: pieces that want an output, channels that they take,
 * credits, and the output that serves one of them (flit_parts.h has the words).
 *
 * The list `ready` of an output has the pieces that have a flit and a credit for it, or, if their
 * head still needs a channel, may find one; in the order in which they are to be served. Whether
 * there is a channel is looked at when it is their turn: who finds none goes to `waiting` until
 * one comes free.
 */
#include "simulate/flit_parts.h"

#include "base/memory.h"

#include <assert.h>

/* ---- the lists of an output ---- */

/* In the order of the list: by place, so that turns can be taken, or the oldest first. */
static bool flit_router_is_before(const struct flit_model *model, const struct piece *a,
                                  const struct piece *b)
{
    if (model->settings.arbitration == FLIT_AGE) {
        const uint64_t age_a = model->messages[a->message].birth;
        const uint64_t age_b = model->messages[b->message].birth;
        if (age_a != age_b)
            return age_a < age_b;
        if (a->message != b->message)
            return model->messages[a->message].sequence < model->messages[b->message].sequence;
    }
    return a->place < b->place;
}

static void insert_ready(struct flit_model *model, struct output *output, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    uint32_t before = output->last_ready, after = NOTHING;
    while (before != NOTHING && flit_router_is_before(model, piece, &model->pieces[before])) {
        after = before;
        before = model->pieces[before].before_ready;
    }
    piece->before_ready = before;
    piece->after_ready = after;
    *(before == NOTHING ? &output->first_ready : &model->pieces[before].after_ready) = number;
    *(after == NOTHING ? &output->last_ready : &model->pieces[after].before_ready) = number;
    piece->is_ready = true;
    output->n_ready++;
    if (piece->place > output->last_place &&
        (output->turn == NOTHING || piece->place < model->pieces[output->turn].place))
        output->turn = number;
}

static void remove_ready(struct flit_model *model, struct output *output, struct piece *piece)
{
    const uint32_t before = piece->before_ready, after = piece->after_ready;
    *(before == NOTHING ? &output->first_ready : &model->pieces[before].after_ready) = after;
    *(after == NOTHING ? &output->last_ready : &model->pieces[after].before_ready) = before;
    piece->is_ready = false;
    output->n_ready--;
    if (output->turn != NOTHING && piece == &model->pieces[output->turn])
        output->turn = after;
}

/* One that sleeps until its link is free (DUE_OUTPUT) is active, and not in the list. */
static void activate(struct flit_model *model, uint32_t number)
{
    struct output *output = &model->outputs[number];
    if (output->is_active)
        return;
    output->is_active = true;
    model->active[model->n_active++] = number;
}

/* A piece that has a flit to send, and a credit unless its head needs a channel. */
static void make_ready(struct flit_model *model, uint32_t number)
{
    const uint32_t output = model->pieces[number].output;
    insert_ready(model, &model->outputs[output], number);
    activate(model, output);
}

/* ---- channels ---- */

uint32_t flit_find_channel(const struct flit_model *model, uint32_t link, uint32_t number)
{
    uint32_t at = model->outputs[link].channels;
    while (at != NOTHING && model->channels[at].number != number)
        at = model->channels[at].next;
    return at;
}

uint32_t flit_allowed_channels(const struct flit_model *model, const struct piece *piece,
                               uint32_t *n)
{
    const struct message *message = &model->messages[piece->message];
    const uint32_t lane = message->hops[piece->hop].lane, given = model->settings.channels;
    *n = 1;
    if (model->settings.per_destination)
        return message->destination;
    if (model->choices)
        return piece->lane;
    if (!given)
        return lane;
    const uint32_t classes = given < model->n_lanes ? given : model->n_lanes;
    const uint32_t class = lane % classes, first = class * given / classes;
    *n = (class + 1) * given / classes - first;
    return first;
}

/* The credits without which a head takes no channel. */
static uint32_t flit_router_room_needed(const struct flit_model *model, const struct piece *piece)
{
    return model->settings.switching == FLIT_CUT_THROUGH ? piece->flits : 1;
}

/* Finds a channel from `first` to `end` with so many credits. */
static bool find_with_room(const struct flit_model *model, const struct piece *piece, uint32_t first,
                           uint32_t end, uint64_t room, uint32_t *number, uint32_t *channel)
{
    for (*number = first; *number < end; ++*number) {
        *channel = flit_find_channel(model, piece->output, *number);
        if (*channel == NOTHING)
            return true;
        const struct channel *found = &model->channels[*channel];
        if (found->holder == NOTHING && found->credits >= room)
            return true;
    }
    return false;
}

/* A channel that any message may take holds one packet, or has room for all of the next: who waits in it is
 * the first there, and can always go on in the channels of the rule (Duato 1993). */
bool flit_free_channel(const struct flit_model *model, const struct piece *piece, uint32_t *number,
                       uint32_t *channel)
{
    uint32_t n;
    if (model->choices && !model->settings.per_destination) {
        const uint64_t buffer = model->outputs[piece->output].buffer;
        const uint64_t room = piece->flits < buffer ? piece->flits : buffer;
        if (find_with_room(model, piece, model->n_lanes, model->settings.channels, room, number, channel))
            return true;
        if (piece->lane == NOTHING)
            return false;
    }
    const uint32_t first = flit_allowed_channels(model, piece, &n);
    return find_with_room(model, piece, first, first + n, flit_router_room_needed(model, piece), number,
                          channel);
}

static uint32_t new_channel(struct flit_model *model, uint32_t link, uint32_t number)
{
    struct output *output = &model->outputs[link];
    const uint32_t at = flit_pool_take(&model->channel_pool, &model->channels,
                                       sizeof *model->channels);
    model->channels[at] = (struct channel){
        .link = link, .number = number, .credits = output->buffer, .delay = output->credit,
        .holder = NOTHING, .front = NOTHING, .back = NOTHING, .next = output->channels};
    output->channels = at;
    return at;
}

/* Forgets a channel that nobody holds and whose buffer is empty. */
static void forget_idle(struct flit_model *model, uint32_t number)
{
    const struct channel *channel = &model->channels[number];
    struct output *output = &model->outputs[channel->link];
    if (channel->holder != NOTHING || channel->credits != output->buffer)
        return;
    assert(channel->front == NOTHING);
    uint32_t *at = &output->channels;
    while (*at != number)
        at = &model->channels[*at].next;
    *at = channel->next;
    flit_pool_give(&model->channel_pool, number);
}

/* True if the head of a piece finds a channel; where routes are adaptive, at any output that leads nearer. */
static bool flit_router_finds(struct flit_model *model, uint32_t number)
{
    uint32_t channel_number, channel;
    return model->choices ? flit_choose(model, number)
                          : flit_free_channel(model, &model->pieces[number], &channel_number, &channel);
}

/* Puts a head that found no channel aside. */
static void put_aside(struct flit_model *model, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    uint32_t *first = &model->first_waiting[model->outputs[piece->output].waiting];
    piece->is_waiting = true;
    piece->after_ready = *first;
    *first = number;
}

/* True if a head that waits could take a channel that nobody holds, if it may go by its link: as
 * flit_free_channel decides. Where routes are adaptive, its output and lane are those of the rule. */
static bool flit_router_fits(const struct flit_model *model, const struct piece *piece,
                             const struct channel *channel)
{
    const bool is_for_all = model->choices && !model->settings.per_destination;
    const uint64_t buffer = model->outputs[channel->link].buffer;
    uint32_t n;
    const uint32_t first = flit_allowed_channels(model, piece, &n);
    if (channel->number - first < n && (!is_for_all || piece->output == channel->link) &&
        channel->credits >= flit_router_room_needed(model, piece))
        return true;
    return is_for_all && channel->number >= model->n_lanes &&
           channel->credits >= (piece->flits < buffer ? piece->flits : buffer);
}

/* Lets the heads that wait for a channel try again, which nobody holds: all others that they may take are as
 * they were when they found none. */
static void wake_waiting(struct flit_model *model, const struct channel *channel)
{
    uint32_t *first = &model->first_waiting[model->outputs[channel->link].waiting], at = *first;
    *first = NOTHING;
    while (at != NOTHING) {
        const uint32_t number = at;
        at = model->pieces[number].after_ready;
        if (flit_router_fits(model, &model->pieces[number], channel) && flit_router_finds(model, number)) {
            model->pieces[number].is_waiting = false;
            make_ready(model, number);
        } else {
            put_aside(model, number);
        }
    }
}

/* ---- what happens to a piece ---- */

void flit_wants(struct flit_model *model, uint32_t number)
{
    const struct piece *piece = &model->pieces[number];
    if (piece->is_ready || piece->is_waiting)
        return;
    if (model->choices && piece->ahead == NOTHING && !piece->is_at_machine && !flit_choose(model, number))
        put_aside(model, number);
    else if (piece->toward == NOTHING || model->channels[piece->toward].credits)
        make_ready(model, number);
}

static void flit_router_arrives(struct flit_model *model, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    piece->arrived++;
    if (piece->is_front)
        flit_wants(model, number);
}

static void to_front(struct flit_model *model, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    piece->is_front = true;
    if (piece->arrived)
        flit_wants(model, number);
}

static void credit(struct flit_model *model, uint32_t number)
{
    struct channel *channel = &model->channels[number];
    channel->credits++;
    if (channel->holder == NOTHING) {
        wake_waiting(model, channel);
        forget_idle(model, number);
        return;
    }
    const struct piece *holder = &model->pieces[channel->holder];
    if (holder->arrived > holder->sent)
        flit_wants(model, channel->holder);
}

void flit_do_due(struct flit_model *model)
{
    struct due_list *list = flit_due_now(model);
    for (size_t i = 0; i < list->n; i++) {
        const uint32_t number = list->items[i] >> DUE_BITS;
        switch ((enum due)(list->items[i] & ((1u << DUE_BITS) - 1))) {
        case DUE_FLIT:
            flit_router_arrives(model, number);
            break;
        case DUE_CREDIT: credit(model, number); break;
        case DUE_FRONT: to_front(model, number); break;
        case DUE_OUTPUT: model->active[model->n_active++] = number; break;
        case DUE_ARRIVED: flit_message_arrived(model, number); break;
        case DUE_START: flit_nic_start(model, number); break;
        case DUE_NIC: flit_nic_wake(model, number); break;
        case DUE_CHOOSE:
            flit_wants(model, number);
            break;
        }
    }
    flit_due_done(model, list);
}

uint32_t flit_new_piece(struct flit_model *model, uint32_t message, uint32_t hop, uint32_t flits)
{
    const struct message *of = &model->messages[message];
    const uint32_t number = flit_pool_take(&model->piece_pool, &model->pieces,
                                           sizeof *model->pieces);
    model->pieces[number] =
        (struct piece){.message = message,
                       .channel = NOTHING,
                       .after = NOTHING,
                       .ahead = NOTHING,
                       .toward = NOTHING,
                       .lane = NOTHING,
                       .hop = hop,
                       .is_at_machine = hop == of->n_hops,
                       .flits = flits,
                       .is_front = true,
                       .output = hop < of->n_hops ? of->hops[hop].link
                                                  : model->network.topology->n_link_ids + of->destination};
    return number;
}

/* ---- service ---- */

/* The head of a piece takes a channel of its link, if it needs one, and there is one. */
static bool flit_router_enter_link(struct flit_model *model, uint32_t number)
{
    uint32_t channel_number = 0, at = NOTHING;
    const struct piece *piece = &model->pieces[number];
    const bool is_open = model->outputs[piece->output].is_open;
    if (!is_open && !flit_free_channel(model, piece, &channel_number, &at))
        return false;
    const uint32_t link = piece->output;
    const uint32_t ahead = flit_new_piece(model, piece->message, piece->hop + 1, piece->flits);
    model->pieces[number].ahead = ahead;
    if (is_open) {
        model->pieces[ahead].place = FLIT_PLACE(link, 0);
        return true;
    }
    if (at == NOTHING)
        at = new_channel(model, link, channel_number);
    struct channel *channel = &model->channels[at];
    channel->holder = number;
    struct piece *next = &model->pieces[ahead];
    model->pieces[number].toward = next->channel = at;
    next->place = FLIT_PLACE(link, channel_number);
    if (channel->front == NOTHING) {
        channel->front = ahead;
    } else {
        model->pieces[channel->back].after = ahead;
        next->is_front = false;
    }
    channel->back = ahead;
    return true;
}

/* The last flit of a piece has gone: its buffer is the next piece's, its channel is free. */
static void flit_router_leave(struct flit_model *model, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    struct output *output = &model->outputs[piece->output];
    if (output->held == number)
        output->held = NOTHING;
    if (piece->toward != NOTHING) {
        model->channels[piece->toward].holder = NOTHING;
        wake_waiting(model, &model->channels[piece->toward]);
    }
    if (piece->channel != NOTHING) {
        struct channel *channel = &model->channels[piece->channel];
        channel->front = piece->after;
        if (piece->after == NOTHING)
            channel->back = NOTHING;
        else
            flit_due_at(model, model->now + 1, DUE_FRONT, piece->after);
    } else if (piece->hop == 0) {
        flit_packet_left(model, piece->message, (uint32_t)piece->place);
    }
    piece->message = NOTHING;
    flit_pool_give(&model->piece_pool, number);
}

/* A flit of a packet that is at its machine. */
static void flit_router_receive(struct flit_model *model, struct piece *piece)
{
    struct message *message = &model->messages[piece->message];
    if (message->unreceived == message->flits)
        message->first_arrival = model->now;
    if (!--message->unreceived)
        flit_message_received(model, piece->message);
}

/* Sends a flit of a ready piece of the output. False: its head has found no channel. */
static bool send_flit(struct flit_model *model, struct output *output, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    if (!piece->is_at_machine && piece->ahead == NOTHING) {
        if (!flit_router_enter_link(model, number))
            return false;
        piece = &model->pieces[number]; /* moved perhaps */
    }
    model->n_moves++;
    piece->sent++;
    uint64_t credits = 1;
    if (piece->is_at_machine) {
        flit_router_receive(model, piece);
    } else {
        flit_due_at(model, model->now + output->delay, DUE_FLIT, piece->ahead);
        if (piece->toward != NOTHING)
            credits = --model->channels[piece->toward].credits;
    }
    if (piece->channel != NOTHING)
        flit_due_at(model, model->now + model->channels[piece->channel].delay, DUE_CREDIT,
                    piece->channel);
    output->held = number;
    output->last_place = piece->place;
    output->turn = piece->after_ready;
    piece->served_at = model->now + 1;
    if (piece->sent == piece->arrived || !credits)
        remove_ready(model, output, piece);
    if (piece->sent == piece->flits)
        flit_router_leave(model, number);
    return true;
}

/* Another has taken the channel that the head of a ready piece had found. Where routes are adaptive, it looks
 * at the other outputs in the next cycle: serving activates none. */
static void wait_for_channel(struct flit_model *model, struct output *output, uint32_t number)
{
    remove_ready(model, output, &model->pieces[number]);
    if (model->choices)
        flit_due_at(model, model->now + 1, DUE_CHOOSE, number);
    else
        put_aside(model, number);
}

/* The ready piece whose turn it is. Of the oldest first, the oldest. */
static uint32_t next_in_turn(const struct flit_model *model, const struct output *output)
{
    return output->turn == NOTHING || model->settings.arbitration == FLIT_AGE
               ? output->first_ready : output->turn;
}

/* False: nothing could be sent. */
static bool serve_link(struct flit_model *model, struct output *output)
{
    if (model->settings.arbitration == FLIT_PACKET && output->held != NOTHING &&
        model->pieces[output->held].is_ready)
        return send_flit(model, output, output->held);
    while (output->first_ready != NOTHING) {
        const uint32_t number = next_in_turn(model, output);
        if (send_flit(model, output, number))
            return true;
        wait_for_channel(model, output, number);
    }
    return false;
}

/* Without channels: `at_once` pieces get a flit each; if packets are held, first those that had
 * one in the last cycle. */
static bool serve_open(struct flit_model *model, struct output *output)
{
    const bool holds = model->settings.arbitration == FLIT_PACKET && model->now;
    const uint32_t start = next_in_turn(model, output);
    uint32_t n = 0;
    for (int round = !holds; round < 2 && start != NOTHING; round++) {
        uint32_t at = start;
        do {
            const bool goes_on = holds && model->pieces[at].served_at == model->now;
            if (goes_on == !round && n < output->at_once) {
                if (n == model->chosen_capacity)
                    model->chosen = mem_grow(model->chosen, &model->chosen_capacity,
                                             (size_t)n + 1, sizeof *model->chosen);
                model->chosen[n++] = at;
            }
            at = model->pieces[at].after_ready;
            at = at == NOTHING ? output->first_ready : at;
        } while (at != start);
    }
    for (uint32_t i = 0; i < n; i++)
        send_flit(model, output, model->chosen[i]);
    return n > 0;
}

/* An output with something ready. True: so it is in the next cycle. */
static bool flit_router_serve(struct flit_model *model, uint32_t number)
{
    struct output *output = &model->outputs[number];
    const uint64_t now = model->now << PERIOD_BITS;
    if (output->free_at >= now + (UINT64_C(1) << PERIOD_BITS)) {
        flit_due_at(model, output->free_at >> PERIOD_BITS, DUE_OUTPUT, number);
        return false;
    }
    if (output->is_open ? serve_open(model, output) : serve_link(model, output))
        output->free_at = (output->free_at > now ? output->free_at : now) + output->period;
    output->is_active = output->first_ready != NOTHING;
    return output->is_active;
}

/* Serving activates no other output. */
void flit_serve_all(struct flit_model *model)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < model->n_active; i++)
        if (flit_router_serve(model, model->active[i]))
            model->active[n++] = model->active[i];
    model->n_active = n;
}
