/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hosts of a step, and what all of its figures are made of. See meter.h.
 */
#include "measure/meter.h"

#include "measure/route_latency.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void meter_init(struct meter *meter, const struct topology *topology, const struct placement *placement,
                const struct schedule_header *header, unsigned asks)
{
    *meter = (struct meter){.topology = topology,
                            .placement = placement,
                            .n_servers = placement ? placement->n_servers : header->n_ranks,
                            .n_ports = topology_n_host_ports(topology),
                            .n_stripes = placement_stripes(placement),
                            .has_machine_ports = !topology || topology->has_machine_ports};
    meter->ports = mem_alloc((size_t)meter->n_servers * meter->n_ports, sizeof *meter->ports);
    if (meter->n_ports > 1)
        meter->servers = mem_alloc(meter->n_servers, sizeof *meter->servers);
    meter->hol = hol_new(meter->n_servers, meter->n_ports);
    if (!topology)
        return;
    meter->has_networks = flow_networks_find(&meter->networks, header, topology, placement);
    meter->has_ways = meter->networks.placement;
    meter->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *meter->hops);
    meter->routes = meter_routes_new(topology, meter->has_networks, meter->has_ways);
    if (asks & METER_MESSAGES)
        meter->messages = link_loads_new(topology, true);
    if (asks & METER_TIMES)
        meter->units = link_loads_new(topology, true);
    meter->is_uniform = asks & METER_TIMES && has_uniform_latency(topology);
    meter->least_bandwidth = UINT64_MAX;
    for (uint32_t link = 0; asks & METER_TIMES && link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) && meter_bandwidth(meter, link) < meter->least_bandwidth)
            meter->least_bandwidth = meter_bandwidth(meter, link);
    if (asks & METER_TIMES && topology->is_adaptive)
        meter->spread = spread_new(topology, true);
    meter->seen.is_off = topology_n_networks(topology) > 1;
}

void meter_free(struct meter *meter)
{
    meter_routes_free(&meter->routes);
    link_loads_free(&meter->messages);
    link_loads_free(&meter->units);
    seen_free(&meter->seen);
    hol_free(meter->hol);
    free(meter->ports);
    free(meter->servers);
    free(meter->hops);
    free(meter->first_link);
    free(meter->slowdown);
    spread_free(meter->spread);
    free(meter->spread_flows);
}

/* ---- routes ---- */

uint32_t meter_route(struct meter *meter, struct flow *flow)
{
    const uint32_t n_hops =
        meter->has_ways
            ? topology_route_way(meter->topology, flow->network, meter_machine(meter, flow->source),
                                 meter_machine(meter, flow->destination), meter->hops)
            : topology_route_over(meter->topology, flow->network, meter_machine(meter, flow->source),
                                  meter_machine(meter, flow->destination), meter->hops);
    if (meter->has_ways) { /* without a look at the links */
        flow->out = (uint8_t)host_ports_way_out(flow->network);
        flow->in = (uint8_t)host_ports_way_in(flow->network);
    } else {
        flow_take_ports(flow, meter->topology, meter->hops, n_hops);
    }
    return n_hops;
}

bool meter_is_joined(const struct meter *meter, const struct flow *flow)
{
    return !meter->has_networks ||
           topology_is_joined(meter->topology, flow->network, meter_machine(meter, flow->source),
                              meter_machine(meter, flow->destination));
}

/* ---- hosts ---- */

static inline void meter_raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

/* Counts plain flows, which are few at a server: none sends more than one, and as many as come to it are
 * received. */
static void count_plain(struct meter *meter, const struct flows *flows, struct step_figures *figures)
{
    struct port_counts *const ports = meter->ports;
    uint32_t most = 0;
    for (size_t i = 0; i < flows->n; i++) {
        struct port_counts *from = &ports[flows->flows[i].source], *to = &ports[flows->flows[i].destination];
        const uint32_t fan_in = ++to->fan_in;
        to->received = fan_in;
        from->fan_out = from->sent = 1;
        most = fan_in > most ? fan_in : most;
    }
    figures->max_fan_in = figures->max_received = figures->port_messages = most;
    figures->max_fan_out = figures->max_sends = flows->n > 0;
}

/* Returns how many messages of hosts a flow is: a striped one counts where its first stripe is. */
static inline uint32_t whole_messages(const struct meter *meter, const struct flow *flow)
{
    if (meter->n_stripes == 1)
        return flow->n_messages;
    return flow->has_first ? flow_messages(flow) : 0;
}

static void meter_count_hosts(struct meter *meter, const struct flows *flows, struct step_figures *figures)
{
    if (flows->is_plain && meter->n_ports == 1) {
        count_plain(meter, flows, figures);
        return;
    }
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        struct port_counts *from = &meter->ports[meter_port_out(meter, flow)];
        struct port_counts *to = &meter->ports[meter_port_in(meter, flow)];
        meter_raise(&figures->max_fan_out, ++from->fan_out);
        meter_raise(&figures->max_fan_in, ++to->fan_in);
        uint32_t sent = from->sent += flow->n_messages, received = to->received += flow->n_messages;
        meter_raise(&figures->port_messages, sent > received ? sent : received);
        if (meter->servers) {
            const uint32_t n = whole_messages(meter, flow);
            sent = meter->servers[flow->source].sent += n;
            received = meter->servers[flow->destination].received += n;
        }
        meter_raise(&figures->max_sends, sent);
        meter_raise(&figures->max_received, received);
    }
}

