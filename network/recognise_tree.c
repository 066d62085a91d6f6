/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fat tree that a network can be. The level of a router is its distance from the
 * machines; its children and parents then give m and w. In the notation of
 * network/tree.c a node is (a, b):
 *
 *   b  machine 0 has b = 0; the k-th parent of a node of level i with b has
 *      b + k * W_i, which gives every router of the top level its b, since all of them
 *      are above machine 0; a child of level i has b mod W_i of its parents.
 *   a  the same way down from the top router with b = 0, below which is every machine:
 *      the k-th child has a * m + k; a parent has a / m of its children.
 *
 * Any order of parents and of children will do, each is an automorphism of the tree;
 * children are taken in the order of the first machine below them.
 */
#include "network/recognise_kinds.h"
#include "network/tree.h"

#include <stdlib.h>
#include <string.h>

struct tree_search {
    const struct skeleton *skeleton;
    uint32_t *level;   /* [node], machines 0 */
    uint32_t *by_level; /* nodes in the order of their levels */
    uint32_t level_start[TOPOLOGY_MAX_DIMENSIONS + 2];
    uint32_t *a, *b;   /* [node], GRAPH_NONE: not known yet */
    uint32_t *least;   /* [node] first machine below */
    uint32_t n_levels; /* routers; machines are level 0 */
    uint32_t down[TOPOLOGY_MAX_DIMENSIONS], up[TOPOLOGY_MAX_DIMENSIONS], cables[TOPOLOGY_MAX_DIMENSIONS];
    struct link_class classes[TOPOLOGY_MAX_DIMENSIONS];
};

/* ---- levels ---- */

/* Breadth first from all machines; false if there are too many levels, or nodes that
 * no machine reaches. */
static bool recognise_tree_find_levels(struct tree_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    uint32_t n = skeleton->n, n_machines = skeleton->graph->n_machines, n_queued = n_machines;
    memset(search->level, 0xff, n * sizeof *search->level);
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        search->level[machine] = 0;
        search->by_level[machine] = machine;
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t node = search->by_level[i], level = search->level[node] + 1;
        const struct neighbour *neighbour = neighbours_of(skeleton, node);
        for (uint32_t k = 0; k < n_neighbours(skeleton, node); k++) {
            if (search->level[neighbour[k].node] != GRAPH_NONE)
                continue;
            if (level > TOPOLOGY_MAX_DIMENSIONS)
                return false;
            search->level[neighbour[k].node] = level;
            search->by_level[n_queued++] = neighbour[k].node;
        }
    }
    search->n_levels = n_queued ? search->level[search->by_level[n_queued - 1]] : 0;
    return n_queued == n && search->n_levels > 0;
}

static void mark_levels(struct tree_search *search)
{
    for (uint32_t i = 0; i < search->skeleton->n; i++)
        search->level_start[search->level[search->by_level[i]] + 1] = i + 1;
}

/* Returns the number of neighbours of a node at that level, and one of them. */
static uint32_t n_at_level(const struct tree_search *search, uint32_t node, uint32_t level,
                           const struct neighbour **at)
{
    const struct neighbour *neighbour = neighbours_of(search->skeleton, node);
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_neighbours(search->skeleton, node); k++)
        if (search->level[neighbour[k].node] == level) {
            *at = &neighbour[k];
            n++;
        }
    return n;
}

/* m, w, p and the links of every level, each from one node of it. */
static void measure_levels(struct tree_search *search)
{
    for (uint32_t i = 0; i < search->n_levels; i++) {
        uint32_t lower = search->by_level[search->level_start[i]];
        uint32_t upper = search->by_level[search->level_start[i + 1]];
        const struct neighbour *at = NULL; /* a node of the lower level has a neighbour above, by its level */
        search->up[i] = n_at_level(search, lower, i + 1, &at);
        search->down[i] = n_at_level(search, upper, i, &at);
        search->cables[i] = at ? at->n_cables : 1;
        search->classes[i] = class_of_cable(search->skeleton, at ? at->cable : 0);
    }
}

/* ---- numbers of nodes ---- */

struct child {
    uint32_t least, node;
};

static int compare_children(const void *left, const void *right)
{
    const struct child *a = left, *b = right;
    if (a->least != b->least)
        return a->least < b->least ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Lists the neighbours of a node at a level, in the order of the first machine below them; how many.
 * `children` has room for all neighbours. */
static uint32_t children_of(const struct tree_search *search, uint32_t node, uint32_t level,
                            struct child *children)
{
    const struct neighbour *neighbour = neighbours_of(search->skeleton, node);
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_neighbours(search->skeleton, node); k++)
        if (search->level[neighbour[k].node] == level)
            children[n++] = (struct child){search->least[neighbour[k].node], neighbour[k].node};
    if (n)
        qsort(children, n, sizeof *children, compare_children);
    return n;
}

/* Nodes of a level, from the machines up, know the first machine below them. */
static void recognise_tree_find_least(struct tree_search *search)
{
    const struct skeleton *skeleton = search->skeleton;
    for (uint32_t i = 0; i < skeleton->n; i++) {
        uint32_t node = search->by_level[i], level = search->level[node];
        const struct neighbour *neighbour = neighbours_of(skeleton, node);
        search->least[node] = level ? GRAPH_NONE : node;
        for (uint32_t k = 0; k < n_neighbours(skeleton, node) && level; k++)
            if (search->level[neighbour[k].node] == level - 1 &&
                search->least[neighbour[k].node] < search->least[node])
                search->least[node] = search->least[neighbour[k].node];
    }
}

