/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes maps that sort the hosts: by name, by switch or as in the topology. The search starts with them,
 * and 'collc verify' compares a scattered placement with them. See search.h.
 */
#include "mapping/search.h"

#include "network/placement/orders.h"

#include <stdlib.h>
#include <string.h>

static const char *const order_names[N_MACHINE_ORDERS] = {
    [ORDER_NUMBER] = "in the order of the topology",
    [ORDER_NAME] = "sorted by name",
    [ORDER_SWITCH] = "sorted by switch",
};

/* Returns the servers in an order of their machines, on the heap. */
static uint32_t *order_servers(const struct mapping_request *request, enum machine_order order)
{
    const struct placement *placement = request->placement;
    const uint32_t n_machines = request->topology->n_machines;
    uint32_t *machines = machines_in_order(request->topology, order), n = 0;
    uint32_t *servers = mem_alloc(placement->n_servers, sizeof *servers);
    uint32_t *server_of = mem_alloc(n_machines, sizeof *server_of);
    memset(server_of, 0xff, n_machines * sizeof *server_of);
    for (uint32_t server = 0; server < placement->n_servers; server++)
        server_of[placement->server_machine[server]] = server;
    for (uint32_t i = 0; i < n_machines; i++)
        if (server_of[machines[i]] != NOWHERE)
            servers[n++] = server_of[machines[i]];
    free(server_of);
    free(machines);
    return servers;
}

/* Deals host by host: the first virtual ranks go to the first host, as many as it has. */
static void deal_blocks(const struct placement *placement, const uint32_t *servers, uint32_t *map)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < placement->n_servers; i++)
        for (uint32_t k = placement->first[servers[i]]; k < placement->first[servers[i] + 1]; k++)
            map[v++] = placement->ranks[k];
}

/* Deals as placed: the virtual ranks with the numbers of host i go to the i-th host of the order. Requires
 * equal hosts. */
static void deal_alike(const struct placement *placement, const uint32_t *servers, uint32_t *map)
{
    for (uint32_t i = 0; i < placement->n_servers; i++)
        for (uint32_t slot = 0; slot < placement->slots; slot++)
            map[placement->ranks[placement->first[i] + slot]] =
                placement->ranks[placement->first[servers[i]] + slot];
}

/* Takes the map, on the heap, unless it is known already or the identity. */
static void orders_take_map(struct order_maps *maps, const char *name, uint32_t *map)
{
    bool is_new = !mapping_is_identity(map, maps->n_ranks);
    for (uint32_t i = 0; i < maps->n; i++)
        is_new = is_new && memcmp(maps->items[i].map, map, maps->n_ranks * sizeof *map) != 0;
    if (is_new)
        maps->items[maps->n++] = (struct order_map){name, map};
    else
        free(map);
}

/* Adds the map turned until the root is in its place. */
static void add_turned(struct order_maps *maps, const char *name, const uint32_t *map, uint32_t root)
{
    const uint32_t p = maps->n_ranks, at = mapping_find(map, p, root);
    uint32_t *turned = mem_alloc(p, sizeof *turned);
    for (uint32_t v = 0; v < p; v++)
        turned[((uint64_t)v + root + p - at) % p] = map[v];
    orders_take_map(maps, name, turned);
}

/* Adds the map; a swap, or a rotation of all, brings the root to its place. */
static void add_map(struct order_maps *maps, const char *name, uint32_t *map, uint32_t root)
{
    if (root != NOWHERE) {
        add_turned(maps, name, map, root);
        map[mapping_find(map, maps->n_ranks, root)] = map[root];
        map[root] = root;
    }
    orders_take_map(maps, name, map);
}

void order_maps_open(struct order_maps *maps, const struct mapping_request *request, uint32_t root)
{
    static const enum machine_order orders[] = {ORDER_NAME, ORDER_SWITCH, ORDER_NUMBER};
    const struct placement *placement = request->placement;
    *maps = (struct order_maps){.n_ranks = placement->n_ranks};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t *servers = order_servers(request, orders[i]);
        uint32_t *map = mem_alloc(placement->n_ranks, sizeof *map);
        deal_blocks(placement, servers, map);
        add_map(maps, order_names[orders[i]], map, root);
        if (placement->slots > 1) {
            map = mem_alloc(placement->n_ranks, sizeof *map);
            deal_alike(placement, servers, map);
            add_map(maps, order_names[orders[i]], map, root);
        }
        free(servers);
    }
}

void order_maps_close(struct order_maps *maps)
{
    for (uint32_t i = 0; i < maps->n; i++)
        free(maps->items[i].map);
}
