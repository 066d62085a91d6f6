/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What MPI runtimes are told of several networks: their names on the machines, the
 * fastest first.
 */
#ifndef COLLC_NETWORK_FORMATS_TRANSPORT_SELECTION_H
#define COLLC_NETWORK_FORMATS_TRANSPORT_SELECTION_H

#include "network/networks.h"

/* Networks but memory, the fastest first; of equally fast ones the first described. */
struct network_order {
    uint32_t n;
    uint32_t network[NETWORKS_MAX];
};

/* Why runtimes cannot be told of the networks of this topology, UCX (which knows no subnets)
 * or Open MPI by itself; NULL: they can. */
const char *selection_obstacle(const struct topology *topology, bool is_ucx);
/* All networks, or those that *machine is on. */
void selection_by_speed(const struct topology *topology, const uint32_t *machine,
                        struct network_order *order);
/* True if some network is an RDMA adapter rather than a kernel interface. */
bool selection_has_adapter(const struct topology *topology);

/* "mlx5_0:1,eth0", as UCX_NET_DEVICES and btl_tcp_if_include have it. */
void selection_write_devices(const struct topology *topology, const struct network_order *order,
                             struct text *out);
/* "self,sm,ib,tcp", as UCX_TLS has it. */
void selection_write_transports(const struct topology *topology, const struct network_order *order,
                                struct text *out);
/* A comment line for each network. */
void selection_write_comment(const struct topology *topology, const struct network_order *order,
                             struct text *out);

#endif
