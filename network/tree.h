/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Extended generalised fat trees XGFT(h; m_1..m_h; w_1..w_h); a star is one of one level.
 */
#ifndef COLLC_NETWORK_TREE_H
#define COLLC_NETWORK_TREE_H

#include "network/topology.h"

/* Index 0 is level 1, between machines and leaf routers. */
struct tree {
    uint32_t n_levels;
    struct divider down[TOPOLOGY_MAX_DIMENSIONS];  /* m_i: children of a node of level i */
    struct divider up[TOPOLOGY_MAX_DIMENSIONS];    /* w_i: parents of a node of level i-1 */
    struct divider width[TOPOLOGY_MAX_DIMENSIONS]; /* W_i = w_1 * ... * w_i */
    uint32_t up_base[TOPOLOGY_MAX_DIMENSIONS];     /* first id of the links up to level i */
    uint32_t down_base[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t router_base[TOPOLOGY_MAX_DIMENSIONS]; /* first of level i, 0 is node n_machines */
};

/* Links that leave a node in one direction: link + i * link_stride leads to node + i * node_stride, with i
 * below n. */
struct tree_row {
    uint32_t n, link, link_stride, node, node_stride;
};

/* Returns the tree; NULL: the topology is of another kind. */
const struct tree *topology_as_tree(const struct topology *topology);

/* Makes a tree; arrays are copied. NULL if a number is out of range; *problem is a sentence without full stop
 * then. */
struct topology *topology_new_tree(const struct topology_settings *settings, uint32_t n_levels,
                                   const uint32_t *down, const uint32_t *up,
                                   const char **problem);

/* Finds the links that leave a node: rows[0] down, rows[1] up, in the order of ids. Either may be empty.
 * Requires a tree. O(levels). */
void tree_links_of(const struct topology *topology, uint32_t node, struct tree_row rows[2]);

#endif
