/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the networks for MPI runtimes: their names on the machines, the fastest first.
 */
#ifndef COLLC_NETWORK_FORMATS_TRANSPORT_SELECTION_H
#define COLLC_NETWORK_FORMATS_TRANSPORT_SELECTION_H

#include "network/networks.h"

/* Networks except memory, the fastest first; equally fast ones in the order of their description. */
struct network_order {
    uint32_t n;
    uint32_t network[NETWORKS_MAX];
};

/* Returns why a runtime cannot be given the networks of this topology: UCX (which knows no subnets) if
 * is_ucx, else Open MPI by itself. NULL: it can. */
const char *selection_obstacle(const struct topology *topology, bool is_ucx);
/* Orders all networks, or only the networks of *machine. */
void selection_by_speed(const struct topology *topology, const uint32_t *machine,
                        struct network_order *order);
/* True if some network is an RDMA adapter rather than a kernel interface. */
bool selection_has_adapter(const struct topology *topology);

/* True if all networks are kernel interfaces and all addresses are known, so that the routes of ip_routes.c
 * can choose among them. Programs then use the one interface ROUTED_INTERFACE. */
#define ROUTED_INTERFACE "collc0"
bool selection_is_routed(const struct topology *topology);

/* Writes "mlx5_0:1,eth0", the form of UCX_NET_DEVICES and btl_tcp_if_include. */
void selection_write_devices(const struct topology *topology, const struct network_order *order,
                             struct text *out);
/* Writes "self,sm,ib,tcp", the form of UCX_TLS. */
void selection_write_transports(const struct topology *topology, const struct network_order *order,
                                struct text *out);
/* Writes a comment line for each network. */
void selection_write_comment(const struct topology *topology, const struct network_order *order,
                             struct text *out);

#endif
