/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decisions from measured times: the exact test beside all signs counted out; made times in which
 * nothing is faster, or something is; and the file of times, written and read.
 */
#include "suite.h"
#include "tables/loaders.h"
#include "tuning/decide.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Near a normal one. */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* ---- the test ---- */

/* The sum of mean ranks of those whose bit is set. */
static double sum_of_ranks(const double *differences, size_t n, unsigned signs)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double rank = 0.5;
        for (size_t j = 0; j < n; j++)
            rank += fabs(differences[j]) < fabs(differences[i])    ? 1
                    : fabs(differences[j]) == fabs(differences[i]) ? 0.5
                                                                   : 0;
        sum += signs & (1u << i) ? rank : 0;
    }
    return sum;
}

static double plain_p(const double *differences, size_t n)
{
    unsigned seen = 0, n_below = 0;
    for (size_t i = 0; i < n; i++)
        seen |= differences[i] > 0 ? 1u << i : 0;
    for (unsigned signs = 0; signs < 1u << n; signs++)
        n_below += sum_of_ranks(differences, n, signs) <= sum_of_ranks(differences, n, seen) + 1e-9;
    return n_below / (double)(1u << n);
}

static void test_signed_ranks(void)
{
    for (int round = 0; round < 300; round++) {
        double differences[10];
        const size_t n = 1 + (size_t)(uniform() * 9.99);
        for (size_t i = 0; i < n; i++) {
            differences[i] = round % 2 ? noise() : round % 3 ? floor(noise() * 3) + 0.5 : noise() - 1;
            if (differences[i] == 0)
                differences[i] = 1;
        }
        CU_ASSERT(fabs(signed_rank_p(differences, n) - plain_p(differences, n)) < 1e-9);
    }
    CU_ASSERT(signed_rank_p((const double[]){-1, -2, -3, -4, -5}, 5) == 1.0 / 32);
    CU_ASSERT(signed_rank_p((const double[]){0, 0}, 2) == 1);
    CU_ASSERT(signed_rank_p(NULL, 0) == 1);
    CU_ASSERT_EQUAL(decide_launches(1), 6);
    CU_ASSERT_EQUAL(decide_launches(12), 9);
}

/* ---- made times ---- */

enum { N_SIZES = 6, N_CANDIDATES = 20 };

/* The time of a candidate, 0 the default, at a size. */
typedef double time_function(size_t candidate, size_t size);

static struct table_choice candidate_of(size_t i)
{
    static const char *const names[] = {"chain", "pipeline", "binomial", "binary_tree"};
    return i == 0 ? (struct table_choice){0}
                  : (struct table_choice){names[i % 4], {.segment_bytes = 1024 * (1 + i / 4),
                                                         .fan_out = i % 4 == 0 ? 2 : 0}};
}

static uint64_t size_of(size_t i)
{
    return (uint64_t)64 << (2 * i);
}

static void make_launch(struct measurements *made, uint32_t launch, enum phase phase, uint32_t collective,
                        time_function *time)
{
    for (size_t size = 0; size < N_SIZES; size++) {
        const double of_launch = exp(noise() * 0.3); /* one launch differs from the next by much */
        for (size_t i = 0; i < N_CANDIDATES; i++) {
            const double ns = 10000 * time(i, size) * of_launch * exp(noise() * 0.03);
            const struct measurement one = {launch, phase, collective, 8, size_of(size), candidate_of(i), 9,
                                            (uint64_t)ns, (uint64_t)ns};
            measurements_add(made, &one);
        }
    }
}

/* Returns the number of points with another choice than the default, after a second series of launches with
 * times of their own; NULL: without one. */
static unsigned decide_twice(time_function *time, time_function *again, const char *name,
                             struct decision decisions[N_SIZES])
{
    const struct table_loader *loader = table_loader_find("ompi-4.1");
    struct measurements made = {.loader = loader, .unmade = UINT_MAX}; /* all candidates count */
    struct point points[N_SIZES];
    const uint32_t collective = table_collective(loader, name), n_confirm = decide_launches(N_SIZES);
    unsigned n = 0;
    for (uint32_t launch = 1; launch <= 3; launch++)
        make_launch(&made, launch, PHASE_SAMPLE, collective, time);
    for (uint32_t launch = 4; launch < 4 + n_confirm; launch++)
        make_launch(&made, launch, PHASE_CONFIRM, collective, time);
    for (size_t i = 0; i < N_SIZES; i++)
        points[i] = (struct point){collective, 8, size_of(i)};
    decide(&made, points, N_SIZES, decisions);
    for (uint32_t launch = 0; again && launch < n_confirm; launch++)
        make_launch(&made, 100 + launch, PHASE_AGAIN, collective, again);
    decide_again(&made, decisions, N_SIZES);
    for (size_t i = 0; i < N_SIZES; i++)
        n += decisions[i].choice.algorithm != NULL;
    measurements_free(&made);
    return n;
}

