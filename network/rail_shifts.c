/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See rail_shifts.h. The links of a fabric are looked at once: each host of a group has a cable to the leaf
 * of each rail, each leaf has one to each spine, of its rail or of all, and there are no others. Leaf and
 * spine choose as a tree does: the spine with the number of the destination, modulo the number of spines, in
 * the order of links. So a message that stays on its rail takes the route of the tree that the rail is, the
 * *plane*. Between rails, where spines are shared, it goes up to that spine and down. Class c of the plane of
 * rail k has the number c + k * (classes of a plane).
 */
#include "network/rail_shifts.h"

#include "network/graph.h"
#include "network/host_ports.h"
#include "network/tree.h"

#include <stdlib.h>
#include <string.h>

struct rail_fabric {
    struct topology *plane;                /* NULL: the network is no such fabric */
    uint32_t hosts, rails, groups, spines; /* hosts of a group, spines of a leaf */
    bool is_shared;                        /* all leaves have the same spines */
    uint32_t *class, *position;            /* [link] */
};

void rail_fabric_free(struct rail_fabric *fabric)
{
    if (!fabric)
        return;
    topology_free(fabric->plane);
    free(fabric->class);
    free(fabric->position);
    free(fabric);
}

/* ---- the fabric ---- */

struct rail_finder {
    const struct topology *topology;
    const struct graph *graph;
    struct rail_fabric *fabric;
    uint32_t *leaf;  /* [node] group * rails + rail; GRAPH_NONE: no leaf */
    uint32_t *spine; /* [rail * spines + number] nodes */
    struct link_class classes[2];
    bool has_class[2];
};

/* Puts both links of a cable into a level of a rail. False: its numbers are not those of others there, or it
 * is in one already. */
static bool rail_take_cable(struct rail_finder *finder, uint32_t up, uint32_t rail, uint32_t level,
                            uint32_t position)
{
    const struct graph_cable *cable = &finder->graph->cables[up / 2];
    const struct link_class *class = &finder->classes[level];
    if (!finder->has_class[level])
        finder->classes[level] = (struct link_class){cable->bandwidth, cable->latency};
    finder->has_class[level] = true;
    if (finder->fabric->class[up] != GRAPH_NONE || class->bandwidth != cable->bandwidth ||
        class->latency != cable->latency)
        return false;
    const uint32_t first = rail * (finder->fabric->spines ? 4 : 2) + 2 * level;
    finder->fabric->class[up] = first;
    finder->fabric->class[up ^ 1] = first + 1;
    finder->fabric->position[up] = finder->fabric->position[up ^ 1] = position;
    return true;
}

/* Returns the link by which a machine leaves to a router by a port; NO_NEXT_LINK: none is there. */
static uint32_t rail_port_link(const struct rail_finder *finder, uint32_t machine, uint32_t rail)
{
    const struct host_ports *ports = finder->topology->host_ports;
    const uint32_t link = host_ports_at(ports, ports->leaves, machine, rail);
    return link != NO_NEXT_LINK && graph_link_to(finder->graph, link) >= finder->graph->n_machines
               ? link
               : NO_NEXT_LINK;
}

/* Finds groups of machines in a row, and their leaves. */
static bool rail_find_leaves(struct rail_finder *finder)
{
    struct rail_fabric *fabric = finder->fabric;
    const struct graph *graph = finder->graph;
    const uint32_t n = graph->n_machines, first = rail_port_link(finder, 0, 0);
    while (fabric->hosts < n && first != NO_NEXT_LINK &&
           rail_port_link(finder, fabric->hosts, 0) != NO_NEXT_LINK &&
           graph_link_to(graph, rail_port_link(finder, fabric->hosts, 0)) == graph_link_to(graph, first))
        fabric->hosts++;
    if (!fabric->hosts || n % fabric->hosts)
        return false;
    fabric->groups = n / fabric->hosts;
    for (uint32_t machine = 0; machine < n; machine++) {
        if (graph->first[machine + 1] - graph->first[machine] != fabric->rails)
            return false;
        for (uint32_t rail = 0; rail < fabric->rails; rail++) {
            const uint32_t link = rail_port_link(finder, machine, rail);
            const uint32_t number = machine / fabric->hosts * fabric->rails + rail;
            if (link == NO_NEXT_LINK)
                return false;
            uint32_t *leaf = &finder->leaf[graph_link_to(graph, link)];
            if (machine % fabric->hosts == 0 && *leaf == GRAPH_NONE)
                *leaf = number;
            if (*leaf != number)
                return false;
        }
    }
    return true;
}

