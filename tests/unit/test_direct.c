/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Player and model `asap` in one (simulate/direct.h) find the times of simulate/player.h, whatever the
 * algorithm, the network, the costs of hosts and the order in which ranks are served; and their parts, where
 * only one way to the end is the longest.
 */
#include "simulate/direct.h"
#include "simulate/models.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct host_costs all_costs[] = {{0, 0, UINT64_C(7000000000), 0, 0, 0},
                                              {130, 0, UINT64_C(3000000000), 40, 0, 900000000},
                                              {500, 200, UINT64_C(10000000000), 300, 0, 0},
                                              {97, 1211, UINT64_C(3000000000), 77, 0, 60000000000},
                                              {0, 0, UINT64_C(1000000000), 77, 1300000000, 0},
                                              {35, 170, UINT64_C(1000000000), 0, 700000000, 2000000000}};

/* The numbers of comparisons. */
static struct {
    unsigned n, n_left, n_parts_alike;
} counts;

static uint64_t sum_of(const struct time_parts *parts)
{
    return parts->latency + parts->bandwidth + parts->waiting + parts->host + parts->local +
           parts->memory;
}

static bool is_alike(const struct time_parts *a, const struct time_parts *b)
{
    return a->latency == b->latency && a->bandwidth == b->bandwidth && a->waiting == b->waiting &&
           a->host == b->host && a->local == b->local && a->memory == b->memory;
}

static void compare(struct test_scene *scene, const char *label, const struct player_settings *settings)
{
    struct played played;
    struct time_parts parts;
    uint64_t time;
    const bool is_played = direct_play(scene->schedule, settings, &time, &parts);
    struct network_model *model = simulate_asap(&(struct network_model_settings){
        .topology = scene->topology,
        .placement = scene->placement,
        .process_bandwidth = settings->costs.process_bandwidth,
        .order = settings->order});
    player_run(scene->schedule, model, settings, &played, &scene->diagnostics);
    model->methods->free(model);
    counts.n++;
    counts.n_left += !is_played;
    if (is_played) {
        if (time != played.time)
            printf("\n%s, overhead %" PRIu64 ", mode %d, %" PRIu64 " bytes: %" PRIu64 ", not %" PRIu64,
                   label, settings->costs.overhead, settings->synchronisation, settings->chunk_bytes,
                   time, played.time);
        CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
        CU_ASSERT_EQUAL(time, played.time);
        CU_ASSERT_EQUAL(sum_of(&parts), time);
        counts.n_parts_alike += is_alike(&parts, &played.parts);
    }
    played_free(&played);
}

static void check(const struct scene_spec *spec, size_t draw)
{
    static const uint64_t sizes[] = {811, 0, 1, 4096, 70000};
    struct test_scene scene;
    if (scene_open(&scene, spec))
        for (size_t i = 0; i < sizeof all_costs / sizeof *all_costs; i++, draw++) {
            const struct player_settings settings = {
                .topology = scene.topology,
                .placement = scene.placement,
                .costs = all_costs[i],
                .chunk_bytes = sizes[draw % 5],
                .eager_limit = draw % 3 ? 1000 : 0,
                .order = draw % 2 ? SEND_RANDOM : SEND_QUEUE,
                .seed = draw,
                .max_ahead = draw % 4 ? 0 : 1 << 12, /* turns are counted once so many wait */
                .synchronisation = draw % 7 < 2 ? SYNC_BARRIER : SYNC_LOCAL};
            compare(&scene, scene_label(&scene, spec), &settings);
        }
    scene_close(&scene);
}

