/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The network: machines, routers, directed links with dense ids, and the route a message
 * takes. What every network has is here. A kind of network is a table of methods and what it
 * keeps behind `self` (network/kind.h); each has a header of its own for those who make one or
 * must know its numbers:
 *
 *   network/grid.h      mesh or torus per dimension; machine and router are one
 *   network/tree.h      extended generalised fat tree; `star` is the tree with one level
 *   network/full.h      every pair of machines has its own link in each direction
 *   network/graph.h     anything else, explicit
 *   network/parts.h     some machines of a network; a network with failed links
 *   network/networks.h  several networks between the same machines
 *
 * and a format may bring another one with it. The first three are implicit: they cost a few
 * hundred bytes whatever their size, and a link id is computed, not stored.
 *
 * A machine runs ranks, a router does not; a node is either. Link ids run from 0 to
 * n_link_ids-1. Some ids of a mesh name no link (the border); topology_has_link tells. A cable
 * is two links, one per direction. A lane is a virtual channel of a link.
 */
#ifndef COLLC_NETWORK_TOPOLOGY_H
#define COLLC_NETWORK_TOPOLOGY_H

#include "base/diagnostic.h"

enum { TOPOLOGY_MAX_DIMENSIONS = 8 };

/* Link crossed by a message, with its lane (virtual channel class). */
struct hop {
    uint32_t link;
    uint32_t lane;
};

/* Division by a divisor fixed at run time, for 32-bit dividends: one multiply (Lemire, Kaser & Kurz 2019).
 * Made by divider_of; divider 1 is allowed. */
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
/* Returns the rest of that division. */
static inline uint32_t divide_rest(uint32_t n, const struct divider *d)
{
    return n - divide(n, d) * d->value;
}

/* Properties that the links of one dimension of a grid, or of one level of a tree, share. */
struct link_class {
    uint64_t bandwidth; /* bytes per second */
    uint64_t latency;   /* ns */
};

struct topology_methods; /* network/kind.h */
struct host_costs;       /* network/host_costs.h */
struct host_ports;       /* network/host_ports.h */

struct topology {
    const struct topology_methods *methods; /* of its kind */
    void *self;            /* data of its kind */
    struct topology *base; /* topology that it is a part of (network/parts.h), owned; NULL: it is whole */
    const struct topology *whole; /* the base of its base ...; itself if it is whole */
    const char *name;      /* synthetic string or file name, for people */
    const char *shape;     /* of an explicit network that was made regular: its synthetic string; else NULL */
    uint32_t n_machines;
    uint32_t n_routers;    /* equal to n_machines where they are the same objects */
    uint32_t n_nodes;      /* machines, then the routers that are not machines */
    uint32_t n_networks;   /* network/networks.h; mostly 1 */
    bool machines_forward; /* machine and router are one, or some machines forward */
    bool has_machine_ports; /* a machine has one port for all that is sent to it: it is cabled to a router;
                               else every link ends at a port of its own */
    const struct host_ports *host_ports; /* of machines with several cables; NULL: none has, host_ports_new */
    bool has_loose_links;  /* a link may be crossed in several places; its ends are the first */
    uint32_t n_links;      /* directed links that exist */
    uint32_t n_link_ids;   /* ids are below this */
    uint32_t max_hops;     /* links on the longest route, or more: has_exact_hops */
    bool has_exact_hops;
    bool is_outline;       /* the input names the switch of each machine but no cables: their number and rates
                              are assumed. Set only on the whole topology */
    bool has_fat_pipes;    /* some links do not contend: topology_link_contends */
    bool is_adaptive;      /* switches choose among the links that lead nearer (network/adaptive.h) */
    uint32_t ports;        /* messages a machine can inject at once (NCT), 0: not limited */
    uint64_t bandwidth;    /* bytes per second of every link, unless per class or link */
    uint64_t latency;      /* ns of every link, unless per class or link */
    bool states_rates;     /* of an implicit kind: bandwidths are those of the input, not the default */
    uint32_t n_classes;    /* dimensions or levels if their links differ, 1 if all are alike */
    struct link_class classes[TOPOLOGY_MAX_DIMENSIONS]; /* one for each dimension or level */
    const struct host_costs *hosts; /* costs of its hosts, on the whole topology; some may be
                                       HOST_COST_UNKNOWN; in the arena; NULL: none are stated */
    uint64_t fingerprint;  /* hash of structure and numbers; equal on every machine */
    struct arena *arena;   /* everything above lives here; topology_free frees it */
};

/* Settings common to all kinds; 0 or NULL stands for the default. */
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

void topology_free(struct topology *topology);

/* Gives all links other costs. Requires an implicit shape with links that are all alike. The name and the
 * fingerprint stay. */
void topology_set_links(struct topology *topology, struct link_class links);

/* Returns the number in its `base` of a node of a topology that has one. */
uint32_t topology_base_node(const struct topology *topology, uint32_t node);

