/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters of equal hosts whose links, routes and names follow from a few numbers, by the rules of
 * SimGrid 3.32, oddities included (docs/formats.md). Points are the hosts and, in a flat cluster, its
 * router. All numbers here count from 0 in the cluster.
 *
 *   flat       a cable per host to the router, over a backbone if there is one
 *   torus      ring by ring, lowest dimension first; cable (node, dimension) leads to
 *              the next node
 *   fat tree   D-mod-k over parallel cables: XGFT with ports per neighbour
 *   dragonfly  groups of chassis of blades of nodes; minimal routes
 *
 * A limiter is one more link of a node (host or switch), which its traffic crosses in both directions.
 */
#ifndef COLLC_NETWORK_FORMATS_SIMGRID_ZONES_CLUSTER_H
#define COLLC_NETWORK_FORMATS_SIMGRID_ZONES_CLUSTER_H

#include "network/formats/simgrid/zones.h"

enum cluster_shape { CLUSTER_FLAT, CLUSTER_TORUS, CLUSTER_FAT_TREE, CLUSTER_DRAGONFLY };

/* Hosts prefix + number + suffix for the numbers first .. last. */
struct cluster_range {
    uint32_t first, last;
    uint32_t before; /* hosts of the cluster before these */
};

/* groups, chassis of a group, blades of a chassis, nodes of a blade */
enum dragonfly_level { DRAGONFLY_GROUPS, DRAGONFLY_CHASSIS, DRAGONFLY_BLADES, DRAGONFLY_NODES };

struct cluster {
    enum cluster_shape shape;
    struct zone_name name, prefix, suffix, router;
    struct cluster_range *ranges;
    struct cluster_range *by_number; /* the same in the order of their numbers */
    size_t ranges_capacity;
    uint32_t n_ranges, n_hosts;
    uint64_t bandwidth, latency;
    bool is_split;
    bool has_backbone, backbone_contends;
    uint64_t backbone_bandwidth, backbone_latency;
    uint64_t limiter;           /* bytes per second; 0: no limiters */
    uint32_t n_levels;          /* dimensions of a torus, levels of a fat tree */
    uint32_t down[TOPOLOGY_MAX_DIMENSIONS];  /* extents; children; numbers by dragonfly_level */
    uint32_t up[TOPOLOGY_MAX_DIMENSIONS];    /* parents */
    uint32_t ports[TOPOLOGY_MAX_DIMENSIONS]; /* cables to a parent; dragonfly: parallel links merged into one
                                                between groups, chassis, blades */
    /* set by cluster_lay_out */
    uint32_t n_routers, n_link_ids;
    uint32_t n_switches, n_cables;
    uint32_t level_cables[TOPOLOGY_MAX_DIMENSIONS]; /* cables below the cables of level i + 1 */
    uint32_t level_nodes[TOPOLOGY_MAX_DIMENSIONS];  /* switches below level i + 1 */
    /* set by zones_set_cluster */
    uint32_t machine_base, router_base, link_base;
    uint32_t serial;   /* number of its first cable in names that count over all clusters */
    uint32_t position; /* position of its first host in D-mod-k, which counts over all fat trees */
};

/* Adds a range of numbers to the hosts. */
void cluster_add_range(struct cluster *cluster, uint32_t first, uint32_t last);
/* Checks the numbers and fills in what follows from them. Returns the problem, or NULL. Drops hosts that
 * the shape has no place for. */
const char *cluster_lay_out(struct cluster *cluster);
void cluster_free(struct cluster *cluster);

/* The route being written. */
struct cluster_walk {
    const struct cluster *cluster;
    struct hop *hops;
    uint32_t n;
};
/* Writes the links from one point to another, which must differ, to hops[n ...]. */
void cluster_route(struct cluster_walk *walk, uint32_t source, uint32_t target);
uint32_t cluster_max_hops(const struct cluster *cluster);

struct zone_link cluster_link(const struct cluster *cluster, uint32_t link);
/* Returns the ends as machines (from 0) or, with the high bit set, routers. */
#define CLUSTER_ROUTER UINT32_C(0x80000000)
void cluster_link_ends(const struct cluster *cluster, uint32_t link, uint32_t *from,
                       uint32_t *to);
void cluster_link_name(const struct zones *zones, const struct cluster *cluster, uint32_t link,
                       struct text *out);
void cluster_host_name(const struct zones *zones, const struct cluster *cluster, uint32_t host,
                       struct text *out);
void cluster_router_name(const struct zones *zones, const struct cluster *cluster,
                         uint32_t router, struct text *out);
/* Returns the host with that name, or ZONES_NONE. */
uint32_t cluster_find_host(const struct zones *zones, const struct cluster *cluster,
                           const char *name, size_t length);
/* The first returns the host with those decimal digits as its number, or ZONES_NONE; the second the number
 * of a host. */
uint32_t cluster_find_number(const struct cluster *cluster, const char *digits, size_t length);
uint32_t cluster_host_number(const struct cluster *cluster, uint32_t host);
/* Returns the link of a flat cluster with that name, or ZONES_NONE; `half` as in zones_find_link. */
uint32_t cluster_find_link(const struct zones *zones, const struct cluster *cluster,
                           const char *name, size_t length, char half);
/* Returns 1 and a name if the hosts of both clusters share one, 0 if they share none, -1 if there are too
 * many to compare. */
int cluster_clash(const struct zones *zones, const struct cluster *a, const struct cluster *b,
                  struct text *name);

uint64_t cluster_fingerprint(const struct zones *zones, const struct cluster *cluster,
                             uint64_t hash);

#endif
