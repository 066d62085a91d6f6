/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules whose ranks all do the same are played by one rank (simulate/uniform.h): the times are those
 * that the player finds with all ranks, and where ranks do not do the same, that is seen.
 */
#include "simulate/models.h"
#include "simulate/uniform.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>

static const uint64_t sizes[] = {0, 1, 700, 8192, 65537, 3000000};
static const struct host_costs all_costs[] = {
    {500, 200, UINT64_C(10000000000), 300, 0, 0},
    {0, 0, UINT64_C(10000000000), 300, 0, 700000000},
    {100, 2500, UINT64_C(1000000000), 0, 0, UINT64_C(9000000000)},
};

static uint64_t sum_of(const struct time_parts *parts)
{
    return parts->latency + parts->bandwidth + parts->waiting + parts->host + parts->local +
           parts->memory;
}

static uint64_t play(struct test_scene *scene, const struct player_settings *settings,
                     struct time_parts *parts)
{
    const struct network_model_settings of_model = {.topology = scene->topology,
                                                    .placement = scene->placement,
                                                    .order = settings->order};
    struct network_model *model = simulate_asap(&of_model);
    struct played played;
    player_run(scene->schedule, model, settings, &played, &scene->diagnostics);
    CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
    *parts = played.parts;
    model->methods->free(model);
    const uint64_t time = played.time;
    played_free(&played);
    return time;
}

/* Plays both ways; returns how many times were found by one rank. */
static unsigned compare(struct test_scene *scene, const struct uniform *uniform, const char *label,
                        const struct host_costs *costs, enum synchronisation synchronisation)
{
    unsigned n_found = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct player_settings settings = {.topology = scene->topology,
                                                 .placement = scene->placement,
                                                 .costs = *costs,
                                                 .chunk_bytes = sizes[i],
                                                 .eager_limit = PLAYER_EAGER_LIMIT,
                                                 .synchronisation = synchronisation};
        struct time_parts expected_parts, parts;
        uint64_t time;
        if (!uniform_play(uniform, &settings, &time, &parts))
            continue;
        const uint64_t expected = play(scene, &settings, &expected_parts);
        n_found++;
        CU_ASSERT_EQUAL(sum_of(&parts), time);
        if (time != expected)
            printf("\n%s, %" PRIu64 " bytes: %" PRIu64 ", not %" PRIu64, label, sizes[i], time,
                   expected);
        CU_ASSERT_EQUAL(time, expected);
        if (costs->overhead) { /* without it, ways to the end are equally long */
            CU_ASSERT_EQUAL(parts.latency, expected_parts.latency);
            CU_ASSERT_EQUAL(parts.bandwidth, expected_parts.bandwidth);
            CU_ASSERT_EQUAL(parts.waiting, expected_parts.waiting);
            CU_ASSERT_EQUAL(parts.host, expected_parts.host);
            CU_ASSERT_EQUAL(parts.local, expected_parts.local);
            CU_ASSERT_EQUAL(parts.memory, expected_parts.memory);
        }
    }
    return n_found;
}

static unsigned compare_spec(const struct scene_spec *spec, bool *is_uniform)
{
    struct test_scene scene;
    unsigned n_found = 0;
    *is_uniform = false;
    if (scene_open(&scene, spec)) {
        struct uniform *uniform = uniform_find(scene.schedule, scene.topology, scene.placement);
        const char *label = scene_label(&scene, spec);
        *is_uniform = uniform;
        for (size_t i = 0; uniform && i < sizeof all_costs / sizeof *all_costs; i++)
            n_found += compare(&scene, uniform, label, &all_costs[i],
                               i == 1 ? SYNC_BARRIER : SYNC_LOCAL);
        uniform_free(uniform);
    }
    scene_close(&scene);
    return n_found;
}

/* Ranks that do the same where links treat them alike; all times are found, but for `least`. */
static void test_uniform(void)
{
    static const struct {
        struct scene_spec spec;
        unsigned least;
    } rows[] = {
        {{.algorithm = "alltoall/ring", .topology = "star:12"}, 18},
        {{.algorithm = "alltoall/linear", .topology = "star:12"}, 12},
        {{.algorithm = "alltoall/pairwise", .topology = "star:16"}, 18},
        {{.algorithm = "alltoall/pairwise", .topology = "fattree:4x2x2"}, 18},
        {{.algorithm = "alltoall/bruck", .topology = "star:13", .parameter = "radix", .value = 4}, 12},
        {{.algorithm = "alltoall/send_aggregation", .topology = "star:9"}, 18},
        {{.algorithm = "alltoall/two_level_tournament", .topology = "star:10"}, 18},
        {{.algorithm = "alltoall/a2at", .topology = "torus:5x5,lat=3us"}, 18},
        {{.algorithm = "alltoall/a2and", .topology = "torus:4x3x5,bw=1GB/s:2GB/s:3GB/s"}, 18},
        {{.algorithm = "allreduce/ring", .topology = "star:7"}, 18},
        {{.algorithm = "allreduce/ring", .topology = "torus:7"}, 18},
        {{.algorithm = "allreduce/recursive_doubling", .topology = "star:16"}, 18},
        {{.algorithm = "barrier/dissemination", .topology = "star:11"}, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_uniform;
        const unsigned n_found = compare_spec(&rows[i].spec, &is_uniform);
        if (!is_uniform || n_found < rows[i].least)
            printf("\n%s on %s: %u times", rows[i].spec.algorithm, rows[i].spec.topology, n_found);
        CU_ASSERT_TRUE(is_uniform);
        CU_ASSERT_TRUE(n_found >= rows[i].least);
    }
}

/* Ranks that do not, or that links do not treat alike. */
static void test_unlike(void)
{
    static const struct scene_spec rows[] = {
        {.algorithm = "bcast/binomial", .topology = "star:8"},
        {.algorithm = "alltoall/ring", .topology = "star:4", .ranks_per_machine = 2},
        {.algorithm = "alltoall/a2at", .topology = "mesh:5x5"},
        {.algorithm = "alltoall/ring", .topology = "fattree:4x4,up=1x2"},
        {.algorithm = "alltoall/ring", .topology = "torus:4x4"},
        {.algorithm = "allgather/bruck", .topology = "fattree:3x3"},
        {.algorithm = "allreduce/recursive_doubling", .topology = "star:11"},
        {.algorithm = "allreduce/swing_torus", .topology = "torus:4x4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_uniform;
        compare_spec(&rows[i], &is_uniform);
        if (is_uniform)
            printf("\n%s on %s", rows[i].algorithm, rows[i].topology);
        CU_ASSERT_FALSE(is_uniform);
    }
}

/* Whatever the algorithm, a time that is found is the player's. */
static void test_all_algorithms(void)
{
    static const char *const topologies[] = {"star:9", "torus:3x3", "fattree:4x2x2", "star:8"};
    char name[SCENE_NAME];
    unsigned n_uniform = 0;
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++) {
            bool is_uniform;
            if (!scene_algorithm(i, name))
                continue;
            compare_spec(&(struct scene_spec){.algorithm = name, .topology = topologies[k]},
                         &is_uniform);
            n_uniform += is_uniform;
        }
    CU_ASSERT_TRUE(n_uniform > enough(100));
}

UNIT_PROGRAM(test_uniform)
{
    CU_TestInfo tests[] = {
        {"one rank stands for all", test_uniform},
        {"ranks that are not alike", test_unlike},
        {"all algorithms", test_all_algorithms},
        CU_TEST_INFO_NULL,
    };
    return run_suite("uniform", tests);
}
