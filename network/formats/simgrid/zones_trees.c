/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds shortest ways through floyd and dijkstra zones; the length of a route is the number of its links.
 * A tree holds, for every point, one route on the way to its root: the destination under floyd, the
 * source under dijkstra. Trees are made on demand and kept in a number of slots; O(routes * log points)
 * each.
 *
 * Proof for floyd. The algorithm takes c = 0, 1, ... as a point in between and replaces a way only by a
 * shorter one. So the way from a to b becomes the final one at the smallest c that is the highest point
 * in between of some shortest way, and consists of those from a to c and from c to b at that time, for
 * which the same holds with points below c. Compared as sets of points in between, highest first, it is
 * the least of the shortest ways; all beginnings and ends of such ways are such ways, so they form trees.
 */
#include "base/heap.h"
#include "network/formats/simgrid/zones.h"

#include <stdlib.h>
#include <string.h>

#define UNREACHED UINT32_MAX

struct zone_trees {
    uint32_t n_slots;
    uint32_t *root;     /* [slot] */
    uint32_t **route;   /* [slot][point] towards the root, ZONES_NONE at it and where none is */
    uint32_t *rank;     /* [point] in the order in which routes mention them (dijkstra) */
    uint32_t *distance; /* scratch: [point] */
    uint32_t *order;    /* scratch: points by distance; of a path, its routes */
    struct heap heap;   /* scratch: of struct reached */
    uint32_t n_order;
};

void zone_trees_new(struct zone *zone, uint32_t n_slots)
{
    struct zone_trees *trees = zone->trees = mem_alloc(1, sizeof *trees);
    uint32_t n = zone->n_vertices, n_ranked = 0;
    trees->n_slots = n_slots < 1 ? 1 : n_slots > n ? n : n_slots;
    trees->root = mem_alloc(trees->n_slots, sizeof *trees->root);
    trees->route = mem_alloc(trees->n_slots, sizeof *trees->route);
    trees->rank = mem_alloc(n, sizeof *trees->rank);
    trees->distance = mem_alloc(n, sizeof *trees->distance);
    trees->order = mem_alloc((size_t)n + 1, sizeof *trees->order);
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        const uint32_t ends[] = {zone->routes[i].source, zone->routes[i].target};
        for (int k = 0; k < 2; k++)
            if (!trees->rank[ends[k]])
                trees->rank[ends[k]] = ++n_ranked;
    }
}

void zone_trees_free(struct zone *zone)
{
    struct zone_trees *trees = zone->trees;
    if (!trees)
        return;
    for (uint32_t i = 0; i < trees->n_slots; i++)
        free(trees->route[i]);
    free(trees->root);
    free(trees->route);
    free(trees->rank);
    free(trees->distance);
    free(trees->order);
    free(trees->heap.items);
    free(trees);
}

/* ---- points that were reached ---- */

struct reached {
    uint32_t distance, point;
};

static bool zones_trees_is_nearer(const void *a, const void *b)
{
    const struct reached *left = a, *right = b;
    return left->distance != right->distance ? left->distance < right->distance : left->point < right->point;
}

static void zones_trees_reach(struct zone_trees *trees, uint32_t distance, uint32_t point)
{
    const struct reached reached = {distance, point};
    trees->distance[point] = distance;
    heap_push(&trees->heap, &reached, sizeof reached, zones_trees_is_nearer);
}

/* ---- distances from the root ---- */

/* True for floyd, whose trees lead to the root, so that the search goes against the routes. */
static bool goes_against(const struct zone *zone)
{
    return zone->kind == ZONE_FLOYD;
}

static void zones_trees_spread(const struct zone *zone, uint32_t point)
{
    struct zone_trees *trees = zone->trees;
    bool against = goes_against(zone);
    const uint32_t *first = against ? zone->first_in : zone->first_out;
    const uint32_t *list = against ? zone->in : zone->out;
    for (uint32_t i = first[point]; i < first[point + 1]; i++) {
        const struct zone_route *route = &zone->routes[list[i]];
        uint32_t next = against ? route->source : route->target;
        uint32_t distance = trees->distance[point] + route->n;
        if (distance >= trees->distance[next])
            continue;
        zones_trees_reach(trees, distance, next);
    }
}

