/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guesses shapes from what most nodes have in common. See fabric_nearest.h.
 */
#include "study/fabric/fabric_nearest.h"
#include "base/integer.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/tree.h"
#include "study/fabric/fabric_plan.h"
#include "study/fabric/wiring.h"

#include <stdlib.h>

enum { LEAST_CABLES = 16, TOLERANCE = 8, MAX_GRIDS = 6, MAX_GRID_NODES = 1 << 14 };

static const struct topology_settings fabric_nearest_settings = {.latency = TOPOLOGY_DEFAULT_LATENCY};

/* ---- trees ---- */

static uint32_t count_at_level(const struct wiring *wiring, uint32_t node, uint32_t level)
{
    uint32_t n = 0;
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++)
        n += wiring->level[wiring->edges[i].node] == level;
    return n;
}

/* Returns the number of neighbours at level `other` that most nodes of a level have. */
static uint32_t usual_neighbours(const struct wiring *wiring, uint32_t level, uint32_t other)
{
    uint32_t *counts = mem_alloc((size_t)wiring->n + 1, sizeof *counts), n = 0, usual = 0, most = 0;
    for (uint32_t node = 0; node < wiring->n; node++)
        if (wiring->level[node] == level)
            counts[n++] = count_at_level(wiring, node, other);
    qsort(counts, n, sizeof *counts, compare_uint32);
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && counts[i + run] == counts[i];)
            run++;
        if (run >= most) {
            most = run;
            usual = counts[i];
        }
    }
    free(counts);
    return usual;
}

/* Returns the tree with the usual numbers of children and parents, or NULL. */
static struct topology *guess_tree(const struct wiring *wiring)
{
    uint32_t down[TOPOLOGY_MAX_DIMENSIONS], up[TOPOLOGY_MAX_DIMENSIONS], n_levels = 0;
    const char *problem;
    for (uint32_t node = 0; node < wiring->n; node++)
        n_levels = wiring->level[node] > n_levels ? wiring->level[node] : n_levels;
    if (!n_levels || n_levels > TOPOLOGY_MAX_DIMENSIONS)
        return NULL;
    for (uint32_t i = 0; i < n_levels; i++) {
        up[i] = usual_neighbours(wiring, i, i + 1);
        down[i] = usual_neighbours(wiring, i + 1, i);
    }
    return topology_new_tree(&fabric_nearest_settings, n_levels, down, up, &problem);
}

/* ---- grids ---- */

struct grids {
    const struct wiring *wiring;
    uint32_t n_nodes; /* switches, or machines if there are none */
    struct topology *found[MAX_GRIDS];
    uint32_t n_found;
    uint32_t extent[TOPOLOGY_MAX_DIMENSIONS];
};

/* Returns the number of nodes of which the number of neighbours, hosts with one cable aside, is that of no
 * other node of the other network. */
static uint64_t compare_degrees(const struct wiring *a, const struct wiring *b)
{
    int64_t count[2 * TOPOLOGY_MAX_DIMENSIONS + 2] = {0};
    uint64_t n = 0;
    for (int side = 0; side < 2; side++) {
        const struct wiring *wiring = side ? b : a;
        for (uint32_t node = 0; node < wiring->n; node++) {
            const uint32_t degree = wiring_degree(wiring, node) - wiring->n_pendants[node];
            if (!wiring->is_pendant[node])
                count[degree <= 2 * TOPOLOGY_MAX_DIMENSIONS ? degree : 2 * TOPOLOGY_MAX_DIMENSIONS + 1] +=
                    side ? -1 : 1;
        }
    }
    for (uint32_t i = 0; i < 2 * TOPOLOGY_MAX_DIMENSIONS + 2; i++)
        n += (uint64_t)llabs(count[i]);
    return n / 2;
}

