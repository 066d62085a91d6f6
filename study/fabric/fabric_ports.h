/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the ports of two networks comparable, for fabric_changes.h. A port is its number, or for a name such
 * as "Ethernet4" a number from FABRIC_NAMED_PORT on, the same in both networks.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_PORTS_H
#define COLLC_STUDY_FABRIC_FABRIC_PORTS_H

#include "network/topology.h"

#define FABRIC_NAMED_PORT UINT32_C(0x10000)

struct fabric_join;

struct fabric_ports {
    const char **names;  /* ascending; of the networks */
    uint32_t n;
    bool is_compared[2]; /* the ports of switches, and of hosts: both networks call them alike */
    bool is_known;       /* both networks have ports */
};

/* Returns the ports of joined networks, to be released with fabric_ports_free. O(links log links) */
struct fabric_ports fabric_ports_of(const struct fabric_join *join);
void fabric_ports_free(struct fabric_ports *ports);
/* Returns the port by which a link leaves a node; 0: not known, or, unless `is_own`, not compared. The link
 * may be NO_NEXT_LINK. */
uint32_t fabric_port_at(const struct fabric_ports *ports, const struct topology *topology, uint32_t link,
                        bool is_own);

#endif
