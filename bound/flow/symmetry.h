/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the symmetry of a block. A map of the block onto itself that keeps arcs and demands turns the
 * best lengths (lengths.h) into others that are as good, and so is the mean of them all. So arcs that
 * such maps carry into each other may have one length, and a program needs one variable for each class of
 * arcs, and the distances from one source of each class.
 *
 * Maps are searched for: colours of nodes are refined by those of their neighbours, one node after the
 * other gets a colour of its own, in the block and in its image, and the result is used only if it is
 * such a map. A map that is missed costs time, never truth. If each cable leads both ways, reversing all
 * of them is a map, too.
 */
#ifndef COLLC_BOUND_FLOW_SYMMETRY_H
#define COLLC_BOUND_FLOW_SYMMETRY_H

#include "bound/flow/blocks.h"

struct symmetry {
    uint32_t *arc_class; /* [arc] below n_arc_classes */
    uint32_t *node_like; /* [node] the least equivalent node */
    uint32_t n_arc_classes;
};

struct symmetry symmetry_of(const struct flow_block *block);
void symmetry_free(struct symmetry *symmetry);

#endif
