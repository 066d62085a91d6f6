/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The network: machines, routers, directed links with dense ids, and the route
 * a message takes. Four kinds, behind one interface:
 *
 *   grid   mesh or torus per dimension; machine and router are one (Takaue et al. 2010)
 *   tree   extended generalised fat tree XGFT(h; m_1..m_h; w_1..w_h); `star` is
 *          the tree with one level, `full` is not a tree
 *   full   every pair of machines has its own link in each direction
 *   graph  anything else, explicit (network/graph.h)
 *
 * grid, tree and full are implicit: they cost a few hundred bytes whatever
 * their size, and a link id is computed, not stored.
 *
 * Link ids run from 0 to n_link_ids-1. Some ids of a mesh name no link (the
 * border); topology_has_link tells. A cable is two links, one per direction.
 * A grid numbers the link node * 2D + 2 * dimension + (0 for +, 1 for -), D the
 * number of dimensions. A dimension of extent 1 has no links; in a ring of two
 * the + link and the - link are two cables.
 *
 * Routing rules (stated by topology_routing_rule, printed with every verdict):
 *   grid   dimension order, lowest dimension first, the shorter way round; on
 *          an even ring at distance k/2 the + direction. Lane 0 until the
 *          route crosses the dateline of the dimension (the wrap link k-1 -> 0
 *          or 0 -> k-1), lane 1 from that link on, lane 0 again in the next
 *          dimension (Dally & Seitz 1987).
 *   tree   up to the nearest common ancestor, then down; going up from level
 *          i-1 to level i the port is (d / W_{i-1}) mod w_i with d the index
 *          of the destination machine and W_i = w_1 * ... * w_i (D-mod-k).
 *   graph  a shortest path; among the n links that lead one hop nearer, in the
 *          order of their ids, link number (d mod n). Machines forward nothing.
 *          With forwarding tables (network/forwarding.h): as they say.
 */
#ifndef COLLC_NETWORK_TOPOLOGY_H
#define COLLC_NETWORK_TOPOLOGY_H

#include "base/diagnostic.h"

enum { TOPOLOGY_MAX_DIMENSIONS = 8 };

enum topology_kind {
    TOPOLOGY_GRID, TOPOLOGY_TREE, TOPOLOGY_FULL, TOPOLOGY_GRAPH, TOPOLOGY_SUBSET, TOPOLOGY_FAULTY,
    TOPOLOGY_COMPOSITE, TOPOLOGY_ZONES
};

/* One link crossed by a message, with the lane (virtual channel class). */
struct hop {
    uint32_t link;
    uint32_t lane;
};

/* Division by a divisor fixed at run time, for 32-bit dividends: one multiply
 * (Lemire, Kaser & Kurz 2019). Made by divider_of; divider 1 is allowed. */
struct divider {
    uint64_t magic; /* 2^64 / value, rounded up; 0 stands for value 1 */
    uint32_t value;
};
struct divider divider_of(uint32_t value);
__extension__ typedef unsigned __int128 divider_product; /* not in ISO C; gcc, clang */
static inline uint32_t divide(uint32_t n, const struct divider *d)
{
    return d->magic ? (uint32_t)(((divider_product)d->magic * n) >> 64) : n;
}

/* What the links of one dimension of a grid, or of one level of a tree, have in common. */
struct link_class {
    uint64_t bandwidth; /* bytes per second */
    uint64_t latency;   /* ns */
};

struct topology_methods; /* network/topology_kinds.h */
struct view;             /* network/view.h */

