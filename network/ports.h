/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports and GUIDs, which a dump of a subnet has besides nodes and links; for a topology or a part of it.
 * Other networks have none of it.
 */
#ifndef COLLC_NETWORK_PORTS_H
#define COLLC_NETWORK_PORTS_H

#include "network/topology.h"

bool topology_has_ports(const struct topology *topology);
/* Returns the port by which a link leaves a node, or at which it arrives; 0: not known. */
uint32_t topology_port_out(const struct topology *topology, uint32_t link);
uint32_t topology_port_in(const struct topology *topology, uint32_t link);
/* Fills guids[n_nodes]: the GUIDs of all nodes, for a machine that of its first adapter; 0: not known. */
void topology_find_guids(const struct topology *topology, uint64_t *guids);
/* Returns the other way of the cable of a link, or NO_NEXT_LINK where that is not known. */
uint32_t topology_other_way(const struct topology *topology, uint32_t link);

#endif
