/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the neighbours of each node of the network, and the ranks of a machine. See search.h.
 */
#include "mapping/search.h"

#include <stdlib.h>

/* Counts the links of each node in the first pass, files them in the second. */
static void mapping_network_list_links(struct map_network *network, const struct topology *topology,
                                       bool is_filing)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (is_filing)
            network->neighbour[network->first[from + 1]++] = to;
        else
            network->first[from + 2]++;
    }
}

void map_network_open(struct map_network *network, const struct mapping_request *request)
{
    const struct topology *topology = request->topology;
    const struct placement *placement = request->placement;
    *network = (struct map_network){
        .n_machines = topology->n_machines,
        .first = mem_alloc((size_t)topology->n_nodes + 2, sizeof *network->first),
        .neighbour = mem_alloc(topology->n_links, sizeof *network->neighbour),
        .server = mem_alloc(topology->n_machines, sizeof *network->server)};
    mapping_network_list_links(network, topology, false);
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        network->first[node + 2] += network->first[node + 1];
    mapping_network_list_links(network, topology, true);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        network->server[machine] = NOWHERE;
    for (uint32_t server = 0; server < placement->n_servers; server++)
        network->server[placement->server_machine[server]] = server;
}

void map_network_close(struct map_network *network)
{
    free(network->first);
    free(network->neighbour);
    free(network->server);
}
