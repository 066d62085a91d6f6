/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See alike_meter.h.
 */
#include "measure/alike_meter.h"

#include "ir/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FLOWS = 1 << 23 }; /* of all servers, in a step: 256 MiB */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

bool alike_meter_init(struct alike_meter *meter, const struct topology *topology,
                      const struct placement *placement, const struct schedule_header *header, bool may_route,
                      unsigned asks)
{
    meter->topology = topology;
    if (!topology) /* without a network there are no adapters */
        meter->shifts.servers.placement = NULL;
    meter->has_classes = topology && link_shifts_of_servers(&meter->shifts, topology, placement);
    meter->figures = no_figures();
    meter->n_ports = topology_n_host_ports(topology);
    meter->n_stripes = placement_stripes(placement);
    if (topology && !meter->has_classes && !may_route)
        return false;
    if (meter->has_classes)
        class_loads_init(&meter->links, topology, &meter->shifts.machines,
                         asks & METER_TIMES ? CLASS_CHUNKS : CLASS_MESSAGES);
    else if (topology)
        meter_init(&meter->routes, topology, placement, header, asks);
    meter->hol = hol_new(1, meter->n_ports);
    return true;
}

void alike_meter_free(struct alike_meter *meter)
{
    server_flows_free(&meter->flows);
    server_flows_free(&meter->laid);
    class_loads_free(&meter->links);
    if (meter->routes.topology)
        meter_free(&meter->routes);
    flows_free(&meter->ported);
    free(meter->slowdown);
    if (meter->hol)
        hol_free(meter->hol);
}

/* ---- by classes ---- */

/* Returns the number of links of a class that messages of the step cross, counted for each of these. */
static uint64_t crossings_of(const struct alike_meter *meter, uint32_t class)
{
    const struct class_loads *links = &meter->links;
    const uint64_t n_links = meter->shifts.is_free
                                 ? meter->shifts.servers.shifts.n_ranks
                                 : topology_links_at(meter->topology, &links->machines, class);
    uint64_t n = 0;
    for (uint32_t i = links->classes[class].first; i; i = links->pieces[i - 1].next) {
        const struct class_piece *piece = &links->pieces[i - 1];
        n += piece->messages * (piece->end - piece->begin) * n_links;
    }
    return n;
}

/* Returns the B/s of links of a class, as meter_bandwidth. */
static uint64_t alike_meter_bandwidth(const struct alike_meter *meter, uint32_t class)
{
    return meter->n_stripes * topology_links_of(meter->topology, class).bandwidth;
}

/* Finds what times depend on; messages leave a server by a link of the first class. */
static void time_class(struct alike_meter *meter, const struct class_most *most, bool is_first,
                       struct step_figures *figures)
{
    const struct transfer busiest = {most->chunks, alike_meter_bandwidth(meter, most->class)};
    figures->n_crossings += crossings_of(meter, most->class);
    if (is_first)
        figures->sender = busiest;
    if (most->chunks)
        transfer_raise(&figures->link, busiest);
}

static void find_latency(const struct alike_meter *meter, struct step_figures *figures)
{
    for (size_t i = 0; i < meter->flows.n; i++) {
        const uint64_t latency =
            topology_offset_latency(meter->topology, &meter->links.machines, meter->flows.items[i].offset,
                                    meter->flows.items[i].way);
        if (figures->latency == UINT64_MAX || latency > figures->latency)
            figures->latency = latency;
    }
}

/* False: there are more messages on a link than are counted. */
static bool lay_on_classes(struct alike_meter *meter, unsigned asks, struct step_figures *figures)
{
    struct class_loads *links = &meter->links;
    uint64_t most_messages = 0;
    class_loads_lay(links, &meter->flows);
    for (uint32_t i = 0; i < links->n_touched; i++) {
        const struct class_most most =
            class_loads_most(links, i, asks & METER_MESSAGES && !figures->is_contended);
        figures->is_contended |= most.is_contended;
        figures->units = most.chunks > figures->units ? most.chunks : figures->units;
        most_messages = most.messages > most_messages ? most.messages : most_messages;
        if (asks & METER_TIMES)
            time_class(meter, &most, i == 0, figures);
    }
    if (asks & METER_TIMES)
        find_latency(meter, figures);
    figures->max_link_load = (uint32_t)most_messages;
    return most_messages <= UINT32_MAX || !(asks & METER_MESSAGES);
}

/* ---- by routes ---- */

