/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Some machines of a topology, kept as runs of consecutive numbers: numbers are
 * translated, everything else is asked of the base.
 */
#include "network/parts.h"

#include "base/search.h"
#include "network/adaptive.h"
#include "network/kind.h"

#include <stdlib.h>

struct subset_run {
    uint32_t first; /* number of its first machine here */
    uint32_t base;  /* and in the base */
};

struct subset {
    uint32_t n_runs;
    struct subset_run *runs; /* n_runs + 1: the last is the end */
};

static const struct topology_methods subset_methods;

bool topology_is_subset(const struct topology *topology)
{
    return topology->methods == &subset_methods;
}

/* ---- numbers ---- */

/* Returns the run of a machine here. */
static uint32_t subset_run_of(const struct subset *subset, uint32_t machine)
{
    uint32_t low = 0, high = subset->n_runs;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (subset->runs[middle].first <= machine)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t to_base(const struct subset *subset, uint32_t machine)
{
    const struct subset_run *run = &subset->runs[subset_run_of(subset, machine)];
    return run->base + (machine - run->first);
}

/* Returns how many machines of the subset have a lower number in the base; *is_in: that one is in the subset
 * itself. */
static uint32_t count_below(const struct subset *subset, uint32_t base, bool *is_in)
{
    uint32_t low = 0, high = subset->n_runs; /* runs that start at or below it */
    SEARCH_FIRST(low, high, middle, subset->runs[middle].base <= base);
    *is_in = false;
    if (!low)
        return 0;
    const struct subset_run *run = &subset->runs[low - 1];
    uint32_t length = run[1].first - run->first;
    *is_in = base - run->base < length;
    return run->first + (*is_in ? base - run->base : length);
}

/* Returns the number of left-out machine `index` in the base. */
static uint32_t left_out(const struct subset *subset, uint32_t index)
{
    uint32_t low = 0, high = subset->n_runs; /* runs before it */
    SEARCH_FIRST(low, high, middle, subset->runs[middle].base - subset->runs[middle].first <= index);
    return index + subset->runs[low].first;
}

static uint32_t node_to_base(const struct topology *topology, uint32_t node)
{
    if (node < topology->n_machines)
        return to_base(topology->self, node);
    uint32_t router = node - topology->n_machines;
    return topology->machines_forward ? left_out(topology->self, router)
                                      : topology->base->n_machines + router;
}

/* NO_NODE: a machine that is left out and forwards nothing. */
#define NO_NODE UINT32_MAX
static uint32_t node_from_base(const struct topology *topology, uint32_t node)
{
    bool is_in;
    if (node >= topology->base->n_machines)
        return node - topology->base->n_machines + topology->n_machines;
    uint32_t below = count_below(topology->self, node, &is_in);
    if (is_in)
        return below;
    return topology->machines_forward ? topology->n_machines + node - below : NO_NODE;
}

/* ---- making ---- */

static void subset_find_runs(struct subset *subset, const uint32_t *machines, uint32_t n_machines,
                             struct arena *arena)
{
    for (uint32_t i = 0; i < n_machines; i++)
        subset->n_runs += !i || machines[i] != machines[i - 1] + 1;
    subset->runs = arena_alloc(arena, subset->n_runs + 1, sizeof *subset->runs);
    uint32_t run = 0;
    for (uint32_t i = 0; i < n_machines; i++)
        if (!i || machines[i] != machines[i - 1] + 1)
            subset->runs[run++] = (struct subset_run){i, machines[i]};
    subset->runs[run] = (struct subset_run){n_machines, UINT32_MAX};
}

static uint32_t subset_count_links(const struct topology *topology)
{
    uint32_t n = 0;
    if (topology->machines_forward)
        return topology->base->n_links;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        n += topology_has_link(topology, link);
    return n;
}

uint32_t *subset_machines(const struct topology *subset)
{
    uint32_t *machines = mem_alloc(subset->n_machines, sizeof *machines);
    for (uint32_t machine = 0; machine < subset->n_machines; machine++)
        machines[machine] = to_base(subset->self, machine);
    return machines;
}

/* Some machines of some machines are some of the base. */
static struct topology *choose_again(struct topology *subset, const uint32_t *machines,
                                     uint32_t n_machines)
{
    uint32_t *in_base = mem_alloc(n_machines, sizeof *in_base);
    for (uint32_t i = 0; i < n_machines; i++)
        in_base[i] = to_base(subset->self, machines[i]);
    struct topology *topology =
        topology_new_subset(topology_take_base(subset), in_base, n_machines);
    free(in_base);
    return topology;
}

struct topology *topology_new_subset(struct topology *base, const uint32_t *machines,
                                     uint32_t n_machines)
{
    if (topology_is_subset(base))
        return choose_again(base, machines, n_machines);
    struct topology *topology = topology_allocate_over(&subset_methods, sizeof(struct subset), base);
    subset_find_runs(topology->self, machines, n_machines, topology->arena);
    topology->n_machines = n_machines;
    topology->n_routers = base->machines_forward ? base->n_nodes - n_machines : base->n_routers;
    topology->max_hops = base->max_hops;
    topology->has_exact_hops = false;
    topology->n_links = subset_count_links(topology);
    return topology_finish(topology);
}

static void subset_release(struct topology *topology)
{
    topology_free(topology->base);
}

/* ---- methods ---- */

static uint32_t subset_route(const struct topology *topology, uint32_t source, uint32_t destination,
                             struct hop *hops)
{
    const struct topology *base = topology->base;
    return base->methods->route(base, to_base(topology->self, source),
                                to_base(topology->self, destination), hops);
}

static uint32_t subset_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                    struct hop *choices)
{
    return topology_next_choices(topology->base, node_to_base(topology, node),
                                 to_base(topology->self, destination), choices);
}

