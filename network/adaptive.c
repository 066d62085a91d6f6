/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asks a kind for the links that lead nearer. See adaptive.h.
 */
#include "network/adaptive.h"

#include "network/forwarding.h"
#include "network/host_ports.h"
#include "network/kind.h"
#include "network/parts.h"

#include <stdlib.h>

const char *topology_set_adaptive(struct topology *topology)
{
    const struct topology *whole = topology->whole;
    const struct graph *graph = topology_as_graph(whole);
    if (graph && graph->forwarding)
        return "forwarding tables give each switch one way to a host: leave them out, or the adaptive "
               "routing";
    if (topology->n_networks > 1)
        return "each of several networks has routes of its own: take one of them";
    if (!whole->methods->next_choices)
        return "the routes of this kind of network are stated in its file";
    for (const struct topology *part = topology; part; part = part->base)
        if (topology_is_faulty(part) && !part->base->methods->fail_links)
            return "shortest ways round failed links are known in explicit networks only, not in grids and "
                   "trees";
    topology->is_adaptive = true;
    return NULL;
}

uint32_t topology_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                               struct hop *choices)
{
    return node == destination ? 0 : topology->methods->next_choices(topology, node, destination, choices);
}

uint32_t topology_max_choices(const struct topology *topology)
{
    uint32_t *degree = mem_alloc(topology->n_nodes, sizeof *degree), most = 1;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (++degree[from] > most)
            most = degree[from];
    }
    free(degree);
    return most;
}

/* ---- all ways of a pair ---- */

struct ways ways_new(const struct topology *topology)
{
    return (struct ways){.topology = topology,
                         .number = mem_alloc(topology->n_nodes, sizeof(uint32_t)),
                         .choices = mem_alloc(topology_max_choices(topology), sizeof(struct hop))};
}

void ways_free(struct ways *ways)
{
    free(ways->items);
    free(ways->nodes);
    free(ways->number);
    free(ways->choices);
    *ways = (struct ways){0};
}

/* Returns the number of a node, which is given one when it is met first. */
static uint32_t ways_meet(struct ways *ways, uint32_t node)
{
    if (!ways->number[node]) {
        ways->nodes =
            mem_grow(ways->nodes, &ways->node_capacity, (size_t)ways->n_nodes + 1, sizeof *ways->nodes);
        ways->nodes[ways->n_nodes++] = node;
        ways->number[node] = ways->n_nodes;
    }
    return ways->number[node] - 1;
}

/* The message whose ways are looked for: between machines, or, where `has_ports`, by these links of theirs.
 * */
struct way_ends {
    uint32_t source, destination;
    bool has_ports;
    uint32_t first, last;
};

/* Writes the links that lead nearer from a node. */
static uint32_t ways_choose(const struct ways *ways, uint32_t node, const struct way_ends *ends)
{
    const struct topology *topology = ways->topology, *whole = topology->whole;
    if (!ends->has_ports)
        return topology_next_choices(topology, node, ends->destination, ways->choices);
    if (node == ends->destination)
        return 0;
    if (node != ends->source)
        return whole->methods->next_choices_by(whole, topology_whole_node(topology, node), ends->last,
                                               ways->choices);
    ways->choices[0] = (struct hop){ends->first, 0};
    return topology_has_link(topology, ends->first) && topology_has_link(topology, ends->last);
}

/* Adds the links that lead nearer from the node of that number. */
static void ways_spread(struct ways *ways, uint32_t number, uint32_t place, const struct way_ends *ends)
{
    const uint32_t n = ways_choose(ways, ways->nodes[number], ends);
    ways->items = mem_grow(ways->items, &ways->capacity, (size_t)ways->n + n + 1, sizeof *ways->items);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from, to;
        topology_link_ends(ways->topology, ways->choices[i].link, &from, &to);
        ways->items[ways->n++] = (struct way){ways->choices[i].link, number, ways_meet(ways, to), place};
    }
}

bool topology_has_adaptive_ways(const struct topology *topology)
{
    return topology->is_adaptive && topology->whole->methods->next_choices_by && topology_has_ways(topology);
}

uint32_t ways_find(struct ways *ways, uint32_t source, uint32_t destination, uint8_t by_ports)
{
    struct way_ends ends = {source, destination, by_ports, 0, 0};
    ways->n = ways->n_nodes = 0;
    if (by_ports &&
        !topology_way_links(ways->topology, by_ports, source, destination, &ends.first, &ends.last))
        return 0;
    ways_meet(ways, source);
    for (uint32_t number = 0, place = 0; number < ways->n_nodes; place++)
        for (const uint32_t end = ways->n_nodes; number < end; number++)
            ways_spread(ways, number, place, &ends);
    for (uint32_t i = 0; i < ways->n_nodes; i++)
        ways->number[ways->nodes[i]] = 0;
    if (ways->nodes[ways->n_nodes - 1] != destination) /* the first link leads nowhere */
        ways->n = 0;
    return ways->n;
}
