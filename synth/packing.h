/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trees along which blocks go to everybody, as many as the narrowest cut allows (docs/synthesis.md).
 * Three steps, whose only tool is the largest flow:
 *
 *   scale   capacities become whole numbers such that `k` trees for each block fit;
 *   split   nodes without ranks are removed: an arc in and an arc out become one arc, as long as no cut
 *           becomes narrower than the data that must cross it (Lovasz 1976, Bang-Jensen et al. 1995);
 *   grow    trees are grown arc by arc such that the others still fit (Edmonds 1973; several equal trees
 *           at once: Berczi & Frank 2010).
 *
 * The method is that of Zhao et al., "ForestColl: throughput-optimal collective communications on
 * heterogeneous network fabrics" (2024).
 */
#ifndef COLLC_SYNTH_PACKING_H
#define COLLC_SYNTH_PACKING_H

#include "bound/cut/ratio.h"

struct packing_request {
    const struct cut_network *network; /* members are 0 .. n_members - 1, and only they hold blocks */
    uint32_t n_members;
    bool (*goes_on)(void *data, uint64_t n_done, uint64_t n); /* returns false when time is up */
    void *data;
};

/* Copies of a tree. Member `order[i]` receives from member `from[i]`, which is before it in the order;
 * order[0] is the root. `depth` counts arcs from the root. */
struct packed_tree {
    uint32_t copies;
    uint32_t *order, *from, *depth; /* [n_members] */
};

struct packing {
    uint64_t k;             /* trees for each block: a root of weight w has k * w, counting copies */
    struct packed_tree *trees;
    uint32_t n_trees, depth; /* depth of the deepest tree */
    size_t capacity;
};

/* Finds the trees. Returns false after adding to `problem` why there are none. Polynomial: flows for each
 * member and each two neighbours of a node without ranks, and one for each arc of each tree. */
bool packing_find(const struct packing_request *request, struct packing *packing, struct text *problem);
void packing_free(struct packing *packing);

#endif
