/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports and GUIDs of a network that is a dump of a subnet. See ports.h. A part of a network has the link
 * ids of its whole and other numbers of nodes.
 */
#include "network/ports.h"
#include "base/text/units.h"
#include "network/forwarding.h"

#include <stdlib.h>

static const struct subnet *subnet_of(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology_whole(topology));
    return graph ? graph->subnet : NULL;
}

static const char *ports_name(const struct topology *topology, uint32_t link)
{
    const struct graph *graph = topology_as_graph(topology_whole(topology));
    return graph ? graph_port_name(graph, link) : NULL;
}

/* Returns the number in "7" or "Port 7"; 0: it is a name. */
static uint32_t ports_number(const char *name)
{
    struct slice rest = slice_of(name);
    uint32_t number = 0;
    if (slice_starts(rest, "Port ") || slice_starts(rest, "port "))
        rest = slice_trim((struct slice){rest.text + 5, rest.length - 5});
    return parse_count(rest, &number) == VALUE_OK ? number : 0;
}

bool topology_is_subnet(const struct topology *topology)
{
    return subnet_of(topology);
}

bool topology_has_ports(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology_whole(topology));
    return graph && (graph->subnet || graph->port_at);
}

uint32_t topology_port_out(const struct topology *topology, uint32_t link)
{
    const struct subnet *subnet = subnet_of(topology);
    const char *name = subnet ? NULL : ports_name(topology, link);
    return subnet ? subnet->numbers[link] : name ? ports_number(name) : 0;
}

const char *topology_port_name(const struct topology *topology, uint32_t link)
{
    const char *name = subnet_of(topology) ? NULL : ports_name(topology, link);
    return name && !ports_number(name) ? name : NULL;
}

uint32_t topology_port_in(const struct topology *topology, uint32_t link)
{
    return topology_port_out(topology, link ^ 1);
}

void topology_find_guids(const struct topology *topology, uint64_t *guids)
{
    const struct topology *whole = topology_whole(topology);
    const struct subnet *subnet = subnet_of(topology);
    uint64_t *of_whole = mem_alloc(whole->n_nodes, sizeof *of_whole);
    for (uint32_t i = subnet ? subnet->n_ports : 0; i-- > 0;)
        of_whole[graph_link_from(topology_as_graph(whole), subnet->ports[i].link)] =
            subnet->ports[i].node_guid;
    for (uint32_t node = whole->n_machines; subnet && node < whole->n_nodes; node++)
        of_whole[node] = subnet->routers[node - whole->n_machines].guid;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        guids[node] = of_whole[topology_whole_node(topology, node)];
    free(of_whole);
}

uint32_t topology_other_way(const struct topology *topology, uint32_t link)
{
    return topology_as_graph(topology_whole(topology)) ? link ^ 1 : NO_NEXT_LINK;
}
