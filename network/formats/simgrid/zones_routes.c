/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds routes over zones (zones.h): the innermost zone that holds both ends joins its points; the rest
 * of the way, to and from gateways, is found one level deeper in the same manner. A walk visits a zone at
 * most once.
 */
#include "network/formats/simgrid/zones_cluster.h"

#include <stdlib.h>

struct walk {
    const struct zones *zones;
    struct hop *hops; /* NULL: only look whether zones are crossed */
    uint32_t n;
    uint32_t start;   /* begin of the list of links that a zone's route is added to */
    uint32_t crossed; /* the last zone that was crossed between gateways, or ZONES_NONE */
};

static bool same_point(struct zone_point a, struct zone_point b)
{
    return a.zone == b.zone && a.index == b.index;
}

/* ---- inside one zone ---- */

/* The routes of a zone that lead from one of its points to another, in order. */
struct path {
    const uint32_t *routes;
    uint32_t n;
    uint32_t own[2]; /* used without trees */
};

static uint32_t find_stated(const struct zone *zone, uint32_t source, uint32_t target)
{
    uint32_t low = zone->first_out[source], high = zone->first_out[source + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, at = zone->routes[zone->out[middle]].target;
        if (at == target)
            return zone->out[middle];
        if (at < target)
            low = middle + 1;
        else
            high = middle;
    }
    return ZONES_NONE;
}

static void add_to_path(struct path *path, uint32_t route)
{
    if (route != ZONES_NONE)
        path->own[path->n++] = route;
}

static void zones_routes_find_path(const struct zone *zone, uint32_t source, uint32_t target,
                                   struct path *path)
{
    path->routes = path->own;
    path->n = 0;
    switch (zone->kind) {
    case ZONE_FULL: add_to_path(path, find_stated(zone, source, target)); break;
    case ZONE_STAR:
        add_to_path(path, zone->first_out[source]);
        add_to_path(path, zone->first_in[target]);
        break;
    case ZONE_FLOYD:
    case ZONE_DIJKSTRA:
        path->n = zone_trees_path(zone, source, target, &path->routes);
        break;
    case ZONE_NONE:
    case ZONE_CLUSTER: break;
    }
}

static bool zones_routes_is_taken(const struct walk *walk, uint32_t start, uint32_t link)
{
    for (uint32_t i = start; i < walk->n; i++)
        if (walk->hops[i].link == link)
            return true;
    return false;
}

/* Adds the links of a route. Dijkstra builds its way from the end and leaves the links of a route
 * reversed. */
static void zones_routes_add_links(struct walk *walk, const struct zone *zone, const struct zone_route *route,
                                   uint32_t start)
{
    for (uint32_t i = 0; i < route->n; i++) {
        uint32_t place = zone->kind == ZONE_DIJKSTRA ? route->n - 1 - i : i;
        uint32_t link = walk->zones->route_links[route->first + place];
        if (zone->kind != ZONE_STAR || !zones_routes_is_taken(walk, start, link))
            walk->hops[walk->n++] = (struct hop){link, 0};
    }
}

static void reverse(struct hop *hops, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        struct hop hop = hops[i];
        hops[i] = hops[n - 1 - i];
        hops[n - 1 - i] = hop;
    }
}

/* Moves the links of a way to the front of the list, where Dijkstra adds them between hosts. */
static void move_to_front(struct walk *walk, uint32_t from)
{
    reverse(walk->hops + walk->start, from - walk->start);
    reverse(walk->hops + from, walk->n - from);
    reverse(walk->hops + walk->start, walk->n - walk->start);
}

static bool go(struct walk *walk, struct zone_point source, struct zone_point target);

/* Crosses a zone from one gateway to another, on the way of a route that starts at `start`. */
static bool zones_routes_cross(struct walk *walk, uint32_t start, struct zone_point source,
                               struct zone_point target)
{
    uint32_t outer_start = walk->start;
    walk->start = start;
    bool arrives = go(walk, source, target);
    walk->start = outer_start;
    return arrives;
}

