/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See flit_naive.h. A buffer is an array of flits in the order in which they were sent, with the
 * cycle from which on each is there; a credit is back when its cycle has come.
 */
#include "tests/unit/flit_naive.h"

#include "base/memory.h"

#include <stdlib.h>

struct flit {
    uint32_t message, packet, left; /* left: flits of its packet after this one */
    uint64_t there;
};
struct buffer { /* behind (link, channel); the last ones are those of ports */
    struct flit *flits;
    size_t n, first, capacity;
    uint64_t *credits; /* cycles at which room came back */
    size_t n_credits, credit_capacity, sent;
    int64_t holder;    /* message << 32 | packet that is being sent into it, or -1 */
    uint32_t hop;      /* of a port: not used */
};
struct naive {
    const struct network_model_settings *network;
    const struct flit_settings *settings;
    struct naive_message *messages;
    uint32_t n_messages, n_links, n_channels, n_ports, n_lanes;
    struct hop hops[NAIVE_MESSAGES][NAIVE_HOPS];
    uint32_t n_hops[NAIVE_MESSAGES];
    uint64_t unsent[NAIVE_MESSAGES], received[NAIVE_MESSAGES], packets[NAIVE_MESSAGES];
    bool is_in_port[NAIVE_MESSAGES];
    struct buffer *buffers;
    uint64_t *served;       /* [buffer] cycle after that in which it last sent */
    int64_t *packet;        /* [buffer] whose flit that was */
    uint32_t *last;         /* [output] buffer served last */
    int64_t *held;          /* [link] the packet served last */
    double *free_at;        /* [link] */
    uint64_t bandwidth, cycle, n_moves;
};

static uint64_t delay(const struct naive *naive, uint32_t link, uint64_t router)
{
    const struct topology *topology = naive->network->topology;
    if (!naive->settings->has_latency)
        return router;
    const double ns = (double)topology_link_latency(topology, link);
    const double cycle = naive->settings->flit_bytes * 1e9 / (double)naive->bandwidth;
    uint64_t cycles = (uint64_t)(ns / cycle);
    while ((double)cycles * cycle < ns)
        cycles++;
    return router + cycles;
}

static uint64_t room(const struct naive *naive, uint32_t link)
{
    const struct flit_settings *settings = naive->settings;
    return settings->buffer_flits
               ? settings->buffer_flits
               : delay(naive, link, settings->router_cycles) +
                     delay(naive, link, settings->credit_cycles) + settings->packet_flits;
}

static uint64_t credits(const struct naive *naive, uint32_t link, uint32_t channel)
{
    const struct buffer *buffer = &naive->buffers[link * naive->n_channels + channel];
    uint64_t n = room(naive, link) - buffer->sent;
    for (size_t i = 0; i < buffer->n_credits; i++)
        n += buffer->credits[i] <= naive->cycle;
    return n;
}

/* The link that a flit in a buffer wants, or n_links + machine. */
static uint32_t output_of(const struct naive *naive, const struct flit *flit, uint32_t buffer)
{
    const uint32_t n_hops = naive->n_hops[flit->message];
    uint32_t next = 0;
    if (buffer < naive->n_links * naive->n_channels) {
        while (naive->hops[flit->message][next].link != buffer / naive->n_channels)
            next++;
        next++;
    }
    return next == n_hops ? naive->n_links + naive->messages[flit->message].destination
                          : naive->hops[flit->message][next].link;
}

static int64_t packet_of(const struct flit *flit)
{
    return (int64_t)flit->message << 32 | flit->packet;
}

/* The channel of a link that a flit may be sent into, or n_channels. */
static uint32_t channel_for(const struct naive *naive, const struct flit *flit, uint32_t link)
{
    const struct flit_settings *settings = naive->settings;
    const uint32_t n = naive->n_channels;
    uint32_t hop = 0, needed = 1, class, classes = settings->channels;
    for (uint32_t i = 0; i < n; i++)
        if (naive->buffers[link * n + i].holder == packet_of(flit))
            return credits(naive, link, i) ? i : n;
    while (naive->hops[flit->message][hop].link != link)
        hop++;
    if (settings->switching == FLIT_CUT_THROUGH)
        needed = flit->left + 1;
    if (settings->per_destination || !classes || classes > naive->n_lanes)
        classes = settings->per_destination || !settings->channels ? n : naive->n_lanes;
    class = settings->per_destination ? naive->messages[flit->message].destination
                                      : naive->hops[flit->message][hop].lane % classes;
    for (uint32_t i = class * n / classes; i < (class + 1) * n / classes; i++)
        if (naive->buffers[link * n + i].holder < 0 && credits(naive, link, i) >= needed)
            return i;
    return n;
}

