/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flows of steps on the links of their routes. See meter.h.
 */
#include "measure/meter.h"

#include "ir/counts.h"
#include "measure/ranges.h"
#include "measure/route_latency.h"
#include "network/bulk.h"

#include <math.h>
#include <stdlib.h>

/* State of a link while messages are laid: messages on it in the low half, above them the first server whose
 * messages cross it, or, where loads are laid, the number of flows that do. Zero between measurements. */
typedef uint64_t link_state;

/* ---- routes ---- */

/* Makes room for pairs whose routes are found together. Where the network is quick with many pairs at once:
 * as many as take little room. */
struct some_routes meter_routes_new(const struct topology *topology, bool has_networks, bool has_ways)
{
    enum { FLOWS = 128, LINKS = 1 << 16 };
    const uint32_t max_hops = topology->max_hops + 1;
    struct some_routes routes = {.most = 1};
    if (!topology->has_fat_pipes &&
        (has_ways ? topology_route_ways(topology, NULL, NULL, 0, NULL, NULL)
                  : !has_networks && !topology->host_ports &&
                        topology_route_pairs(topology, NULL, 0, NULL, NULL)))
        routes.most = max_hops > LINKS / FLOWS ? LINKS / max_hops + 1 : FLOWS;
    routes.ways = mem_alloc(routes.most, sizeof *routes.ways);
    routes.pairs = mem_alloc(routes.most, sizeof *routes.pairs);
    routes.n_links = mem_alloc(routes.most, sizeof *routes.n_links);
    routes.amounts = mem_alloc(routes.most, sizeof *routes.amounts);
    routes.links = mem_alloc((size_t)routes.most * max_hops, sizeof *routes.links);
    return routes;
}

void meter_routes_free(struct some_routes *routes)
{
    free(routes->pairs);
    free(routes->ways);
    free(routes->n_links);
    free(routes->amounts);
    free(routes->links);
}

/* Tells that a flow has no route; it has no messages from now on. */
static void miss_flow(struct meter *meter, struct flow *flow)
{
    if (meter->miss)
        meter->miss(meter->context, flow);
    flow->n_messages = 0;
    meter->routes.is_missing = true;
}

static void route_one(struct meter *meter, struct flow *flow)
{
    struct some_routes *routes = &meter->routes;
    const uint32_t n_hops = meter_route(meter, flow);
    routes->n_links[0] = link_loads_drop_fat_pipes(meter->topology, meter->hops, n_hops);
    for (uint32_t hop = 0; hop < routes->n_links[0]; hop++)
        routes->links[hop] = meter->hops[hop].link;
    if (!n_hops)
        miss_flow(meter, flow);
}

/* Leaves out the flows without a route. */
static void drop_unrouted(struct meter *meter, struct flows *flows)
{
    size_t n = 0;
    if (!meter->routes.is_missing)
        return;
    meter->routes.is_missing = false;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_messages)
            flows->flows[n++] = flows->flows[i];
    flows->n = n;
}

/* The machines of flows. */
static void pair_flows(struct meter *meter, const struct flow *flows, uint32_t n)
{
    const struct placement *placement = meter->placement;
    struct topology_pair *pairs = meter->routes.pairs;
    for (uint32_t i = 0; i < n; i++)
        pairs[i] = placement ? (struct topology_pair){placement->server_machine[flows[i].source],
                                                      placement->server_machine[flows[i].destination]}
                             : (struct topology_pair){flows[i].source, flows[i].destination};
}

/* Routes flows that take ways. */
static void route_by_ways(struct meter *meter, struct flow *flows, uint32_t n)
{
    struct some_routes *routes = &meter->routes;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t way = routes->ways[i] = flows[i].network;
        flows[i].out = (uint8_t)host_ports_way_out(way);
        flows[i].in = (uint8_t)host_ports_way_in(way);
    }
    topology_route_ways(meter->topology, routes->pairs, routes->ways, n, routes->links, routes->n_links);
    for (uint32_t i = 0; i < n; i++)
        if (!routes->n_links[i])
            miss_flow(meter, &flows[i]);
}

/* Routes flows from the first on; how many. */
static uint32_t route_some(struct meter *meter, const struct flows *set, size_t first)
{
    struct flow *flows = set->flows + first;
    struct some_routes *routes = &meter->routes;
    const size_t left = set->n - first;
    const uint32_t n = left < routes->most ? (uint32_t)left : routes->most;
    if (routes->most == 1) {
        route_one(meter, flows);
        return 1;
    }
    pair_flows(meter, flows, n);
    if (meter->has_ways)
        route_by_ways(meter, flows, n);
    else
        topology_route_pairs(meter->topology, routes->pairs, n, routes->links, routes->n_links);
    return n;
}

