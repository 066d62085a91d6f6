/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An explicit network: named machines and routers joined by cables. Readers
 * build one node and one cable at a time, seal it, and hand it to
 * topology_new_graph. Machines are numbered before routers, each kind in the
 * order of adding; cable number c is the links 2c (first end to second) and
 * 2c + 1 (back), so the readers decide the order of link ids.
 *
 * Routes are shortest paths over routers; machines forward nothing. Among the n links that lead
 * one hop nearer, in the order of their ids, number (destination mod n) is taken, of the
 * cables of the sending machine number ((source + destination) mod n). For every
 * destination that is asked for, a table of one link per router is made at the
 * first route to it (4 bytes per router, O(routers + links) time) and kept.
 * A graph with forwarding tables (network/forwarding.h) is routed by them instead.
 */
#ifndef COLLC_NETWORK_GRAPH_H
#define COLLC_NETWORK_GRAPH_H

#include "base/map.h"
#include "network/topology.h"

#define GRAPH_NONE UINT32_MAX

struct graph_node {
    uint32_t name_at; /* in the string pool, NUL-terminated */
    uint32_t name_length;
    bool is_router;
};

struct graph_cable {
    uint32_t end[2]; /* nodes */
    uint64_t bandwidth, latency;
};

struct subnet;
struct forwarding;
struct rail_fabric;

/* Links that lead one hop nearer to a router: those of router r are links[first[r] .. first[r + 1] - 1]. */
struct graph_ways {
    uint32_t *first, *links;
};

struct graph {
    uint32_t n_nodes, n_machines, n_cables;
    struct graph_node *nodes;   /* machines, then routers, once sealed */
    struct graph_cable *cables;
    uint32_t *first;            /* [n_nodes + 1] out[first[v] .. first[v + 1] - 1] are the */
    uint32_t *out;              /* links that leave node v, in the order of their ids */
    char *names;                /* string pool */
    struct hash_map by_name;         /* of nodes */
    uint32_t **next;            /* [machine] table of links by router, NULL until needed */
    struct graph_ways **next_to; /* [router] ways to it from the others, for what is to arrive by a link
                                    from it; NULL: none are asked for yet */
    uint32_t *distance, *queue; /* scratch of the search, [router] */
    uint32_t *adapter_at;       /* [link] name in the string pool of the adapter by which it leaves a machine;
                                   GRAPH_NONE: not known. NULL: none is */
    uint32_t *port_at;          /* [link] name in the string pool of the port by which it leaves a node, of a
                                   network that is no subnet; GRAPH_NONE: not known. NULL: none is */
    uint8_t *rail_at;           /* [link] number of the cable at the machine that it leaves; NULL: that of
                                   its adapter's name (network/adapter_numbers.h) */
    struct subnet *subnet;         /* names of ports in a subnet (network/forwarding.h), or NULL */
    struct forwarding *forwarding; /* tables that decide the routes, or NULL */
    bool may_be_apart;             /* the file means parts that nothing joins: machines may have no route */
    struct rail_fabric *rails;     /* what it is as one (network/rail_shifts.h); NULL: not looked at */
    size_t nodes_capacity, cables_capacity, adapters_capacity, names_capacity, names_length;
};

struct graph *graph_new(void);
void graph_free(struct graph *graph);

/* Adds a node. Returns its number until graph_seal, or GRAPH_NONE if the name is taken. */
uint32_t graph_add_node(struct graph *graph, bool is_router, const char *name, size_t length);
void graph_add_cable(struct graph *graph, uint32_t a, uint32_t b, uint64_t bandwidth,
                     uint64_t latency);
/* Names the adapter by which a link leaves a machine. */
void graph_name_adapter(struct graph *graph, uint32_t link, const char *name, size_t length);
/* Returns that name; NULL: not known. */
const char *graph_adapter_name(const struct graph *graph, uint32_t link);
/* Do the same for the port by which a link leaves a node. */
void graph_name_port(struct graph *graph, uint32_t link, const char *name, size_t length);
const char *graph_port_name(const struct graph *graph, uint32_t link);
/* Returns the node of that name, or GRAPH_NONE. Before and after sealing. */
uint32_t graph_find(const struct graph *graph, const char *name, size_t length);
/* Numbers the nodes finally and makes the tables. Nothing is added afterwards. */
void graph_seal(struct graph *graph);

/* Takes the cables of these links (both directions) out of the sealed network, and puts back all others:
 * routes avoid them from now on, numbers stay. Tables of a subnet manager do not change. */
void graph_fail_links(struct graph *graph, const uint32_t *links, uint32_t n_links);

static inline const char *graph_name(const struct graph *graph, uint32_t node)
{
    return graph->names + graph->nodes[node].name_at;
}
static inline uint32_t graph_link_from(const struct graph *graph, uint32_t link)
{
    return graph->cables[link / 2].end[link % 2];
}
static inline uint32_t graph_link_to(const struct graph *graph, uint32_t link)
{
    return graph->cables[link / 2].end[1 - link % 2];
}
/* True for a link from a host to a switch. */
static inline bool graph_is_host_cable(const struct graph *graph, uint32_t link)
{
    return graph_link_from(graph, link) < graph->n_machines &&
           graph_link_to(graph, link) >= graph->n_machines;
}

/* Returns the topology of a sealed graph, which the result owns from now on. */
struct topology *topology_new_graph(const struct topology_settings *settings, struct graph *graph);
/* Returns the graph; NULL: the topology is of another kind. */
struct graph *topology_as_graph(const struct topology *topology);
/* Makes the tables, made with forwarding_new for its graph, decide the routes of a graph topology, which owns
 * them from now on; finishes them. max_hops becomes that of the tables. */
void topology_set_forwarding(struct topology *topology, struct forwarding *forwarding);

/* Same as topology_route; source and destination differ. */
uint32_t graph_route(struct graph *graph, uint32_t source, uint32_t destination,
                     struct hop *hops);
/* Same as topology_next_choices, without forwarding tables; the node is not the destination. */
uint32_t graph_next_choices(struct graph *graph, uint32_t node, uint32_t destination, struct hop *choices);
/* Writes the links out of a router that lead one hop nearer to the link `last`, which arrives at a machine,
 * that of graph_route_by first; from where it begins, that link. Returns their number; 0: no way leads
 * there. */
uint32_t graph_next_choices_by(struct graph *graph, uint32_t node, uint32_t last, struct hop *choices);
/* Writes the route of a message that leaves a machine by the link `first` and arrives at another by the link
 * `last`; returns the number of links, 0 if there is none. */
uint32_t graph_route_by(struct graph *graph, uint32_t first, uint32_t last, struct hop *hops);
/* Does the same without forwarding tables; writes the k-th link at links[k * apart]. */
uint32_t graph_walk_by(struct graph *graph, uint32_t first, uint32_t last, uint32_t *links, uint32_t apart);
/* Same as topology_next_links, without forwarding tables. */
void graph_next_links(struct graph *graph, uint32_t destination, uint32_t *next);
/* Returns the number of links on the longest route, or more, at least 1: exact if every machine has one cable
 * and there are at most 2048 routers; 2 + twice the depth of the network beyond. */
uint32_t graph_max_hops(struct graph *graph, bool *is_exact);

/* Two machines without a route, and the number of machines that the first can reach. */
struct graph_gap {
    uint32_t from, to, n_reached; /* n_reached counts `from` */
};
/* True, with *gap, if some pair of machines has no route. */
bool graph_find_gap(const struct graph *graph, struct graph_gap *gap);

#endif