/* Follows a path; crosses a zone on the way from one gateway to the other. */
static bool zones_routes_follow(struct walk *walk, const struct zone *zone, const struct path *path)
{
    uint32_t start = walk->n;
    for (uint32_t i = 0; i < path->n; i++) {
        const struct zone_route *route = &zone->routes[path->routes[i]];
        const struct zone_route *last = i ? &zone->routes[path->routes[i - 1]] : route;
        if (i && route->from.zone != ZONES_NONE && !same_point(last->to, route->from)) {
            walk->crossed = zone->vertices[route->source].number;
            if (walk->hops && !zones_routes_cross(walk, start, last->to, route->from))
                return false;
        }
        if (walk->hops)
            zones_routes_add_links(walk, zone, route, start);
    }
    return true;
}

/* ---- between zones ---- */

/* Returns the point of the next zone out that holds a point. */
static struct zone_point outer(const struct zones *zones, struct zone_point point)
{
    const struct zone *zone = &zones->zones[point.zone];
    return (struct zone_point){zone->parent, zone->index};
}

/* Makes a and b points of one zone that hold the former a and b, and differ. False if
 * there is no such: one of them is in a zone next to the other. */
static bool zones_routes_meet(const struct zones *zones, struct zone_point *a, struct zone_point *b)
{
    const uint32_t depth_a = zones->zones[a->zone].depth, depth_b = zones->zones[b->zone].depth;
    for (uint32_t depth = depth_a; depth > depth_b; depth--)
        *a = outer(zones, *a);
    for (uint32_t depth = depth_b; depth > depth_a; depth--)
        *b = outer(zones, *b);
    if (a->zone == b->zone)
        return depth_a == depth_b;
    while (a->zone != b->zone) {
        *a = outer(zones, *a);
        *b = outer(zones, *b);
    }
    return true;
}

static bool go_inside(struct walk *walk, struct zone_point source, struct zone_point target)
{
    const struct zone *zone = &walk->zones->zones[source.zone];
    if (zone->kind == ZONE_CLUSTER) {
        struct cluster_walk inside = {zone->cluster, walk->hops, walk->n};
        cluster_route(&inside, source.index, target.index);
        walk->n = inside.n;
        return true;
    }
    /* If no route is stated, the two points are at the same place. */
    bool needs_path = zone->kind == ZONE_FLOYD || zone->kind == ZONE_DIJKSTRA;
    struct path path;
    zones_routes_find_path(zone, source.index, target.index, &path);
    if (needs_path && !path.n)
        return false;
    uint32_t before = walk->n;
    bool arrives = zones_routes_follow(walk, zone, &path);
    if (zone->kind == ZONE_DIJKSTRA)
        move_to_front(walk, before);
    return arrives;
}

static bool go(struct walk *walk, struct zone_point source, struct zone_point target)
{
    struct zone_point a = source, b = target;
    if (same_point(source, target))
        return true;
    if (!zones_routes_meet(walk->zones, &a, &b))
        return false;
    if (same_point(a, source))
        return go_inside(walk, source, target);
    const struct zone *zone = &walk->zones->zones[a.zone];
    struct path path;
    zones_routes_find_path(zone, a.index, b.index, &path);
    if (!path.n)
        return false;
    struct zone_point from = zone->routes[path.routes[0]].from;
    struct zone_point to = zone->routes[path.routes[path.n - 1]].to;
    return from.zone != ZONES_NONE && go(walk, source, from) && zones_routes_follow(walk, zone, &path) &&
           go(walk, to, target);
}

struct zone_point zones_machine_point(const struct zones *zones, uint32_t machine)
{
    const struct zone_span *span = zone_span_of(&zones->machine_spans, machine);
    return (struct zone_point){span->zone, span->index + (machine - span->first)};
}

uint32_t zones_route(const struct zones *zones, uint32_t source, uint32_t destination,
                     struct hop *hops)
{
    struct walk walk = {zones, hops, 0, 0, ZONES_NONE};
    bool arrives = go(&walk, zones_machine_point(zones, source),
                      zones_machine_point(zones, destination));
    return arrives ? walk.n : 0;
}

/* ---- the longest route ---- */

/* Limit of points of a zone in which all ways are walked; in larger zones lengths are bounded. */
enum { EXACT_POINTS = 1024 };

