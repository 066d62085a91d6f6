/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of nwtopo/nwtopo.h by its public functions alone: every function of
 * appendix A.1 of Kawashima et al. 2013 with its errors, and the additions.
 */
#include "nwtopo/nwtopo.h"
#include "tests/unit/suite.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_MACHINES NWTOPO_TOPOLOGY_FLAG_NO_MACHINES
#define NO_HOSTNAMES NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES
#define ON_DEMAND NWTOPO_TOPOLOGY_FLAG_ON_DEMAND
#define REUSE NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS
#define PHYSICAL NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW
#define WHOLE NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM

/* The call fails with that errno. */
#define FAILS(call, error)                                                                         \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CU_ASSERT_EQUAL((call), -1);                                                               \
        CU_ASSERT_EQUAL(errno, error);                                                             \
    } while (0)
#define IS_NULL(call, error)                                                                       \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CU_ASSERT_PTR_NULL(call);                                                                  \
        CU_ASSERT_EQUAL(errno, error);                                                             \
    } while (0)

static nwtopo_topology_t make(unsigned long flags)
{
    nwtopo_topology_t topology = NULL;
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_init(&topology), 0);
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_set_flags(topology, flags), 0);
    return topology;
}

static nwtopo_topology_t load(const char *spec, unsigned long flags)
{
    nwtopo_topology_t topology = make(flags);
    bool is_file = strncmp(spec, "examples/", 9) == 0 || strncmp(spec, "tests/", 6) == 0;
    CU_ASSERT_EQUAL((is_file ? nwtopo_topology_set_file : nwtopo_topology_set_synthetic)(topology,
                                                                                         spec),
                    0);
    int result = nwtopo_topology_load(topology);
    if (result)
        printf("\n  %s: %s", spec, nwtopo_topology_get_error(topology));
    CU_ASSERT_EQUAL_FATAL(result, 0);
    return topology;
}

static nwtopo_obj_t machine(nwtopo_topology_t topology, unsigned long number)
{
    nwtopo_obj_t obj = nwtopo_topology_get_object_by_id(topology, number);
    CU_ASSERT_PTR_NOT_NULL_FATAL(obj);
    return obj;
}

static nwtopo_obj_t top(nwtopo_topology_t topology)
{
    nwtopo_obj_t obj =
        nwtopo_topology_get_object(topology, nwtopo_topology_get_max_height(topology), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(obj);
    return obj;
}

static bool has(nwtopo_obj_t const *list, unsigned n, nwtopo_obj_t obj)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == obj)
            return true;
    return false;
}

/* What holds of every topology with all objects made: heights, ids, both directions. */
static unsigned check(nwtopo_topology_t topology)
{
    unsigned n_bad = 0, n = 0;
    for (unsigned height = 0; height <= nwtopo_topology_get_max_height(topology); height++) {
        unsigned long last = 0;
        for (unsigned i = 0; i < nwtopo_topology_get_num_objects(topology, height); i++, n++) {
            nwtopo_obj_t obj = nwtopo_topology_get_object(topology, height, i);
            n_bad += !obj || obj->height != height || (i && obj->id <= last);
            n_bad += nwtopo_topology_get_object_by_id(topology, obj->id) != obj;
            n_bad += (obj->type == NWTOPO_OBJ_MACHINE) != (height == 0) || !obj->attr;
            for (unsigned k = 0; k < obj->num_parents; k++)
                n_bad += obj->parents[k]->height <= height ||
                         !has(obj->parents[k]->children, obj->parents[k]->num_children, obj);
            for (unsigned k = 0; k < obj->num_children; k++)
                n_bad += obj->children[k]->height >= height ||
                         !has(obj->children[k]->parents, obj->children[k]->num_parents, obj);
            last = obj->id;
        }
    }
    CU_ASSERT_EQUAL(n_bad, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 0),
                    nwtopo_topology_get_num_machines(topology));
    return n;
}

/* ---- A.1.2, A.1.3 ---- */

