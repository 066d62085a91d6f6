/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the nodes of a topology that are drawn, and their levels: see topology_map.h.
 */
#include "emitters/drawing/topology_map.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

/* True if machines hang on switches. */
static bool has_switches(const struct topology *topology)
{
    return topology->n_routers && topology->has_machine_ports;
}

/* Counts in `n` the machines of each switch, one on several switches as one of the first. */
static void count_machines(const struct topology *t, uint32_t *n)
{
    bool *is_counted = mem_alloc(t->n_machines, sizeof *is_counted);
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        if (from >= t->n_machines || to < t->n_machines || is_counted[from])
            continue;
        is_counted[from] = true;
        n[to]++;
    }
    free(is_counted);
}

/* Returns the median of the numbers of machines, over switches with machines. */
static uint32_t median_count(const uint32_t *n, uint32_t n_nodes)
{
    uint32_t *sorted = mem_alloc(n_nodes, sizeof *sorted), n_sorted = 0;
    for (uint32_t node = 0; node < n_nodes; node++)
        if (n[node])
            sorted[n_sorted++] = n[node];
    qsort(sorted, n_sorted, sizeof *sorted, compare_uint32);
    const uint32_t median = n_sorted ? sorted[n_sorted / 2] : 0;
    free(sorted);
    return median;
}

/* Finds switches of the core with a file server or two, which are no leaves: each has less than a quarter
 * of the median switch's machines, and most of its cables to switches lead to leaves. */
static void find_core(const struct map *map, bool *is_core)
{
    const struct topology *t = map->topology;
    uint32_t *n = mem_alloc(map->n_nodes, sizeof *n);
    int64_t *balance = mem_alloc(map->n_nodes, sizeof *balance); /* links to leaves less those to others */
    count_machines(t, n);
    const uint32_t median = median_count(n, map->n_nodes);
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        if (from >= t->n_machines && to >= t->n_machines)
            balance[from] += (uint64_t)n[to] * 4 >= median && n[to] ? 1 : -1;
    }
    for (uint32_t node = t->n_machines; node < map->n_nodes; node++)
        is_core[node] = n[node] && (uint64_t)n[node] * 4 < median && balance[node] > 0;
    free(balance);
    free(n);
}

/* Finds levels by relaxation over the links: as many rounds as there are levels. */
static void topology_nodes_find_levels(struct map *map)
{
    const struct topology *t = map->topology;
    bool *is_core = mem_alloc(map->n_nodes, sizeof *is_core);
    for (uint32_t node = 0; node < map->n_nodes; node++)
        map->level[node] = node < t->n_machines ? 0 : NO_LEVEL;
    if (has_switches(t))
        find_core(map, is_core);
    for (bool changed = !map->grid; changed;) {
        changed = false;
        for (uint32_t link = 0; link < t->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(t, link))
                continue;
            topology_link_ends(t, link, &from, &to);
            if (map->level[from] == NO_LEVEL || map->level[to] <= map->level[from] + 1)
                continue;
            if (from < t->n_machines && is_core[to])
                continue;
            map->level[to] = map->level[from] + 1;
            changed = true;
        }
    }
    free(is_core);
}

/* Marks the machines that have a link with more load than is no harm. Where these are many, their switches
 * show it: no machine is marked. */
static void find_harmed(const struct map *map, bool *is_harmed)
{
    enum { MOST = 12 };
    const struct topology *t = map->topology;
    uint32_t n = 0;
    for (uint32_t link = 0; map->load && link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link) || !draw_is_harm(map, map->load[link]))
            continue;
        topology_link_ends(t, link, &from, &to);
        const uint32_t machine = from < to ? from : to; /* machines come before switches */
        n += machine < t->n_machines && !is_harmed[machine];
        is_harmed[machine] = machine < t->n_machines;
    }
    if (n > MOST)
        memset(is_harmed, 0, map->n_nodes * sizeof *is_harmed);
}

/* Draws every machine as part of its first switch, but for those that a link of their own harms. */
static void join_leaves(struct map *map)
{
    const struct topology *t = map->topology;
    bool *is_harmed = mem_alloc(map->n_nodes, sizeof *is_harmed);
    find_harmed(map, is_harmed);
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        if (from < t->n_machines && to >= t->n_machines && map->drawn[from] == from && !is_harmed[from]) {
            map->drawn[from] = to;
            map->n_members[to]++;
        }
    }
    free(is_harmed);
}

/* Gives each machine of a recognised grid the place of its switch. */
static void join_places(struct map *map)
{
    const struct topology *t = map->topology;
    uint32_t *router = mem_alloc(map->n_nodes, sizeof *router); /* [node of the grid] */
    for (uint32_t node = t->n_machines; node < map->n_nodes; node++)
        router[map->place[node]] = node;
    for (uint32_t machine = 0; machine < t->n_machines && t->n_routers; machine++) {
        map->drawn[machine] = router[map->place[machine]];
        map->guest[map->drawn[machine]] = machine;
    }
    free(router);
}

/* True for tori, dragonflies and the like, where a row of all switches would be a ribbon with arcs over
 * it. */
static bool is_flat(const struct map *map)
{
    enum { FLAT_FROM = 6 }; /* fewer stand in a row, however they are cabled */
    const struct topology *t = map->topology;
    uint32_t n = 0, n_within = 0;
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        const bool is_trunk = from >= t->n_machines && to >= t->n_machines;
        n += is_trunk;
        n_within += is_trunk && map->level[from] == map->level[to];
    }
    return !map->grid && t->n_routers >= FLAT_FROM && n_within > n / 2;
}

/* True if lines between drawn nodes can be told apart: as many as pairs of these. */
static bool are_lines_few(const struct map *map)
{
    enum { MOST = 150, MOST_FLAT = 600 };
    const struct topology *t = map->topology;
    uint64_t *pairs = mem_alloc((size_t)t->n_links + 1, sizeof *pairs), n_pairs = 0;
    size_t n = 0;
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        const uint32_t a = map->drawn[from], b = map->drawn[to];
        if (a < b)
            pairs[n++] = (uint64_t)a << 32 | b;
    }
    qsort(pairs, n, sizeof *pairs, compare_uint64);
    for (size_t i = 0; i < n; i++)
        n_pairs += !i || pairs[i] != pairs[i - 1];
    free(pairs);
    return n_pairs <= (map->is_flat ? MOST_FLAT : MOST);
}

static void choose_detail(struct map *map)
{
    const struct topology *t = map->topology;
    bool has_leaves = has_switches(t) && !map->place;
    bool is_small = map->n_nodes <= DRAW_MAX_NODES && t->n_links / 2 <= DRAW_MAX_EDGES;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        map->drawn[node] = node;
    map->detail = is_small && (!has_leaves || t->n_machines <= DRAW_MAX_IN_ROW) ? DETAIL_ALL
                  : has_leaves                                                 ? DETAIL_LEAVES
                                                                               : DETAIL_FOLDED;
    if (map->detail == DETAIL_ALL && map->place)
        join_places(map);
    if (map->detail == DETAIL_LEAVES) {
        join_leaves(map);
        if (!are_lines_few(map))
            map->detail = DETAIL_FOLDED;
    }
    if (map->detail == DETAIL_FOLDED)
        draw_fold(map);
    map->is_flat &= map->detail != DETAIL_FOLDED;
    map->is_in_rows = map->detail == DETAIL_LEAVES && !map->is_flat;
}

void draw_choose_nodes(struct map *map)
{
    topology_nodes_find_levels(map);
    map->is_flat = is_flat(map);
    choose_detail(map);
}
