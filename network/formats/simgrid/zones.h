/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network of zones, as SimGrid's platform files describe it. A zone holds points: hosts, routers or
 * other zones. Inside a zone a route between two points is a list of links. Between hosts of different
 * zones, the zone that holds both gives the gateways and the links between them; the way to and from the
 * gateways is found in the same manner one level deeper. Routes name links, which need not join two
 * points.
 *
 * A zone finds a route between two of its points as follows:
 *   full      the file states it
 *   floyd     fewest links; among the shortest ways the one whose highest point in
 *             between is lowest, then the second highest ... (the result of the algorithm of
 *             Floyd and Warshall if it improves strictly)
 *   dijkstra  fewest links; the last point is the one nearest to the source and, among
 *             those, the one that routes mention first, and so on backwards
 *   star      up from the first point, then down to the second; a link that is in both
 *             halves is crossed once
 *   cluster   by arithmetic (network/formats/simgrid/zones_cluster.h), without data per host
 *   none      never
 *
 * A link has one id if both directions share its capacity, two (up, down) if it is split, and does not
 * contend if it is a fat pipe.
 */
#ifndef COLLC_NETWORK_FORMATS_SIMGRID_ZONES_H
#define COLLC_NETWORK_FORMATS_SIMGRID_ZONES_H

#include "base/map.h"
#include "network/topology.h"

#define ZONES_NONE UINT32_MAX
enum { ZONES_MAX_DEPTH = 64 };

enum zone_kind { ZONE_NONE, ZONE_FULL, ZONE_FLOYD, ZONE_DIJKSTRA, ZONE_STAR, ZONE_CLUSTER };

/* A point by its number in its zone. */
struct zone_point {
    uint32_t zone, index;
};

/* A name in the pool. */
struct zone_name {
    uint32_t at, length;
};

enum zone_vertex_kind { VERTEX_HOST, VERTEX_ROUTER, VERTEX_ZONE };

struct zone_vertex {
    enum zone_vertex_kind kind;
    uint32_t number; /* number of the machine, router or zone */
    struct zone_name name;
};

struct zone_route {
    uint32_t source, target;    /* points of the zone; ZONES_NONE: any (star) */
    struct zone_point from, to; /* gateways if the points are zones, else zone ZONES_NONE */
    uint32_t origin;            /* number of the element, for the builder */
    uint32_t n;                 /* links ... */
    uint32_t first;             /* ... from here in zones->route_links; set by zones_add_route */
};

struct zone_trees; /* network/formats/simgrid/zones_trees.c */
struct cluster;    /* network/formats/simgrid/zones_cluster.h */

struct zone {
    enum zone_kind kind;
    uint32_t parent, index;  /* its point in the parent; ZONES_NONE: the outermost zone */
    uint32_t depth;
    struct zone_name name;
    uint32_t n_vertices;
    struct zone_vertex *vertices;
    uint32_t n_routes;
    struct zone_route *routes; /* in the order of the file */
    /* full, floyd, dijkstra: routes by source, then target, out[first_out[p] ...], and by target, then
     * source; star: the routes up from and down to each point, in first_* */
    uint32_t *first_out, *out, *first_in, *in;
    struct zone_trees *trees;  /* floyd, dijkstra */
    struct cluster *cluster;   /* only in a cluster, which has no vertices and routes */
    size_t vertices_capacity, routes_capacity;
};

/* A range of consecutive machines, routers or links of one zone. */
struct zone_span {
    uint32_t first;
    uint32_t zone;  /* ZONES_NONE: explicit links or routers */
    uint32_t index; /* index of the first in the zone, its cluster, or the explicit list */
};
struct zone_spans {
    struct zone_span *items;
    uint32_t n;
    size_t capacity;
};

struct zone_link {
    struct zone_name name;
    uint64_t bandwidth, latency;
    uint32_t from, to; /* nodes of the first use; ZONES_NONE: not used */
    char suffix;       /* 'U', 'D': half of a split link; 0 */
    bool contends;
};

/* The object that a name stands for. */
struct zone_entry {
    struct zone_name name;
    struct zone_point point; /* a link has zone ZONES_NONE and its (first) id as index */
    uint8_t kind;            /* enum zone_entry_kind */
};
enum zone_entry_kind { ENTRY_POINT, ENTRY_LINK, ENTRY_SPLIT };

