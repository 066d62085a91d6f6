/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps of ranks: what is renumbered is still right, by the engine and the reference; what a
 * search finds is a permutation, keeps the root, is no worse than the order of ranks, and, on
 * few ranks, costs the least of all permutations; figure 2 of Kawashima et al. 2013.
 */
#include "mapping/search.h"

#include "base/codes.h"
#include "tests/unit/agree.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scene_spec places[] = {
    {.topology = "torus:4x4"},
    {.topology = "torus:3x3", .root = 4},
    {.topology = "mesh:4x2", .root = 5},
    {.topology = "torus:2", .root = 1},
    {.topology = "star:1"},
    {.topology = "star:7", .root = 6},
    {.topology = "star:3", .ranks_per_machine = 4, .placement = "cyclic", .root = 2},
    {.topology = "star:8", .placement = "unequal", .n_ranks = 11},
    {.topology = "fattree:4x3,up=1x2", .root = 3},
    {.topology = "tofu:1x1x1", .root = 7},
    {.topology = "full:5", .ranks_per_machine = 2, .root = 9},
    {.topology = "examples/clusters/dualrail8.txt", .n_ranks = 8, .root = 1},
};
enum { N_PLACES = sizeof places / sizeof *places };

/* ---- what a map has to be ---- */

static bool is_permutation(const uint32_t *map, uint32_t n)
{
    bool *seen = mem_alloc(n, sizeof *seen), good = true;
    for (uint32_t v = 0; v < n && good; v++) {
        good = map[v] < n && !seen[map[v]];
        seen[good ? map[v] : 0] = true;
    }
    free(seen);
    return good;
}

/* A permutation with no order in it; not always the identity where n > 1. */
static void shuffle(uint32_t *map, uint32_t n, uint64_t state)
{
    for (uint32_t v = 0; v < n; v++)
        map[v] = v;
    for (uint32_t v = n; v > 1; v--) {
        state = state * UINT64_C(6364136223846793005) + 1;
        uint32_t other = (uint32_t)((state >> 33) % v), swap = map[v - 1];
        map[v - 1] = map[other];
        map[other] = swap;
    }
}

/* Verifies the scene's program for a map, with the root where the scene wants it. */
static bool is_schedule_right(struct test_scene *scene, const uint32_t *map, uint32_t root, const char *label)
{
    struct schedule *schedule = expand_program(scene->binding, &scene->diagnostics);
    struct reference engine;
    schedule = schedule ? mapping_rename(schedule, map, scene->topology, &scene->diagnostics) : NULL;
    if (!schedule) {
        fprintf(stderr, "%s: no schedule\n", label);
        return false;
    }
    bool is_right = schedule->header.root == root && engine_verify(schedule, &scene->request, &engine) &&
                    engine.n_findings == 0 && engine.report.is_complete;
    if (!is_right)
        fprintf(stderr, "%s: wrong when mapped\n", label);
    is_right = agree(schedule, &scene->request, label) && is_right;
    engine_free(&engine);
    schedule->destroy(schedule);
    return is_right;
}

/* The root is that of the binding as long as there is a schedule. */
static bool is_right(struct test_scene *scene, const uint32_t *map, const char *label)
{
    const uint32_t root = scene->binding->root;
    scene->binding->root = mapping_find(map, scene->binding->n_ranks, root);
    const bool is_right = is_schedule_right(scene, map, root, label);
    scene->binding->root = root;
    return is_right;
}

/* ---- algorithms x places ---- */

static bool is_no_worse(const struct mapping_figures *before, const struct mapping_figures *after)
{
    return after->step_load < before->step_load ||
           (after->step_load == before->step_load && after->total_load <= before->total_load);
}

/* Measures the figures of any map, as the search did. */
static bool is_measured(struct schedule *schedule, const struct mapping_request *request, const uint32_t *map,
                        struct mapping_figures *figures)
{
    struct pairs pairs = {0};
    struct layout layout;
    uint64_t work = UINT64_MAX;
    *figures = (struct mapping_figures){0};
    bool is_done = pairs_gather(&pairs, schedule, NULL) && !pairs.is_too_dense;
    if (is_done) {
        layout_open(&layout, request, &pairs);
        layout_set(&layout, map);
        measure_layout(&layout, figures);
        if (request->topology->is_adaptive)
            choose_ways(&layout, search_work_of(request, pairs.n_ranks), figures);
        is_done = measure_steps(schedule, &layout, map, &work, figures);
        layout_close(&layout);
    }
    pairs_free(&pairs);
    return is_done;
}