static void test_life(void)
{
    nwtopo_topology_t topology;
    FAILS(nwtopo_topology_init(NULL), EINVAL);
    FAILS(nwtopo_topology_load(NULL), EINVAL);
    nwtopo_topology_destroy(NULL);
    topology = make(0);
    IS_NULL(nwtopo_topology_get_object_by_id(topology, 0), EINVAL);
    IS_NULL(nwtopo_topology_get_this_machine(topology), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_get_max_height(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 0), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "star:3"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    FAILS(nwtopo_topology_load(topology), EBUSY);
    FAILS(nwtopo_topology_set_flags(topology, 0), EBUSY);
    FAILS(nwtopo_topology_set_synthetic(topology, "star:3"), EBUSY);
    FAILS(nwtopo_topology_set_file(topology, "x"), EBUSY);
    FAILS(nwtopo_topology_set_machines(topology, "m1"), EBUSY);
    nwtopo_topology_destroy(topology);
    CU_ASSERT_EQUAL(nwtopo_get_api_version(), NWTOPO_API_VERSION);
}

static void test_flags(void)
{
    nwtopo_topology_t topology = make(0);
    FAILS(nwtopo_topology_set_flags(NULL, 0), EINVAL);
    FAILS(nwtopo_topology_set_flags(topology, 1UL << 6), EINVAL);
    FAILS(nwtopo_topology_set_flags(topology, ~0UL), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_get_flags(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_flags(topology, 63), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_flags(topology), 63);
    CU_ASSERT_EQUAL(nwtopo_topology_get_flags(NULL), 0);
    CU_ASSERT_EQUAL(NWTPOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW, 1);
    CU_ASSERT_EQUAL(NWTPOPO_TOPOLOGY_FLAG_REUSE_OBJECTS, 16);
    CU_ASSERT_EQUAL(NWTOTOPO_OBJ_MESH, 4);
    CU_ASSERT_EQUAL(NWTOPO_OBJ_MAX, 5);
    nwtopo_topology_destroy(topology);
}

static void test_sources(void)
{
    nwtopo_topology_t topology = make(0);
    FAILS(nwtopo_topology_set_file(NULL, "x"), EINVAL);
    FAILS(nwtopo_topology_set_file(topology, NULL), EINVAL);
    FAILS(nwtopo_topology_set_synthetic(topology, ""), EINVAL);
    unsetenv("NWTOPO_FILE");
    unsetenv("NWTOPO_SYNTHETIC");
    FAILS(nwtopo_topology_load(topology), ENOENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "NWTOPO_FILE"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "torus"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "torus:4xq"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "<topology>:1:9: error"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, "no/such/file"), 0);
    FAILS(nwtopo_topology_load(topology), ENOENT);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, "tests/golden/topology/graph.xml"), 0);
    FAILS(nwtopo_topology_load(topology), ENOENT);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, "examples/clusters/plafrim1.txt"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT(nwtopo_topology_get_num_machines(topology) > 1);
    check(topology);
    nwtopo_topology_destroy(topology);
    topology = make(0); /* read with a warning, after a source that was wrong */
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "torus:4xq"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, "tests/data/lldp/two.json"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT_STRING_EQUAL(nwtopo_topology_get_error(topology), "");
    nwtopo_topology_destroy(topology);
    setenv("NWTOPO_SYNTHETIC", "torus:4x4", 1);
    topology = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 16);
    CU_ASSERT_STRING_EQUAL(nwtopo_topology_get_error(topology), "");
    nwtopo_topology_destroy(topology);
    unsetenv("NWTOPO_SYNTHETIC");
}

/* ---- figure 3 ---- */

