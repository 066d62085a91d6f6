/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of nwtopo/nwtopo.h by its public functions alone: appendix A.1.2 to A.1.4 of Kawashima et al.
 * 2013 with their errors, the networks of figure 3, and the flags that we add.
 */
#include "tests/unit/nwtopo_scene.h"

#include <sys/wait.h>
#include <unistd.h>

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
    static const char *const specs[] = {"torus:4x4", "fattree:4x4", "fattree:3x2,up=1x2,cables=1x2", "full:4",
                                        dragonfly};
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

/* A grid is one object then, of a hundred bytes or so, whatever its extents (paper, section 5). */
static void test_no_machines_bytes(void)
{
    static const char *const specs[] = {"torus:4x5x6", "torus:48x54x32"};
    for (int i = 0; i < 2; i++) {
        nwtopo_topology_t topology = load(specs[i], NO_MACHINES);
        const nwtopo_obj_t grid = nwtopo_topology_get_object(topology, 1, 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(grid);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 0), 0);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 1), 1);
        CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 2), 0);
        CU_ASSERT_EQUAL(grid->type, NWTOPO_OBJ_GRID);
        CU_ASSERT_EQUAL(grid->num_parents, 0);
        CU_ASSERT_PTR_NULL(grid->children);
        CU_ASSERT_PTR_NULL(grid->attr->grid.map);
        const size_t bytes = sizeof *grid + sizeof *grid->attr +
                             grid->attr->grid.num_dimensions * (2 * sizeof(unsigned) + sizeof(bool));
        CU_ASSERT(bytes <= 128);
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
    setenv("SLURM_JOB_NODELIST", "n[0-1,9]", 1); /* the variable of nwtopo is before Slurm's */
    topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 1);
    nwtopo_topology_destroy(topology);
    setenv("NWTOPO_MACHINES", " ", 1);
    topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 12);
    nwtopo_topology_destroy(topology);
    unsetenv("NWTOPO_MACHINES");
    topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 3);
    nwtopo_topology_destroy(topology);
    setenv("SLURM_JOB_NODELIST", "elsewhere[1-4]", 1);
    topology = load(dragonfly, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 12);
    nwtopo_topology_destroy(topology);
    setenv("SLURM_JOB_NODELIST", "n[0-1", 1);
    topology = load(dragonfly, WHOLE);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_machines(topology), 12);
    nwtopo_topology_destroy(topology);
    setenv("SLURM_JOB_NODELIST", "n[0-1],elsewhere", 1); /* some are here, so all must be */
    topology = make(0);
    CU_ASSERT_EQUAL(nwtopo_topology_set_file(topology, dragonfly), 0);
    FAILS(nwtopo_topology_load(topology), EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(nwtopo_topology_get_error(topology), "'elsewhere'"));
    nwtopo_topology_destroy(topology);
    unsetenv("SLURM_JOB_NODELIST");
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

UNIT_PROGRAM(test_nwtopo)
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
                           {"bytes without machines", test_no_machines_bytes},
                           {"no host names", test_no_hostnames},
                           {"on demand", test_on_demand},
                           {"this machine", test_this_machine},
                           {"machines of the job", test_job},
                           {"ids in two processes", test_ids_in_two_processes},
                           CU_TEST_INFO_NULL};
    return run_suite("nwtopo", tests);
}
