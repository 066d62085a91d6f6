/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds zones (zones.h): names, points, links and routes, in the order of the file, and the tables for
 * routing.
 */
#include "network/formats/simgrid/zones.h"

#include "network/kind.h"
#include "network/formats/simgrid/zones_cluster.h"

#include <stdlib.h>
#include <string.h>

struct zones *zones_new(void)
{
    return mem_alloc(1, sizeof(struct zones));
}

static void free_zone(struct zone *zone)
{
    zone_trees_free(zone);
    cluster_free(zone->cluster);
    free(zone->vertices);
    free(zone->routes);
    free(zone->first_out);
    free(zone->out);
    free(zone->first_in);
    free(zone->in);
}

void zones_free(struct zones *zones)
{
    if (!zones)
        return;
    for (uint32_t i = 0; i < zones->n_zones; i++)
        free_zone(&zones->zones[i]);
    free(zones->zones);
    free(zones->links);
    free(zones->routers);
    free(zones->route_links);
    free(zones->machine_spans.items);
    free(zones->router_spans.items);
    free(zones->link_spans.items);
    free(zones->entries);
    map_free(&zones->by_name);
    free(zones->pool);
    free(zones);
}

/* ---- names ---- */

struct zone_name zones_intern(struct zones *zones, const char *text, size_t length)
{
    struct zone_name name = {(uint32_t)zones->pool_length, (uint32_t)length};
    zones->pool = mem_grow(zones->pool, &zones->pool_capacity, zones->pool_length + length + 1, 1);
    if (length)
        memcpy(zones->pool + name.at, text, length);
    zones->pool[name.at + length] = '\0';
    zones->pool_length += length + 1;
    return name;
}

struct key {
    enum zone_entry_kind kind;
    const char *name;
    size_t length;
};

static bool is_entry(const void *items, uint32_t number, const void *wanted)
{
    const struct zones *zones = items;
    const struct zone_entry *entry = &zones->entries[number];
    const struct key *key = wanted;
    return entry->kind == key->kind && entry->name.length == key->length &&
           memcmp(zones_text(zones, entry->name), key->name, key->length) == 0;
}

static uint32_t hash_of_entry(const void *items, uint32_t number)
{
    const struct zones *zones = items;
    const struct zone_entry *entry = &zones->entries[number];
    return map_hash_text(entry->kind + 1u, zones_text(zones, entry->name), entry->name.length);
}

static const struct zone_entry *zones_find_entry(const struct zones *zones, enum zone_entry_kind kind,
                                                 const char *name, size_t length)
{
    const struct key key = {kind, name, length};
    uint32_t number =
        map_find(&zones->by_name, map_hash_text(kind + 1u, name, length), is_entry, zones, &key);
    return number == MAP_NONE ? NULL : &zones->entries[number];
}

/* Adds an entry; a name that is taken stands for the new entry from now on. */
static void zones_add_entry(struct zones *zones, enum zone_entry_kind kind, struct zone_name name,
                            struct zone_point point)
{
    const struct key key = {kind, zones_text(zones, name), name.length};
    map_reserve(&zones->by_name, hash_of_entry, zones);
    uint32_t *slot = map_slot(&zones->by_name, map_hash_text(kind + 1u, key.name, key.length),
                              is_entry, zones, &key);
    uint32_t number = map_fill(&zones->by_name, slot);
    zones->entries = mem_grow(zones->entries, &zones->entries_capacity, (size_t)number + 1,
                              sizeof *zones->entries);
    zones->entries[number] = (struct zone_entry){name, point, (uint8_t)kind};
}

bool zones_find_point(const struct zones *zones, const char *name, size_t length,
                      struct zone_point *point)
{
    const struct zone_entry *entry = zones_find_entry(zones, ENTRY_POINT, name, length);
    if (entry) {
        *point = entry->point;
        return true;
    }
    for (uint32_t i = 0; i < zones->link_spans.n; i++) {
        uint32_t zone = zones->link_spans.items[i].zone;
        if (zone == ZONES_NONE)
            continue;
        uint32_t host = cluster_find_host(zones, zones->zones[zone].cluster, name, length);
        *point = (struct zone_point){zone, host};
        if (host != ZONES_NONE)
            return true;
    }
    return false;
}

uint32_t zones_find_link(const struct zones *zones, const char *name, size_t length, char half)
{
    const struct zone_entry *entry = zones_find_entry(zones, half ? ENTRY_SPLIT : ENTRY_LINK, name, length);
    if (entry)
        return entry->point.index + (half == 'D');
    for (uint32_t i = 0; i < zones->link_spans.n; i++) {
        const struct zone_span *span = &zones->link_spans.items[i];
        uint32_t link = span->zone == ZONES_NONE
                            ? ZONES_NONE
                            : cluster_find_link(zones, zones->zones[span->zone].cluster, name,
                                                length, half);
        if (link != ZONES_NONE)
            return span->first + link;
    }
    return ZONES_NONE;
}