static void test_torus(void)
{
    nwtopo_topology_t topology = load("torus:4x4", 0);
    nwtopo_obj_t grid = top(topology);
    CU_ASSERT_EQUAL(check(topology), 17);
    CU_ASSERT_EQUAL(nwtopo_topology_get_max_height(topology), 1);
    CU_ASSERT_EQUAL(grid->type, NWTOPO_OBJ_GRID);
    CU_ASSERT_EQUAL(grid->num_parents, 0);
    CU_ASSERT_EQUAL(grid->num_children, 16);
    CU_ASSERT_EQUAL(grid->attr->grid.num_dimensions, 2);
    CU_ASSERT(grid->attr->grid.dense);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(grid->attr->grid.dimensions[i], 4);
        CU_ASSERT_EQUAL(grid->attr->grid.reference_coordinates[i], 0);
        CU_ASSERT(grid->attr->grid.periodicities[i]);
    }
    nwtopo_obj_t six = machine(topology, 6);
    CU_ASSERT_PTR_EQUAL(grid->attr->grid.map[6], six);
    CU_ASSERT_PTR_EQUAL(six->parents[0], grid);
    CU_ASSERT_STRING_EQUAL(six->attr->machine.hostname, "(2,1)");
    CU_ASSERT_EQUAL(six->attr->machine.num_nics, 1);
    IS_NULL(nwtopo_topology_get_object_by_id(topology, 17), ENOENT);
    IS_NULL(nwtopo_topology_get_object(topology, 2, 0), ENOENT);
    nwtopo_topology_destroy(topology);
}

/* A torus of switches with a host each, as ibnetdiscover prints it: the hosts are a grid,
 * places next to each other are two hosts' switches that are cabled. */
static void test_torus_of_switches(void)
{
    nwtopo_topology_t topology = load("examples/clusters/torus4x4x4.txt", 0);
    nwtopo_obj_t grid = top(topology), next;
    unsigned n_links = 0, n_hops = 0;
    CU_ASSERT_EQUAL(check(topology), 65);
    CU_ASSERT_EQUAL_FATAL(grid->type, NWTOPO_OBJ_GRID);
    CU_ASSERT_EQUAL_FATAL(grid->attr->grid.num_dimensions, 3);
    CU_ASSERT(grid->attr->grid.dense);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(grid->attr->grid.dimensions[i], 4);
        CU_ASSERT(grid->attr->grid.periodicities[i]);
    }
    for (unsigned i = 0; i < 64; i++) {
        nwtopo_obj_t here = grid->attr->grid.map[i];
        int coords[3];
        CU_ASSERT(strncmp(here->attr->machine.hostname, "node", 4) == 0);
        CU_ASSERT_EQUAL(nwtopo_grid_get_coords(topology, grid, here, coords), 0);
        CU_ASSERT_EQUAL(coords[0] + 4 * coords[1] + 16 * coords[2], (int)i);
        for (unsigned direction = 0; direction < 3; direction++) {
            CU_ASSERT_EQUAL(
                nwtopo_grid_get_neighbor_obj(topology, grid, here, direction, 1, &next), 0);
            CU_ASSERT_EQUAL(nwtopo_topology_get_route(topology, here, next, &n_hops, NULL), 0);
            CU_ASSERT_EQUAL(n_hops, 3); /* to the switch, the cable, from the switch */
            n_hops = 0;
        }
    }
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, grid, &n_links, NULL), 0);
    CU_ASSERT_EQUAL(n_links, 64 * 6 + 64 * 2);
    n_links = 0;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, grid->children[5], &n_links, NULL), 0);
    CU_ASSERT_EQUAL(n_links, 1);

    nwtopo_obj_t line[4];
    for (int x = 0; x < 4; x++)
        CU_ASSERT_EQUAL(nwtopo_grid_get_obj(topology, grid, (int[]){x, 2, 3}, &line[x]), 0);
    nwtopo_topology_t part = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_shrink(part, topology, 4, line), 0);
    CU_ASSERT_EQUAL(check(part), 5);
    CU_ASSERT_EQUAL(top(part)->attr->grid.dimensions[0], 4);
    CU_ASSERT_EQUAL(top(part)->attr->grid.dimensions[1], 1);
    CU_ASSERT_EQUAL(top(part)->attr->grid.reference_coordinates[2], 3);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(topology);
}

