/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs of a host, for computed and simulated times. Every value is used as it is; HOST_COSTS_DEFAULTS has
 * them all.
 */
#ifndef COLLC_NETWORK_HOST_COSTS_H
#define COLLC_NETWORK_HOST_COSTS_H

#include <stdint.h>

struct host_costs {
    uint64_t overhead;         /* o, ns a rank spends on a message it sends or receives */
    uint64_t gap;              /* g, ns between messages of one server */
    uint64_t memory_bandwidth; /* B/s a server copies, at least 1 */
    uint64_t memory_latency;   /* ns of a message within a server */
    uint64_t process_bandwidth; /* B/s at which one rank sends, and receives, over a network; 0: as the cable.
                                   The model `step` has no such limit */
    uint64_t inside_bandwidth;  /* B/s of messages within a server, its ranks together, by a way of its own
                                   (PCIe, NVLink, C2C); 0: they take the memory, as copies do */
};
/* Returns the B/s of messages within a server. */
static inline uint64_t host_costs_inside(const struct host_costs *costs)
{
    return costs->inside_bandwidth ? costs->inside_bandwidth : costs->memory_bandwidth;
}

/* Value of a cost that is not stated where others are. */
#define HOST_COST_UNKNOWN UINT64_MAX
#define HOST_COSTS_UNKNOWN \
    ((struct host_costs){HOST_COST_UNKNOWN, HOST_COST_UNKNOWN, HOST_COST_UNKNOWN, HOST_COST_UNKNOWN, \
                         HOST_COST_UNKNOWN, HOST_COST_UNKNOWN})
/* Default costs: the order of magnitude of a server on InfiniBand. They are stated with every result. */
#define HOST_COSTS_DEFAULTS ((struct host_costs){500, 200, UINT64_C(10000000000), 300, 0, 0})

#endif
