/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See switch_tree.h. First every router gets a level; if all cables join neighbouring levels, routers are
 * merged from below; the result must be a tree, whose root is the middle of a longest path.
 */
#include "network/formats/slurm/switch_tree.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours of a node, each once, in order: to[first[v] .. first[v + 1] - 1]. */
struct neighbours {
    uint32_t *first, *to;
};

struct builder {
    const struct topology *topology;
    struct switch_tree *tree;
    struct text *problem;
    struct neighbours routers;
    uint32_t *level;  /* [router] */
    uint32_t *mark;   /* [router] stamp of the last set it was in */
    uint32_t stamp;
    uint64_t *pairs;  /* neighbours in the making: from << 32 | to */
    size_t n_pairs, pairs_capacity;
};

static bool switch_tree_refuse(struct builder *builder, const char *sentence, uint32_t node)
{
    char name[256];
    topology_node_name(builder->topology, node, name, sizeof name);
    text_printf(builder->problem, "'");
    text_append_safe(builder->problem, name);
    text_printf(builder->problem, "' %s", sentence);
    return false;
}

/* ---- neighbours ---- */

static void switch_tree_add_pair(struct builder *builder, uint32_t from, uint32_t to)
{
    builder->pairs = mem_grow(builder->pairs, &builder->pairs_capacity, builder->n_pairs + 1,
                              sizeof *builder->pairs);
    builder->pairs[builder->n_pairs++] = (uint64_t)from << 32 | to;
}

/* Takes the pairs. */
static struct neighbours take_neighbours(struct builder *builder, uint32_t n_nodes)
{
    struct neighbours result = {mem_alloc((size_t)n_nodes + 1, sizeof(uint32_t)),
                                mem_alloc(builder->n_pairs, sizeof(uint32_t))};
    uint32_t n = 0;
    if (builder->n_pairs)
        qsort(builder->pairs, builder->n_pairs, sizeof *builder->pairs, compare_uint64);
    for (size_t i = 0; i < builder->n_pairs; i++) {
        if (i && builder->pairs[i] == builder->pairs[i - 1])
            continue;
        result.to[n++] = (uint32_t)builder->pairs[i];
        result.first[(builder->pairs[i] >> 32) + 1] = n;
    }
    for (uint32_t node = 0; node < n_nodes; node++)
        if (result.first[node + 1] < result.first[node])
            result.first[node + 1] = result.first[node];
    builder->n_pairs = 0;
    return result;
}

static void free_neighbours(struct neighbours *neighbours)
{
    free(neighbours->first);
    free(neighbours->to);
}

/* ---- links of the topology ---- */

static bool switch_tree_add_link(struct builder *builder, uint32_t from, uint32_t to)
{
    struct switch_tree *tree = builder->tree;
    uint32_t n = tree->n_machines;
    if (from >= n && to >= n) {
        switch_tree_add_pair(builder, from - n, to - n);
        tree->n_cables++;
        return true;
    }
    if (from >= n)
        return true;
    if (to < n)
        return switch_tree_refuse(builder, "is cabled to another machine", from);
    if (tree->leaf[from] != SWITCH_NONE && tree->leaf[from] != to - n)
        return switch_tree_refuse(
            builder, "is cabled to several switches; --adapters rail:0 leaves each host its first cable", from);
    tree->leaf[from] = to - n;
    tree->has_machine[to - n] = true;
    return true;
}

static bool switch_tree_add_links(struct builder *builder)
{
    const struct topology *topology = builder->topology;
    struct switch_tree *tree = builder->tree;
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (!switch_tree_add_link(builder, from, to))
            return false;
    }
    for (uint32_t machine = 0; machine < tree->n_machines; machine++)
        if (tree->leaf[machine] == SWITCH_NONE)
            return switch_tree_refuse(builder, "is not cabled to a switch", machine);
    tree->n_cables /= 2; /* a link each way */
    builder->routers = take_neighbours(builder, tree->n_routers);
    return true;
}

/* ---- levels ---- */

