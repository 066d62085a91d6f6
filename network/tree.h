/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parallel ports generalised fat trees PGFT(h; m_1..m_h; w_1..w_h; p_1..p_h); a star is one of one level.
 */
#ifndef COLLC_NETWORK_TREE_H
#define COLLC_NETWORK_TREE_H

#include "network/topology.h"

/* Index 0 is level 1, between machines and leaf routers. */
struct tree {
    uint32_t n_levels;
    struct divider down[TOPOLOGY_MAX_DIMENSIONS];  /* m_i: children of a node of level i */
    struct divider up[TOPOLOGY_MAX_DIMENSIONS];    /* w_i: parents of a node of level i-1 */
    struct divider cables[TOPOLOGY_MAX_DIMENSIONS]; /* p_i: cables from a node of level i-1 to each parent */
    struct divider width[TOPOLOGY_MAX_DIMENSIONS]; /* W_i = w_1 * ... * w_i */
    struct divider links[TOPOLOGY_MAX_DIMENSIONS]; /* W_i * p_i: links up from a subtree of level i-1 */
    uint32_t up_base[TOPOLOGY_MAX_DIMENSIONS];     /* first id of the links up to level i */
    uint32_t down_base[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t router_base[TOPOLOGY_MAX_DIMENSIONS]; /* first of level i, 0 is node n_machines */
};

/* Links that leave a node in one direction: link + i * link_stride + c * cable_stride leads to
 * node + i * node_stride, with i below n and c below n_cables. */
struct tree_row {
    uint32_t n, link, link_stride, node, node_stride, n_cables, cable_stride;
};
static inline uint32_t tree_row_length(const struct tree_row *row)
{
    return row->n * row->n_cables;
}
/* Returns the node to which link k of a row leads, in the order of ids. */
static inline uint32_t tree_row_node(const struct tree_row *row, uint32_t k)
{
    const bool is_by_cable = row->cable_stride > row->link_stride;
    return row->node + (is_by_cable ? k % row->n : k / row->n_cables) * row->node_stride;
}
/* Returns the link itself. */
static inline uint32_t tree_row_link(const struct tree_row *row, uint32_t k)
{
    const bool is_by_cable = row->cable_stride > row->link_stride;
    const uint32_t i = is_by_cable ? k % row->n : k / row->n_cables;
    const uint32_t cable = is_by_cable ? k / row->n : k % row->n_cables;
    return row->link + i * row->link_stride + cable * row->cable_stride;
}

/* Returns the tree; NULL: the topology is of another kind. */
const struct tree *topology_as_tree(const struct topology *topology);

/* Makes a tree; arrays are copied, `cables` NULL is one each. NULL if a number is out of range; *problem is a
 * sentence without full stop then. */
struct topology *topology_new_tree(const struct topology_settings *settings, uint32_t n_levels,
                                   const uint32_t *down, const uint32_t *up, const uint32_t *cables,
                                   const char **problem);

/* True if somewhere two cables join the same two nodes. */
bool tree_has_parallel(const struct tree *tree);

/* Finds the links that leave a node: rows[0] down, rows[1] up. Either may be empty.
 * Requires a tree. O(levels). */
void tree_links_of(const struct topology *topology, uint32_t node, struct tree_row rows[2]);

#endif
