/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types that the parts of the recognition share. Private to network/recognise*.c.
 */
#ifndef COLLC_NETWORK_RECOGNISE_KINDS_H
#define COLLC_NETWORK_RECOGNISE_KINDS_H

#include "network/graph.h"

/* Neighbour of a node, with parallel cables joined. */
struct neighbour {
    uint32_t node;
    uint32_t n_cables;
    uint32_t cable; /* the first of them */
};

/* Nodes from `begin` on and the cables among them. */
struct skeleton {
    const struct graph *graph;
    uint32_t begin, n; /* nodes begin .. begin + n - 1, the last of the graph */
    const struct host_ports *ports; /* of machines; NULL: each has one */
    uint32_t *first;   /* [n_nodes + 1] */
    struct neighbour *list; /* neighbours of node v: first[v] .. first[v + 1] - 1, by their cables */
};

static inline uint32_t n_neighbours(const struct skeleton *skeleton, uint32_t node)
{
    return skeleton->first[node + 1] - skeleton->first[node];
}
static inline const struct neighbour *neighbours_of(const struct skeleton *skeleton, uint32_t node)
{
    return skeleton->list + skeleton->first[node];
}
static inline struct link_class class_of_cable(const struct skeleton *skeleton, uint32_t cable)
{
    const struct graph_cable *numbers = &skeleton->graph->cables[cable];
    return (struct link_class){numbers->bandwidth, numbers->latency};
}

/* Search: returns the only shape of its kind that the skeleton can be, with image[node] filled in, or NULL.
 * The answer is a guess that recognition_check has to prove: a search looks at as little as it needs. Numbers
 * of links are those of one cable of each dimension or level; `settings` has what all links share. */
typedef struct topology *shape_search(const struct skeleton *skeleton,
                                      const struct topology_settings *settings, uint32_t *image);
shape_search search_tree, search_full, search_grid, search_rail, search_dragonfly;

#endif
