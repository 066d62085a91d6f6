/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See slowed.h. Every question but that for bandwidths goes to the topology below.
 */
#include "network/slowed.h"

#include "network/kind.h"

#include <assert.h>
#include <string.h>

struct slowed {
    double all;
    uint32_t n;
    struct slow_cable cables[SLOWED_MOST];
};

static uint32_t slowed_route(const struct topology *topology, uint32_t source, uint32_t destination,
                             struct hop *hops)
{
    return topology_route(topology->base, source, destination, hops);
}

static uint32_t slowed_route_by(const struct topology *topology, uint32_t first, uint32_t last,
                                struct hop *hops)
{
    return topology->base->methods->route_by(topology->base, first, last, hops);
}

static bool slowed_next_links(const struct topology *topology, uint32_t destination, uint32_t *next)
{
    return topology_next_links(topology->base, destination, next);
}

static bool slowed_has_link(const struct topology *topology, uint32_t link)
{
    return topology_has_link(topology->base, link);
}

static void slowed_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    topology_link_ends(topology->base, link, from, to);
}

static uint64_t slowed_link_bandwidth(const struct topology *topology, uint32_t link)
{
    const struct slowed *slowed = topology->self;
    double factor = slowed->all;
    for (uint32_t i = 0; i < slowed->n; i++)
        if (slowed->cables[i].link == link || slowed->cables[i].back == link)
            factor *= slowed->cables[i].factor;
    const double bandwidth = (double)topology_link_bandwidth(topology->base, link) / factor;
    return bandwidth < 1 ? 1 : (uint64_t)(bandwidth + 0.5);
}

static void slowed_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    topology->base->methods->node_name(topology->base, node, out);
}

static uint32_t slowed_find_machine(const struct topology *topology, const char *name, size_t length)
{
    return topology_find_machine(topology->base, name, length);
}

static bool slowed_has_lanes(const struct topology *topology)
{
    return topology_has_lanes(topology->base);
}

static const char *slowed_routing_rule(const struct topology *topology)
{
    return topology_routing_rule(topology->base);
}

static uint64_t slowed_fingerprint(const struct topology *topology, uint64_t hash)
{
    return fingerprint_number(hash, topology->base->fingerprint);
}

#define SLOWED_METHODS                                                                                       \
    .number = KIND_SLOWED, .route = slowed_route, .next_links = slowed_next_links,                           \
    .has_link = slowed_has_link,                                                                             \
    .link_ends = slowed_link_ends, .link_bandwidth = slowed_link_bandwidth, .node_name = slowed_node_name,   \
    .find_machine = slowed_find_machine, .has_lanes = slowed_has_lanes, .routing_rule = slowed_routing_rule, \
    .fingerprint = slowed_fingerprint

static const struct topology_methods slowed_methods = {SLOWED_METHODS};
static const struct topology_methods slowed_methods_by_links = {SLOWED_METHODS, .route_by = slowed_route_by};

struct topology *topology_new_slowed(struct topology *of)
{
    const struct topology_methods *methods =
        of->methods->route_by ? &slowed_methods_by_links : &slowed_methods;
    struct topology *topology = topology_allocate_over(methods, sizeof(struct slowed), of);
    topology->n_machines = of->n_machines;
    topology->n_routers = of->n_routers;
    topology->n_nodes = of->n_nodes;
    topology->n_links = of->n_links;
    topology->max_hops = of->max_hops;
    topology->has_exact_hops = of->has_exact_hops;
    topology_slow(topology, 1, NULL, 0);
    return topology_finish(topology);
}

void topology_slow(struct topology *topology, double all, const struct slow_cable *cables, uint32_t n)
{
    struct slowed *slowed = topology->self;
    assert(n <= SLOWED_MOST);
    slowed->all = all;
    slowed->n = n;
    if (n)
        memcpy(slowed->cables, cables, n * sizeof *cables);
}
