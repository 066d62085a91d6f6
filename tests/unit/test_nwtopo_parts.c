/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of nwtopo/nwtopo.h by its public functions alone: coordinates and neighbours in grids (appendix
 * A.1.5 of Kawashima et al. 2013), parts of a topology, and its links, routes and failures.
 */
#include "tests/unit/nwtopo_scene.h"

/* ---- A.1.5 ---- */

static void test_grid_functions(void)
{
    nwtopo_topology_t topology = load("torus:4x3mx2", 0);
    nwtopo_obj_t grid = top(topology), obj = NULL, corner = machine(topology, 0);
    int at[3] = {-1, 2, 5}, back[3];
    CU_ASSERT_EQUAL(nwtopo_grid_get_obj(topology, grid, at, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 3 + 4 * (2 + 3 * 1));
    CU_ASSERT_EQUAL(nwtopo_grid_get_coords(topology, grid, obj, back), 0);
    CU_ASSERT(back[0] == 3 && back[1] == 2 && back[2] == 1);
    at[1] = 3;
    FAILS(nwtopo_grid_get_obj(topology, grid, at, &obj), EINVAL);
    FAILS(nwtopo_grid_get_obj(topology, corner, at, &obj), EINVAL);
    FAILS(nwtopo_grid_get_obj(topology, grid, NULL, &obj), EINVAL);
    FAILS(nwtopo_grid_get_obj(NULL, grid, at, &obj), EINVAL);
    FAILS(nwtopo_grid_get_coords(topology, grid, grid, back), EINVAL);
    FAILS(nwtopo_grid_get_coords(topology, grid, corner, NULL), EINVAL);
    int shifts[3] = {-1, 1, -3};
    CU_ASSERT_EQUAL(nwtopo_grid_get_shifted_obj(topology, grid, corner, shifts, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 3 + 4 * (1 + 3 * 1));
    shifts[1] = -1;
    FAILS(nwtopo_grid_get_shifted_obj(topology, grid, corner, shifts, &obj), ENOENT);
    CU_ASSERT_PTR_NULL(obj);
    FAILS(nwtopo_grid_get_shifted_obj(topology, grid, NULL, shifts, &obj), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 2, -1, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 12);
    CU_ASSERT_EQUAL(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 1, 2, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 8);
    FAILS(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 1, -1, &obj), ENOENT);
    CU_ASSERT_PTR_NULL(obj);
    FAILS(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 3, 1, &obj), EINVAL);
    FAILS(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 0, 1, NULL), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_grid_get_neighbor_obj(topology, grid, corner, 0, -2147483647, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 1);
    nwtopo_topology_destroy(topology);
    topology = load("torus:4x3mx2", NO_MACHINES);
    FAILS(nwtopo_grid_get_obj(topology, top(topology), (int[]){0, 0, 0}, &obj), ENOENT);
    nwtopo_topology_destroy(topology);
}

static void test_views(void)
{
    nwtopo_topology_t logical = load("tofu:2x3x2", 0), physical = load("tofu:2x3x2", PHYSICAL);
    nwtopo_obj_t grid = top(logical), six = top(physical);
    CU_ASSERT_EQUAL(grid->attr->grid.num_dimensions, 3);
    CU_ASSERT_EQUAL(six->attr->grid.num_dimensions, 6);
    static const unsigned extents[] = {4, 9, 4}, all[] = {2, 3, 2, 2, 3, 2};
    CU_ASSERT_EQUAL(memcmp(grid->attr->grid.dimensions, extents, sizeof extents), 0);
    CU_ASSERT_EQUAL(memcmp(six->attr->grid.dimensions, all, sizeof all), 0);
    static const bool wraps[] = {true, true, true, false, true, false};
    CU_ASSERT_EQUAL(memcmp(six->attr->grid.periodicities, wraps, sizeof wraps), 0);
    check(logical);
    check(physical);
    /* neighbours by the logical view differ in one physical coordinate, by one */
    for (unsigned long id = 0; id < 144; id++)
        for (unsigned direction = 0; direction < 3; direction++) {
            nwtopo_obj_t next;
            int a[6], b[6], distance = 0;
            CU_ASSERT_EQUAL(nwtopo_grid_get_neighbor_obj(logical, grid, machine(logical, id),
                                                         direction, 1, &next),
                            0);
            nwtopo_grid_get_coords(physical, six, machine(physical, id), a);
            nwtopo_grid_get_coords(physical, six, machine(physical, next->id), b);
            for (int i = 0; i < 6; i++) {
                int step = abs(a[i] - b[i]);
                distance += wraps[i] && step == (int)all[i] - 1 ? 1 : step;
            }
            CU_ASSERT_EQUAL(distance, 1);
        }
    nwtopo_topology_destroy(logical);
    nwtopo_topology_destroy(physical);
}
/* ---- shrink ---- */

