/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The logical view of Tofu: for small extents of every kind, that it is a torus
 * whose neighbours are neighbours in the grid, by the links of the grid alone.
 */
#include "network/formats/formats.h"
#include "network/view.h"
#include "tests/unit/suite.h"
#include "network/grid.h"

#include <stdlib.h>
#include <string.h>

static struct topology *must_read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

static struct topology *tofu(uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t extent[] = {x, y, z};
    const char *problem;
    struct topology *topology =
        topology_new_tofu(&(struct topology_settings){0}, extent, &problem);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    return topology;
}

static bool are_neighbours(const struct topology *grid, uint32_t a, uint32_t b)
{
    const uint32_t degree = 2 * topology_as_grid(grid)->n_dimensions;
    for (uint32_t link = a * degree; link < (a + 1) * degree; link++) {
        uint32_t from, to;
        if (!topology_has_link(grid, link))
            continue;
        topology_link_ends(grid, link, &from, &to);
        if (from == a && to == b)
            return true;
    }
    return false;
}

/* Every machine has a place of its own, and the next place of every axis is next to it. */
static void check_view(struct topology *grid)
{
    uint32_t n_bad = 0;
    bool *seen = calloc(grid->n_machines, sizeof *seen);
    for (uint32_t machine = 0; machine < grid->n_machines; machine++) {
        uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0}, index = 0;
        view_coordinates(grid, machine, at);
        n_bad += view_machine(grid, at) != machine;
        for (uint32_t axis = view_n_axes(grid); axis-- > 0;) {
            n_bad += at[axis] >= view_extent(grid, axis);
            index = index * view_extent(grid, axis) + at[axis];
        }
        n_bad += index >= grid->n_machines || seen[index];
        if (index < grid->n_machines)
            seen[index] = true;
        for (uint32_t axis = 0; axis < view_n_axes(grid); axis++) {
            uint32_t extent = view_extent(grid, axis), here = at[axis];
            at[axis] = (here + 1) % extent;
            if (extent > 1 && (here + 1 < extent || view_wraps(grid, axis)))
                n_bad += !are_neighbours(grid, machine, view_machine(grid, at));
            at[axis] = here;
        }
    }
    if (n_bad)
        printf("\n  %s: %u wrong", grid->name, n_bad);
    CU_ASSERT(n_bad == 0);
    free(seen);
    topology_free(grid);
}

static void test_rings(void)
{
    for (uint32_t x = 1; x <= 5; x++)
        for (uint32_t y = 1; y <= 5; y++)
            for (uint32_t z = 1; z <= 3; z++)
                check_view(tofu(x, y, z));
}

/* The drawing of network/view.h. */
static void test_drawing(void)
{
    static const uint32_t two[2][4] = {{0, 7, 6, 5}, {1, 2, 3, 4}};
    static const uint32_t three[3][4] = {{0, 11, 10, 9}, {1, 4, 5, 8}, {2, 3, 6, 7}};
    struct topology *grid = tofu(4, 4, 1);
    for (uint32_t lane = 0; lane < 3; lane++)
        for (uint32_t y = 0; y < 4; y++) {
            uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
            uint32_t machine = grid_machine(topology_as_grid(grid), (uint32_t[]){y, y, 0, lane % 2, lane, 0});
            view_coordinates(grid, machine, at);
            CU_ASSERT(at[0] == two[lane % 2][y]);
            CU_ASSERT(at[1] == three[lane][y]);
            CU_ASSERT(at[2] == 0);
        }
    topology_free(grid);
}

/* Kawashima et al. 2013, section 5: the K computer. */
static void test_k(void)
{
    struct topology *k = must_read("tofu:24x18x16");
    const struct grid *grid = topology_as_grid(k);
    CU_ASSERT(k->n_machines == 82944 && grid->n_dimensions == 6 && view_n_axes(k) == 3);
    CU_ASSERT(view_extent(k, 0) == 48 && view_extent(k, 1) == 54 && view_extent(k, 2) == 32);
    CU_ASSERT(view_wraps(k, 0) && view_wraps(k, 1) && view_wraps(k, 2));
    CU_ASSERT(grid->wraps[0] && grid->wraps[1] && grid->wraps[2]);
    CU_ASSERT(!grid->wraps[3] && grid->wraps[4] && !grid->wraps[5]);
    check_view(k);
}

static void test_without_view(void)
{
    static const char *const specs[] = {"torus:4x3mx2", "mesh:5x1x3", "torus:7", "torus:2x2x2x2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct topology *grid = must_read(specs[i]);
        uint32_t logical[TOPOLOGY_MAX_DIMENSIONS], physical[TOPOLOGY_MAX_DIMENSIONS];
        CU_ASSERT(view_n_axes(grid) == topology_as_grid(grid)->n_dimensions);
        for (uint32_t machine = 0; machine < grid->n_machines; machine++) {
            view_coordinates(grid, machine, logical);
            grid_coordinates(topology_as_grid(grid), machine, physical);
            CU_ASSERT(!memcmp(logical, physical, topology_as_grid(grid)->n_dimensions * sizeof *logical));
            CU_ASSERT(grid_machine(topology_as_grid(grid), physical) == machine);
        }
        check_view(grid);
    }
}

/* Lane by lane the same network as the six-dimensional grid written out. */
static void test_network(void)
{
    struct topology *view = must_read("tofu:2x3x1,bw=5GB/s"),
                    *plain = must_read("torus:2x3x1x2mx3x2m,bw=5GB/s");
    struct text shape = {0};
    CU_ASSERT(view->fingerprint == plain->fingerprint);
    CU_ASSERT(view->n_links == plain->n_links);
    topology_shape(view, &shape);
    CU_ASSERT_STRING_EQUAL(shape.data, "tofu:2x3x1,bw=5GB/s");
    text_free(&shape);
    topology_free(view);
    topology_free(plain);
    view = tofu(1, 2, 3);
    CU_ASSERT_STRING_EQUAL(view->name, "tofu:1x2x3,lat=0ns");
    topology_free(view);
}

UNIT_PROGRAM(test_view)
{
    CU_TestInfo tests[] = {{"rings", test_rings},
                           {"drawing", test_drawing},
                           {"the K computer", test_k},
                           {"without view", test_without_view},
                           {"network", test_network},
                           CU_TEST_INFO_NULL};
    return run_suite("view", tests);
}
