/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a topology, their base: some of its machines (subset), or all of it but some links (faulty). A
 * part owns its base and has the base's link ids.
 */
#ifndef COLLC_NETWORK_PARTS_H
#define COLLC_NETWORK_PARTS_H

#include "network/topology.h"

/* Returns a topology of some machines (a job's) of the base, which it owns from now on. `machines` are
 * strictly ascending numbers in the base and become 0, 1, ...; names, link ids and routes stay those of the
 * base. Where machines forward, those that are left out become routers; else they disappear with their
 * cables. Costs 8 bytes per run of consecutive machines, O(links) time. A subset of a subset is one of its
 * base. */
struct topology *topology_new_subset(struct topology *base, const uint32_t *machines,
                                     uint32_t n_machines);
bool topology_is_subset(const struct topology *topology);
/* Returns the machines of a subset, as numbers of its base; to be freed. */
uint32_t *subset_machines(const struct topology *subset);

/* Returns the base, which the result owns from now on, without the links in `links` (any order, repeats
 * allowed), which have failed. Routes that would cross one take the first alternative of the base that
 * crosses none (see topology_routing_rule of the result); a graph without tables is searched anew, tables do
 * not change. A pair may be left without a route. 4 bytes per failed link. A faulty base gives its own base
 * with all failures, a subset the same machines of its faulty base. */
struct topology *topology_new_faulty(struct topology *base, const uint32_t *links,
                                     uint32_t n_links);
bool topology_is_faulty(const struct topology *topology);

#endif
