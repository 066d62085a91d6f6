/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rails by switches: where the k-th adapters of most hosts lead to one switch, that switch is of rail k.
 * Hosts name adapters by themselves, mostly in the order of PCI, so on some of them mlx5_3 may be on the
 * switch where others have mlx5_5.
 */
#ifndef COLLC_NETWORK_RAIL_ORDER_H
#define COLLC_NETWORK_RAIL_ORDER_H

#include "network/topology.h"

/* Finds the rails of the switches that hosts have cables to, from the numbers of these cables
 * (network/host_ports.h), of which most stay. Switches that others join are of one rail, unless a host
 * has cables to two of them. Returns rail[node], to be freed, GRAPH_NONE for other nodes; NULL if rails
 * cannot be told by switches: the network is no explicit one with several cables at a host, or a host has
 * two cables to one switch, or one to another host. O(links * (depth + rails)). */
uint32_t *rail_order_find(const struct topology *topology);

/* Hosts whose adapters are in another order than those of others, and alike in that. */
struct rail_disorder {
    uint32_t *machines, n_machines; /* ascending */
    size_t capacity;
    char *words; /* "mlx5_1 and mlx5_3 are swapped" */
};
struct rail_disorders {
    struct rail_disorder *items; /* by their first machines */
    size_t n, capacity;
    uint32_t n_machines, n_all;  /* of all items; and those with several cables */
};
/* Lists the hosts whose adapters have names and are by their switches (`rail`; NULL: none are listed) on
 * other rails than by their numbers: on the same ones in another order, or on others where most are right.
 * Release with rail_disorders_free. O(cables * rails) */
struct rail_disorders rail_disorders_find(const struct topology *topology, const uint32_t *rail);
void rail_disorders_free(struct rail_disorders *disorders);
/* Appends "n[2-3]: mlx5_1 and mlx5_3 are swapped". */
void rail_disorder_print(const struct topology *topology, const struct rail_disorder *disorder,
                         struct text *out);

#endif