static void zones_trees_measure(const struct zone *zone, uint32_t root)
{
    struct zone_trees *trees = zone->trees;
    memset(trees->distance, 0xff, zone->n_vertices * sizeof *trees->distance);
    trees->n_order = 0;
    zones_trees_reach(trees, 0, root);
    while (trees->heap.n) {
        const struct reached first = *(const struct reached *)trees->heap.items;
        heap_drop(&trees->heap, sizeof first, zones_trees_is_nearer);
        if (trees->distance[first.point] != first.distance)
            continue; /* a nearer way was found meanwhile */
        trees->order[trees->n_order++] = first.point;
        zones_trees_spread(zone, first.point);
    }
}

/* ---- which of the shortest ways ---- */

/* Returns the next point towards the root. */
static uint32_t nearer(const struct zone *zone, const uint32_t *tree, uint32_t point)
{
    const struct zone_route *route = &zone->routes[tree[point]];
    return goes_against(zone) ? route->target : route->source;
}

/* True if the way on from p has a lower highest point of its own than that from q. */
static bool is_lower(const struct zone *zone, const uint32_t *tree, uint32_t p, uint32_t q)
{
    const uint32_t *distance = zone->trees->distance;
    uint32_t most_p = 0, most_q = 0; /* point + 1 */
    while (p != q) {
        bool of_p = distance[p] >= distance[q];
        uint32_t *at = of_p ? &p : &q, *most = of_p ? &most_p : &most_q;
        *most = *at + 1 > *most ? *at + 1 : *most;
        *at = nearer(zone, tree, *at);
    }
    return most_p < most_q;
}

static bool zones_trees_is_better(const struct zone *zone, const uint32_t *tree, uint32_t p, uint32_t q)
{
    const struct zone_trees *trees = zone->trees;
    if (zone->kind == ZONE_FLOYD)
        return is_lower(zone, tree, p, q);
    if (trees->distance[p] != trees->distance[q])
        return trees->distance[p] < trees->distance[q];
    return trees->rank[p] < trees->rank[q];
}

/* Chooses the route at a point; the points nearer to the root have theirs. */
static uint32_t zones_trees_choose(const struct zone *zone, const uint32_t *tree, uint32_t point)
{
    const uint32_t *distance = zone->trees->distance;
    bool against = goes_against(zone);
    const uint32_t *first = against ? zone->first_out : zone->first_in;
    const uint32_t *list = against ? zone->out : zone->in;
    uint32_t best = ZONES_NONE, best_point = 0;
    for (uint32_t i = first[point]; i < first[point + 1]; i++) {
        const struct zone_route *route = &zone->routes[list[i]];
        uint32_t next = against ? route->target : route->source;
        if (distance[next] == UNREACHED || distance[next] + route->n != distance[point])
            continue;
        if (best != ZONES_NONE && !zones_trees_is_better(zone, tree, next, best_point))
            continue;
        best = list[i];
        best_point = next;
    }
    return best;
}

static const uint32_t *tree_of(const struct zone *zone, uint32_t root)
{
    struct zone_trees *trees = zone->trees;
    uint32_t slot = root % trees->n_slots;
    uint32_t *tree = trees->route[slot];
    if (tree && trees->root[slot] == root)
        return tree;
    if (!tree)
        tree = trees->route[slot] = mem_alloc(zone->n_vertices, sizeof *tree);
    memset(tree, 0xff, zone->n_vertices * sizeof *tree);
    trees->root[slot] = root;
    zones_trees_measure(zone, root);
    for (uint32_t i = 1; i < trees->n_order; i++)
        tree[trees->order[i]] = zones_trees_choose(zone, tree, trees->order[i]);
    return tree;
}

uint32_t zone_trees_path(const struct zone *zone, uint32_t source, uint32_t target,
                         const uint32_t **path)
{
    bool against = goes_against(zone);
    uint32_t root = against ? target : source, at = against ? source : target, n = 0;
    const uint32_t *tree = tree_of(zone, root);
    uint32_t *routes = zone->trees->order; /* from the root on, at the end of the array */
    if (tree[at] == ZONES_NONE)
        return 0;
    for (; at != root; at = nearer(zone, tree, at)) {
        if (against)
            routes[n++] = tree[at];
        else
            routes[zone->n_vertices - ++n] = tree[at];
    }
    *path = against ? routes : routes + zone->n_vertices - n;
    return n;
}
