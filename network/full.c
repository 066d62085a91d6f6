/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every machine linked to every other: link source * (n - 1) + port, the port of
 * a destination being its number, less one if it is above the source.
 */
#include "network/full.h"

#include "network/kind.h"

static const struct topology_methods full_methods;

bool topology_is_full(const struct topology *topology)
{
    return topology->methods == &full_methods;
}

struct topology *topology_new_full(const struct topology_settings *settings, uint32_t n_machines,
                                   const char **problem)
{
    *problem = NULL;
    if (n_machines < 1 || n_machines > 65536) {
        *problem = "a full mesh has 1 to 65536 machines";
        return NULL;
    }
    struct topology *topology = topology_allocate(&full_methods, 0, settings);
    topology->n_machines = n_machines;
    topology->n_links = topology->n_link_ids = n_machines * (n_machines - 1);
    topology->max_hops = n_machines > 1;
    topology->has_machine_ports = false;
    return topology_finish(topology);
}

static uint32_t full_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    uint32_t port = destination > source ? destination - 1 : destination;
    hops[0] = (struct hop){source * (topology->n_machines - 1) + port, 0};
    return 1;
}

static uint32_t full_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                  struct hop *choices)
{
    return full_route(topology, node, destination, choices);
}

static void full_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                           uint32_t *to)
{
    *from = link / (topology->n_machines - 1);
    uint32_t port = link % (topology->n_machines - 1);
    *to = port >= *from ? port + 1 : port;
}

/* Each link has messages of one machine only; those with the same offset are a class. */
static bool full_has_shifts(const struct topology *topology, const struct machine_shifts *shifts,
                            bool *is_free)
{
    (void)topology, (void)shifts;
    *is_free = true;
    return true;
}

static uint32_t full_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                                uint32_t offset, struct class_hops *hops)
{
    (void)topology, (void)shifts;
    hops[0] = (struct class_hops){.class = offset, .end = 1, .n = 1};
    return 1;
}

static uint32_t full_n_classes(const struct topology *topology)
{
    return topology->n_machines;
}

static const char *full_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "the direct link";
}

static void full_shape(const struct topology *topology, struct text *out)
{
    text_printf(out, "full:%u", topology->n_machines);
    topology_print_values(topology, out);
}

static const struct shift_methods full_shifts = {
    .has_shifts = full_has_shifts,
    .class_hops = full_class_hops,
    .n_classes = full_n_classes,
};

static const struct topology_methods full_methods = {
    .number = KIND_FULL,
    .route = full_route,
    .next_choices = full_next_choices,
    .shifts = &full_shifts,
    .link_ends = full_link_ends,
    .node_name = topology_numbered_name,
    .find_machine = topology_find_numbered,
    .routing_rule = full_routing_rule,
    .shape = full_shape,
    .fingerprint = fingerprint_values,
};
