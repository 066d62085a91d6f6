/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See arcs.h.
 */
#include "synth/arcs.h"

#include <stdlib.h>

/* True if a route passes a machine that is a server. */
static bool passes_server(const struct topology *topology, const struct hop *hops, uint32_t n_hops,
                          const bool *is_server)
{
    for (uint32_t i = 0; i + 1 < n_hops; i++) {
        uint32_t from, to;
        topology_link_ends(topology, hops[i].link, &from, &to);
        if (to < topology->n_machines && is_server[to])
            return true;
    }
    return false;
}

static void arcs_add_arc(struct arcs *arcs, uint32_t to)
{
    if (arcs->n == arcs->capacity)
        arcs->all = mem_grow(arcs->all, &arcs->capacity, arcs->n + 1, sizeof *arcs->all);
    arcs->all[arcs->n++] = (struct arc){to, arcs->n_links};
}

static void arcs_add_links(struct arcs *arcs, const struct hop *hops, uint32_t n)
{
    if (arcs->n_links + n > arcs->links_capacity)
        arcs->links = mem_grow(arcs->links, &arcs->links_capacity, arcs->n_links + n, sizeof *arcs->links);
    for (uint32_t i = 0; i < n; i++)
        arcs->links[arcs->n_links++] = hops[i].link;
}

struct arcs arcs_of(const struct topology *topology, const struct placement *placement)
{
    const uint32_t *machine = placement->server_machine, n = placement->n_servers;
    struct arcs arcs = {.first = mem_alloc((size_t)n + 1, sizeof *arcs.first)};
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    bool *is_server = mem_alloc(topology->n_machines, sizeof *is_server);
    for (uint32_t server = 0; server < n; server++)
        is_server[machine[server]] = true;
    for (uint32_t from = 0; from < n; from++) {
        arcs.first[from] = arcs.n;
        for (uint32_t to = 0; to < n; to++) {
            const uint32_t n_hops = topology_route(topology, machine[from], machine[to], hops);
            if (from == to || passes_server(topology, hops, n_hops, is_server))
                continue;
            arcs_add_arc(&arcs, to);
            arcs_add_links(&arcs, hops, link_loads_drop_fat_pipes(topology, hops, n_hops));
        }
    }
    arcs.first[n] = arcs.n;
    arcs_add_arc(&arcs, 0);
    arcs.n--;
    free(is_server);
    free(hops);
    return arcs;
}

void arcs_free(struct arcs *arcs)
{
    free(arcs->all);
    free(arcs->first);
    free(arcs->links);
    *arcs = (struct arcs){0};
}

uint64_t arcs_link_costs(const struct topology *topology, double *cost)
{
    uint64_t slowest = UINT64_MAX;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link)) {
            const uint64_t bandwidth = topology_link_bandwidth(topology, link);
            slowest = bandwidth < slowest ? bandwidth : slowest;
        }
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link))
            cost[link] = (double)slowest / (double)topology_link_bandwidth(topology, link);
    return slowest;
}