static void test_all_algorithms(void)
{
    static const struct scene_spec places[] = {
        {.topology = "star:6,bw=2GB/s,lat=300ns"},
        {.topology = "star:4,bw=2GB/s,lat=170ns", .ranks_per_machine = 2},
        {.topology = "torus:3x3,bw=1GB/s,lat=100ns", .root = 4},
        {.topology = "mesh:2x3,bw=3GB/s:1GB/s,lat=70ns"},
        {.topology = "fattree:2x3,bw=1GB/s:2GB/s,lat=90ns:0ns"},
        {.topology = "fattree:4x4,up=1x2,bw=1GB/s,lat=90ns:35ns"},
        {.topology = "full:5,bw=1GB/s,lat=30ns", .root = 2},
        {.topology = "star:8,bw=1500MB/s,lat=0ns"},
        {.topology = "torus:4x4,bw=1GB/s,lat=0ns"},
        {.topology = "star:6,lat=11ns", .n_ranks = 11, .placement = "unequal", .root = 3},
        {.topology = "tests/data/rails/four-rails.txt", .n_ranks = 10, .ranks_per_machine = 3,
         .adapters = "slot"},
        {.topology = "tests/data/rails/four-rails.txt", .ranks_per_machine = 2, .adapters = "block",
         .between_rails = "fabric"}};
    char name[SCENE_NAME];
    memset(&counts, 0, sizeof counts);
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = IS_SHORT ? i % 6 : 0; k < sizeof places / sizeof *places;
             k += IS_SHORT ? 6 : 1) {
            struct scene_spec spec = places[k];
            spec.algorithm = scene_algorithm(i, name);
            if (spec.algorithm)
                check(&spec, i + k);
        }
    CU_ASSERT_EQUAL(counts.n_left, 0);
    CU_ASSERT_TRUE(counts.n_parts_alike * 200 > counts.n * 199);
}

/* Ranks drift apart: messages of several steps share links, and many wait for one. */
static void test_drift(void)
{
    static const struct scene_spec specs[] = {
        {.algorithm = "alltoall/ring", .topology = "fattree:8x8,up=1x2"},
        {.algorithm = "alltoall/ring", .topology = "fattree:8x4,up=1x2,cables=1x2"},
        {.algorithm = "alltoall/ring", .topology = "star:12", .ranks_per_machine = 5},
        {.algorithm = "alltoall/linear", .topology = "mesh:6x5,lat=130ns:40ns"},
        {.algorithm = "alltoall/a2at", .topology = "mesh:7x7"},
        {.algorithm = "alltoall/linear", .topology = "fattree:4x4x2,up=1x1x2,lat=20ns:310ns:90ns"},
        {.algorithm = "alltoall/pairwise", .topology = "torus:8x8"},
        {.algorithm = "allgather/ring", .topology = "torus:6x6", .placement = "cyclic",
         .ranks_per_machine = 2},
        {.algorithm = "bcast/chain", .topology = "mesh:8x8", .parameter = "segments", .value = 16},
        {.algorithm = "alltoall/linear", .topology = "tests/simgrid/platforms/flat-backbone.xml"},
        {.algorithm = "alltoall/ring", .topology = "tests/simgrid/platforms/full.xml"},
        {.algorithm = "alltoall/ring", .topology = "fattree:3x4,up=1x2,lat=0ns", .ranks_per_machine = 2}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i += IS_SHORT ? 2 : 1)
        check(&specs[i], i);
}

/* Schedules that direct leaves to the general player: several sends in flight, receives of another step. */
static void test_left(void)
{
    const struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:5"};
    struct test_scene scene;
    CU_ASSERT_TRUE_FATAL(scene_open(&scene, &spec));
    struct player_settings settings = {.topology = scene.topology,
                                       .placement = scene.placement,
                                       .costs = all_costs[0],
                                       .chunk_bytes = 100,
                                       .synchronisation = SYNC_LOCAL};
    struct time_parts parts;
    uint64_t time;
    CU_ASSERT_TRUE(direct_play(scene.schedule, &settings, &time, &parts));
    settings.max_time = time;
    CU_ASSERT_FALSE(direct_play(scene.schedule, &settings, &time, &parts));
    settings.max_time = 0;
    settings.window = 2;
    CU_ASSERT_FALSE(direct_play(scene.schedule, &settings, &time, &parts));
    settings.window = 0;
    settings.unit_bytes = (const uint64_t[]){100, 100, 100, 100, 100};
    CU_ASSERT_FALSE(direct_play(scene.schedule, &settings, &time, &parts));
    settings.unit_bytes = NULL;
    settings.synchronisation = SYNC_NONE;
    CU_ASSERT_FALSE(direct_play(scene.schedule, &settings, &time, &parts));
    scene_close(&scene);
}