/* ---- messages ---- */

/* Loads the links of one flow's route; the largest load. Adds to *differ if another server's messages
 * are on one of them. */
static inline uint32_t load_route(struct link_loads *loads, bool is_dense, const struct flow *flow,
                                  const uint32_t *links, uint32_t n_links, uint32_t *differ)
{
    const uint32_t source = flow->source, n_messages = flow->n_messages;
    uint32_t most = 0, others = 0;
    for (uint32_t i = 0; i < n_links; i++) {
        link_state *const link = is_dense ? &loads->load[links[i]] : link_loads_at(loads, links[i]);
        const link_state state = *link;
        const uint32_t before = (uint32_t)state;
        uint32_t owner = (uint32_t)(state >> 32);
        owner = before ? owner : source;
        const uint32_t load = before + n_messages;
        *link = (uint64_t)owner << 32 | load;
        others |= owner ^ source;
        most = load > most ? load : most;
    }
    *differ |= others;
    return most;
}

static inline uint32_t load_routes(struct meter *meter, bool is_dense, const struct flow *flows, uint32_t n,
                                   uint32_t *differ)
{
    struct link_loads loads = meter->messages; /* a copy, which nothing else is known to change */
    const uint32_t *links = meter->routes.links, *n_links = meter->routes.n_links;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; links += n_links[i++]) {
        const uint32_t load = load_route(&loads, is_dense, &flows[i], links, n_links[i], differ);
        most = load > most ? load : most;
    }
    meter->messages.n_touched = loads.n_touched;
    return most;
}

/* True if no two flows are from the same server, so that a link with two has messages of two servers. O(flows
 * + servers) */
static bool are_of_servers(const struct meter *meter, const struct flows *flows)
{
    size_t i = 1;
    if (flows->is_plain)
        return true;
    while (i < flows->n && flows->flows[i - 1].source < flows->flows[i].source)
        i++;
    if (i >= flows->n)
        return true;
    bool *has_flow = mem_alloc(meter->n_servers, sizeof *has_flow);
    for (i = 0; i < flows->n && !has_flow[flows->flows[i].source]; i++)
        has_flow[flows->flows[i].source] = true;
    free(has_flow);
    return i == flows->n;
}

/* True if the network can be quick with the loads of all flows together, and would have to go over many hops
 * otherwise. */
static bool are_laid(const struct meter *meter, const struct flows *flows)
{
    enum { WORTH = 4 }; /* hops that are spared, of each link that all are to be looked at for */
    const struct topology *topology = meter->topology;
    return meter_routes_all(meter) &&
           (uint64_t)flows->n * topology->max_hops >= WORTH * (uint64_t)topology->n_link_ids &&
           topology_lay_loads(topology, NULL, 0, NULL, NULL) && are_of_servers(meter, flows);
}

/* True if the network can be quick with the loads of such flows. */
static bool are_quick(const struct meter *meter, const struct flows *flows)
{
    return meter_routes_all(meter) && flows->is_plain &&
           topology_add_loads(meter->topology, NULL, 0, NULL, NULL);
}

/* Loads all links; the largest load. */
static uint32_t lay_all_flows(struct meter *meter, const struct flows *flows, bool *is_shared)
{
    const struct topology *topology = meter->topology;
    struct some_routes *routes = &meter->routes;
    link_state *const load = meter->messages.load;
    uint32_t most = 0, most_flows = 0;
    for (size_t first = 0, n; first < flows->n; first += n) {
        n = flows->n - first < routes->most ? flows->n - first : routes->most;
        pair_flows(meter, flows->flows + first, (uint32_t)n);
        for (size_t i = 0; i < n; i++)
            routes->amounts[i] = UINT64_C(1) << 32 | flows->flows[first + i].n_messages;
        topology_lay_loads(topology, routes->pairs, (uint32_t)n, routes->amounts, load);
    }
    topology_sum_loads(topology, load);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const uint32_t messages = (uint32_t)load[link], n_flows = (uint32_t)(load[link] >> 32);
        most = messages > most ? messages : most;
        most_flows = n_flows > most_flows ? n_flows : most_flows;
    }
    *is_shared = most_flows > 1;
    return most;
}

/* Loads the links of plain flows; the largest load. All links are listed. */
static uint32_t add_plain_flows(struct meter *meter, const struct flows *flows, bool *is_shared)
{
    const struct topology *topology = meter->topology;
    const struct some_routes *routes = &meter->routes;
    uint64_t most = 0;
    for (size_t first = 0, n; first < flows->n; first += n) {
        n = flows->n - first < routes->most ? flows->n - first : routes->most;
        pair_flows(meter, flows->flows + first, (uint32_t)n);
        topology_add_loads(topology, routes->pairs, (uint32_t)n, meter->messages.load, &most);
    }
    *is_shared = most > 1;
    return (uint32_t)most;
}

