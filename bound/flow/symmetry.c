/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches for maps of a block onto itself. See symmetry.h.
 */
#include "bound/flow/symmetry.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Limit of arcs and nodes visited in all: a few tenths of a second. */
#define MAX_WORK (UINT64_C(1) << 24)

struct coloured {
    uint64_t colour;
    uint32_t node;
};

/* The block, and the same block again as its image. */
struct mapping {
    const struct flow_block *block;
    uint64_t *colour[2], *sum;   /* [node] */
    struct coloured *sorted[2];  /* [node] */
    uint32_t *map;               /* [node] the map, once it is found */
    uint32_t *node_root, *arc_root; /* sets of equivalent nodes and arcs: each refers to one of its set */
    uint64_t work;
};

static uint64_t symmetry_mix(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- sets of what is alike ---- */

static uint32_t symmetry_root_of(uint32_t *root, uint32_t i)
{
    while (root[i] != i)
        i = root[i] = root[root[i]];
    return i;
}

static void symmetry_join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = symmetry_root_of(root, a);
    b = symmetry_root_of(root, b);
    root[a < b ? b : a] = a < b ? a : b;
}

/* ---- colours ---- */

static int by_colour(const void *a, const void *b)
{
    const struct coloured *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t sort_colours(struct mapping *mapping, int side)
{
    const uint32_t n = mapping->block->n_nodes;
    struct coloured *sorted = mapping->sorted[side];
    uint32_t n_colours = 0;
    for (uint32_t node = 0; node < n; node++)
        sorted[node] = (struct coloured){mapping->colour[side][node], node};
    qsort(sorted, n, sizeof *sorted, by_colour);
    for (uint32_t i = 0; i < n; i++)
        n_colours += i == 0 || sorted[i].colour != sorted[i - 1].colour;
    mapping->work += n;
    return n_colours;
}

/* Refines each colour: a number made of itself and those of the neighbours, in any order. */
static void refine_once(struct mapping *mapping, int side)
{
    const struct flow_block *block = mapping->block;
    uint64_t *colour = mapping->colour[side], *sum = mapping->sum;
    memset(sum, 0, block->n_nodes * sizeof *sum);
    for (uint32_t i = 0; i < block->n_arcs; i++) {
        const struct flow_arc *arc = &block->arcs[i];
        const uint64_t kind = symmetry_mix(arc->cables * 2 + 1) ^ arc->bandwidth;
        sum[arc->from] += symmetry_mix(colour[arc->to] ^ kind);
        sum[arc->to] += symmetry_mix(~colour[arc->from] ^ kind);
    }
    for (uint32_t node = 0; node < block->n_nodes; node++)
        colour[node] = symmetry_mix(colour[node] + 3 * sum[node]);
    mapping->work += block->n_arcs;
}

/* Refines both sides as long as that tells more nodes apart. Returns the number of colours, or 0 if the
 * sides differ. */
static uint32_t symmetry_refine(struct mapping *mapping)
{
    const uint32_t n = mapping->block->n_nodes;
    uint32_t n_colours = sort_colours(mapping, 0), before;
    do {
        before = n_colours;
        refine_once(mapping, 0);
        refine_once(mapping, 1);
        n_colours = sort_colours(mapping, 0);
    } while (n_colours > before);
    sort_colours(mapping, 1);
    for (uint32_t i = 0; i < n; i++)
        if (mapping->sorted[0][i].colour != mapping->sorted[1][i].colour)
            return 0;
    return n_colours;
}

static void symmetry_begin(struct mapping *mapping)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t node = 0; node < mapping->block->n_nodes; node++)
            mapping->colour[side][node] = symmetry_mix(mapping->block->weight[node]);
}

static void fix(struct mapping *mapping, uint32_t from, uint32_t to)
{
    mapping->colour[0][from] = mapping->colour[1][to] = symmetry_mix(mapping->colour[0][from] ^ 0x5a5a);
}

