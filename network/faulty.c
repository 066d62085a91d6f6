/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A topology some of whose links have failed. Its routes are those of the base;
 * where one would cross a failed link, the alternatives of the base's kind are
 * tried in their order, and the first that crosses none is taken. The cost is
 * that of the failures, whatever the size of the base.
 */
#include "network/parts.h"

#include "base/integer.h"
#include "network/adaptive.h"
#include "network/kind.h"
#include "network/restrict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct faults {
    uint32_t n;
    uint32_t *links; /* ascending, each once; on the heap */
    size_t capacity;
    uint32_t n_own, *own; /* those that it was made with, once others have come and gone */
    char rule[320];
};

static const struct topology_methods faulty_methods;

bool topology_is_faulty(const struct topology *topology)
{
    return topology->methods == &faulty_methods;
}

static bool faulty_has_failed(const struct faults *faults, uint32_t link)
{
    return bsearch(&link, faults->links, faults->n, sizeof link, compare_uint32) != NULL;
}

/* ---- making ---- */

/* Ascending, without repeats and without what is no link of the base. */
static void keep_faults(struct topology *topology, const uint32_t *links, uint32_t n_links)
{
    struct faults *faults = topology->self;
    faults->n = 0;
    faults->links = mem_grow(faults->links, &faults->capacity, (size_t)n_links + 1, sizeof *faults->links);
    if (n_links)
        memcpy(faults->links, links, n_links * sizeof *links);
    qsort(faults->links, n_links, sizeof *faults->links, compare_uint32);
    for (uint32_t i = 0; i < n_links; i++)
        if (topology_has_link(topology->base, faults->links[i]) &&
            (!faults->n || faults->links[faults->n - 1] != faults->links[i]))
            faults->links[faults->n++] = faults->links[i];
}

/* Links of some machines fail in the topology that these are of: its routes go round them. */
static struct topology *fail_below(struct topology *subset, const uint32_t *links,
                                   uint32_t n_links)
{
    uint32_t *machines = subset_machines(subset), n_machines = subset->n_machines, n = 0;
    uint32_t *kept = mem_alloc(n_links, sizeof *kept);
    for (uint32_t i = 0; i < n_links; i++)
        if (topology_has_link(subset, links[i]))
            kept[n++] = links[i];
    struct topology *faulty = topology_new_faulty(topology_take_base(subset), kept, n);
    struct topology *topology = topology_new_subset(faulty, machines, n_machines);
    free(kept);
    free(machines);
    return topology;
}

/* More failures are one list with those before. */
static struct topology *fail_more(struct topology *faulty, const uint32_t *links,
                                  uint32_t n_links)
{
    const struct faults *faults = faulty->self;
    uint32_t n = faults->n;
    uint32_t *all = mem_alloc((size_t)n + n_links, sizeof *all);
    if (n)
        memcpy(all, faults->links, n * sizeof *all);
    if (n_links)
        memcpy(all + n, links, n_links * sizeof *all);
    struct topology *topology = topology_new_faulty(topology_take_base(faulty), all, n + n_links);
    free(all);
    return topology;
}

struct topology *topology_new_faulty(struct topology *base, const uint32_t *links,
                                     uint32_t n_links)
{
    if (topology_is_subset(base))
        return fail_below(base, links, n_links);
    if (topology_is_faulty(base))
        return fail_more(base, links, n_links);
    struct topology *topology = topology_allocate_over(&faulty_methods, sizeof(struct faults), base);
    const struct topology_methods *methods = base->methods;
    struct faults *faults = topology->self;
    keep_faults(topology, links, n_links);
    bool is_searched = methods->fail_links && methods->fail_links(base, faults->links, faults->n);
    topology->n_machines = base->n_machines;
    topology->n_routers = base->n_routers;
    topology->n_nodes = base->n_nodes;
    topology->n_links = base->n_links - faults->n;
    topology->max_hops = methods->alternative ? 2 * base->max_hops : base->max_hops;
    topology->has_exact_hops = is_searched && base->has_exact_hops;
    snprintf(faults->rule, sizeof faults->rule, "%s; %s%s", topology_routing_rule(base),
             is_searched ? "failed links do not exist"
             : methods->alternative ? "round failed links "
                                    : "no way round failed links",
             methods->alternative ? methods->alternatives : "");
    return topology_finish(topology);
}

static void faulty_release(struct topology *topology)
{
    struct faults *faults = topology->self;
    free(faults->links);
    free(faults->own);
    topology_free(topology->base);
}

/* ---- others for a while ---- */

struct topology *topology_let_fail(struct topology *topology)
{
    return topology_new_faulty(topology, NULL, 0);
}

