/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes through an explicit network: breadth-first search from the
 * destination, one table of next links per destination. The tie rule spreads
 * destinations over equal links, as subnet managers do, and needs no state:
 * of the n links that lead one hop nearer, in the order of ids, number d mod n. Of its
 * own cables a machine s chooses (s + d) mod n: the last link of a route may follow from
 * the first, as on two rails, and with d mod n all would reach d by the same one.
 */
#include "network/forwarding.h"

#include <stdlib.h>
#include <string.h>

/* Limit above which the longest route is bounded, not computed. */
enum { EXACT_ROUTERS = 2048 };

/* A search over routers, by index from 0 (node - n_machines). */
struct search {
    struct graph *graph;
    uint32_t head, tail; /* of graph->queue */
};

static void search_start(struct search *search, struct graph *graph)
{
    *search = (struct search){graph, 0, 0};
    memset(graph->distance, 0xff, (graph->n_nodes - graph->n_machines) * sizeof *graph->distance);
}

/* Puts the routers next to `node` that were not seen yet at that distance. */
static void search_spread(struct search *search, uint32_t node, uint32_t distance)
{
    struct graph *graph = search->graph;
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint32_t to = graph_link_to(graph, graph->out[i]);
        if (to < graph->n_machines || graph->distance[to - graph->n_machines] != GRAPH_NONE)
            continue;
        graph->distance[to - graph->n_machines] = distance;
        graph->queue[search->tail++] = to - graph->n_machines;
    }
}

/* Returns the largest distance met. Once every router is met, what leaves the rest of them
 * leads nowhere new. */
static uint32_t search_run(struct search *search)
{
    struct graph *graph = search->graph;
    uint32_t n_routers = graph->n_nodes - graph->n_machines;
    while (search->head < search->tail && search->tail < n_routers) {
        uint32_t router = graph->queue[search->head++];
        search_spread(search, graph->n_machines + router, graph->distance[router] + 1);
    }
    return search->tail ? graph->distance[graph->queue[search->tail - 1]] : 0;
}

/* ---- the table of a destination ---- */

static bool leads_nearer(const struct graph *graph, uint32_t link, uint32_t distance,
                         uint32_t destination)
{
    uint32_t to = graph_link_to(graph, link);
    if (distance == 1)
        return to == destination;
    return to >= graph->n_machines && graph->distance[to - graph->n_machines] == distance - 1;
}

static uint32_t choose_link(const struct graph *graph, uint32_t router, uint32_t destination)
{
    uint32_t distance = graph->distance[router], node = graph->n_machines + router, n = 0;
    if (distance == GRAPH_NONE)
        return GRAPH_NONE;
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
        n += leads_nearer(graph, graph->out[i], distance, destination);
    uint32_t wanted = destination % n, i = graph->first[node];
    for (;; i++)
        if (leads_nearer(graph, graph->out[i], distance, destination) && wanted-- == 0)
            return graph->out[i];
}

/* Returns a table of the links that lead to a machine, by router; once graph->queue has the routers at one
 * link from it and the search has their distances. */
static uint32_t *graph_routes_make_table(struct search *search, uint32_t destination)
{
    struct graph *graph = search->graph;
    const uint32_t n_routers = graph->n_nodes - graph->n_machines;
    uint32_t *next = mem_alloc(n_routers, sizeof *next);
    search_run(search);
    for (uint32_t router = 0; router < n_routers; router++)
        next[router] = choose_link(graph, router, destination);
    return next;
}

/* Returns the ways to a router. They serve all its machines, which choose among links by their numbers,
 * and are so few that they stay near the processor where a table for each cable would not. */
static const struct graph_ways *graph_routes_to_router(struct graph *graph, uint32_t router)
{
    const uint32_t n_routers = graph->n_nodes - graph->n_machines;
    struct search search;
    size_t n = 0;
    if (!graph->next_to)
        graph->next_to = mem_alloc(n_routers, sizeof *graph->next_to);
    if (graph->next_to[router])
        return graph->next_to[router];
    search_start(&search, graph);
    graph->distance[router] = 1;
    graph->queue[search.tail++] = router;
    search_run(&search);
    struct graph_ways *ways = graph->next_to[router] = mem_alloc(1, sizeof *ways);
    ways->first = mem_alloc((size_t)n_routers + 1, sizeof *ways->first);
    ways->links = mem_alloc(2 * (size_t)graph->n_cables, sizeof *ways->links);
    for (uint32_t other = 0; other < n_routers; other++) {
        const uint32_t node = graph->n_machines + other, distance = graph->distance[other];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1] && distance > 1; i++)
            if (distance != GRAPH_NONE && leads_nearer(graph, graph->out[i], distance, GRAPH_NONE))
                ways->links[n++] = graph->out[i];
        ways->first[other + 1] = (uint32_t)n;
    }
    ways->links = mem_resize(ways->links, n + 1, sizeof *ways->links);
    return ways;
}

