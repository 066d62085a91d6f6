/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verification by several processes against that by one: schedules of all built-in algorithms, whole and
 * broken at random, with limits and windows drawn for each, on networks of all kinds. Reports in both forms
 * and the printed findings must be equal byte for byte. Independent steps are shared by processes, and here
 * done one part after another, which tells whether the parts were lost.
 *
 *   test_shared [ROUNDS]     so many times over all algorithms; `make long` has a hundred
 */
#include "study/estimate.h"
#include "study/parallel/verification.h"
#include "tests/unit/oplist.h"
#include "tests/unit/said.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include "verify/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_rounds;

struct tally {
    uint64_t random; /* state of the generator */
    unsigned n, broken, clean, above, disagreed;
};

static const struct {
    const char *topology;
    uint32_t per_machine;
    const char *placement;
    uint32_t n_ranks; /* of unequal servers */
} networks[] = {
    {"star:5", 1, NULL, 0},      {"star:3", 3, "unequal", 6},      {"full:4", 2, NULL, 0},
    {"torus:3x3", 1, NULL, 0},   {"torus:8", 1, NULL, 0},          {"torus:4x2", 2, "cyclic", 0},
    {"mesh:3x3", 1, NULL, 0},    {"mesh:2x2x2", 1, NULL, 0},       {"fattree:4x2", 1, NULL, 0},
    {"star:16", 1, NULL, 0},     {"fattree:2x4,up=1x1", 2, NULL, 0}, {"torus:4x4", 1, NULL, 0},
    {"star:7", 3, "unequal", 13}, {"examples/clusters/dualrail8.txt", 1, NULL, 0},
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
        request->least = (struct least_load){.kind = "test", .units = 5};
}

static struct scene_spec draw_scene(const char *algorithm, struct tally *tally)
{
    const uint32_t network = below(tally, N_NETWORKS);
    return (struct scene_spec){.algorithm = algorithm,
                               .topology = networks[network].topology,
                               .n_ranks = networks[network].n_ranks,
                               .ranks_per_machine = networks[network].per_machine,
                               .placement = networks[network].placement};
}

/* All that is said of a schedule, by n processes; n_independent as in study/parallel/verification.h. */
static struct text said_by(uint32_t n, uint64_t n_independent, struct schedule *schedule,
                           const struct verify_request *request, struct tally *tally)
{
    struct verify_report report = {0};
    struct diagnostics findings = {.is_joined = true};
    const bool is_done = verify_shared(schedule, request, n, n_independent, &report, &findings);
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
    const uint64_t n_independent = below(tally, 2) * (1 + below(tally, 40));
    struct text one = said_by(1, 0, schedule, request, tally);
    struct text all = said_by(n, n_independent, schedule, request, tally);
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
    const struct scene_spec spec = draw_scene(name, tally);
    struct arena arena = {0};
    struct test_scene scene;
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
    CU_ASSERT(tally.n >= enough(20));
    CU_ASSERT(tally.broken > tally.n / 4 && tally.clean > tally.n / 6 && tally.above > 0);
}

/* ---- independent steps, part by part ---- */

enum { MOST_PARTS = 5 };

static bool none_is_lost(void *context)
{
    (void)context;
    return false;
}

static const char *bytes_of(void *context, uint32_t part, size_t *length)
{
    const struct text *texts = context;
    *length = texts[part].length;
    return *length ? texts[part].data : NULL;
}

/* Returns what n parts say, or nothing if they are lost. */
static struct text said_in_parts(uint32_t n, uint64_t n_independent, struct schedule *schedule,
                                 const struct verify_request *request)
{
    struct verify_share share = {0, n, n_independent, NULL};
    struct text texts[MOST_PARTS] = {{0}}, said = {0};
    struct verify_report report = {0};
    struct diagnostics findings = {.is_joined = true};
    bool is_lost;
    for (share.number = 1; share.number < n; share.number++)
        verify_measure_part(schedule, request, &share, &texts[share.number]);
    share.number = 0;
    const struct verify_others others = {share, texts, none_is_lost, bytes_of};
    const bool is_done = verify_with_others(schedule, request, &others, &report, &findings, &is_lost);
    if (!is_lost)
        said = said_of_verdict(&schedule->header, request, &report, &findings, is_done);
    verify_report_free(&report);
    diagnostics_free(&findings);
    for (uint32_t part = 0; part < n; part++)
        text_free(&texts[part]);
    return said;
}