static unsigned decide_made(time_function *time, const char *name, struct decision decisions[N_SIZES])
{
    return decide_twice(time, NULL, name, decisions);
}

static double alike(size_t candidate, size_t size)
{
    (void)candidate;
    (void)size;
    return 1;
}

/* Candidate 5 is faster from the third size on, the others are slower. */
static double one_faster(size_t candidate, size_t size)
{
    return candidate == 5 && size >= 2 ? 0.7 : candidate ? 1.2 : 1;
}

/* Faster by less than counts. */
static double hardly_faster(size_t candidate, size_t size)
{
    (void)size;
    return candidate == 5 ? 0.985 : candidate ? 1.2 : 1;
}

/* 5 and 6 are as fast as each other: which is the less at a size is luck. */
static double two_faster(size_t candidate, size_t size)
{
    (void)size;
    return candidate == 5 || candidate == 6 ? 0.7 : candidate ? 1.2 : 1;
}

static void test_nothing_faster(void)
{
    struct decision decisions[N_SIZES];
    unsigned n_wrong = 0, n_rounds = 60;
    for (unsigned round = 0; round < n_rounds; round++)
        n_wrong += decide_made(alike, "bcast", decisions) > 0;
    CU_ASSERT(n_wrong <= n_rounds / 10); /* one in twenty at most, by the level */
    CU_ASSERT_EQUAL(decide_made(hardly_faster, "bcast", decisions), 0);
}

static void test_faster(void)
{
    struct decision decisions[N_SIZES];
    const struct table_choice five = candidate_of(5);
    CU_ASSERT_EQUAL(decide_made(one_faster, "bcast", decisions), 4);
    for (size_t i = 0; i < N_SIZES; i++) {
        CU_ASSERT_EQUAL(decisions[i].choice.algorithm != NULL, i >= 2);
        CU_ASSERT(i < 2 || choices_are_alike(&decisions[i].choice, &five));
        CU_ASSERT(i < 2 || (decisions[i].ratio > 0.6 && decisions[i].ratio < 0.8));
    }
    size_t n;
    struct plan_rule *rules = decide_rules(table_loader_find("ompi-4.1"), decisions, N_SIZES, &n);
    CU_ASSERT_EQUAL(n, 4);
    CU_ASSERT_EQUAL(rules[0].bytes.first, 512);   /* between 256 and 1024 */
    CU_ASSERT_EQUAL(rules[0].bytes.last, 2047);
    CU_ASSERT_EQUAL(rules[3].bytes.last, 65536);
    CU_ASSERT(rules[0].ranks.first == 8 && rules[0].ranks.last == 8);
    free(rules);
}

static void test_joined(void)
{
    struct decision decisions[N_SIZES];
    unsigned n_changes = 0;
    for (int round = 0; round < 10; round++) {
        CU_ASSERT_EQUAL(decide_made(two_faster, "bcast", decisions), N_SIZES);
        for (size_t i = 1; i < N_SIZES; i++)
            n_changes += !choices_are_alike(&decisions[i].choice, &decisions[i - 1].choice);
    }
    CU_ASSERT(n_changes <= 6); /* of 50; about half of them without joining */
}

/* If ranks would decide unlike, there is one choice for all sizes, or none. */
static double faster_then_slower(size_t candidate, size_t size)
{
    return candidate == 5 ? (size < 5 ? 0.7 : 1.3) : candidate ? 1.2 : 1;
}

static double faster_everywhere(size_t candidate, size_t size)
{
    (void)size;
    return candidate == 5 ? 0.8 : candidate ? 1.2 : 1;
}

static void test_one_choice(void)
{
    struct decision decisions[N_SIZES];
    size_t n;
    CU_ASSERT_EQUAL(decide_made(faster_then_slower, "gather", decisions), 0);
    CU_ASSERT_EQUAL(decide_made(faster_everywhere, "gather", decisions), N_SIZES);
    struct plan_rule *rules = decide_rules(table_loader_find("ompi-4.1"), decisions, N_SIZES, &n);
    CU_ASSERT(n == 1 && rules[0].bytes.first == 0 && rules[0].bytes.last == SPAN_NO_END);
    free(rules);
}

