/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what schedules put on the busiest links, in chunks, with what no schedule can beat. It takes all
 * built-in algorithms and counts the loads again message by message.
 */
#include "ir/counts.h"
#include "study/lower_bound.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdlib.h>
#include <string.h>

static unsigned n_cases, n_counted, n_sharp;

/* Adds up the busiest link of each step, in messages and in chunks, each message routed by itself. */
static void count_steps(const struct test_scene *scene, uint64_t *messages, uint64_t *chunks)
{
    const struct topology *topology = scene->topology;
    uint64_t *load = mem_alloc(2 * (size_t)topology->n_link_ids, sizeof *load);
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    struct step step;
    *messages = *chunks = 0;
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step)) {
        uint64_t most[2] = {0, 0};
        memset(load, 0, 2 * (size_t)topology->n_link_ids * sizeof *load);
        for (size_t i = 0; i < step.n_sends; i++) {
            const struct op *send = &step.sends[i];
            uint32_t n = topology_route(topology, scene->placement->machine[send->rank],
                                        scene->placement->machine[send->peer], hops);
            for (; n > 0; n--) {
                load[2 * hops[n - 1].link] += 1;
                load[2 * hops[n - 1].link + 1] += send->n_chunks;
            }
        }
        for (size_t i = 0; i < 2 * (size_t)topology->n_link_ids; i++)
            most[i % 2] = load[i] > most[i % 2] ? load[i] : most[i % 2];
        *messages += most[0];
        *chunks += most[1];
    }
    free(load);
    free(hops);
}

/* The limit is passed by less than the ratio, and kept by more. */
static void check_limit(struct test_scene *scene, double ratio, bool is_passed)
{
    struct verify_request request = scene->request;
    struct diagnostics findings = {0};
    struct verify_report report;
    request.limits.max_bound_ratio = limit_of(ratio);
    CU_ASSERT(verify_schedule(scene->schedule, &request, &report, &findings));
    uint64_t n = 0;
    for (const struct diagnostic *d = findings.first; d; d = d->next)
        n += strcmp(code_table[d->code].id, "L006") == 0;
    CU_ASSERT(n == is_passed);
    verify_report_free(&report);
    diagnostics_free(&findings);
}

static void check(const struct scene_spec *spec)
{
    struct test_scene scene;
    struct verify_report report;
    struct diagnostics findings = {0};
    uint64_t messages, chunks;
    if (!scene_open(&scene, spec)) {
        scene_close(&scene);
        return;
    }
    const struct lower_bound_request request =
        lower_bound_request_of(&scene.schedule->header, scene.topology, scene.placement);
    const struct lower_bound least = lower_bound_of(&request);
    scene.request.least = least_load(&least, schedule_block_units(&scene.schedule->header));
    CU_ASSERT(verify_schedule(scene.schedule, &scene.request, &report, &findings));
    if (scene.request.least.kind && report.is_complete) {
        n_cases++;
        if (report.bound_ratio < 1)
            printf("%s: below the bound: %g\n", scene_label(&scene, spec), report.bound_ratio);
        CU_ASSERT(report.bound_ratio >= 1);
        n_sharp += report.bound_ratio <= 1;
        count_steps(&scene, &messages, &chunks);
        if (messages == report.sum_step_load) { /* each moves in the step in which it is sent */
            n_counted++;
            if (chunks != report.sum_step_units)
                printf("%s: %llu chunks, verify says %llu\n", scene_label(&scene, spec),
                       (unsigned long long)chunks, (unsigned long long)report.sum_step_units);
            CU_ASSERT(chunks == report.sum_step_units);
        }
        check_limit(&scene, report.bound_ratio * 1.001, false);
        if (report.bound_ratio > 1.01)
            check_limit(&scene, report.bound_ratio / 1.001, true);
    }
    verify_report_free(&report);
    diagnostics_free(&findings);
    scene_close(&scene);
}

static void test_library(void)
{
    static const char *const topologies[] = {"torus:4x4", "mesh:3x3", "star:6", "fattree:2x2x4"};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = 0; scene_algorithm(i, name) && k < sizeof topologies / sizeof *topologies; k++)
            check(&(struct scene_spec){.algorithm = name, .topology = topologies[k],
                                       .ranks_per_machine = k == 2 ? 2 : 1});
    printf("%u schedules, %u counted again, %u at the bound\n", n_cases, n_counted, n_sharp);
    CU_ASSERT(n_cases > enough(300) && n_counted * 10 > n_cases * 9 && n_sharp > enough(10));
}

/* On a ring of 4 an all-to-all has 4 pairs across the cut each way on 2 links. */
static void test_known(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("torus:4x4,bw=1GB/s", &diagnostics);
    struct placement *placement = placement_by_slots(16, 1, false);
    struct lower_bound_request request = {COLLECTIVE_alltoall, 0, NULL, topology, placement};
    struct lower_bound least = lower_bound_of(&request);
    const struct least_load load = least_load(&least, 2);
    CU_ASSERT(least.kind && !strcmp(least.kind, "bisection"));
    CU_ASSERT(load.units >= 16 && load.units <= 16); /* 8 blocks of 2 chunks */
    CU_ASSERT(lower_bound_time(&least, 1000) == 8000);
    request.collective = COLLECTIVE_allreduce; /* 2 x 15 blocks on the 64 links of 16 machines */
    least = lower_bound_of(&request);
    CU_ASSERT(!strcmp(least.kind, "gossip") && least.top * 64 == least.bottom * 30);
    request.collective = COLLECTIVE_barrier;
    least = lower_bound_of(&request);
    CU_ASSERT(!least.kind && !least_load(&least, 1).kind && lower_bound_time(&least, 8) == 0);
    struct lower_bound_cache cache = {0};
    request.collective = COLLECTIVE_alltoall;
    for (int i = 0; i < 3; i++)
        CU_ASSERT(lower_bound_cached(&cache, &request).top == lower_bound_of(&request).top);
    CU_ASSERT(cache.n == 1);
    lower_bound_cache_free(&cache);
    placement_free(placement);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_lower_bound)
{
    CU_TestInfo tests[] = {{"all algorithms", test_library}, {"known ones", test_known}, CU_TEST_INFO_NULL};
    return run_suite("least", tests);
}