static const uint32_t *graph_routes_next_links(struct graph *graph, uint32_t destination)
{
    if (graph->next[destination])
        return graph->next[destination];
    struct search search;
    search_start(&search, graph);
    search_spread(&search, destination, 1);
    return graph->next[destination] = graph_routes_make_table(&search, destination);
}

/* ---- routes ---- */

/* Returns the number of links from the far end of `link` to the destination, GRAPH_NONE if none. */
static uint32_t walk_length(const struct graph *graph, const uint32_t *next, uint32_t link,
                            uint32_t destination)
{
    uint32_t length = 0, node = graph_link_to(graph, link);
    for (; node != destination; length++) {
        if (node < graph->n_machines || next[node - graph->n_machines] == GRAPH_NONE)
            return GRAPH_NONE;
        node = graph_link_to(graph, next[node - graph->n_machines]);
    }
    return length;
}

/* Chooses the machine's own cable on the way; GRAPH_NONE: no route. */
static uint32_t graph_routes_first_link(const struct graph *graph, const uint32_t *next, uint32_t source,
                                        uint32_t destination)
{
    uint32_t shortest = GRAPH_NONE, n = 0;
    for (uint32_t i = graph->first[source]; i < graph->first[source + 1]; i++) {
        uint32_t length = walk_length(graph, next, graph->out[i], destination);
        n = length < shortest ? 1 : n + (length == shortest);
        shortest = length < shortest ? length : shortest;
    }
    if (shortest == GRAPH_NONE)
        return GRAPH_NONE;
    uint32_t wanted = (source + destination) % n, i = graph->first[source];
    for (;; i++)
        if (walk_length(graph, next, graph->out[i], destination) == shortest && wanted-- == 0)
            return graph->out[i];
}

uint32_t graph_route(struct graph *graph, uint32_t source, uint32_t destination,
                     struct hop *hops)
{
    if (graph->forwarding)
        return forwarding_route(graph, source, destination, hops);
    const uint32_t *next = graph_routes_next_links(graph, destination);
    uint32_t n_cables = graph->first[source + 1] - graph->first[source], n = 0;
    uint32_t link = n_cables == 1 ? graph->out[graph->first[source]]
                                  : graph_routes_first_link(graph, next, source, destination);
    while (link != GRAPH_NONE) {
        hops[n++] = (struct hop){link, 0};
        uint32_t node = graph_link_to(graph, link);
        if (node == destination)
            return n;
        link = node < graph->n_machines ? GRAPH_NONE : next[node - graph->n_machines];
    }
    return 0;
}

uint32_t graph_walk_by(struct graph *graph, uint32_t first, uint32_t last, uint32_t *links, uint32_t apart)
{
    const uint32_t destination = graph_link_to(graph, last), leaf = graph_link_from(graph, last);
    uint32_t node = graph_link_to(graph, first), n = 1;
    *links = first;
    if (first == last)
        return 1;
    if (leaf < graph->n_machines)
        return 0;
    if (node != leaf) {
        const struct graph_ways *ways = graph_routes_to_router(graph, leaf - graph->n_machines);
        while (node != leaf) {
            if (node < graph->n_machines)
                return 0;
            const uint32_t *at = &ways->first[node - graph->n_machines], n_links = at[1] - at[0];
            if (!n_links)
                return 0;
            const uint32_t link = ways->links[at[0] + (n_links == 1 ? 0 : destination % n_links)];
            links[(size_t)n++ * apart] = link;
            node = graph_link_to(graph, link);
        }
    }
    links[(size_t)n++ * apart] = last;
    return n;
}

uint32_t graph_route_by(struct graph *graph, uint32_t first, uint32_t last, struct hop *hops)
{
    if (graph->forwarding)
        return forwarding_route_by(graph, first, last, hops);
    const uint32_t n = graph_walk_by(graph, first, last, &hops->link, sizeof *hops / sizeof hops->link);
    for (uint32_t i = 0; i < n; i++)
        hops[i].lane = 0;
    return n;
}

