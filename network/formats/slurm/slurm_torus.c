/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network of rings and three-dimensional tori: a router at every position, with cables to its
 * neighbours, and a cable to the node there. A grid topology would need no routers, but the names of its
 * machines are coordinates, and users name nodes.
 */
#include "network/formats/slurm/slurm.h"

#include "base/codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct torus_builder {
    struct slurm_network *network;
    const struct slurm_torus *torus;
    uint32_t n;        /* positions */
    uint32_t *machine; /* [position] node, or GRAPH_NONE */
    uint32_t first;    /* router of position 0; the others follow */
};

static void slurm_torus_add_cable(struct slurm_network *network, uint32_t a, uint32_t b)
{
    graph_add_cable(network->graph, a, b, TOPOLOGY_DEFAULT_BANDWIDTH, TOPOLOGY_DEFAULT_LATENCY);
}

static uint32_t slurm_torus_index_of(const uint32_t *extent, const uint32_t *at)
{
    return at[0] + extent[0] * (at[1] + extent[1] * at[2]);
}

static void slurm_torus_coordinates_of(const uint32_t *extent, uint32_t index, uint32_t *at)
{
    at[0] = index % extent[0];
    at[1] = index / extent[0] % extent[1];
    at[2] = index / extent[0] / extent[1];
}

/* ---- nodes ---- */

static bool slurm_torus_fits(struct torus_builder *builder, const struct slurm_region *region)
{
    const uint32_t *extent = builder->torus->extent;
    for (uint32_t i = 0; i < 3; i++)
        if (region->anchor[i] + region->extent[i] > extent[i]) {
            slurm_report(builder->network, CODE_T006, &region->nodes, region->nodes.text,
                         "the region leaves the torus: %u and %u more in dimension %c of %u",
                         region->anchor[i], region->extent[i], "xyz"[i], extent[i])
                ->help = "anchor and dims of a region stay within dims of the torus";
            return false;
        }
    return true;
}

/* Places node i of the region. */
static void slurm_torus_place_node(struct torus_builder *builder, const struct slurm_region *region,
                                   const struct hostlist *list, uint32_t i)
{
    struct slurm_network *network = builder->network;
    struct slice name = hostlist_get(list, i), part = slurm_part(list, i);
    uint32_t at[3];
    slurm_torus_coordinates_of(region->extent, i, at);
    for (uint32_t axis = 0; axis < 3; axis++)
        at[axis] += region->anchor[axis];
    uint32_t *machine = &builder->machine[slurm_torus_index_of(builder->torus->extent, at)];
    if (*machine != GRAPH_NONE)
        slurm_report(network, CODE_T004, &region->nodes, part,
                     "node '%.*s' is where another one is already, at (%u,%u,%u)",
                     (int)name.length, name.text, at[0], at[1], at[2])
            ->help = "regions do not overlap";
    else
        *machine = slurm_add_node(network, false, &region->nodes, name, part);
}

static void slurm_torus_add_region(struct torus_builder *builder, const struct slurm_region *region)
{
    struct slurm_network *network = builder->network;
    struct hostlist list;
    uint64_t n = (uint64_t)region->extent[0] * region->extent[1] * region->extent[2];
    if (!slurm_torus_fits(builder, region))
        return;
    bool good = slurm_expand(network, &region->nodes, &list);
    if (good && list.n != n)
        slurm_report(network, CODE_T004, &region->nodes, region->nodes.text,
                     "%u node%s for %llu positions", list.n, plural(list.n), (unsigned long long)n)
            ->help = "name one node for each position, x fastest";
    for (uint32_t i = 0; good && list.n == n && i < n; i++)
        slurm_torus_place_node(builder, region, &list, i);
    hostlist_free(&list);
}

/* ---- routers and cables ---- */

