/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See gossip.h.
 */
#include "bound/gossip.h"

#include <inttypes.h>
#include <stdlib.h>

/* Counts the links out of the machines that have ranks, and adds up their bandwidth. Returns false if one
 * takes any number of messages. */
static bool gossip_add_links(const struct topology *topology, const bool *has_ranks, uint64_t *n_links,
                             struct bound *bound)
{
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from >= topology->n_machines || !has_ranks[from])
            continue;
        if (!topology_link_contends(topology, link))
            return false;
        ++*n_links;
        bound->bandwidth += topology_link_bandwidth(topology, link);
    }
    return *n_links > 0;
}

bool bound_gossip(const struct bound_request *request, struct bound *bound)
{
    const struct topology *topology = request->topology;
    const struct placement *placement = request->placement;
    const uint64_t n = placement->n_servers;
    bound->kind = "gossip";
    if (request->collective != COLLECTIVE_allreduce || n < 2 || topology->n_networks > 1 ||
        topology->has_loose_links)
        return false;
    bool *has_ranks = mem_alloc(topology->n_machines, sizeof *has_ranks);
    for (uint32_t server = 0; server < n; server++)
        has_ranks[placement->server_machine[server]] = true;
    uint64_t n_links = 0;
    const bool is_known = gossip_add_links(topology, has_ranks, &n_links, bound);
    free(has_ranks);
    if (!is_known)
        return false;
    bound->blocks = 2 * (n - 1);
    bound->load = fraction_of(bound->blocks, n_links);
    text_printf(&bound->reason,
                "links out of %" PRIu64 " machines: %" PRIu64 "; blocks that leave them together, "
                "half of them before some machine knows of all others: %" PRIu64,
                n, n_links, bound->blocks);
    return true;
}
