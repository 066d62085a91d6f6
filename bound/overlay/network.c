/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes routes, links and demands. See network.h.
 */
#include "bound/overlay/network.h"

#include "bound/flow/network.h"
#include "network/load.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* State of making the network. */
struct making {
    const struct bound_request *request;
    struct overlay_network *network;
    size_t n_hops, capacity; /* links of network->route: ids of the topology until links have their numbers */
    uint32_t *server_at;     /* [node] the server there, or NONE */
};

/* ---- routes ---- */

static void overlay_network_add_route(struct making *making, uint32_t from, uint32_t to, struct hop *hops)
{
    const struct topology *topology = making->request->topology;
    const uint32_t *machine = making->request->placement->server_machine;
    struct overlay_network *network = making->network;
    const uint32_t n_all = topology_route(topology, machine[from], machine[to], hops);
    const uint32_t n = link_loads_drop_fat_pipes(topology, hops, n_all);
    if (making->n_hops + n > making->capacity)
        network->route = mem_grow(network->route, &making->capacity, making->n_hops + n,
                                  sizeof *network->route);
    network->is_routed[(size_t)from * network->n_servers + to] = n_all > 0;
    for (uint32_t i = 0; i < n; i++)
        network->route[making->n_hops++] = hops[i].link;
}

static bool overlay_network_find_routes(struct making *making)
{
    struct overlay_network *network = making->network;
    const uint32_t n = network->n_servers;
    struct hop *hops = mem_alloc((size_t)making->request->topology->max_hops + 1, sizeof *hops);
    network->first = mem_alloc((size_t)n * n + 1, sizeof *network->first);
    network->is_routed = mem_alloc((size_t)n * n, sizeof *network->is_routed);
    for (size_t pair = 0; pair < (size_t)n * n && making->n_hops <= OVERLAY_MAX_HOPS; pair++) {
        if (pair / n != pair % n)
            overlay_network_add_route(making, (uint32_t)(pair / n), (uint32_t)(pair % n), hops);
        network->first[pair + 1] = making->n_hops;
    }
    free(hops);
    return making->n_hops > 0 && making->n_hops <= OVERLAY_MAX_HOPS;
}

/* ---- links ---- */

struct ended {
    uint32_t from, to, id;
};

