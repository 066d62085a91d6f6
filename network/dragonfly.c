/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes Dragonfly+ networks, and finds the one that an explicit network is. See dragonfly.h and recognise.h.
 */
#include "network/dragonfly.h"

#include "network/explicit.h"
#include "network/recognise_kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Groups of a network that is recognised: their pairs are counted. */
enum { DRAGONFLY_MAX_GROUPS = 4096 };

/* ---- numbers of nodes, in the order in which they are added ---- */

static uint32_t dragonfly_machine(const struct dragonfly_shape *shape, uint32_t leaf, uint32_t i)
{
    return leaf * shape->hosts + i;
}

/* A leaf has one number over all groups. */
static uint32_t dragonfly_leaf(const struct dragonfly_shape *shape, uint32_t leaf)
{
    return dragonfly_machine(shape, shape->groups * shape->leaves, 0) + leaf;
}

static uint32_t dragonfly_spine(const struct dragonfly_shape *shape, uint32_t group, uint32_t i)
{
    return dragonfly_leaf(shape, shape->groups * shape->leaves) + group * shape->spines + i;
}

/* Returns the spine of a group at which cable number i to another group ends. */
static uint32_t dragonfly_end(const struct dragonfly_shape *shape, uint32_t group, uint32_t other, uint32_t i)
{
    const uint64_t before = (uint64_t)(other - (other > group)) * shape->cables;
    return (uint32_t)((before + i) % shape->spines);
}

/* ---- making ---- */

static bool dragonfly_is_possible(const struct dragonfly_shape *shape, const char **problem)
{
    const double leaves = (double)shape->leaves * shape->groups;
    const double cables = leaves * shape->hosts + leaves * shape->spines +
                          (double)shape->groups * shape->groups / 2 * shape->cables;
    *problem = NULL;
    if (!shape->hosts || !shape->leaves || !shape->spines || !shape->cables)
        *problem = "numbers of hosts, leaves, spines and cables are at least 1";
    else if (shape->groups < 2)
        *problem = "it has two groups at least: one is a fattree";
    else if (cables > EXPLICIT_MAX_CABLES || (double)shape->spines * shape->groups > EXPLICIT_MAX_CABLES)
        *problem = "it has more than 2^20 cables";
    return !*problem;
}

static struct graph *dragonfly_make(const struct dragonfly_shape *shape, const struct link_class *classes)
{
    struct graph *graph = graph_new();
    const uint32_t n_leaves = shape->groups * shape->leaves;
    for (uint32_t i = 0; i < n_leaves * shape->hosts; i++)
        explicit_add_node(graph, "m", i, GRAPH_NONE);
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
        explicit_add_node(graph, "leaf", leaf / shape->leaves, leaf % shape->leaves);
    for (uint32_t group = 0; group < shape->groups; group++)
        for (uint32_t i = 0; i < shape->spines; i++)
            explicit_add_node(graph, "spine", group, i);
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++) {
        for (uint32_t i = 0; i < shape->hosts; i++)
            explicit_add_cable(graph, dragonfly_machine(shape, leaf, i), dragonfly_leaf(shape, leaf),
                               &classes[0]);
        for (uint32_t i = 0; i < shape->spines; i++)
            explicit_add_cable(graph, dragonfly_leaf(shape, leaf),
                               dragonfly_spine(shape, leaf / shape->leaves, i), &classes[1]);
    }
    for (uint32_t a = 0; a < shape->groups; a++)
        for (uint32_t b = a + 1; b < shape->groups; b++)
            for (uint32_t i = 0; i < shape->cables; i++)
                explicit_add_cable(graph, dragonfly_spine(shape, a, dragonfly_end(shape, a, b, i)),
                                   dragonfly_spine(shape, b, dragonfly_end(shape, b, a, i)), &classes[2]);
    return graph;
}

struct topology *topology_new_dragonfly(const struct topology_settings *settings,
                                        const struct dragonfly_shape *shape, const char **problem)
{
    struct link_class classes[3];
    struct text name = {0};
    if (!dragonfly_is_possible(shape, problem))
        return NULL;
    explicit_classes(settings, 3, classes);
    text_printf(&name, "dragonfly+:%" PRIu32 "x%" PRIu32 "x%" PRIu32, shape->hosts, shape->leaves, shape->groups);
    if (shape->spines != shape->hosts || shape->cables != shape->spines)
        text_printf(&name, ",up=%" PRIu32, shape->spines);
    if (shape->cables != shape->spines)
        text_printf(&name, "x%" PRIu32, shape->cables);
    return explicit_new(settings, classes, 3, dragonfly_make(shape, classes), &name);
}

/* ---- recognition ---- */

struct dragonfly_search {
    const struct skeleton *skeleton;
    struct dragonfly_shape shape;
    struct link_class classes[3];
    uint32_t *image;
    uint32_t *group;  /* [node] of a switch */
    uint32_t *number; /* [node] of a leaf over all groups, of a spine in its group; first machines met */
    bool *is_leaf;    /* [node] */
    uint32_t *spines; /* [group * spines + number in the order in which they are met] nodes */
};

