/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The numbers of the cables of hosts in an explicit network: the rails.
 */
#ifndef COLLC_NETWORK_ADAPTER_NUMBERS_H
#define COLLC_NETWORK_ADAPTER_NUMBERS_H

#include "network/graph.h"
#include "network/host_ports.h"

/* Fills in ports->out and ports->in of the cables of machines: by graph->rail_at, where that is. Else cables
 * have the order of the names and ports of their adapters (mlx5_2 before mlx5_10); those without names come
 * behind, to routers first, in the order of links. A machine whose adapters are some of those that at least
 * as many others have, and two, takes their numbers: so mlx5_3 has one number on all, also where mlx5_2 has
 * no cable. */
void adapter_numbers_find(const struct graph *graph, struct host_ports *ports);

#endif