struct independent_tally {
    struct tally tally; /* what one process says */
    unsigned n_whole, n_lost; /* whole ones; of these with no limit that is passed */
    unsigned n_mutants, n_right; /* mutants; those that parts call clean */
};

static void compare_parts(struct schedule *schedule, const struct verify_request *request,
                          uint64_t n_independent, bool is_mutant, const char *label,
                          struct independent_tally *parts)
{
    struct tally *tally = &parts->tally;
    const unsigned n_clean = tally->clean;
    struct text one = said_by(1, 0, schedule, request, tally);
    struct text all = said_in_parts(2 + below(tally, MOST_PARTS - 1), n_independent, schedule, request);
    const bool is_clean = tally->clean > n_clean, is_lost = !all.length;
    const bool is_same = one.length == all.length && memcmp(one.data, all.data, one.length) == 0;
    tally->n++;
    tally->disagreed += is_lost ? is_clean && !is_mutant : !is_same;
    parts->n_whole += !is_mutant;
    parts->n_lost += !is_mutant && is_lost;
    parts->n_mutants += is_mutant;
    parts->n_right += is_mutant && !is_lost;
    if (is_lost ? is_clean && !is_mutant : !is_same)
        printf("\n  %s, in parts of %" PRIu64 " steps:\n%s  one:\n%s", label, n_independent, all.data, one.data);
    text_free(&one);
    text_free(&all);
}

/* Messages are taken from one step to another, so that parts have other ones, and one mutation or two. */
static void mutate_independent(struct oplist *list, struct independent_tally *parts)
{
    static const enum mutation messages[] = {MUTATE_SEND_TWICE, MUTATE_SEND_LATER, MUTATE_CHUNK,
                                             MUTATE_BUFFER,     MUTATE_SWAP,       MUTATE_DUPLICATE};
    struct tally *tally = &parts->tally;
    for (uint32_t n = 1 + below(tally, 3); n > 0; n--)
        oplist_mutate(list,
                      below(tally, 3) ? messages[below(tally, sizeof messages / sizeof *messages)]
                                      : (enum mutation)below(tally, N_MUTATIONS),
                      &tally->random);
}

static void try_independent(const char *name, struct independent_tally *parts)
{
    struct tally *tally = &parts->tally;
    const struct scene_spec spec = draw_scene(name, tally);
    struct arena arena = {0};
    struct test_scene scene;
    struct oplist list;
    if (scene_open(&scene, &spec)) {
        draw_request(&scene.request, tally);
        scene.request.drift = 0;
        CU_ASSERT_FATAL(oplist_capture(scene.schedule, &list));
        const uint64_t n_independent = 1 + below(tally, (uint32_t)(2 * list.n_steps) + 1);
        compare_parts(scene.schedule, &scene.request, n_independent, false, scene_label(&scene, &spec),
                      parts);
        mutate_independent(&list, parts);
        struct schedule *mutant = oplist_reread(&list, &arena);
        if (mutant && !mutant->header.is_timed)
            compare_parts(mutant, &scene.request, n_independent, true, scene_label(&scene, &spec), parts);
        if (mutant)
            mutant->destroy(mutant);
        oplist_free(&list);
    }
    scene_close(&scene);
    arena_free(&arena);
}

/* True if steps of an algorithm are expected to be independent. */
static bool is_independent(const char *name)
{
    const struct scene_spec spec = {.algorithm = name, .topology = "torus:8x8x2"};
    struct test_scene scene;
    const bool may_be = scene_open(&scene, &spec) && scene.binding &&
                        verify_may_be_independent(scene.schedule, &scene.request);
    const bool are_expected = may_be && estimate_verification(scene.binding, 1e9).n_independent > 0;
    scene_close(&scene);
    return are_expected;
}

