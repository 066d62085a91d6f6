/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cut that lets the fewest blocks out: for each block somebody else must get, whatever the routes and
 * whoever relays.
 *
 * Let block holders have w(v) blocks each, all of which all members need. For a set S of nodes that does
 * not have all members the w(S) blocks in it must leave it over the links out, of capacity c(S). The largest
 * w(S) / c(S) is a bound, and trees that reach it exist (Edmonds 1973; with switches as relays Zhao et
 * al., "ForestColl", 2024). An allgather has blocks at all members, a bcast at the root. A reduction
 * is the same with all links turned round.
 *
 * It is found by Dinkelbach's method: for a quotient that is reached, a largest flow from all blocks to each
 * member shows that there is no better one, or a better one. As a better one only rules out more, each
 * member is looked at once, and once more for each time that the quotient has grown.
 */
#ifndef COLLC_BOUND_CUT_RATIO_H
#define COLLC_BOUND_CUT_RATIO_H

#include "bound/fraction.h"

struct cut_arc {
    uint32_t from, to;
    uint64_t capacity;
};

struct cut_network {
    uint32_t n_nodes, n_arcs;
    struct cut_arc *arcs;
    uint64_t *weight; /* [node] blocks */
    bool *is_member;  /* [node] needs them all */
    uint64_t free_capacity; /* of arcs that cost nothing: more than all others together; 0: none */
    uint32_t *origin; /* [node] its number elsewhere, for the caller, or NULL */
};

struct ratio_cut {
    struct fraction ratio;     /* blocks for a unit of capacity; none: no block must go anywhere */
    uint64_t blocks, capacity; /* not in lowest terms */
    bool *inside;              /* [node] */
    bool is_apart;             /* a member cannot be reached: capacity 0 */
};

/* False if numbers are too large to be counted. Release with ratio_cut_free. O(members +
 * improvements) flows. */
bool ratio_cut_find(const struct cut_network *network, struct ratio_cut *cut);
void ratio_cut_free(struct ratio_cut *cut);

#endif
