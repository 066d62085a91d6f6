/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pairs of machines whose routes use a link.
 */
#ifndef COLLC_ROUTES_CROSSING_H
#define COLLC_ROUTES_CROSSING_H

#include "base/observer.h"
#include "network/topology.h"

struct route_ends {
    uint32_t source, destination; /* machines */
};

/* Returns all pairs, by source, then by destination; *n of them, which the caller frees. O(pairs of
 * machines * hops); if the routes to a machine are a tree (topology_next_links) O(machines * nodes). */
struct route_ends *routes_over(const struct topology *topology, uint32_t link,
                               const struct observer *observer, size_t *n);

/* Returns the seconds of CPU that it takes, a rule of thumb from measurements. O(nodes) */
double routes_over_seconds(const struct topology *topology);

#endif