/* Machines of a grid, as XML has them, with a failed cable. */
static void test_part_of_a_grid(void)
{
    nwtopo_topology_t topology = load("tests/data/nwtopo/part.xml", 0);
    nwtopo_obj_t grid = top(topology), next;
    CU_ASSERT_EQUAL(check(topology), 8);
    CU_ASSERT_EQUAL_FATAL(grid->type, NWTOPO_OBJ_GRID);
    CU_ASSERT_EQUAL(grid->attr->grid.dimensions[0], 4);
    CU_ASSERT_EQUAL(grid->attr->grid.dimensions[1], 2);
    CU_ASSERT_EQUAL(grid->attr->grid.reference_coordinates[1], 1);
    CU_ASSERT(!grid->attr->grid.dense);
    CU_ASSERT_PTR_NULL(grid->attr->grid.map[7]);
    CU_ASSERT_STRING_EQUAL(grid->attr->grid.map[6]->attr->machine.hostname, "(2,2)");
    CU_ASSERT_EQUAL(nwtopo_grid_get_neighbor_obj(topology, grid, grid->attr->grid.map[2], 1, 1,
                                                 &next),
                    0);
    CU_ASSERT_PTR_EQUAL(next, grid->attr->grid.map[6]);
    FAILS(nwtopo_grid_get_neighbor_obj(topology, grid, grid->attr->grid.map[3], 1, 1, &next),
          ENOENT);
    nwtopo_topology_destroy(topology);
}

static void test_fat_tree(void)
{
    nwtopo_topology_t topology = load("fattree:4x4", 0);
    CU_ASSERT_EQUAL(check(topology), 16 + 4 + 4);
    CU_ASSERT_EQUAL(nwtopo_topology_get_max_height(topology), 2);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 1), 4);
    nwtopo_obj_t leaf = machine(topology, 5)->parents[0];
    CU_ASSERT_EQUAL(leaf->type, NWTOPO_OBJ_ROUTER);
    CU_ASSERT_EQUAL(leaf->num_children, 4);
    CU_ASSERT_EQUAL(leaf->num_parents, 4); /* all spines */
    CU_ASSERT_EQUAL(leaf->attr->router.num_ports, 8);
    CU_ASSERT_STRING_EQUAL(leaf->attr->router.name, "sw1");
    CU_ASSERT_EQUAL(top(topology)->num_children, 4);
    CU_ASSERT_EQUAL(top(topology)->num_parents, 0);
    FAILS(nwtopo_grid_get_coords(topology, leaf, machine(topology, 0), (int[]){0, 0}), EINVAL);
    nwtopo_topology_destroy(topology);
}

/* Two groups of three switches with two machines each; inside a group all to all, between
 * the groups two cables. */
static const char dragonfly[] = "tests/data/nwtopo/dragonfly.xml";

static void test_dragonfly(void)
{
    nwtopo_topology_t topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(check(topology), 12 + 6 + 1);
    nwtopo_obj_t mesh = top(topology);
    CU_ASSERT_EQUAL(mesh->type, NWTOPO_OBJ_MESH);
    CU_ASSERT_EQUAL(mesh->height, 2);
    CU_ASSERT_EQUAL(mesh->num_children, 6);
    CU_ASSERT_EQUAL(mesh->attr->mesh.num_edges, 8);
    nwtopo_mesh_edge_t *edges = mesh->attr->mesh.edges; /* as in the paper's appendix A.1 */
    CU_ASSERT_PTR_EQUAL(edges[7]->nodes[0]->parents[0], edges[7]->nodes[1]->parents[0]);
    CU_ASSERT_STRING_EQUAL(mesh->attr->mesh.edges[0]->nodes[0]->attr->router.name, "g0s0");
    CU_ASSERT_STRING_EQUAL(mesh->attr->mesh.edges[0]->nodes[1]->attr->router.name, "g0s1");
    nwtopo_topology_destroy(topology);
}

static void test_full(void)
{
    nwtopo_topology_t topology = load("full:5", 0);
    CU_ASSERT_EQUAL(check(topology), 6);
    CU_ASSERT_EQUAL(top(topology)->type, NWTOPO_OBJ_FULL);
    CU_ASSERT_EQUAL(top(topology)->num_children, 5);
    nwtopo_topology_destroy(topology);
    topology = load("full:1", 0);
    CU_ASSERT_EQUAL(check(topology), 2);
    nwtopo_topology_destroy(topology);
}

/* Machines 0, 1, 2 are cabled to each other, and leaf0, leaf1 to a spine that has a machine
 * too, so all three are of height 1; core is above the spine. */