static bool is_search_right(struct test_scene *scene, const char *label)
{
    const struct mapping_request request = {
        .topology = scene->topology, .placement = scene->placement, .work = 4000};
    struct mapping_result result;
    struct mapping_figures again;
    const uint32_t p = scene->binding->n_ranks, root = scene->binding->root;
    CU_ASSERT(mapping_search(scene->schedule, &request, &result));
    bool is_rooted = collective_table[scene->schedule->header.collective].rooted;
    bool good = is_permutation(result.map, p) && (!is_rooted || result.map[root] == root) &&
                is_no_worse(&result.before, &result.after);
    if (!good)
        fprintf(stderr, "%s: no map, or a worse one\n", label);
    CU_ASSERT(is_measured(scene->schedule, &request, result.map, &again));
    good = good && !memcmp(&again, &result.after, sizeof again);
    good = is_right(scene, result.map, label) && good;
    free(result.map);
    return good;
}

static bool is_scene_right(const struct scene_spec *spec, unsigned *n_done)
{
    struct test_scene scene;
    bool good = true;
    bool is_open = scene_open(&scene, spec);
    const struct schedule_header *header = is_open ? &scene.schedule->header : NULL;
    if (header && !mapping_problem(header->collective, header->form)) {
        const char *label = scene_label(&scene, spec);
        uint32_t *map = mem_alloc(scene.binding->n_ranks, sizeof *map);
        shuffle(map, scene.binding->n_ranks, 7);
        good = is_right(&scene, map, label);
        good = is_search_right(&scene, label) && good;
        free(map);
        ++*n_done;
    }
    scene_close(&scene);
    return good;
}

static void test_algorithms(void)
{
    char name[SCENE_NAME];
    for (size_t file = 0; file < scene_n_files(); file += IS_SHORT ? 8 : 1) {
        if (!scene_algorithm(file, name))
            continue;
        unsigned n_done = 0;
        for (int i = 0; i < N_PLACES; i++) {
            struct scene_spec spec = places[i];
            spec.algorithm = name;
            CU_ASSERT(is_scene_right(&spec, &n_done));
        }
        bool is_fixed = strncmp(name, "scan/", 5) == 0 || strncmp(name, "exscan/", 7) == 0 ||
                        strncmp(name, "reduce_scatter/", 15) == 0;
        CU_ASSERT((n_done > 0) == !is_fixed);
    }
}

/* ---- the least cost of all permutations ---- */

struct lower_bound {
    struct layout layout;
    uint32_t *map, fixed;
    uint64_t cost;
};

static void try_all(struct lower_bound *least, uint32_t v)
{
    const uint32_t p = least->layout.pairs->n_ranks;
    if (v == p) {
        layout_set(&least->layout, least->map);
        least->cost = least->layout.cost < least->cost ? least->layout.cost : least->cost;
        return;
    }
    for (uint32_t w = v; w < p; w++) {
        uint32_t swap = least->map[v];
        if ((v == least->fixed || w == least->fixed) && v != w)
            continue;
        least->map[v] = least->map[w], least->map[w] = swap;
        try_all(least, v + 1);
        swap = least->map[v];
        least->map[v] = least->map[w], least->map[w] = swap;
    }
}

/* The map taken may be another one if that of the least cost loads a step more. */
static void check_least(const struct scene_spec *spec)
{
    struct test_scene scene;
    struct mapping_result result;
    CU_ASSERT_FATAL(scene_open(&scene, spec));
    const uint32_t p = scene.binding->n_ranks;
    bool is_rooted = collective_table[scene.schedule->header.collective].rooted;
    const struct mapping_request request = {.topology = scene.topology, .placement = scene.placement};
    struct pairs pairs = {0};
    struct lower_bound least = {.map = mem_alloc(p, sizeof(uint32_t)),
                          .fixed = is_rooted ? spec->root : UINT32_MAX,
                          .cost = UINT64_MAX};
    CU_ASSERT_FATAL(pairs_gather(&pairs, scene.schedule, NULL));
    layout_open(&least.layout, &request, &pairs);
    for (uint32_t v = 0; v < p; v++)
        least.map[v] = v;
    try_all(&least, 0);
    CU_ASSERT(mapping_search(scene.schedule, &request, &result));
    if (result.least_cost != least.cost)
        fprintf(stderr, "%s: cost %llu, the least is %llu\n", scene_label(&scene, spec),
                (unsigned long long)result.least_cost, (unsigned long long)least.cost);
    CU_ASSERT_EQUAL(result.least_cost, least.cost);
    free(result.map);
    free(least.map);
    layout_close(&least.layout);
    pairs_free(&pairs);
    scene_close(&scene);
}