/* ---- points ---- */

/* Notes that number `first` and those after it are in that zone from `index` on. */
static void zones_add_span(struct zone_spans *spans, struct zone_span span)
{
    if (spans->n) {
        const struct zone_span *last = &spans->items[spans->n - 1];
        if (last->zone == span.zone && last->index + (span.first - last->first) == span.index)
            return;
    }
    spans->items =
        mem_grow(spans->items, &spans->capacity, (size_t)spans->n + 1, sizeof *spans->items);
    spans->items[spans->n++] = span;
}

static struct zone_point add_vertex(struct zones *zones, uint32_t number,
                                    struct zone_vertex vertex)
{
    struct zone *zone = &zones->zones[number];
    zone->vertices = mem_grow(zone->vertices, &zone->vertices_capacity,
                              (size_t)zone->n_vertices + 1, sizeof *zone->vertices);
    zone->vertices[zone->n_vertices] = vertex;
    struct zone_point point = {number, zone->n_vertices++};
    zones_add_entry(zones, ENTRY_POINT, vertex.name, point);
    return point;
}

uint32_t zones_add_zone(struct zones *zones, uint32_t parent, enum zone_kind kind,
                        const char *name, size_t length)
{
    uint32_t number = zones->n_zones;
    struct zone zone = {.kind = kind, .parent = parent, .index = ZONES_NONE};
    zone.name = zones_intern(zones, name, length);
    if (parent != ZONES_NONE) {
        struct zone_vertex vertex = {VERTEX_ZONE, number, zone.name};
        zone.index = add_vertex(zones, parent, vertex).index;
        zone.depth = zones->zones[parent].depth + 1;
    } else {
        zones_add_entry(zones, ENTRY_POINT, zone.name, (struct zone_point){ZONES_NONE, number});
    }
    zones->zones = mem_grow(zones->zones, &zones->zones_capacity, (size_t)number + 1,
                            sizeof *zones->zones);
    zones->zones[zones->n_zones++] = zone;
    return number;
}

void zones_add_host(struct zones *zones, uint32_t zone, const char *name, size_t length)
{
    struct zone_vertex vertex = {VERTEX_HOST, zones->n_machines, zones_intern(zones, name, length)};
    struct zone_point point = add_vertex(zones, zone, vertex);
    zones_add_span(&zones->machine_spans, (struct zone_span){zones->n_machines++, zone, point.index});
}

/* Adds a named router, or a place between two links of a route. */
static uint32_t add_explicit_router(struct zones *zones, struct zone_name name)
{
    zones->routers = mem_grow(zones->routers, &zones->routers_capacity,
                              (size_t)zones->n_explicit_routers + 1, sizeof *zones->routers);
    zones_add_span(&zones->router_spans,
                   (struct zone_span){zones->n_routers, ZONES_NONE, zones->n_explicit_routers});
    zones->routers[zones->n_explicit_routers++] = name;
    return zones->n_routers++;
}

void zones_add_router(struct zones *zones, uint32_t zone, const char *name, size_t length)
{
    struct zone_name interned = zones_intern(zones, name, length);
    uint32_t number = add_explicit_router(zones, interned);
    add_vertex(zones, zone, (struct zone_vertex){VERTEX_ROUTER, number, interned});
}

void zones_set_cluster(struct zones *zones, uint32_t number, struct cluster *cluster)
{
    struct zone *zone = &zones->zones[number];
    zone->kind = ZONE_CLUSTER;
    zone->cluster = cluster;
    cluster->machine_base = zones->n_machines;
    cluster->router_base = zones->n_routers;
    cluster->link_base = zones->n_link_ids;
    zones_add_span(&zones->machine_spans, (struct zone_span){zones->n_machines, number, 0});
    if (cluster->n_routers)
        zones_add_span(&zones->router_spans, (struct zone_span){zones->n_routers, number, 0});
    zones_add_span(&zones->link_spans, (struct zone_span){zones->n_link_ids, number, 0});
    if (cluster->shape == CLUSTER_FAT_TREE) {
        cluster->position = zones->n_tree_hosts;
        zones->n_tree_hosts += cluster->n_hosts;
    }
    if (cluster->shape == CLUSTER_FAT_TREE || cluster->shape == CLUSTER_DRAGONFLY) {
        uint32_t *serial = &zones->n_serial[cluster->shape == CLUSTER_DRAGONFLY];
        cluster->serial = *serial;
        *serial += cluster->n_cables;
    }
    if (cluster->shape == CLUSTER_FLAT)
        zones_add_entry(zones, ENTRY_POINT, cluster->router, (struct zone_point){number, cluster->n_hosts});
    zones->n_machines += cluster->n_hosts;
    zones->n_routers += cluster->n_routers;
    zones->n_link_ids += cluster->n_link_ids;
}