/* Counts the links of a leaf to other routers. */
static uint32_t rail_count_spines(const struct rail_finder *finder, uint32_t leaf)
{
    const struct graph *graph = finder->graph;
    uint32_t n = 0;
    for (uint32_t i = graph->first[leaf]; i < graph->first[leaf + 1]; i++)
        n += graph_link_to(graph, graph->out[i]) >= graph->n_machines;
    return n;
}

/* Takes the cables of a leaf to its spines, which are those of its rail in other groups, in the same order.
 */
static bool rail_take_spines(struct rail_finder *finder, uint32_t leaf)
{
    const struct graph *graph = finder->graph;
    const struct rail_fabric *fabric = finder->fabric;
    const uint32_t rail = finder->leaf[leaf] % fabric->rails;
    uint32_t n = 0;
    if (rail_count_spines(finder, leaf) != fabric->spines)
        return false;
    for (uint32_t i = graph->first[leaf]; i < graph->first[leaf + 1]; i++) {
        const uint32_t link = graph->out[i], to = graph_link_to(graph, link);
        if (to < graph->n_machines)
            continue;
        uint32_t *spine = &finder->spine[rail * fabric->spines + n];
        if (*spine == GRAPH_NONE)
            *spine = to;
        if (*spine != to || finder->leaf[to] != GRAPH_NONE || !rail_take_cable(finder, link, rail, 1, n++))
            return false;
    }
    return true;
}

/* True if no two numbers are one spine, or if all rails have the same: then *is_shared. */
static bool are_spines_apart(const struct rail_finder *finder, bool *is_shared)
{
    const struct rail_fabric *fabric = finder->fabric;
    const uint32_t n = fabric->rails * fabric->spines;
    uint32_t *met = mem_alloc(finder->graph->n_nodes, sizeof *met); /* number + 1 */
    bool are_apart = true;
    *is_shared = fabric->spines && finder->spine[0] == finder->spine[fabric->spines];
    for (uint32_t i = 0; i < n && are_apart; i++) {
        uint32_t *number = &met[finder->spine[i]];
        are_apart = *is_shared ? !*number || *number == i % fabric->spines + 1 : !*number;
        *number = *is_shared ? i % fabric->spines + 1 : i + 1;
        are_apart = are_apart && (!*is_shared || finder->spine[i] == finder->spine[i % fabric->spines]);
    }
    free(met);
    return are_apart;
}

static bool rail_find_fabric(struct rail_finder *finder)
{
    struct rail_fabric *fabric = finder->fabric;
    const struct graph *graph = finder->graph;
    if (!rail_find_leaves(finder))
        return false;
    fabric->spines = rail_count_spines(finder, graph_link_to(graph, rail_port_link(finder, 0, 0)));
    if (!fabric->spines && fabric->groups > 1)
        return false;
    const uint32_t n = fabric->rails * fabric->spines;
    finder->spine = mem_alloc(n + 1, sizeof *finder->spine);
    for (uint32_t i = 0; i < n; i++)
        finder->spine[i] = GRAPH_NONE;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        for (uint32_t rail = 0; rail < fabric->rails; rail++)
            if (!rail_take_cable(finder, rail_port_link(finder, machine, rail), rail, 0, 0))
                return false;
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (finder->leaf[node] != GRAPH_NONE && !rail_take_spines(finder, node))
            return false;
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        if (fabric->class[link] == GRAPH_NONE)
            return false;
    return are_spines_apart(finder, &fabric->is_shared);
}

static struct topology *rail_new_plane(const struct rail_finder *finder)
{
    const struct rail_fabric *fabric = finder->fabric;
    const uint32_t down[2] = {fabric->hosts, fabric->groups}, up[2] = {1, fabric->spines};
    const struct topology_settings settings = {.classes = finder->classes,
                                               .bandwidth = finder->classes[0].bandwidth,
                                               .latency = finder->classes[0].latency};
    const char *problem;
    return topology_new_tree(&settings, fabric->spines ? 2 : 1, down, up, NULL, &problem);
}

static struct rail_fabric *rail_fabric_new(const struct topology *topology)
{
    const struct graph *graph = topology->self;
    struct rail_fabric *fabric = mem_alloc(1, sizeof *fabric);
    struct rail_finder finder = {.topology = topology, .graph = graph, .fabric = fabric};
    if (!topology_has_ways(topology) || topology->whole != topology)
        return fabric;
    const uint32_t n_links = 2 * graph->n_cables;
    fabric->rails = topology_n_host_ports(topology);
    fabric->class = mem_alloc(n_links, sizeof *fabric->class);
    fabric->position = mem_alloc(n_links, sizeof *fabric->position);
    finder.leaf = mem_alloc(graph->n_nodes, sizeof *finder.leaf);
    memset(fabric->class, 0xff, n_links * sizeof *fabric->class);
    memset(finder.leaf, 0xff, graph->n_nodes * sizeof *finder.leaf);
    if (rail_find_fabric(&finder))
        fabric->plane = rail_new_plane(&finder);
    free(finder.leaf);
    free(finder.spine);
    return fabric;
}