/* True if a schedule of three ranks on these machines is played. Its time is the player's then. */
static bool is_played_on(const char *topology, const uint32_t *machines, const char *head, const char *steps)
{
    struct test_scene scene = {0};
    char text[1000];
    snprintf(text, sizeof text, "collc-schedule 1\ncollective %s\nalgorithm test\nranks 3\n%send\n", head,
             steps);
    scene.topology = topology_read(topology, &scene.diagnostics);
    scene.schedule =
        schedule_read(source_of_text("test.sched", text, strlen(text), &scene.arena), &scene.diagnostics);
    CU_ASSERT_FATAL(scene.topology && scene.schedule);
    scene.placement = placement_of_machines(machines, 3, "test");
    const struct player_settings settings = {.topology = scene.topology,
                                             .placement = scene.placement,
                                             .costs = all_costs[2],
                                             .chunk_bytes = 1000,
                                             .eager_limit = 2000};
    memset(&counts, 0, sizeof counts);
    compare(&scene, "a schedule", &settings);
    scene.schedule->destroy(scene.schedule);
    placement_free(scene.placement);
    topology_free(scene.topology);
    diagnostics_free(&scene.diagnostics);
    arena_free(&scene.arena);
    return !counts.n_left;
}

static bool is_played(const char *steps)
{
    return is_played_on("star:3", (const uint32_t[]){0, 1, 2}, "alltoall", steps);
}

/* Messages are brought together with receives of their own step, and with no others. */
static void test_matching(void)
{
    CU_ASSERT_TRUE(is_played("step 0\n0 send in[1] to 1\n0 send in[2] to 2\n1 recv out[0] from 0\n"
                             "2 recv out[0] from 0\n"));
    CU_ASSERT_TRUE(is_played("step 0\n0 send in[1] to 1\n2 send in[1] to 1\n0 send in[2] to 1\n"
                             "1 recv out[0] from 0\n1 recv out[2] from 2\n1 recv out[1] from 0\n"));
    CU_ASSERT_FALSE(is_played("step 0\n0 send in[1] to 1\nstep 1\n1 recv out[0] from 0\n"));
    CU_ASSERT_FALSE(is_played("step 0\n0 send in[1] to 1\n2 recv out[0] from 1\n"
                              "step 1\n1 send in[2] to 2\n1 recv out[0] from 0\n"));
    CU_ASSERT_FALSE(is_played("step 0\n0 send in[1] to 1\n0 send in[1] to 1\n1 recv out[0] from 0\n"
                              "1 recv out[2] from 2\nstep 1\n2 send in[1] to 1\n1 recv out[0] from 0\n"));
}

#define TO_ONE "step 0\n0 send in[1] to 1\n2 send in[1] to 1\n1 recv out[0] from 0\n1 recv out[2] from 2\n"

/* Links with numbers of more than 16 bits, on which two messages meet only if numbers were cut; unequal
 * counts, and several networks. */
static void test_other_schedules(void)
{
    const uint32_t far[] = {0, 6, 16384}, near[] = {0, 1, 2};
    CU_ASSERT_TRUE(is_played_on("torus:130x130,bw=100MB/s", far, "alltoall", TO_ONE));
    CU_ASSERT_FALSE(is_played_on("star:3", near, "alltoallv\ncounts 3x8\ncounts 3x8\ncounts 3x8", TO_ONE));
    CU_ASSERT_FALSE(is_played_on("examples/sumimoto2000/fig1.xml", near, "alltoall", TO_ONE));
}

UNIT_PROGRAM(test_direct)
{
    CU_TestInfo tests[] = {{"all algorithms", test_all_algorithms},
                           {"ranks that drift apart", test_drift},
                           {"what is left to others", test_left},
                           {"messages and receives", test_matching},
                           {"other schedules", test_other_schedules},
                           CU_TEST_INFO_NULL};
    return run_suite("direct", tests);
}
