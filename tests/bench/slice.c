/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slice ALGORITHM TOPOLOGY RANKS_PER_MACHINE SECONDS: verifies the first steps of a program rank by rank, as
 * many as can be done in so many seconds of CPU time by one core, whatever the whole would take; prints
 *   STEPS MESSAGES SECONDS ALL
 * of these, without reading and binding, and how many messages there would be in all. Exit status 1: the
 * program cannot be expanded there, or a step takes more than 4 GB.
 */
#include "study/estimate.h"
#include "tests/unit/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* True if a step, both ends of its messages and all, goes into memory. */
static bool has_room(const struct estimate *estimate)
{
    const double most = 4e9;
    return estimate->bytes <= most && 2 * estimate->most_in_step <= (double)SCHEDULE_MAX_STEP_OPS;
}

static bool verify_slice(struct test_scene *scene, double seconds)
{
    struct diagnostics findings = {0};
    struct verify_report report = {0};
    const struct estimate estimate = estimate_verification(scene->binding, HUGE_VAL);
    const double start = now();
    scene->request.budget = seconds;
    const bool is_done =
        has_room(&estimate) && (verify_schedule(scene->schedule, &scene->request, &report, &findings) ||
                                report.is_over_budget);
    if (is_done)
        printf("%" PRIu64 " %" PRIu64 " %.6f %.0f\n", report.n_steps, report.n_messages, now() - start,
               estimate.n_messages);
    verify_report_free(&report);
    diagnostics_free(&findings);
    return is_done;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: slice ALGORITHM TOPOLOGY RANKS_PER_MACHINE SECONDS\n");
        return 2;
    }
    struct scene_spec spec = {.algorithm = argv[1], .topology = argv[2],
                              .ranks_per_machine = (uint32_t)strtoul(argv[3], NULL, 10)};
    struct test_scene scene;
    const bool is_done = scene_open(&scene, &spec) && verify_slice(&scene, strtod(argv[4], NULL));
    scene_close(&scene);
    return !is_done;
}
