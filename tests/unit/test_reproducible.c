/* SPDX-License-Identifier: BSD-3-Clause
 *
 * study/reproducible.c beside floats. Each built-in reduction is carried out on doubles of unlike sizes by
 * the reference verifier, which has no expressions of verify/: with 2 to 16 ranks, on all placements, in 1
 * to 3 segments. Bits that are said to be the same must be the same in all draws, and those that are said to
 * differ must differ in one.
 */
#include "base/integer.h"
#include "study/reproducible.h"
#include "study/scene.h"
#include "tests/unit/reference.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 4 };

/* The results of one schedule. */
struct sums {
    uint32_t n_ranks, segments; /* 0: it was refused */
    double *of[DRAWS];          /* [rank * segments + segment] */
};

static void sums_free(struct sums *sums)
{
    for (int draw = 0; draw < DRAWS; draw++)
        free(sums->of[draw]);
    *sums = (struct sums){.n_ranks = 0};
}

/* The contributions; those of rank `n` and higher are 0. */
static void draw_floats(int draw, uint32_t n, double contribution[REFERENCE_MAX_RANKS])
{
    uint64_t random = (uint64_t)draw + 1;
    for (uint32_t rank = 0; rank < REFERENCE_MAX_RANKS; rank++) {
        const double mantissa = 1 + (double)(next_random(&random) >> 12) / (double)(UINT64_C(1) << 52);
        const double value = ldexp(mantissa, (int)(next_random(&random) % 8));
        contribution[rank] = rank < n ? (next_random(&random) & 1 ? value : -value) : 0;
    }
}

/* The sums of the first n ranks' contributions. */
static struct sums sum(const struct program *program, const struct trial *trial,
                       const struct parameter_setting *settings, size_t n_settings, uint32_t n)
{
    struct diagnostics diagnostics = {0};
    struct scene scene = {.program = program,
                          .topology = trial->topology,
                          .placement = trial->placement,
                          .settings = settings,
                          .n_settings = n_settings};
    struct sums sums = {.n_ranks = 0};
    if (scene_bind(&scene, trial->root, &diagnostics))
        scene_expand(&scene, &diagnostics);
    struct schedule *schedule = scene.schedule;
    for (int draw = 0; schedule && draw < DRAWS; draw++) {
        double contribution[REFERENCE_MAX_RANKS];
        sums.n_ranks = schedule->header.n_ranks;
        sums.segments = schedule->header.segments;
        sums.of[draw] = mem_alloc((size_t)sums.n_ranks * sums.segments, sizeof(double));
        draw_floats(draw, n, contribution);
        schedule->rewind(schedule);
        CU_ASSERT_FATAL(reference_sum(schedule, contribution, sums.of[draw]));
    }
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return sums;
}

/* ---- comparing ---- */

static bool has_result(const struct program *program, uint32_t rank)
{
    if (program->collective == COLLECTIVE_reduce)
        return rank == 0;
    return program->collective != COLLECTIVE_exscan || rank > 0;
}

static bool is_equal(const struct sums *a, size_t i, const struct sums *b, size_t k)
{
    bool is = true;
    for (int draw = 0; draw < DRAWS; draw++)
        is = is && memcmp(&a->of[draw][i], &b->of[draw][k], sizeof(double)) == 0;
    return is;
}

/* True if an element has unlike bits, of a rank that both have. Walks along the segments of both. */
static bool differ(const struct program *program, const struct sums *a, const struct sums *b)
{
    const uint32_t n = a->n_ranks < b->n_ranks ? a->n_ranks : b->n_ranks;
    bool is_unlike = false;
    for (uint32_t rank = 0; rank < n; rank++)
        for (uint32_t i = 0, k = 0; has_result(program, rank) && i < a->segments && k < b->segments;) {
            is_unlike = is_unlike || !is_equal(a, rank * a->segments + i, b, rank * b->segments + k);
            const uint64_t end = (uint64_t)(i + 1) * b->segments, other = (uint64_t)(k + 1) * a->segments;
            i += end <= other;
            k += other <= end;
        }
    return is_unlike;
}

static bool has_unlike_segments(const struct program *program, const struct sums *sums)
{
    bool is_unlike = false;
    for (uint32_t rank = 0; rank < sums->n_ranks; rank++)
        for (uint32_t k = 1; has_result(program, rank) && k < sums->segments; k++)
            is_unlike = is_unlike || !is_equal(sums, rank * sums->segments, sums, rank * sums->segments + k);
    return is_unlike;
}

