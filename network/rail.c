/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes rail-optimised fabrics, and finds the one that an explicit network is. See rail.h and recognise.h.
 */
#include "network/rail.h"

#include "network/explicit.h"
#include "network/host_ports.h"
#include "network/recognise_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of nodes, in the order in which they are added ---- */

static uint32_t rail_n_machines(const struct rail_shape *shape)
{
    return shape->hosts * shape->groups;
}

static uint32_t rail_leaf(const struct rail_shape *shape, uint32_t group, uint32_t rail)
{
    return rail_n_machines(shape) + group * shape->rails + rail;
}

/* Returns spine number i of a rail; where spines are shared the rail makes no difference. */
static uint32_t rail_spine(const struct rail_shape *shape, uint32_t rail, uint32_t i)
{
    return rail_leaf(shape, shape->groups, 0) + (shape->has_planes ? rail * shape->spines : 0) + i;
}

static uint32_t rail_core(const struct rail_shape *shape, uint32_t i)
{
    return rail_spine(shape, shape->has_planes ? shape->rails : 0, shape->has_planes ? 0 : shape->spines) + i;
}

/* ---- making ---- */

static bool rail_is_possible(const struct rail_shape *shape, const char **problem)
{
    const double leaves = (double)shape->rails * shape->groups;
    const double cables = leaves * shape->hosts + leaves * shape->spines +
                          (shape->has_planes ? (double)shape->rails * shape->spines * shape->cores : 0);
    *problem = NULL;
    if (!shape->hosts || !shape->rails || !shape->groups)
        *problem = "numbers of hosts, rails and groups are at least 1";
    else if (shape->rails > HOST_PORTS_MAX)
        *problem = "a host has at most 255 rails";
    else if (!shape->spines && shape->groups > 1)
        *problem = "without spines there is one group of hosts";
    else if (cables > EXPLICIT_MAX_CABLES || (double)shape->spines + shape->cores > EXPLICIT_MAX_CABLES)
        *problem = "it has more than 2^20 cables";
    return !*problem;
}

static void rail_add_nodes(struct graph *graph, const struct rail_shape *shape)
{
    const uint32_t n_planes = shape->has_planes ? shape->rails : 1;
    for (uint32_t machine = 0; machine < rail_n_machines(shape); machine++)
        explicit_add_node(graph, "m", machine, GRAPH_NONE);
    for (uint32_t group = 0; group < shape->groups; group++)
        for (uint32_t rail = 0; rail < shape->rails; rail++)
            explicit_add_node(graph, "leaf", group, rail);
    for (uint32_t plane = 0; plane < n_planes; plane++)
        for (uint32_t i = 0; i < shape->spines; i++)
            explicit_add_node(graph, "spine", shape->has_planes ? plane : i, shape->has_planes ? i : GRAPH_NONE);
    for (uint32_t i = 0; i < shape->cores; i++)
        explicit_add_node(graph, "core", i, GRAPH_NONE);
}

static void rail_add_cables(struct graph *graph, const struct rail_shape *shape,
                            const struct link_class classes[2])
{
    const struct link_class *of_host = &classes[0], *of_switch = &classes[1];
    for (uint32_t machine = 0; machine < rail_n_machines(shape); machine++)
        for (uint32_t rail = 0; rail < shape->rails; rail++)
            explicit_add_cable(graph, machine, rail_leaf(shape, machine / shape->hosts, rail), of_host);
    for (uint32_t group = 0; group < shape->groups; group++)
        for (uint32_t rail = 0; rail < shape->rails; rail++)
            for (uint32_t i = 0; i < shape->spines; i++)
                explicit_add_cable(graph, rail_leaf(shape, group, rail), rail_spine(shape, rail, i),
                                   of_switch);
    for (uint32_t rail = 0; shape->cores && rail < shape->rails; rail++)
        for (uint32_t i = 0; i < shape->spines; i++)
            for (uint32_t core = 0; core < shape->cores; core++)
                explicit_add_cable(graph, rail_spine(shape, rail, i), rail_core(shape, core), of_switch);
}

