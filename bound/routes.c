/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks on each link if all go straight. See routes.h.
 */
#include "bound/routes.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_SERVERS = 4096 };

/* Adds the blocks of all pairs of servers to the links they cross; false: one has no route. */
static bool add_pairs(const struct bound_request *request, uint64_t *load)
{
    const struct placement *placement = request->placement;
    struct hop *hops = mem_alloc(request->topology->max_hops + 1, sizeof *hops);
    bool done = true;
    for (uint32_t s = 0; done && s < placement->n_servers; s++)
        for (uint32_t d = 0; done && d < placement->n_servers; d++) {
            const uint64_t blocks = (uint64_t)(placement->first[s + 1] - placement->first[s]) *
                                    (placement->first[d + 1] - placement->first[d]);
            const uint32_t n = topology_route(request->topology, placement->server_machine[s],
                                              placement->server_machine[d], hops);
            done = n > 0 || s == d;
            for (uint32_t i = 0; i < n; i++)
                load[hops[i].link] += blocks;
        }
    free(hops);
    return done;
}

static void take_busiest(const struct bound_request *request, const uint64_t *load,
                         struct bound *bound)
{
    const struct topology *topology = request->topology;
    char from[256], to[256];
    uint32_t busiest = 0, ends[2];
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (load[link] > bound->load && topology_link_contends(topology, link)) {
            bound->load = load[link];
            busiest = link;
        }
    if (bound->load == 0)
        return;
    topology_link_ends(topology, busiest, &ends[0], &ends[1]);
    topology_node_name(topology, ends[0], from, sizeof from);
    topology_node_name(topology, ends[1], to, sizeof to);
    bound->blocks = bound->load;
    bound->bandwidth = topology_link_bandwidth(topology, busiest);
    text_printf(&bound->reason, "link ");
    text_append_safe(&bound->reason, from);
    text_printf(&bound->reason, ":");
    text_append_safe(&bound->reason, to);
    text_printf(&bound->reason,
                ": blocks that cross it if each goes straight to its destination, on these "
                "routes: %" PRIu64,
                bound->load);
}

bool bound_routes(const struct bound_request *request, struct bound *bound)
{
    const struct topology *topology = request->topology;
    bound->kind = "routes";
    if (request->collective != COLLECTIVE_alltoall || request->placement->n_servers > MAX_SERVERS)
        return false;
    uint64_t *load = mem_alloc(topology->n_link_ids ? topology->n_link_ids : 1, sizeof *load);
    if (add_pairs(request, load))
        take_busiest(request, load, bound);
    free(load);
    return bound->load > 0;
}
