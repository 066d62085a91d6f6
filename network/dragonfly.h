/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dragonfly+ (Shpiner et al. 2017): groups of leaves and spines, each leaf with hosts and with a cable to
 * each spine of its group, and between any two groups as many cables, from spine to spine. The cables of a
 * group to other groups are dealt out to its spines in turn, group by group. They are explicit networks
 * (network/graph.h).
 */
#ifndef COLLC_NETWORK_DRAGONFLY_H
#define COLLC_NETWORK_DRAGONFLY_H

#include "network/topology.h"

struct dragonfly_shape {
    uint32_t hosts, leaves, groups; /* hosts of a leaf, leaves of a group */
    uint32_t spines, cables;        /* spines of a group, cables between two groups */
};

/* Returns NULL if a number is out of range; *problem is a sentence without full stop then. The classes of the
 * settings are those of the cables of hosts, of leaves to spines, and between groups. */
struct topology *topology_new_dragonfly(const struct topology_settings *settings,
                                        const struct dragonfly_shape *shape, const char **problem);

#endif