static bool is_machine(const struct dragonfly_search *search, uint32_t node)
{
    return node < search->skeleton->graph->n_machines;
}

/* Finds the leaves: switches with machines, equally many each, which have one cable each. */
static bool dragonfly_find_leaves(struct dragonfly_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    const uint32_t n_machines = skeleton->graph->n_machines;
    bool is_right = n_machines > 0;
    for (uint32_t machine = 0; machine < n_machines && is_right; machine++) {
        const struct neighbour *at = neighbours_of(skeleton, machine);
        is_right = n_neighbours(skeleton, machine) == 1 && !is_machine(search, at->node) && at->n_cables == 1;
        if (is_right) {
            search->is_leaf[at->node] = true;
            search->image[machine] = search->number[at->node]++;
            search->classes[0] = class_of_cable(skeleton, at->cable);
        }
    }
    const uint32_t hosts = is_right ? search->number[neighbours_of(skeleton, 0)->node] : 0;
    for (uint32_t node = n_machines; node < skeleton->graph->n_nodes && is_right; node++)
        is_right = !search->is_leaf[node] || search->number[node] == hosts;
    search->shape.hosts = hosts;
    return is_right;
}

/* Puts the leaf of a machine and all switches joined with it by cables of leaves into a new group. False:
 * the leaf has cables to leaves, or more than one to a spine, or not as many spines as the first. */
static bool dragonfly_take_group(struct dragonfly_search *search, uint32_t first_leaf, uint32_t *queue)
{
    const struct skeleton *skeleton = search->skeleton;
    const uint32_t group = search->shape.groups++;
    uint32_t head = 0, tail = 0, n_leaves = 0, n_spines = 0;
    search->group[first_leaf] = group;
    queue[tail++] = first_leaf;
    while (head < tail) {
        const uint32_t node = queue[head++];
        const struct neighbour *at = neighbours_of(skeleton, node);
        uint32_t *n_own = search->is_leaf[node] ? &n_leaves : &n_spines;
        search->number[node] = search->is_leaf[node] ? group * search->shape.leaves + n_leaves : n_spines;
        (*n_own)++;
        for (uint32_t i = 0; i < n_neighbours(skeleton, node); i++) {
            if (is_machine(search, at[i].node) || search->is_leaf[node] == search->is_leaf[at[i].node]) {
                if (search->is_leaf[node] && !is_machine(search, at[i].node))
                    return false;
                continue;
            }
            search->classes[1] = class_of_cable(skeleton, at[i].cable);
            if (at[i].n_cables != 1)
                return false;
            if (search->group[at[i].node] != GRAPH_NONE)
                continue;
            search->group[at[i].node] = group;
            queue[tail++] = at[i].node;
        }
    }
    if (!group)
        search->shape.leaves = n_leaves, search->shape.spines = n_spines;
    return n_spines && search->shape.leaves == n_leaves && search->shape.spines == n_spines;
}

static bool dragonfly_find_groups(struct dragonfly_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    const struct graph *graph = skeleton->graph;
    uint32_t *queue = mem_alloc(graph->n_nodes, sizeof *queue);
    bool is_right = true;
    for (uint32_t machine = 0; machine < graph->n_machines && is_right; machine++) {
        const uint32_t leaf = neighbours_of(skeleton, machine)->node;
        is_right = search->group[leaf] != GRAPH_NONE || dragonfly_take_group(search, leaf, queue);
    }
    free(queue);
    /* every leaf has a cable to every spine of its group */
    for (uint32_t node = graph->n_machines; node < graph->n_nodes && is_right; node++)
        is_right = search->group[node] != GRAPH_NONE &&
                   (!search->is_leaf[node] ||
                    n_neighbours(skeleton, node) == search->shape.hosts + search->shape.spines);
    return is_right && search->shape.groups > 1 && search->shape.groups <= DRAGONFLY_MAX_GROUPS;
}

/* Counts the cables between groups: equally many between any two. */
static bool dragonfly_count_cables(struct dragonfly_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    const uint32_t n = search->shape.groups;
    uint32_t *between = mem_alloc((size_t)n * n, sizeof *between);
    bool is_right = true;
    for (uint32_t node = skeleton->graph->n_machines; node < skeleton->graph->n_nodes; node++)
        for (uint32_t i = 0; i < n_neighbours(skeleton, node) && !search->is_leaf[node]; i++) {
            const struct neighbour *at = &neighbours_of(skeleton, node)[i];
            if (search->is_leaf[at->node])
                continue;
            between[search->group[node] * n + search->group[at->node]] += at->n_cables;
            search->classes[2] = class_of_cable(skeleton, at->cable);
        }
    search->shape.cables = between[1];
    for (uint32_t a = 0; a < n && is_right; a++)
        for (uint32_t b = 0; b < n && is_right; b++)
            is_right = between[a * n + b] == (a == b ? 0 : search->shape.cables);
    free(between);
    return is_right && search->shape.cables;
}