void meter_lay_messages(struct meter *meter, struct flows *set, struct step_figures *figures)
{
    const bool is_laid = are_laid(meter, set);
    const bool is_dense = is_laid || set->n >= meter->messages.n_blocks; /* most links have a load then */
    uint32_t differ = 0, most = 0;
    if (is_dense)
        link_loads_touch_all(&meter->messages);
    if (is_laid) {
        figures->max_link_load = lay_all_flows(meter, set, &figures->is_contended);
        return;
    }
    if (is_dense && are_quick(meter, set)) {
        figures->max_link_load = add_plain_flows(meter, set, &figures->is_contended);
        return;
    }
    for (size_t first = 0, n; first < set->n; first += n) {
        n = route_some(meter, set, first);
        const struct flow *flows = set->flows + first;
        const uint32_t load = is_dense ? load_routes(meter, true, flows, (uint32_t)n, &differ)
                                       : load_routes(meter, false, flows, (uint32_t)n, &differ);
        most = load > most ? load : most;
    }
    drop_unrouted(meter, set);
    figures->max_link_load = most;
    figures->is_contended = differ != 0;
}

/* ---- units ---- */

/* True if all messages carry as much as the first one; n_chunks are units. */
static bool are_equally_large(const struct flows *flows)
{
    if (flows->is_plain)
        return true;
    const uint64_t units = flows->n ? flows->flows[0].n_chunks / flows->flows[0].n_messages : 0;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_chunks != units * flows->flows[i].n_messages)
            return false;
    return true;
}

/* Adds the units of a flow to a link; returns its load then. */
static uint64_t add_units(struct meter *meter, uint32_t link, const struct flow *flow)
{
    uint64_t *load = link_loads_at(&meter->units, link);
    return *load = units_sum(*load, flow->n_chunks);
}

/* Returns the load of the busiest link, of messages of different sizes. Totals of units, if there are any,
 * get the loads by meter_take_off. */
static uint64_t weigh_links(struct meter *meter, struct flows *flows)
{
    uint64_t most = 0;
    if (!meter->units.load)
        meter->units = link_loads_new(meter->topology, false);
    for (size_t first = 0, n; first < flows->n; first += n) {
        n = route_some(meter, flows, first);
        const uint32_t *link = meter->routes.links;
        for (size_t i = 0; i < n; i++)
            for (uint32_t hop = 0; hop < meter->routes.n_links[i]; hop++) {
                const uint64_t load = add_units(meter, *link++, &flows->flows[first + i]);
                most = load > most ? load : most;
            }
    }
    if (!meter->units.total)
        link_loads_clear(&meter->units);
    return most;
}

uint64_t meter_most_units(struct meter *meter, struct flows *flows, uint32_t max_load)
{
    if (!flows->n || !max_load)
        return 0;
    return are_equally_large(flows) && !meter->units.total
               ? flows->flows[0].n_chunks / flows->flows[0].n_messages * max_load
               : weigh_links(meter, flows);
}

/* ---- times ---- */

/* Any number of messages crosses a fat pipe, each at its full bandwidth. */
static void cross_fat_pipe(const struct meter *meter, const struct flow *flow, uint32_t link,
                           struct step_figures *figures)
{
    const uint64_t message = flow->n_chunks / flow->n_messages + (flow->n_chunks % flow->n_messages != 0);
    transfer_raise(&figures->link,
                   (struct transfer){message, meter_bandwidth(meter, link)});
}

uint32_t meter_lay_flow(struct meter *meter, struct flow *flow, struct step_figures *figures)
{
    const struct topology *topology = meter->topology;
    const uint32_t n_hops = meter_route(meter, flow);
    if (!n_hops) {
        miss_flow(meter, flow);
        return NO_NEXT_LINK;
    }
    const uint64_t latency = route_latency(topology, meter->is_uniform, meter->hops, n_hops);
    figures->n_crossings += flow->n_messages * (uint64_t)n_hops;
    if (figures->latency == UINT64_MAX || latency > figures->latency)
        figures->latency = latency;
    for (uint32_t hop = 0; hop < n_hops && flow->n_chunks; hop++) {
        const uint32_t link = meter->hops[hop].link;
        if (topology->has_fat_pipes && !topology_link_contends(topology, link))
            cross_fat_pipe(meter, flow, link, figures);
        else
            add_units(meter, link, flow);
    }
    return meter->hops[0].link;
}

