/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model as a model of a network: what it makes of a topology, messages in, and the
 * cycle (flit.h).
 */
#include "simulate/flit_parts.h"

#include "base/memory.h"
#include "network/adaptive.h"
#include "simulate/models.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct flit_model *of(struct network_model *base)
{
    return (struct flit_model *)base;
}

/* ---- messages in ---- */

/* The first cycle that begins at `time` or later. */
static uint64_t cycle_from(const struct flit_model *model, uint64_t time)
{
    if (!time)
        return 0;
    const divider_product bytes = (divider_product)(time - 1) * model->bandwidth;
    return (uint64_t)(bytes / ((divider_product)model->settings.flit_bytes * 1000000000u)) + 1;
}

/* The cycles in which a flit of it goes over one link after the other, and those of all. */
static void lone_times(const struct flit_model *model, struct message *message)
{
    uint64_t period = UINT64_C(1) << PERIOD_BITS;
    message->lone_latency = model->leaving - 1;
    for (uint32_t i = 0; i < message->n_hops; i++) {
        const struct output *link = &model->outputs[message->hops[i].link];
        const uint64_t round = link->delay + link->credit;
        message->lone_latency += link->delay;
        period = link->period > period ? link->period : period;
        if (!link->is_open && (round << PERIOD_BITS) / link->buffer > period)
            period = (round << PERIOD_BITS) / link->buffer;
    }
    message->lone_cycles = (uint64_t)((divider_product)message->flits * period >> PERIOD_BITS);
}

static bool flit_send(struct network_model *base, const struct transit *transit, uint64_t time)
{
    struct flit_model *model = of(base);
    const struct topology *topology = model->network.topology;
    const uint32_t n =
        topology_route_over(topology, transit->network, transit->source, transit->destination, model->route);
    if (!n)
        return false;
    const uint32_t taken = model->message_pool.n;
    const uint32_t number = flit_pool_take(&model->message_pool, &model->messages,
                                           sizeof *model->messages);
    struct message *message = &model->messages[number];
    if (number == taken)
        *message = (struct message){.hops = NULL};
    const uint64_t flits = transit->bytes / model->settings.flit_bytes +
                           (transit->bytes % model->settings.flit_bytes || !transit->bytes);
    *message = (struct message){
        .id = transit->id, .from = transit->from, .to = transit->to, .source = transit->source,
        .destination = transit->destination, .hops = message->hops, .capacity = message->capacity,
        .n_hops = n, .sequence = model->n_taken++, .flits = flits, .unsent = flits,
        .unreceived = flits, .next = NOTHING};
    message->hops = mem_grow(message->hops, &message->capacity, n, sizeof *message->hops);
    memcpy(message->hops, model->route, n * sizeof *message->hops);
    lone_times(model, message);
    message->time = time;
    message->birth = cycle_from(model, time);
    if (message->birth < model->now)
        message->birth = model->now;
    if (model->settings.jitter_cycles)
        message->birth += flit_draw(model, JITTER, message->sequence) %
                          ((uint64_t)model->settings.jitter_cycles + 1);
    model->n_messages++;
    flit_due_at(model, message->birth, DUE_START, number);
    return true;
}

/* ---- time ---- */

static void do_cycle(struct flit_model *model)
{
    flit_do_due(model);
    const uint32_t n_dirty = model->n_dirty;
    model->n_dirty = 0;
    for (uint32_t i = 0; i < n_dirty; i++)
        flit_nic_send(model, model->dirty[i]);
    flit_serve_all(model);
    model->now++;
}

/* The next cycle in which something happens. */
static uint64_t next_cycle(const struct flit_model *model)
{
    return model->n_active || model->n_dirty ? model->now : flit_due_next(model);
}

static uint64_t flit_next(struct network_model *base)
{
    const struct flit_model *model = of(base);
    const uint64_t cycle = next_cycle(model);
    return cycle == SIMULATE_NEVER ? cycle : flit_time(model, cycle + 1);
}

static void flit_advance(struct network_model *base, uint64_t time, struct transit_events *events)
{
    struct flit_model *model = of(base);
    model->events = events;
    for (uint64_t cycle = next_cycle(model);
         cycle != SIMULATE_NEVER && flit_time(model, cycle + 1) <= time;
         cycle = next_cycle(model)) {
        model->now = cycle;
        do_cycle(model);
    }
    model->events = NULL;
}

uint64_t flit_cycles(const struct network_model *base)
{
    return ((const struct flit_model *)base)->now;
}

uint64_t flit_moves(const struct network_model *base)
{
    return ((const struct flit_model *)base)->n_moves;
}

/* ---- from a topology ---- */

static void find_clock(struct flit_model *model)
{
    const struct topology *topology = model->network.topology;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        const uint64_t bandwidth = topology_link_bandwidth(topology, link);
        model->bandwidth = bandwidth > model->bandwidth ? bandwidth : model->bandwidth;
    }
    if (!model->bandwidth)
        model->bandwidth = topology->bandwidth;
    if (model->network.process_bandwidth && model->network.process_bandwidth < model->bandwidth)
        model->rank_period = (uint64_t)(((divider_product)model->bandwidth << PERIOD_BITS) /
                                        model->network.process_bandwidth);
}