/* Finds the steps to the nearest router with machines. */
static void switch_tree_find_levels(struct builder *builder)
{
    const struct switch_tree *tree = builder->tree;
    const struct neighbours *routers = &builder->routers;
    uint32_t *queue = mem_alloc(tree->n_routers, sizeof *queue), n = 0;
    builder->level = mem_alloc(tree->n_routers, sizeof *builder->level);
    for (uint32_t router = 0; router < tree->n_routers; router++) {
        builder->level[router] = tree->has_machine[router] ? 0 : SWITCH_NONE;
        if (tree->has_machine[router])
            queue[n++] = router;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = routers->first[queue[i]]; j < routers->first[queue[i] + 1]; j++) {
            uint32_t next = routers->to[j];
            if (builder->level[next] != SWITCH_NONE)
                continue;
            builder->level[next] = builder->level[queue[i]] + 1;
            queue[n++] = next;
        }
    free(queue);
}

static bool is_layered(const struct builder *builder)
{
    for (uint32_t router = 0; router < builder->tree->n_routers; router++)
        for (uint32_t j = builder->routers.first[router]; j < builder->routers.first[router + 1];
             j++)
            if (builder->level[builder->routers.to[j]] == builder->level[router])
                return false;
    return true;
}

/* ---- putting together ---- */

struct candidate {
    uint32_t level, router;
    uint64_t hash; /* hash of the groups below */
};

/* Mixes as splitmix64 does (Steele, Lea & Flood 2014). */
static uint64_t switch_tree_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Marks the groups below the router that carry the mark `among`, or any if that is 0, with
 * a new stamp. Returns the sum of their hashes; *missed: some did not carry it. */
static uint64_t mark_below(struct builder *builder, uint32_t router, uint32_t among, bool *missed)
{
    uint64_t hash = 0;
    builder->stamp++;
    for (uint32_t j = builder->routers.first[router]; j < builder->routers.first[router + 1]; j++) {
        uint32_t below = builder->routers.to[j], group = builder->tree->group[below];
        if (builder->level[below] > builder->level[router] ||
            builder->mark[group] == builder->stamp)
            continue;
        *missed = *missed || (among && builder->mark[group] != among);
        builder->mark[group] = builder->stamp;
        hash += switch_tree_mix(group);
    }
    return hash;
}

static bool is_same_below(struct builder *builder, uint32_t a, uint32_t b)
{
    bool missed = false;
    uint64_t all = mark_below(builder, a, 0, &missed);
    return mark_below(builder, b, builder->stamp, &missed) == all && !missed;
}

static int switch_tree_compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->router > y->router) - (x->router < y->router);
}

/* Joins candidates of one level; the levels below have their groups already. */
static void join_level(struct builder *builder, struct candidate *candidates, uint32_t n)
{
    bool ignored = false;
    for (uint32_t i = 0; i < n; i++)
        candidates[i].hash = mark_below(builder, candidates[i].router, 0, &ignored);
    qsort(candidates, n, sizeof *candidates, switch_tree_compare_candidates);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t other = builder->tree->group[candidates[i - 1].router];
        if (candidates[i].hash == candidates[i - 1].hash &&
            is_same_below(builder, candidates[i].router, other))
            builder->tree->group[candidates[i].router] = other;
    }
}

static void join_routers(struct builder *builder)
{
    uint32_t n = builder->tree->n_routers;
    struct candidate *candidates = mem_alloc(n, sizeof *candidates);
    builder->mark = mem_alloc(n, sizeof *builder->mark);
    for (uint32_t router = 0; router < n; router++)
        candidates[router] = (struct candidate){builder->level[router], router, 0};
    if (n)
        qsort(candidates, n, sizeof *candidates, switch_tree_compare_candidates);
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && candidates[i + run].level == candidates[i].level;)
            run++;
        if (candidates[i].level && candidates[i].level != SWITCH_NONE)
            join_level(builder, candidates + i, run);
    }
    free(candidates);
}

/* ---- the tree ---- */

#define UNSEEN (UINT32_MAX - 1) /* SWITCH_NONE is taken */

static bool is_group(const struct builder *builder, uint32_t router)
{
    return builder->tree->group[router] == router && builder->level[router] != SWITCH_NONE;
}

static struct neighbours find_branches(struct builder *builder)
{
    const struct switch_tree *tree = builder->tree;
    for (uint32_t router = 0; router < tree->n_routers; router++)
        for (uint32_t j = builder->routers.first[router]; j < builder->routers.first[router + 1];
             j++)
            if (tree->group[router] != tree->group[builder->routers.to[j]])
                switch_tree_add_pair(builder, tree->group[router], tree->group[builder->routers.to[j]]);
    return take_neighbours(builder, tree->n_routers);
}

/* Walks breadth-first from `root` and fills parent, and order from place `from` on. Returns the place
 * behind the last node that it reaches. */
