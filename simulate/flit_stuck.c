/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When nothing moves any more in the flit model: which packets wait for each other in a cycle.
 */
#include "simulate/flit_parts.h"

#include "base/memory.h"

/* The piece for which a piece waits; NOTHING if that cannot be said. */
static uint32_t waits_for(const struct flit_model *model, uint32_t number)
{
    const struct piece *piece = &model->pieces[number];
    if (!piece->is_front)
        return model->channels[piece->channel].front;
    if (piece->arrived == piece->sent) /* for more of its packet, which is further back */
        return piece->channel == NOTHING ? NOTHING : model->channels[piece->channel].holder;
    uint32_t channel = NOTHING;
    if (piece->toward != NOTHING) {
        channel = piece->toward;
    } else if (piece->is_waiting) {
        uint32_t n;
        const uint32_t first = flit_allowed_channels(model, piece, &n);
        channel = flit_find_channel(model, piece->output, first);
        if (channel != NOTHING && model->channels[channel].holder != NOTHING)
            return model->channels[channel].holder;
    }
    return channel == NOTHING ? NOTHING : model->channels[channel].front;
}

/* A piece that is still at its sender has the buffer of none, and the next says more. */
static bool name_piece(const struct flit_model *model, uint32_t number, struct text *out)
{
    const struct topology *topology = model->network.topology;
    const struct piece *piece = &model->pieces[number];
    const struct message *message = &model->messages[piece->message];
    if (piece->channel == NOTHING)
        return false;
    const struct channel *channel = &model->channels[piece->channel];
    char name[2][64];
    uint32_t ends[2];
    topology_link_ends(topology, channel->link, &ends[0], &ends[1]);
    for (int i = 0; i < 2; i++)
        topology_node_name(topology, ends[i], name[i], sizeof name[i]);
    text_printf(out, "%srank %u's message to rank %u in the buffer of %s -> %s, channel %u",
                out->length ? ", which waits for " : "", message->from, message->to, name[0],
                name[1], channel->number);
    return true;
}

/* A piece from which one comes back to itself; NOTHING: there is none that waits from `number`. */
static uint32_t flit_stuck_find_cycle(const struct flit_model *model, uint32_t number)
{
    for (uint32_t i = 0; i < model->piece_pool.n && number != NOTHING; i++)
        number = waits_for(model, number);
    return number;
}

uint32_t flit_stuck(struct network_model *base, char **why)
{
    enum { SHOWN = 16 };
    const struct flit_model *model = (const struct flit_model *)base;
    struct text text = {0};
    uint32_t first = NOTHING;
    for (uint32_t i = 0; i < model->piece_pool.n && first == NOTHING; i++)
        if (model->pieces[i].message != NOTHING)
            first = flit_stuck_find_cycle(model, i);
    *why = NULL;
    if (!model->n_messages || first == NOTHING)
        return model->n_messages;
    uint32_t at = first, n = 0, n_more = 0;
    do {
        if (n == SHOWN)
            n_more += model->pieces[at].channel != NOTHING;
        else
            n += name_piece(model, at, &text);
        at = waits_for(model, at);
    } while (at != first);
    if (n_more)
        text_printf(&text, ", and so on over %u more", n_more);
    text_printf(&text, ", which waits for the first");
    *why = text.data;
    return model->n_messages;
}
