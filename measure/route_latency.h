/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of a route without other messages on it.
 */
#ifndef COLLC_MEASURE_ROUTE_LATENCY_H
#define COLLC_MEASURE_ROUTE_LATENCY_H

#include "network/topology.h"

/* True if every link has the latency of the topology. O(links) */
static inline bool has_uniform_latency(const struct topology *topology)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) &&
            topology_link_latency(topology, link) != topology->latency)
            return false;
    return true;
}

/* Returns the sum of its links' latencies, in ns. O(hops), and O(1) where they are uniform. */
static inline uint64_t route_latency(const struct topology *topology, bool is_uniform, const struct hop *hops,
                                     uint32_t n)
{
    uint64_t sum = 0;
    if (is_uniform)
        return topology->latency * n;
    for (uint32_t i = 0; i < n; i++)
        sum += topology_link_latency(topology, hops[i].link);
    return sum;
}

#endif