/* Routes the flows of a server. Returns the link by which all of them leave it, or NO_NEXT_LINK. */
static uint32_t lay_server(struct alike_meter *meter, uint32_t server, struct step_figures *figures)
{
    uint32_t first = NO_NEXT_LINK;
    for (size_t i = 0; i < meter->flows.n; i++) {
        const struct offset_flow *own = &meter->flows.items[i];
        struct flow flow = {.source = server,
                            .destination = shifts_add(&meter->shifts.servers.shifts, own->offset, server),
                            .n_messages = (uint32_t)own->n_messages,
                            .n_chunks = own->n_chunks};
        const uint32_t link = meter_lay_flow(&meter->routes, &flow, figures);
        if (i && link != first)
            return NO_NEXT_LINK;
        first = link;
    }
    return first;
}

/* False: a flow has no route, or those of a server several first links. */
static bool lay_on_routes(struct alike_meter *meter, struct step_figures *figures)
{
    const uint32_t n_servers = meter->shifts.servers.shifts.n_ranks;
    struct meter *routes = &meter->routes;
    uint32_t *first = mem_alloc(n_servers, sizeof *first);
    bool is_routed = true;
    for (uint32_t server = 0; server < n_servers && is_routed && meter->flows.n; server++) {
        first[server] = lay_server(meter, server, figures);
        is_routed = first[server] != NO_NEXT_LINK;
    }
    meter_find_longest(routes, figures);
    for (uint32_t server = 0; server < n_servers && is_routed && meter->flows.n; server++)
        transfer_raise(&figures->sender, meter_transfer(routes, first[server]));
    free(first);
    return is_routed;
}

/* ---- by ports ---- */

/* Returns a flow from a server to itself that stands for one of each server. */
static struct flow ported_flow(const struct alike_meter *meter, const struct offset_flow *own)
{
    struct flow flow = {
        .n_messages = (uint32_t)own->n_messages, .network = own->way, .n_chunks = own->n_chunks};
    if (!own->way)
        return flow;
    flow.out = (uint8_t)host_ports_way_out(own->way);
    flow.in = (uint8_t)host_ports_way_in(own->way);
    if (meter->n_stripes > 1) {
        const uint32_t first = meter->shifts.servers.placement->adapters->stripe_rail[0];
        flow.n_stripes = 1;
        flow.has_first = own->way == host_ports_way(first, first);
    }
    return flow;
}

/* Measures the flows of all servers. False: they are too many, or one has no route. */
static bool measure_all(struct alike_meter *meter, unsigned asks, struct step_figures *figures)
{
    const struct shifts *servers = &meter->shifts.servers.shifts;
    const size_t n = servers->n_ranks * meter->flows.n;
    struct flows *all = &meter->ported;
    if (n > MAX_FLOWS)
        return false;
    flows_clear(all, n + 1);
    for (uint32_t server = 0; server < servers->n_ranks; server++)
        for (size_t i = 0; i < meter->flows.n; i++) {
            struct flow *flow = &all->flows[all->n++];
            *flow = ported_flow(meter, &meter->flows.items[i]);
            flow->source = server;
            flow->destination = shifts_add(servers, meter->flows.items[i].offset, server);
        }
    if (meter_measure(&meter->routes, all, asks, figures))
        meter_clear_hosts(&meter->routes, all);
    return all->n == n;
}

/* Counts what a server sends and receives, which is alike, in all and at each port. */
static void count_ports(struct alike_meter *meter, struct step_figures *figures)
{
    struct port_counts ports[HOST_PORTS_MAX] = {0};
    memset(meter->port_chunks, 0, meter->n_ports * sizeof *meter->port_chunks);
    flows_clear(&meter->ported, meter->flows.n);
    for (size_t i = 0; i < meter->flows.n; i++) {
        const struct flow flow = ported_flow(meter, &meter->flows.items[i]);
        ports[flow.out].sent += flow.n_messages;
        ports[flow.in].received += flow.n_messages;
        figures->max_fan_out = larger(++ports[flow.out].fan_out, figures->max_fan_out);
        figures->max_fan_in = larger(++ports[flow.in].fan_in, figures->max_fan_in);
        meter->port_chunks[flow.out] = units_sum(meter->port_chunks[flow.out], flow.n_chunks);
        meter->ported.flows[meter->ported.n++] = flow;
    }
    for (uint32_t i = 0; i < meter->n_ports; i++)
        figures->port_messages = larger(larger(ports[i].sent, ports[i].received), figures->port_messages);
    figures->max_sends = figures->max_received = (uint32_t)meter->flows.n_whole;
}

/* ---- steps ---- */

