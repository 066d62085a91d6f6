/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See rail_order.h. Switches that hosts have cables to, the *leaves*, are put into units, which are of one
 * rail each: first every leaf is one, then those are joined that a switch between them joins, and so on up,
 * as long as no host has two cables to a unit. So each plane of a fabric with planes is a unit, and where
 * spines are shared each leaf. Pairs of a unit and a number of cables are taken by the cables of that number
 * at the unit, the most first, unless a host of the unit has that number already.
 */
#include "network/rail_order.h"

#include "network/graph.h"
#include "network/host_ports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RAILS = 64 }; /* bits of a mask */

struct order_finder {
    const struct graph *graph;
    const struct host_ports *ports;
    uint32_t *parent;     /* [node] of a tree for each unit */
    uint32_t *met;        /* [node] the last machine that has a cable to the unit, + 1 */
    uint32_t *next_leaf;  /* [node] the next leaf of the unit; GRAPH_NONE: it is the last */
    bool *is_leaf, *is_reached;
    uint64_t *rails_of;   /* [machine] mask of the rails that its units have */
    uint32_t *rail;       /* [node] of units */
};

/* ---- units ---- */

static uint32_t unit_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* True if no machine has two cables to a unit. */
static bool are_units_apart(struct order_finder *finder, uint32_t *parent)
{
    const struct graph *graph = finder->graph;
    memset(finder->met, 0, graph->n_nodes * sizeof *finder->met);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
            uint32_t *met = &finder->met[unit_of(parent, graph_link_to(graph, graph->out[i]))];
            if (*met == machine + 1)
                return false;
            *met = machine + 1;
        }
    return true;
}

/* Joins what the switches that are reached have cables to. Returns false if all of that was joined before. */
static bool join_reached(struct order_finder *finder, uint32_t *parent)
{
    const struct graph *graph = finder->graph;
    bool *is_next = mem_alloc(graph->n_nodes, sizeof *is_next);
    bool is_more = false;
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
        const uint32_t from = graph_link_from(graph, link), to = graph_link_to(graph, link);
        if (to < graph->n_machines || from < graph->n_machines || !finder->is_reached[from])
            continue;
        is_more |= unit_of(parent, from) != unit_of(parent, to);
        parent[unit_of(parent, to)] = unit_of(parent, from);
        is_next[to] = true;
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        finder->is_reached[node] |= is_next[node];
    free(is_next);
    return is_more;
}

/* Returns false if a machine has a cable to another one, or two to a switch. */
static bool find_units(struct order_finder *finder)
{
    const struct graph *graph = finder->graph;
    const size_t n_bytes = graph->n_nodes * sizeof *finder->parent;
    uint32_t *joined = mem_alloc(graph->n_nodes, sizeof *joined);
    bool is_apart = true;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        finder->parent[node] = node;
    for (uint32_t i = 0; i < graph->first[graph->n_machines]; i++) {
        const uint32_t leaf = graph_link_to(graph, graph->out[i]);
        is_apart &= leaf >= graph->n_machines;
        finder->is_leaf[leaf] = finder->is_reached[leaf] = true;
    }
    is_apart = is_apart && are_units_apart(finder, finder->parent);
    memcpy(joined, finder->parent, n_bytes);
    while (is_apart && join_reached(finder, joined) && are_units_apart(finder, joined))
        memcpy(finder->parent, joined, n_bytes);
    free(joined);
    return is_apart;
}

/* Lists the leaves of each unit, from its node on. */
static void list_leaves(struct order_finder *finder)
{
    memset(finder->next_leaf, 0xff, finder->graph->n_nodes * sizeof *finder->next_leaf);
    for (uint32_t node = finder->graph->n_nodes; node-- > finder->graph->n_machines;) {
        const uint32_t unit = unit_of(finder->parent, node);
        if (finder->is_leaf[node] && node != unit) {
            finder->next_leaf[node] = finder->next_leaf[unit];
            finder->next_leaf[unit] = node;
        }
    }
}

/* ---- their rails ---- */

/* Cables of one number to a unit. */
struct unit_number {
    uint32_t unit, number, n_cables, first; /* the first machine with such a cable */
};

