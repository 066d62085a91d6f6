/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes demands and arcs. See network.h.
 */
#include "bound/flow/network.h"

#include <stdlib.h>

/* ---- arcs ---- */

static int flow_network_by_ends(const void *a, const void *b)
{
    const struct flow_arc *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Makes one arc of those with the same ends; one without cost takes all. */
static uint32_t join_parallel(struct flow_arc *arcs, uint32_t n)
{
    uint32_t n_kept = 0;
    qsort(arcs, n, sizeof *arcs, flow_network_by_ends);
    for (uint32_t i = 0; i < n; i++) {
        struct flow_arc *last = n_kept ? &arcs[n_kept - 1] : NULL;
        if (!last || flow_network_by_ends(last, &arcs[i]) != 0) {
            arcs[n_kept++] = arcs[i];
        } else if (last->cables && arcs[i].cables) {
            last->cables += arcs[i].cables;
            last->bandwidth = last->bandwidth > UINT64_MAX - arcs[i].bandwidth
                                  ? UINT64_MAX : last->bandwidth + arcs[i].bandwidth;
        } else {
            last->cables = 0;
        }
    }
    return n_kept;
}

/* Returns [node] true if a message may go through it. */
static bool *find_relays(const struct bound_request *request)
{
    bool *relays = mem_alloc(request->topology->n_nodes, sizeof *relays);
    topology_find_forwarding(request->topology, relays);
    for (uint32_t i = 0; i < request->placement->n_servers; i++)
        relays[request->placement->server_machine[i]] = true;
    return relays;
}

static void flow_network_list_arcs(const struct bound_request *request, struct flow_network *network)
{
    const struct topology *topology = request->topology;
    bool *relays = find_relays(request);
    uint64_t bandwidth = 0;
    uint32_t from, to;
    network->is_even = true;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from == to || !relays[from] || !relays[to])
            continue;
        const bool contends = topology_link_contends(topology, link);
        const uint64_t own = topology_link_bandwidth(topology, link);
        network->arcs[network->n_arcs++] = (struct flow_arc){from, to, contends, own};
        network->is_even &= !contends || bandwidth == 0 || bandwidth == own;
        bandwidth = contends ? own : bandwidth;
    }
    free(relays);
    network->n_arcs = join_parallel(network->arcs, network->n_arcs);
}

bool flow_network_of(const struct bound_request *request, struct flow_network *network)
{
    const struct topology *topology = request->topology;
    const struct placement *placement = request->placement;
    *network = (struct flow_network){.n_nodes = topology->n_nodes};
    if (topology->n_networks > 1 || topology->has_loose_links)
        return false;
    network->arcs = mem_alloc(topology->n_links, sizeof *network->arcs);
    network->first = mem_alloc((size_t)network->n_nodes + 1, sizeof *network->first);
    network->ranks = mem_alloc(network->n_nodes, sizeof *network->ranks);
    flow_network_list_arcs(request, network);
    for (uint32_t i = 0; i < network->n_arcs; i++)
        network->first[network->arcs[i].from + 1]++;
    for (uint32_t node = 0; node < network->n_nodes; node++)
        network->first[node + 1] += network->first[node];
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        network->ranks[placement->machine[rank]]++;
    return true;
}

void flow_network_free(struct flow_network *network)
{
    free(network->arcs);
    free(network->first);
    free(network->ranks);
    *network = (struct flow_network){0};
}

/* ---- demands ---- */

bool flow_serves(const struct bound_request *request)
{
    const struct collective_info *info = &collective_table[request->collective];
    return info->before != HELD_ALL && info->after != HELD_ALL;
}

bool flow_is_product(const struct bound_request *request)
{
    return collective_has_pairs(request->collective) && !request->counts;
}

/* Returns the amount that rank `from` has for rank `to`. */
static uint64_t amount_between(const struct bound_request *request, uint32_t from, uint32_t to)
{
    struct counts *counts = request->counts;
    const bool is_rooted = collective_table[request->collective].rooted;
    const bool scatters = collective_table[request->collective].before == HELD_ROOT;
    if (is_rooted && (scatters ? from : to) != request->root)
        return 0;
    if (!counts)
        return 1;
    return counts->bytes(counts, is_rooted ? (scatters ? to : from)
                                           : (uint64_t)from * request->placement->n_ranks + to);
}

static uint64_t demand_between(const struct bound_request *request, uint32_t from, uint32_t to)
{
    const struct placement *placement = request->placement;
    const uint32_t *first = placement->first;
    uint64_t amount = 0;
    for (uint32_t i = first[from]; i < first[from + 1]; i++)
        for (uint32_t j = first[to]; j < first[to + 1]; j++)
            amount += amount_between(request, placement->ranks[i], placement->ranks[j]);
    return amount;
}

void flow_each_demand(const struct bound_request *request, flow_demand *visit, void *data)
{
    const struct placement *placement = request->placement;
    const bool is_rooted = collective_table[request->collective].rooted;
    const uint32_t root = is_rooted ? placement->server[request->root] : 0;
    for (uint32_t from = 0; from < placement->n_servers; from++)
        for (uint32_t to = 0; to < placement->n_servers; to++) {
            if (from == to || (is_rooted && from != root && to != root))
                continue;
            const uint64_t amount = demand_between(request, from, to);
            if (amount)
                visit(data, placement->server_machine[from], placement->server_machine[to], amount);
        }
}