bool alike_meter_is_again(struct alike_meter *meter)
{
    const struct server_flows *flows = &meter->flows, *laid = &meter->laid;
    server_flows_merge(&meter->flows);
    bool is_same = flows->n == laid->n;
    for (size_t i = 0; is_same && i < flows->n; i++)
        is_same = flows->items[i].offset == laid->items[i].offset &&
                  flows->items[i].way == laid->items[i].way &&
                  flows->items[i].n_messages == laid->items[i].n_messages &&
                  flows->items[i].n_chunks == laid->items[i].n_chunks;
    return is_same;
}

void alike_meter_keep(struct alike_meter *meter)
{
    const struct server_flows room = meter->laid;
    meter->laid = meter->flows;
    meter->flows = room;
}

/* Adds the repetitions of what was laid last to the totals. */
static void count_repeats(struct alike_meter *meter)
{
    if (meter->has_classes && meter->n_times)
        class_loads_repeat(&meter->links, meter->n_times - 1);
    else if (meter->topology && !meter->has_classes)
        meter_take_off(&meter->routes, meter->n_times);
    meter->n_times = 0;
}

/* Finds how long a sender is blocked: all are alike. figures->sender is the cable of one that has one. */
static void find_alike_blocking(struct alike_meter *meter, unsigned asks, struct step_figures *figures)
{
    const struct flows *flows = &meter->ported;
    const struct transfer cable = figures->sender;
    const bool has_ports = !meter->topology || meter->topology->has_machine_ports;
    double longest = 0;
    figures->sender = (struct transfer){0, 0};
    if (figures->max_fan_in < 2 || !has_ports ||
        !(asks & METER_HOL || (asks & METER_TIMES && figures->link.chunks)))
        return;
    meter->slowdown = mem_grow(meter->slowdown, &meter->slowdown_capacity, flows->n, sizeof *meter->slowdown);
    figures->hol_slowdown = hol_slowdown(meter->hol, flows, figures->max_fan_in, meter->slowdown);
    for (size_t i = 0; asks & METER_TIMES && i < flows->n; i++) {
        const uint64_t slowdown = (uint64_t)llround(meter->slowdown[i] * 1e6);
        const uint64_t chunks = meter->n_ports > 1 ? meter->port_chunks[flows->flows[i].out] : cable.chunks;
        if ((double)chunks * (double)slowdown <= longest)
            continue;
        longest = (double)chunks * (double)slowdown;
        figures->sender = (struct transfer){chunks, cable.bandwidth};
        figures->slowdown = slowdown;
    }
}

/* False: it is not known that way. */
static bool measure_anew(struct alike_meter *meter, unsigned asks)
{
    struct step_figures figures = no_figures();
    count_repeats(meter);
    if (server_flows_messages(&meter->flows) > UINT32_MAX)
        return false;
    if (meter->topology && !meter->has_classes && meter->n_ports > 1) {
        if (!measure_all(meter, asks, &figures))
            return false;
    } else {
        count_ports(meter, &figures);
        if (meter->topology && !(meter->has_classes ? lay_on_classes(meter, asks, &figures)
                                                    : lay_on_routes(meter, &figures)))
            return false;
        find_alike_blocking(meter, asks, &figures);
    }
    meter->figures = figures;
    return true;
}

bool alike_meter_measure(struct alike_meter *meter, unsigned asks)
{
    if (!(alike_meter_is_again(meter) && meter->n_times) && !measure_anew(meter, asks))
        return false;
    alike_meter_keep(meter);
    meter->n_times++;
    return true;
}

uint32_t alike_meter_busiest_port(const struct alike_meter *meter)
{
    uint32_t fan_in[HOST_PORTS_MAX] = {0}, port = 0;
    for (size_t i = 0; i < meter->ported.n; i++)
        fan_in[meter->ported.flows[i].in]++;
    while (port + 1 < meter->n_ports && fan_in[port] != meter->figures.max_fan_in)
        port++;
    return port;
}

/* ---- all steps ---- */

void alike_meter_end(struct alike_meter *meter)
{
    count_repeats(meter);
    if (meter->has_classes)
        class_loads_add_up(&meter->links);
}

struct transfer alike_meter_longest_total(struct alike_meter *meter)
{
    struct transfer longest = {0, 0};
    if (!meter->has_classes)
        return meter_longest_total(&meter->routes);
    for (uint32_t class = 0; class < meter->links.n_classes; class++) {
        const uint64_t most = class_loads_most_total(&meter->links, class);
        if (most)
            transfer_raise(&longest, (struct transfer){most, alike_meter_bandwidth(meter, class)});
    }
    return longest;
}
