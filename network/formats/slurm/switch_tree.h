/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switches of a network as a tree, or several that nothing joins, for formats that can express nothing
 * else. Switches of one level (counted from the machines up) are merged into a group if they have the same
 * neighbours, or merged ones, on the level below. So the spines of a fat tree become one root, as sites
 * write them by hand.
 */
#ifndef COLLC_NETWORK_FORMATS_SLURM_SWITCH_TREE_H
#define COLLC_NETWORK_FORMATS_SLURM_SWITCH_TREE_H

#include "network/topology.h"

#define SWITCH_NONE UINT32_MAX

/* Routers count from 0 here; router r is node n_machines + r of the topology. */
struct switch_tree {
    uint32_t n_machines, n_routers, n_groups, n_trees;
    uint32_t *leaf;    /* [machine] the router it is cabled to */
    bool *has_machine; /* [router] */
    uint32_t *group;   /* [router] the lowest router of its group */
    uint32_t *parent;  /* [router] of a group: the group above; SWITCH_NONE: a root */
    uint32_t *order;   /* [n_groups] groups, tree by tree, the root first, parents before children */
    uint64_t n_cables, n_branches; /* between switches: in the network, and in the tree */
};

/* Makes the tree. Returns false with a sentence in `problem` (no full stop) if the switches form none.
 * O(links log links). Release with switch_tree_free either way. */
bool switch_tree_make(const struct topology *topology, struct switch_tree *tree,
                      struct text *problem);
void switch_tree_free(struct switch_tree *tree);

#endif
