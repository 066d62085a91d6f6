/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows through a hash table with open addressing. Slots of an older stamp are
 * free, so emptying the table costs nothing: that is why it is none of base/map.h, which would be
 * emptied in every step. See flows.h.
 */
#include "measure/flows.h"

#include "ir/counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct flow_slot {
    uint32_t flow; /* index */
    uint32_t stamp;
};

/* Empties the set and makes room for n flows. The table has a place for each pair of servers and way if that
 * takes no more than twice the room. */
static void flows_make_room(struct flows *flows, size_t n)
{
    const uint64_t n_pairs = (uint64_t)flows->n_servers * flows->n_servers * flows->n_ways;
    flows->n = 0;
    flows->is_plain = false;
    flows->is_dense = n_pairs && n_pairs / 4 <= n;
    flows->flows = mem_grow(flows->flows, &flows->capacity, n, sizeof *flows->flows);
    const size_t n_slots = flows->is_dense ? (size_t)n_pairs : 2 * n;
    if (n_slots <= flows->table_size && ++flows->stamp != 0)
        return;
    while (n_slots > flows->table_size)
        flows->table_size = flows->table_size ? flows->table_size * 2 : 64;
    free(flows->table);
    flows->table = mem_alloc(flows->table_size, sizeof *flows->table);
    flows->stamp = 1;
}

void flows_clear(struct flows *flows, size_t n)
{
    flows->n_servers = 0;
    flows_make_room(flows, n);
}

/* Servers are ranks with something on them: fewer than 2^28. */
static_assert(SCHEDULE_MAX_RANKS <= 1 << 28, "the key of a flow");

static inline uint64_t flows_key_of(const struct flow *flow)
{
    return (uint64_t)flow->network << 56 | (uint64_t)flow->source << 28 | flow->destination;
}

/* Returns the number of the way of a flow among the n_ways of flows_gather, which with its servers tells its
 * network, or the only one: that of the port where it arrives, or of both ports. */
static inline size_t flows_way_of(const struct flow *flow, uint32_t n_ways, uint32_t n_ports)
{
    return n_ways == n_ports ? flow->in : host_ports_way_out(flow->network) * n_ports + flow->in;
}

/* Returns the first slot of the table, of up to 2^32 slots, at which a flow is looked for. */
static inline size_t flows_place_of(const struct flows *flows, const struct flow *flow)
{
    if (flows->is_dense)
        return ((size_t)flow->source * flows->n_servers + flow->destination) * flows->n_ways +
               flows_way_of(flow, flows->n_ways, flows->n_ports);
    return (size_t)((flows_key_of(flow) * UINT64_C(0x9e3779b97f4a7c15) >> 32) * flows->table_size >> 32);
}

static inline void flows_enter(struct flows *flows, struct flow flow)
{
    size_t mask = flows->table_size - 1, at = flows_place_of(flows, &flow);
    while (flows->table[at].stamp == flows->stamp) {
        struct flow *same = &flows->flows[flows->table[at].flow];
        if (flows_key_of(same) == flows_key_of(&flow)) {
            same->n_messages += flow.n_messages;
            same->n_chunks = units_sum(same->n_chunks, flow.n_chunks);
            return;
        }
        at = (at + 1) & mask;
    }
    uint32_t index = (uint32_t)flows->n++;
    flows->table[at] = (struct flow_slot){index, flows->stamp};
    flows->flows[index] = flow;
}

void flows_add(struct flows *flows, const struct flow *flow)
{
    flows_enter(flows, *flow);
}

/* Enters the flows so far into the table, in which none of them was looked for. */
static void index_all(struct flows *flows)
{
    const size_t n = flows->n;
    flows->n = 0;
    for (size_t i = 0; i < n; i++)
        flows_enter(flows, flows->flows[i]);
}