struct zones {
    uint32_t n_zones, n_machines, n_routers, n_link_ids;
    struct zone *zones;
    uint32_t n_links;        /* explicit link ids */
    struct zone_link *links;
    uint32_t n_explicit_routers;
    struct zone_name *routers;
    uint32_t *route_links;
    uint32_t n_route_links;
    struct zone_spans machine_spans, router_spans, link_spans;
    struct zone_entry *entries;
    struct hash_map by_name;      /* entries by name */
    char *pool;
    size_t pool_length, pool_capacity;
    size_t zones_capacity, links_capacity, routers_capacity, route_links_capacity,
        entries_capacity;
    uint32_t n_serial[2];    /* cables of all fat trees, of all dragonflies so far */
    uint32_t n_tree_hosts;   /* hosts of all fat trees so far */
};

struct zones *zones_new(void);
void zones_free(struct zones *zones);

/* ---- building: all in the order of the file ---- */

struct zone_name zones_intern(struct zones *zones, const char *text, size_t length);
static inline const char *zones_text(const struct zones *zones, struct zone_name name)
{
    return zones->pool + name.at;
}

/* True if a point (host, router or zone) has that name; the outermost zone is number `index` of zone
 * ZONES_NONE. */
bool zones_find_point(const struct zones *zones, const char *name, size_t length,
                      struct zone_point *point);
/* Returns the id of the link with that name, or ZONES_NONE. `half` is 'U' or 'D' for the halves of a split
 * link with that name; 0 for the link (or a half) itself. */
uint32_t zones_find_link(const struct zones *zones, const char *name, size_t length, char half);

/* Adds a zone inside another (or ZONES_NONE); the name must not be taken. */
uint32_t zones_add_zone(struct zones *zones, uint32_t parent, enum zone_kind kind,
                        const char *name, size_t length);
void zones_add_host(struct zones *zones, uint32_t zone, const char *name, size_t length);
void zones_add_router(struct zones *zones, uint32_t zone, const char *name, size_t length);
/* Makes the zone a cluster, which cluster_lay_out has filled in and the zone owns from now on. */
void zones_set_cluster(struct zones *zones, uint32_t zone, struct cluster *cluster);

struct zone_link_class {
    uint64_t bandwidth, latency;
    bool is_split, contends;
};
/* Adds a link and returns its id, or the id of its up half if it is split. */
uint32_t zones_add_link(struct zones *zones, const char *name, size_t length,
                        const struct zone_link_class *class);
/* A link on a route, and the link on the way back. */
struct zone_route_link {
    uint32_t there, back;
};
/* Adds a route over route.n links, and its reverse if it is symmetrical. */
void zones_add_route(struct zones *zones, uint32_t zone, struct zone_route route,
                     const struct zone_route_link *links, bool is_symmetrical);

/* Makes the tables; nothing may be added afterwards. */
void zones_seal(struct zones *zones);
/* True if two routes have the same points; finds them. Requires sealed zones. */
bool zones_find_duplicate(const struct zones *zones, struct zone_route *first,
                          struct zone_route *second);
/* Returns a floyd or dijkstra zone with a route that crosses another zone, *crossed, between two of its
 * gateways; ZONES_NONE if there is none. Looks at zones of up to 1024 points. */
uint32_t zones_find_crossing(const struct zones *zones, enum zone_kind kind, uint32_t *crossed);

/* ---- asking: sealed ---- */

struct zone_point zones_machine_point(const struct zones *zones, uint32_t machine);
/* The first does the same as topology_route; the second returns the links on the longest route. */
uint32_t zones_route(const struct zones *zones, uint32_t source, uint32_t destination,
                     struct hop *hops);
uint32_t zones_max_hops(const struct zones *zones);
/* Appends the id that SimGrid gives the link. */
void zones_link_name(const struct zones *zones, uint32_t link, struct text *out);

/* Returns the range that contains a number. */
static inline const struct zone_span *zone_span_of(const struct zone_spans *spans, uint32_t number)
{
    uint32_t low = 0, high = spans->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (spans->items[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return &spans->items[low];
}

/* ---- zones_trees.c ---- */

void zone_trees_new(struct zone *zone, uint32_t n_slots);
void zone_trees_free(struct zone *zone);
/* Finds the routes from one point to another in *path (of the zone, valid until the next call). Returns
 * their number, 0 if no path leads there. */
uint32_t zone_trees_path(const struct zone *zone, uint32_t source, uint32_t target,
                         const uint32_t **path);

/* Returns the topology of sealed zones, which it owns from now on. */
struct topology *topology_new_zones(const struct topology_settings *settings,
                                    struct zones *zones);
/* Returns NULL if the topology is of another kind. */
struct zones *topology_as_zones(const struct topology *topology);

#endif
