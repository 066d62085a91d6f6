/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verifier against the reference (agree.h), and against what the papers
 * and the rules say:
 *
 *   built-in algorithms on many placements and topologies: same verdict, same numbers
 *   known numbers: HoL slowdown of the ring, fan-in of two_level_ring, loads of a2at
 *   one fault at a time: exactly the finding it deserves
 */
#include "tests/unit/agree.h"
#include "base/codes.h"
#include "tests/unit/oplist.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- built-in algorithms ---- */

struct tally {
    uint64_t agreed, disagreed, refused;
};

static void try_scene(const struct scene_spec *spec, struct tally *tally)
{
    struct test_scene scene;
    bool is_open = scene_open(&scene, spec);
    scene.request.limits.ports = limit_of(2);
    scene.request.drift = spec->n_ranks % 4;
    if (scene.request.drift <= 1)
        scene.request.limits = (struct verify_limits){.max_link_load = limit_of(1),
                                                      .max_total_load = limit_of(3),
                                                      .max_contended_steps = limit_of(1),
                                                      .max_fan_in = limit_of(1),
                                                      .max_fan_out = limit_of(1),
                                                      .max_hol_slowdown = limit_of(1.25),
                                                      .ports = limit_of(2),
                                                      .max_steps = limit_of(5),
                                                      .max_idle_steps = limit_of(0)};
    if (!is_open)
        tally->refused++;
    else if (agree(scene.schedule, &scene.request, scene_label(&scene, spec)))
        tally->agreed++;
    else
        tally->disagreed++;
    scene_close(&scene);
}

/* All placements of n_ranks on one topology. */
static void try_placements(struct scene_spec spec, struct tally *tally)
{
    static const char *const rules[] = {"block", "cyclic"};
    for (uint32_t rule = 0; rule < 2; rule++)
        for (uint32_t per_machine = 1; per_machine <= 4; per_machine *= 2) {
            spec.placement = rules[rule];
            spec.ranks_per_machine = per_machine;
            try_scene(&spec, tally);
        }
    spec.placement = "unequal";
    try_scene(&spec, tally);
}

/* A grid with one rank on every machine, for algorithms that ask for one; on the long ring the loads of steps
 * in which all ranks send are laid (topology_lay_loads). */
static void try_grids(const char *algorithm, struct tally *tally)
{
    static const char *const grids[] = {"torus:5x5",   "torus:4x4", "mesh:3x3", "mesh:5x5",
                                        "torus:3x3x3", "mesh:2x3",  "torus:7",  "torus:3x5",
                                        "torus:18"};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        try_scene(&(struct scene_spec){.algorithm = algorithm, .topology = grids[i]}, tally);
}

static void try_algorithm(const char *algorithm, struct tally *tally)
{
    static const char *const topologies[] = {"star:24", "torus:5x5", "mesh:5x5", "fattree:4x6"};
    /* All numbers up to each + 1, then every by-th. */
    const uint32_t each = by_form(1, 11, 24), by = by_form(3, 5, 1);
    for (uint32_t n_ranks = 1; n_ranks <= (IS_SHORT ? 7 : 24); n_ranks += n_ranks > each ? by : 1) {
        struct scene_spec spec = {.algorithm = algorithm,
                                  .topology = topologies[n_ranks % 4],
                                  .n_ranks = n_ranks,
                                  .root = n_ranks / 2};
        try_placements(spec, tally);
        spec.topology = topologies[(n_ranks + 1) % 4];
        spec.root = 0;
        try_placements(spec, tally);
    }
    try_grids(algorithm, tally);
}

static void test_builtin_algorithms(void)
{
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++) {
        struct tally tally = {0};
        if (!scene_algorithm(i, name))
            continue;
        try_algorithm(name, &tally);
        printf("\n    %-28s %5" PRIu64 " agree, %" PRIu64 " do not, %" PRIu64 " refused", name,
               tally.agreed, tally.disagreed, tally.refused);
        CU_ASSERT(tally.disagreed == 0);
        CU_ASSERT(tally.agreed > 0);
    }
}

/* Every built-in algorithm is right wherever it does not refuse: no findings. */
static void test_builtin_is_clean(void)
{
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++) {
        struct scene_spec spec = {.topology = "torus:3x3", .n_ranks = 9};
        struct test_scene scene;
        struct reference engine = {0};
        if (!(spec.algorithm = scene_algorithm(i, name)))
            continue;
        if (scene_open(&scene, &spec)) {
            CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
            CU_ASSERT(engine.n_findings == 0 && engine.report.is_complete);
            engine_free(&engine);
        }
        scene_close(&scene);
    }
}

/* ---- known numbers ---- */

/* Paper 000, section 3.6: between 8 <= i <= 56 every step of the ring sends
 * the share a of a server's messages to one server and the rest to the next. */