static uint64_t longest_walked(const struct zone *zone)
{
    uint64_t longest = 0;
    for (uint32_t source = 0; source < zone->n_vertices; source++)
        for (uint32_t target = 0; target < zone->n_vertices; target++) {
            struct path path;
            uint64_t length = 0;
            if (source == target)
                continue;
            zones_routes_find_path(zone, source, target, &path);
            for (uint32_t i = 0; i < path.n; i++)
                length += zone->routes[path.routes[i]].n;
            longest = length > longest ? length : longest;
        }
    return longest;
}

/* Returns the number of links on a way that takes the longest route out of every point. */
static uint64_t zones_routes_longest_bound(const struct zone *zone)
{
    uint64_t sum = 0;
    for (uint32_t point = 0; point < zone->n_vertices; point++) {
        uint32_t most = 0;
        for (uint32_t i = zone->first_out[point]; i < zone->first_out[point + 1]; i++)
            if (zone->routes[zone->out[i]].n > most)
                most = zone->routes[zone->out[i]].n;
        sum += most;
    }
    return sum;
}

static uint32_t longest_stated(const struct zone *zone, bool is_up)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < zone->n_routes; i++)
        if ((zone->routes[i].source != ZONES_NONE) == is_up && zone->routes[i].n > longest)
            longest = zone->routes[i].n;
    return longest;
}

/* Returns the most links of the zone itself between two of its points. */
static uint64_t longest_inside(const struct zone *zone)
{
    switch (zone->kind) {
    case ZONE_FULL: return longest_stated(zone, true);
    case ZONE_STAR: return (uint64_t)longest_stated(zone, true) + longest_stated(zone, false);
    case ZONE_FLOYD:
    case ZONE_DIJKSTRA:
        return zone->n_vertices <= EXACT_POINTS ? longest_walked(zone) : zones_routes_longest_bound(zone);
    case ZONE_CLUSTER: return cluster_max_hops(zone->cluster);
    case ZONE_NONE: break;
    }
    return 0;
}

/* Returns the most links of a route. A route has its ends in two points of a zone and crosses other zones
 * only under floyd and dijkstra. Zones have higher numbers than the zones that hold them. */
uint32_t zones_max_hops(const struct zones *zones)
{
    struct lengths {
        uint64_t longest, second, sum; /* figures of the zones inside */
    } *inside = mem_alloc((size_t)zones->n_zones + 1, sizeof *inside);
    uint64_t longest = 1;
    for (uint32_t i = zones->n_zones; i-- > 0;) {
        const struct zone *zone = &zones->zones[i];
        bool crosses = zone->kind == ZONE_FLOYD || zone->kind == ZONE_DIJKSTRA;
        uint64_t ends = crosses ? inside[i].sum : inside[i].longest + inside[i].second;
        uint64_t length = longest_inside(zone) + ends;
        longest = length > longest ? length : longest;
        if (zone->parent == ZONES_NONE)
            continue;
        struct lengths *of = &inside[zone->parent];
        of->sum += length;
        of->second = length > of->longest ? of->longest : length > of->second ? length : of->second;
        of->longest = length > of->longest ? length : of->longest;
    }
    free(inside);
    return longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX;
}

/* ---- zones that are crossed ---- */

static uint32_t find_crossed(const struct zones *zones, const struct zone *zone)
{
    struct walk walk = {zones, NULL, 0, 0, ZONES_NONE};
    for (uint32_t source = 0; source < zone->n_vertices; source++)
        for (uint32_t target = 0; target < zone->n_vertices; target++) {
            struct path path = {NULL, 0, {0, 0}};
            if (source != target)
                zones_routes_find_path(zone, source, target, &path);
            zones_routes_follow(&walk, zone, &path);
            if (walk.crossed != ZONES_NONE)
                return walk.crossed;
        }
    return ZONES_NONE;
}

uint32_t zones_find_crossing(const struct zones *zones, enum zone_kind kind, uint32_t *crossed)
{
    for (uint32_t i = 0; i < zones->n_zones; i++) {
        const struct zone *zone = &zones->zones[i];
        if (zone->kind != kind || zone->n_vertices > EXACT_POINTS)
            continue;
        *crossed = find_crossed(zones, zone);
        if (*crossed != ZONES_NONE)
            return i;
    }
    return ZONES_NONE;
}