/* ---- all trials ---- */

/* The answers by the floats of all trials. */
struct seen {
    const struct program *program;
    struct sums first;     /* of this number of ranks */
    struct sums below;     /* the same of the contributions of as many ranks as were tried before */
    struct sums before;    /* of that number */
    bool by_ranks, by_segments, by_placement;
};

static void vary(struct seen *seen, const struct trial *trial)
{
    for (int64_t n = 1; n <= 3; n++) {
        const struct parameter_setting setting = {.name = "segments", .value = n};
        struct sums sums = sum(seen->program, trial, &setting, 1, REFERENCE_MAX_RANKS);
        if (sums.n_ranks)
            seen->by_segments = seen->by_segments || has_unlike_segments(seen->program, &sums) ||
                                differ(seen->program, &seen->first, &sums);
        sums_free(&sums);
    }
}

static void visit(void *context, const struct trial *trial)
{
    struct seen *seen = context;
    if (trial->root)
        return;
    struct sums sums = sum(seen->program, trial, NULL, 0, REFERENCE_MAX_RANKS);
    if (!sums.n_ranks)
        return;
    seen->by_segments = seen->by_segments || has_unlike_segments(seen->program, &sums);
    if (seen->first.n_ranks) {
        seen->by_placement = seen->by_placement || differ(seen->program, &seen->first, &sums);
        sums_free(&sums);
        return;
    }
    seen->first = sums;
    if (seen->before.n_ranks)
        seen->below = sum(seen->program, trial, NULL, 0, seen->before.n_ranks);
    const uint32_t segments = seen->program->segments;
    if (segments != UINT32_MAX && seen->program->variables[segments].kind == VARIABLE_PARAMETER)
        vary(seen, trial);
}

static void look(struct seen *seen)
{
    for (uint32_t p = 2; p <= (IS_SHORT ? 6 : REPRODUCIBLE_RANKS); p++) {
        trials_of_ranks(seen->program, p, visit, seen);
        if (seen->below.n_ranks)
            seen->by_ranks = seen->by_ranks || differ(seen->program, &seen->below, &seen->before);
        sums_free(&seen->below);
        if (!seen->first.n_ranks)
            continue;
        sums_free(&seen->before);
        seen->before = seen->first;
        seen->first = (struct sums){.n_ranks = 0};
    }
    sums_free(&seen->before);
}

/* Compares the answer with the floats. Under the sanitizers fewer ranks are summed: there bits may be said to
 * differ that are seen to be the same. */
static void check_answer(const char *name, const char *question, const struct dependence *said, bool is_seen)
{
    const bool is_found = said->known == DEPENDENCE_FOUND;
    const bool is_right = is_found == is_seen || (IS_SHORT && is_found);
    if (!is_right)
        printf("    %s by %s: said %s, floats %s; %s\n", name, question, is_found ? "differ" : "same",
               is_seen ? "differ" : "same", said->witness ? said->witness : "");
    CU_ASSERT(is_right);
    CU_ASSERT((said->witness != NULL) == is_found);
}

static void test_floats(void)
{
    uint32_t n_found = 0, n_same = 0, n_reductions = 0;
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++) {
        struct test_scene scene;
        if (!scene_algorithm(i, name))
            continue;
        scene_open(&scene, &(struct scene_spec){.algorithm = name, .topology = "torus:2x2"});
        const bool reduces = scene.program && collective_table[scene.program->collective].reduces;
        if (reduces && n_reductions++ % by_form(3, 2, 1) == 0) {
            struct reproducibility said = reproducibility_of_program(scene.program, NULL, 0);
            struct seen seen = {.program = scene.program};
            look(&seen);
            check_answer(name, "ranks", &said.ranks, seen.by_ranks);
            check_answer(name, "segments", &said.segments, seen.by_segments);
            check_answer(name, "placement", &said.placement, seen.by_placement);
            n_found += (uint32_t)(seen.by_ranks + seen.by_segments + seen.by_placement);
            n_same += (uint32_t)(!seen.by_ranks + !seen.by_segments + !seen.by_placement);
            reproducibility_free(&said);
        }
        scene_close(&scene);
    }
    CU_ASSERT(n_found > enough(by_form(12, 20, 40)));
    CU_ASSERT(n_same > enough(by_form(12, 20, 40)));
}

UNIT_PROGRAM(test_reproducible)
{
    CU_TestInfo tests[] = {{"bits of all reductions, said and summed", test_floats}, CU_TEST_INFO_NULL};
    return run_suite("reproducible", tests);
}