uint32_t graph_next_choices_by(struct graph *graph, uint32_t node, uint32_t last, struct hop *choices)
{
    const uint32_t leaf = graph_link_from(graph, last), destination = graph_link_to(graph, last);
    if (node < graph->n_machines || leaf < graph->n_machines)
        return 0;
    choices[0] = (struct hop){last, 0};
    if (node == leaf)
        return 1;
    const struct graph_ways *ways = graph_routes_to_router(graph, leaf - graph->n_machines);
    const uint32_t *at = &ways->first[node - graph->n_machines], n_links = at[1] - at[0];
    const uint32_t by_rule = n_links ? destination % n_links : 0;
    for (uint32_t i = 0, n = 1; i < n_links; i++)
        choices[i == by_rule ? 0 : n++] = (struct hop){ways->links[at[0] + i], 0};
    return n_links;
}

void graph_next_links(struct graph *graph, uint32_t destination, uint32_t *next)
{
    const uint32_t *of_router = graph_routes_next_links(graph, destination);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        const uint32_t first = graph->first[machine], n_cables = graph->first[machine + 1] - first;
        uint32_t link = n_cables == 1 ? graph->out[first] : GRAPH_NONE;
        if (n_cables > 1 && machine != destination)
            link = graph_routes_first_link(graph, of_router, machine, destination);
        const uint32_t to = link == GRAPH_NONE ? destination : graph_link_to(graph, link);
        next[machine] = to < graph->n_machines && to != destination ? NO_NEXT_LINK : link;
    }
    memcpy(next + graph->n_machines, of_router,
           (graph->n_nodes - graph->n_machines) * sizeof *next);
}

uint32_t graph_next_choices(struct graph *graph, uint32_t node, uint32_t destination, struct hop *choices)
{
    const uint32_t *next = graph_routes_next_links(graph, destination);
    const uint32_t by_rule = node < graph->n_machines
                                 ? graph_routes_first_link(graph, next, node, destination)
                                 : next[node - graph->n_machines];
    uint32_t n = 1;
    if (by_rule == GRAPH_NONE)
        return 0;
    const uint32_t shortest = walk_length(graph, next, by_rule, destination);
    choices[0] = (struct hop){by_rule, 0};
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
        if (graph->out[i] != by_rule && walk_length(graph, next, graph->out[i], destination) == shortest)
            choices[n++] = (struct hop){graph->out[i], 0};
    return n;
}

/* ---- the longest route ---- */

/* [router] cables to machines; *is_exact if each machine has one cable. To be freed. */
static uint32_t *count_hosts(const struct graph *graph, bool *is_exact)
{
    uint32_t *hosts = mem_alloc(graph->n_nodes - graph->n_machines, sizeof *hosts);
    *is_exact = true;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        *is_exact = *is_exact && graph->first[machine + 1] == graph->first[machine] + 1;
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
            uint32_t to = graph_link_to(graph, graph->out[i]);
            if (to >= graph->n_machines)
                hosts[to - graph->n_machines]++;
        }
    }
    return hosts;
}

/* Returns the number of links from a machine on a router to the farthest machine, 0 if it reaches no
 * other. */
static uint32_t longest_from(struct graph *graph, const uint32_t *hosts, uint32_t router)
{
    struct search search;
    uint32_t farthest = 0;
    search_start(&search, graph);
    graph->distance[router] = 0;
    graph->queue[search.tail++] = router;
    search_run(&search);
    for (uint32_t i = 0; i < search.tail; i++)
        if (hosts[graph->queue[i]] && graph->distance[graph->queue[i]] > farthest)
            farthest = graph->distance[graph->queue[i]];
    return farthest || hosts[router] > 1 ? farthest + 2 : 0;
}

/* In each part of a large network: no path is longer than twice the distance
 * of the router farthest from any one. */
static uint32_t graph_routes_longest_bound(struct graph *graph, uint32_t n_routers)
{
    uint32_t longest = 2;
    struct search search;
    search_start(&search, graph);
    for (uint32_t router = 0; router < n_routers; router++) {
        if (graph->distance[router] != GRAPH_NONE)
            continue;
        graph->distance[router] = 0;
        graph->queue[search.tail++] = router;
        uint32_t length = 2 * search_run(&search) + 2;
        longest = length > longest ? length : longest;
    }
    return longest;
}

uint32_t graph_max_hops(struct graph *graph, bool *is_exact)
{
    uint32_t n_routers = graph->n_nodes - graph->n_machines, longest = 1;
    *is_exact = false;
    if (n_routers > EXACT_ROUTERS)
        return graph_routes_longest_bound(graph, n_routers);
    uint32_t *hosts = count_hosts(graph, is_exact);
    for (uint32_t router = 0; router < n_routers; router++) {
        uint32_t length = hosts[router] ? longest_from(graph, hosts, router) : 0;
        longest = length > longest ? length : longest;
    }
    free(hosts);
    return longest;
}