static void rail_name_adapters(struct graph *graph, const struct rail_shape *shape)
{
    char name[24];
    for (uint32_t cable = 0; cable < rail_n_machines(shape) * shape->rails; cable++) {
        const int length = snprintf(name, sizeof name, "rail%" PRIu32, cable % shape->rails);
        graph_name_adapter(graph, 2 * cable, name, (size_t)length);
    }
}

/* Appends "rail:64x8x4,up=16". */
static void rail_shape_print(const struct rail_shape *shape, struct text *out)
{
    text_printf(out, "rail:%" PRIu32 "x%" PRIu32, shape->hosts, shape->rails);
    if (shape->groups > 1)
        text_printf(out, "x%" PRIu32, shape->groups);
    if (shape->has_planes)
        text_printf(out, ",up=%" PRIu32 "x%" PRIu32, shape->spines, shape->cores);
    else if (shape->spines != shape->hosts)
        text_printf(out, ",up=%" PRIu32, shape->spines);
}

struct topology *topology_new_rail(const struct topology_settings *settings, const struct rail_shape *shape,
                                   const char **problem)
{
    struct link_class classes[2];
    struct text name = {0};
    if (!rail_is_possible(shape, problem))
        return NULL;
    explicit_classes(settings, 2, classes);
    struct graph *graph = graph_new();
    rail_add_nodes(graph, shape);
    rail_add_cables(graph, shape, classes);
    rail_name_adapters(graph, shape);
    graph->may_be_apart = true;
    rail_shape_print(shape, &name);
    return explicit_new(settings, classes, shape->spines ? 2 : 1, graph, &name);
}

/* ---- recognition ---- */

struct rail_search {
    const struct skeleton *skeleton;
    const struct graph *graph;
    struct rail_shape shape;
    uint32_t *image; /* GRAPH_NONE where it is not known yet */
};

/* Returns the switch at a port of a machine; GRAPH_NONE: none is there. */
static uint32_t rail_leaf_at(const struct rail_search *search, uint32_t machine, uint32_t rail)
{
    const struct host_ports *ports = search->skeleton->ports;
    const uint32_t link = host_ports_at(ports, ports->leaves, machine, rail);
    const uint32_t leaf = link == NO_NEXT_LINK ? GRAPH_NONE : graph_link_to(search->graph, link);
    return leaf == GRAPH_NONE || leaf < search->graph->n_machines ? GRAPH_NONE : leaf;
}

/* Puts machines into groups by the switch of their first rail. False if groups are not equally large, or
 * machines do not have a cable for each rail. */
static bool rail_find_groups(struct rail_search *search)
{
    const struct graph *graph = search->graph;
    struct rail_shape *shape = &search->shape;
    uint32_t *n_of = mem_alloc(graph->n_nodes, sizeof *n_of);
    uint32_t *group_of = mem_alloc(graph->n_nodes, sizeof *group_of);
    bool is_right = true;
    for (uint32_t machine = 0; machine < graph->n_machines && is_right; machine++) {
        const uint32_t leaf = rail_leaf_at(search, machine, 0);
        is_right = leaf != GRAPH_NONE &&
                   graph->first[machine + 1] - graph->first[machine] == shape->rails;
        if (is_right && !n_of[leaf]++)
            group_of[leaf] = shape->groups++;
    }
    shape->hosts = is_right && shape->groups ? graph->n_machines / shape->groups : 0;
    memset(n_of, 0, graph->n_nodes * sizeof *n_of);
    for (uint32_t machine = 0; machine < graph->n_machines && is_right; machine++) {
        const uint32_t leaf = rail_leaf_at(search, machine, 0), group = group_of[leaf];
        is_right = n_of[leaf] < shape->hosts;
        search->image[machine] = group * shape->hosts + n_of[leaf]++;
        for (uint32_t rail = 0; rail < shape->rails && is_right; rail++) {
            const uint32_t other = rail_leaf_at(search, machine, rail);
            is_right = other != GRAPH_NONE;
            if (is_right)
                search->image[other] = rail_leaf(shape, group, rail);
        }
    }
    free(n_of);
    free(group_of);
    return is_right && shape->hosts * shape->groups == graph->n_machines;
}