static uint32_t switch_tree_walk(struct switch_tree *tree, const struct neighbours *branches, uint32_t root,
                                 uint32_t from)
{
    uint32_t n = from;
    tree->order[n++] = root;
    tree->parent[root] = SWITCH_NONE;
    for (uint32_t i = from; i < n; i++)
        for (uint32_t j = branches->first[tree->order[i]]; j < branches->first[tree->order[i] + 1];
             j++)
            if (tree->parent[branches->to[j]] == UNSEEN) {
                tree->parent[branches->to[j]] = tree->order[i];
                tree->order[n++] = branches->to[j];
            }
    return n;
}

/* Returns the middle node of a path; of two, one without machines. */
static uint32_t switch_tree_find_middle(const struct switch_tree *tree, uint32_t end)
{
    uint32_t length = 0, at = end;
    for (uint32_t up = end; tree->parent[up] != SWITCH_NONE; up = tree->parent[up])
        length++;
    for (uint32_t i = 0; i < length / 2; i++)
        at = tree->parent[at];
    if (length % 2 && tree->has_machine[at])
        at = tree->parent[at];
    return at;
}

/* Walks anew from another node of the tree whose nodes are in order[from .. end - 1]. */
static void switch_tree_walk_again(struct switch_tree *tree, const struct neighbours *branches, uint32_t root,
                                   uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++)
        tree->parent[tree->order[i]] = UNSEEN;
    switch_tree_walk(tree, branches, root, from);
}

/* Finds the root of each tree: the middle of its longest path. */
static bool switch_tree_find_roots(struct builder *builder, const struct neighbours *branches)
{
    struct switch_tree *tree = builder->tree;
    uint32_t n = 0;
    for (uint32_t router = 0; router < tree->n_routers; router++)
        tree->parent[router] = UNSEEN;
    for (uint32_t router = 0; router < tree->n_routers; router++) {
        if (!is_group(builder, router) || tree->parent[router] != UNSEEN)
            continue;
        const uint32_t end = switch_tree_walk(tree, branches, router, n);
        switch_tree_walk_again(tree, branches, tree->order[end - 1], n, end);
        switch_tree_walk_again(tree, branches, switch_tree_find_middle(tree, tree->order[end - 1]), n, end);
        tree->n_trees++;
        n = end;
    }
    tree->n_branches = tree->n_groups - tree->n_trees;
    if (branches->first[tree->n_routers] == 2 * tree->n_branches && n == tree->n_groups)
        return true;
    text_printf(builder->problem, "its switches form no tree, not even with those of a level put together that "
                                  "have the same neighbours below");
    return false;
}

static bool switch_tree_make_tree(struct builder *builder)
{
    struct switch_tree *tree = builder->tree;
    for (uint32_t router = 0; router < tree->n_routers; router++)
        tree->group[router] = router;
    switch_tree_find_levels(builder);
    if (is_layered(builder))
        join_routers(builder);
    for (uint32_t router = 0; router < tree->n_routers; router++)
        tree->n_groups += is_group(builder, router);
    tree->parent = mem_alloc(tree->n_routers, sizeof *tree->parent);
    tree->order = mem_alloc(tree->n_groups, sizeof *tree->order);
    struct neighbours branches = find_branches(builder);
    bool good = switch_tree_find_roots(builder, &branches);
    free_neighbours(&branches);
    return good;
}

bool switch_tree_make(const struct topology *topology, struct switch_tree *tree,
                      struct text *problem)
{
    struct builder builder = {.topology = topology, .tree = tree, .problem = problem};
    *tree = (struct switch_tree){.n_machines = topology->n_machines,
                                 .n_routers = topology->n_nodes - topology->n_machines};
    tree->leaf = mem_alloc(tree->n_machines, sizeof *tree->leaf);
    memset(tree->leaf, 0xff, tree->n_machines * sizeof *tree->leaf);
    tree->has_machine = mem_alloc(tree->n_routers, sizeof *tree->has_machine);
    tree->group = mem_alloc(tree->n_routers, sizeof *tree->group);
    bool good = switch_tree_add_links(&builder) && switch_tree_make_tree(&builder);
    free_neighbours(&builder.routers);
    free(builder.level);
    free(builder.mark);
    free(builder.pairs);
    return good;
}

void switch_tree_free(struct switch_tree *tree)
{
    free(tree->leaf);
    free(tree->has_machine);
    free(tree->group);
    free(tree->parent);
    free(tree->order);
}
