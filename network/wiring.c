/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joins parallel cables and finds levels. See wiring.h.
 */
#include "network/wiring.h"
#include "base/integer.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

static int wiring_compare_edges(const void *a, const void *b)
{
    const struct wiring_edge *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

/* ---- neighbours ---- */

/* Puts the links under the nodes that they leave. */
static void wiring_sort_links(struct wiring *wiring)
{
    const struct topology *topology = wiring->topology;
    uint32_t from, to;
    uint32_t *at = wiring->first + 1; /* shifted by one: ends up as the starts */
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        at[from + 1] += from != to;
    }
    for (uint32_t node = 0; node < wiring->n; node++)
        at[node + 1] += at[node];
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from != to)
            wiring->edges[at[from]++] = (struct wiring_edge){to, 1, link};
    }
}

/* Joins the parallel cables of each node. */
static void wiring_join_parallel(struct wiring *wiring)
{
    uint32_t n = 0;
    for (uint32_t node = 0, start = 0; node < wiring->n; node++) {
        const uint32_t end = wiring->first[node + 1], begin = n;
        if (end > start)
            qsort(wiring->edges + start, end - start, sizeof *wiring->edges, wiring_compare_edges);
        for (uint32_t i = start; i < end; i++) {
            wiring->n_cables++;
            if (n > begin && wiring->edges[n - 1].node == wiring->edges[i].node)
                wiring->edges[n - 1].n_cables++;
            else
                wiring->edges[n++] = wiring->edges[i];
        }
        start = end;
        wiring->first[node + 1] = n;
    }
    wiring->n_cables /= 2; /* each was seen from both ends */
}

uint32_t wiring_cables(const struct wiring *wiring, uint32_t a, uint32_t b)
{
    uint32_t low = wiring->first[a], high = wiring->first[a + 1];
    SEARCH_FIRST(low, high, middle, wiring->edges[middle].node < b);
    return low < wiring->first[a + 1] && wiring->edges[low].node == b ? wiring->edges[low].n_cables : 0;
}

/* ---- pendants ---- */

static void wiring_find_pendants(struct wiring *wiring)
{
    for (uint32_t machine = 0; machine < wiring->n_machines; machine++) {
        if (wiring_degree(wiring, machine) != 1)
            continue;
        const uint32_t peer = wiring->edges[wiring->first[machine]].node;
        wiring->is_pendant[machine] = peer >= wiring->n_machines;
        wiring->n_pendants[peer] += wiring->is_pendant[machine];
    }
    uint64_t n = 0;
    for (uint32_t node = 0; node < wiring->n; node++)
        for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1] && !wiring->is_pendant[node]; i++)
            if (!wiring->is_pendant[wiring->edges[i].node])
                n += wiring->edges[i].n_cables;
    wiring->n_switch_cables = n / 2;
}

/* ---- levels ---- */

static uint32_t wiring_count_hosts(const struct wiring *wiring, uint32_t node)
{
    uint32_t n = 0; /* hosts have the lowest numbers */
    while (wiring->first[node] + n < wiring->first[node + 1] &&
           wiring->edges[wiring->first[node] + n].node < wiring->n_machines)
        n++;
    return n;
}

/* Makes leaves of the switches with many hosts, and returns a quarter of the median. */
static uint32_t wiring_find_leaves(struct wiring *wiring, const uint32_t *n_hosts)
{
    uint32_t *sorted = mem_alloc((size_t)wiring->n + 1, sizeof *sorted), n = 0;
    for (uint32_t node = wiring->n_machines; node < wiring->n; node++)
        if (n_hosts[node])
            sorted[n++] = n_hosts[node];
    qsort(sorted, n, sizeof *sorted, compare_uint32);
    const uint32_t few = n ? sorted[n / 2] / 4 : 0;
    free(sorted);
    for (uint32_t node = wiring->n_machines; node < wiring->n; node++)
        if (n_hosts[node] && n_hosts[node] >= few)
            wiring->level[node] = 1;
    return few;
}

/* True if most of its switches are leaves, so that it stands above them. */
static bool is_above_leaves(const struct wiring *wiring, uint32_t node)
{
    uint32_t n = 0, n_leaves = 0;
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++) {
        const uint32_t peer = wiring->edges[i].node;
        n += peer >= wiring->n_machines;
        n_leaves += wiring->level[peer] == 1;
    }
    return 2 * n_leaves > n;
}

static void wiring_spread_levels(struct wiring *wiring)
{
    uint32_t *queue = mem_alloc((size_t)wiring->n + 1, sizeof *queue), n = 0;
    for (uint32_t node = 0; node < wiring->n; node++)
        if (wiring->level[node] == 1)
            queue[n++] = node;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = wiring->first[queue[i]]; k < wiring->first[queue[i] + 1]; k++) {
            const uint32_t peer = wiring->edges[k].node, level = wiring->level[queue[i]] + 1U;
            if (wiring->level[peer] != WIRING_NO_LEVEL)
                continue;
            wiring->level[peer] = (uint8_t)(level < WIRING_NO_LEVEL ? level : WIRING_NO_LEVEL - 1);
            queue[n++] = peer;
        }
    free(queue);
}

static void wiring_find_levels(struct wiring *wiring)
{
    uint32_t *n_hosts = mem_alloc((size_t)wiring->n + 1, sizeof *n_hosts);
    for (uint32_t node = 0; node < wiring->n; node++) {
        wiring->level[node] = node < wiring->n_machines ? 0 : WIRING_NO_LEVEL;
        n_hosts[node] = node < wiring->n_machines ? 0 : wiring_count_hosts(wiring, node);
    }
    const uint32_t few = wiring_find_leaves(wiring, n_hosts);
    for (uint32_t node = wiring->n_machines; node < wiring->n; node++)
        if (n_hosts[node] && n_hosts[node] < few && !is_above_leaves(wiring, node))
            wiring->level[node] = 1;
    wiring_spread_levels(wiring);
    free(n_hosts);
}

struct wiring wiring_of(const struct topology *topology)
{
    const uint32_t n = topology->n_nodes;
    struct wiring wiring = {.topology = topology,
                            .n = n,
                            .n_machines = topology->n_machines,
                            .first = mem_alloc((size_t)n + 2, sizeof *wiring.first),
                            .edges = mem_alloc((size_t)topology->n_links + 1, sizeof *wiring.edges),
                            .level = mem_alloc((size_t)n + 1, sizeof *wiring.level),
                            .is_pendant = mem_alloc((size_t)n + 1, sizeof *wiring.is_pendant),
                            .n_pendants = mem_alloc((size_t)n + 1, sizeof *wiring.n_pendants)};
    wiring_sort_links(&wiring);
    wiring_join_parallel(&wiring);
    wiring_find_pendants(&wiring);
    wiring_find_levels(&wiring);
    return wiring;
}

void wiring_free(struct wiring *wiring)
{
    free(wiring->first);
    free(wiring->edges);
    free(wiring->level);
    free(wiring->is_pendant);
    free(wiring->n_pendants);
}

bool link_is_one_of_several(const struct topology *topology, uint32_t link)
{
    uint32_t from, to, other_from, other_to;
    topology_link_ends(topology, link, &from, &to);
    for (uint32_t other = 0; other < topology->n_link_ids; other++) {
        if (other == link || !topology_has_link(topology, other))
            continue;
        topology_link_ends(topology, other, &other_from, &other_to);
        if (from == other_from && to == other_to)
            return true;
    }
    return false;
}
