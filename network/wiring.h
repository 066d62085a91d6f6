/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wiring of a network: its neighbours, with parallel cables joined. A comparison by structure looks at
 * nothing else. Names, ports, rates and routes are not here.
 */
#ifndef COLLC_NETWORK_WIRING_H
#define COLLC_NETWORK_WIRING_H

#include "network/topology.h"

struct wiring_edge {
    uint32_t node;     /* the neighbour */
    uint32_t n_cables; /* between the two */
    uint32_t link;     /* the first of them, to the neighbour */
};

struct wiring {
    const struct topology *topology;
    uint32_t n, n_machines;
    uint32_t *first; /* [n + 1] edges of node v: first[v] .. first[v + 1] - 1, by neighbour */
    struct wiring_edge *edges;
    uint8_t *level;       /* [n] 0 a host; 1 a switch with hosts; else one more than the lowest neighbour */
    bool *is_pendant;     /* [n] a host that is cabled to one switch alone */
    uint32_t *n_pendants; /* [n] such hosts at the node */
    uint64_t n_cables;    /* in all */
    uint64_t n_switch_cables; /* between nodes that are no pendant */
};
enum { WIRING_NO_LEVEL = 255 };

/* Returns the wiring of a network, to be released with wiring_free. A switch among leaves that has far fewer
 * hosts than most is no leaf: a host has been plugged in above. O(links log links). */
struct wiring wiring_of(const struct topology *topology);
void wiring_free(struct wiring *wiring);

static inline uint32_t wiring_degree(const struct wiring *wiring, uint32_t node)
{
    return wiring->first[node + 1] - wiring->first[node];
}
/* True if another link leads from the same node to the same one, so that their names do not tell links apart.
 * O(links) */
bool link_is_one_of_several(const struct topology *topology, uint32_t link);
/* Returns the number of cables between two nodes. O(log degree) */
uint32_t wiring_cables(const struct wiring *wiring, uint32_t a, uint32_t b);

#endif
