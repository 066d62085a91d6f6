/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules with times: those that the player finds pass N001 and come back from their text as they
 * were, on all algorithms; times that are too short do not pass.
 */
#include "base/codes.h"
#include "study/timed.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static struct text print(struct schedule *schedule)
{
    struct text text = {0};
    CU_ASSERT(schedule_print(schedule, append, &text));
    return text;
}

/* Findings of N001; `complete` is what the verdict says else. */
static uint64_t count_mistimed(struct test_scene *scene, struct schedule *schedule, bool *is_complete)
{
    struct verify_report report;
    struct diagnostics findings = {0};
    CU_ASSERT(verify_schedule(schedule, &scene->request, &report, &findings));
    const uint64_t n = findings.n_of_code[CODE_N001];
    *is_complete = report.is_complete;
    verify_report_free(&report);
    diagnostics_free(&findings);
    return n;
}

/* A schedule whose steps have times that are `divisor` times as short. */
struct shortened {
    struct schedule schedule; /* first */
    struct schedule *inner;
    uint64_t divisor;
    struct op_time *times[3];
    size_t capacity[3];
};

static const struct op_time *shorten(struct shortened *shortened, int list,
                                     const struct op_time *times, size_t n)
{
    shortened->times[list] = mem_grow(shortened->times[list], &shortened->capacity[list], n + 1,
                                      sizeof(struct op_time));
    for (size_t i = 0; i < n; i++)
        shortened->times[list][i] = (struct op_time){times[i].start / shortened->divisor,
                                                     times[i].end / shortened->divisor};
    return shortened->times[list];
}

static bool shortened_next(struct schedule *schedule, struct step *step)
{
    struct shortened *shortened = (struct shortened *)schedule;
    if (!shortened->inner->next(shortened->inner, step))
        return false;
    step->send_times = shorten(shortened, 0, step->send_times, step->n_sends);
    step->receive_times = shorten(shortened, 1, step->receive_times, step->n_receives);
    step->copy_times = shorten(shortened, 2, step->copy_times, step->n_copies);
    return true;
}

static void shortened_rewind(struct schedule *schedule)
{
    struct shortened *shortened = (struct shortened *)schedule;
    shortened->inner->rewind(shortened->inner);
}

/* Messages that a network needs some time for. */
static bool has_messages(struct test_scene *scene)
{
    const bool is_instant = topology_link_latency(scene->topology, 0) == 0;
    struct step step;
    bool has = false;
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++)
            has = has || ((step.sends[i].n_chunks || !is_instant) &&
                          scene->placement->machine[step.sends[i].rank] !=
                              scene->placement->machine[step.sends[i].peer]);
    return has;
}

static void check_shortened(struct test_scene *scene, struct schedule *timed)
{
    bool is_complete;
    struct shortened shortened = {.schedule = *timed, .inner = timed, .divisor = 3};
    shortened.schedule.next = shortened_next;
    shortened.schedule.rewind = shortened_rewind;
    CU_ASSERT_EQUAL(count_mistimed(scene, &shortened.schedule, &is_complete) > 0,
                    has_messages(scene));
    for (int list = 0; list < 3; list++)
        free(shortened.times[list]);
}

static void check_text(struct test_scene *scene, struct schedule *timed)
{
    struct text text = print(timed);
    struct schedule *again =
        schedule_read(source_of_text("timed.sched", text.data, text.length, &scene->arena),
                      &scene->diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    struct text text_again = print(again);
    CU_ASSERT(again->header.is_timed);
    CU_ASSERT_EQUAL(text.length, text_again.length);
    CU_ASSERT(memcmp(text.data, text_again.data, text.length) == 0);
    again->destroy(again);
    text_free(&text);
    text_free(&text_again);
}

static void check(struct test_scene *scene, bool is_slow)
{
    char *problem;
    scene->schedule->header.chunk_bytes = 1000;
    const struct simulation_request request = {
        .model = SIMULATION_asap,
        .settings = {.topology = scene->topology,
                     .placement = scene->placement,
                     .costs = {is_slow ? 130 : 0, is_slow ? 70 : 0, UINT64_C(3000000000), 40,
                               is_slow ? UINT64_C(700000000) : 0, 0},
                     .chunk_bytes = 1000,
                     .eager_limit = is_slow ? 0 : UINT64_MAX}};
    struct schedule *timed = timed_new(scene->schedule, &request, &problem, &scene->diagnostics);
    bool is_complete;
    CU_ASSERT_PTR_NOT_NULL_FATAL(timed);
    CU_ASSERT_EQUAL(count_mistimed(scene, timed, &is_complete), 0);
    CU_ASSERT(is_complete);
    check_text(scene, timed);
    if (!is_slow)
        check_shortened(scene, timed);
    timed->destroy(timed);
}

static void test_all(void)
{
    static const struct scene_spec places[] = {
        {.topology = "star:6,bw=2GB/s,lat=300ns"},
        {.topology = "star:4,bw=2GB/s,lat=170ns", .ranks_per_machine = 2},
        {.topology = "torus:3x3,bw=1GB/s,lat=10ns", .root = 4},
        {.topology = "mesh:2x3,bw=3GB/s:1GB/s,lat=70ns"},
        {.topology = "fattree:2x3,bw=1GB/s:2GB/s,lat=90ns"},
        {.topology = "star:8,bw=1500MB/s,lat=0ns", .n_ranks = 8}};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = IS_SHORT ? i % 3 : 0; k < sizeof places / sizeof *places;
             k += IS_SHORT ? 3 : 1) {
            struct test_scene scene;
            struct scene_spec spec = places[k];
            spec.algorithm = scene_algorithm(i, name);
            if (!spec.algorithm)
                continue;
            if (scene_open(&scene, &spec)) {
                check(&scene, false);
                check(&scene, true);
            }
            scene_close(&scene);
        }
}

UNIT_PROGRAM(test_timed)
{
    CU_TestInfo tests[] = {{"times of all algorithms, and too short ones", test_all},
                           CU_TEST_INFO_NULL};
    return run_suite("timed", tests);
}
