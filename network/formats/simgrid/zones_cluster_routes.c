/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds routes inside a cluster, as SimGrid 3.32 does, with all its oddities; tests/simgrid compares
 * every pair with SimGrid itself.
 */
#include "network/formats/simgrid/zones_cluster.h"

static void zones_cluster_routes_add(struct cluster_walk *walk, uint32_t link)
{
    walk->hops[walk->n++] = (struct hop){walk->cluster->link_base + link, 0};
}

static void zones_cluster_routes_add_cable(struct cluster_walk *walk, uint32_t cable, bool goes_down)
{
    zones_cluster_routes_add(walk, walk->cluster->is_split ? 2 * cable + goes_down : cable);
}

/* Adds the limiter of a node; nodes are hosts, then switches. */
static void add_limiter(struct cluster_walk *walk, uint32_t node)
{
    const struct cluster *cluster = walk->cluster;
    if (cluster->limiter)
        zones_cluster_routes_add(walk, cluster->n_cables * (cluster->is_split ? 2 : 1) + node);
}

/* ---- flat ---- */

static void route_flat(struct cluster_walk *walk, uint32_t source, uint32_t target)
{
    const struct cluster *cluster = walk->cluster;
    const uint32_t router = cluster->n_hosts;
    if (source != router) {
        add_limiter(walk, source);
        zones_cluster_routes_add_cable(walk, source, false);
    }
    if (cluster->has_backbone)
        zones_cluster_routes_add(walk, cluster->n_link_ids - 1);
    if (target != router) {
        zones_cluster_routes_add_cable(walk, target, true);
        add_limiter(walk, target);
    }
}

/* ---- torus ---- */

/* True if a ring of n is crossed upwards, from i to i + 1. The second test compares with >, so ties go both
 * ways; on a ring of 4 that is 0 to 2 up, 1 to 3 up, 2 to 0 down, 3 to 1 up. */
static bool goes_up(uint32_t source, uint32_t target, uint32_t n)
{
    uint32_t half = n / 2;
    return (target > source && target <= source + half) ||
           (source > half && (source + half) % n >= target);
}

static void route_torus(struct cluster_walk *walk, uint32_t source, uint32_t target)
{
    const struct cluster *cluster = walk->cluster;
    uint32_t at = source;
    for (uint32_t dimension = 0, stride = 1; dimension < cluster->n_levels; dimension++) {
        const uint32_t n = cluster->down[dimension];
        uint32_t x = source / stride % n, end = target / stride % n;
        const bool is_up = goes_up(x, end, n);
        while (x != end) {
            uint32_t next = is_up ? (x + 1 == n ? 0 : x + 1) : (x ? x - 1 : n - 1);
            uint32_t there = at - x * stride + next * stride;
            add_limiter(walk, at);
            zones_cluster_routes_add_cable(walk, (is_up ? at : there) * cluster->n_levels + dimension,
                                           !is_up);
            x = next;
            at = there;
        }
        stride *= n;
    }
    add_limiter(walk, target);
}

/* ---- fat tree ---- */

/* The node that a route has reached in a level: low + digit * width + high * width * radix. The digits
 * below the level count ports up, those from it on children. */
struct climb {
    struct cluster_walk *walk;
    uint32_t level, position; /* 0: hosts */
    uint32_t width;           /* product of `up` below the level */
};

static uint32_t zones_cluster_routes_node_of(const struct climb *at)
{
    const struct cluster *cluster = at->walk->cluster;
    if (!at->level)
        return at->position;
    return cluster->n_hosts + cluster->level_nodes[at->level - 1] + at->position;
}

/* Returns the j-th parallel cable from a node up to its parent `label`. */
static uint32_t zones_cluster_routes_tree_cable(const struct cluster *cluster, uint32_t level, uint32_t child,
                                                uint32_t label, uint32_t j)
{
    uint32_t ports = cluster->ports[level];
    return cluster->level_cables[level] + child * (cluster->up[level] * ports) + label * ports + j;
}