static int overlay_network_by_ends(const void *a, const void *b)
{
    const struct ended *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Gives numbers to the links that are crossed. */
static void overlay_network_number_links(struct making *making)
{
    const struct topology *topology = making->request->topology;
    struct overlay_network *network = making->network;
    uint32_t *number = mem_alloc(topology->n_link_ids, sizeof *number), n = 0;
    for (size_t i = 0; i < making->n_hops; i++)
        n += number[network->route[i]]++ == 0;
    struct ended *all = mem_alloc(n, sizeof *all);
    network->n_links = n;
    for (uint32_t id = 0, i = 0; i < n; id++)
        if (number[id]) {
            all[i].id = id;
            topology_link_ends(topology, id, &all[i].from, &all[i].to);
            i++;
        }
    qsort(all, n, sizeof *all, overlay_network_by_ends);
    network->links = mem_alloc(n, sizeof *network->links);
    network->is_even = true;
    for (uint32_t i = 0; i < n; i++) {
        network->links[i] = (struct overlay_link){all[i].id, topology_link_bandwidth(topology, all[i].id)};
        network->is_even &= network->links[i].bandwidth == network->links[0].bandwidth;
        number[all[i].id] = i;
    }
    for (size_t i = 0; i < making->n_hops; i++)
        network->route[i] = number[network->route[i]];
    free(all);
    free(number);
}

/* ---- arcs ---- */

/* True if the route consists of those to a server on it and on from there, so that it adds nothing to
 * these. */
static bool overlay_network_is_joined(const struct making *making, uint32_t from, uint32_t to)
{
    const struct overlay_network *network = making->network;
    const struct topology *topology = making->request->topology;
    const size_t n = network->n_servers, pair = from * n + to;
    const uint32_t *route = network->route + network->first[pair];
    const size_t n_hops = network->first[pair + 1] - network->first[pair];
    for (size_t i = 0; i + 1 < n_hops; i++) {
        uint32_t ends[2];
        topology_link_ends(topology, network->links[route[i]].id, &ends[0], &ends[1]);
        const uint32_t via = making->server_at[ends[1]];
        if (via == NONE || via == from || via == to)
            continue;
        const size_t head = from * n + via, tail = via * n + to;
        if (network->first[head + 1] - network->first[head] == i + 1 &&
            network->first[tail + 1] - network->first[tail] == n_hops - i - 1 &&
            !memcmp(route, network->route + network->first[head], (i + 1) * sizeof *route) &&
            !memcmp(route + i + 1, network->route + network->first[tail], (n_hops - i - 1) * sizeof *route))
            return true;
    }
    return false;
}

static void overlay_network_list_arcs(struct making *making)
{
    struct overlay_network *network = making->network;
    const uint32_t n = network->n_servers;
    size_t n_arcs = 0, capacity = 0;
    network->first_arc = mem_alloc((size_t)n + 1, sizeof *network->first_arc);
    for (uint32_t from = 0; from < n; from++) {
        for (uint32_t to = 0; to < n; to++) {
            if (!network->is_routed[(size_t)from * n + to] || overlay_network_is_joined(making, from, to))
                continue;
            network->arcs = mem_grow(network->arcs, &capacity, n_arcs + 1, sizeof *network->arcs);
            network->arcs[n_arcs++] = to;
        }
        network->first_arc[from + 1] = n_arcs;
    }
}

/* ---- demands ---- */

static void overlay_network_add_demand(void *data, uint32_t from, uint32_t to, uint64_t amount)
{
    const struct making *making = data;
    const size_t n = making->network->n_servers;
    making->network->demand[making->server_at[from] * n + making->server_at[to]] = amount;
}

static void list_demands(struct making *making)
{
    const struct placement *placement = making->request->placement;
    const uint32_t n = making->network->n_servers;
    uint64_t *demand = making->network->demand = mem_alloc((size_t)n * n, sizeof *demand);
    if (!flow_is_product(making->request)) {
        flow_each_demand(making->request, overlay_network_add_demand, making);
        return;
    }
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            if (from != to)
                demand[(size_t)from * n + to] =
                    (uint64_t)placement_slots(placement, from) * placement_slots(placement, to);
}

/* ---- all of it ---- */

static uint32_t *servers_at(const struct bound_request *request)
{
    uint32_t *server_at = mem_alloc(request->topology->n_nodes, sizeof *server_at);
    memset(server_at, 0xff, request->topology->n_nodes * sizeof *server_at);
    for (uint32_t server = 0; server < request->placement->n_servers; server++)
        server_at[request->placement->server_machine[server]] = server;
    return server_at;
}

bool overlay_network_of(const struct bound_request *request, struct overlay_network *network)
{
    const struct topology *topology = request->topology;
    struct making making = {.request = request, .network = network};
    *network = (struct overlay_network){.n_servers = request->placement->n_servers};
    if (!flow_serves(request) || network->n_servers < 2 || network->n_servers > OVERLAY_MAX_SERVERS ||
        topology->n_networks > 1 || topology->has_loose_links || !overlay_network_find_routes(&making))
        return false;
    overlay_network_number_links(&making);
    making.server_at = servers_at(request);
    overlay_network_list_arcs(&making);
    list_demands(&making);
    free(making.server_at);
    for (size_t pair = 0; pair < (size_t)network->n_servers * network->n_servers; pair++)
        if (network->demand[pair] && !network->is_routed[pair])
            return false;
    return true;
}

void overlay_network_free(struct overlay_network *network)
{
    free(network->links);
    free(network->first);
    free(network->route);
    free(network->is_routed);
    free(network->demand);
    free(network->first_arc);
    free(network->arcs);
    *network = (struct overlay_network){0};
}