/* ---- links ---- */

static uint32_t simgrid_zones_add_link(struct zones *zones, struct zone_name name,
                                       const struct zone_link_class *class, char suffix)
{
    zones->links = mem_grow(zones->links, &zones->links_capacity, (size_t)zones->n_links + 1,
                            sizeof *zones->links);
    zones_add_span(&zones->link_spans, (struct zone_span){zones->n_link_ids, ZONES_NONE, zones->n_links});
    zones->links[zones->n_links++] =
        (struct zone_link){name,       class->bandwidth, class->latency, ZONES_NONE,
                           ZONES_NONE, suffix,           class->contends};
    return zones->n_link_ids++;
}

uint32_t zones_add_link(struct zones *zones, const char *name, size_t length,
                        const struct zone_link_class *class)
{
    static const char *const ends[] = {"_UP", "_DOWN"};
    struct zone_name interned = zones_intern(zones, name, length);
    if (!class->is_split) {
        uint32_t link = simgrid_zones_add_link(zones, interned, class, 0);
        zones_add_entry(zones, ENTRY_LINK, interned, (struct zone_point){ZONES_NONE, link});
        return link;
    }
    struct text text = {0};
    for (int i = 0; i < 2; i++) {
        text.length = 0;
        text_append(&text, name, length);
        text_append(&text, ends[i], strlen(ends[i]));
        struct zone_name half = zones_intern(zones, text.data, text.length);
        uint32_t link = simgrid_zones_add_link(zones, half, class, ends[i][1]);
        zones_add_entry(zones, ENTRY_LINK, half, (struct zone_point){ZONES_NONE, link});
    }
    text_free(&text);
    uint32_t link = zones->n_link_ids - 2;
    zones_add_entry(zones, ENTRY_SPLIT, interned, (struct zone_point){ZONES_NONE, link});
    return link;
}

/* ---- routes ---- */

static void simgrid_zones_add_route(struct zones *zones, uint32_t number, struct zone_route route)
{
    struct zone *zone = &zones->zones[number];
    zone->routes = mem_grow(zone->routes, &zone->routes_capacity, (size_t)zone->n_routes + 1,
                            sizeof *zone->routes);
    route.first = zones->n_route_links;
    zone->routes[zone->n_routes++] = route;
    zones->n_route_links += route.n;
    zones->route_links = mem_grow(zones->route_links, &zones->route_links_capacity,
                                  zones->n_route_links, sizeof *zones->route_links);
}

void zones_add_route(struct zones *zones, uint32_t zone, struct zone_route route,
                     const struct zone_route_link *links, bool is_symmetrical)
{
    uint32_t at = zones->n_route_links;
    simgrid_zones_add_route(zones, zone, route);
    for (uint32_t i = 0; i < route.n; i++)
        zones->route_links[at + i] = links[i].there;
    if (!is_symmetrical)
        return;
    struct zone_route back = {route.target, route.source, route.to, route.from,
                              route.origin, route.n,      0};
    at = zones->n_route_links;
    simgrid_zones_add_route(zones, zone, back);
    for (uint32_t i = 0; i < route.n; i++)
        zones->route_links[at + i] = links[route.n - 1 - i].back;
}

/* ---- sealing: routes by their ends ---- */

struct sort_key {
    uint32_t source, target, route;
};

static int zones_compare_keys(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->route < y->route ? -1 : x->route > y->route;
}

/* Routes by one end: first[point] .. first[point + 1] - 1 of the list are its own. */
static void index_routes(const struct zone *zone, bool by_source, uint32_t **first,
                         uint32_t **list)
{
    struct sort_key *keys = mem_alloc(zone->n_routes, sizeof *keys);
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        const struct zone_route *route = &zone->routes[i];
        keys[i] = by_source ? (struct sort_key){route->source, route->target, i}
                            : (struct sort_key){route->target, route->source, i};
    }
    qsort(keys, zone->n_routes, sizeof *keys, zones_compare_keys);
    *first = mem_alloc((size_t)zone->n_vertices + 1, sizeof **first);
    *list = mem_alloc(zone->n_routes, sizeof **list);
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        (*list)[i] = keys[i].route;
        (*first)[keys[i].source + 1]++;
    }
    for (uint32_t point = 0; point < zone->n_vertices; point++)
        (*first)[point + 1] += (*first)[point];
    free(keys);
}

