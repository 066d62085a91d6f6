/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See message_adapters.h.
 */
#include "study/message_adapters.h"

#include "base/codes.h"
#include "network/adaptive.h"

#include <string.h>

/* Returns the port that all hosts have at the adapter of that name, or else the
 * number; NO_NEXT_LINK: there is none. */
static uint32_t message_adapters_find(const struct topology *topology, const struct placement *placement,
                                      const char *name, uint32_t number)
{
    uint32_t port = NO_NEXT_LINK;
    for (uint32_t server = 0; name && server < placement->n_servers; server++) {
        const uint32_t found =
            host_ports_find(topology, placement->server_machine[server], name, strlen(name));
        if (server && found != port)
            return NO_NEXT_LINK;
        port = found;
    }
    return port == NO_NEXT_LINK && number < topology_n_host_ports(topology) ? number : port;
}

void message_adapters_use(const struct schedule *schedule, const struct topology *topology,
                          struct placement *placement, struct diagnostics *diagnostics)
{
    const struct schedule_header *header = &schedule->header;
    uint8_t ways[SCHEDULE_MAX_VIAS + 1] = {0};
    const struct schedule_via *missing = NULL;
    if (header->n_vias < 2 || !topology || !topology_has_ways(topology) ||
        (topology->is_adaptive && !topology_has_adaptive_ways(topology)) || placement->adapters)
        return;
    for (uint32_t i = 1; i < header->n_vias; i++) {
        const struct schedule_via *via = &header->vias[i];
        const uint32_t out = message_adapters_find(topology, placement, via->out, via->out_number);
        const uint32_t in = message_adapters_find(topology, placement, via->in, via->in_number);
        if (out == NO_NEXT_LINK || in == NO_NEXT_LINK)
            missing = via;
        else
            ways[i] = host_ports_way(out, in);
    }
    if (missing)
        report(diagnostics, CODE_S010, (struct position){.source = schedule->source},
               "hosts of '%s' have no adapter '%s' on one rail: its messages go as "
               "routes lead",
               topology->name, missing->out ? missing->out : "of that number")
            ->help = "'collc topo' lists the adapters of the network; "
                     "--rank-adapters says what ranks use";
    placement_use_ways(placement, topology, ways, header->n_vias);
}
