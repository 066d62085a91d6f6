/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rail-optimised fabrics: hosts in groups, and a leaf switch for each group and rail, to which the adapter of
 * that number of each host of the group is cabled.
 *
 *   shared spines   each is cabled to every leaf, so that rails meet there
 *   planes          each rail has spines of its own; core switches, if any, are cabled to all spines
 *
 * They are explicit networks (network/graph.h), with host ports and names of adapters; rail_shape_print gives
 * the string of which they are made.
 */
#ifndef COLLC_NETWORK_RAIL_H
#define COLLC_NETWORK_RAIL_H

#include "network/topology.h"

struct rail_shape {
    uint32_t hosts, rails, groups; /* hosts of a group */
    uint32_t spines, cores;        /* spines: of each rail where these are planes; cores only with planes */
    bool has_planes;
};

/* Returns NULL if a number is out of range; *problem is a sentence without full stop then. The classes of the
 * settings are those of the cables of hosts and of the cables among switches. */
struct topology *topology_new_rail(const struct topology_settings *settings, const struct rail_shape *shape,
                                   const char **problem);

#endif