static int compare_unit_numbers(const void *a, const void *b)
{
    const struct unit_number *x = a, *y = b;
    if (x->n_cables != y->n_cables)
        return x->n_cables < y->n_cables ? 1 : -1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Calls for each link from a leaf of a unit to a machine; begins with *leaf = unit, *i = 0. NO_NEXT_LINK:
 * that was the last. */
static uint32_t next_unit_cable(const struct order_finder *finder, uint32_t *leaf, uint32_t *i)
{
    const struct graph *graph = finder->graph;
    for (; *leaf != GRAPH_NONE; *leaf = finder->next_leaf[*leaf], *i = 0)
        while (graph->first[*leaf] + *i < graph->first[*leaf + 1]) {
            const uint32_t link = graph->out[graph->first[*leaf] + (*i)++];
            if (graph_link_to(graph, link) < graph->n_machines)
                return link;
        }
    return NO_NEXT_LINK;
}

/* Returns the rails that machines of a unit have by other units. */
static uint64_t rails_of_unit(const struct order_finder *finder, uint32_t unit)
{
    uint64_t rails = 0;
    for (uint32_t leaf = unit, i = 0, link; (link = next_unit_cable(finder, &leaf, &i)) != NO_NEXT_LINK;)
        rails |= finder->rails_of[graph_link_to(finder->graph, link)];
    return rails;
}

static void give_rail(struct order_finder *finder, uint32_t unit, uint32_t rail)
{
    finder->rail[unit] = rail;
    for (uint32_t leaf = unit, i = 0, link; (link = next_unit_cable(finder, &leaf, &i)) != NO_NEXT_LINK;)
        finder->rails_of[graph_link_to(finder->graph, link)] |= UINT64_C(1) << rail;
}

/* Adds up the cables of a unit by their numbers; returns how many numbers there are. */
static uint32_t count_unit(const struct order_finder *finder, uint32_t unit, struct unit_number *counts)
{
    struct unit_number of[MOST_RAILS] = {{0}};
    uint32_t n = 0;
    for (uint32_t leaf = unit, i = 0, link; (link = next_unit_cable(finder, &leaf, &i)) != NO_NEXT_LINK;) {
        const uint32_t machine = graph_link_to(finder->graph, link), number = finder->ports->in[link];
        if (!of[number].n_cables++ || machine < of[number].first)
            of[number].first = machine;
    }
    for (uint32_t number = 0; number < finder->ports->n; number++)
        if (of[number].n_cables) {
            counts[n] = of[number];
            counts[n].unit = unit;
            counts[n++].number = number;
        }
    return n;
}

/* Gives units with the most cables of a number that rail, then the others the lowest that is free. Returns
 * false if none is. */
static bool give_rails(struct order_finder *finder)
{
    const struct graph *graph = finder->graph;
    struct unit_number *counts = mem_alloc((size_t)graph->first[graph->n_machines] + 1, sizeof *counts);
    size_t n = 0;
    bool is_found = true;
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (finder->parent[node] == node)
            n += count_unit(finder, node, counts + n);
    qsort(counts, n, sizeof *counts, compare_unit_numbers);
    for (size_t i = 0; i < n; i++)
        if (finder->rail[counts[i].unit] == GRAPH_NONE &&
            !(rails_of_unit(finder, counts[i].unit) >> counts[i].number & 1))
            give_rail(finder, counts[i].unit, counts[i].number);
    for (size_t i = 0; i < n && is_found; i++) {
        if (finder->rail[counts[i].unit] != GRAPH_NONE)
            continue;
        const uint64_t is_free = ~rails_of_unit(finder, counts[i].unit);
        const uint32_t rail = is_free ? (uint32_t)__builtin_ctzll(is_free) : MOST_RAILS;
        is_found = rail < finder->ports->n;
        if (is_found)
            give_rail(finder, counts[i].unit, rail);
    }
    free(counts);
    return is_found;
}

uint32_t *rail_order_find(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology);
    if (!graph || !topology->host_ports || topology->host_ports->n > MOST_RAILS)
        return NULL;
    struct order_finder finder = {.graph = graph,
                                  .ports = topology->host_ports,
                                  .parent = mem_alloc(graph->n_nodes, sizeof *finder.parent),
                                  .met = mem_alloc(graph->n_nodes, sizeof *finder.met),
                                  .next_leaf = mem_alloc(graph->n_nodes, sizeof *finder.next_leaf),
                                  .is_leaf = mem_alloc(graph->n_nodes, sizeof *finder.is_leaf),
                                  .is_reached = mem_alloc(graph->n_nodes, sizeof *finder.is_reached),
                                  .rails_of = mem_alloc(graph->n_machines, sizeof *finder.rails_of),
                                  .rail = mem_alloc(graph->n_nodes, sizeof *finder.rail)};
    memset(finder.rail, 0xff, graph->n_nodes * sizeof *finder.rail);
    bool is_found = find_units(&finder);
    if (is_found) {
        list_leaves(&finder);
        is_found = give_rails(&finder);
    }
    for (uint32_t node = graph->n_machines; is_found && node < graph->n_nodes; node++)
        if (finder.is_leaf[node])
            finder.rail[node] = finder.rail[unit_of(finder.parent, node)];
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (!finder.is_leaf[node])
            finder.rail[node] = GRAPH_NONE;
    free(finder.parent);
    free(finder.met);
    free(finder.next_leaf);
    free(finder.is_leaf);
    free(finder.is_reached);
    free(finder.rails_of);
    if (is_found)
        return finder.rail;
    free(finder.rail);
    return NULL;
}