static void slurm_torus_add_router(struct torus_builder *builder, uint32_t index)
{
    struct slurm_network *network = builder->network;
    struct slice torus = builder->torus->name.text;
    uint32_t at[3];
    char name[HOSTLIST_MAX_LENGTH + 64];
    slurm_torus_coordinates_of(builder->torus->extent, index, at);
    int length = snprintf(name, sizeof name, "%.*s(%u,%u,%u)", HOSTLIST_MAX_LENGTH, torus.text,
                          at[0], at[1], at[2]);
    uint32_t node = slurm_add_node(network, true, &builder->torus->name,
                                   (struct slice){name, (size_t)length}, torus);
    if (!index)
        builder->first = node;
}

/* Adds cables to the node and to the next position in each dimension. In a ring of two, + and - are two
 * cables, as on a grid. */
static void slurm_torus_add_cables(struct torus_builder *builder, uint32_t index)
{
    const uint32_t *extent = builder->torus->extent;
    uint32_t at[3];
    if (builder->machine[index] != GRAPH_NONE)
        slurm_torus_add_cable(builder->network, builder->machine[index], builder->first + index);
    for (uint32_t axis = 0; axis < 3; axis++) {
        slurm_torus_coordinates_of(extent, index, at);
        at[axis] = (at[axis] + 1) % extent[axis];
        if (extent[axis] > 1)
            slurm_torus_add_cable(builder->network, builder->first + index,
                                  builder->first + slurm_torus_index_of(extent, at));
    }
}

static void add_torus(struct slurm_network *network, const struct slurm_torus *torus)
{
    struct torus_builder builder = {.network = network, .torus = torus};
    uint64_t n = (uint64_t)torus->extent[0] * torus->extent[1];
    if (n > HOSTLIST_MAX_NAMES || n * torus->extent[2] > HOSTLIST_MAX_NAMES) {
        slurm_report(network, CODE_T006, &torus->name, torus->name.text,
                     "torus of more than 1048576 positions");
        return;
    }
    builder.n = (uint32_t)n * torus->extent[2];
    builder.machine = mem_alloc(builder.n, sizeof *builder.machine);
    memset(builder.machine, 0xff, builder.n * sizeof *builder.machine);
    for (size_t i = 0; i < torus->n_regions; i++)
        slurm_torus_add_region(&builder, &network->regions[torus->first_region + i]);
    for (uint32_t i = 0; i < builder.n && !network->failed; i++)
        slurm_torus_add_router(&builder, i);
    for (uint32_t i = 0; i < builder.n && !network->failed; i++)
        slurm_torus_add_cables(&builder, i);
    free(builder.machine);
}

/* Refuses several toruses: Slurm schedules on each, but messages cannot leave one. */
static void refuse_several(struct slurm_network *network, const struct slurm_value *second)
{
    slurm_report(network, CODE_T005, second, second->text,
                 "a second network in the file, which nothing connects with the first")
        ->help = "give each of them a file of its own";
}

void slurm_make_toruses(struct slurm_network *network)
{
    if (network->n_toruses > 1)
        refuse_several(network, &network->toruses[1].name);
    else
        add_torus(network, &network->toruses[0]);
}

/* Makes each ring as a torus with one dimension. */
void slurm_make_rings(struct slurm_network *network)
{
    struct slurm_group *ring = &network->groups[0];
    struct hostlist list;
    if (network->n_groups > 1) {
        refuse_several(network, &network->groups[1].name);
        return;
    }
    if (!ring->nodes.text.length) {
        slurm_report(network, CODE_T004, &ring->name, ring->name.text, "a ring without nodes")
            ->help = "give it Nodes=HOSTS";
        return;
    }
    bool good = slurm_expand(network, &ring->nodes, &list);
    uint32_t n = list.n;
    hostlist_free(&list);
    network->n_names -= n; /* they are counted with the region */
    if (!good)
        return;
    network->regions = mem_resize(network->regions, 1, sizeof *network->regions);
    network->regions[0] = (struct slurm_region){.nodes = ring->nodes, .extent = {n, 1, 1}};
    add_torus(network, &(struct slurm_torus){
                           .name = ring->name, .extent = {n, 1, 1}, .n_regions = 1});
}
