/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The topology of an explicit network (network/graph.h): names, numbers and ends of
 * links are stored, routes are searched (network/graph_routes.c) or looked up.
 */
#include "network/forwarding.h"
#include "network/topology_kinds.h"

struct topology *topology_new_graph(const struct topology_settings *settings, struct graph *graph)
{
    struct topology *topology = topology_allocate(TOPOLOGY_GRAPH, &graph_methods, settings);
    topology->graph = graph;
    topology->n_machines = graph->n_machines;
    topology->n_routers = graph->n_nodes - graph->n_machines;
    topology->n_links = topology->n_link_ids = 2 * graph->n_cables;
    topology->max_hops = graph_max_hops(graph);
    return topology_finish(topology);
}

void topology_set_forwarding(struct topology *topology, struct forwarding *forwarding)
{
    forwarding_finish(forwarding, topology->graph);
    forwarding_free(topology->graph->forwarding);
    topology->graph->forwarding = forwarding;
    topology->max_hops = forwarding->max_hops;
}

static void release(struct topology *topology)
{
    graph_free(topology->graph);
}

static uint32_t route(const struct topology *topology, uint32_t source, uint32_t destination,
                      struct hop *hops)
{
    return graph_route(topology->graph, source, destination, hops);
}

static void link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    *from = graph_link_from(topology->graph, link);
    *to = graph_link_to(topology->graph, link);
}

static uint64_t link_bandwidth(const struct topology *topology, uint32_t link)
{
    return topology->graph->cables[link / 2].bandwidth;
}

static uint64_t link_latency(const struct topology *topology, uint32_t link)
{
    return topology->graph->cables[link / 2].latency;
}

static void node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    text_append(out, graph_name(topology->graph, node), topology->graph->nodes[node].name_length);
}

static uint32_t find_machine(const struct topology *topology, const char *name, size_t length)
{
    uint32_t node = graph_find(topology->graph, name, length);
    return node < topology->n_machines ? node : topology->n_machines;
}

static bool has_lanes(const struct topology *topology)
{
    const struct forwarding *forwarding = topology->graph->forwarding;
    return forwarding && forwarding->lanes;
}

static const char *routing_rule(const struct topology *topology)
{
    if (topology->graph->forwarding)
        return topology->graph->forwarding->rule;
    return "a shortest path; among n equal next links, in the order of their ids, "
           "number (destination mod n)";
}

static uint64_t fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct graph *graph = topology->graph;
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

const struct topology_methods graph_methods = {
    .route = route,
    .link_ends = link_ends,
    .link_bandwidth = link_bandwidth,
    .link_latency = link_latency,
    .node_name = node_name,
    .find_machine = find_machine,
    .has_lanes = has_lanes,
    .routing_rule = routing_rule,
    .fingerprint = fingerprint,
    .release = release,
};