static void test_mixed(void)
{
    static const char mixed[] = "tests/data/nwtopo/mixed.xml";
    nwtopo_topology_t topology = load(mixed, 0), lazy = load(mixed, ON_DEMAND);
    CU_ASSERT_EQUAL(check(topology), 5 + 4 + 2);
    CU_ASSERT_EQUAL(nwtopo_topology_get_max_height(topology), 2);
    nwtopo_obj_t one = machine(topology, 1), mesh = one->parents[1], core, routers;
    CU_ASSERT_EQUAL(one->num_parents, 2);
    CU_ASSERT_EQUAL(one->attr->machine.num_nics, 4);
    CU_ASSERT_EQUAL(mesh->type, NWTOPO_OBJ_MESH);
    CU_ASSERT_EQUAL(mesh->height, 1);
    CU_ASSERT_EQUAL(mesh->num_children, 3);
    CU_ASSERT_EQUAL(mesh->attr->mesh.num_edges, 3);
    CU_ASSERT_PTR_EQUAL(mesh->attr->mesh.edges[2]->nodes[1], machine(topology, 2));
    core = nwtopo_topology_get_object(topology, 2, 0);
    routers = nwtopo_topology_get_object(topology, 2, 1);
    CU_ASSERT_STRING_EQUAL(core->attr->router.name, "core");
    CU_ASSERT_EQUAL(core->num_children, 1);
    CU_ASSERT_EQUAL(routers->type, NWTOPO_OBJ_MESH);
    CU_ASSERT_EQUAL(routers->attr->mesh.num_edges, 2);
    unsigned n = 0;
    CU_ASSERT_EQUAL(nwtopo_obj_get_links(topology, mesh, &n, NULL), 0);
    CU_ASSERT_EQUAL(n, 6);
    for (unsigned long id = 0; id < 5; id++) {
        nwtopo_obj_t a = machine(lazy, id), b = machine(topology, id);
        CU_ASSERT_EQUAL(a->num_parents, b->num_parents);
        for (unsigned i = 0; i < a->num_parents; i++)
            CU_ASSERT_EQUAL(a->parents[i]->id, b->parents[i]->id);
    }
    CU_ASSERT_PTR_NULL(nwtopo_topology_get_object_by_id(lazy, mesh->id)->attr->mesh.edges);
    nwtopo_obj_t two[] = {machine(topology, 0), one};
    nwtopo_topology_t part = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_shrink(part, topology, 2, two), 0);
    CU_ASSERT_EQUAL(check(part), 2 + 1 + 1); /* leaf0, and FULL over the two */
    CU_ASSERT_EQUAL(nwtopo_topology_get_object_by_id(part, mesh->id)->type, NWTOPO_OBJ_FULL);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(lazy);
    nwtopo_topology_destroy(topology);
}

/* ---- flags that change what is made ---- */

static void test_no_machines(void)
{
    static const char *const specs[] = {"torus:4x4", "fattree:4x4", "full:4", dragonfly};
    for (int i = 0; i < 4; i++) {
        nwtopo_topology_t topology = load(specs[i], NO_MACHINES);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 0), 0);
        CU_ASSERT(nwtopo_topology_get_num_machines(topology) >= 4);
        nwtopo_obj_t above = nwtopo_topology_get_object(topology, 1, 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(above);
        CU_ASSERT_EQUAL(above->num_children, 0);
        CU_ASSERT_PTR_NULL(above->children);
        IS_NULL(nwtopo_topology_get_object_by_id(topology, 0), ENOENT);
        nwtopo_topology_destroy(topology);
    }
}

static void test_no_hostnames(void)
{
    nwtopo_topology_t topology = load(dragonfly, NO_HOSTNAMES);
    CU_ASSERT_PTR_NULL(machine(topology, 3)->attr->machine.hostname);
    CU_ASSERT_EQUAL(machine(topology, 3)->attr->machine.num_nics, 1);
    CU_ASSERT_PTR_NULL(machine(topology, 3)->parents[0]->attr->router.name);
    nwtopo_topology_destroy(topology);
    topology = load("torus:3x3", NO_HOSTNAMES);
    CU_ASSERT_PTR_NULL(machine(topology, 3)->attr->machine.hostname);
    nwtopo_topology_destroy(topology);
}