struct topology {
    enum topology_kind kind;
    const struct topology_methods *methods; /* of the kind */
    const char *name;      /* synthetic string or file name, for people */
    uint32_t n_machines;
    uint32_t n_routers;    /* grid: equal to n_machines and the same objects */
    uint32_t n_nodes;      /* machines, then the routers that are not machines */
    bool machines_forward; /* machine and router are one (grid) */
    uint32_t n_links;      /* directed links that exist */
    uint32_t n_link_ids;   /* ids are below this */
    uint32_t max_hops;     /* links on the longest route; graph: not less than that */
    bool has_fat_pipes;    /* some links do not contend: topology_link_contends */
    uint32_t ports;        /* messages a machine can inject at once (NCT), 0: not limited */
    uint64_t bandwidth;    /* bytes per second of every link, unless per class or link (graph) */
    uint64_t latency;      /* ns of every link, unless per class or link (graph) */
    uint32_t n_classes;    /* dimensions or levels if their links differ, 1 if all are alike */
    struct link_class classes[TOPOLOGY_MAX_DIMENSIONS]; /* one for each dimension or level */
    uint64_t fingerprint;  /* of structure and numbers; equal on every machine */
    /* grid */
    uint32_t n_dimensions;
    struct divider extent[TOPOLOGY_MAX_DIMENSIONS];   /* machine = x + extent_x * (y + ...) */
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];              /* torus in this dimension */
    const struct view *view; /* how programs see it (network/view.h); NULL: as it is */
    /* tree, index 0 = level 1 (between machines and leaf routers) */
    uint32_t n_levels;
    struct divider down[TOPOLOGY_MAX_DIMENSIONS];     /* m_i: children of a node of level i */
    struct divider up[TOPOLOGY_MAX_DIMENSIONS];       /* w_i: parents of a node of level i-1 */
    struct divider width[TOPOLOGY_MAX_DIMENSIONS];    /* W_i */
    uint32_t up_base[TOPOLOGY_MAX_DIMENSIONS];        /* first id of the links up to level i */
    uint32_t down_base[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t router_base[TOPOLOGY_MAX_DIMENSIONS]; /* first of level i, 0 is node n_machines */
    /* graph */
    struct graph *graph;
    /* subset, faults: the topology they are of, owned */
    struct topology *base;
    struct subset *subset;
    struct faults *faults;
    /* several networks (network/networks.h) */
    struct composite *composite;
    /* zones and clusters of a simulator's platform (network/formats/simgrid/zones.h) */
    struct zones *zones;
    struct arena *arena;   /* everything above lives here; topology_free frees it */
};

/* What every kind has; 0 or NULL stands for the default. */
struct topology_settings {
    const char *name;   /* copied; NULL: the synthetic string */
    uint64_t bandwidth; /* bytes per second; default 12.5 GB/s (100 Gb/s) */
    uint64_t latency;   /* ns; 0 is a latency like any other */
    uint32_t ports;
    const struct link_class *classes; /* instead of bandwidth and latency, for each dimension
                                         or level; NULL: all links are alike */
};
#define TOPOLOGY_DEFAULT_BANDWIDTH UINT64_C(12500000000)
#define TOPOLOGY_DEFAULT_LATENCY UINT64_C(1000)
enum {
    TOPOLOGY_MAX_MACHINES = 1 << 30,
    TOPOLOGY_MAX_EXTENT = 1 << 20 /* of a grid: routes must fit in memory */
};

/* Makers of the implicit kinds. Arrays are copied, index 0 is the lowest
 * dimension or level 1. On numbers out of range they return NULL and point
 * *problem at a sentence without full stop. Release with topology_free. */
struct topology *topology_new_grid(const struct topology_settings *settings, uint32_t n_dimensions,
                                   const uint32_t *extent, const bool *wraps,
                                   const char **problem);
/* Tofu (Ajima et al. 2012): a grid X x Y x Z x 2 x 3 x 2, of which X, Y, Z and the 3 wrap,
 * that programs see as a torus 2X x 3Y x 2Z (network/view.h); extent is { X, Y, Z }. */
struct topology *topology_new_tofu(const struct topology_settings *settings,
                                   const uint32_t *extent, const char **problem);
struct topology *topology_new_tree(const struct topology_settings *settings, uint32_t n_levels,
                                   const uint32_t *down, const uint32_t *up,
                                   const char **problem);
struct topology *topology_new_full(const struct topology_settings *settings, uint32_t n_machines,
                                   const char **problem);
/* The topology of a sealed graph, which it owns from now on. */
struct topology *topology_new_graph(const struct topology_settings *settings, struct graph *graph);
/* Routes a graph topology by tables made with forwarding_new for its graph, which
 * owns them from now on; finishes them. max_hops becomes that of the tables. */