/* Gives b to the routers above machine 0, from the bottom up. */
static void recognise_tree_climb(struct tree_search *search)
{
    uint32_t width = 1;
    search->b[search->by_level[0]] = 0;
    for (uint32_t level = 0; level < search->n_levels; width *= search->up[level++])
        for (uint32_t i = search->level_start[level]; i < search->level_start[level + 1]; i++) {
            uint32_t node = search->by_level[i], next = search->b[node];
            const struct neighbour *neighbour = neighbours_of(search->skeleton, node);
            for (uint32_t k = 0; k < n_neighbours(search->skeleton, node); k++) {
                if (search->b[node] == GRAPH_NONE ||
                    search->level[neighbour[k].node] != level + 1)
                    continue;
                search->b[neighbour[k].node] = next;
                next += width;
            }
        }
}

/* Gives a to all nodes below the top router with b = 0, from the top down. */
static void recognise_tree_descend(struct tree_search *search, struct child *children)
{
    uint32_t top = search->level_start[search->n_levels];
    while (top + 1 < search->skeleton->n && search->b[search->by_level[top]] != 0)
        top++;
    search->a[search->by_level[top]] = 0;
    for (uint32_t level = search->n_levels; level > 0; level--)
        for (uint32_t i = search->level_start[level]; i < search->level_start[level + 1]; i++) {
            uint32_t node = search->by_level[i];
            if (search->a[node] == GRAPH_NONE)
                continue;
            uint32_t n = children_of(search, node, level - 1, children);
            for (uint32_t k = 0; k < n; k++)
                search->a[children[k].node] = search->a[node] * search->down[level - 1] + k;
        }
}

/* The rest: b of a node is that of a parent modulo the width, a that of a child divided. */
static void inherit(struct tree_search *search, const struct tree *tree, uint32_t i)
{
    uint32_t node = search->by_level[i], level = search->level[node];
    const struct neighbour *neighbour = neighbours_of(search->skeleton, node);
    uint32_t width = level ? tree->width[level - 1].value : 1;
    for (uint32_t k = 0; k < n_neighbours(search->skeleton, node); k++) {
        uint32_t other = neighbour[k].node;
        if (search->level[other] == level + 1 && search->b[other] != GRAPH_NONE)
            search->b[node] = search->b[other] % width;
        if (search->level[other] + 1 == level && search->a[other] != GRAPH_NONE)
            search->a[node] = search->a[other] / search->down[level - 1];
    }
}

static uint32_t recognise_tree_place_of(const struct tree_search *search, const struct topology *shape,
                                        uint32_t node)
{
    const struct tree *tree = topology_as_tree(shape);
    uint32_t level = search->level[node];
    if (level == 0)
        return search->a[node];
    return shape->n_machines + tree->router_base[level - 1] +
           search->a[node] * tree->width[level - 1].value + search->b[node];
}

static void recognise_tree_number_nodes(struct tree_search *search, const struct topology *shape,
                                        uint32_t *image)
{
    uint32_t n = search->skeleton->n;
    struct child *children = mem_alloc(n, sizeof *children);
    recognise_tree_find_least(search);
    recognise_tree_climb(search);
    recognise_tree_descend(search, children);
    for (uint32_t i = n; i-- > 0;)
        inherit(search, topology_as_tree(shape), i);
    for (uint32_t i = 0; i < n; i++)
        inherit(search, topology_as_tree(shape), i);
    for (uint32_t node = 0; node < n; node++)
        image[node] = recognise_tree_place_of(search, shape, node);
    free(children);
}

/* ---- the search ---- */

static struct topology *recognise_tree_make_tree(struct tree_search *search,
                                                 const struct topology_settings *settings, uint32_t *image)
{
    struct topology_settings complete = *settings;
    const char *problem;
    mark_levels(search);
    measure_levels(search);
    complete.classes = search->classes;
    struct topology *tree =
        topology_new_tree(&complete, search->n_levels, search->down, search->up, search->cables, &problem);
    if (tree && tree->n_nodes == search->skeleton->n)
        recognise_tree_number_nodes(search, tree, image);
    return tree;
}

struct topology *search_tree(const struct skeleton *skeleton,
                             const struct topology_settings *settings, uint32_t *image)
{
    uint32_t *scratch = mem_alloc(5 * (size_t)skeleton->n, sizeof *scratch), n = skeleton->n;
    struct tree_search search = {.skeleton = skeleton,
                                 .level = scratch,
                                 .by_level = scratch + n,
                                 .least = scratch + 2 * (size_t)n,
                                 .a = scratch + 3 * (size_t)n,
                                 .b = scratch + 4 * (size_t)n};
    memset(search.a, 0xff, 2 * (size_t)n * sizeof *search.a);
    struct topology *tree =
        recognise_tree_find_levels(&search) ? recognise_tree_make_tree(&search, settings, image) : NULL;
    free(scratch);
    return tree;
}
