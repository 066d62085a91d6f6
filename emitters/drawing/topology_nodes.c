/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the nodes of a topology that are drawn, and their levels: see topology_map.h.
 */
#include "emitters/drawing/topology_map.h"

#include "base/integer.h"

#include <stdlib.h>

/* True if machines hang on switches. */
static bool has_switches(const struct topology *topology)
{
    return topology->n_routers && topology->has_machine_ports;
}

/* Counts in `n` the machines of each switch, one on several switches as one of the first. In `row`, if it is
 * not NULL, those of a switch are called 0, 1, 2 ... */
static void count_machines(const struct topology *t, uint32_t *n, uint32_t *row)
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
        if (row)
            row[from] = n[to];
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
    count_machines(t, n, NULL);
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

/* Draws every machine as part of its first switch. */
static void join_leaves(struct map *map)
{
    const struct topology *t = map->topology;
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        if (from < t->n_machines && to >= t->n_machines && map->drawn[from] == from) {
            map->drawn[from] = to;
            map->n_members[to]++;
        }
    }
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

/* Draws the first node of a level for all its nodes. */
static void join_levels(struct map *map)
{
    uint32_t *first = mem_alloc((size_t)map->n_nodes + 1, sizeof *first); /* its number + 1 */
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        uint32_t level = map->level[node] == NO_LEVEL ? map->n_nodes : map->level[node];
        first[level] = first[level] ? first[level] : node + 1;
        map->drawn[node] = first[level] - 1;
        map->n_members[first[level] - 1]++;
    }
    free(first);
}

/* Stacks machines below their switch in a block that is about square; many side by side would make a
 * ribbon. */
static void stack_machines(struct map *map)
{
    const struct topology *t = map->topology;
    map->n_rows = 1;
    if (!has_switches(t) || map->place || map->detail != DETAIL_ALL || t->n_machines <= DRAW_MAX_IN_ROW)
        return;
    uint32_t *n = mem_alloc(map->n_nodes, sizeof *n), most = 0;
    count_machines(t, n, map->row);
    for (uint32_t node = 0; node < map->n_nodes; node++)
        most = n[node] > most ? n[node] : most;
    free(n);
    while (map->n_rows * map->n_rows < most)
        map->n_rows++;
    for (uint32_t machine = 0; machine < t->n_machines; machine++)
        map->row[machine] %= map->n_rows;
}

static void choose_detail(struct map *map)
{
    const struct topology *t = map->topology;
    bool has_leaves = has_switches(t) && !map->place;
    bool is_small = map->n_nodes <= DRAW_MAX_NODES && t->n_links / 2 <= DRAW_MAX_EDGES;
    if (is_small && (!has_leaves || t->n_machines <= DRAW_MAX_MACHINES))
        map->detail = DETAIL_ALL;
    else if (has_leaves && t->n_routers <= DRAW_MAX_NODES &&
             t->n_links / 2 <= DRAW_MAX_EDGES + (uint64_t)t->n_machines)
        map->detail = DETAIL_LEAVES;
    else
        map->detail = DETAIL_LEVELS;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        map->drawn[node] = node;
    if (map->detail == DETAIL_ALL && map->place)
        join_places(map);
    else if (map->detail == DETAIL_LEAVES)
        join_leaves(map);
    else if (map->detail == DETAIL_LEVELS)
        join_levels(map);
}

void draw_choose_nodes(struct map *map)
{
    topology_nodes_find_levels(map);
    choose_detail(map);
    stack_machines(map);
}