struct forwarding;
void topology_set_forwarding(struct topology *topology, struct forwarding *forwarding);
/* Some machines of a topology (a job's), which it owns from now on. `machines` are
 * strictly ascending numbers in the base and become 0, 1, ...; names, link ids and
 * routes stay those of the base. Grid nodes that are left out become routers; of the
 * other kinds, machines that are left out disappear with their cables. Costs 8 bytes
 * per run of consecutive machines, O(links) time. Of a subset it is a subset of its base. */
struct topology *topology_new_subset(struct topology *base, const uint32_t *machines,
                                     uint32_t n_machines);
/* A topology, which it owns from now on, whose links in `links` (any order, repeats
 * allowed) have failed: they do not exist any more. Routes that would cross one take
 * the first alternative of the base that crosses none (see topology_routing_rule of
 * the result); a graph without tables is searched anew, tables do not change. A pair
 * may be left without a route. 4 bytes per failed link. Of a faulty topology it is its
 * base with all failures, of a subset the same machines of its faulty base. */
struct topology *topology_new_faulty(struct topology *base, const uint32_t *links,
                                     uint32_t n_links);
void topology_free(struct topology *topology);

/* The number in its `base` of a node of a topology that has one. */
uint32_t topology_base_node(const struct topology *topology, uint32_t node);

/* The topology of which this is a part, without failures and with all machines (itself if
 * it is whole), and the number of a node there. */
const struct topology *topology_whole(const struct topology *topology);
uint32_t topology_whole_node(const struct topology *topology, uint32_t node);

/* The grid whose nodes are just the machines of this topology, in the same order: itself,
 * or what it is of if only links have failed. NULL: there is none. */
const struct topology *topology_grid(const struct topology *topology);

/* The links from machine `source` to machine `destination` in order, written to
 * hops[0 .. max_hops-1]; returns how many, 0 if source == destination or if the
 * graph has no route. Allocates nothing after the first call for a destination. */
uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        struct hop *hops);

bool topology_has_link(const struct topology *topology, uint32_t link);
/* False for a link that any number of messages crosses at its full bandwidth each: it
 * adds its latency and no load. */
bool topology_link_contends(const struct topology *topology, uint32_t link);
/* Ends of a link as nodes: 0..n_machines-1 are machines, n_machines.. routers
 * (on a grid: machines only). */
void topology_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                        uint32_t *to);
uint64_t topology_link_bandwidth(const struct topology *topology, uint32_t link); /* B/s */
uint64_t topology_link_latency(const struct topology *topology, uint32_t link);   /* ns */

/* Name of a node, written to `name` (truncated to `size`, NUL-terminated):
 * "m7" or the host name; "(3,4)" on a grid; "sw0" or the router's name. */
void topology_node_name(const struct topology *topology, uint32_t node, char *name, size_t size);
/* The machine of that name, or n_machines. */
uint32_t topology_find_machine(const struct topology *topology, const char *name, size_t length);

/* The machine or router of that name, or n_nodes. O(nodes) for routers. */
uint32_t topology_find_node(const struct topology *topology, const char *name, size_t length);

/* True if a machine has one port, at which all that is sent to it meets: it is cabled to a
 * router. In a grid or a full mesh every link ends at a port of its own. */
bool topology_has_machine_ports(const struct topology *topology);

/* True if routes can use other lanes than 0. */
bool topology_has_lanes(const struct topology *topology);

/* One sentence: the rule by which topology_route chooses. */
const char *topology_routing_rule(const struct topology *topology);
/* The synthetic string of an implicit shape, numbers included; "" for a graph. */
void topology_shape(const struct topology *topology, struct text *out);
/* "2GB/s", "1us": in the largest decimal unit that leaves a whole number. */
void topology_print_bandwidth(uint64_t bandwidth, struct text *out);
void topology_print_latency(uint64_t latency, struct text *out);
/* Those of an implicit kind: one value, or one for each dimension or level with ':' between. */
void topology_print_bandwidths(const struct topology *topology, struct text *out);
void topology_print_latencies(const struct topology *topology, struct text *out);

#endif
