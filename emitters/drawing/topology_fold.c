/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folds a topology that is too large to draw: nodes that are alike are drawn as one. Two are alike if they
 * have a level, and as many links with as much load to nodes that are alike; found by refinement, from the
 * levels on, for as long as the picture stays one.
 */
#include "emitters/drawing/topology_map.h"

#include "base/integer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A class per level is drawn however many there are. */
enum { FOLD_MAX_CLASSES = 24, FOLD_MAX_LINES = 60 };

struct fold_node {
    uint32_t class, node;
    uint64_t sign; /* a sum over its links, which does not depend on their order */
};

/* Mixes three numbers to 64 bits that look random (Steele et al. 2014, SplitMix). */
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = (a * 0x9e3779b97f4a7c15u ^ b) * 0xbf58476d1ce4e5b9u ^ c;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Returns 0 for no load, 1 for one that is no harm, and one more for each time it doubles above that. */
static uint32_t grade_of(const struct map *map, uint32_t link, bool by_load)
{
    const uint64_t load = by_load ? map->load[link] : 0;
    return !load ? 0 : draw_is_harm(map, load) ? 2 + (uint32_t)log2((double)load / map->calm_load) : 1;
}

static int compare_fold_nodes(const void *left, const void *right)
{
    const struct fold_node *a = left, *b = right;
    const int order = compare_numbers(a->class, b->class), then = compare_numbers(a->sign, b->sign);
    return order ? order : then ? then : compare_numbers(a->node, b->node);
}

/* Sets in `refined` the class of each node, of `class` and its links; returns the number of classes. */
static uint32_t refine(const struct map *map, const uint32_t *class, bool by_load, struct fold_node *nodes,
                       uint32_t *refined)
{
    const struct topology *t = map->topology;
    uint32_t n = 0, from, to;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        nodes[node] = (struct fold_node){class[node], node, 0};
    for (uint32_t link = 0; link < t->n_link_ids; link++) {
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        const uint32_t grade = grade_of(map, link, by_load);
        nodes[from].sign += mix(class[to], grade, 1);
        nodes[to].sign += mix(class[from], grade, 2);
    }
    qsort(nodes, map->n_nodes, sizeof *nodes, compare_fold_nodes);
    for (uint32_t i = 0; i < map->n_nodes; i++) {
        n += !i || nodes[i].class != nodes[i - 1].class || nodes[i].sign != nodes[i - 1].sign;
        refined[nodes[i].node] = n - 1;
    }
    return n;
}

/* True if lines between so many classes can be told apart. */
static bool is_drawable(const struct map *map, const uint32_t *class, uint32_t n_classes)
{
    const struct topology *t = map->topology;
    bool is_joined[FOLD_MAX_CLASSES][FOLD_MAX_CLASSES] = {{false}};
    uint32_t n = 0, from, to;
    for (uint32_t link = 0; link < t->n_link_ids && n_classes <= FOLD_MAX_CLASSES; link++) {
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        const uint32_t a = class[from] < class[to] ? class[from] : class[to], b = class[from] + class[to] - a;
        n += !is_joined[a][b];
        is_joined[a][b] = true;
    }
    return n_classes <= FOLD_MAX_CLASSES && n <= FOLD_MAX_LINES;
}

/* Refines the classes while they can be drawn; true if there are more than levels. */
static bool refine_all(const struct map *map, bool by_load, uint32_t *class)
{
    struct fold_node *nodes = mem_alloc(map->n_nodes, sizeof *nodes);
    uint32_t *refined = mem_alloc(map->n_nodes, sizeof *refined), n = 0, n_before = 0;
    bool is_finer = false;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        class[node] = map->level[node];
    while ((n = refine(map, class, by_load, nodes, refined)) > n_before && is_drawable(map, refined, n)) {
        memcpy(class, refined, map->n_nodes * sizeof *class);
        n_before = n;
        is_finer = true;
    }
    free(refined);
    free(nodes);
    return is_finer;
}

void draw_fold(struct map *map)
{
    uint32_t *class = mem_alloc(map->n_nodes, sizeof *class);
    uint32_t *first = mem_alloc((size_t)map->n_nodes + 1, sizeof *first); /* its number + 1 */
    memset(map->n_members, 0, map->n_nodes * sizeof *map->n_members);
    if (!map->load || !refine_all(map, true, class))
        refine_all(map, false, class);
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        const uint32_t place = class[node] == NO_LEVEL ? map->n_nodes : class[node];
        first[place] = first[place] ? first[place] : node + 1;
        map->drawn[node] = first[place] - 1;
        map->n_members[first[place] - 1]++;
    }
    free(first);
    free(class);
}