/* Indexes the routes by point; the last of several routes of a point counts. */
static void index_star(struct zone *zone)
{
    size_t size = zone->n_vertices * sizeof(uint32_t);
    zone->first_out = mem_alloc(zone->n_vertices, sizeof *zone->first_out);
    zone->first_in = mem_alloc(zone->n_vertices, sizeof *zone->first_in);
    if (size) {
        memset(zone->first_out, 0xff, size);
        memset(zone->first_in, 0xff, size);
    }
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        const struct zone_route *route = &zone->routes[i];
        if (route->source != ZONES_NONE)
            zone->first_out[route->source] = i;
        else
            zone->first_in[route->target] = i;
    }
}

static bool has_trees(const struct zone *zone)
{
    return zone->kind == ZONE_FLOYD || zone->kind == ZONE_DIJKSTRA;
}

bool zones_find_duplicate(const struct zones *zones, struct zone_route *first,
                          struct zone_route *second)
{
    for (uint32_t i = 0; i < zones->n_zones; i++) {
        const struct zone *zone = &zones->zones[i];
        for (uint32_t k = 1; zone->out && k < zone->n_routes; k++) {
            *first = zone->routes[zone->out[k - 1]];
            *second = zone->routes[zone->out[k]];
            if (first->source == second->source && first->target == second->target)
                return true;
        }
    }
    return false;
}

/* ---- sealing: where links are ---- */

static uint32_t zones_node_of(const struct zones *zones, struct zone_point point)
{
    const struct zone *zone = &zones->zones[point.zone];
    const struct cluster *cluster = zone->cluster;
    if (cluster)
        return point.index < cluster->n_hosts ? cluster->machine_base + point.index
                                              : zones->n_machines + cluster->router_base;
    const struct zone_vertex *vertex = &zone->vertices[point.index];
    return vertex->kind == VERTEX_HOST ? vertex->number : zones->n_machines + vertex->number;
}

static struct zone_link *explicit_link(const struct zones *zones, uint32_t id)
{
    const struct zone_span *span = zone_span_of(&zones->link_spans, id);
    return span->zone == ZONES_NONE ? &zones->links[span->index + (id - span->first)] : NULL;
}

/* Returns the place between two links of a route: the end of one that has it already, else a new place
 * named after the first. */
static uint32_t junction(struct zones *zones, uint32_t before, uint32_t after)
{
    const struct zone_link *a = explicit_link(zones, before), *b = explicit_link(zones, after);
    if (b && b->from != ZONES_NONE)
        return b->from;
    if (a && a->to != ZONES_NONE)
        return a->to;
    if (a)
        return zones->n_machines + add_explicit_router(zones, a->name);
    return b ? zones->n_machines + add_explicit_router(zones, b->name) : ZONES_NONE;
}

/* Draws the links of a route that were not drawn yet, from node to node. */
static void place_links(struct zones *zones, const struct zone_route *route, uint32_t from,
                        uint32_t to)
{
    const uint32_t *links = zones->route_links + route->first;
    for (uint32_t i = 0; i < route->n; i++) {
        uint32_t end = i + 1 < route->n ? junction(zones, links[i], links[i + 1]) : to;
        struct zone_link *link = explicit_link(zones, links[i]);
        if (link && link->from == ZONES_NONE) {
            link->from = from;
            link->to = end;
        }
        from = end;
    }
}

static void place_zone_links(struct zones *zones, uint32_t number)
{
    const struct zone *zone = &zones->zones[number];
    uint32_t centre = ZONES_NONE;
    if (zone->kind == ZONE_STAR)
        centre = zones->n_machines + add_explicit_router(zones, zone->name);
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        const struct zone_route *route = &zone->routes[i];
        struct zone_point from = route->from, to = route->to;
        if (from.zone == ZONES_NONE) {
            from = (struct zone_point){number, route->source};
            to = (struct zone_point){number, route->target};
        }
        place_links(zones, route, from.index == ZONES_NONE ? centre : zones_node_of(zones, from),
                    to.index == ZONES_NONE ? centre : zones_node_of(zones, to));
    }
}

/* ---- sealing ---- */

/* Limit for the stored tables of trees: 64 MiB, but at least one per zone. */
enum { TREE_ENTRIES = 1 << 24 };

void zones_seal(struct zones *zones)
{
    uint64_t n_points = 1;
    for (uint32_t i = 0; i < zones->n_zones; i++) {
        struct zone *zone = &zones->zones[i];
        n_points += has_trees(zone) ? zone->n_vertices : 0;
        if (zone->kind == ZONE_STAR)
            index_star(zone);
        else if (zone->kind == ZONE_FULL || has_trees(zone))
            index_routes(zone, true, &zone->first_out, &zone->out);
        if (has_trees(zone))
            index_routes(zone, false, &zone->first_in, &zone->in);
    }
    for (uint32_t i = 0; i < zones->n_zones; i++) {
        place_zone_links(zones, i);
        if (has_trees(&zones->zones[i]))
            zone_trees_new(&zones->zones[i], (uint32_t)(TREE_ENTRIES / n_points));
    }
}