static void test_least(void)
{
    static const char *const algorithms[] = {"bcast/binary", "bcast/binomial", "reduce/binomial",
                                             "bcast/chain", "allgather/ring",
                                             "allreduce/recursive_doubling", "gather/binomial"};
    static const struct scene_spec small[] = {
        {.topology = "torus:2x2", .root = 1}, {.topology = "mesh:3x2"},
        {.topology = "torus:2x2x2", .root = 5}, {.topology = "mesh:7", .root = 3},
        {.topology = "fattree:2x3,up=1x1", .root = 2},
        {.topology = "star:3", .ranks_per_machine = 2, .placement = "cyclic"}};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i += IS_SHORT ? 3 : 1)
        for (size_t j = 0; j < sizeof small / sizeof *small; j++) {
            struct scene_spec spec = small[j];
            spec.algorithm = algorithms[i];
            if (!is_least() || j % 3 == i % 3)
                check_least(&spec);
        }
    if (IS_SHORT)
        return;
    check_least(&(struct scene_spec){.algorithm = "bcast/binary", .topology = "torus:3x3"});
    check_least(&(struct scene_spec){.algorithm = "bcast/binomial", .topology = "mesh:3x3", .root = 4});
}

/* Opens the scene and searches a map in it, which the caller frees. */
static void search_scene(const struct scene_spec *spec, struct test_scene *scene,
                         struct mapping_result *result)
{
    CU_ASSERT_FATAL(scene_open(scene, spec));
    const struct mapping_request request = {.topology = scene->topology, .placement = scene->placement};
    CU_ASSERT(mapping_search(scene->schedule, &request, result));
}

/* ---- figure 2 of Kawashima et al. 2013 ---- */

static void test_figure(void)
{
    for (uint32_t root = 0; root < 16; root += by_form(5, 2, 1)) {
        const struct scene_spec spec = {
            .algorithm = "bcast/binary", .topology = "torus:4x4", .root = root};
        struct test_scene scene;
        struct mapping_result result;
        search_scene(&spec, &scene, &result);
        CU_ASSERT_EQUAL(result.after.max_hops, 2);
        CU_ASSERT_EQUAL(result.after.shared_cables, 0);
        CU_ASSERT_EQUAL(result.after.n_pairs, 15);
        if (root == 0) {
            CU_ASSERT_EQUAL(result.before.max_hops, 3);
            CU_ASSERT(result.before.shared_cables > 0);
        }
        free(result.map);
        scene_close(&scene);
    }
}

/* ---- servers, and more ranks than fit a table of all of them ---- */

/* A ring over cyclically placed ranks: as few links as there are machines. */
static void test_servers(void)
{
    const struct scene_spec spec = {.algorithm = "allgather/ring",
                                    .topology = "star:4",
                                    .ranks_per_machine = 8,
                                    .placement = "cyclic"};
    struct test_scene scene;
    struct mapping_result result;
    search_scene(&spec, &scene, &result);
    CU_ASSERT_EQUAL(result.before.n_pairs, 32);
    CU_ASSERT_EQUAL(result.after.n_pairs, 4);
    free(result.map);
    scene_close(&scene);
}

static void test_dense(void)
{
    const struct scene_spec spec = {.algorithm = "alltoall/linear", .topology = "star:600"};
    struct test_scene scene;
    struct mapping_result result;
    search_scene(&spec, &scene, &result);
    CU_ASSERT(result.is_too_dense);
    CU_ASSERT(mapping_is_identity(result.map, 600));
    free(result.map);
    scene_close(&scene);
}

/* ---- files ---- */

static void check_file(const char *text, uint32_t line, uint32_t column)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("a.map", text, strlen(text), &arena);
    const uint32_t *map = mapping_read(source, 4, &arena, &diagnostics);
    CU_ASSERT_EQUAL(map == NULL, line > 0);
    CU_ASSERT_EQUAL(map == NULL, diagnostics_has_errors(&diagnostics));
    if (map)
        CU_ASSERT(map[0] == 2 && map[1] == 0 && map[2] == 3 && map[3] == 1);
    if (line && diagnostics.first) {
        CU_ASSERT_EQUAL(diagnostics.first->code, CODE_A004);
        CU_ASSERT_EQUAL(diagnostics.first->position.line, line);
        CU_ASSERT_EQUAL(diagnostics.first->position.column, column);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static void test_files(void)
{
    check_file("2 0 3 1", 0, 0);
    check_file("# four ranks\n2,0,\r\n 3 # the third\n1\n", 0, 0);
    check_file("2 0 3", 1, 6);
    check_file("", 1, 1);
    check_file("2 0\n3 1 2", 2, 5);
    check_file("2 0 3 2", 1, 7);
    check_file("2 0 4 1", 1, 5);
    check_file("2 0 99999999999999999999999999 1", 1, 5);
    check_file("2 0 -1 1", 1, 5);
    check_file("2 0 3x 1", 1, 5);
}

UNIT_PROGRAM(test_mapping)
{
    CU_TestInfo tests[] = {{"algorithms", test_algorithms}, {"least cost", test_least},
                           {"figure 2", test_figure},       {"servers", test_servers},
                           {"dense", test_dense},           {"files", test_files},
                           CU_TEST_INFO_NULL};
    return run_suite("mapping", tests);
}
