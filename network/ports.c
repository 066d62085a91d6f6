/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports, GUIDs and tables of a network that is a dump of a subnet. See ports.h.
 */
#include "network/ports.h"
#include "network/forwarding.h"

#include <string.h>

static const struct subnet *subnet_of(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology);
    return graph ? graph->subnet : NULL;
}

bool topology_has_ports(const struct topology *topology)
{
    return subnet_of(topology);
}

uint32_t topology_port_out(const struct topology *topology, uint32_t link)
{
    const struct subnet *subnet = subnet_of(topology);
    return subnet ? subnet->numbers[link] : 0;
}

uint32_t topology_port_in(const struct topology *topology, uint32_t link)
{
    return topology_port_out(topology, link ^ 1);
}

void topology_find_guids(const struct topology *topology, uint64_t *guids)
{
    const struct subnet *subnet = subnet_of(topology);
    memset(guids, 0, topology->n_nodes * sizeof *guids);
    if (!subnet)
        return;
    const struct graph *graph = topology_as_graph(topology);
    for (uint32_t i = subnet->n_ports; i-- > 0;)
        guids[graph_link_from(graph, subnet->ports[i].link)] = subnet->ports[i].node_guid;
    for (uint32_t node = topology->n_machines; node < topology->n_nodes; node++)
        guids[node] = subnet->routers[node - topology->n_machines].guid;
}

bool topology_has_tables(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology);
    return graph && graph->forwarding;
}

uint32_t topology_other_way(const struct topology *topology, uint32_t link)
{
    return topology_as_graph(topology) ? link ^ 1 : NO_NEXT_LINK;
}
