/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters: the servers that a network joins which does not join all. Of several networks
 * the slowest that is chosen between servers (network/networks.h) is that between clusters; two
 * servers are in one cluster if they use another one. Where there are no several networks, or
 * none is known, all servers are one cluster. Clusters are numbered in the order of their lowest
 * servers, and their servers in order.
 *
 * As in the cluster of clusters of Sumimoto et al. 2000, figure 1.
 */
#ifndef COLLC_NETWORK_PLACEMENT_CLUSTERS_H
#define COLLC_NETWORK_PLACEMENT_CLUSTERS_H

#include "network/placement/placement.h"

struct clusters {
    uint32_t n;
    uint32_t servers; /* servers of each cluster, if all have as many, else 0 */
    uint32_t n_ranks; /* ranks of each cluster, if all have as many, else 0 */
    uint32_t *ranks;  /* all ranks by cluster, then server, then slot */
    uint32_t *of_server; /* [server] its cluster */
};

/* Returns NULL, with *clusters in the arena; or the reason why there are none, in words. O(servers *
 * clusters) time. */
const char *clusters_find(const struct topology *topology, const struct placement *placement,
                          struct clusters *clusters, struct arena *arena);

#endif