/* Returns the topology of which this is a part, without failures and with all machines (itself if it is
 * whole), and the number of a node there. */
static inline const struct topology *topology_whole(const struct topology *topology)
{
    return topology->whole;
}
uint32_t topology_whole_node(const struct topology *topology, uint32_t node);

/* True if links and routes are arithmetic, and topology_shape can describe it. Machines are numbered by their
 * places, and every pair has a route. */
bool topology_is_implicit(const struct topology *topology);

/* Writes the links from machine `source` to machine `destination` in order to hops[0 .. max_hops-1]; returns
 * how many, 0 if source == destination or if there is no route. Allocates nothing after the first call for a
 * destination. */
uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        struct hop *hops);

/* Writes the routes to a destination as a tree, where a route depends only on the node at which the message
 * is: next[node] is the link by which the message leaves the node, NO_NEXT_LINK where it goes no further or
 * strays to another machine. Following it from any other machine gives the links of topology_route, or none.
 * False if routes are not so, or use lanes. O(nodes). */
#define NO_NEXT_LINK UINT32_MAX
bool topology_next_links(const struct topology *topology, uint32_t destination, uint32_t *next);
/* True if topology_next_links does so, and there are machines. O(nodes) */
bool topology_routes_are_trees(const struct topology *topology);

/* Returns the links on the longest route: max_hops where that is exact, or else by walking the routes of up
 * to TOPOLOGY_MAX_WALKED pairs; with more of them max_hops, and *is_exact is false. */
enum { TOPOLOGY_MAX_WALKED = 1 << 18 };
uint32_t topology_longest_route(const struct topology *topology, bool *is_exact);

bool topology_has_link(const struct topology *topology, uint32_t link);
/* False for a link that any number of messages crosses at its full bandwidth each: it
 * adds its latency and no load. */
bool topology_link_contends(const struct topology *topology, uint32_t link);
/* Writes the ends of a link as nodes: 0..n_machines-1 are machines, n_machines.. routers (on a grid: machines
 * only). */
void topology_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                        uint32_t *to);
uint64_t topology_link_bandwidth(const struct topology *topology, uint32_t link); /* B/s */
uint64_t topology_link_latency(const struct topology *topology, uint32_t link);   /* ns */

/* Writes the name of a node to `name` (truncated to `size`, NUL-terminated): "m7" or the host name; "(3,4)"
 * on a grid; "sw0" or the router's name. */
void topology_node_name(const struct topology *topology, uint32_t node, char *name, size_t size);
/* Returns the machine of that name, or n_machines. */
uint32_t topology_find_machine(const struct topology *topology, const char *name, size_t length);
/* The same, or the machine of the part before the first dot: "node7.cluster.org" is node7. */
uint32_t topology_find_host(const struct topology *topology, const char *name, size_t length);

/* Returns the machine or router of that name, or n_nodes. O(nodes) for routers. */
uint32_t topology_find_node(const struct topology *topology, const char *name, size_t length);

/* Marks the nodes that forward messages of others: forwards[node]. O(nodes), or O(pairs of
 * machines * hops) where only the routes tell. */
void topology_find_forwarding(const struct topology *topology, bool *forwards);

/* Cut that follows the construction of the network: its machines fall into groups, machine m into group m /
 * stride % n_groups, and what leaves a group crosses known links. */
enum cut_shape {
    CUT_ROW,  /* neighbouring groups are joined */
    CUT_RING, /* so are the first and the last, also if there are only two */
    CUT_TREE  /* each group is joined to something above */
};
struct topology_cut {
    enum cut_shape shape;
    uint32_t number;    /* of the dimension, or of the level from 1 */
    uint32_t n_groups;
    uint64_t stride;
    uint64_t n_links;   /* one way at each place where it is cut; or more, if links have failed */
    uint64_t bandwidth; /* of one of them, in bytes per second */
};
/* Finds cut number i of the network; false: it has no more. */
bool topology_find_cut(const struct topology *topology, uint32_t i, struct topology_cut *cut);

/* True if routes can use other lanes than 0. */
bool topology_has_lanes(const struct topology *topology);

/* True if the network is a real one whose routes are not known: they are assumed. */
bool topology_assumes_routes(const struct topology *topology);
/* Returns, in one sentence, the rule by which topology_route chooses. */
const char *topology_routing_rule(const struct topology *topology);
/* Appends the synthetic string of an implicit shape, numbers included; "" for a graph. */
void topology_shape(const struct topology *topology, struct text *out);
/* Appends "2GB/s", or "1us": in the largest decimal unit that leaves a whole number. */
void topology_print_bandwidth(uint64_t bandwidth, struct text *out);
void topology_print_latency(uint64_t latency, struct text *out);
/* Prints the values of an implicit kind: one, or one for each dimension or level with ':' between. */
void topology_print_bandwidths(const struct topology *topology, struct text *out);
void topology_print_latencies(const struct topology *topology, struct text *out);

#endif