/* A rule stands in both series, or is none; gather has one choice for all sizes. */
static void test_again(void)
{
    struct decision decisions[N_SIZES];
    CU_ASSERT_EQUAL(decide_twice(one_faster, one_faster, "bcast", decisions), 4);
    for (size_t i = 2; i < N_SIZES; i++)
        CU_ASSERT(decisions[i].repeated.algorithm && decisions[i].again_ratio < 0.8 &&
                  decisions[i].again_p < 0.05 && decisions[i].spread >= 1);
    unsigned n_luck = 0;
    for (int round = 0; round < 40; round++)
        n_luck += decide_twice(one_faster, alike, "bcast", decisions) > 0;
    CU_ASSERT(n_luck <= 4); /* one in twenty, by the level */
    CU_ASSERT_EQUAL(decide_twice(one_faster, faster_then_slower, "bcast", decisions), 3);
    CU_ASSERT(decisions[N_SIZES - 1].repeated.algorithm && !decisions[N_SIZES - 1].choice.algorithm);
    CU_ASSERT_EQUAL(decide_twice(faster_everywhere, faster_everywhere, "gather", decisions), N_SIZES);
    CU_ASSERT_EQUAL(decide_twice(faster_everywhere, faster_then_slower, "gather", decisions), 0);
    CU_ASSERT_EQUAL(decide_twice(faster_everywhere, alike, "gather", decisions), 0);
    CU_ASSERT_EQUAL(decide_twice(one_faster, NULL, "bcast", decisions), 4);
    CU_ASSERT(!decisions[2].repeated.algorithm);
}

/* ---- the file ---- */

static bool read_words(const char *words, struct measurements *read)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    *read = (struct measurements){.loader = table_loader_find("ompi-4.1"), .unmade = UINT_MAX};
    const struct source *source = source_of_text("times", words, strlen(words), &arena);
    const bool is_read = measurements_read(read, source, &diagnostics);
    CU_ASSERT_EQUAL(is_read, !diagnostics_has_errors(&diagnostics));
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_read;
}

static void test_file(void)
{
    const struct table_loader *loader = table_loader_find("ompi-4.1");
    struct measurements read;
    struct text text = {0};
    const struct measurement one = {3, PHASE_CONFIRM, table_collective(loader, "bcast"), 8, 4096,
                                    {"chain", {.segment_bytes = 1024, .fan_out = 4}}, 20, 15000, 14000};
    text_printf(&text, "# made\n\nlaunch 3 confirm\n");
    measurement_print(loader, &one, &text);
    CU_ASSERT(read_words(text.data, &read) && read.n == 1);
    const struct measurement *got = read.items;
    CU_ASSERT(got->launch == 3 && got->phase == PHASE_CONFIRM && got->collective == one.collective);
    CU_ASSERT(got->n_ranks == 8 && got->bytes == 4096 && choices_are_alike(&got->choice, &one.choice));
    CU_ASSERT(got->repetitions == 20 && got->median == 15000 && got->least == 14000);
    measurements_free(&read);
    text_free(&text);
    static const char *const wrong[] = {
        "time bcast 8 1 default 0 0 1 1 1", "launch x sample", "launch 1 other", "lunch 1 sample",
        "launch 1 sample\ntime cast 8 1 default 0 0 1 1 1", "launch 1 sample\ntime bcast 8 1 quick 0 0 1 1 1",
        "launch 1 sample\ntime bcast 1 1 default 0 0 1 1 1",
            "launch 1 sample\ntime bcast 8 1 default 0 0 1 0 1",
        "launch 1 sample\ntime bcast 8 1 default 0 0 1 1",
            "launch 1 sample\ntime bcast 8 -1 default 0 0 1 1 1",
        "launch 1 sample\ntime bcast 8 99999999999999999999 default 0 0 1 1 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT(!read_words(wrong[i], &read));
        measurements_free(&read);
    }
}

UNIT_PROGRAM(test_tuning)
{
    CU_TestInfo tests[] = {{"signed ranks beside all signs", test_signed_ranks},
                           {"nothing is faster", test_nothing_faster},
                           {"what is faster is found", test_faster},
                           {"sizes beside each other are joined", test_joined},
                           {"one choice for all sizes", test_one_choice},
                           {"a rule comes again", test_again},
                           {"the file of times", test_file},
                           CU_TEST_INFO_NULL};
    return run_suite("tuning", tests);
}