static void test_shrink_box(void)
{
    /* columns 3, 0 of a ring of 4, rows 1, 2 of 5, all of 2: across the end of x */
    static const unsigned numbers[] = {7, 4, 8, 11, 24, 27, 28, 31};
    nwtopo_topology_t base = load("torus:4x5x2", 0), part = shrink(base, 0, 8, numbers);
    nwtopo_obj_t grid = top(part), obj;
    CU_ASSERT_EQUAL(check(part), 9);
    CU_ASSERT(grid->attr->grid.dense);
    static const unsigned extents[] = {2, 2, 2}, origin[] = {3, 1, 0};
    static const bool wraps[] = {false, false, true};
    CU_ASSERT_EQUAL(memcmp(grid->attr->grid.dimensions, extents, sizeof extents), 0);
    CU_ASSERT_EQUAL(memcmp(grid->attr->grid.reference_coordinates, origin, sizeof origin), 0);
    CU_ASSERT_EQUAL(memcmp(grid->attr->grid.periodicities, wraps, sizeof wraps), 0);
    CU_ASSERT_EQUAL(nwtopo_grid_get_obj(part, grid, (int[]){1, 0, 1}, &obj), 0);
    CU_ASSERT_EQUAL(obj->id, 24);
    CU_ASSERT_PTR_EQUAL(grid->attr->grid.map[1 + 2 * (0 + 2 * 1)], obj);
    FAILS(nwtopo_grid_get_neighbor_obj(part, grid, obj, 0, 1, &obj), ENOENT);
    FAILS(nwtopo_grid_get_obj(part, top(base), (int[]){0, 0, 0}, &obj), EINVAL);
    nwtopo_topology_destroy(base);
    check(part);
    nwtopo_topology_destroy(part);
}

static void test_shrink_holes(void)
{
    static const unsigned numbers[] = {0, 5, 10};
    nwtopo_topology_t base = load("mesh:4x4", 0), part = shrink(base, 0, 3, numbers);
    nwtopo_obj_t grid = top(part), obj = grid;
    CU_ASSERT_EQUAL(check(part), 4);
    CU_ASSERT(!grid->attr->grid.dense);
    CU_ASSERT_EQUAL(grid->num_children, 3);
    CU_ASSERT_EQUAL(grid->attr->grid.dimensions[0], 3);
    for (unsigned i = 0; i < 9; i++) {
        CU_ASSERT_EQUAL(grid->attr->grid.map[i] == NULL, i % 4 != 0);
    }
    FAILS(nwtopo_grid_get_obj(part, grid, (int[]){1, 0}, &obj), ENOENT);
    CU_ASSERT_PTR_NULL(obj);
    /* a part of the part */
    static const unsigned two[] = {10, 5};
    nwtopo_topology_t rest = shrink(part, 0, 2, two);
    CU_ASSERT_EQUAL(top(rest)->attr->grid.dimensions[0], 2);
    CU_ASSERT_EQUAL(top(rest)->attr->grid.reference_coordinates[0], 1);
    nwtopo_topology_destroy(rest);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(base);
}

static void test_shrink_tree(void)
{
    static const unsigned numbers[] = {1, 2, 6};
    nwtopo_topology_t base = load("fattree:4x4", 0), part = shrink(base, 0, 3, numbers);
    CU_ASSERT_EQUAL(check(part), 3 + 2 + 4);
    CU_ASSERT_EQUAL(machine(part, 6)->parents[0]->id, machine(base, 6)->parents[0]->id);
    nwtopo_topology_destroy(part);
    part = shrink(base, ON_DEMAND, 3, numbers);
    CU_ASSERT_EQUAL(machine(part, 2)->parents[0]->num_children, 2);
    IS_NULL(nwtopo_topology_get_object_by_id(part, 3), ENOENT);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(base);
    base = load("full:7", 0);
    part = shrink(base, 0, 3, numbers);
    CU_ASSERT_EQUAL(top(part)->type, NWTOPO_OBJ_FULL);
    CU_ASSERT_EQUAL(check(part), 4);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(base);
}

