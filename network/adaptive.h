/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive routing: at every node a message may take any link that leads one hop nearer to its destination.
 * So do the adaptive routings of InfiniBand, Slingshot and BlueGene/L as far as they go shortest ways;
 * detours are not taken. Tables of what a site's switches choose from are rarely to be had, so all shortest
 * ways are meant. A topology that is set so keeps the one route of its rule too (topology_route), which is
 * always among the choices; who asks for that alone takes no part in the choosing. docs/routes.md says what
 * follows for loads and for deadlock.
 */
#ifndef COLLC_NETWORK_ADAPTIVE_H
#define COLLC_NETWORK_ADAPTIVE_H

#include "network/topology.h"

/* Makes the routes of a topology adaptive. Returns NULL, or why that cannot be: a sentence without full stop;
 * then nothing has changed. */
const char *topology_set_adaptive(struct topology *topology);

/* Writes the links out of `node` that lead one hop nearer to machine `destination`, topology_max_choices at
 * most. Returns the number of links; 0: the node is the destination, or does not reach it. The first is that
 * of the routing rule and has a lane; the others follow in the order of their ids, on lane 0. Messages that
 * are always given the first one with its lane in the end cannot wait for each other in a cycle, on grids and
 * trees. Requires an adaptive topology. O(choices) on grids and trees, O(cables of the node * hops)
 * elsewhere. */
uint32_t topology_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                               struct hop *choices);

/* Returns the most links that leave one node. O(links) */
uint32_t topology_max_choices(const struct topology *topology);

/* A link on some shortest way of a pair. Nodes are numbered as they are met: 0 is the source, the last the
 * destination. */
struct way {
    uint32_t link;
    uint32_t from, to; /* numbers of its ends */
    uint32_t place;    /* links before it on any way over it */
};

/* The shortest ways of one pair after another. Memory O(nodes + links of one pair). */
struct ways {
    const struct topology *topology;
    struct way *items; /* of the pair: by place, all that leave one node together */
    uint32_t n, n_nodes;
    size_t capacity, node_capacity;
    uint32_t *nodes;  /* [number] */
    uint32_t *number; /* [node] number + 1; 0: not met */
    struct hop *choices;
};
/* Requires an adaptive topology. Release with ways_free. */
struct ways ways_new(const struct topology *topology);
void ways_free(struct ways *ways);
/* Finds the ways of a pair of machines; by_ports: a way between their ports (host_ports_way), 0: by any.
 * Returns the number of links, 0 if there is no route. O(links on them), besides what topology_next_choices
 * takes. */
uint32_t ways_find(struct ways *ways, uint32_t source, uint32_t destination, uint8_t by_ports);
/* True if by_ports may be asked for. */
bool topology_has_adaptive_ways(const struct topology *topology);

#endif