/* Returns the rail of the leaves that a switch is cabled to, the first that is met; GRAPH_NONE: to no
 * leaf. */
static uint32_t rail_below(const struct rail_search *search, uint32_t node)
{
    const struct rail_shape *shape = &search->shape;
    const uint32_t first = rail_leaf(shape, 0, 0), end = rail_leaf(shape, shape->groups, 0);
    const struct neighbour *neighbours = neighbours_of(search->skeleton, node);
    for (uint32_t i = 0; i < n_neighbours(search->skeleton, node); i++) {
        const uint32_t image = search->image[neighbours[i].node];
        if (image >= first && image < end)
            return (image - first) % shape->rails;
    }
    return GRAPH_NONE;
}

/* Numbers spines and cores. Spines are of planes if a leaf is not cabled to all of them. */
static void rail_find_spines(struct rail_search *search)
{
    const struct graph *graph = search->graph;
    struct rail_shape *shape = &search->shape;
    const uint32_t leaf = rail_leaf_at(search, 0, 0);
    uint32_t n_spines = 0, n_cores = 0, most = n_neighbours(search->skeleton, leaf);
    uint32_t *rail_of = mem_alloc(graph->n_nodes, sizeof *rail_of);
    uint32_t *n_of_rail = mem_alloc(shape->rails, sizeof *n_of_rail);
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++) {
        rail_of[node] = search->image[node] == GRAPH_NONE ? rail_below(search, node) : GRAPH_NONE;
        n_spines += rail_of[node] != GRAPH_NONE;
    }
    most -= most < shape->hosts ? most : shape->hosts;
    shape->has_planes = most < n_spines;
    shape->spines = shape->has_planes ? n_spines / shape->rails : n_spines;
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++) {
        const uint32_t rail = rail_of[node];
        if (rail != GRAPH_NONE)
            search->image[node] = rail_spine(shape, rail, n_of_rail[shape->has_planes ? rail : 0]++);
    }
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (search->image[node] == GRAPH_NONE)
            search->image[node] = rail_core(shape, n_cores++);
    shape->cores = n_cores;
    free(rail_of);
    free(n_of_rail);
}

/* Returns the numbers of a cable of host 0 and of one among switches. */
static void rail_find_classes(const struct rail_search *search, struct link_class classes[2])
{
    const struct skeleton *skeleton = search->skeleton;
    classes[0] = classes[1] = class_of_cable(skeleton, neighbours_of(skeleton, 0)[0].cable);
    for (uint32_t cable = 0; cable < search->graph->n_cables; cable++)
        if (search->graph->cables[cable].end[0] >= search->graph->n_machines &&
            search->graph->cables[cable].end[1] >= search->graph->n_machines) {
            classes[1] = class_of_cable(skeleton, cable);
            return;
        }
}

struct topology *search_rail(const struct skeleton *skeleton, const struct topology_settings *settings,
                             uint32_t *image)
{
    struct topology_settings complete = *settings;
    struct rail_search search = {
        .skeleton = skeleton, .graph = skeleton->graph, .image = image,
        .shape.rails = skeleton->ports ? skeleton->ports->n : 0};
    struct link_class classes[2];
    const char *problem;
    if (search.shape.rails < 2)
        return NULL;
    for (uint32_t node = 0; node < skeleton->graph->n_nodes; node++)
        image[node] = GRAPH_NONE;
    if (!rail_find_groups(&search))
        return NULL;
    rail_find_spines(&search);
    if (search.shape.cores && !search.shape.has_planes)
        return NULL;
    rail_find_classes(&search, classes);
    complete.classes = classes;
    return topology_new_rail(&complete, &search.shape, &problem);
}