/* ---- one map ---- */

/* Returns the number of the arc, or n_arcs. */
static uint32_t find_arc(const struct flow_block *block, uint32_t from, uint32_t to)
{
    const size_t arc = search_key(&block->arcs->to, sizeof *block->arcs, block->first[from],
                                  block->first[from + 1], to);
    return arc == SEARCH_NONE ? block->n_arcs : (uint32_t)arc;
}

static bool is_same_arc(const struct flow_block *block, uint32_t i, uint32_t j)
{
    return j < block->n_arcs && block->arcs[i].cables == block->arcs[j].cables &&
           block->arcs[i].bandwidth == block->arcs[j].bandwidth;
}

/* True if the map, which is one to one, keeps demands and arcs. It suffices that all arcs have an image. */
static bool symmetry_is_kept(const struct mapping *mapping)
{
    const struct flow_block *block = mapping->block;
    for (uint32_t node = 0; node < block->n_nodes; node++)
        if (block->weight[node] != block->weight[mapping->map[node]])
            return false;
    for (uint32_t i = 0; i < block->n_arcs; i++)
        if (!is_same_arc(block, i, find_arc(block, mapping->map[block->arcs[i].from],
                                            mapping->map[block->arcs[i].to])))
            return false;
    return true;
}

/* Maps a node of the first set with a common colour, as far on as `shift`: if any choice will do, this
 * makes maps that move many nodes at once. */
static void fix_next(struct mapping *mapping, uint32_t shift)
{
    const uint32_t n = mapping->block->n_nodes;
    const struct coloured *a = mapping->sorted[0], *b = mapping->sorted[1];
    uint32_t start = 0, to;
    while (start + 1 < n && a[start].colour != a[start + 1].colour)
        start++;
    to = start;
    for (uint32_t i = start; i < n && b[i].colour == b[start].colour; i++)
        if (b[i].node >= (a[start].node + shift) % n) {
            to = i;
            break;
        }
    fix(mapping, a[start].node, b[to].node);
}

/* Looks for a map that carries one node to the other, and the second two too. */
static bool find_map(struct mapping *mapping, const uint32_t from[2], const uint32_t to[2])
{
    const uint32_t n = mapping->block->n_nodes;
    symmetry_begin(mapping);
    for (int i = 0; i < 2; i++)
        if (i == 0 || from[1] != from[0])
            fix(mapping, from[i], to[i]);
    for (uint32_t n_colours = 0; n_colours < n;) {
        n_colours = symmetry_refine(mapping);
        if (n_colours == 0 || mapping->work > MAX_WORK)
            return false;
        if (n_colours < n)
            fix_next(mapping, (to[0] + n - from[0]) % n);
    }
    for (uint32_t i = 0; i < n; i++)
        mapping->map[mapping->sorted[0][i].node] = mapping->sorted[1][i].node;
    return symmetry_is_kept(mapping);
}

static void try_map(struct mapping *mapping, const uint32_t from[2], const uint32_t to[2])
{
    const struct flow_block *block = mapping->block;
    if (mapping->work > MAX_WORK || !find_map(mapping, from, to))
        return;
    for (uint32_t node = 0; node < block->n_nodes; node++)
        symmetry_join(mapping->node_root, node, mapping->map[node]);
    for (uint32_t i = 0; i < block->n_arcs; i++)
        symmetry_join(mapping->arc_root, i,
                      find_arc(block, mapping->map[block->arcs[i].from], mapping->map[block->arcs[i].to]));
}

/* ---- all that are needed ---- */

