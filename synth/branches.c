/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the tree of the routes, and its branches. See branches.h.
 */
#include "synth/branches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

/* The cables that routes use, and their ends. */
struct tree {
    const struct bound_request *request;
    struct edge {
        uint32_t end[2], link; /* end[0] < end[1]; `link` goes from one to the other */
        bool is_back;          /* from end[1] to end[0] */
    } *edges;                  /* sorted; once joined, one for each cable */
    uint32_t n_edges;
    uint32_t *first, *other;   /* [node] its neighbours: other[first[node] .. first[node + 1] - 1] */
    uint32_t *ranks_below;     /* [node] with the node itself, seen from the root */
    uint32_t *parent, *order;  /* result of the walk from the root, `n_reached` nodes */
    uint32_t n_reached;
};

static void name_node(const struct tree *tree, uint32_t node, struct text *out)
{
    char name[256];
    topology_node_name(tree->request->topology, node, name, sizeof name);
    text_printf(out, "'");
    text_append_safe(out, name);
    text_printf(out, "'");
}

static bool branches_refuse(const struct tree *tree, const char *what, uint32_t a, const char *join,
                            uint32_t b, struct text *problem)
{
    text_printf(problem, "%s", what);
    name_node(tree, a, problem);
    text_printf(problem, "%s", join);
    name_node(tree, b, problem);
    return false;
}

/* ---- links that are used ---- */

static bool *find_used(const struct tree *tree, struct text *problem)
{
    const struct topology *topology = tree->request->topology;
    const struct placement *placement = tree->request->placement;
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    bool *is_used = mem_alloc(topology->n_link_ids, sizeof *is_used);
    bool is_whole = true;
    for (uint32_t s = 0; is_whole && s < placement->n_servers; s++)
        for (uint32_t d = 0; is_whole && d < placement->n_servers; d++) {
            const uint32_t from = placement->server_machine[s], to = placement->server_machine[d];
            const uint32_t n = topology_route(topology, from, to, hops);
            for (uint32_t i = 0; i < n; i++)
                is_used[hops[i].link] = true;
            is_whole = n > 0 || s == d ||
                       branches_refuse(tree, "no route leads from machine ", from, " to ", to, problem);
        }
    free(hops);
    if (is_whole)
        return is_used;
    free(is_used);
    return NULL;
}

static int branches_by_ends(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->end[i] != y->end[i])
            return x->end[i] < y->end[i] ? -1 : 1;
    return x->is_back != y->is_back ? (x->is_back ? 1 : -1) : (x->link > y->link) - (x->link < y->link);
}

static void branches_list_edges(struct tree *tree, const bool *is_used)
{
    const struct topology *topology = tree->request->topology;
    uint32_t from, to;
    tree->edges = mem_alloc(topology->n_links, sizeof *tree->edges);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!is_used[link])
            continue;
        topology_link_ends(topology, link, &from, &to);
        tree->edges[tree->n_edges++] =
            from < to ? (struct edge){{from, to}, link, false} : (struct edge){{to, from}, link, true};
    }
    qsort(tree->edges, tree->n_edges, sizeof *tree->edges, branches_by_ends);
}

/* Joins both directions of a cable to one edge. Returns false if two cables join the same nodes. */
static bool join_directions(struct tree *tree, struct text *problem)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->n_edges; i++) {
        const struct edge *edge = &tree->edges[i], *last = n ? &tree->edges[n - 1] : NULL;
        if (last && last->end[0] == edge->end[0] && last->end[1] == edge->end[1]) {
            if (last->is_back == edge->is_back)
                return branches_refuse(tree, "routes take several cables between ", edge->end[0], " and ",
                                       edge->end[1], problem);
            tree->edges[n - 1].is_back = true; /* a third cable then has no free direction */
            continue;
        }
        tree->edges[n++] = *edge;
    }
    tree->n_edges = n;
    return true;
}

/* ---- the tree ---- */

static void branches_list_neighbours(struct tree *tree)
{
    const uint32_t n_nodes = tree->request->topology->n_nodes;
    tree->first = mem_alloc((size_t)n_nodes + 2, sizeof *tree->first);
    tree->other = mem_alloc(2 * (size_t)tree->n_edges, sizeof *tree->other);
    for (uint32_t i = 0; i < tree->n_edges; i++)
        for (int side = 0; side < 2; side++)
            tree->first[tree->edges[i].end[side] + 2]++;
    for (uint32_t node = 0; node < n_nodes; node++)
        tree->first[node + 2] += tree->first[node + 1];
    for (uint32_t i = 0; i < tree->n_edges; i++)
        for (int side = 0; side < 2; side++)
            tree->other[tree->first[tree->edges[i].end[side] + 1]++] = tree->edges[i].end[!side];
}

/* Walks from the machine of rank 0, which reaches all others. Returns false if it comes to a node again. */
static bool branches_walk(struct tree *tree, struct text *problem)
{
    const uint32_t n_nodes = tree->request->topology->n_nodes;
    const uint32_t root = tree->request->placement->machine[0];
    tree->parent = mem_alloc(n_nodes, sizeof *tree->parent);
    tree->order = mem_alloc(n_nodes, sizeof *tree->order);
    memset(tree->parent, 0xff, n_nodes * sizeof *tree->parent);
    tree->parent[root] = root;
    tree->order[tree->n_reached++] = root;
    for (uint32_t at = 0; at < tree->n_reached; at++) {
        const uint32_t node = tree->order[at];
        for (uint32_t i = tree->first[node]; i < tree->first[node + 1]; i++) {
            const uint32_t next = tree->other[i];
            if (next == tree->parent[node])
                continue;
            if (tree->parent[next] != NOWHERE)
                return branches_refuse(tree, "routes go in a ring through ", node, " and ", next, problem);
            tree->parent[next] = node;
            tree->order[tree->n_reached++] = next;
        }
    }
    return true;
}