static void test_independent(void)
{
    struct independent_tally parts = {.tally = {.random = 20261127}};
    char name[SCENE_NAME];
    unsigned n_algorithms = 0;
    for (size_t i = 0; i < scene_n_files(); i++) {
        if (!scene_algorithm(i, name) || !is_independent(name))
            continue;
        n_algorithms++;
        for (unsigned round = 0; round < 40 * n_rounds; round++)
            try_independent(name, &parts);
    }
    printf("\n  %u algorithms: %u times whole, lost %u; %u mutants, %u of them as they should be, %u disagree ",
           n_algorithms, parts.n_whole, parts.n_lost, parts.n_mutants, parts.n_right,
           parts.tally.disagreed);
    CU_ASSERT(parts.tally.disagreed == 0);
    CU_ASSERT(n_algorithms >= enough(8));
    CU_ASSERT(parts.n_lost < parts.n_whole / 2 && parts.n_right > 0 &&
              parts.n_right < parts.n_mutants / 2);
}

/* A budget that is used up before the end, whatever is shared. The time is looked at once in 2^18 operations
 * of a process: of 2.4 million here, one of three has a third at least. */
static void test_budget(void)
{
    const struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:1100"};
    struct test_scene scene;
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    scene.request.budget = 1e-6;
    scene.request.keep_per_step = true;
    for (uint64_t n_independent = 0; n_independent <= 1100; n_independent += 1100) {
        struct verify_report report = {0};
        struct diagnostics findings = {.is_joined = true};
        CU_ASSERT(!verify_shared(scene.schedule, &scene.request, 3, n_independent, &report, &findings));
        CU_ASSERT(report.is_over_budget && !findings.first && !scene.schedule->failed);
        verify_report_free(&report);
        diagnostics_free(&findings);
    }
    scene_close(&scene);
}

static uint64_t count_messages(struct schedule *schedule)
{
    uint64_t n = 0;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        n += step.n_sends;
    return n;
}

/* The estimated number of messages is nearly right if there are so many that it matters: some ranks lead
 * others, are a root, or the end of a chain. */
static void test_estimates(void)
{
    static const struct scene_spec specs[] = {
        {.topology = "star:24", .ranks_per_machine = 8},
        {.topology = "star:256"},
        {.topology = "torus:8x4x4", .ranks_per_machine = 2},
        {.topology = "star:90", .n_ranks = 170, .placement = "unequal"}};
    enum { N_SPECS = sizeof specs / sizeof *specs };
    char name[SCENE_NAME];
    unsigned n_estimated = 0, n_far = 0;
    for (size_t i = 0; i < scene_n_files() * N_SPECS; i++) {
        struct scene_spec spec = specs[i % N_SPECS];
        struct test_scene scene;
        spec.algorithm = scene_algorithm(i / N_SPECS, name);
        if (spec.algorithm && scene_open(&scene, &spec) && scene.binding) {
            const double n = (double)count_messages(scene.schedule);
            const double estimate = estimate_verification(scene.binding, HUGE_VAL).n_messages;
            const bool is_many = n > 16 * scene.binding->n_ranks;
            const bool is_far = is_many && (estimate > 2 * n || estimate < n / 2);
            if (is_far)
                printf("\n  %s: %.0f messages, estimated %.0f", scene_label(&scene, &spec), n, estimate);
            n_estimated += is_many;
            n_far += is_far;
        }
        if (spec.algorithm)
            scene_close(&scene);
    }
    printf("\n  %u estimates, %u off by more than a factor of two ", n_estimated, n_far);
    CU_ASSERT(n_far == 0);
    CU_ASSERT(n_estimated > enough(100));
}

UNIT_PROGRAM(test_shared)
{
    CU_TestInfo tests[] = {{"algorithms, whole and broken", test_algorithms},
                           {"independent steps in parts", test_independent},
                           {"a budget", test_budget},
                           {"estimates", test_estimates},
                           CU_TEST_INFO_NULL};
    n_rounds = by_form(1, 2, 100);
    return run_suite("shared", tests);
}