/* Returns the entry that holds the last flow to a destination, or to a port of it. */
static inline uint32_t *last_to(struct flows *flows, size_t place)
{
    const size_t n = flows->last_to_capacity;
    if (place >= n) {
        flows->last_to =
            mem_grow(flows->last_to, &flows->last_to_capacity, place + 1, sizeof *flows->last_to);
        memset(flows->last_to + n, 0, (flows->last_to_capacity - n) * sizeof *flows->last_to);
    }
    return &flows->last_to[place];
}

/* Adds the flow behind the last one without the table, if sources ascend so far: one that is the same is then
 * of the last source, and the last to its destination by its way. The entry may be of an earlier step. */
static inline bool add_ascending(struct flows *flows, const struct flow *flow, uint32_t n_ways,
                                 uint32_t n_ports)
{
    if (flows->n && flow->source < flows->flows[flows->n - 1].source)
        return false;
    uint32_t *at = last_to(flows, (size_t)flow->destination * n_ways + flows_way_of(flow, n_ways, n_ports));
    struct flow *last = &flows->flows[*at];
    if (*at >= flows->n || last->source != flow->source || last->destination != flow->destination) {
        *at = (uint32_t)flows->n++;
        return true;
    }
    if (last->network != flow->network)
        return false;
    last->n_messages += flow->n_messages;
    last->n_chunks = units_sum(last->n_chunks, flow->n_chunks);
    return true;
}

/* Adds the flows of the first sends, as long as they are plain; of how many. */
static size_t gather_plain(struct flows *flows, const struct step *step, const uint32_t *server)
{
    const uint32_t n_chunks = step->n_sends ? step->sends[0].n_chunks : 0;
    struct flow *flow = flows->flows;
    uint32_t least = 0; /* the lowest server that may be next */
    size_t i = 0;
    for (; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        const uint32_t source = server ? server[send->rank] : send->rank;
        const uint32_t destination = server ? server[send->peer] : send->peer;
        if (source == destination)
            continue;
        if (source < least || send->n_chunks != n_chunks)
            break;
        least = source + 1;
        *flow++ = (struct flow){
            .source = source, .destination = destination, .n_messages = 1, .n_chunks = n_chunks};
    }
    flows->n = (size_t)(flow - flows->flows);
    flows->is_plain = i == step->n_sends;
    if (!flows->is_plain && flows->n)
        *last_to(flows, flow[-1].destination) = (uint32_t)flows->n - 1;
    return i;
}

/* Joins stripes that take one way, as a host lacks a rail. */
static void merge_stripes(struct flows *flows, uint32_t n_stripes)
{
    size_t n = 0;
    for (size_t first = 0; first < flows->n; first += n_stripes) {
        const size_t begin = n;
        for (uint32_t stripe = 0; stripe < n_stripes; stripe++) {
            const struct flow flow = flows->flows[first + stripe];
            size_t same = begin;
            while (same < n && flows->flows[same].network != flow.network)
                same++;
            if (same == n) {
                flows->flows[n++] = flow;
                continue;
            }
            flows->flows[same].n_messages += flow.n_messages;
            flows->flows[same].n_chunks = units_sum(flows->flows[same].n_chunks, flow.n_chunks);
            flows->flows[same].n_stripes++;
        }
    }
    flows->n = n;
}

/* Cuts each flow of whole messages into flows of their stripes, which come one after the other. */
static void flows_stripe(struct flows *flows, const struct flow_networks *networks)
{
    const uint32_t n_stripes = flow_stripes(networks);
    flows->is_plain = false;
    flows->flows =
        mem_grow(flows->flows, &flows->capacity, flows->n * n_stripes + 1, sizeof *flows->flows);
    for (size_t i = flows->n; i-- > 0;) {
        const struct flow whole = flows->flows[i];
        for (uint32_t stripe = n_stripes; stripe-- > 0;) {
            struct flow *flow = &flows->flows[i * n_stripes + stripe];
            *flow = whole;
            flow->network =
                placement_stripe_way(networks->placement, whole.source, whole.destination, stripe);
            flow->n_stripes = 1;
            flow->has_first = stripe == 0;
        }
    }
    flows->n *= n_stripes;
    if (networks->placement->adapters->instead)
        merge_stripes(flows, n_stripes);
}