static uint32_t subset_route_by(const struct topology *topology, uint32_t first, uint32_t last,
                                struct hop *hops)
{
    return topology->base->methods->route_by(topology->base, first, last, hops);
}

/* A cable of a machine that is left out has both ends at its other one. */
static void subset_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    topology_link_ends(topology->base, link, from, to);
    uint32_t a = node_from_base(topology, *from), b = node_from_base(topology, *to);
    uint32_t stay = a != NO_NODE ? a : b != NO_NODE ? b : 0;
    *from = a != NO_NODE ? a : stay;
    *to = b != NO_NODE ? b : stay;
}

static bool subset_has_link(const struct topology *topology, uint32_t link)
{
    uint32_t from, to;
    if (!topology_has_link(topology->base, link))
        return false;
    topology_link_ends(topology->base, link, &from, &to);
    return node_from_base(topology, from) != NO_NODE && node_from_base(topology, to) != NO_NODE;
}

static void subset_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    topology->base->methods->node_name(topology->base, node_to_base(topology, node), out);
}

static uint32_t subset_find_machine(const struct topology *topology, const char *name, size_t length)
{
    bool is_in;
    uint32_t base = topology_find_machine(topology->base, name, length);
    if (base == topology->base->n_machines)
        return topology->n_machines;
    uint32_t machine = count_below(topology->self, base, &is_in);
    return is_in ? machine : topology->n_machines;
}

static bool subset_has_lanes(const struct topology *topology)
{
    return topology_has_lanes(topology->base);
}

static const char *subset_routing_rule(const struct topology *topology)
{
    return topology_routing_rule(topology->base);
}

static uint64_t subset_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct subset *subset = topology->self;
    hash = fingerprint_number(hash, topology->base->fingerprint);
    for (uint32_t i = 0; i <= subset->n_runs; i++)
        hash = fingerprint_number(hash, (uint64_t)subset->runs[i].first << 32 |
                                            subset->runs[i].base);
    return hash;
}

static const struct topology_methods subset_methods = {
    .number = KIND_SUBSET,
    .base_node = node_to_base,
    .route = subset_route,
    .next_choices = subset_next_choices,
    .route_by = subset_route_by,
    .has_link = subset_has_link,
    .link_ends = subset_link_ends,
    .node_name = subset_node_name,
    .find_machine = subset_find_machine,
    .has_lanes = subset_has_lanes,
    .routing_rule = subset_routing_rule,
    .fingerprint = subset_fingerprint,
    .release = subset_release,
};
