/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ports of a machine: one for each of its cables. Two messages wait for each other at a machine only
 * where they cross the same cable, so fan-in and head-of-line blocking are counted for each port.
 */
#ifndef COLLC_NETWORK_HOST_PORTS_H
#define COLLC_NETWORK_HOST_PORTS_H

#include "network/topology.h"

enum {
    HOST_PORTS_MAX = 255, /* of one machine; further cables share the last number */
    WAYS_MAX_PORTS = 15   /* the same where ways are chosen: their numbers stay below 254 */
};

struct host_ports {
    uint32_t n;   /* above all numbers of ports: the most cables that one machine has, or more; at least 1 */
    uint8_t *out; /* [link] number of the port by which the link leaves a machine; 0 for another link */
    uint8_t *in;  /* [link] number of the port by which it arrives at one */
    uint32_t *first;            /* [machine] its ports are leaves[first[m] .. first[m + 1] - 1], by number */
    uint32_t *leaves, *arrives; /* links by them; NO_NEXT_LINK: none. Those that failed, too */
};

/* Returns the ports of a topology whose links are complete, in its arena, those of the base for a part; NULL
 * where no machine has two cables and there is one network, or where the links say nothing of cables:
 * implicit shapes, and links that stand in several places. The k-th link that leaves a machine and the k-th
 * that arrives, in the order of their ids, are one cable; explicit networks number cables by adapters
 * (adapter_numbers.h). So ports with one number are a rail. Costs 2 bytes a link and 8 a port, O(links)
 * time; O(cables^2) for a machine whose names are out of order. */
const struct host_ports *host_ports_new(const struct topology *topology);

/* Returns the number of ports of a machine: 1 where they are not told apart. */
static inline uint32_t topology_n_host_ports(const struct topology *topology)
{
    return topology && topology->host_ports ? topology->host_ports->n : 1;
}

/* Returns the link at a port of a machine, in `leaves` or `arrives`; NO_NEXT_LINK: it has no such port. */
static inline uint32_t host_ports_at(const struct host_ports *ports, const uint32_t *links, uint32_t machine,
                                     uint32_t port)
{
    const uint32_t at = ports->first[machine] + port;
    return at < ports->first[machine + 1] ? links[at] : NO_NEXT_LINK;
}

/* Returns the number of ports of a machine, some of which may have failed or be missing. Requires host ports.
 */
static inline uint32_t host_ports_count(const struct topology *topology, uint32_t machine)
{
    const uint32_t *first = topology->host_ports->first + topology_whole_node(topology, machine);
    return first[1] - first[0];
}

/* Writes the numbers of the ports that a machine has, ascending, at most WAYS_MAX_PORTS; returns how many.
 * Requires topology_has_ways. O(cables of the machine * ports) */
uint32_t host_ports_list(const struct topology *topology, uint32_t machine, uint8_t *ports);
/* Takes the port, ":1", off the end of an adapter's name; returns it, or 0 if there is none. */
uint32_t adapter_take_port(const char *name, size_t *length);
/* Returns the number of the first port at the adapter of that name, such as "mlx5_0" or "mlx5_0:1", which may
 * have failed; NO_NEXT_LINK: the machine has none. Requires the same. */
uint32_t host_ports_find(const struct topology *topology, uint32_t machine, const char *name, size_t length);

/* ---- ways ---- */

/* A way from a port of one machine to a port of another, in the place of the number of a network
 * (topology_route_over) where a topology has one network. */
static inline uint8_t host_ports_way(uint32_t out, uint32_t in)
{
    return (uint8_t)(1 + (out << 4 | in));
}

static inline uint32_t host_ports_way_out(uint8_t way)
{
    return (way - 1U) >> 4;
}
static inline uint32_t host_ports_way_in(uint8_t way)
{
    return (way - 1U) & 15;
}

/* True if routes can be asked for by ports: an explicit network with at most WAYS_MAX_PORTS of them. */
bool topology_has_ways(const struct topology *topology);
/* Finds the links by which this way leaves one machine and arrives at another. False: one has no such port.
 * */
bool topology_way_links(const struct topology *topology, uint8_t way, uint32_t source, uint32_t destination,
                        uint32_t *first, uint32_t *last);
/* Writes the route as topology_route does, but by this way; returns how many links, 0 if there is none.
 * Requires topology_has_ways. */
uint32_t topology_route_way(const struct topology *topology, uint8_t way, uint32_t source,
                            uint32_t destination, struct hop *hops);

/* Returns the way that the route of a pair leads by; any if it has none. Requires the same. */
uint8_t host_ports_own_way(const struct topology *topology, uint32_t source, uint32_t destination);

/* Returns the link that leaves a machine by this port, or, where `is_in`, arrives by it; NO_NEXT_LINK: there
 * is none, or ports are not told apart. */
uint32_t host_ports_link(const struct topology *topology, uint32_t machine, uint32_t port, bool is_in);

#endif