/* Keeps a grid of these extents if its nodes have about as many neighbours as those of the network. */
static void try_grid(struct grids *grids, uint32_t n_dimensions, bool is_torus)
{
    bool wraps[TOPOLOGY_MAX_DIMENSIONS] = {false};
    const char *problem;
    for (uint32_t i = 0; i < n_dimensions; i++)
        wraps[i] = is_torus;
    struct topology *grid =
        grids->n_found < MAX_GRIDS
            ? topology_new_grid(&fabric_nearest_settings, n_dimensions, grids->extent, wraps, &problem)
            : NULL;
    if (!grid)
        return;
    struct wiring wiring = wiring_of(grid);
    const bool is_alike = TOLERANCE * compare_degrees(&wiring, grids->wiring) <= 2 * (uint64_t)grids->n_nodes;
    wiring_free(&wiring);
    if (is_alike)
        grids->found[grids->n_found++] = grid;
    else
        topology_free(grid);
}

/* Tries all ways to make the rest of the nodes of extents up to `most`. */
static void try_extents(struct grids *grids, uint32_t rest, uint32_t most, uint32_t n_dimensions)
{
    if (rest == 1 && n_dimensions) {
        try_grid(grids, n_dimensions, true);
        try_grid(grids, n_dimensions, false);
        return;
    }
    for (uint32_t extent = most < rest ? most : rest; extent >= 2 && n_dimensions < 6; extent--)
        if (rest % extent == 0) {
            grids->extent[n_dimensions] = extent;
            try_extents(grids, rest / extent, extent, n_dimensions + 1);
        }
}

/* ---- which of them ---- */

/* Returns the number of cables and nodes that differ. */
static uint64_t amount_of(const struct fabric_changes *changes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < changes->n; i++)
        n += changes->items[i].n ? changes->items[i].n : 1;
    return n;
}

/* Keeps the comparison with a shape, which it owns from now on, if that differs less than the one before. */
static void take_nearer(const struct wiring *wiring, struct topology *shape, struct topology **best,
                        struct fabric_changes *changes)
{
    const struct topology *seen = wiring->topology;
    const uint32_t n_hosts = fabric_plan_hosts(shape, seen);
    const uint64_t n_cables = shape->n_links / 2 + (uint64_t)n_hosts * shape->n_nodes;
    const uint64_t difference =
        n_cables > wiring->n_cables ? n_cables - wiring->n_cables : wiring->n_cables - n_cables;
    if (TOLERANCE * difference > wiring->n_cables) {
        topology_free(shape);
        return;
    }
    struct fabric_changes found = fabric_compare(shape, seen);
    if (TOLERANCE * amount_of(&found) > wiring->n_cables ||
        (*best && amount_of(&found) >= amount_of(changes))) {
        fabric_changes_free(&found);
        topology_free(shape);
        return;
    }
    if (*best) {
        fabric_changes_free(changes);
        topology_free(*best);
    }
    *best = shape;
    *changes = found;
}

bool fabric_nearest(const struct topology *seen, struct topology **shape, struct fabric_changes *changes)
{
    if (!topology_as_graph(seen) || seen->n_networks > 1 || seen->is_outline || !seen->n_links)
        return false;
    struct wiring wiring = wiring_of(seen);
    struct grids grids = {.wiring = &wiring,
                          .n_nodes = seen->n_nodes > seen->n_machines ? seen->n_nodes - seen->n_machines
                                                                      : seen->n_machines};
    *shape = NULL;
    if (wiring.n_cables >= LEAST_CABLES) {
        struct topology *tree = guess_tree(&wiring);
        if (tree)
            take_nearer(&wiring, tree, shape, changes);
        if (!*shape && grids.n_nodes <= MAX_GRID_NODES)
            try_extents(&grids, grids.n_nodes, grids.n_nodes, 0);
        for (uint32_t i = 0; i < grids.n_found; i++)
            take_nearer(&wiring, grids.found[i], shape, changes);
    }
    wiring_free(&wiring);
    if (*shape && !changes->n) {
        fabric_changes_free(changes);
        topology_free(*shape);
        return false;
    }
    return *shape != NULL;
}
