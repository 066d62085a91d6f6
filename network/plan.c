/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes out a regular shape. See plan.h.
 */
#include "network/plan.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/ports.h"
#include "network/tree.h"
#include "network/wiring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the nodes are switches with hosts, not machines that forward. */
static bool machines_are_routers(const struct topology *topology)
{
    return topology->n_nodes == topology->n_machines;
}

uint32_t plan_hosts(const struct topology *shape, const struct topology *seen)
{
    if (!machines_are_routers(shape) || machines_are_routers(seen))
        return 0;
    const uint32_t n_switches = seen->n_nodes - seen->n_machines;
    const uint32_t n_hosts = (seen->n_machines + n_switches / 2) / n_switches;
    return n_hosts ? n_hosts : 1;
}

/* Returns the number of the level or dimension of a link. */
static uint32_t part_of_link(const struct topology *shape, uint32_t link)
{
    const struct tree *tree = topology_as_tree(shape);
    const struct grid *grid = topology_as_grid(shape);
    uint32_t part = 0;
    while (tree && part + 1 < tree->n_levels && link >= tree->up_base[part + 1])
        part++;
    return grid ? link % (2 * grid->n_dimensions) / 2 : part;
}

static void plan_add_nodes(const struct network_plan *plan, struct graph *graph)
{
    const struct topology *shape = plan->shape;
    char name[256], host[300];
    for (uint32_t node = 0; node < shape->n_nodes; node++) {
        topology_node_name(shape, node, name, sizeof name);
        graph_add_node(graph, node >= shape->n_machines || plan->n_hosts, name, strlen(name));
    }
    for (uint32_t node = 0; node < shape->n_nodes && plan->n_hosts; node++) {
        topology_node_name(shape, node, name, sizeof name);
        for (uint32_t i = 0; i < plan->n_hosts; i++) {
            const int length = snprintf(host, sizeof host, "host %u of %s", i, name);
            graph_add_node(graph, false, host, (size_t)length);
        }
    }
}

struct topology *plan_write_out(const struct network_plan *plan)
{
    const struct topology *shape = plan->shape;
    struct graph *graph = graph_new();
    uint32_t from, to;
    plan_add_nodes(plan, graph);
    for (uint32_t link = 0; link < shape->n_link_ids; link++) {
        if (!topology_has_link(shape, link))
            continue;
        topology_link_ends(shape, link, &from, &to);
        const uint64_t rate = plan->states_rates ? topology_link_bandwidth(shape, link)
                                                 : PLAN_OPEN_RATE + part_of_link(shape, link);
        if (from < to)
            graph_add_cable(graph, from, to, rate, topology_link_latency(shape, link));
    }
    for (uint32_t node = 0; node < shape->n_nodes; node++)
        for (uint32_t i = 0; i < plan->n_hosts; i++)
            graph_add_cable(graph, node, shape->n_nodes + node * plan->n_hosts + i,
                            PLAN_OPEN_RATE + TOPOLOGY_MAX_DIMENSIONS, shape->latency);
    graph_seal(graph);
    const struct topology_settings settings = {.name = shape->name, .latency = shape->latency};
    return topology_new_graph(&settings, graph);
}

/* True if all cables of a network have the rate that a file has which states none. */
static bool has_default_rates(const struct topology *topology)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) &&
            topology_link_bandwidth(topology, link) != TOPOLOGY_DEFAULT_BANDWIDTH)
            return false;
    return true;
}

/* Returns a copy of a network whose rates are left open, level by level. */
static struct topology *copy_with_open_rates(const struct topology *topology)
{
    struct graph *graph = graph_new();
    struct wiring wiring = wiring_of(topology);
    char name[512];
    uint32_t from, to;
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, name, sizeof name);
        graph_add_node(graph, node >= topology->n_machines, name, strlen(name));
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const uint8_t level = wiring.level[from] < wiring.level[to] ? wiring.level[from] : wiring.level[to];
        if (from < to)
            graph_add_cable(graph, from, to, PLAN_OPEN_RATE + level, 0);
    }
    wiring_free(&wiring);
    graph_seal(graph);
    const struct topology_settings settings = {.name = topology->name};
    struct topology *copy = topology_new_graph(&settings, graph);
    copy->is_outline = topology->is_outline;
    return copy;
}

struct topology *plan_of(const struct topology *plan, const struct topology *seen)
{
    if (!topology_is_implicit(plan))
        return has_default_rates(plan) && !topology_is_subnet(plan) ? copy_with_open_rates(plan) : NULL;
    const struct network_plan request = {
        .shape = plan, .n_hosts = plan_hosts(plan, seen), .states_rates = plan->states_rates};
    return plan_write_out(&request);
}
