/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See crossing.h. In the tree of a destination a link carries everything that comes to the node before
 * it.
 */
#include "routes/crossing.h"

#include <stdlib.h>
#include <string.h>

struct pairs {
    struct route_ends *items;
    size_t n, capacity;
};

static void crossing_add_pair(struct pairs *pairs, uint32_t source, uint32_t destination)
{
    pairs->items = mem_grow(pairs->items, &pairs->capacity, pairs->n + 1, sizeof *pairs->items);
    pairs->items[pairs->n++] = (struct route_ends){source, destination};
}

/* ---- pair by pair ---- */

static void walk_pairs(const struct topology *topology, uint32_t link, const struct observer *observer,
                       struct pairs *pairs)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < topology->n_machines; source++) {
        for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
            uint32_t n = topology_route(topology, source, destination, hops);
            while (n && hops[n - 1].link != link)
                n--;
            if (n)
                crossing_add_pair(pairs, source, destination);
        }
        observer_tell(observer, "sources", source + 1, topology->n_machines);
    }
    free(hops);
}

/* ---- tree by tree ---- */

enum fate { UNKNOWN, ON_THE_WAY, PASSES, CROSSES };

struct crossing {
    const struct topology *topology;
    uint32_t link, before, behind; /* its ends */
    uint32_t *to;   /* [link] node */
    uint32_t *next; /* [node] link, of the destination at hand */
    uint8_t *fate;  /* [node] whether what comes there crosses the link, so far */
    uint32_t *path; /* [node] scratch */
};

/* True if the path from the node ends at the destination. */
static bool crossing_arrives(const struct crossing *crossing, uint32_t node, uint32_t destination)
{
    uint32_t n = 0;
    while (node != destination && crossing->next[node] != NO_NEXT_LINK && n++ < crossing->topology->n_nodes)
        node = crossing->to[crossing->next[node]];
    return node == destination;
}

/* Finds the fate of the node, and of all on its way. A way that leads back to itself passes. */
static bool crossing_crosses(struct crossing *crossing, uint32_t node)
{
    uint32_t n = 0;
    for (; crossing->fate[node] == UNKNOWN; node = crossing->to[crossing->next[node]]) {
        crossing->fate[node] = ON_THE_WAY;
        crossing->path[n++] = node;
        if (crossing->next[node] == NO_NEXT_LINK)
            break;
    }
    const enum fate fate = crossing->fate[node] == CROSSES ? CROSSES : PASSES;
    while (n)
        crossing->fate[crossing->path[--n]] = (uint8_t)fate;
    return fate == CROSSES;
}

static void crossing_add_tree(struct crossing *crossing, uint32_t destination, struct pairs *pairs)
{
    const struct topology *topology = crossing->topology;
    topology_next_links(topology, destination, crossing->next);
    if (crossing->next[crossing->before] != crossing->link ||
        !crossing_arrives(crossing, crossing->behind, destination))
        return;
    memset(crossing->fate, UNKNOWN, topology->n_nodes);
    crossing->fate[crossing->before] = CROSSES;
    crossing->fate[destination] = PASSES;
    for (uint32_t source = 0; source < topology->n_machines; source++)
        if (crossing_crosses(crossing, source))
            crossing_add_pair(pairs, source, destination);
}

/* Sorts from the order of destinations to that of sources: counting sort keeps the first within the
 * second. */
static void sort_by_source(struct pairs *pairs, uint32_t n_machines)
{
    struct route_ends *sorted = mem_alloc(pairs->n + 1, sizeof *sorted);
    size_t *at = mem_alloc((size_t)n_machines + 1, sizeof *at);
    for (size_t i = 0; i < pairs->n; i++)
        at[pairs->items[i].source + 1]++;
    for (uint32_t machine = 0; machine < n_machines; machine++)
        at[machine + 1] += at[machine];
    for (size_t i = 0; i < pairs->n; i++)
        sorted[at[pairs->items[i].source]++] = pairs->items[i];
    free(at);
    free(pairs->items);
    pairs->items = sorted;
}

static void add_trees(const struct topology *topology, uint32_t link, const struct observer *observer,
                      struct pairs *pairs)
{
    const uint32_t n = topology->n_nodes;
    uint32_t from;
    struct crossing crossing = {.topology = topology,
                                .link = link,
                                .to = mem_alloc(topology->n_link_ids, sizeof *crossing.to),
                                .next = mem_alloc(n, sizeof *crossing.next),
                                .fate = mem_alloc(n, sizeof *crossing.fate),
                                .path = mem_alloc(n, sizeof *crossing.path)};
    topology_link_ends(topology, link, &crossing.before, &crossing.behind);
    for (uint32_t i = 0; i < topology->n_link_ids; i++)
        topology_link_ends(topology, i, &from, &crossing.to[i]);
    for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
        crossing_add_tree(&crossing, destination, pairs);
        observer_tell(observer, "destinations", destination + 1, topology->n_machines);
    }
    sort_by_source(pairs, topology->n_machines);
    free(crossing.to);
    free(crossing.next);
    free(crossing.fate);
    free(crossing.path);
}

struct route_ends *routes_over(const struct topology *topology, uint32_t link,
                               const struct observer *observer, size_t *n)
{
    struct pairs pairs = {0};
    if (topology_routes_are_trees(topology))
        add_trees(topology, link, observer, &pairs);
    else
        walk_pairs(topology, link, observer, &pairs);
    *n = pairs.n;
    return pairs.items;
}

double routes_over_seconds(const struct topology *topology)
{
    const double a_hop = 3e-9, a_node = 2e-9;
    const double n = topology->n_machines;
    return topology_routes_are_trees(topology) ? n * topology->n_nodes * a_node
                                               : n * n * topology->max_hops * a_hop;
}
