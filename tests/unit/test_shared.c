/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verification by several processes against that by one: schedules of all built-in algorithms, whole and
 * broken at random, with limits and windows drawn for each, on networks of all kinds. Reports in both forms
 * and the printed findings must be equal byte for byte.
 *
 *   test_shared [ROUNDS]     so many times over all algorithms; `make long` has a hundred
 */
#include "study/verification.h"
#include "tests/unit/oplist.h"
#include "tests/unit/said.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_rounds = IS_SHORT ? 1 : 6;

struct tally {
    uint64_t random; /* state of the generator */
    unsigned n, broken, clean, above, disagreed;
};

static const struct {
    const char *topology;
    uint32_t per_machine;
    const char *placement;
} networks[] = {
    {"star:5", 1, NULL},       {"star:3", 3, "unequal"},      {"full:4", 2, NULL},
    {"torus:3x3", 1, NULL},    {"torus:8", 1, NULL},          {"torus:4x2", 2, "cyclic"},
    {"mesh:3x3", 1, NULL},     {"mesh:2x2x2", 1, NULL},       {"fattree:4x2", 1, NULL},
    {"fattree:2x4,up=1x1", 2, NULL}, {"star:16", 1, NULL},    {"torus:4x4", 1, NULL},
    {"examples/clusters/dualrail8.txt", 1, NULL},
};
enum { N_NETWORKS = sizeof networks / sizeof *networks };

static uint32_t below(struct tally *tally, uint32_t n)
{
    return (uint32_t)random_below(&tally->random, n);
}

/* Limits that are passed at times, in two of three. */
static void draw_request(struct verify_request *request, struct tally *tally)
{
    struct limit *const limits[] = {
#define LIMIT(field, option, kind, needs_network, measured, help) &request->limits.field,
#include "verify/limits.def"
    };
    for (uint32_t n = below(tally, 3); n > 0; n--)
        *limits[below(tally, sizeof limits / sizeof *limits)] =
            limit_of(1 + below(tally, below(tally, 2) ? 4 : 60));
    request->drift = below(tally, 4) ? 0 : 2 + below(tally, 3);
    request->keep_per_step = below(tally, 2);
    request->keep_measured = below(tally, 2) ? 5 : 0;
    if (below(tally, 2))
        request->least = (struct least_load){"test", 5};
}

/* All that is said of a schedule, by n processes. */
static struct text said_by(uint32_t n, struct schedule *schedule, const struct verify_request *request,
                           struct tally *tally)
{
    struct verify_report report = {0};
    struct diagnostics findings = {.is_joined = true};
    const bool is_done = verify_shared(schedule, request, n, &report, &findings);
    const struct text text = said_of_verdict(&schedule->header, request, &report, &findings, is_done);
    if (n == 1) {
        tally->clean += !findings.first;
        tally->above += report.is_matched && report.is_complete && findings.first;
    }
    verify_report_free(&report);
    diagnostics_free(&findings);
    return text;
}

static void compare(struct schedule *schedule, const struct verify_request *request, const char *label,
                    struct tally *tally)
{
    const uint32_t n = 2 + below(tally, 3);
    struct text one = said_by(1, schedule, request, tally), all = said_by(n, schedule, request, tally);
    const bool is_same = one.length == all.length && memcmp(one.data, all.data, one.length) == 0;
    tally->n++;
    tally->disagreed += !is_same;
    if (!is_same)
        printf("\n  %s, %" PRIu32 " processes:\n%s  one:\n%s", label, n, all.data, one.data);
    text_free(&one);
    text_free(&all);
}

static void try_algorithm(const char *name, struct tally *tally)
{
    const uint32_t network = below(tally, N_NETWORKS);
    const struct scene_spec spec = {.algorithm = name,
                                    .topology = networks[network].topology,
                                    .ranks_per_machine = networks[network].per_machine,
                                    .placement = networks[network].placement};
    struct arena arena = {0};
    struct scene scene;
    struct oplist list;
    if (scene_open(&scene, &spec)) {
        draw_request(&scene.request, tally);
        CU_ASSERT_FATAL(oplist_capture(scene.schedule, &list));
        bool is_broken = false;
        for (uint32_t n = below(tally, 3); n > 0; n--)
            is_broken |= oplist_mutate(&list, (enum mutation)below(tally, N_MUTATIONS), &tally->random);
        struct schedule *mutant = is_broken ? oplist_reread(&list, &arena) : NULL;
        tally->broken += mutant != NULL;
        compare(mutant ? mutant : scene.schedule, &scene.request, scene_label(&scene, &spec), tally);
        if (mutant)
            mutant->destroy(mutant);
        oplist_free(&list);
    }
    scene_close(&scene);
    arena_free(&arena);
}

static void test_algorithms(void)
{
    struct tally tally = {.random = 20240016};
    char name[SCENE_NAME];
    for (unsigned round = 0; round < n_rounds; round++)
        for (size_t i = 0; i < scene_n_files(); i += IS_SHORT ? 5 : 1)
            if (scene_algorithm(i, name))
                try_algorithm(name, &tally);
    printf("\n  %u schedules, %u of them broken: %u clean, %u with findings of the network alone; %u disagree ",
           tally.n, tally.broken, tally.clean, tally.above, tally.disagreed);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.n >= 20);
    CU_ASSERT(tally.broken > tally.n / 4 && tally.clean > tally.n / 6 && tally.above > 0);
}

int main(int argc, char **argv)
{
    CU_TestInfo tests[] = {{"algorithms, whole and broken", test_algorithms}, CU_TEST_INFO_NULL};
    if (argc > 1)
        n_rounds = (unsigned)strtoul(argv[1], NULL, 10);
    return run_suite("shared", tests);
}
