/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See loads.h.
 */
#include "study/loads.h"

#include "network/networks.h"

#include <stdlib.h>

static uint32_t loads_route_of(const struct schedule_header *header, const struct topology *topology,
                               const struct placement *placement, const struct op *send, struct hop *hops)
{
    uint8_t network[256];
    if (send->rank >= placement->n_ranks || send->peer >= placement->n_ranks)
        return 0;
    const uint32_t from = placement->machine[send->rank], to = placement->machine[send->peer];
    (void)schedule_networks(header, topology, network);
    return topology_route_over(topology, network[send->network], from, to, hops);
}

uint64_t *loads_of_step(const struct schedule_header *header, const struct topology *topology,
                        const struct placement *placement, const struct step *step)
{
    uint64_t *load = mem_alloc(topology->n_link_ids, sizeof *load);
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (size_t i = 0; i < step->n_sends; i++) {
        const uint32_t n = loads_route_of(header, topology, placement, &step->sends[i], hops);
        for (uint32_t hop = 0; hop < n; hop++)
            load[hops[hop].link]++;
    }
    free(hops);
    return load;
}

static bool chooses_network(const struct step *step, const struct topology *topology,
                            const struct placement *placement, const uint8_t network[256])
{
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        const uint32_t named = network[send->network];
        if (named != NO_NETWORK && named != topology_network(topology, placement->machine[send->rank],
                                                             placement->machine[send->peer]))
            return true;
    }
    return false;
}

bool loads_choose_networks(struct schedule *schedule, const struct topology *topology,
                           const struct placement *placement)
{
    uint8_t network[256];
    struct step step;
    bool is_found = schedule->header.n_networks && !topology;
    if (!schedule->header.n_networks || is_found)
        return is_found;
    if (!schedule_networks(&schedule->header, topology, network))
        return true;
    schedule->rewind(schedule);
    while (!is_found && schedule->next(schedule, &step))
        is_found = chooses_network(&step, topology, placement, network);
    schedule->rewind(schedule);
    return is_found;
}