/* Goes one level up, over the cable that the destination decides. */
static void go_up(struct climb *at, uint64_t digits)
{
    const struct cluster *cluster = at->walk->cluster;
    const uint32_t level = at->level, up = cluster->up[level], down = cluster->down[level];
    uint32_t port = (uint32_t)(digits % ((uint64_t)up * cluster->ports[level]));
    uint32_t label = port % up;
    add_limiter(at->walk, zones_cluster_routes_node_of(at));
    zones_cluster_routes_add_cable(
        at->walk, zones_cluster_routes_tree_cable(cluster, level, at->position, label, port / up), false);
    uint32_t low = at->position % at->width, high = at->position / at->width / down;
    at->position = low + (label + high * up) * at->width;
    at->width *= up;
    at->level++;
}

/* Goes one level down to the child `digit`, over the j-th of the parallel cables. */
static void go_down(struct climb *at, uint32_t digit, uint32_t j)
{
    const struct cluster *cluster = at->walk->cluster;
    const uint32_t level = at->level - 1, up = cluster->up[level];
    uint32_t node = zones_cluster_routes_node_of(at);
    at->width /= up;
    uint32_t low = at->position % at->width, label = at->position / at->width % up;
    uint32_t high = at->position / at->width / up;
    at->position = low + (digit + high * cluster->down[level]) * at->width;
    at->level = level;
    zones_cluster_routes_add_cable(
        at->walk, zones_cluster_routes_tree_cable(cluster, level, at->position, label, j), true);
    add_limiter(at->walk, node);
}

/* Goes down over the parallel cable of the source's position. But SimGrid looks through the children in one
 * loop, which goes on, one level lower, at the child after the one it took, and starts again only at the
 * end of that list. */
static void zones_cluster_routes_descend(struct climb *at, uint32_t source, uint32_t target)
{
    const struct cluster *cluster = at->walk->cluster;
    uint32_t below = 1, next = 0;
    for (uint32_t i = 0; i < at->level; i++)
        below *= cluster->down[i];
    for (bool goes_on = false; at->level; goes_on = true) {
        const uint32_t down = cluster->down[at->level - 1], ports = cluster->ports[at->level - 1];
        below /= down;
        uint32_t digit = target / below % down;
        uint32_t first = next + (digit + down - next % down) % down;
        if (!goes_on || first >= down * ports)
            first = (uint32_t)(((uint64_t)cluster->position + source) % ports) * down + digit;
        go_down(at, digit, first / down);
        next = first + 1;
    }
}

static void route_fat_tree(struct cluster_walk *walk, uint32_t source, uint32_t target)
{
    const struct cluster *cluster = walk->cluster;
    struct climb at = {walk, 0, source, 1};
    uint64_t digits = (uint64_t)cluster->position + target;
    for (uint32_t s = source, d = target; s != d;) {
        const uint32_t level = at.level;
        go_up(&at, digits);
        digits /= cluster->up[level]; /* not by the parallel cables */
        s /= cluster->down[level];
        d /= cluster->down[level];
    }
    zones_cluster_routes_descend(&at, source, target);
    add_limiter(walk, target);
}

/* ---- dragonfly ---- */

/* A blade, which is a router. */
struct blade {
    uint32_t group, chassis, blade;
};

static uint32_t zones_cluster_routes_router_of(const struct cluster *cluster, struct blade at)
{
    return (at.group * cluster->down[DRAGONFLY_CHASSIS] + at.chassis) *
               cluster->down[DRAGONFLY_BLADES] +
           at.blade;
}

static void limit_router(struct cluster_walk *walk, struct blade at)
{
    add_limiter(walk, walk->cluster->n_hosts + zones_cluster_routes_router_of(walk->cluster, at));
}

/* Returns the number of the pair a < b of n, row by row. */
static uint32_t zones_cluster_routes_pair_of(uint32_t a, uint32_t b, uint32_t n)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (uint32_t)((uint64_t)low * (2 * (uint64_t)n - low - 1) / 2) + high - low - 1;
}

/* Goes to another blade of the chassis. */
static void go_green(struct cluster_walk *walk, struct blade at, uint32_t blade)
{
    const uint32_t n = walk->cluster->down[DRAGONFLY_BLADES];
    uint32_t chassis = at.group * walk->cluster->down[DRAGONFLY_CHASSIS] + at.chassis;
    uint32_t cable = walk->cluster->level_cables[1] + chassis * (n * (n - 1) / 2) +
                     zones_cluster_routes_pair_of(at.blade, blade, n);
    limit_router(walk, at);
    zones_cluster_routes_add_cable(walk, cable, at.blade > blade);
}