/* ---- shifts ---- */

static const struct rail_fabric *rail_fabric_of(const struct topology *topology)
{
    return ((const struct graph *)topology->self)->rails;
}

/* Returns the shifts of messages that stay on a rail. */
static struct machine_shifts rail_plane_shifts(const struct machine_shifts *shifts)
{
    struct machine_shifts of_plane = *shifts;
    of_plane.has_ways = of_plane.crosses_rails = false;
    return of_plane;
}

static bool rail_has_shifts(const struct topology *topology, const struct machine_shifts *shifts,
                            bool *is_free)
{
    struct graph *graph = topology->self;
    const struct machine_shifts of_plane = rail_plane_shifts(shifts);
    if (!graph->rails)
        graph->rails = rail_fabric_new(topology);
    const struct rail_fabric *fabric = graph->rails;
    if (!fabric->plane || graph->forwarding || !topology_has_shifts(fabric->plane, &of_plane, is_free))
        return false;
    *is_free = false;
    return !shifts->crosses_rails || (fabric->is_shared && fabric->hosts % fabric->spines == 0);
}

static uint32_t rail_way_hops(const struct topology *topology, const struct machine_shifts *shifts,
                              uint32_t offset, uint8_t way, struct class_hops *hops)
{
    const struct rail_fabric *fabric = rail_fabric_of(topology);
    const struct machine_shifts of_plane = rail_plane_shifts(shifts);
    const uint32_t rail[2] = {host_ports_way_out(way), host_ports_way_in(way)};
    uint32_t n = topology_class_hops(fabric->plane, &of_plane, offset, 0, hops);
    if (rail[0] != rail[1]) { /* behind the cables of hosts all messages leave their leaves */
        const uint32_t source = shifts->is_xor ? offset : topology->n_machines - offset;
        const uint32_t spines = fabric->spines, each = fabric->hosts / spines;
        hops[2] = (struct class_hops){2, 0, spines, each, source % fabric->hosts};
        hops[3] = (struct class_hops){3, 0, spines, each, source % topology->n_machines};
        n = 4;
    }
    for (uint32_t i = 0; i < n; i++)
        hops[i].class += rail[hops[i].class % 2] * topology_n_classes(fabric->plane);
    return n;
}

static uint64_t rail_way_latency(const struct topology *topology, const struct machine_shifts *shifts,
                                 uint32_t offset, uint8_t way)
{
    const struct topology *plane = rail_fabric_of(topology)->plane;
    const struct machine_shifts of_plane = rail_plane_shifts(shifts);
    if (host_ports_way_out(way) == host_ports_way_in(way))
        return topology_offset_latency(plane, &of_plane, offset, 0);
    return 2 * (topology_links_of(plane, 0).latency + topology_links_of(plane, 2).latency);
}

static uint32_t rail_n_classes(const struct topology *topology)
{
    return rail_fabric_of(topology)->rails * topology_n_classes(rail_fabric_of(topology)->plane);
}

static struct link_class rail_links_of(const struct topology *topology, uint32_t class)
{
    const struct topology *plane = rail_fabric_of(topology)->plane;
    return topology_links_of(plane, class % topology_n_classes(plane));
}

static uint32_t rail_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                                 uint32_t class)
{
    const struct topology *plane = rail_fabric_of(topology)->plane;
    return topology_n_positions(plane, shifts, class % topology_n_classes(plane));
}

static uint32_t rail_links_at(const struct topology *topology, const struct machine_shifts *shifts,
                              uint32_t class)
{
    const struct topology *plane = rail_fabric_of(topology)->plane;
    return topology_links_at(plane, shifts, class % topology_n_classes(plane));
}

static uint32_t rail_link_class(const struct topology *topology, const struct machine_shifts *shifts,
                                uint32_t link, uint32_t *position)
{
    (void)shifts;
    *position = rail_fabric_of(topology)->position[link];
    return rail_fabric_of(topology)->class[link];
}

const struct shift_methods rail_shifts = {
    .has_shifts = rail_has_shifts,
    .way_hops = rail_way_hops,
    .way_latency = rail_way_latency,
    .n_classes = rail_n_classes,
    .links_of = rail_links_of,
    .n_positions = rail_n_positions,
    .links_at = rail_links_at,
    .link_class = rail_link_class,
};
