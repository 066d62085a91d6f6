/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several networks between the same machines, as in PM/Composite (Sumimoto et al.
 * 2000, section 3.1): shared memory inside a machine, and for each pair of machines
 * the fastest network that both are on. One topology, a composite, stands for
 * all of them:
 *
 *   machines   of all members together, joined by name
 *   routers    of the members one after the other, named LABEL:NAME
 *   link ids   of the members one after the other
 *   routes     those of the member that topology_network chooses
 *
 * Network 0 is the shared memory of the machines: no links, and no machine but the own.
 * Which network a pair uses is not stored: each machine has a bit for each network it
 * is on, the fastest lowest, and the lowest common bit is the answer.
 */
#ifndef COLLC_NETWORK_NETWORKS_H
#define COLLC_NETWORK_NETWORKS_H

#include "network/graph.h"

enum {
    NETWORK_MEMORY = 0,         /* of a composite topology */
    NETWORKS_MAX = 17,          /* memory and 16 members */
    NETWORKS_MAX_PLACES = 1 << 20, /* machines of all members together, each counted as often as it is a
                                      member */
    NETWORK_LABEL_MAX = 8,      /* bytes */
    NO_NETWORK = 255            /* fits in struct op */
};

struct network {
    const char *name;   /* "Fast Ethernet" */
    const char *label;  /* "FE": a word of up to NETWORK_LABEL_MAX bytes */
    uint64_t bandwidth; /* B/s by which networks are ranked; memory: 0 if not said */
    uint64_t latency;   /* ns */
    uint32_t n_machines;
    /* names that machines give it, or NULL: kernel interface ("eth0"), adapter and port ("mlx5_0:1"),
     * transport of UCX ("tcp") */
    const char *interface, *device, *transport;
    /* IP addresses of its machines on it, in its order, as a host list; of memory those by which programs are
     * to know the machines; NULL: not said */
    const char *addresses;
};

/* Network that becomes a member of a composite topology. */
struct network_member {
    struct network network;    /* strings are copied; n_machines is filled in */
    struct topology *topology; /* owned; NULL: shared memory */
    uint32_t *machine;         /* [machine of `topology`] node of `names`; heap, owned */
};

/* Returns the composite of members[0 .. n-1], of which the first, and no other, is shared memory. `names` are
 * the machines in their order, not sealed, owned from now on. Every machine is on some network. NULL and
 * *problem (a sentence without full stop) if the numbers are out of range; everything is freed then, too. */
struct topology *topology_new_composite(const struct topology_settings *settings,
                                        struct graph *names, struct network_member *members,
                                        uint32_t n, const char **problem);
/* Releases members that did not become part of a topology. */
void network_members_free(struct network_member *members, uint32_t n);

/* True for a word of 1 to NETWORK_LABEL_MAX ASCII letters, digits and '_', a letter first. */
bool network_is_label(const char *text);

/* Returns the number of networks, 1 unless the topology is composite or a part of a composite one. */
static inline uint32_t topology_n_networks(const struct topology *topology)
{
    return topology->n_networks;
}
/* Requires several networks and network < topology_n_networks. */
const struct network *topology_network_info(const struct topology *topology, uint32_t network);
/* Returns the topology of a network of a composite one, which has no networks but memory, and the number
 * there of a machine. */
const struct topology *topology_network_member(const struct topology *topology, uint32_t network);
uint32_t topology_network_machine(const struct topology *topology, uint32_t network,
                                  uint32_t machine);
/* Returns the network of that label; NO_NETWORK if there is none, and on one network. */
uint32_t topology_find_network(const struct topology *topology, const char *label);
bool topology_is_on_network(const struct topology *topology, uint32_t machine, uint32_t network);
/* True if the network joins the two: memory joins a machine with itself, another network the machines on
 * it. */
bool topology_is_joined(const struct topology *topology, uint32_t network, uint32_t source,
                        uint32_t destination);
/* Returns the network that messages of a pair take: memory if both are one machine; the fastest common
 * network, of equally fast ones the first described; NO_NETWORK without a common one. 0 if there is one
 * network only. O(1). */
uint32_t topology_network(const struct topology *topology, uint32_t source, uint32_t destination);
/* Returns the route as topology_route does, but over this network: 0 hops if it does not join the pair, or
 * if a link on the way has failed. NO_NETWORK: over the one that the pair takes. Where there is one network
 * only, 0 and NO_NETWORK stand for its own choice, another number for a way (host_ports_way). */
uint32_t topology_route_over(const struct topology *topology, uint32_t network, uint32_t source,
                             uint32_t destination, struct hop *hops);
/* Returns the network that a link or a router (a node from n_machines on) belongs to; 0 if there is one
 * network only. */
uint32_t topology_link_network(const struct topology *topology, uint32_t link);
uint32_t topology_router_network(const struct topology *topology, uint32_t node);
/* Returns the number of ordered pairs of machines without a common network. O(machines + 2^members). */
uint64_t topology_pairs_apart(const struct topology *topology);

#endif
