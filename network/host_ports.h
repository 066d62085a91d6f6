/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ports of a machine: one for each of its cables. Two messages wait for each other at a machine only
 * where they cross the same cable, so fan-in and head-of-line blocking are counted for each port.
 */
#ifndef COLLC_NETWORK_HOST_PORTS_H
#define COLLC_NETWORK_HOST_PORTS_H

#include "network/topology.h"

enum { HOST_PORTS_MAX = 255 }; /* of one machine; further cables share the last number */

struct host_ports {
    uint32_t n;   /* the most cables that one machine has, at least 1 */
    uint8_t *out; /* [link] number of the port by which the link leaves a machine; 0 for another link */
    uint8_t *in;  /* [link] number of the port by which it arrives at one */
};

/* Returns the ports of a topology whose links are complete, in its arena; NULL where no machine has two
 * cables and there is one network, or where the links say nothing of cables: implicit shapes, and links that
 * stand in several places. The k-th link that leaves a machine and the k-th that arrives, in the order of
 * their ids, are one cable. Costs 2 bytes a link, O(links) time. */
const struct host_ports *host_ports_new(const struct topology *topology);

/* Returns the number of ports of a machine: 1 where they are not told apart. */
static inline uint32_t topology_n_host_ports(const struct topology *topology)
{
    return topology && topology->host_ports ? topology->host_ports->n : 1;
}

/* Returns the link that leaves a machine by this port, or, where `is_in`, arrives by it; NO_NEXT_LINK: there
 * is none, or ports are not told apart. O(links) */
uint32_t host_ports_link(const struct topology *topology, uint32_t machine, uint32_t port, bool is_in);

#endif