/* Puts a flow on the links of its route. */
static inline void lay_on_links(struct meter *meter, bool is_dense, const struct flow *flow,
                                const uint32_t *links, uint32_t n_links, struct step_figures *figures)
{
    const struct topology *topology = meter->topology;
    uint64_t latency = topology->latency * n_links;
    if (!meter->is_uniform) {
        latency = 0;
        for (uint32_t i = 0; i < n_links; i++)
            latency += topology_link_latency(topology, links[i]);
    }
    if (figures->latency == UINT64_MAX || latency > figures->latency)
        figures->latency = latency;
    figures->n_crossings += flow->n_messages * (uint64_t)n_links;
    for (uint32_t i = 0; i < n_links && flow->n_chunks; i++) {
        uint64_t *load = is_dense ? &meter->units.load[links[i]] : link_loads_at(&meter->units, links[i]);
        *load = units_sum(*load, flow->n_chunks);
    }
}

/* Puts all flows on the links of their routes, many at once. first_link, unless NULL, gets the first of
 * each. */
static void lay_together(struct meter *meter, const struct flows *set, uint32_t *first_link,
                         struct step_figures *figures)
{
    const bool is_dense = set->n >= meter->units.n_blocks; /* most links have a load then */
    size_t n_laid = 0;
    if (is_dense)
        link_loads_touch_all(&meter->units);
    for (size_t first = 0, n; first < set->n; first += n) {
        n = route_some(meter, set, first);
        const uint32_t *links = meter->routes.links, *n_links = meter->routes.n_links;
        for (size_t i = 0; i < n; links += n_links[i++]) {
            if (n_links[i])
                lay_on_links(meter, is_dense, &set->flows[first + i], links, n_links[i], figures);
            if (n_links[i] && first_link)
                first_link[n_laid++] = *links;
        }
    }
}

void meter_find_longest(const struct meter *meter, struct step_figures *figures)
{
    const struct transfer *longest = &figures->link;
    uint64_t too_few = 0; /* so many units are not the longest, however slow their link is */
    uint32_t link;
    for (uint64_t at = 0; link_loads_next(&meter->units, &at, &link);) {
        if (meter->units.load[link] <= too_few)
            continue;
        transfer_raise(&figures->link, meter_transfer(meter, link));
        too_few = longest->bandwidth == meter->least_bandwidth
                      ? longest->chunks
                      : (uint64_t)(((divider_product)longest->chunks * meter->least_bandwidth - 1) /
                                   longest->bandwidth);
    }
}

/* Returns an amount over a bandwidth as a transfer, of thousandths where that is exact enough. */
static struct transfer transfer_of_amount(double amount, uint64_t bandwidth)
{
    enum { PARTS = 1024 };
    const uint64_t parts = amount < 0x1p42 ? PARTS : 1;
    const double whole = ceil(amount * (double)parts * (1 - 1e-9));
    return (struct transfer){whole < 0x1p63 ? (uint64_t)whole : UINT64_MAX, bandwidth * parts};
}

/* Finds the busiest link by the best and by the worst choices of the switches. */
static void meter_find_choices(struct meter *meter, const struct flows *flows, struct step_figures *figures)
{
    const uint64_t bandwidth = meter->n_stripes * spread_bandwidth(meter->spread);
    size_t n = 0;
    meter->spread_flows =
        mem_grow(meter->spread_flows, &meter->spread_capacity, flows->n + 1, sizeof *meter->spread_flows);
    ranges_take_flows(flows, meter->placement, true, meter->spread_flows);
    for (size_t i = 0; i < flows->n; i++)
        if (meter->spread_flows[i].amount > 0)
            meter->spread_flows[n++] = meter->spread_flows[i];
    const struct spread_loads loads = spread_measure(meter->spread, meter->spread_flows, n);
    figures->link = transfer_of_amount(loads.balanced, bandwidth);
    figures->worst = transfer_of_amount(loads.most, bandwidth);
}

void meter_lay_units(struct meter *meter, struct flows *flows, struct step_figures *figures)
{
    size_t n = 0;
    if (meter_routes_all(meter) && !meter_may_block(meter, figures)) {
        lay_together(meter, flows, NULL, figures);
        meter_find_longest(meter, figures);
        return;
    }
    meter->first_link =
        mem_grow(meter->first_link, &meter->first_capacity, flows->n + 1, sizeof *meter->first_link);
    if (meter->routes.most > 1)
        lay_together(meter, flows, meter->first_link, figures);
    for (size_t i = 0; meter->routes.most == 1 && i < flows->n; i++) {
        meter->first_link[n] = meter_lay_flow(meter, &flows->flows[i], figures);
        n += meter->first_link[n] != NO_NEXT_LINK;
    }
    drop_unrouted(meter, flows);
    if (meter->spread)
        meter_find_choices(meter, flows, figures);
    else
        meter_find_longest(meter, figures);
}
