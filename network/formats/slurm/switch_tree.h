/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switches of a network as one tree, for forms that know nothing else. Switches
 * that do the same are put together: those of a level (counted from the machines up)
 * whose neighbours on the level below are the same, or are put together themselves.
 * So the spines of a fat tree become one root, as sites write them by hand.
 */
#ifndef COLLC_NETWORK_FORMATS_SLURM_SWITCH_TREE_H
#define COLLC_NETWORK_FORMATS_SLURM_SWITCH_TREE_H

#include "network/topology.h"

#define SWITCH_NONE UINT32_MAX

/* Routers count from 0 here; router r is node n_machines + r of the topology. */
struct switch_tree {
    uint32_t n_machines, n_routers, n_groups;
    uint32_t *leaf;    /* [machine] the router it is cabled to */
    bool *has_machine; /* [router] */
    uint32_t *group;   /* [router] the lowest of those it is put together with */
    uint32_t *parent;  /* [router] of a group: the group above; SWITCH_NONE: the root */
    uint32_t *order;   /* [n_groups] groups, the root first, parents before children */
    uint64_t n_cables, n_branches; /* between switches: there are, and the tree has */
};

/* False with a sentence in `problem` (no full stop) if the switches form no tree.
 * O(links log links). Release with switch_tree_free either way. */
bool switch_tree_make(const struct topology *topology, struct switch_tree *tree,
                      struct text *problem);
void switch_tree_free(struct switch_tree *tree);

#endif