static void test_shrink_errors(void)
{
    nwtopo_topology_t base = load("torus:3x3", 0), other = load("torus:3x3", 0), part = make(0);
    nwtopo_obj_t two[] = {machine(base, 1), machine(base, 1)}, foreign = machine(other, 0);
    FAILS(nwtopo_topology_shrink(NULL, base, 1, two), EINVAL);
    FAILS(nwtopo_topology_shrink(part, NULL, 1, two), EINVAL);
    FAILS(nwtopo_topology_shrink(part, base, 0, two), EINVAL);
    FAILS(nwtopo_topology_shrink(part, base, 1, NULL), EINVAL);
    FAILS(nwtopo_topology_shrink(part, base, 10, two), EINVAL);
    FAILS(nwtopo_topology_shrink(part, base, 2, two), EINVAL);
    FAILS(nwtopo_topology_shrink(part, base, 1, &foreign), EINVAL);
    two[1] = top(base);
    FAILS(nwtopo_topology_shrink(part, base, 2, two), EINVAL);
    FAILS(nwtopo_topology_shrink(other, base, 1, two), EBUSY);
    FAILS(nwtopo_topology_shrink(part, part, 1, two), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_flags(part, PHYSICAL), 0);
    FAILS(nwtopo_topology_shrink(part, base, 1, two), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_flags(part, 0), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_shrink(part, base, 1, two), 0); /* after all that */
    CU_ASSERT_EQUAL(check(part), 2);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(other);
    nwtopo_topology_destroy(base);
}

static void test_reuse(void)
{
    static const unsigned numbers[] = {4, 3, 1, 0};
    static const unsigned long lazy[] = {0, ON_DEMAND};
    for (int i = 0; i < 2; i++) {
        nwtopo_topology_t base = load("torus:3x3", lazy[i]);
        nwtopo_topology_t part = shrink(base, REUSE | lazy[i], 4, numbers);
        nwtopo_topology_t copy = shrink(base, lazy[i], 4, numbers);
        nwtopo_obj_t four = machine(base, 4), obj;
        CU_ASSERT_PTR_EQUAL(machine(part, 4), four);
        CU_ASSERT_PTR_NOT_EQUAL(machine(copy, 4), four);
        CU_ASSERT_PTR_EQUAL(four->parents[0], top(base));
        four->userdata = &base;
        CU_ASSERT_EQUAL(nwtopo_grid_get_obj(part, top(part), (int[]){1, 1}, &obj), 0);
        CU_ASSERT_PTR_EQUAL(obj, four);
        CU_ASSERT_PTR_EQUAL(machine(part, 4)->userdata, &base);
        IS_NULL(nwtopo_topology_get_object_by_id(part, 8), ENOENT);
        nwtopo_topology_destroy(base); /* the objects stay */
        CU_ASSERT_EQUAL(machine(part, 3)->id, 3);
        nwtopo_topology_destroy(copy);
        nwtopo_topology_destroy(part);
    }
}

/* ---- links ---- */

static void test_links(void)
{
    nwtopo_topology_t topology = load("torus:4x4,bw=5GB/s,lat=2us", 0);
    struct nwtopo_link link;
    unsigned long ids[8];
    unsigned n = 8;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, machine(topology, 5), &n, ids), 0);
    CU_ASSERT_EQUAL(n, 4);
    CU_ASSERT_EQUAL(nwtopo_topology_get_link(topology, ids[0], &link), 0);
    CU_ASSERT(link.ends[0] == 5 && link.ends[1] == 6 && !link.failed);
    CU_ASSERT(link.bandwidth == 5000000000u && link.latency == 2000);
    n = 0;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, top(topology), &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 64);
    FAILS(nwtopo_topology_get_link(topology, 64, &link), ENOENT);
    FAILS(nwtopo_topology_get_link(topology, 0, NULL), EINVAL);
    FAILS(nwtopo_obj_get_links(topology, NULL, &n, ids), EINVAL);
    FAILS(nwtopo_obj_get_links(topology, top(topology), NULL, ids), EINVAL);
    FAILS(nwtopo_obj_get_links(topology, top(topology), &n, NULL), EINVAL);
    nwtopo_topology_destroy(topology);
    topology = load(dragonfly, 0);
    n = 0;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, top(topology), &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 16);
    n = 1;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, machine(topology, 2)->parents[0], &n, ids), 0);
    CU_ASSERT_EQUAL(n, 2 + 2 + 1);
    nwtopo_topology_destroy(topology);
}

