/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of one step, or of several, gathered into flows: one per ordered pair
 * of servers with messages between them and per network that they take. Messages
 * within a server do not touch the network and are left out.
 *
 * Messages may be striped over the adapters of a host (network/placement/placement.h): a flow is then of
 * stripes, one for each pair of servers and way. Its messages are stripes, and its chunks parts of
 * chunks: S stripes make a message, S of its units a chunk.
 */
#ifndef COLLC_MEASURE_FLOWS_H
#define COLLC_MEASURE_FLOWS_H

#include "network/host_ports.h"
#include "network/networks.h"
#include "ir/schedule.h"

struct flow {
    uint32_t source, destination; /* servers, different */
    uint32_t n_messages;
    uint8_t network; /* that they take, or NO_NETWORK; on a topology with one network 0 or their way */
    uint8_t out, in; /* ports by which they leave and arrive (network/host_ports.h): flow_take_ports */
    uint8_t n_stripes : 7, has_first : 1; /* stripes of each message that it is of, and whether the first is
                                             among them; 0: it is of whole messages */
    uint64_t n_chunks; /* of all messages together; bytes where the schedule has counts */
};

/* Returns the number of messages of which it is, or has stripes. */
static inline uint32_t flow_messages(const struct flow *flow)
{
    return flow->n_stripes > 1 ? flow->n_messages / flow->n_stripes : flow->n_messages;
}

/* Sets the ports of a flow by its route, of n_hops links. */
static inline void flow_take_ports(struct flow *flow, const struct topology *topology, const struct hop *hops,
                                   uint32_t n_hops)
{
    const struct host_ports *ports = topology->host_ports;
    if (!ports || !n_hops)
        return;
    flow->out = ports->out[hops[0].link];
    flow->in = ports->in[hops[n_hops - 1].link];
}

/* Several networks: a message that names none takes the one of its pair of machines. Or one, whose machines
 * have several ports: a message takes the way between those that its ranks use. */
struct flow_networks {
    const struct topology *topology;
    const struct placement *placement; /* with adapters of ranks; NULL: none has */
    uint8_t of_label[256]; /* see schedule_networks */
};
/* Finds them. True if flow_network is to be asked: else every message takes network 0, by whatever way. */
static inline bool flow_networks_find(struct flow_networks *networks, const struct schedule_header *header,
                                      const struct topology *topology, const struct placement *placement)
{
    networks->topology = topology;
    networks->placement = placement && placement->adapters ? placement : NULL;
    return (topology && schedule_networks(header, topology, networks->of_label)) || networks->placement;
}
/* Returns the network of a message, or its way (host_ports_way), of a striped one that of its first stripe;
 * topology_is_joined tells whether the network joins the machines. */
static inline uint8_t flow_network(const struct flow_networks *networks, const struct op *send,
                                   uint32_t source_machine, uint32_t destination_machine)
{
    const struct rank_adapters *adapters = networks->placement ? networks->placement->adapters : NULL;
    if (adapters && adapters->ways) {
        const uint8_t way = send->network < adapters->n_ways ? adapters->ways[send->network] : 0;
        return way ? way : host_ports_own_way(networks->topology, source_machine, destination_machine);
    }
    if (adapters)
        return placement_way(networks->placement, send->rank, send->peer);
    uint8_t network = networks->of_label[send->network];
    return network != NO_NETWORK
               ? network
               : (uint8_t)topology_network(networks->topology, source_machine,
                                           destination_machine);
}

/* Returns the number of stripes of a message; 1: it is whole. */
static inline uint32_t flow_stripes(const struct flow_networks *networks)
{
    return networks ? placement_stripes(networks->placement) : 1;
}
/* Returns the network or way of a stripe of a message between ranks; the first has that of the message. */
static inline uint8_t flow_stripe_network(const struct flow_networks *networks, uint32_t from, uint32_t to,
                                          uint8_t network, uint32_t stripe)
{
    const uint32_t *server = networks->placement ? networks->placement->server : NULL;
    return stripe ? placement_stripe_way(networks->placement, server[from], server[to], stripe) : network;
}

struct flow_slot;

/* Zero-initialise; flows_free when done. */
struct flows {
    const struct schedule_header *header; /* of flows_gather; NULL: chunks are equal */
    struct flow *flows; /* in order of their first message */
    size_t n, capacity;
    bool is_plain;       /* one message each, in the order of their source servers, with equally many
                            chunks */
    struct flow_slot *table;
    size_t table_size;
    uint32_t n_servers, n_ways, n_ports; /* of flows_gather; n_servers 0: not known */
    bool is_dense;              /* each pair of servers and way has a place in the table */
    uint32_t stamp;
    uint32_t *last_to;   /* [destination * n_ways + way] a flow to it, or anything */
    size_t last_to_capacity;
};

/* Empties the set and makes room for n flows. */
void flows_clear(struct flows *flows, size_t n);
/* Adds messages from one server to another; at most as many calls as room. */
void flows_add(struct flows *flows, const struct flow *flow);
/* Gathers the flows of one step; placement NULL: one rank per server; networks NULL: there is one. times:
 * number of equal messages of each send; NULL: one. O(sends). */
void flows_gather(struct flows *flows, const struct step *step, const uint32_t *times,
                  const struct placement *placement, const struct flow_networks *networks);
void flows_free(struct flows *flows);

#endif
