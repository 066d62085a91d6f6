/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts blocks on each link if all go straight. See routes.h.
 */
#include "bound/routes.h"

#include "network/load.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_SERVERS = 4096 };

/* Returns the data that the ranks of one server have for those of the other. */
static uint64_t blocks_between(const struct bound_request *request, uint32_t from, uint32_t to)
{
    const struct placement *placement = request->placement;
    const uint32_t *first = placement->first;
    struct counts *counts = request->counts;
    uint64_t bytes = 0;
    if (!counts)
        return (uint64_t)(first[from + 1] - first[from]) * (first[to + 1] - first[to]);
    for (uint32_t i = first[from]; i < first[from + 1]; i++)
        for (uint32_t j = first[to]; j < first[to + 1]; j++)
            bytes += counts->bytes(counts, (uint64_t)placement->ranks[i] * placement->n_ranks +
                                               placement->ranks[j]);
    return bytes;
}

/* Adds the blocks of all pairs of servers to the links they cross; false: one has no route, that
 * between `machine`. */
static bool routes_add_pairs(const struct bound_request *request, struct link_loads *loads,
                             uint32_t machine[2])
{
    const struct placement *placement = request->placement;
    struct hop *hops = mem_alloc(request->topology->max_hops + 1, sizeof *hops);
    bool done = true;
    for (uint32_t s = 0; done && s < placement->n_servers; s++)
        for (uint32_t d = 0; done && d < placement->n_servers; d++) {
            const uint64_t blocks = blocks_between(request, s, d);
            machine[0] = placement->server_machine[s];
            machine[1] = placement->server_machine[d];
            const uint32_t n = topology_route(request->topology, machine[0], machine[1], hops);
            done = n > 0 || s == d;
            link_loads_add(loads, hops, n, blocks);
        }
    free(hops);
    return done;
}

/* True if the link needs longer for its blocks than those of the bound. */
static bool routes_takes_longer(const struct topology *topology, const struct link_loads *loads,
                                uint32_t link, const struct bound *bound)
{
    return (divider_product)loads->load[link] * bound->bandwidth >
           (divider_product)bound->blocks * topology_link_bandwidth(topology, link);
}

static void routes_name_link(const struct topology *topology, uint32_t link, struct text *out)
{
    char name[256];
    uint32_t ends[2];
    topology_link_ends(topology, link, &ends[0], &ends[1]);
    topology_node_name(topology, ends[0], name, sizeof name);
    text_append_safe(out, name);
    text_printf(out, ":");
    topology_node_name(topology, ends[1], name, sizeof name);
    text_append_safe(out, name);
}

/* Takes the load of the busiest link, and the time of the link that needs longest: the busiest, unless
 * another one is slower. */
static void take_busiest(const struct bound_request *request, const struct link_loads *loads,
                         struct bound *bound)
{
    const struct topology *topology = request->topology;
    uint32_t busiest = 0, slowest;
    uint64_t most = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (loads->load[link] > most && topology_link_contends(topology, link)) {
            most = loads->load[link];
            busiest = link;
        }
    if (most == 0)
        return;
    bound->load = fraction_of(most, 1);
    bound->blocks = most;
    bound->bandwidth = topology_link_bandwidth(topology, slowest = busiest);
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (loads->load[link] && topology_link_contends(topology, link) &&
            routes_takes_longer(topology, loads, link, bound)) {
            bound->blocks = loads->load[link];
            bound->bandwidth = topology_link_bandwidth(topology, slowest = link);
        }
    text_printf(&bound->reason, "link ");
    routes_name_link(topology, busiest, &bound->reason);
    text_printf(&bound->reason,
                ": %s that cross it if each goes straight to its destination, on these "
                "routes: %" PRIu64,
                bound_unit(request), most);
    if (slowest == busiest)
        return;
    text_printf(&bound->reason, "; longer needs ");
    routes_name_link(topology, slowest, &bound->reason);
    text_printf(&bound->reason, " for %" PRIu64, bound->blocks);
}

bool bound_routes(const struct bound_request *request, struct bound *bound)
{
    const struct topology *topology = request->topology;
    bound->kind = "routes";
    if (request->collective != COLLECTIVE_alltoall || request->placement->n_servers > MAX_SERVERS)
        return false;
    struct link_loads loads = link_loads_new(topology, false);
    uint32_t machine[2];
    if (routes_add_pairs(request, &loads, machine))
        take_busiest(request, &loads, bound);
    link_loads_free(&loads);
    return bound->load.bottom > 0;
}

bool bound_unreachable(const struct bound_request *request, uint32_t machine[2])
{
    if (topology_is_implicit(request->topology) || request->placement->n_servers > MAX_SERVERS)
        return false; /* an implicit network has all routes */
    struct link_loads loads = link_loads_new(request->topology, false);
    const bool is_whole = routes_add_pairs(request, &loads, machine);
    link_loads_free(&loads);
    return !is_whole;
}