static void test_on_demand(void)
{
    static const char *const specs[] = {"torus:4x4", "fattree:4x4", "full:4", dragonfly,
                                        "tofu:1x2x1"};
    for (int i = 0; i < 5; i++) {
        nwtopo_topology_t lazy = load(specs[i], ON_DEMAND), all = load(specs[i], 0);
        unsigned n = nwtopo_topology_get_num_machines(all);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(lazy), n);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(lazy, 0), 0);
        nwtopo_obj_t above = nwtopo_topology_get_object(lazy, 1, 0);
        CU_ASSERT_PTR_NULL(above->children);
        CU_ASSERT_EQUAL(above->num_children,
                        nwtopo_topology_get_object(all, 1, 0)->num_children);
        for (unsigned long id = n; id-- > 0;) {
            nwtopo_obj_t a = machine(lazy, id), b = machine(all, id);
            CU_ASSERT_PTR_EQUAL(machine(lazy, id), a);
            CU_ASSERT_STRING_EQUAL(a->attr->machine.hostname, b->attr->machine.hostname);
            CU_ASSERT_EQUAL(a->num_parents, b->num_parents);
            CU_ASSERT_EQUAL(a->parents[0]->id, b->parents[0]->id);
        }
        nwtopo_topology_destroy(lazy);
        nwtopo_topology_destroy(all);
    }
}

/* ---- A.1.4 ---- */

static void test_this_machine(void)
{
    nwtopo_topology_t topology = load(dragonfly, 0);
    FAILS(nwtopo_topology_set_this_machine(topology, NULL), EINVAL);
    unsetenv("NWTOPO_HOSTNAME");
    IS_NULL(nwtopo_topology_get_this_machine(topology), ENOENT);
    setenv("NWTOPO_HOSTNAME", "n5", 1);
    CU_ASSERT_EQUAL(nwtopo_topology_get_this_machine(topology)->id, 5);
    setenv("NWTOPO_HOSTNAME", "n6.site.org", 1);
    CU_ASSERT_EQUAL(nwtopo_topology_get_this_machine(topology)->id, 6);
    CU_ASSERT_EQUAL(nwtopo_topology_set_this_machine(topology, "n7"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_this_machine(topology)->id, 7);
    CU_ASSERT_EQUAL(nwtopo_topology_set_this_machine(topology, "10.1.2.3"), 0);
    IS_NULL(nwtopo_topology_get_this_machine(topology), ENOENT);
    nwtopo_topology_destroy(topology);
    unsetenv("NWTOPO_HOSTNAME");
}

/* The machines of a job, and the whole system. */
static void test_job(void)
{
    nwtopo_topology_t topology = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, dragonfly), 0);
    FAILS(nwtopo_topology_set_machines(topology, NULL), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n1 nobody"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "'nobody'"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n1 n1"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n9\nn1  n0\n"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 3);
    CU_ASSERT_EQUAL(check(topology), 3 + 2 + 1);
    CU_ASSERT_EQUAL(machine(topology, 9)->id, 9);
    IS_NULL(nwtopo_topology_get_object_by_id(topology, 2), ENOENT);
    nwtopo_topology_destroy(topology);
    topology = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, dragonfly), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n[0-1],n[1-2]"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "'n1'"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n[0-"), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "is not closed"));
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "n[0-1,9] n4,n5"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 5);
    CU_ASSERT_EQUAL(machine(topology, 9)->id, 9);
    CU_ASSERT_STRING_EQUAL(nwtopo_topology_get_error(topology), "");
    nwtopo_topology_destroy(topology);
    topology = make(0); /* whole names of a grid have commas */
    CU_ASSERT_EQUAL(nwtopo_topology_set_synthetic(topology, "torus:4x4"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_machines(topology, "(0,0) (1,0)"), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_load(topology), 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 2);
    nwtopo_topology_destroy(topology);
    setenv("NWTOPO_MACHINES", "n4", 1);
    topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(check(topology), 2);
    nwtopo_topology_destroy(topology);
    topology = load(dragonfly, WHOLE);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 12);
    nwtopo_topology_destroy(topology);
    unsetenv("NWTOPO_MACHINES");
}