static void test_ring_slowdown(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:8",
                              .ranks_per_machine = 8};
    struct test_scene scene;
    struct reference engine;
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
    CU_ASSERT_FATAL(engine.report.n_steps == 64 || engine.report.n_steps == 63);
    uint64_t first = 64 - engine.report.n_steps; /* distance of step 0 */
    for (uint64_t distance = 8; distance <= 56; distance++) {
        double a = (double)(distance % 8) / 8;
        double expected = 1 / (1 - a * (1 - a));
        double found = engine.report.per_step[distance - first].hol_slowdown;
        if (fabs(found - expected) > 1e-12)
            fprintf(stderr, "distance %" PRIu64 ": %.17g, not %.17g\n", distance, found, expected);
        CU_ASSERT(fabs(found - expected) <= 1e-12);
    }
    CU_ASSERT(engine.report.hol_steps == 42); /* 8..56 but for the 7 multiples of 8 */
    engine_free(&engine);
    scene_close(&scene);
}

static void test_two_level_ring_fan_in(void)
{
    static const struct scene_spec specs[] = {
        {.algorithm = "alltoall/two_level_ring", .topology = "star:8", .ranks_per_machine = 8},
        {.algorithm = "alltoall/two_level_ring", .topology = "star:24", .ranks_per_machine = 4},
        {.algorithm = "alltoall/two_level_ring", .topology = "star:3", .ranks_per_machine = 5}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct test_scene scene;
        struct reference engine;
        CU_ASSERT_FATAL(scene_open(&scene, &specs[i]));
        CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
        CU_ASSERT(engine.report.max_fan_in == 1 && engine.report.hol_steps == 0);
        CU_ASSERT(engine.report.contended_steps == 0 && engine.report.max_hol_slowdown == 1);
        engine_free(&engine);
        scene_close(&scene);
    }
}

/* The ring of the cluster of Naruse et al. 2010, 24 servers of 8. At distance i a rank sends
 * i/8 and i/8 + 1 servers on. Two servers meet at one unless i is a multiple of
 * 8 (one target), i < 8 (the nearer target is the own server) or i > 184 (the
 * farther target is): 177 distances 8..184 less their 23 multiples of 8. */
static void test_ring_hol_steps(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:24",
                              .ranks_per_machine = 8};
    struct test_scene scene;
    struct reference engine;
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
    CU_ASSERT(engine.report.hol_steps == 177 - 23);
    CU_ASSERT(engine.report.max_fan_in == 2 && engine.report.n_messages >= 191 * 192);
    CU_ASSERT(agree(scene.schedule, &scene.request, "ring 24x8"));
    engine_free(&engine);
    scene_close(&scene);
}

/* Paper 002, section 3.3: steps of a2at on an N x N grid, in units of one
 * message: N(N+1)(N-1)/divisor. */
static void check_a2at(const char *shape, uint32_t n, int64_t window, uint64_t divisor)
{
    char topology[32];
    snprintf(topology, sizeof topology, "%s:%ux%u", shape, n, n);
    struct scene_spec spec = {.algorithm = "alltoall/a2at", .topology = topology,
                              .parameter = "window", .value = window};
    uint64_t expected = (uint64_t)n * (n + 1) * (n - 1) / divisor;
    struct test_scene scene;
    struct reference engine;
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
    if (engine.report.sum_step_load != expected)
        fprintf(stderr, "a2at on %s, window %" PRId64 ": %" PRIu64 ", not %" PRIu64 "\n", topology,
                window, engine.report.sum_step_load, expected);
    CU_ASSERT(engine.report.sum_step_load == expected);
    if (n <= 7) {
        CU_ASSERT(agree(scene.schedule, &scene.request, topology));
    }
    engine_free(&engine);
    scene_close(&scene);
}

static void test_a2at_loads(void)
{
    for (uint32_t n = 3; n <= 11; n += 2) {
        check_a2at("torus", n, 1, 3);
        check_a2at("torus", n, 2, 6);
        check_a2at("torus", n, 4, 8);
        check_a2at("mesh", n, 1, 3);
        check_a2at("mesh", n, 2, 4);
    }
}

/* ---- one fault at a time ---- */

/* The engine on a list of operations, with the placement of the scene. */
static void verify_list(const struct oplist *list, const struct test_scene *scene,
                        struct reference *engine)
{
    struct schedule *schedule = oplist_schedule(list);
    CU_ASSERT_FATAL(engine_verify(schedule, &scene->request, engine));
    CU_ASSERT(agree(schedule, &scene->request, "one fault"));
    schedule->destroy(schedule);
}

static void open_list(struct test_scene *scene, const struct scene_spec *spec, struct oplist *list)
{
    CU_ASSERT_FATAL(scene_open(scene, spec));
    CU_ASSERT_FATAL(oplist_capture(scene->schedule, list));
}

static void close_list(struct test_scene *scene, struct oplist *list)
{
    oplist_free(list);
    scene_close(scene);
}

/* The first send of `rank` in or after `step` to another rank; n_ops if none. */
static size_t find_send(const struct oplist *list, uint32_t rank, uint64_t step)
{
    size_t i = 0;
    while (i < list->n_ops &&
           (list->ops[i].op.kind != OP_SEND || list->ops[i].op.rank != rank ||
            list->ops[i].op.peer == rank || list->ops[i].step < step))
        i++;
    return i;
}

