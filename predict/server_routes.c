/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See server_routes.h.
 */
#include "predict/server_routes.h"

#include "ir/counts.h"
#include "predict/load_list.h"
#include "measure/route_latency.h"

#include <stdlib.h>

void server_routes_init(struct server_routes *routes, const struct topology *topology,
                        const struct placement *placement, const struct shifts *servers)
{
    *routes = (struct server_routes){.topology = topology, .placement = placement, .servers = servers};
    routes->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *routes->hops);
    routes->links = link_loads_new(topology, true);
    routes->is_uniform = has_uniform_latency(topology);
}

void server_routes_free(struct server_routes *routes)
{
    free(routes->hops);
    link_loads_free(&routes->links);
}

static uint32_t server_routes_machine_of(const struct server_routes *routes, uint32_t server)
{
    return routes->placement ? routes->placement->server_machine[server] : server;
}

/* The flow of one server. False: it has no route, or another first link than those before it (NO_NEXT_LINK:
 * there are none). */
static bool server_routes_lay_route(struct server_routes *routes, uint32_t server,
                                    const struct offset_flow *flow, uint32_t *first, struct step_load *load,
                                    uint64_t *n_crossings)
{
    const struct topology *topology = routes->topology;
    const uint32_t to = shifts_add(routes->servers, flow->offset, server);
    const uint32_t n = topology_route(topology, server_routes_machine_of(routes, server),
                                      server_routes_machine_of(routes, to), routes->hops);
    const uint64_t latency = route_latency(topology, routes->is_uniform, routes->hops, n);
    for (uint32_t i = 0; i < n && flow->n_chunks; i++) {
        uint64_t *chunks = link_loads_at(&routes->links, routes->hops[i].link);
        *chunks = units_sum(*chunks, flow->n_chunks);
    }
    if (!n || (*first != NO_NEXT_LINK && *first != routes->hops[0].link))
        return false;
    *first = routes->hops[0].link;
    *n_crossings += flow->n_messages * n;
    if (load->latency == UINT64_MAX || latency > load->latency)
        load->latency = latency;
    return true;
}

static struct transfer transfer_on(const struct server_routes *routes, uint32_t link)
{
    return (struct transfer){routes->links.load[link], topology_link_bandwidth(routes->topology, link)};
}

bool server_routes_lay(struct server_routes *routes, const struct server_flows *flows, struct step_load *load,
                       uint64_t *n_crossings)
{
    const uint32_t n_servers = routes->servers->n_ranks;
    uint32_t *first = mem_alloc(n_servers, sizeof *first), link;
    bool is_routed = true;
    link_loads_count_times(&routes->links, routes->n_times);
    routes->n_times = 1;
    *n_crossings = 0;
    for (uint32_t server = 0; server < n_servers && is_routed; server++) {
        first[server] = NO_NEXT_LINK;
        for (size_t i = 0; i < flows->n && is_routed; i++)
            is_routed =
                server_routes_lay_route(routes, server, &flows->items[i], &first[server], load, n_crossings);
    }
    for (uint64_t at = 0; link_loads_next(&routes->links, &at, &link);)
        transfer_raise(&load->link, transfer_on(routes, link));
    for (uint32_t server = 0; server < n_servers && is_routed && flows->n > 1 && load->link.chunks; server++)
        transfer_raise(&load->sender, transfer_on(routes, first[server]));
    free(first);
    return is_routed;
}

void server_routes_repeat(struct server_routes *routes)
{
    routes->n_times++;
}

struct transfer server_routes_total(struct server_routes *routes)
{
    struct transfer most = {0, 0};
    link_loads_count_times(&routes->links, routes->n_times);
    routes->n_times = 0;
    for (uint32_t link = 0; link < routes->topology->n_link_ids; link++)
        if (routes->links.total[link])
            transfer_raise(&most, (struct transfer){routes->links.total[link],
                                                    topology_link_bandwidth(routes->topology, link)});
    return most;
}
