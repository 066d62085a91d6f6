/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the cut that lets the fewest blocks out, of those that others must get, for any routes and
 * relays.
 *
 * Let block holders have w(v) blocks each, all of which all members need. For a set S of nodes without
 * some member, the w(S) blocks in it must leave it over the links out, of capacity c(S). The largest w(S)
 * / c(S) is a bound, and trees that reach it exist (Edmonds 1973; with switches as relays Zhao et al.,
 * "ForestColl", 2024). An allgather has blocks at all members, a bcast at the root. A reduction is the
 * same with all links reversed.
 *
 * The method is Dinkelbach's: for a quotient that is reached, a largest flow from all blocks to each
 * member shows that there is no better one, or finds one. As a better one only rules out more, each
 * member is visited once, and once more for each time that the quotient has grown.
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
    uint64_t *weight; /* [node] blocks it holds */
    bool *is_member;  /* [node] needs all blocks */
    uint64_t free_capacity; /* capacity of arcs that cost nothing: more than all others together; 0: there are
                               none */
    uint32_t *origin; /* [node] the caller's number for it, or NULL */
};

struct ratio_cut {
    struct fraction ratio;     /* blocks for a unit of capacity; none: no block must go anywhere */
    uint64_t blocks, capacity; /* not in lowest terms */
    bool *inside;              /* [node] */
    bool is_apart;             /* a member cannot be reached: capacity 0 */
};

/* Finds the cut. Returns false if numbers are too large. Release with ratio_cut_free. O(members +
 * improvements) flows. */
bool ratio_cut_find(const struct cut_network *network, struct ratio_cut *cut);
void ratio_cut_free(struct ratio_cut *cut);

#endif
