/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The largest flow between two nodes, and a smallest cut (Dinitz 1970): level by level along shortest
 * paths.
 */
#ifndef COLLC_BOUND_CUT_MAX_FLOW_H
#define COLLC_BOUND_CUT_MAX_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct max_flow_arc {
    uint32_t to, next;  /* next arc of the same node; MAX_FLOW_NONE: the last */
    uint64_t capacity;  /* may be changed between runs */
    uint64_t left;      /* residual capacity of the run before */
};
#define MAX_FLOW_NONE UINT32_MAX

struct max_flow {
    uint32_t n_nodes, n_arcs;
    uint32_t *first;            /* [node] its newest arc */
    struct max_flow_arc *arcs;  /* arc i and i ^ 1 are the two directions */
    size_t nodes_capacity, arcs_capacity;
    uint32_t *level, *at, *queue;
};

struct max_flow max_flow_new(uint32_t n_nodes);
void max_flow_free(struct max_flow *flow);
/* Adds an arc and returns its number; the next number is the reverse arc, of capacity 0. */
uint32_t max_flow_add(struct max_flow *flow, uint32_t from, uint32_t to, uint64_t capacity);
/* Removes the arcs from number `n_arcs` on, the newest first. */
void max_flow_cut_back(struct max_flow *flow, uint32_t n_arcs);

/* Returns the largest flow from one node to another, up to `enough`. Capacities of the arcs out of the
 * source must be below 2^63 together. O(nodes^2 * arcs), in practice little more than the arcs. */
uint64_t max_flow_run(struct max_flow *flow, uint32_t from, uint32_t to, uint64_t enough);
/* True if the node is on the side of the source of a smallest cut, after a run that ended below `enough`. */
static inline bool max_flow_is_inside(const struct max_flow *flow, uint32_t node)
{
    return flow->level[node] != MAX_FLOW_NONE;
}

#endif