/* ---- is every machine reachable from every other? ---- */

/* Gives every router that can be reached from graph->queue[head .. tail-1] the
 * part of its neighbour; returns the new tail. */
static uint32_t flood(const struct graph *graph, uint32_t *parts, uint32_t head, uint32_t tail)
{
    for (; head < tail; head++) {
        uint32_t router = graph->queue[head], node = graph->n_machines + router;
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t to = graph_link_to(graph, graph->out[i]);
            if (to < graph->n_machines || parts[to - graph->n_machines] != GRAPH_NONE)
                continue;
            parts[to - graph->n_machines] = parts[router];
            graph->queue[tail++] = to - graph->n_machines;
        }
    }
    return tail;
}

/* Returns the part each router belongs to, numbered from 0. */
static uint32_t *router_parts(const struct graph *graph)
{
    uint32_t n_routers = graph->n_nodes - graph->n_machines, part = 0, tail = 0;
    uint32_t *parts = mem_alloc(n_routers, sizeof *parts);
    memset(parts, 0xff, n_routers * sizeof *parts);
    for (uint32_t router = 0; router < n_routers; router++) {
        if (parts[router] != GRAPH_NONE)
            continue;
        parts[router] = part++;
        graph->queue[tail] = router;
        tail = flood(graph, parts, tail, tail + 1);
    }
    return parts;
}

/* Marks for what a machine reaches: the parts its cables end in, and the machines at the other end of a
 * cable. Marked with the machine's number + 1. */
struct reach {
    const struct graph *graph;
    uint32_t *parts;        /* [router] */
    uint32_t *part_mark;    /* [part], as many as routers at most */
    uint32_t *machine_mark; /* [machine] */
};

static void graph_routes_reach_from(const struct reach *reach, uint32_t machine)
{
    const struct graph *graph = reach->graph;
    reach->machine_mark[machine] = machine + 1;
    for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
        uint32_t to = graph_link_to(graph, graph->out[i]);
        if (to < graph->n_machines)
            reach->machine_mark[to] = machine + 1;
        else
            reach->part_mark[reach->parts[to - graph->n_machines]] = machine + 1;
    }
}

static bool graph_routes_is_reached(const struct reach *reach, uint32_t from, uint32_t machine)
{
    const struct graph *graph = reach->graph;
    if (reach->machine_mark[machine] == from + 1)
        return true;
    for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
        uint32_t to = graph_link_to(graph, graph->out[i]);
        if (to >= graph->n_machines &&
            reach->part_mark[reach->parts[to - graph->n_machines]] == from + 1)
            return true;
    }
    return false;
}

static bool gap_of(const struct reach *reach, uint32_t from, struct graph_gap *gap)
{
    *gap = (struct graph_gap){from, GRAPH_NONE, 0};
    graph_routes_reach_from(reach, from);
    for (uint32_t machine = 0; machine < reach->graph->n_machines; machine++) {
        bool reached = graph_routes_is_reached(reach, from, machine);
        gap->n_reached += reached;
        if (!reached && gap->to == GRAPH_NONE)
            gap->to = machine;
    }
    return gap->to != GRAPH_NONE;
}

/* True if one part holds a cable of every machine: the usual case. count[part]
 * is the number of machines 0, 1, ... without a hole that have a cable there. */
static bool share_a_part(const struct graph *graph, const uint32_t *parts, uint32_t *count)
{
    uint32_t most = 0;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
            uint32_t to = graph_link_to(graph, graph->out[i]);
            uint32_t part = to < graph->n_machines ? GRAPH_NONE : parts[to - graph->n_machines];
            if (part != GRAPH_NONE && count[part] == machine && ++count[part] > most)
                most = count[part];
        }
    return most == graph->n_machines;
}

bool graph_find_gap(const struct graph *graph, struct graph_gap *gap)
{
    uint32_t n_routers = graph->n_nodes - graph->n_machines;
    struct reach reach = {graph, router_parts(graph), mem_alloc(n_routers, sizeof(uint32_t)),
                          mem_alloc(graph->n_machines, sizeof(uint32_t))};
    bool found = false;
    if (!share_a_part(graph, reach.parts, reach.part_mark)) {
        memset(reach.part_mark, 0, n_routers * sizeof(uint32_t));
        for (uint32_t machine = 0; machine < graph->n_machines && !found; machine++)
            found = gap_of(&reach, machine, gap);
    }
    free(reach.part_mark);
    free(reach.machine_mark);
    free(reach.parts);
    return found;
}
