/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forwarding tables of a subnet manager. A `subnet` holds the identifiers in them: GUIDs, local
 * identifiers (LIDs) and port numbers of an explicit network, about 24 bytes per port of a machine and 2
 * per cable. `forwarding` holds the tables themselves, one output port per LID and router; a graph that
 * has one is routed by it instead of by the shortest-path rule.
 *
 * A machine with several ports is addressed by the first of them, in the order
 * of link ids, for which any router has an entry, and sends through the same
 * one. A port with an LMC owns 2^LMC LIDs; routes use the lowest.
 */
#ifndef COLLC_NETWORK_FORWARDING_H
#define COLLC_NETWORK_FORWARDING_H

#include "network/graph.h"
#include "network/tables.h"

enum {
    SUBNET_LIDS = 0xC000,  /* unicast LIDs are 1 .. SUBNET_LIDS - 1 */
    SUBNET_MAX_PORT = 254,
    FORWARDING_NONE = 255, /* no entry */
    FORWARDING_LANES = 16
};

/* Cabled port of a machine. */
struct subnet_port {
    uint64_t node_guid, port_guid; /* 0: not known */
    uint32_t link;                 /* link that leaves the machine by it */
    uint16_t lid;                  /* lowest of 2^lmc; 0: none */
    uint8_t lmc;
};

struct subnet_router {
    uint64_t guid; /* 0: not known */
    uint16_t lid;
};

struct subnet {
    uint32_t n_ports;
    struct subnet_port *ports; /* by machine, then by link */
    struct subnet_router *routers; /* [router] */
    uint8_t *numbers;          /* [link] port by which it leaves; it arrives at numbers[link ^ 1]; 0 on a
                                  machine or router whose port is not known */
};

struct subnet *subnet_new(uint32_t n_ports, uint32_t n_routers, uint32_t n_cables);
void subnet_free(struct subnet *subnet);

/* Link at a port of a router, and the node where it ends, or GRAPH_NONE. */
struct forwarding_exit {
    uint32_t link, node;
};

/* Address and first link of a machine. link == GRAPH_NONE: it has no LID. */
struct forwarding_machine {
    uint32_t link; /* link by which it sends; messages to it arrive on link ^ 1 */
    uint32_t node; /* at the other end of that link */
    uint32_t lid;
};

/* Service levels and the lanes that routers give them; see network/lanes.c. */
struct lanes;

struct forwarding {
    uint32_t n_routers, n_lids;      /* LIDs below n_lids have a row */
    uint32_t stride;                 /* cabled port numbers are below it */
    uint8_t *port;                   /* [lid * n_routers + router], FORWARDING_NONE: no entry */
    bool *has_table;                 /* [router] */
    struct forwarding_exit *exits;   /* [router * stride + port] */
    struct forwarding_machine *machines;
    uint16_t *lid_at; /* [link that leaves a machine] lowest LID of its port; 0: none with a row */
    struct lanes *lanes;             /* NULL: every hop is on lane 0 */
    uint32_t max_hops;               /* links on the longest route that arrives, by any ports of machines */
    bool has_exact_hops;             /* so long is one by the ports that are addressed */
    uint64_t pairs[N_FATES];         /* ordered pairs of machines */
    uint32_t loop_router, loop_lid;  /* a router and LID on a loop, if pairs[FATE_LOOPS] */
    char rule[96];                   /* for topology_routing_rule */
};

/* Returns empty tables for a sealed graph that has a subnet. */
struct forwarding *forwarding_new(const struct graph *graph);
void forwarding_free(struct forwarding *forwarding);
/* Sets an entry. True if the LID has a row; else the entry is not kept. */
static inline bool forwarding_set(struct forwarding *forwarding, uint32_t router, uint32_t lid,
                                  uint8_t port)
{
    if (lid >= forwarding->n_lids)
        return false;
    forwarding->port[(size_t)lid * forwarding->n_routers + router] = port;
    return true;
}
static inline uint8_t forwarding_port(const struct forwarding *forwarding, uint32_t router,
                                      uint32_t lid)
{
    return forwarding->port[(size_t)lid * forwarding->n_routers + router];
}
/* Chooses the port of every machine, walks every route once (O(LIDs x routers)) and fills in max_hops, pairs
 * and the loop. Call when all entries are set. */
void forwarding_finish(struct forwarding *forwarding, const struct graph *graph);

/* Same as topology_route, by the tables: at most max_hops hops, 0 if the route does not arrive. */
uint32_t forwarding_route(const struct graph *graph, uint32_t source, uint32_t destination,
                          struct hop *hops);
/* Same as topology_next_links, by the tables. */
void forwarding_next_links(const struct graph *graph, uint32_t destination, uint32_t *next);
/* Writes the route from a machine to any LID of the destination's port, on lane 0; at most `limit` hops; 0 if
 * it does not arrive. */
uint32_t forwarding_route_to_lid(const struct graph *graph, uint32_t source, uint32_t destination,
                                 uint32_t lid, uint32_t limit, struct hop *hops);
/* Same as graph_route_by, by the tables, to the lowest LID of the port at which the link `last` ends. */
uint32_t forwarding_route_by(const struct graph *graph, uint32_t first, uint32_t last, struct hop *hops);
/* Returns the number of LIDs of the port by which the machine is addressed; 0: no LID. */
uint32_t forwarding_n_lids(const struct graph *graph, uint32_t machine);
/* Returns the fate of the pair, and the node at which its way ends if it does not arrive. O(routers) */
struct table_end forwarding_end(const struct graph *graph, uint32_t source, uint32_t destination);

/* ---- lanes (network/lanes.c) ---- */

/* Makes the lanes of a subnet. A path has a service level (SL); the first link has the lane that the machine
 * maps it to, each further one the lane that the router maps (port in, port out, SL) to. Defaults: SL 0;
 * without a map lane = SL. */
struct lanes *lanes_new(const struct graph *graph);
void lanes_free(struct lanes *lanes);
void lanes_set_level(struct lanes *lanes, uint32_t source, uint32_t destination, uint8_t level);
/* Sets a map of 16 lanes, 4 bits each, that of SL 0 lowest. Ignores ports at or above the stride. */
void lanes_set_router(struct lanes *lanes, uint32_t router, uint32_t in, uint32_t out,
                      uint64_t map);
void lanes_set_machine(struct lanes *lanes, uint32_t machine, uint64_t map);
/* Gives each hop of a route its lane. */
void lanes_apply(const struct graph *graph, uint32_t source, uint32_t destination,
                 struct hop *hops, uint32_t n_hops);
/* Returns the service level of a pair; -1: not given. */
int lanes_level(const struct lanes *lanes, uint32_t source, uint32_t destination);
uint32_t lanes_n_unmapped_routers(const struct lanes *lanes);

#endif
