/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flows of steps on the links of their routes. See traffic_internal.h.
 */
#include "verify/traffic_internal.h"

#include "ir/counts.h"

#include <stdlib.h>

/* ---- routes ---- */

/* Makes room for pairs whose routes are found together. Where the network is quick with many pairs at once:
 * as many as take little room. */
struct some_routes traffic_routes_new(const struct topology *topology, bool has_networks)
{
    enum { FLOWS = 128, LINKS = 1 << 16 };
    const uint32_t max_hops = topology->max_hops ? topology->max_hops : 1;
    struct some_routes routes = {.most = 1};
    if (!has_networks && !topology->has_fat_pipes && !topology->host_ports &&
        topology_route_pairs(topology, NULL, 0, NULL, NULL))
        routes.most = max_hops > LINKS / FLOWS ? LINKS / max_hops + 1 : FLOWS;
    routes.pairs = mem_alloc(routes.most, sizeof *routes.pairs);
    routes.n_links = mem_alloc(routes.most, sizeof *routes.n_links);
    routes.amounts = mem_alloc(routes.most, sizeof *routes.amounts);
    routes.links = mem_alloc((size_t)routes.most * max_hops, sizeof *routes.links);
    return routes;
}

void traffic_routes_free(struct some_routes *routes)
{
    free(routes->pairs);
    free(routes->n_links);
    free(routes->amounts);
    free(routes->links);
}

uint32_t traffic_route(struct traffic *traffic, struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    const struct placement *placement = traffic->verifier->request->placement;
    uint32_t source = flow->source, destination = flow->destination;
    if (placement) {
        source = placement->server_machine[source];
        destination = placement->server_machine[destination];
    }
    const uint32_t n_hops = topology_route_over(topology, flow->network, source, destination, traffic->hops);
    flow_take_ports(flow, topology, traffic->hops, n_hops);
    return n_hops;
}

/* False: finding L003 says it already. */
static bool traffic_links_is_joined(const struct traffic *traffic, const struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    uint32_t source = server_machine(traffic->verifier, flow->source);
    uint32_t destination = server_machine(traffic->verifier, flow->destination);
    return !traffic->has_networks ||
           topology_is_joined(topology, flow->network, source, destination);
}

/* Routes one flow, which may have no route: it has no messages then. */
static void route_one(struct traffic *traffic, const struct span *span, struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    struct some_routes *routes = &traffic->routes;
    const uint32_t n_hops = traffic_route(traffic, flow);
    routes->n_links[0] = link_loads_drop_fat_pipes(topology, traffic->hops, n_hops);
    for (uint32_t hop = 0; hop < routes->n_links[0]; hop++)
        routes->links[hop] = traffic->hops[hop].link;
    if (n_hops)
        return;
    if (traffic_links_is_joined(traffic, flow)) {
        traffic->verifier->report->n_unrouted += flow->n_messages;
        offer_unrouted(traffic->verifier, &(struct fact_unrouted){flow, span->last});
    }
    flow->n_messages = 0;
    routes->is_missing = true;
}

/* Leaves out the flows without a route. */
static void drop_unrouted(struct traffic *traffic, struct flows *flows)
{
    size_t n = 0;
    if (!traffic->routes.is_missing)
        return;
    traffic->routes.is_missing = false;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_messages)
            flows->flows[n++] = flows->flows[i];
    flows->n = n;
}

/* The machines of flows. */
static void pair_flows(struct traffic *traffic, const struct flow *flows, uint32_t n)
{
    const struct placement *placement = traffic->verifier->request->placement;
    struct topology_pair *pairs = traffic->routes.pairs;
    for (uint32_t i = 0; i < n; i++)
        pairs[i] = placement ? (struct topology_pair){placement->server_machine[flows[i].source],
                                                      placement->server_machine[flows[i].destination]}
                             : (struct topology_pair){flows[i].source, flows[i].destination};
}

/* Routes flows from the first on; how many. */
static uint32_t route_some(struct traffic *traffic, const struct span *span, size_t first)
{
    struct flow *flows = span->flows->flows + first;
    struct some_routes *routes = &traffic->routes;
    const size_t left = span->flows->n - first;
    const uint32_t n = left < routes->most ? (uint32_t)left : routes->most;
    if (routes->most == 1) {
        route_one(traffic, span, flows);
        return 1;
    }
    pair_flows(traffic, flows, n);
    topology_route_pairs(traffic->verifier->request->topology, routes->pairs, n, routes->links,
                         routes->n_links);
    return n;
}

/* ---- loads ---- */

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

static inline uint32_t load_routes(struct traffic *traffic, bool is_dense, const struct flow *flows,
                                   uint32_t n, uint32_t *differ)
{
    struct link_loads loads = traffic->links; /* a copy, which nothing else is known to change */
    const uint32_t *links = traffic->routes.links, *n_links = traffic->routes.n_links;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; links += n_links[i++]) {
        const uint32_t load = load_route(&loads, is_dense, &flows[i], links, n_links[i], differ);
        most = load > most ? load : most;
    }
    traffic->links.n_touched = loads.n_touched;
    return most;
}

/* True if no two flows are from the same server, so that a link with two has messages of two servers. O(flows
 * + servers) */
static bool are_of_servers(const struct traffic *traffic, const struct flows *flows)
{
    size_t i = 1;
    if (flows->is_plain)
        return true;
    while (i < flows->n && flows->flows[i - 1].source < flows->flows[i].source)
        i++;
    if (i >= flows->n)
        return true;
    bool *has_flow = mem_alloc(traffic->n_servers, sizeof *has_flow);
    for (i = 0; i < flows->n && !has_flow[flows->flows[i].source]; i++)
        has_flow[flows->flows[i].source] = true;
    free(has_flow);
    return i == flows->n;
}

