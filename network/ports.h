/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports, which a dump of a subnet and lists of cables have besides nodes and links, and GUIDs, which a dump
 * has; for a topology or a part of it. Other networks have none of it.
 */
#ifndef COLLC_NETWORK_PORTS_H
#define COLLC_NETWORK_PORTS_H

#include "network/topology.h"

bool topology_has_ports(const struct topology *topology);
/* True for a dump of a subnet, which has the numbers of all ports, and rates. */
bool topology_is_subnet(const struct topology *topology);
/* Returns the number of the port by which a link leaves a node, or at which it arrives, also of one called
 * "7" or "Port 7"; 0: not known. */
uint32_t topology_port_out(const struct topology *topology, uint32_t link);
uint32_t topology_port_in(const struct topology *topology, uint32_t link);
/* Returns the name of the port by which a link leaves a node; NULL: it has a number, or is not known. */
const char *topology_port_name(const struct topology *topology, uint32_t link);
/* Fills guids[n_nodes]: the GUIDs of all nodes, for a machine that of its first adapter; 0: not known. */
void topology_find_guids(const struct topology *topology, uint64_t *guids);
/* Returns the other way of the cable of a link, or NO_NEXT_LINK where that is not known. */
uint32_t topology_other_way(const struct topology *topology, uint32_t link);

#endif