/* Gives a spine of a group that number, if it has none and nobody has it: the first that has a cable to the
 * other group, to the spine `to` unless that is GRAPH_NONE. Returns the spine that has it now, or
 * GRAPH_NONE. */
static uint32_t dragonfly_number(struct dragonfly_search *search, uint32_t group, uint32_t number,
                                 uint32_t other, uint32_t to)
{
    const struct skeleton *skeleton = search->skeleton;
    const uint32_t *spines = &search->spines[group * search->shape.spines];
    for (uint32_t i = 0; i < search->shape.spines; i++)
        if (search->number[spines[i]] == number)
            return spines[i];
    for (uint32_t i = 0; i < search->shape.spines; i++) {
        const uint32_t n = search->number[spines[i]] == GRAPH_NONE ? n_neighbours(skeleton, spines[i]) : 0;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t node = neighbours_of(skeleton, spines[i])[k].node;
            if (search->is_leaf[node] || search->group[node] != other || (to != GRAPH_NONE && node != to))
                continue;
            search->number[spines[i]] = number;
            return spines[i];
        }
    }
    return GRAPH_NONE;
}

/* Numbers the spines by the cables between groups, as far as that goes. */
static void dragonfly_number_spines(struct dragonfly_search *search)
{
    const struct graph *graph = search->skeleton->graph;
    const struct dragonfly_shape *shape = &search->shape;
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (!search->is_leaf[node]) {
            search->spines[search->group[node] * shape->spines + search->number[node]] = node;
            search->number[node] = GRAPH_NONE;
        }
    for (uint32_t a = 0; a < shape->groups; a++)
        for (uint32_t b = a + 1; b < shape->groups; b++)
            for (uint32_t i = 0; i < shape->cables; i++) {
                const uint32_t from =
                    dragonfly_number(search, a, dragonfly_end(shape, a, b, i), b, GRAPH_NONE);
                if (from != GRAPH_NONE)
                    dragonfly_number(search, b, dragonfly_end(shape, b, a, i), a, from);
            }
}

/* Gives the numbers that are left to the spines without one, such as those without cables to other groups. */
static void dragonfly_number_rest(struct dragonfly_search *search)
{
    const struct dragonfly_shape *shape = &search->shape;
    bool *is_taken = mem_alloc(shape->spines, sizeof *is_taken);
    for (uint32_t group = 0; group < shape->groups; group++) {
        const uint32_t *spines = &search->spines[group * shape->spines];
        uint32_t next = 0;
        memset(is_taken, 0, shape->spines * sizeof *is_taken);
        for (uint32_t i = 0; i < shape->spines; i++)
            if (search->number[spines[i]] != GRAPH_NONE)
                is_taken[search->number[spines[i]]] = true;
        for (uint32_t i = 0; i < shape->spines; i++) {
            if (search->number[spines[i]] != GRAPH_NONE)
                continue;
            while (is_taken[next])
                next++;
            search->number[spines[i]] = next++;
        }
    }
    free(is_taken);
}

static void dragonfly_fill_image(struct dragonfly_search *search)
{
    const struct graph *graph = search->skeleton->graph;
    const struct dragonfly_shape *shape = &search->shape;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        const uint32_t leaf = neighbours_of(search->skeleton, machine)->node;
        search->image[machine] = dragonfly_machine(shape, search->number[leaf], search->image[machine]);
    }
    dragonfly_number_spines(search);
    dragonfly_number_rest(search);
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        search->image[node] = search->is_leaf[node]
                                  ? dragonfly_leaf(shape, search->number[node])
                                  : dragonfly_spine(shape, search->group[node], search->number[node]);
}

struct topology *search_dragonfly(const struct skeleton *skeleton, const struct topology_settings *settings,
                                  uint32_t *image)
{
    const uint32_t n = skeleton->graph->n_nodes;
    struct dragonfly_search search = {.skeleton = skeleton,
                                      .image = image,
                                      .group = mem_alloc(n, sizeof *search.group),
                                      .number = mem_alloc(n, sizeof *search.number),
                                      .is_leaf = mem_alloc(n, sizeof *search.is_leaf),
                                      .spines = mem_alloc(n, sizeof *search.spines)};
    struct topology_settings complete = *settings;
    struct topology *shape = NULL;
    const char *problem;
    for (uint32_t node = 0; node < n; node++)
        search.group[node] = GRAPH_NONE;
    /* Groups of a single leaf are trees that something joins. */
    if (dragonfly_find_leaves(&search) && dragonfly_find_groups(&search) && search.shape.leaves > 1 &&
        dragonfly_count_cables(&search)) {
        dragonfly_fill_image(&search);
        complete.classes = search.classes;
        shape = topology_new_dragonfly(&complete, &search.shape, &problem);
    }
    free(search.group);
    free(search.number);
    free(search.is_leaf);
    free(search.spines);
    return shape;
}