static void expect_one(const struct reference *engine, struct reference_finding expected)
{
    CU_ASSERT_FATAL(engine->n_findings == 1);
    CU_ASSERT(engine->findings[0].code == expected.code);
    CU_ASSERT(engine->findings[0].rank == expected.rank);
    CU_ASSERT(expected.peer < 0 || engine->findings[0].peer == expected.peer);
    CU_ASSERT(engine->findings[0].step == expected.step);
}

static void test_receive_removed(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:6"};
    struct test_scene scene;
    struct oplist list;
    struct reference engine;
    open_list(&scene, &spec, &list);
    size_t send = find_send(&list, 2, 3);
    struct listed_op lost = list.ops[send];
    oplist_remove(&list, oplist_partner(&list, send));
    verify_list(&list, &scene, &engine);
    expect_one(&engine, (struct reference_finding){CODE_M001, 2, lost.op.peer, (int64_t)lost.step});
    engine_free(&engine);
    close_list(&scene, &list);
}

/* Rank 0 sends what rank 3 waits for before what rank 1 waits for. */
static void test_sends_swapped(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:6"};
    struct test_scene scene;
    struct oplist list;
    struct reference engine;
    open_list(&scene, &spec, &list);
    size_t early = find_send(&list, 0, 1), late = find_send(&list, 0, 3);
    CU_ASSERT_FATAL(list.ops[early].step < list.ops[late].step);
    struct op op = list.ops[early].op;
    list.ops[early].op = list.ops[late].op;
    list.ops[late].op = op;
    verify_list(&list, &scene, &engine);
    CU_ASSERT(engine.n_findings == 1 && has_code(&engine, CODE_D001));
    CU_ASSERT(engine.report.waiting == WAITING_POSSIBLE && engine.report.is_matched);
    CU_ASSERT(engine.report.eager_chunks > 0); /* a buffering MPI would get by */
    engine_free(&engine);
    close_list(&scene, &list);
}

static void send_later(struct oplist *list, size_t send)
{
    uint64_t last = list->n_steps;
    struct op op = list->ops[send].op, partner = list->ops[oplist_partner(list, send)].op;
    oplist_append(list, last, op);
    oplist_append(list, last, partner);
}

static void test_chunk_sent_twice(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:6"};
    struct test_scene scene;
    struct oplist list;
    struct reference engine;
    open_list(&scene, &spec, &list);
    size_t send = find_send(&list, 1, 2);
    int64_t receiver = list.ops[send].op.peer;
    send_later(&list, send);
    verify_list(&list, &scene, &engine);
    expect_one(&engine, (struct reference_finding){CODE_R002, receiver, 1,
                                                   (int64_t)list.n_steps - 1});
    engine_free(&engine);
    close_list(&scene, &list);
}

/* Three ranks reduced at rank 0 and handed out; rank 1 contributes twice. */
static void test_contribution_twice(void)
{
    const struct schedule_header header = {.collective = COLLECTIVE_allreduce,
                                           .algorithm = "handmade", .n_ranks = 3, .segments = 1};
    static const uint32_t contributor[] = {1, 2, 1};
    struct oplist list = {.header = header};
    struct reference engine;
    struct test_scene scene = {.topology = NULL};
    for (uint32_t i = 0; i < 3; i++) {
        struct op op = {.rank = contributor[i], .peer = 0, .n_chunks = 1, .kind = OP_SEND,
                        .buffer = BUFFER_BUF};
        oplist_append(&list, i, op);
        op = (struct op){.rank = 0, .peer = contributor[i], .n_chunks = 1, .kind = OP_REDUCE,
                         .buffer = BUFFER_BUF};
        oplist_append(&list, i, op);
    }
    for (uint32_t rank = 1; rank < 3; rank++) {
        oplist_append(&list, 2 + rank, (struct op){.rank = 0, .peer = rank, .n_chunks = 1,
                                                   .kind = OP_SEND, .buffer = BUFFER_BUF});
        oplist_append(&list, 2 + rank, (struct op){.rank = rank, .peer = 0, .n_chunks = 1,
                                                   .kind = OP_RECV, .buffer = BUFFER_BUF});
    }
    verify_list(&list, &scene, &engine);
    expect_one(&engine, (struct reference_finding){CODE_R003, 0, 1, 2});
    engine_free(&engine);
    oplist_free(&list);
}

UNIT_PROGRAM(test_verify)
{
    CU_TestInfo tests[] = {{"builtin algorithms agree", test_builtin_algorithms},
                           {"builtin algorithms are clean", test_builtin_is_clean},
                           {"ring slowdown", test_ring_slowdown},
                           {"two_level_ring fan-in", test_two_level_ring_fan_in},
                           {"ring hol steps", test_ring_hol_steps},
                           {"a2at loads", test_a2at_loads},
                           {"receive removed", test_receive_removed},
                           {"sends swapped", test_sends_swapped},
                           {"chunk sent twice", test_chunk_sent_twice},
                           {"contribution twice", test_contribution_twice},
                           CU_TEST_INFO_NULL};
    return run_suite("verify", tests);
}