/* Tries each node that looks equivalent with one node of each set that is known so far. */
static void symmetry_try_nodes(struct mapping *mapping)
{
    const uint32_t n = mapping->block->n_nodes;
    struct coloured *alike = mem_alloc(n, sizeof *alike);
    symmetry_begin(mapping);
    symmetry_refine(mapping);
    memcpy(alike, mapping->sorted[0], n * sizeof *alike);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j-- > 0 && alike[j].colour == alike[i].colour;) {
            const uint32_t from[2] = {alike[j].node, alike[j].node};
            const uint32_t to[2] = {alike[i].node, alike[i].node};
            if (symmetry_root_of(mapping->node_root, from[0]) == from[0] &&
                symmetry_root_of(mapping->node_root, to[0]) != from[0])
                try_map(mapping, from, to);
        }
    free(alike);
}

/* Tries arcs from the same node; one node of each set suffices. */
static void try_arcs(struct mapping *mapping)
{
    const struct flow_block *block = mapping->block;
    for (uint32_t node = 0; node < block->n_nodes; node++)
        for (uint32_t i = block->first[node];
             symmetry_root_of(mapping->node_root, node) == node && i < block->first[node + 1]; i++)
            for (uint32_t j = block->first[node]; j < i; j++) {
                const uint32_t from[2] = {node, block->arcs[j].to}, to[2] = {node, block->arcs[i].to};
                if (symmetry_root_of(mapping->arc_root, j) == j &&
                    symmetry_root_of(mapping->arc_root, i) != symmetry_root_of(mapping->arc_root, j) &&
                    is_same_arc(block, i, j))
                    try_map(mapping, from, to);
            }
}

/* Joins each arc with its reverse, if demands are the same both ways. */
static void turn_arcs(struct mapping *mapping)
{
    const struct flow_block *block = mapping->block;
    for (uint32_t i = 0; i < block->n_arcs; i++)
        if (!is_same_arc(block, i, find_arc(block, block->arcs[i].to, block->arcs[i].from)))
            return;
    for (uint32_t i = 0; i < block->n_arcs; i++)
        symmetry_join(mapping->arc_root, i, find_arc(block, block->arcs[i].to, block->arcs[i].from));
}

static void find_maps(struct mapping *mapping)
{
    const uint32_t n = mapping->block->n_nodes;
    for (int side = 0; side < 2; side++) {
        mapping->colour[side] = mem_alloc(n, sizeof(uint64_t));
        mapping->sorted[side] = mem_alloc(n, sizeof(struct coloured));
    }
    mapping->sum = mem_alloc(n, sizeof *mapping->sum);
    mapping->map = mem_alloc(n, sizeof *mapping->map);
    turn_arcs(mapping);
    symmetry_try_nodes(mapping);
    try_arcs(mapping);
    for (int side = 0; side < 2; side++) {
        free(mapping->colour[side]);
        free(mapping->sorted[side]);
    }
    free(mapping->sum);
    free(mapping->map);
}

struct symmetry symmetry_of(const struct flow_block *block)
{
    struct symmetry symmetry = {mem_alloc(block->n_arcs, sizeof(uint32_t)),
                                mem_alloc(block->n_nodes, sizeof(uint32_t)), 0};
    struct mapping mapping = {.block = block, .node_root = symmetry.node_like,
                              .arc_root = mem_alloc(block->n_arcs, sizeof(uint32_t))};
    for (uint32_t i = 0; i < block->n_nodes; i++)
        mapping.node_root[i] = i;
    for (uint32_t i = 0; i < block->n_arcs; i++)
        mapping.arc_root[i] = i;
    if (block->weight && block->n_nodes > 1)
        find_maps(&mapping);
    for (uint32_t i = 0; i < block->n_nodes; i++)
        symmetry.node_like[i] = symmetry_root_of(mapping.node_root, i);
    for (uint32_t i = 0; i < block->n_arcs; i++) {
        const uint32_t root = symmetry_root_of(mapping.arc_root, i);
        symmetry.arc_class[i] = root == i ? symmetry.n_arc_classes++ : symmetry.arc_class[root];
    }
    free(mapping.arc_root);
    return symmetry;
}

void symmetry_free(struct symmetry *symmetry)
{
    free(symmetry->arc_class);
    free(symmetry->node_like);
    *symmetry = (struct symmetry){0};
}
