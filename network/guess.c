/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guesses shapes from what most nodes have in common. See guess.h.
 */
#include "network/guess.h"
#include "base/integer.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GRID_NODES = 1 << 14 };

static const struct topology_settings guess_settings = {.latency = TOPOLOGY_DEFAULT_LATENCY};

bool guess_is_possible(const struct topology *topology)
{
    return topology_as_graph(topology) && topology->n_networks <= 1 && !topology->is_outline &&
           topology->n_links;
}

/* ---- trees ---- */

static uint32_t count_at_level(const struct wiring *wiring, uint32_t node, uint32_t level)
{
    uint32_t n = 0;
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++)
        n += wiring->level[wiring->edges[i].node] == level;
    return n;
}

/* Returns the number that most of these are, the larger one of two; sorts them. */
static uint32_t guess_usual(uint32_t *counts, uint32_t n)
{
    uint32_t usual = 0, most = 0;
    if (n)
        qsort(counts, n, sizeof *counts, compare_uint32);
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && counts[i + run] == counts[i];)
            run++;
        if (run >= most) {
            most = run;
            usual = counts[i];
        }
    }
    return usual;
}

/* Returns the number of neighbours at level `other` that most nodes of a level have. */
static uint32_t usual_neighbours(const struct wiring *wiring, uint32_t level, uint32_t other)
{
    uint32_t *counts = mem_alloc((size_t)wiring->n + 1, sizeof *counts), n = 0;
    for (uint32_t node = 0; node < wiring->n; node++)
        if (wiring->level[node] == level)
            counts[n++] = count_at_level(wiring, node, other);
    const uint32_t usual = guess_usual(counts, n);
    free(counts);
    return usual;
}

/* Returns the number of parallel cables that most neighbours between a level and the next have. */
static uint32_t guess_usual_cables(const struct wiring *wiring, uint32_t level)
{
    uint32_t *counts = mem_alloc((size_t)wiring->first[wiring->n] + 1, sizeof *counts), n = 0;
    for (uint32_t node = 0; node < wiring->n; node++)
        for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++)
            if (wiring->level[node] == level && wiring->level[wiring->edges[i].node] == level + 1)
                counts[n++] = wiring->edges[i].n_cables;
    const uint32_t usual = guess_usual(counts, n);
    free(counts);
    return usual;
}

struct topology *guess_tree(const struct wiring *wiring)
{
    uint32_t down[TOPOLOGY_MAX_DIMENSIONS], up[TOPOLOGY_MAX_DIMENSIONS], cables[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t n_levels = 0;
    const char *problem;
    for (uint32_t node = 0; node < wiring->n; node++)
        n_levels = wiring->level[node] > n_levels ? wiring->level[node] : n_levels;
    if (!n_levels || n_levels > TOPOLOGY_MAX_DIMENSIONS)
        return NULL;
    for (uint32_t i = 0; i < n_levels; i++) {
        up[i] = usual_neighbours(wiring, i, i + 1);
        down[i] = usual_neighbours(wiring, i + 1, i);
        cables[i] = guess_usual_cables(wiring, i);
    }
    return topology_new_tree(&guess_settings, n_levels, down, up, cables, &problem);
}

/* ---- grids ---- */

struct grids {
    const struct wiring *wiring;
    uint32_t n_nodes; /* switches, or machines if there are none */
    struct topology *found[GUESS_MAX_GRIDS];
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
        grids->n_found < GUESS_MAX_GRIDS
            ? topology_new_grid(&guess_settings, n_dimensions, grids->extent, wraps, &problem)
            : NULL;
    if (!grid)
        return;
    struct wiring wiring = wiring_of(grid);
    const uint64_t n_unlike = compare_degrees(&wiring, grids->wiring);
    const bool is_alike = GUESS_TOLERANCE * n_unlike <= 2 * (uint64_t)grids->n_nodes;
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

uint32_t guess_grids(const struct wiring *wiring, struct topology *found[GUESS_MAX_GRIDS])
{
    const struct topology *seen = wiring->topology;
    const uint32_t n_switches = seen->n_nodes - seen->n_machines;
    struct grids grids = {.wiring = wiring, .n_nodes = n_switches ? n_switches : seen->n_machines};
    if (grids.n_nodes <= MAX_GRID_NODES)
        try_extents(&grids, grids.n_nodes, grids.n_nodes, 0);
    memcpy(found, grids.found, grids.n_found * sizeof *found);
    return grids.n_found;
}
