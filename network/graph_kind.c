/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The topology of an explicit network (network/graph.h): names, numbers and ends of
 * links are stored, routes are searched (network/graph_routes.c) or looked up.
 */
#include "network/bulk.h"
#include "network/forwarding.h"
#include "network/host_ports.h"
#include "network/kind.h"
#include "network/rail_shifts.h"

static const struct topology_methods graph_methods;

struct graph *topology_as_graph(const struct topology *topology)
{
    return topology->methods == &graph_methods ? topology->self : NULL;
}

static struct graph *graph_kind_graph_of(const struct topology *topology)
{
    return topology->self;
}

struct topology *topology_new_graph(const struct topology_settings *settings, struct graph *graph)
{
    struct topology *topology = topology_allocate(&graph_methods, 0, settings);
    topology->self = graph;
    topology->n_machines = graph->n_machines;
    topology->n_routers = graph->n_nodes - graph->n_machines;
    topology->n_links = topology->n_link_ids = 2 * graph->n_cables;
    topology->max_hops = graph_max_hops(graph, &topology->has_exact_hops);
    return topology_finish(topology);
}

void topology_set_forwarding(struct topology *topology, struct forwarding *forwarding)
{
    forwarding_finish(forwarding, graph_kind_graph_of(topology));
    forwarding_free(graph_kind_graph_of(topology)->forwarding);
    graph_kind_graph_of(topology)->forwarding = forwarding;
    topology->max_hops = forwarding->max_hops;
    topology->has_exact_hops = forwarding->has_exact_hops;
}

static void graph_kind_release(struct topology *topology)
{
    rail_fabric_free(graph_kind_graph_of(topology)->rails);
    graph_free(graph_kind_graph_of(topology));
}

static uint32_t graph_kind_route(const struct topology *topology, uint32_t source, uint32_t destination,
                                 struct hop *hops)
{
    return graph_route(graph_kind_graph_of(topology), source, destination, hops);
}

static uint32_t graph_kind_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                        struct hop *choices)
{
    return graph_next_choices(graph_kind_graph_of(topology), node, destination, choices);
}

static uint32_t graph_kind_next_choices_by(const struct topology *topology, uint32_t node, uint32_t last,
                                           struct hop *choices)
{
    return graph_next_choices_by(graph_kind_graph_of(topology), node, last, choices);
}

static uint32_t graph_kind_route_by(const struct topology *topology, uint32_t first, uint32_t last,
                                    struct hop *hops)
{
    return graph_route_by(graph_kind_graph_of(topology), first, last, hops);
}

static bool graph_kind_route_ways(const struct topology *topology, const struct topology_pair *pairs,
                                  const uint8_t *ways, uint32_t n, uint32_t *links, uint32_t *n_links)
{
    struct graph *graph = graph_kind_graph_of(topology);
    if (graph->forwarding)
        return false;
    for (uint32_t i = 0; i < n; links += n_links[i++]) {
        uint32_t first, last;
        n_links[i] = 0;
        if (topology_way_links(topology, ways[i], pairs[i].source, pairs[i].destination, &first, &last))
            n_links[i] = graph_walk_by(graph, first, last, links, 1);
    }
    return true;
}

static bool graph_kind_next_links(const struct topology *topology, uint32_t destination, uint32_t *next)
{
    struct graph *graph = graph_kind_graph_of(topology);
    if (graph->forwarding && graph->forwarding->lanes)
        return false;
    if (graph->forwarding)
        forwarding_next_links(graph, destination, next);
    else
        graph_next_links(graph, destination, next);
    return true;
}

static void graph_kind_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    *from = graph_link_from(graph_kind_graph_of(topology), link);
    *to = graph_link_to(graph_kind_graph_of(topology), link);
}

static uint64_t graph_kind_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return graph_kind_graph_of(topology)->cables[link / 2].bandwidth;
}

static uint64_t graph_kind_link_latency(const struct topology *topology, uint32_t link)
{
    return graph_kind_graph_of(topology)->cables[link / 2].latency;
}

static void graph_kind_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    text_append(out, graph_name(graph_kind_graph_of(topology), node),
                graph_kind_graph_of(topology)->nodes[node].name_length);
}

static uint32_t graph_kind_find_machine(const struct topology *topology, const char *name, size_t length)
{
    uint32_t node = graph_find(graph_kind_graph_of(topology), name, length);
    return node < topology->n_machines ? node : topology->n_machines;
}

static bool graph_kind_has_lanes(const struct topology *topology)
{
    const struct forwarding *forwarding = graph_kind_graph_of(topology)->forwarding;
    return forwarding && forwarding->lanes;
}

/* Tables do not change; without them the routes are searched anew. */
static bool graph_kind_fail_links(struct topology *topology, const uint32_t *links, uint32_t n_links)
{
    struct graph *graph = topology->self;
    if (graph->forwarding)
        return false;
    graph_fail_links(graph, links, n_links);
    rail_fabric_free(graph->rails);
    graph->rails = NULL;
    topology->max_hops = graph_max_hops(graph, &topology->has_exact_hops);
    return true;
}

static bool graph_kind_assumes_routes(const struct topology *topology)
{
    return !graph_kind_graph_of(topology)->forwarding;
}

static const char *graph_kind_routing_rule(const struct topology *topology)
{
    if (graph_kind_graph_of(topology)->forwarding)
        return graph_kind_graph_of(topology)->forwarding->rule;
    return "assumed, without tables: a shortest path; among n equal next links, in the order of their ids, "
           "number (destination mod n), of a machine's own ((source + destination) mod n)";
}

static uint64_t graph_kind_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct graph *graph = graph_kind_graph_of(topology);
    hash = fingerprint_number(hash, graph->n_machines);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        hash = fingerprint_text(hash, graph_name(graph, node), graph->nodes[node].name_length);
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        const struct graph_cable *cable = &graph->cables[i];
        hash = fingerprint_number(hash, (uint64_t)cable->end[0] << 32 | cable->end[1]);
        hash = fingerprint_number(hash, cable->bandwidth);
        hash = fingerprint_number(hash, cable->latency);
    }
    return hash;
}

static const struct bulk_methods graph_bulk = {.route_ways = graph_kind_route_ways};

static const struct topology_methods graph_methods = {
    .number = KIND_GRAPH,
    .route = graph_kind_route,
    .route_by = graph_kind_route_by,
    .bulk = &graph_bulk,
    .shifts = &rail_shifts,
    .next_links = graph_kind_next_links,
    .next_choices = graph_kind_next_choices,
    .next_choices_by = graph_kind_next_choices_by,
    .fail_links = graph_kind_fail_links,
    .link_ends = graph_kind_link_ends,
    .link_bandwidth = graph_kind_link_bandwidth,
    .link_latency = graph_kind_link_latency,
    .node_name = graph_kind_node_name,
    .find_machine = graph_kind_find_machine,
    .has_lanes = graph_kind_has_lanes,
    .routing_rule = graph_kind_routing_rule,
    .assumes_routes = graph_kind_assumes_routes,
    .fingerprint = graph_kind_fingerprint,
    .release = graph_kind_release,
};
