/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each edge has a range of steps: after the edge before it, and early enough for its subtree. It takes
 * the step in which its links are least busy (step_loads.h), tree after tree, from the root on; then each
 * edge chooses again between its neighbours. It tries as many steps as the deepest tree has, and some
 * more. See spread.h.
 */
#include "synth/spread.h"

#include "network/load.h"
#include "synth/arcs.h"
#include "synth/step_loads.h"

#include <stdlib.h>
#include <string.h>

enum { CHOICES = 3, MOST_TIMES = 4 };

struct spread {
    const struct topology *topology;
    const uint32_t *machine;    /* [server] */
    struct packing *packing;
    uint32_t n;                 /* servers */
    bool is_backwards;
    double *cost;               /* [link] */
    struct hop *hops;
    struct step_loads loads;
    uint32_t *came;             /* [server] step after which it has the block */
    uint32_t *left;             /* [server] steps that its subtree takes after that */
};

/* Finds the links of the edge by which server i of the tree receives, and returns their number. */
static uint32_t edge(const struct spread *spread, const struct packed_tree *tree, uint32_t i)
{
    const uint32_t up = spread->machine[tree->from[i]], down = spread->machine[tree->order[i]];
    const uint32_t n = topology_route(spread->topology, spread->is_backwards ? down : up,
                                      spread->is_backwards ? up : down, spread->hops);
    return link_loads_drop_fat_pipes(spread->topology, spread->hops, n);
}

static void find_left(struct spread *spread, const struct packed_tree *tree)
{
    memset(spread->left, 0, spread->n * sizeof *spread->left);
    for (uint32_t i = spread->n - 1; i > 0; i--) {
        uint32_t *left = &spread->left[tree->from[i]];
        const uint32_t own = spread->left[tree->order[i]] + 1;
        *left = own > *left ? own : *left;
    }
}

/* Places the edges for the first time, each early enough for the rest of its subtree. */
static void spread_place(struct spread *spread, struct packed_tree *tree)
{
    find_left(spread, tree);
    spread->came[tree->order[0]] = 0;
    for (uint32_t i = 1; i < spread->n; i++) {
        const uint32_t n_hops = edge(spread, tree, i), server = tree->order[i];
        const uint32_t first = spread->came[tree->from[i]];
        const uint32_t last = spread->loads.n_steps - 1 - spread->left[server];
        const uint32_t step =
            step_loads_choose(&spread->loads, spread->hops, n_hops, first, last, tree->copies);
        step_loads_add(&spread->loads, spread->hops, n_hops, step, tree->copies);
        tree->depth[i] = spread->came[server] = step + 1;
    }
}

/* Places the edges again, each between the edge before it and the first of those after it. */
static void place_again(struct spread *spread, struct packed_tree *tree)
{
    uint32_t *before_others = spread->left; /* [server] its own edge is in a step before this one */
    for (uint32_t server = 0; server < spread->n; server++)
        before_others[server] = spread->loads.n_steps;
    for (uint32_t i = spread->n - 1; i > 0; i--)
        if (tree->depth[i] - 1 < before_others[tree->from[i]])
            before_others[tree->from[i]] = tree->depth[i] - 1;
    spread->came[tree->order[0]] = 0;
    for (uint32_t i = 1; i < spread->n; i++) {
        const uint32_t n_hops = edge(spread, tree, i), server = tree->order[i];
        step_loads_add(&spread->loads, spread->hops, n_hops, tree->depth[i] - 1, -(double)tree->copies);
        const uint32_t step =
            step_loads_choose(&spread->loads, spread->hops, n_hops, spread->came[tree->from[i]],
                              before_others[server] - 1, tree->copies);
        step_loads_add(&spread->loads, spread->hops, n_hops, step, tree->copies);
        tree->depth[i] = spread->came[server] = step + 1;
    }
}

/* Returns the sum of the busiest links with edges in the steps of their depths; *most: the busiest link
 * over all steps. */
static double spread_measure(struct spread *spread, double *most)
{
    spread->loads = step_loads_new(spread->topology->n_link_ids, spread->packing->depth, spread->cost, 0);
    for (uint32_t t = 0; t < spread->packing->n_trees; t++) {
        const struct packed_tree *tree = &spread->packing->trees[t];
        for (uint32_t i = 1; i < spread->n; i++)
            step_loads_add(&spread->loads, spread->hops, edge(spread, tree, i), tree->depth[i] - 1,
                           tree->copies);
    }
    const double sum = step_loads_sum(&spread->loads);
    *most = 0;
    for (uint32_t link = 0; link < spread->loads.n_links; link++) {
        double load = 0;
        for (uint32_t step = 0; step < spread->loads.n_steps; step++)
            load += spread->loads.load[(size_t)link * spread->loads.n_steps + step];
        *most = load > *most ? load : *most;
    }
    step_loads_free(&spread->loads);
    return sum;
}

static double try_steps(struct spread *spread, uint32_t n_steps, double most)
{
    struct packing *packing = spread->packing;
    spread->loads = step_loads_new(spread->topology->n_link_ids, n_steps, spread->cost, most);
    for (uint32_t choice = 0; choice < CHOICES; choice++)
        for (uint32_t t = 0; t < packing->n_trees; t++)
            (choice ? place_again : spread_place)(spread, &packing->trees[t]);
    const double sum = step_loads_sum(&spread->loads);
    step_loads_free(&spread->loads);
    return sum;
}

static uint32_t *keep_depths(const struct packing *packing, uint32_t n, uint32_t *kept)
{
    kept = kept ? kept : mem_alloc((size_t)packing->n_trees * n, sizeof *kept);
    for (uint32_t t = 0; t < packing->n_trees; t++)
        memcpy(kept + (size_t)t * n, packing->trees[t].depth, n * sizeof *kept);
    return kept;
}

static void put_back(struct packing *packing, uint32_t n, const uint32_t *kept)
{
    packing->depth = 0;
    for (uint32_t t = 0; t < packing->n_trees; t++) {
        memcpy(packing->trees[t].depth, kept + (size_t)t * n, n * sizeof *kept);
        for (uint32_t i = 0; i < n; i++)
            if (kept[(size_t)t * n + i] > packing->depth)
                packing->depth = kept[(size_t)t * n + i];
    }
}

void spread_trees(const struct synth_request *request, struct packing *packing, bool is_backwards,
                  double bytes, double step_ns)
{
    const struct topology *topology = request->what.topology;
    struct spread spread = {.topology = topology, .machine = request->what.placement->server_machine,
                            .packing = packing, .n = request->what.placement->n_servers,
                            .is_backwards = is_backwards};
    spread.cost = mem_alloc(topology->n_link_ids, sizeof *spread.cost);
    spread.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *spread.hops);
    spread.came = mem_alloc(spread.n, sizeof *spread.came);
    spread.left = mem_alloc(spread.n, sizeof *spread.left);
    const double ns = bytes * 1e9 / (double)arcs_link_costs(topology, spread.cost);
    const uint32_t least = packing->depth;
    double most, best = spread_measure(&spread, &most) * ns + least * step_ns;
    uint32_t *kept = keep_depths(packing, spread.n, NULL);
    for (uint32_t n_steps = least; n_steps <= MOST_TIMES * least; n_steps += n_steps / 2) {
        const double time = try_steps(&spread, n_steps, most) * ns + n_steps * step_ns;
        if (time < best) {
            best = time;
            keep_depths(packing, spread.n, kept);
        }
    }
    put_back(packing, spread.n, kept);
    free(kept);
    free(spread.cost);
    free(spread.hops);
    free(spread.came);
    free(spread.left);
}
