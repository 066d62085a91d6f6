/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a flow that divides blocks at will to ways of whole chunks. See relays.h.
 */
#include "synth/relays.h"

#include <stdlib.h>
#include <string.h>

struct taking {
    struct relays *relays;
    const struct overlay_network *network;
    const struct overlay_flow *flow;
    struct share {
        uint32_t way; /* way of the flow */
        uint32_t n;   /* chunks */
        double rest;  /* fraction of a chunk */
    } *shares;
    size_t n_shares, capacity;
};

static int by_rest(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->rest > y->rest || x->rest < y->rest)
        return x->rest > y->rest ? -1 : 1;
    return x->way < y->way ? -1 : x->way > y->way;
}

/* Shares out the chunks of a pair: to each way the whole chunks of its flow, then one to each way with the
 * largest rest. */
static void share_out(struct taking *taking, size_t pair, uint32_t n_chunks)
{
    const struct overlay_flow *flow = taking->flow;
    const double demand = (double)taking->network->demand[pair];
    uint32_t n_left = n_chunks;
    taking->n_shares = 0;
    for (uint32_t way = flow->way[pair]; way != OVERLAY_NONE; way = flow->ways[way].next) {
        const double chunks = flow->ways[way].flow / demand * n_chunks + 1e-9;
        const uint32_t n = chunks < n_left ? (uint32_t)chunks : n_left;
        if (taking->n_shares == taking->capacity)
            taking->shares = mem_grow(taking->shares, &taking->capacity, taking->n_shares + 1,
                                      sizeof *taking->shares);
        taking->shares[taking->n_shares++] = (struct share){way, n, chunks - n};
        n_left -= n;
    }
    qsort(taking->shares, taking->n_shares, sizeof *taking->shares, by_rest);
    for (size_t i = 0; n_left > 0; i = (i + 1) % taking->n_shares, n_left--)
        taking->shares[i].n++;
}

/* ---- ways ---- */

/* True if the links from `hop` on are those of the route from server to server. */
static bool relay_flow_is_route(const struct overlay_network *network, uint32_t from, uint32_t to,
                                const uint32_t *hop, size_t n_hops)
{
    const size_t pair = (size_t)from * network->n_servers + to;
    return network->is_routed[pair] && network->first[pair + 1] - network->first[pair] == n_hops &&
           !memcmp(network->route + network->first[pair], hop, n_hops * sizeof *hop);
}

/* Returns the number of links of the leg between two stops. */
static size_t leg_hops(const struct overlay_network *network, uint32_t from, uint32_t to)
{
    const size_t pair = (size_t)from * network->n_servers + to;
    return network->first[pair + 1] - network->first[pair];
}

static void add_relay(struct relays *relays, struct relay_way *way, uint32_t server)
{
    if (relays->n_relays == relays->relays_capacity)
        relays->servers = mem_grow(relays->servers, &relays->relays_capacity, relays->n_relays + 1,
                                   sizeof *relays->servers);
    relays->servers[relays->n_relays++] = server;
    way->n_relays++;
}

/* Returns the way with as few relays as its links allow: stops on the route between others are dropped. */
static struct relay_way few_relays(struct taking *taking, const struct overlay_way *of, uint32_t from)
{
    const struct overlay_network *network = taking->network;
    const uint32_t *stop = taking->flow->stops + of->stop, *hop = taking->flow->hops + of->hop;
    struct relay_way way = {.first = taking->relays->n_relays, .next = RELAYS_NONE};
    for (uint32_t i = 0; i < of->n_stops;) {
        size_t n = 0, n_taken = 0;
        uint32_t at = from, taken = i;
        for (uint32_t j = i; j < of->n_stops; at = stop[j++]) {
            n += leg_hops(network, at, stop[j]);
            if (relay_flow_is_route(network, from, stop[j], hop, n)) {
                taken = j;
                n_taken = n;
            }
        }
        if (taken + 1 < of->n_stops)
            add_relay(taking->relays, &way, stop[taken]);
        from = stop[taken];
        hop += n_taken;
        i = taken + 1;
    }
    return way;
}

static void relay_flow_add_load(struct relays *relays, const struct relay_way *way, size_t pair)
{
    uint32_t from = (uint32_t)(pair / relays->n_servers);
    for (uint32_t leg = 0; leg <= way->n_relays; leg++) {
        const uint32_t to = relays_stop(relays, way, leg, (uint32_t)(pair % relays->n_servers));
        const uint32_t n_hops = relays_leg(relays, from, to);
        for (uint32_t i = 0; i < n_hops; i++)
            relays->load[relays->hops[i].link] +=
                way->n * relays_weight(relays, pair) * relays->cost[relays->hops[i].link];
        from = to;
    }
}

static void relay_flow_take_pair(struct taking *taking, size_t pair, uint32_t n_chunks)
{
    struct relays *relays = taking->relays;
    share_out(taking, pair, n_chunks);
    for (size_t i = 0; i < taking->n_shares; i++) {
        if (taking->shares[i].n == 0)
            continue;
        struct relay_way way = few_relays(taking, &taking->flow->ways[taking->shares[i].way],
                                          (uint32_t)(pair / relays->n_servers));
        way.n = taking->shares[i].n;
        relays_add_way(relays, pair, way);
        relay_flow_add_load(relays, &way, pair);
    }
}

/* ---- all of them ---- */

static uint32_t relay_flow_chunks_of(const struct relays *relays, size_t pair)
{
    uint32_t n = 0;
    for (uint32_t way = relays->way[pair]; way != RELAYS_NONE; way = relays->ways[way].next)
        n += relays->ways[way].n;
    return n;
}

/* Replaces all ways; those of pairs without bytes stay. */
static void take_ways(struct taking *taking, const struct relays *before)
{
    struct relays *relays = taking->relays;
    const size_t n_pairs = (size_t)relays->n_servers * relays->n_servers;
    for (size_t pair = 0; pair < n_pairs; pair++) {
        const bool is_pair = pair / relays->n_servers != pair % relays->n_servers;
        const uint32_t n_chunks = is_pair ? relay_flow_chunks_of(before, pair) : 0;
        relays->way[pair] = RELAYS_NONE;
        if (n_chunks && taking->network->demand[pair])
            relay_flow_take_pair(taking, pair, n_chunks);
        else if (n_chunks)
            relays_add_way(relays, pair, (struct relay_way){.n = n_chunks});
    }
}

static struct relays without_ways(const struct relays *relays)
{
    struct relays copy = *relays;
    copy.load = mem_alloc(relays->topology->n_link_ids, sizeof *copy.load);
    copy.way = mem_alloc((size_t)relays->n_servers * relays->n_servers, sizeof *copy.way);
    copy.ways = NULL;
    copy.servers = NULL;
    copy.n_ways = copy.ways_capacity = copy.n_relays = copy.relays_capacity = 0;
    return copy;
}

static void free_ways(struct relays *relays)
{
    free(relays->load);
    free(relays->way);
    free(relays->ways);
    free(relays->servers);
}

void relays_take_flow(struct relays *relays, const struct relays_flow *flow)
{
    struct relays copy = without_ways(relays);
    struct taking taking = {.relays = &copy, .network = flow->network, .flow = flow->flow};
    take_ways(&taking, relays);
    relays_polish(&copy);
    const bool is_better = relays_most(&copy) < relays_most(relays);
    free_ways(is_better ? relays : &copy);
    if (is_better)
        *relays = copy;
    free(taking.shares);
}