/* True if an output serves buffer `a` before `b`: the older message by age, else the next one. */
static bool is_before(const struct naive *naive, uint32_t output, uint32_t a, uint32_t b)
{
    const struct flit *flit_a = &naive->buffers[a].flits[naive->buffers[a].first];
    const struct flit *flit_b = &naive->buffers[b].flits[naive->buffers[b].first];
    if (naive->settings->arbitration == FLIT_AGE) {
        const struct naive_message *from = &naive->messages[flit_a->message];
        const struct naive_message *to = &naive->messages[flit_b->message];
        if (from->time != to->time)
            return from->time < to->time;
        if (from != to)
            return from < to;
    }
    if (naive->settings->arbitration == FLIT_AGE)
        return a < b;
    const bool is_behind_a = a > naive->last[output], is_behind_b = b > naive->last[output];
    return is_behind_a != is_behind_b ? is_behind_a : a < b;
}

static void start_packets(struct naive *naive)
{
    const uint32_t n_inside = naive->n_links * naive->n_channels;
    const struct topology *topology = naive->network->topology;
    for (uint32_t port = 0; port < naive->n_ports * topology->n_machines; port++) {
        struct buffer *buffer = &naive->buffers[n_inside + port];
        if (buffer->first < buffer->n)
            continue;
        uint32_t best = NAIVE_MESSAGES;
        for (uint32_t i = 0; i < naive->n_messages; i++) {
            const struct naive_message *message = &naive->messages[i];
            bool may = message->time <= naive->cycle && naive->unsent[i] &&
                       !naive->is_in_port[i] && message->source == port / naive->n_ports;
            for (uint32_t j = 0; j < i; j++) /* the first of its rank */
                may = may && !(naive->messages[j].from == message->from && naive->unsent[j] &&
                               !naive->is_in_port[j] && naive->messages[j].time <= naive->cycle);
            if (!may)
                continue;
            bool is_better = best == NAIVE_MESSAGES;
            if (!is_better && naive->network->order == SEND_LOCKSTEP)
                is_better = naive->packets[i] < naive->packets[best] ||
                            (naive->packets[i] == naive->packets[best] &&
                             message->from < naive->messages[best].from);
            best = is_better ? i : best;
        }
        if (best == NAIVE_MESSAGES)
            continue;
        const uint64_t most = naive->settings->packet_flits;
        uint32_t n = (uint32_t)(naive->unsent[best] < most ? naive->unsent[best] : most);
        naive->unsent[best] -= n;
        naive->is_in_port[best] = true;
        for (; n; n--) {
            buffer->flits = mem_grow(buffer->flits, &buffer->capacity, buffer->n + 1,
                                     sizeof *buffer->flits);
            buffer->flits[buffer->n++] =
                (struct flit){best, (uint32_t)naive->packets[best], n - 1, naive->cycle};
        }
    }
}

static void move(struct naive *naive, uint32_t from, uint32_t channel)
{
    const uint32_t n_inside = naive->n_links * naive->n_channels;
    struct buffer *buffer = &naive->buffers[from];
    struct flit flit = buffer->flits[buffer->first];
    const uint32_t output = output_of(naive, &flit, from);
    struct naive_message *message = &naive->messages[flit.message];
    const struct flit_settings *settings = naive->settings;
    buffer->first++;
    naive->n_moves++;
    if (from < n_inside) {
        buffer->credits = mem_grow(buffer->credits, &buffer->credit_capacity,
                                   buffer->n_credits + 1, sizeof *buffer->credits);
        buffer->credits[buffer->n_credits++] =
            naive->cycle + delay(naive, from / naive->n_channels, settings->credit_cycles);
    } else if (!flit.left) {
        naive->is_in_port[flit.message] = false;
        naive->packets[flit.message]++;
        if (!naive->unsent[flit.message])
            message->left = naive->cycle + 1;
    }
    naive->served[from] = naive->cycle + 1;
    naive->packet[from] = packet_of(&flit);
    naive->last[output] = from;
    if (output >= naive->n_links) {
        if (++naive->received[flit.message] == message->flits)
            message->arrived = naive->cycle + settings->router_cycles + 2 * settings->host_cycles;
        return;
    }
    struct buffer *next = &naive->buffers[output * naive->n_channels + channel];
    next->holder = flit.left ? packet_of(&flit) : -1;
    next->sent++;
    naive->held[output] = packet_of(&flit);
    const double free_at = naive->free_at[output];
    naive->free_at[output] =
        (free_at > (double)naive->cycle ? free_at : (double)naive->cycle) +
        (double)naive->bandwidth /
            (double)topology_link_bandwidth(naive->network->topology, output);
    flit.there = naive->cycle + delay(naive, output, settings->router_cycles);
    next->flits = mem_grow(next->flits, &next->capacity, next->n + 1, sizeof *next->flits);
    next->flits[next->n++] = flit;
}

