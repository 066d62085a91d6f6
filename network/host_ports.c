/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers the cables of each machine. See host_ports.h.
 */
#include "network/host_ports.h"

#include <stdlib.h>

/* Cables of machines that were met so far. */
struct cable_counts {
    uint32_t *leaving, *arriving; /* [machine] */
};

static uint8_t host_ports_number(uint32_t n_before)
{
    return (uint8_t)(n_before < HOST_PORTS_MAX ? n_before : HOST_PORTS_MAX - 1);
}

/* Counts the link at its ends; `ports`, unless NULL, gets its numbers there. */
static void count_link(const struct topology *topology, uint32_t link, struct cable_counts *counts,
                       struct host_ports *ports)
{
    uint32_t from, to;
    if (!topology_has_link(topology, link))
        return;
    topology_link_ends(topology, link, &from, &to);
    if (from < topology->n_machines) {
        const uint32_t n_before = counts->leaving[from]++;
        if (ports)
            ports->out[link] = host_ports_number(n_before);
    }
    if (to < topology->n_machines) {
        const uint32_t n_before = counts->arriving[to]++;
        if (ports)
            ports->in[link] = host_ports_number(n_before);
    }
}

/* Returns the most cables of a machine. */
static uint32_t host_ports_count(const struct topology *topology, struct cable_counts *counts)
{
    uint32_t most = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        count_link(topology, link, counts, NULL);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        const uint32_t out = counts->leaving[machine], in = counts->arriving[machine];
        most = out > most ? out : most;
        most = in > most ? in : most;
        counts->leaving[machine] = counts->arriving[machine] = 0;
    }
    return most < HOST_PORTS_MAX ? most : HOST_PORTS_MAX;
}

const struct host_ports *host_ports_new(const struct topology *topology)
{
    if (topology_is_implicit(topology->whole) || !topology->has_machine_ports || topology->has_loose_links)
        return NULL;
    struct cable_counts counts = {mem_alloc(topology->n_machines, sizeof(uint32_t)),
                                  mem_alloc(topology->n_machines, sizeof(uint32_t))};
    struct host_ports *ports = NULL;
    const uint32_t n = host_ports_count(topology, &counts);
    if (n > 1 || topology->n_networks > 1) {
        ports = arena_alloc(topology->arena, 1, sizeof *ports);
        ports->n = n;
        ports->out = arena_alloc(topology->arena, topology->n_link_ids, 1);
        ports->in = arena_alloc(topology->arena, topology->n_link_ids, 1);
        for (uint32_t link = 0; link < topology->n_link_ids; link++)
            count_link(topology, link, &counts, ports);
    }
    free(counts.leaving);
    free(counts.arriving);
    return ports;
}

uint32_t host_ports_link(const struct topology *topology, uint32_t machine, uint32_t port, bool is_in)
{
    const struct host_ports *ports = topology->host_ports;
    for (uint32_t link = 0; ports && link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link) || (is_in ? ports->in : ports->out)[link] != port)
            continue;
        topology_link_ends(topology, link, &from, &to);
        if ((is_in ? to : from) == machine)
            return link;
    }
    return NO_NEXT_LINK;
}
