/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every machine linked to every other: link source * (n - 1) + port, the port of
 * a destination being its number, less one if it is above the source.
 */
#include "network/topology_kinds.h"

struct topology *topology_new_full(const struct topology_settings *settings, uint32_t n_machines,
                                   const char **problem)
{
    *problem = NULL;
    if (n_machines < 1 || n_machines > 65536) {
        *problem = "a full mesh has 1 to 65536 machines";
        return NULL;
    }
    struct topology *topology = topology_allocate(TOPOLOGY_FULL, &full_methods, settings);
    topology->n_machines = n_machines;
    topology->n_links = topology->n_link_ids = n_machines * (n_machines - 1);
    topology->max_hops = n_machines > 1;
    return topology_finish(topology);
}

static uint32_t full_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    uint32_t port = destination > source ? destination - 1 : destination;
    hops[0] = (struct hop){source * (topology->n_machines - 1) + port, 0};
    return 1;
}

static void full_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                           uint32_t *to)
{
    *from = link / (topology->n_machines - 1);
    uint32_t port = link % (topology->n_machines - 1);
    *to = port >= *from ? port + 1 : port;
}

static const char *full_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "the direct link";
}

static void full_shape(const struct topology *topology, struct text *out)
{
    text_printf(out, "full:%u", topology->n_machines);
    print_settings(topology, out);
}

const struct topology_methods full_methods = {
    .route = full_route,
    .link_ends = full_link_ends,
    .node_name = numbered_node_name,
    .find_machine = numbered_find_machine,
    .routing_rule = full_routing_rule,
    .shape = full_shape,
    .fingerprint = implicit_fingerprint,
};
