/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions about forwarding tables, put to a topology. See tables.h. A part of a network has the
 * link ids of its whole and other numbers of machines.
 */
#include "network/tables.h"

#include "network/forwarding.h"

#include <stdlib.h>

static const struct graph *graph_of(const struct topology *topology)
{
    return topology_as_graph(topology_whole(topology));
}

bool tables_are_used(const struct topology *topology)
{
    const struct graph *graph = graph_of(topology);
    return graph && graph->forwarding;
}

enum forwarding_fate tables_fate(const struct topology *topology, uint32_t source,
                                 uint32_t destination)
{
    return forwarding_fate(graph_of(topology), topology_whole_node(topology, source),
                           topology_whole_node(topology, destination));
}

void tables_count_unrouted(const struct topology *topology, uint64_t pairs[N_FATES])
{
    const struct graph *graph = graph_of(topology);
    for (int fate = 0; fate < N_FATES; fate++)
        pairs[fate] = topology->base || !fate ? 0 : graph->forwarding->pairs[fate];
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t a = 0; a < topology->n_machines && topology->base; a++)
        for (uint32_t b = 0; b < topology->n_machines; b++)
            if (a != b && !topology_route(topology, a, b, hops))
                pairs[tables_fate(topology, a, b)]++;
    free(hops);
}

struct table_lids tables_lids(const struct topology *topology, uint32_t machine)
{
    const struct graph *graph = graph_of(topology);
    const uint32_t node = topology_whole_node(topology, machine);
    return (struct table_lids){graph->forwarding->machines[node].lid,
                               forwarding_n_lids(graph, node)};
}

uint32_t tables_max_hops(const struct topology *topology)
{
    return topology_whole(topology)->n_routers + 2;
}

uint32_t tables_route(const struct topology *topology, uint32_t source, uint32_t destination,
                      uint32_t lid, struct hop *hops)
{
    uint32_t n = forwarding_route_to_lid(graph_of(topology), topology_whole_node(topology, source),
                                         topology_whole_node(topology, destination), lid,
                                         tables_max_hops(topology), hops);
    for (uint32_t i = 0; i < n; i++)
        if (!topology_has_link(topology, hops[i].link))
            return 0; /* it has failed */
    return n;
}
