/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map and its cost, kept up to date while virtual ranks come, go and change places. See
 * search.h.
 */
#include "network/networks.h"
#include "mapping/search.h"

#include <stdlib.h>

/* The cost of a pair without a route, in hops, and the limit of slowness. */
enum { NO_ROUTE_HOPS = 1 << 12, MAX_SLOWNESS = 16 };

/* ---- cables ---- */

struct end {
    uint32_t low, high, link;
    bool is_downward; /* from high to low */
};

static int layout_by_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->is_downward != y->is_downward)
        return x->is_downward ? 1 : -1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static uint32_t layout_list_ends(const struct topology *topology, struct end *ends)
{
    uint32_t n = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        bool is_downward = from > to;
        ends[n++] = (struct end){is_downward ? to : from, is_downward ? from : to, link,
                                 is_downward};
    }
    return n;
}

/* Joins cables: between the same two nodes, the k-th link of one direction and the k-th of the other are
 * one cable. */
static void layout_join_cables(struct layout *layout)
{
    const struct topology *topology = layout->topology;
    struct end *ends = mem_alloc(topology->n_links, sizeof *ends);
    uint32_t n = layout_list_ends(topology, ends), next = 0;
    qsort(ends, n, sizeof *ends, layout_by_ends);
    for (uint32_t i = 0, up = 0, down = 0; i < n; i++) {
        bool is_new = i == 0 || ends[i].low != ends[i - 1].low || ends[i].high != ends[i - 1].high;
        if (is_new)
            next = layout->n_cables, up = down = 0;
        uint32_t k = ends[i].is_downward ? down++ : up++;
        layout->cable[ends[i].link] = next + k;
        if (next + k >= layout->n_cables)
            layout->n_cables = next + k + 1;
    }
    free(ends);
}

static void rate_links(struct layout *layout)
{
    const struct topology *topology = layout->topology;
    uint64_t fastest = 1;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint64_t bandwidth =
            topology_has_link(topology, link) ? topology_link_bandwidth(topology, link) : 0;
        fastest = bandwidth > fastest ? bandwidth : fastest;
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link) || !topology_link_contends(topology, link))
            continue;
        double slowness = (double)fastest / (double)topology_link_bandwidth(topology, link) + 0.5;
        layout->slowness[link] = slowness < MAX_SLOWNESS ? (uint16_t)slowness : MAX_SLOWNESS;
        layout->is_weighed |= layout->slowness[link] > 1;
    }
}

void layout_open(struct layout *layout, const struct mapping_request *request,
                 const struct pairs *pairs)
{
    const struct topology *topology = request->topology;
    *layout = (struct layout){.topology = topology,
                              .placement = request->placement,
                              .pairs = pairs,
                              .rank = mem_alloc(pairs->n_ranks, sizeof(uint32_t)),
                              .cable = mem_alloc(topology->n_link_ids, sizeof(uint32_t)),
                              .slowness = mem_alloc(topology->n_link_ids, sizeof(uint16_t)),
                              .hops = mem_alloc(topology->max_hops, sizeof(struct hop))};
    for (uint32_t v = 0; v < pairs->n_ranks; v++)
        layout->rank[v] = NOWHERE;
    layout_join_cables(layout);
    rate_links(layout);
    layout->load = mem_alloc(layout->n_cables, sizeof *layout->load);
}

void layout_close(struct layout *layout)
{
    free(layout->rank);
    free(layout->cable);
    free(layout->slowness);
    free(layout->hops);
    free(layout->load);
}

/* ---- routes ---- */

uint32_t layout_route(struct layout *layout, uint32_t from, uint32_t to)
{
    const uint32_t *machine = layout->placement->machine;
    if (machine[from] == machine[to])
        return 0;
    return topology_route(layout->topology, machine[from], machine[to], layout->hops);
}

static uint64_t square(uint64_t n)
{
    return n * n;
}

/* Adds the route of a pair, or takes it away: what it costs is the same both ways. */
static void put_pair(struct layout *layout, const struct pair *pair, bool is_added)
{
    const uint32_t from = layout->rank[pair->from], to = layout->rank[pair->to];
    if (layout->placement->machine[from] == layout->placement->machine[to])
        return;
    const uint32_t n = layout_route(layout, from, to);
    uint64_t cost = pair->weight * square(n ? n : NO_ROUTE_HOPS);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t link = layout->hops[i].link;
        const uint64_t weight = (uint64_t)pair->weight * layout->slowness[link];
        uint64_t *load = &layout->load[layout->cable[link]];
        const uint64_t without = is_added ? *load : *load - weight;
        cost += weight * (2 * without + weight);
        *load = is_added ? without + weight : without;
    }
    layout->cost = is_added ? layout->cost + cost : layout->cost - cost;
    layout->work += n + 1;
}

/* Adds or removes every pair of v whose other end is placed, once. */
static void layout_put_all(struct layout *layout, uint32_t v, bool is_added)
{
    const struct pairs *pairs = layout->pairs;
    for (uint32_t i = pairs->first[v]; i < pairs->first[v + 1]; i++) {
        const struct pair *pair = &pairs->list[pairs->of[i]];
        if (layout->rank[pair->from] != NOWHERE && layout->rank[pair->to] != NOWHERE)
            put_pair(layout, pair, is_added);
    }
}

void layout_add(struct layout *layout, uint32_t v)
{
    layout_put_all(layout, v, true);
}

void layout_remove(struct layout *layout, uint32_t v)
{
    layout_put_all(layout, v, false);
}

void layout_set(struct layout *layout, const uint32_t *map)
{
    const struct pairs *pairs = layout->pairs;
    for (uint32_t cable = 0; cable < layout->n_cables; cable++)
        layout->load[cable] = 0;
    layout->cost = 0;
    for (uint32_t v = 0; v < pairs->n_ranks; v++)
        layout->rank[v] = map[v];
    for (uint32_t i = 0; i < pairs->n; i++)
        put_pair(layout, &pairs->list[i], true);
}

/* Removes one before the other, so that a pair of the two is counted once. */
void layout_swap(struct layout *layout, uint32_t u, uint32_t v)
{
    const uint32_t at_u = layout->rank[u], at_v = layout->rank[v];
    layout_remove(layout, u);
    layout->rank[u] = NOWHERE;
    layout_remove(layout, v);
    layout->rank[v] = at_u;
    layout_add(layout, v);
    layout->rank[u] = at_v;
    layout_add(layout, u);
}
