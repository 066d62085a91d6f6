/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The channel dependency graph: a vertex per (link, lane) that some route uses, an edge where a route
 * uses one directly after the other. It is sparse: 16 bytes per edge that occurs.
 */
#ifndef COLLC_ROUTES_DEPENDENCY_H
#define COLLC_ROUTES_DEPENDENCY_H

#include "routes/metrics.h"

struct dependencies {
    uint64_t *slots; /* open addressing: from << 32 | to; EMPTY = free */
    uint64_t mask;
    size_t n;
};

void dependencies_add(struct dependencies *set, struct hop first, struct hop second);
/* Returns a cycle, or n == 0. O(edges log edges). Deterministic. */
struct channel_cycle dependencies_cycle(const struct dependencies *set);
void dependencies_free(struct dependencies *set);

#endif