/* ids and parents as one number */
static unsigned long digest(const char *spec, unsigned long flags)
{
    nwtopo_topology_t topology = load(spec, flags);
    unsigned long sum = 0;
    for (unsigned height = 0; height <= nwtopo_topology_get_max_height(topology); height++)
        for (unsigned i = 0; i < nwtopo_topology_get_num_objects(topology, height); i++) {
            nwtopo_obj_t obj = nwtopo_topology_get_object(topology, height, i);
            sum = sum * 31 + obj->id;
            for (unsigned k = 0; k < obj->num_parents; k++)
                sum = sum * 31 + obj->parents[k]->id;
        }
    nwtopo_topology_destroy(topology);
    return sum;
}

static void test_ids_in_two_processes(void)
{
    static const char *const specs[] = {"tofu:2x1x1", "fattree:4x4x2", dragonfly};
    for (int i = 0; i < 3; i++) {
        int ends[2];
        unsigned long theirs = 0;
        CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            free(malloc(12345)); /* another heap */
            unsigned long mine = digest(specs[i], 0);
            _exit(write(ends[1], &mine, sizeof mine) != sizeof mine);
        }
        CU_ASSERT_EQUAL(read(ends[0], &theirs, sizeof theirs), (ssize_t)sizeof theirs);
        waitpid(child, NULL, 0);
        CU_ASSERT_EQUAL(theirs, digest(specs[i], 0));
        close(ends[0]);
        close(ends[1]);
    }
}

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

/* Shrinks to the machines with these numbers. */
static nwtopo_topology_t shrink(nwtopo_topology_t base, unsigned long flags, unsigned n,
                                const unsigned *numbers)
{
    nwtopo_topology_t part = make(flags);
    nwtopo_obj_t *list = calloc(n, sizeof *list);
    for (unsigned i = 0; i < n; i++)
        list[i] = machine(base, numbers[i]);
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_shrink(part, base, n, list), 0);
    free(list);
    return part;
}

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

/* ---- memory and threads ---- */

/* Fails the allocation after so many others; the linker puts these in place of the C
 * library's for all of our own code. */
static long allocations_left = -1;

static bool allocation_fails(void)
{
    if (allocations_left < 0 || allocations_left-- > 0)
        return false;
    allocations_left = -1;
    errno = ENOMEM;
    return true;
}

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *data, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *data, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *data, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(data, size);
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : __real_strdup(text);
}

/* All that allocates; 0, or the errno of the first failure. */
static int use_all(const char *spec, unsigned long flags)
{
    nwtopo_topology_t base = NULL, part = NULL;
    nwtopo_obj_t list[2];
    unsigned n = 0;
    int error = 0;
    if (nwtopo_topology_init(&base) || nwtopo_topology_init(&part) ||
        nwtopo_topology_set_flags(base, flags) || nwtopo_topology_set_file(base, spec) ||
        nwtopo_topology_set_machines(base, "m0 m1 m2") ||
        nwtopo_topology_set_link_failed(base, 1, true) || nwtopo_topology_load(base) ||
        !(list[0] = nwtopo_topology_get_object_by_id(base, 0)) ||
        !(list[1] = nwtopo_topology_get_object_by_id(base, 2)) ||
        nwtopo_topology_get_route(base, list[1], list[0], &n, NULL) ||
        nwtopo_topology_shrink(part, base, 2, list))
        error = errno;
    nwtopo_topology_destroy(base);
    nwtopo_topology_destroy(part);
    return error;
}

#ifdef __SANITIZE_ADDRESS__
void __lsan_disable(void);
void __lsan_enable(void);
#else
#define __lsan_disable() (void)0
#define __lsan_enable() (void)0
#endif