/* Goes to the same blade of another chassis of the group. */
static void go_black(struct cluster_walk *walk, struct blade at, uint32_t chassis)
{
    const uint32_t n = walk->cluster->down[DRAGONFLY_CHASSIS];
    const uint32_t blades = walk->cluster->down[DRAGONFLY_BLADES];
    uint32_t pair = at.group * (n * (n - 1) / 2) + zones_cluster_routes_pair_of(at.chassis, chassis, n);
    limit_router(walk, at);
    zones_cluster_routes_add_cable(walk, walk->cluster->level_cables[2] + pair * blades + at.blade,
                                   at.chassis > chassis);
}

/* Goes to the blade n of chassis 0, which holds the cable to group n, and over that cable. */
static struct blade leave_group(struct cluster_walk *walk, struct blade at, uint32_t group)
{
    if (at.blade != group) {
        go_green(walk, at, group);
        at.blade = group;
    }
    if (at.chassis) {
        go_black(walk, at, 0);
        at.chassis = 0;
    }
    zones_cluster_routes_add_cable(
        walk,
        walk->cluster->level_cables[3] +
            zones_cluster_routes_pair_of(at.group, group, walk->cluster->down[DRAGONFLY_GROUPS]),
        at.group > group);
    limit_router(walk, at);
    return (struct blade){group, 0, at.group};
}

static struct blade blade_of(const struct cluster *cluster, uint32_t host)
{
    uint32_t router = host / cluster->down[DRAGONFLY_NODES];
    uint32_t chassis = router / cluster->down[DRAGONFLY_BLADES];
    return (struct blade){chassis / cluster->down[DRAGONFLY_CHASSIS],
                          chassis % cluster->down[DRAGONFLY_CHASSIS],
                          router % cluster->down[DRAGONFLY_BLADES]};
}

/* Routes in a dragonfly. After a green cable SimGrid goes on in chassis 0, wherever the cable was. */
static void route_dragonfly(struct cluster_walk *walk, uint32_t source, uint32_t target)
{
    const struct cluster *cluster = walk->cluster;
    struct blade at = blade_of(cluster, source), end = blade_of(cluster, target);
    bool is_elsewhere =
        zones_cluster_routes_router_of(cluster, at) != zones_cluster_routes_router_of(cluster, end);
    add_limiter(walk, source);
    zones_cluster_routes_add_cable(walk, source, false);
    if (at.group != end.group)
        at = leave_group(walk, at, end.group);
    if (is_elsewhere && at.blade != end.blade) {
        go_green(walk, at, end.blade);
        at = (struct blade){end.group, 0, end.blade};
    }
    if (is_elsewhere && at.chassis != end.chassis)
        go_black(walk, at, end.chassis);
    limit_router(walk, end);
    zones_cluster_routes_add_cable(walk, target, true);
    add_limiter(walk, target);
}

/* ---- all ---- */

void cluster_route(struct cluster_walk *walk, uint32_t source, uint32_t target)
{
    switch (walk->cluster->shape) {
    case CLUSTER_FLAT: route_flat(walk, source, target); break;
    case CLUSTER_TORUS: route_torus(walk, source, target); break;
    case CLUSTER_FAT_TREE: route_fat_tree(walk, source, target); break;
    case CLUSTER_DRAGONFLY: route_dragonfly(walk, source, target); break;
    }
}

uint32_t cluster_max_hops(const struct cluster *cluster)
{
    uint32_t n = 0, has_limiter = cluster->limiter != 0;
    switch (cluster->shape) {
    case CLUSTER_FLAT: return 2 + 2 * has_limiter + cluster->has_backbone;
    case CLUSTER_TORUS:
        for (uint32_t i = 0; i < cluster->n_levels; i++)
            n += cluster->down[i] / 2;
        return n + has_limiter * (n + 1);
    case CLUSTER_FAT_TREE: return 2 * cluster->n_levels + has_limiter * (2 * cluster->n_levels + 1);
    case CLUSTER_DRAGONFLY: return 7 + 8 * has_limiter;
    }
    return 0;
}