/* A route leads from link to link; returns how many, 0 if there is none. */
static unsigned route(nwtopo_topology_t topology, unsigned from, unsigned to)
{
    unsigned long ids[64], at = from;
    unsigned n = 64;
    errno = 0;
    if (nwtopo_topology_get_route(topology, machine(topology, from), machine(topology, to), &n,
                                  ids)) {
        CU_ASSERT_EQUAL(errno, EHOSTUNREACH);
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        struct nwtopo_link link;
        CU_ASSERT_EQUAL(nwtopo_topology_get_link(topology, ids[i], &link), 0);
        CU_ASSERT(link.ends[0] == at && !link.failed);
        at = link.ends[1];
    }
    CU_ASSERT_EQUAL(at, to);
    return n;
}

static void test_routes_and_faults(void)
{
    nwtopo_topology_t topology = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "torus:5"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 10, true), 0); /* no such link */
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "marked as failed"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 10, false), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 0, true), 0); /* 0 -> 1 */
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 0, true), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    struct nwtopo_link link;
    CU_ASSERT_EQUAL(nwtopo_topology_get_link(topology, 0, &link), 0);
    CU_ASSERT(link.failed);
    CU_ASSERT_EQUAL(route(topology, 0, 1), 4);
    CU_ASSERT_EQUAL(route(topology, 1, 0), 1);
    CU_ASSERT_EQUAL(route(topology, 0, 0), 0);
    FAILS(nwtopo_topology_set_link_failed(topology, 10, true), ENOENT);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 9, true), 0); /* 4 -> 3 */
    CU_ASSERT_EQUAL(route(topology, 0, 1), 0);
    nwtopo_obj_t two[] = {machine(topology, 0), machine(topology, 1)};
    nwtopo_topology_t part = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_shrink(part, topology, 2, two), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, 0, false), 0);
    CU_ASSERT_EQUAL(route(topology, 0, 1), 1);
    CU_ASSERT_EQUAL(route(part, 0, 1), 0);
    unsigned n = 0;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(part, top(part), &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 2);
    FAILS(nwtopo_topology_get_route(topology, machine(part, 0), two[1], &n, NULL), EINVAL);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(topology);
    /* machines of a tree forward nothing */
    topology = load("fattree:2x2,up=1x2", 0);
    CU_ASSERT_EQUAL(route(topology, 0, 3), 4);
    unsigned long first[8];
    n = 8;
    CU_ASSERT_EQUAL(nwtopo_topology_get_route(topology, machine(topology, 0),
                                              machine(topology, 3), &n, first),
                    0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, first[1], true), 0);
    CU_ASSERT_EQUAL(route(topology, 0, 3), 4);
    CU_ASSERT_EQUAL(nwtopo_topology_set_link_failed(topology, first[0], true), 0);
    CU_ASSERT_EQUAL(route(topology, 0, 3), 0);
    nwtopo_topology_destroy(topology);
}

UNIT_PROGRAM(test_nwtopo_parts)
{
    CU_TestInfo tests[] = {{"functions of grids", test_grid_functions},
                           {"views", test_views},
                           {"shrink to a box", test_shrink_box},
                           {"shrink to a set with holes", test_shrink_holes},
                           {"shrink trees", test_shrink_tree},
                           {"shrink errors", test_shrink_errors},
                           {"reuse objects", test_reuse},
                           {"links", test_links},
                           {"routes and faults", test_routes_and_faults},
                           CU_TEST_INFO_NULL};
    return run_suite("nwtopo, parts and links", tests);
}