/* Returns the flow of a send, with nothing but its servers, its network and the port where it arrives. */
static inline struct flow flow_of_send(const struct op *send, const uint32_t *server, const uint32_t *machine,
                                       const struct flow_networks *networks)
{
    struct flow flow = {.source = server ? server[send->rank] : send->rank,
                        .destination = server ? server[send->peer] : send->peer};
    if (!networks || flow.source == flow.destination)
        return flow;
    flow.network = flow_network(networks, send, machine ? machine[send->rank] : send->rank,
                                machine ? machine[send->peer] : send->peer);
    if (networks->placement)
        flow.in = (uint8_t)host_ports_way_in(flow.network);
    return flow;
}

/* Sets the servers of flows, and their ways: with adapters of ranks one for each port where they arrive, or
 * one for each pair of ports if a port is not left by one way alone. */
static void flows_set_ways(struct flows *flows, const struct placement *placement,
                           const struct flow_networks *networks)
{
    const struct rank_adapters *adapters =
        networks && networks->placement ? networks->placement->adapters : NULL;
    const bool has_pairs = adapters && (adapters->crosses_fabric || adapters->ways);
    flows->n_ports = adapters ? adapters->n_ports : 1;
    flows->n_ways = has_pairs ? flows->n_ports * flows->n_ports : flows->n_ports;
    flows->n_servers = placement && (!networks || adapters) ? placement->n_servers : 0;
}

/* Gathers flows of whole messages. As long as sources ascend, as in messages rank by rank with one rank
 * on each server, equal flows are near each other and the table is not needed. */
static void gather_whole(struct flows *flows, const struct step *step, const uint32_t *times,
                         const struct placement *placement, const struct flow_networks *networks)
{
    const uint32_t *const server = placement ? placement->server : NULL;
    const uint32_t *const machine = placement ? placement->machine : NULL;
    enum { AHEAD = 16 };
    bool is_ascending = true;
    flows_set_ways(flows, placement, networks);
    flows_make_room(flows, step->n_sends + 1);
    const uint32_t n_ways = flows->n_ways, n_ports = flows->n_ports;
    size_t i = times || networks || flows->header ? 0 : gather_plain(flows, step, server);
    for (; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        const uint32_t n = times ? times[i] : 1;
        if (!is_ascending && i + AHEAD < step->n_sends) { /* elsewhere each time */
            const struct flow ahead = flow_of_send(send + AHEAD, server, machine, networks);
            __builtin_prefetch(&flows->table[flows_place_of(flows, &ahead)], 1);
        }
        struct flow *flow = &flows->flows[flows->n]; /* made in its place: a copy would wait for its bytes */
        const struct flow of_send = flow_of_send(send, server, machine, networks);
        if (of_send.source == of_send.destination)
            continue;
        *flow = (struct flow){
            .source = of_send.source,
            .destination = of_send.destination,
            .n_messages = n,
            .network = of_send.network,
            .in = of_send.in,
            .n_chunks = n * (flows->header ? schedule_carried_units(flows->header, send) : send->n_chunks)};
        if (is_ascending && add_ascending(flows, flow, n_ways, n_ports))
            continue;
        if (is_ascending) {
            const struct flow last = *flow;
            is_ascending = false;
            index_all(flows);
            flows_enter(flows, last);
        } else {
            flows_enter(flows, *flow);
        }
    }
}

void flows_gather(struct flows *flows, const struct step *step, const uint32_t *times,
                  const struct placement *placement, const struct flow_networks *networks)
{
    if (flow_stripes(networks) == 1) {
        gather_whole(flows, step, times, placement, networks);
        return;
    }
    gather_whole(flows, step, times, placement, NULL);
    flows_stripe(flows, networks);
}

void flows_free(struct flows *flows)
{
    free(flows->flows);
    free(flows->table);
    free(flows->last_to);
    *flows = (struct flows){0};
}