/* Clears the servers that have flows. If they are many, clears all: one after the other, which is faster. */
void meter_clear_hosts(struct meter *meter, const struct flows *flows)
{
    if (flows->n >= meter->n_servers / 4) {
        memset(meter->ports, 0, (size_t)meter->n_servers * meter->n_ports * sizeof *meter->ports);
        if (meter->servers)
            memset(meter->servers, 0, meter->n_servers * sizeof *meter->servers);
        return;
    }
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        meter->ports[meter_port_out(meter, flow)] = (struct port_counts){0};
        meter->ports[meter_port_in(meter, flow)] = (struct port_counts){0};
        if (meter->servers)
            meter->servers[flow->source] = meter->servers[flow->destination] = (struct server_counts){0};
    }
}

/* ---- head-of-line blocking ---- */

/* Finds the sender that takes longest with its slowdown. Quotients are compared as doubles, which is the same
 * on every machine; what is kept is whole. */
static void find_blocked_sender(struct meter *meter, const struct flows *flows, struct step_figures *figures)
{
    meter->slowdown = mem_grow(meter->slowdown, &meter->slowdown_capacity, flows->n, sizeof *meter->slowdown);
    figures->hol_slowdown = hol_slowdown(meter->hol, flows, figures->max_fan_in, meter->slowdown);
    double longest = 0;
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t link = meter->first_link[i];
        const uint64_t bandwidth = meter_bandwidth(meter, link);
        const uint64_t slowdown = (uint64_t)llround(meter->slowdown[i] * 1e6);
        const uint64_t chunks = meter->units.load[link];
        const double time = (double)chunks / (double)bandwidth * (double)slowdown;
        if (time <= longest)
            continue;
        longest = time;
        figures->sender = (struct transfer){chunks, bandwidth};
        figures->slowdown = slowdown;
    }
}

static void find_blocking(struct meter *meter, const struct flows *flows, unsigned asks,
                          struct step_figures *figures)
{
    if (!meter_may_block(meter, figures))
        return;
    if (asks & METER_HOL)
        figures->hol_slowdown = hol_slowdown(meter->hol, flows, figures->max_fan_in, NULL);
    if (asks & METER_TIMES && figures->link.chunks)
        find_blocked_sender(meter, flows, figures);
}

/* ---- steps ---- */

/* Remembers a step in place of the one not met for longest. */
static void meter_remember(struct meter *meter, const struct flows *flows, const struct step_figures *figures)
{
    struct seen_step *seen = seen_place(&meter->seen);
    if (!seen)
        return;
    meter_add_totals(meter, seen->flows, seen->n, seen->n_more);
    seen_keep(&meter->seen, seen, flows, figures);
}

bool meter_measure(struct meter *meter, struct flows *flows, unsigned asks, struct step_figures *figures)
{
    const size_t n_flows = flows->n;
    meter->again = seen_find(&meter->seen, flows);
    if (meter->again) {
        *figures = meter->again->figures;
        return false;
    }
    *figures = no_figures();
    if (meter_routes_all(meter))
        meter_count_hosts(meter, flows, figures);
    if (meter->topology && asks & METER_MESSAGES)
        meter_lay_messages(meter, flows, figures);
    if (asks & METER_TIMES)
        meter_lay_units(meter, flows, figures);
    if (!meter_routes_all(meter))
        meter_count_hosts(meter, flows, figures);
    find_blocking(meter, flows, asks, figures);
    if (meter->topology && asks & METER_UNITS)
        figures->units = meter_most_units(meter, flows, figures->max_link_load);
    if (flows->n == n_flows)
        meter_remember(meter, flows, figures);
    return true;
}

void meter_take_off(struct meter *meter, uint64_t times)
{
    if (meter->again) {
        meter->again->n_more += times;
        return;
    }
    assert(times <= 1 || !meter->messages.load);
    if (meter->messages.load && times)
        link_loads_count(&meter->messages, UINT32_MAX);
    else if (meter->messages.load)
        link_loads_clear(&meter->messages);
    if (meter->units.total)
        link_loads_count_times(&meter->units, times);
}

/* ---- all steps ---- */

void meter_add_totals(struct meter *meter, struct flow *flows, size_t n, uint64_t times)
{
    for (size_t i = 0; meter->topology && times && i < n; i++) {
        const uint32_t n_hops =
            link_loads_drop_fat_pipes(meter->topology, meter->hops, meter_route(meter, &flows[i]));
        for (uint32_t hop = 0; hop < n_hops; hop++) {
            const uint32_t link = meter->hops[hop].link;
            if (meter->messages.total)
                meter->messages.total[link] += flows[i].n_messages * times;
            if (meter->units.total)
                meter->units.total[link] += flows[i].n_chunks * times;
        }
    }
}

void meter_add_seen(struct meter *meter)
{
    for (int i = 0; i < SEEN_STEPS; i++) {
        struct seen_step *seen = &meter->seen.steps[i];
        meter_add_totals(meter, seen->flows, seen->n, seen->n_more);
        seen->n_more = 0;
    }
}

struct transfer meter_longest_total(struct meter *meter)
{
    struct transfer longest = {0, 0};
    meter_add_seen(meter);
    if (meter->spread) /* which link carries most of all steps is for the switches to choose */
        return longest;
    for (uint32_t link = 0; link < meter->topology->n_link_ids; link++)
        if (meter->units.total[link])
            transfer_raise(&longest,
                           (struct transfer){meter->units.total[link], meter_bandwidth(meter, link)});
    return longest;
}

void meter_multiply(struct meter *meter, uint64_t times)
{
    assert(meter->seen.is_off); /* else loads may be kept there */
    for (uint32_t link = 0; meter->topology && link < meter->topology->n_link_ids; link++)
        if (meter->messages.total[link]) /* the rest of the memory is left untouched */
            meter->messages.total[link] *= times;
}