/* Each allocation in turn fails: never an exit, always ENOMEM. What a reader held is lost. */
static void test_out_of_memory(void)
{
    static const char *const specs[] = {"torus:3x3", "fattree:2x2", "full:4",
                                        "tests/data/nwtopo/ring.xml"};
    __lsan_disable();
    for (int i = 0; i < 8; i++) {
        unsigned long flags = i % 2 ? ON_DEMAND : 0;
        int error = ENOMEM;
        long n = 0;
        for (; error && n < 5000; n++) {
            allocations_left = n;
            error = use_all(specs[i / 2], flags);
            if (error && error != ENOMEM)
                printf("\n  %s, allocation %ld: %s", specs[i / 2], n, strerror(error));
            CU_ASSERT(error == 0 || error == ENOMEM);
        }
        CU_ASSERT(n > 20 && n < 5000);
        allocations_left = -1;
        CU_ASSERT_EQUAL(use_all(specs[i / 2], flags), 0);
    }
    __lsan_enable();
}

static void *work(void *argument)
{
    unsigned long *sum = argument;
    for (int i = 0; i < 20; i++) {
        nwtopo_topology_t topology;
        unsigned n = 0;
        if (nwtopo_topology_init(&topology) || nwtopo_topology_set_file(topology, dragonfly) ||
            nwtopo_topology_load(topology) ||
            nwtopo_topology_get_route(topology, nwtopo_topology_get_object_by_id(topology, 0),
                                      nwtopo_topology_get_object_by_id(topology, 11), &n, NULL))
            return NULL;
        *sum += n;
        nwtopo_topology_destroy(topology);
    }
    return NULL;
}

/* All routes of a topology; its sum of lengths. */
static void *walk(void *argument)
{
    nwtopo_topology_t topology = argument;
    unsigned n = nwtopo_topology_get_num_machines(topology);
    uintptr_t sum = 0;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = 0, length = 0; b < n; b++, sum += length, length = 0)
            if (nwtopo_topology_get_route(topology, nwtopo_topology_get_object(topology, 0, a),
                                          nwtopo_topology_get_object(topology, 0, b), &length,
                                          NULL))
                return NULL;
    nwtopo_topology_destroy(topology);
    return (void *)sum;
}

/* Topologies shrunk from one share its network, whose routes are found when asked for. */
static void test_threads_on_one_network(void)
{
    static const unsigned numbers[] = {0, 1, 2, 5, 7, 11};
    nwtopo_topology_t base = load(dragonfly, 0);
    pthread_t threads[4];
    void *sums[4];
    for (int i = 0; i < 4; i++) {
        nwtopo_topology_t part = shrink(base, 0, 6, numbers);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, walk, part), 0);
    }
    nwtopo_topology_destroy(base);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], &sums[i]);
    for (int i = 0; i < 4; i++)
        CU_ASSERT(sums[i] != NULL && sums[i] == sums[0]);
}

static void test_threads(void)
{
    pthread_t threads[4];
    unsigned long sums[4] = {0};
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, work, &sums[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CU_ASSERT_EQUAL(sums[i], sums[0]);
        CU_ASSERT_EQUAL(sums[i], 20 * 4);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {{"init, load, destroy", test_life},
                           {"flags", test_flags},
                           {"sources and errors", test_sources},
                           {"torus of figure 3", test_torus},
                           {"torus of switches of figure 3", test_torus_of_switches},
                           {"part of a grid", test_part_of_a_grid},
                           {"fat tree of figure 3", test_fat_tree},
                           {"dragonfly of figure 3", test_dragonfly},
                           {"full", test_full},
                           {"cables between machines", test_mixed},
                           {"no machines", test_no_machines},
                           {"no host names", test_no_hostnames},
                           {"on demand", test_on_demand},
                           {"this machine", test_this_machine},
                           {"machines of the job", test_job},
                           {"ids in two processes", test_ids_in_two_processes},
                           {"functions of grids", test_grid_functions},
                           {"views", test_views},
                           {"shrink to a box", test_shrink_box},
                           {"shrink to a set with holes", test_shrink_holes},
                           {"shrink trees", test_shrink_tree},
                           {"shrink errors", test_shrink_errors},
                           {"reuse objects", test_reuse},
                           {"links", test_links},
                           {"routes and faults", test_routes_and_faults},
                           {"out of memory", test_out_of_memory},
                           {"threads", test_threads},
                           {"threads on one network", test_threads_on_one_network},
                           CU_TEST_INFO_NULL};
    return run_suite("nwtopo", tests);
}
