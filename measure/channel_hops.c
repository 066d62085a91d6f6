/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See channel_hops.h.
 */
#include "measure/channel_hops.h"

#include <stdlib.h>

/* Counts a hop by its route, of n links. */
static void channel_hops_add(struct channel_hops *all, const struct topology *topology,
                             const struct hop *hops, uint32_t n, uint32_t *load)
{
    const struct host_ports *ports = topology->host_ports;
    uint32_t from, first, last, to;
    topology_link_ends(topology, hops[0].link, &from, &first);
    topology_link_ends(topology, hops[n - 1].link, &last, &to);
    all->n_away += n > 1 && first != last;
    all->n_rails += ports && ports->out[hops[0].link] != ports->in[hops[n - 1].link];
    for (uint32_t i = 0; i < n; i++)
        if (++load[hops[i].link] > all->most) {
            all->most = load[hops[i].link];
            all->link = hops[i].link;
        }
}

void channel_hops_count(const struct schedule_header *header, uint32_t channel,
                        const struct topology *topology, const struct placement *placement,
                        struct channel_hops *all)
{
    const struct schedule_channel *of = &header->channels[channel];
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    uint32_t *load = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *load);
    struct flow_networks networks;
    const bool has_networks = flow_networks_find(&networks, header, topology, placement);
    *all = (struct channel_hops){.n = 0};
    for (uint32_t i = 0; i < of->n_hops; i++) {
        const struct op send = {.rank = of->hops[i].from, .peer = of->hops[i].to, .network = of->hops[i].via};
        const uint32_t from = placement ? placement->machine[send.rank] : send.rank;
        const uint32_t to = placement ? placement->machine[send.peer] : send.peer;
        const uint32_t network = has_networks ? flow_network(&networks, &send, from, to) : NO_NETWORK;
        const uint32_t n = from == to ? 0 : topology_route_over(topology, network, from, to, hops);
        all->n += from != to;
        if (n)
            channel_hops_add(all, topology, hops, n, load);
    }
    free(load);
    free(hops);
}
