/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive routing in the flit model. The head of a packet that is first in its buffer takes the output with
 * the shortest queue of those that lead one hop nearer and have a channel for it; of equally short ones that
 * of the routing rule, then the one with the lowest number. So do BlueGene/L (Blumrich et al. 2003),
 * InfiniBand switches and Slingshot, each with a measure of its own. The queue of an output is the flits
 * behind it, as the credits say, and the packets that are ready for it.
 *
 * The first channels of a link are those of the rule, one for each of its lanes, and only for who goes by the
 * rule. All others are for anybody. A head that finds no channel waits for all outputs that lead nearer at
 * once.
 */
#include "simulate/flit_parts.h"

#include "base/memory.h"
#include "network/adaptive.h"

/* Heads wait at their node. */
void flit_choose_init(struct flit_model *model)
{
    const struct topology *topology = model->network.topology;
    model->choices = mem_alloc(topology_max_choices(topology), sizeof *model->choices);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from;
        if (topology_has_link(topology, link))
            topology_link_ends(topology, link, &from, &model->outputs[link].to);
        if (topology_has_link(topology, link))
            model->outputs[link].waiting = from;
    }
}

/* Returns the node at which the head of a piece is. */
static uint32_t flit_choose_node(const struct flit_model *model, const struct piece *piece)
{
    return piece->hop ? model->outputs[piece->place >> 32].to : model->messages[piece->message].source;
}

/* Returns the flits that are in line for an output before a piece. */
static uint64_t queue_of(const struct flit_model *model, uint32_t number, const struct piece *piece)
{
    const struct output *output = &model->outputs[number];
    uint64_t flits = (uint64_t)output->n_ready * piece->flits;
    for (uint32_t at = output->channels; at != NOTHING; at = model->channels[at].next)
        flits += output->buffer - model->channels[at].credits;
    return flits;
}

bool flit_choose(struct flit_model *model, uint32_t number)
{
    struct piece *piece = &model->pieces[number];
    const struct hop *choices = model->choices;
    const uint32_t n = topology_next_choices(model->network.topology, flit_choose_node(model, piece),
                                             model->messages[piece->message].destination, model->choices);
    uint64_t shortest = UINT64_MAX;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t channel_number, channel;
        piece->output = choices[i].link;
        piece->lane = i ? NOTHING : choices[0].lane;
        if (!flit_free_channel(model, piece, &channel_number, &channel))
            continue;
        const uint64_t queue = queue_of(model, piece->output, piece);
        if (queue >= shortest)
            continue;
        shortest = queue;
        chosen = i;
    }
    piece->output = choices[chosen].link;
    piece->lane = chosen ? NOTHING : choices[0].lane;
    return shortest < UINT64_MAX;
}