/* The buffers whose first flits an output sends in this cycle; which of them are taken already. */
static uint32_t choose(const struct naive *naive, uint32_t output, const bool *is_taken)
{
    const uint32_t n_all = naive->n_links * naive->n_channels +
                           naive->n_ports * naive->network->topology->n_machines;
    uint32_t best = n_all;
    bool best_goes_on = false;
    if (output < naive->n_links && naive->free_at[output] >= (double)naive->cycle + 1)
        return best;
    for (uint32_t i = 0; i < n_all; i++) {
        const struct buffer *buffer = &naive->buffers[i];
        const struct flit *flit = &buffer->flits[buffer->first];
        if (is_taken[i] || buffer->first == buffer->n || flit->there > naive->cycle ||
            output_of(naive, flit, i) != output)
            continue;
        if (output < naive->n_links && channel_for(naive, flit, output) == naive->n_channels)
            continue;
        if (output < naive->n_links && naive->settings->arbitration == FLIT_PACKET &&
            naive->held[output] == packet_of(flit))
            return i;
        const bool goes_on = output >= naive->n_links && naive->cycle &&
                             naive->settings->arbitration == FLIT_PACKET &&
                             naive->served[i] == naive->cycle &&
                             naive->packet[i] == packet_of(flit);
        if (best == n_all || (goes_on && !best_goes_on) ||
            (goes_on == best_goes_on && is_before(naive, output, i, best))) {
            best = i;
            best_goes_on = goes_on;
        }
    }
    return best;
}

static void cycle(struct naive *naive)
{
    const uint32_t n_machines = naive->network->topology->n_machines;
    const uint32_t n_all = naive->n_links * naive->n_channels + naive->n_ports * n_machines;
    bool *is_taken = mem_alloc(n_all, sizeof *is_taken);
    uint32_t *channels = mem_alloc(n_all, sizeof *channels);
    uint32_t *order = mem_alloc(n_all, sizeof *order), n_taken = 0;
    start_packets(naive);
    for (uint32_t output = 0; output < naive->n_links + n_machines; output++) {
        const uint32_t n = output < naive->n_links ? 1 : naive->n_ports;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t chosen = choose(naive, output, is_taken);
            if (chosen == n_all)
                break;
            const struct buffer *buffer = &naive->buffers[chosen];
            is_taken[chosen] = true;
            order[n_taken++] = chosen;
            if (output < naive->n_links)
                channels[chosen] = channel_for(naive, &buffer->flits[buffer->first], output);
        }
    }
    for (uint32_t i = 0; i < n_taken; i++)
        move(naive, order[i], channels[order[i]]);
    free(is_taken);
    free(order);
    free(channels);
}

uint64_t naive_flits(const struct network_model_settings *network,
                     const struct flit_settings *settings, struct naive_message *messages,
                     uint32_t n)
{
    enum { QUIET = 200 }; /* longer than any delay */
    const struct topology *topology = network->topology;
    struct naive *naive = mem_alloc(1, sizeof *naive);
    *naive = (struct naive){.network = network, .settings = settings, .messages = messages,
                            .n_messages = n, .n_links = topology->n_link_ids, .n_lanes = 1,
                            .bandwidth = topology->bandwidth, .n_ports = settings->ports};
    for (uint32_t i = 0; i < n; i++) {
        struct naive_message *message = &messages[i];
        naive->n_hops[i] = topology_route(topology, message->source, message->destination,
                                          naive->hops[i]);
        naive->unsent[i] = message->flits;
        message->left = message->arrived = SIMULATE_NEVER;
    }
    struct hop hops[NAIVE_HOPS];
    for (uint32_t i = 0; i < topology->n_machines * topology->n_machines; i++)
        for (uint32_t j = topology_route(topology, i / topology->n_machines,
                                         i % topology->n_machines, hops); j--;)
            naive->n_lanes = hops[j].lane ? 2 : naive->n_lanes;
    naive->n_channels = settings->per_destination ? topology->n_machines
                        : settings->channels      ? settings->channels : naive->n_lanes;
    const uint32_t n_all = naive->n_links * naive->n_channels +
                           naive->n_ports * topology->n_machines;
    naive->buffers = mem_alloc(n_all, sizeof *naive->buffers);
    naive->served = mem_alloc(n_all, sizeof *naive->served);
    naive->packet = mem_alloc(n_all, sizeof *naive->packet);
    naive->last = mem_alloc(naive->n_links + topology->n_machines, sizeof *naive->last);
    naive->held = mem_alloc(naive->n_links, sizeof *naive->held);
    naive->free_at = mem_alloc(naive->n_links, sizeof *naive->free_at);
    for (uint32_t i = 0; i < n_all; i++)
        naive->buffers[i].holder = -1;
    for (uint32_t i = 0; i < naive->n_links; i++)
        naive->held[i] = -1;
    uint64_t moved = 0;
    for (uint64_t quiet = 0; quiet < QUIET; naive->cycle++) {
        cycle(naive);
        quiet = naive->n_moves == moved ? quiet + 1 : 0;
        moved = naive->n_moves;
    }
    for (uint32_t i = 0; i < n_all; i++) {
        free(naive->buffers[i].flits);
        free(naive->buffers[i].credits);
    }
    const uint64_t end = naive->cycle;
    free(naive->buffers);
    free(naive->served);
    free(naive->packet);
    free(naive->last);
    free(naive->held);
    free(naive->free_at);
    free(naive);
    return end;
}