static void make_link(struct flit_model *model, uint32_t link)
{
    const struct topology *topology = model->network.topology;
    const struct flit_settings *settings = &model->settings;
    struct output *output = &model->outputs[link];
    const uint64_t latency =
        settings->has_latency ? cycle_from(model, topology_link_latency(topology, link)) : 0;
    const divider_product period = ((divider_product)model->bandwidth << PERIOD_BITS) /
                                   topology_link_bandwidth(topology, link);
    output->period = (uint64_t)period;
    output->delay = settings->router_cycles + latency;
    output->credit = settings->credit_cycles + latency;
    output->buffer = settings->buffer_flits ? settings->buffer_flits
                                            : output->delay + output->credit +
                                                  settings->packet_flits;
    output->is_open = !topology_link_contends(topology, link);
    output->at_once = output->is_open ? UINT32_MAX : 1;
}

/* Ports of the machines: as set, or said by the topology, or one for each link out. */
static void make_machines(struct flit_model *model)
{
    const struct topology *topology = model->network.topology;
    const uint32_t said = model->settings.ports ? model->settings.ports : topology->ports;
    for (uint32_t link = 0; !said && link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from < topology->n_machines)
            model->nics[from].n_ports++;
    }
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        struct nic *nic = &model->nics[machine];
        struct output *output = &model->outputs[topology->n_link_ids + machine];
        if (said || !nic->n_ports)
            nic->n_ports = said ? said : 1;
        *output = (struct output){.period = UINT64_C(1) << PERIOD_BITS, .is_open = true,
                                  .at_once = nic->n_ports};
    }
}

uint32_t flit_lanes(const struct topology *topology)
{
    enum { LOOKED_AT = 1 << 14 };
    const uint64_t n = topology->n_machines, n_pairs = n * n;
    const uint64_t stride = n_pairs / LOOKED_AT + 1;
    const uint32_t most = topology->is_adaptive ? topology_max_choices(topology) : topology->max_hops;
    struct hop *hops = mem_alloc((size_t)most + 1, sizeof *hops);
    uint32_t lanes = 1;
    for (uint64_t pair = 0; pair < n_pairs && topology_has_lanes(topology); pair += stride) {
        const uint32_t from = (uint32_t)(pair / n), to = (uint32_t)(pair % n);
        uint32_t n_hops = topology->is_adaptive ? topology_next_choices(topology, from, to, hops) > 0
                                                : topology_route(topology, from, to, hops);
        for (uint32_t i = 0; i < n_hops; i++)
            lanes = hops[i].lane >= lanes ? hops[i].lane + 1 : lanes;
    }
    free(hops);
    return lanes;
}

static void flit_free(struct network_model *base)
{
    struct flit_model *model = of(base);
    for (uint32_t i = 0; i < model->message_pool.n; i++)
        free(model->messages[i].hops);
    for (uint32_t i = 0; i < model->network.topology->n_machines; i++)
        free(model->nics[i].ranks);
    for (uint32_t i = 0; i < model->network.topology->n_machines; i++)
        free(model->nics[i].is_busy);
    for (uint32_t i = 0; i < DUE_SOON; i++)
        free(model->soon[i].items);
    for (size_t i = 0; i < model->n_spare; i++)
        free(model->spare[i].items);
    void *parts[] = {model->messages,
                     model->pieces,
                     model->channels,
                     model->message_pool.free,
                     model->piece_pool.free,
                     model->channel_pool.free,
                     model->outputs,
                     model->first_waiting,
                     model->choices,
                     model->nics,
                     model->senders,
                     model->active,
                     model->dirty,
                     model->route,
                     model->chosen,
                     model->later.items,
                     model->spare,
                     model};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

static const struct network_model_methods methods = {.name = "flit",
                                                     .send = flit_send,
                                                     .next = flit_next,
                                                     .advance = flit_advance,
                                                     .stuck = flit_stuck,
                                                     .free = flit_free};

struct network_model *simulate_flit(const struct network_model_settings *network)
{
    const struct flit_settings defaults = flit_defaults();
    const struct flit_settings *settings = network->flit ? network->flit : &defaults;
    const struct topology *topology = network->topology;
    const uint32_t n_outputs = topology->n_link_ids + topology->n_machines;
    assert(!flit_check(settings));
    struct flit_model *model = mem_alloc(1, sizeof *model);
    model->base.methods = &methods;
    model->network = *network;
    model->settings = *settings;
    model->network.flit = &model->settings;
    model->leaving = settings->router_cycles + 2 * (uint64_t)settings->host_cycles;
    model->route = mem_alloc(topology->max_hops + 1, sizeof *model->route);
    model->outputs = mem_alloc(n_outputs, sizeof *model->outputs);
    model->first_waiting = mem_alloc(n_outputs > topology->n_nodes ? n_outputs : topology->n_nodes,
                                     sizeof *model->first_waiting);
    model->active = mem_alloc(n_outputs, sizeof *model->active);
    model->nics = mem_alloc(topology->n_machines, sizeof *model->nics);
    model->dirty = mem_alloc(topology->n_machines, sizeof *model->dirty);
    model->senders = mem_alloc(network->placement->n_ranks, sizeof *model->senders);
    for (uint32_t rank = 0; rank < network->placement->n_ranks; rank++)
        model->senders[rank].first = model->senders[rank].last = NOTHING;
    find_clock(model);
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link))
            make_link(model, link);
    make_machines(model);
    for (uint32_t i = 0; i < n_outputs; i++) {
        struct output *output = &model->outputs[i];
        output->channels = output->held = output->turn = NOTHING;
        output->first_ready = output->last_ready = NOTHING;
        output->waiting = i;
    }
    for (uint32_t i = 0; i < n_outputs || i < topology->n_nodes; i++)
        model->first_waiting[i] = NOTHING;
    if (topology->is_adaptive)
        flit_choose_init(model);
    model->n_lanes = flit_lanes(topology);
    if (topology->is_adaptive && !model->settings.channels)
        model->settings.channels = model->n_lanes + 1;
    return &model->base;
}
