/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes of many pairs at once, and the loads that they put on links. Some kinds of network are quicker at
 * that than hop by hop; of another kind, and where routes are adaptive, each function returns false, and the
 * caller goes over topology_route.
 */
#ifndef COLLC_NETWORK_BULK_H
#define COLLC_NETWORK_BULK_H

#include "network/topology.h"

struct topology_pair {
    uint32_t source, destination; /* machines */
};

/* Writes the links of the routes of n pairs, in any order, those of pair i behind those of the pairs before
 * it; n_links[i] of them, in all at most n * max_hops. Returns false if topology_route is as quick. */
bool topology_route_pairs(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                          uint32_t *links, uint32_t *n_links);

/* Does the same by ways[i] (network/host_ports.h) of pair i, which gets no links where that does not lead
 * there. Requires topology_has_ways. Returns false if topology_route_way is as quick. */
bool topology_route_ways(const struct topology *topology, const struct topology_pair *pairs,
                         const uint8_t *ways, uint32_t n, uint32_t *links, uint32_t *n_links);

/* Adds 1 to load[link] for each link of the route of each pair, and raises *most to the largest load that one
 * of them has then. Returns false, and does nothing, if link by link is as quick. */
bool topology_add_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                        uint64_t *load, uint64_t *most);

/* Adds amounts[i] to load[link] for each link of the route of pair i, without going over all hops: call
 * topology_lay_loads for some pairs after others, then topology_sum_loads once. Loads are zero before the
 * first call, and mean nothing in between; an amount may be two numbers packed in one. O(dimensions) a pair,
 * and O(links). Returns false, and does nothing, if the kind has no such way. */
bool topology_lay_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                        const uint64_t *amounts, uint64_t *load);
void topology_sum_loads(const struct topology *topology, uint64_t *load);

#endif