/* True if the network can be quick with the loads of all flows together, and would have to go over many hops
 * otherwise. */
static bool are_laid(const struct traffic *traffic, const struct flows *flows)
{
    enum { WORTH = 4 }; /* hops that are spared, of each link that all are to be looked at for */
    const struct topology *topology = traffic->verifier->request->topology;
    return traffic->routes.most > 1 &&
           (uint64_t)flows->n * topology->max_hops >= WORTH * (uint64_t)topology->n_link_ids &&
           topology_lay_loads(topology, NULL, 0, NULL, NULL) && are_of_servers(traffic, flows);
}

/* True if the network can be quick with the loads of such flows. */
static bool are_quick(const struct traffic *traffic, const struct flows *flows)
{
    return traffic->routes.most > 1 && flows->is_plain &&
           topology_add_loads(traffic->verifier->request->topology, NULL, 0, NULL, NULL);
}

/* Loads all links; the largest load. */
static uint32_t traffic_links_lay_flows(struct traffic *traffic, const struct flows *flows, bool *is_shared)
{
    const struct topology *topology = traffic->verifier->request->topology;
    struct some_routes *routes = &traffic->routes;
    link_state *const load = traffic->links.load;
    uint32_t most = 0, most_flows = 0;
    for (size_t first = 0, n; first < flows->n; first += n) {
        n = flows->n - first < routes->most ? flows->n - first : routes->most;
        pair_flows(traffic, flows->flows + first, (uint32_t)n);
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
static uint32_t add_plain_flows(struct traffic *traffic, const struct flows *flows, bool *is_shared)
{
    const struct topology *topology = traffic->verifier->request->topology;
    const struct some_routes *routes = &traffic->routes;
    uint64_t most = 0;
    for (size_t first = 0, n; first < flows->n; first += n) {
        n = flows->n - first < routes->most ? flows->n - first : routes->most;
        pair_flows(traffic, flows->flows + first, (uint32_t)n);
        topology_add_loads(topology, routes->pairs, (uint32_t)n, traffic->links.load, &most);
    }
    *is_shared = most > 1;
    return (uint32_t)most;
}

uint32_t traffic_load_links(struct traffic *traffic, const struct span *span, bool *is_shared)
{
    const size_t n_flows = span->flows->n;
    const bool is_laid = are_laid(traffic, span->flows);
    const bool is_dense = is_laid || n_flows >= traffic->links.n_blocks; /* most links have a load then */
    uint32_t differ = 0, most = 0;
    if (is_dense)
        link_loads_touch_all(&traffic->links);
    if (is_laid)
        return traffic_links_lay_flows(traffic, span->flows, is_shared);
    if (is_dense && are_quick(traffic, span->flows))
        return add_plain_flows(traffic, span->flows, is_shared);
    for (size_t first = 0, n; first < n_flows; first += n) {
        n = route_some(traffic, span, first);
        const struct flow *flows = span->flows->flows + first;
        const uint32_t load = is_dense ? load_routes(traffic, true, flows, (uint32_t)n, &differ)
                                       : load_routes(traffic, false, flows, (uint32_t)n, &differ);
        most = load > most ? load : most;
    }
    drop_unrouted(traffic, span->flows);
    *is_shared = differ != 0;
    return most;
}

/* True if all messages carry as much as the first one; n_chunks are units. */
static bool traffic_links_are_alike(const struct flows *flows)
{
    if (flows->is_plain)
        return true;
    const uint64_t units = flows->n ? flows->flows[0].n_chunks / flows->flows[0].n_messages : 0;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_chunks != units * flows->flows[i].n_messages)
            return false;
    return true;
}

/* Returns the load of the busiest link in a step, in units, of messages of different sizes. O(flows *
 * hops) */
static uint64_t weigh_links(struct traffic *traffic, const struct flows *flows)
{
    const struct topology *topology = traffic->verifier->request->topology;
    struct link_loads *units = &traffic->units;
    uint64_t most = 0;
    if (!units->load)
        *units = link_loads_new(topology, false);
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t n_hops = link_loads_drop_fat_pipes(topology, traffic->hops,
                                                          traffic_route(traffic, &flows->flows[i]));
        for (uint32_t hop = 0; hop < n_hops; hop++) {
            uint64_t *load = link_loads_at(units, traffic->hops[hop].link);
            *load = units_sum(*load, flows->flows[i].n_chunks);
            most = *load > most ? *load : most;
        }
    }
    link_loads_clear(units);
    return most;
}

uint64_t traffic_units(struct traffic *traffic, const struct flows *flows, uint32_t max_load)
{
    if (!flows->n || !max_load)
        return 0;
    return traffic_links_are_alike(flows) ? flows->flows[0].n_chunks / flows->flows[0].n_messages * max_load
                                          : weigh_links(traffic, flows);
}

void traffic_add_totals(struct traffic *traffic, struct flow *flows, size_t n, uint64_t times)
{
    const struct topology *topology = traffic->verifier->request->topology;
    for (size_t i = 0; topology && times && i < n; i++) {
        const uint32_t n_hops =
            link_loads_drop_fat_pipes(topology, traffic->hops, traffic_route(traffic, &flows[i]));
        for (uint32_t hop = 0; hop < n_hops; hop++)
            traffic->links.total[traffic->hops[hop].link] += flows[i].n_messages * times;
    }
}