static void keep_own(struct faults *faults)
{
    faults->n_own = faults->n;
    faults->own = mem_alloc((size_t)faults->n + 1, sizeof *faults->own);
    memcpy(faults->own, faults->links, faults->n * sizeof *faults->own);
}

void topology_fail_besides(struct topology *topology, const uint32_t *links, uint32_t n_links)
{
    struct topology *base = topology->base;
    if (topology_is_subset(topology)) {
        topology_fail_besides(base, links, n_links);
        topology->max_hops = base->max_hops;
        return;
    }
    const struct topology_methods *methods = base->methods;
    struct faults *faults = topology->self;
    if (!faults->own)
        keep_own(faults);
    uint32_t *all = mem_alloc((size_t)faults->n_own + n_links + 1, sizeof *all);
    memcpy(all, faults->own, faults->n_own * sizeof *all);
    if (n_links)
        memcpy(all + faults->n_own, links, n_links * sizeof *all);
    keep_faults(topology, all, faults->n_own + n_links);
    free(all);
    if (methods->fail_links)
        methods->fail_links(base, faults->links, faults->n);
    topology->n_links = base->n_links - faults->n;
    topology->max_hops = methods->alternative ? 2 * base->max_hops : base->max_hops;
}

/* ---- routes ---- */

static bool faulty_is_clean(const struct faults *faults, const struct hop *hops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (faulty_has_failed(faults, hops[i].link))
            return false;
    return true;
}

static uint32_t faulty_route(const struct topology *topology, uint32_t source, uint32_t destination,
                             struct hop *hops)
{
    const struct topology *base = topology->base;
    uint32_t n = base->methods->route(base, source, destination, hops);
    if (faulty_is_clean(topology->self, hops, n) || !base->methods->alternative)
        return faulty_is_clean(topology->self, hops, n) ? n : 0;
    for (uint32_t number = 0;; number++) {
        n = base->methods->alternative(base, source, destination, number, hops);
        if (n == NO_ALTERNATIVE)
            return 0;
        if (n && faulty_is_clean(topology->self, hops, n))
            return n;
    }
}

/* Requires a base that has taken the links out of itself (fail_links). */
static uint32_t faulty_next_choices(const struct topology *topology, uint32_t node, uint32_t destination,
                                    struct hop *choices)
{
    return topology_next_choices(topology->base, node, destination, choices);
}

static uint32_t faulty_route_by(const struct topology *topology, uint32_t first, uint32_t last,
                                struct hop *hops)
{
    const struct topology *base = topology->base;
    const uint32_t n = base->methods->route_by(base, first, last, hops);
    return faulty_is_clean(topology->self, hops, n) ? n : 0;
}

/* ---- what does not change, or little ---- */

static bool faulty_has_link(const struct topology *topology, uint32_t link)
{
    return topology_has_link(topology->base, link) && !faulty_has_failed(topology->self, link);
}

static void faulty_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to)
{
    topology_link_ends(topology->base, link, from, to);
}

static void faulty_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    topology->base->methods->node_name(topology->base, node, out);
}

static uint32_t faulty_find_machine(const struct topology *topology, const char *name, size_t length)
{
    return topology_find_machine(topology->base, name, length);
}

static bool faulty_has_lanes(const struct topology *topology)
{
    const struct topology *base = topology->base;
    return base->methods->alternatives_have_lanes || topology_has_lanes(base);
}

static const char *faulty_routing_rule(const struct topology *topology)
{
    return ((const struct faults *)topology->self)->rule;
}

static uint64_t faulty_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct faults *faults = topology->self;
    hash = fingerprint_number(hash, topology->base->fingerprint);
    for (uint32_t i = 0; i < faults->n; i++)
        hash = fingerprint_number(hash, faults->links[i]);
    return hash;
}

/* Returns the cuts of the base: some of their links may have failed. */
static bool faulty_cut(const struct topology *topology, uint32_t i, struct topology_cut *cut)
{
    return topology_find_cut(topology->base, i, cut);
}

static const struct topology_methods faulty_methods = {
    .number = KIND_FAULTY,
    .cut = faulty_cut,
    .route = faulty_route,
    .next_choices = faulty_next_choices,
    .route_by = faulty_route_by,
    .has_link = faulty_has_link,
    .link_ends = faulty_link_ends,
    .node_name = faulty_node_name,
    .find_machine = faulty_find_machine,
    .has_lanes = faulty_has_lanes,
    .routing_rule = faulty_routing_rule,
    .fingerprint = faulty_fingerprint,
    .release = faulty_release,
};