static void count_ranks(struct tree *tree)
{
    const struct placement *placement = tree->request->placement;
    tree->ranks_below = mem_alloc(tree->request->topology->n_nodes, sizeof *tree->ranks_below);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        tree->ranks_below[placement->machine[rank]]++;
    for (uint32_t at = tree->n_reached; at-- > 1;)
        tree->ranks_below[tree->parent[tree->order[at]]] += tree->ranks_below[tree->order[at]];
}

/* Returns the centre: goes down from the root while one neighbour has more than half of all ranks. */
static uint32_t find_centre(const struct tree *tree)
{
    const uint32_t n_ranks = tree->request->placement->n_ranks;
    uint32_t centre = tree->order[0];
    for (bool is_found = false; !is_found;) {
        is_found = true;
        for (uint32_t i = tree->first[centre]; is_found && i < tree->first[centre + 1]; i++) {
            const uint32_t next = tree->other[i];
            if (next != tree->parent[centre] && tree->ranks_below[next] > n_ranks / 2) {
                centre = next;
                is_found = false;
            }
        }
    }
    return centre;
}

/* ---- its branches ---- */

struct branch {
    uint32_t n_ranks, number;
};

static int by_size(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->n_ranks != y->n_ranks)
        return x->n_ranks > y->n_ranks ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns [node] the neighbour of the centre behind which it lies. */
static uint32_t *find_sides(const struct tree *tree, uint32_t centre)
{
    const uint32_t n_nodes = tree->request->topology->n_nodes;
    uint32_t *side = mem_alloc(n_nodes, sizeof *side), *queue = mem_alloc(n_nodes, sizeof *queue);
    uint32_t n = 0;
    memset(side, 0xff, n_nodes * sizeof *side);
    side[centre] = centre;
    queue[n++] = centre;
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = tree->first[queue[at]]; i < tree->first[queue[at] + 1]; i++) {
            const uint32_t next = tree->other[i];
            if (side[next] != NOWHERE)
                continue;
            side[next] = at == 0 ? next : side[queue[at]];
            queue[n++] = next;
        }
    free(queue);
    return side;
}

/* Numbers [rank] its branch, in the order of their lowest ranks. Returns their number. */
static uint32_t number_branches(const struct tree *tree, uint32_t centre, uint32_t *branch_of)
{
    const struct placement *placement = tree->request->placement;
    const uint32_t n_nodes = tree->request->topology->n_nodes;
    uint32_t *side = find_sides(tree, centre), *number = mem_alloc(n_nodes, sizeof *number), n = 0;
    memset(number, 0xff, n_nodes * sizeof *number);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t behind = side[placement->machine[rank]];
        assert(behind != NOWHERE && "routes join all servers");
        if (behind == centre || number[behind] == NOWHERE)
            number[behind] = n++;
        branch_of[rank] = number[behind];
    }
    free(side);
    free(number);
    return n;
}

static void sort_branches(const uint32_t *branch_of, uint32_t n_ranks, struct branches *branches)
{
    struct branch *all = mem_alloc(branches->n, sizeof *all);
    uint32_t *next = mem_alloc(branches->n, sizeof *next);
    for (uint32_t i = 0; i < branches->n; i++)
        all[i].number = i;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        all[branch_of[rank]].n_ranks++;
    qsort(all, branches->n, sizeof *all, by_size);
    branches->first = mem_alloc((size_t)branches->n + 1, sizeof *branches->first);
    branches->ranks = mem_alloc(n_ranks, sizeof *branches->ranks);
    for (uint32_t i = 0; i < branches->n; i++) {
        next[all[i].number] = branches->first[i];
        branches->first[i + 1] = branches->first[i] + all[i].n_ranks;
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        branches->ranks[next[branch_of[rank]]++] = rank;
    free(next);
    free(all);
}

static bool branches_make_tree(struct tree *tree, struct text *problem)
{
    if (tree->request->topology->n_networks > 1 || tree->request->topology->has_loose_links) {
        text_printf(problem, "these are several networks");
        return false;
    }
    bool *is_used = find_used(tree, problem);
    if (!is_used)
        return false;
    branches_list_edges(tree, is_used);
    free(is_used);
    if (!join_directions(tree, problem))
        return false;
    branches_list_neighbours(tree);
    return branches_walk(tree, problem);
}

bool branches_find(const struct bound_request *request, struct branches *branches, struct text *problem)
{
    const uint32_t n_ranks = request->placement->n_ranks;
    struct tree tree = {.request = request};
    const bool is_tree = branches_make_tree(&tree, problem);
    *branches = (struct branches){0};
    if (is_tree) {
        uint32_t *branch_of = mem_alloc(n_ranks, sizeof *branch_of);
        count_ranks(&tree);
        branches->n = number_branches(&tree, find_centre(&tree), branch_of);
        sort_branches(branch_of, n_ranks, branches);
        free(branch_of);
    }
    free(tree.edges);
    free(tree.first);
    free(tree.other);
    free(tree.parent);
    free(tree.order);
    free(tree.ranks_below);
    return is_tree;
}

void branches_free(struct branches *branches)
{
    free(branches->first);
    free(branches->ranks);
    *branches = (struct branches){0};
}
