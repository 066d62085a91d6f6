/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares verify/brackets.c with trees that are kept as trees, over random sums of contributions: parts,
 * contributions, shifts and which of them are equal. Half of the sums continue one that was made before by
 * the same summand one place on, as along a ring, so that shapes become chains, also chains of chains.
 */
#include "base/memory.h"
#include "verify/brackets.h"

#include "tests/unit/bound_scenes.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SUMS = 400, LEAVES_MAX = 200, TEXT_MAX = 2000 };

/* A sum as it is written with the lower text first, so that equal sums have equal texts. */
struct sum {
    uint64_t expression;
    uint32_t n_leaves;
    char *text;
};

struct test_scene {
    struct brackets brackets;
    uint32_t n_ranks, n_sums;
    struct sum sums[N_SUMS];
    uint64_t seed;
    uint32_t n_wrong, n_compared, n_equal, n_other_numbers, n_in_chains;
};

/* Writes the tree of an expression by taking it apart; returns its contributions. */
static uint32_t write_tree(const struct brackets *brackets, uint64_t expression, char *text)
{
    uint64_t first, second;
    uint32_t rank;
    if (!brackets_split(brackets, expression, &first, &second, &rank)) {
        sprintf(text, "%u", rank);
        return 1;
    }
    char part[2][TEXT_MAX];
    const uint32_t n = write_tree(brackets, first, part[0]) + write_tree(brackets, second, part[1]);
    const bool is_swapped = strcmp(part[0], part[1]) > 0;
    const int length = snprintf(text, TEXT_MAX, "(%s %s)", part[is_swapped], part[!is_swapped]);
    CU_ASSERT_FATAL(length < TEXT_MAX);
    return n;
}

static void add_leaf(struct test_scene *scene, uint32_t rank)
{
    char text[TEXT_MAX];
    sprintf(text, "%u", rank);
    scene->sums[scene->n_sums++] = (struct sum){brackets_of(&scene->brackets, rank), 1, strdup(text)};
}

static void add_sum(struct test_scene *scene, const struct sum *a, const struct sum *b)
{
    char text[2 * TEXT_MAX];
    const bool is_swapped = strcmp(a->text, b->text) > 0;
    if (scene->n_sums == N_SUMS || a->n_leaves + b->n_leaves > LEAVES_MAX)
        return;
    sprintf(text, "(%s %s)", is_swapped ? b->text : a->text, is_swapped ? a->text : b->text);
    if (strlen(text) < TEXT_MAX)
        scene->sums[scene->n_sums++] =
            (struct sum){brackets_combine(&scene->brackets, a->expression, b->expression),
                         a->n_leaves + b->n_leaves, strdup(text)};
}

/* Makes the sum of an expression again, of the ranks that are `by` places on. */
static struct sum shifted(struct test_scene *scene, uint64_t expression, uint32_t by)
{
    uint64_t first, second;
    uint32_t rank;
    if (!brackets_split(&scene->brackets, expression, &first, &second, &rank)) {
        add_leaf(scene, (rank + by) % scene->n_ranks);
        return scene->sums[scene->n_sums - 1];
    }
    const struct sum a = shifted(scene, first, by), b = shifted(scene, second, by);
    add_sum(scene, &a, &b);
    return scene->sums[scene->n_sums - 1];
}

/* Adds n sums that are alike, each of ranks one place on, to one that was made before. */
static void add_along_ring(struct test_scene *scene, uint32_t n)
{
    const struct sum part = scene->sums[bound_random(&scene->seed, scene->n_sums)];
    struct sum sum = scene->sums[bound_random(&scene->seed, scene->n_sums)];
    for (uint32_t i = 1; i <= n && scene->n_sums + 2 * part.n_leaves < N_SUMS && part.n_leaves < 8; i++) {
        const struct sum next = shifted(scene, part.expression, i);
        add_sum(scene, &sum, &next);
        sum = scene->sums[scene->n_sums - 1];
    }
}

static void check_sum(struct test_scene *scene, const struct sum *sum)
{
    char text[TEXT_MAX];
    const uint32_t n_leaves = write_tree(&scene->brackets, sum->expression, text);
    scene->n_wrong += n_leaves != sum->n_leaves || strcmp(text, sum->text) != 0 ||
                      brackets_n_leaves(&scene->brackets, sum->expression) != sum->n_leaves;
}

/* Compares two sums, and the one with the other shifted: a tree may be its own image. */
static void check_pair(struct test_scene *scene, const struct sum *a, const struct sum *b)
{
    char text[TEXT_MAX];
    const uint32_t by = bound_random(&scene->seed, scene->n_ranks);
    const uint64_t there = brackets_shift(&scene->brackets, b->expression, by);
    write_tree(&scene->brackets, there, text);
    const bool is_equal = strcmp(a->text, b->text) == 0, is_image = strcmp(a->text, text) == 0;
    scene->n_wrong += brackets_equal(&scene->brackets, a->expression, b->expression) != is_equal;
    scene->n_wrong += brackets_equal(&scene->brackets, a->expression, there) != is_image;
    scene->n_equal += is_equal;
    scene->n_other_numbers += is_image && there != a->expression;
    scene->n_compared++;
}

static void check_scene(struct test_scene *scene)
{
    for (uint32_t i = 0; i < scene->n_sums; i++)
        check_sum(scene, &scene->sums[i]);
    for (uint32_t i = 0; i < scene->n_sums; i++) {
        check_pair(scene, &scene->sums[i], &scene->sums[i]);
        for (uint32_t k = 0; k < 20; k++)
            check_pair(scene, &scene->sums[i], &scene->sums[bound_random(&scene->seed, scene->n_sums)]);
    }
    scene->n_in_chains += scene->brackets.n_shapes - (uint32_t)scene->brackets.n_entries;
}

static void make_sums(struct test_scene *scene)
{
    for (uint32_t rank = 0; rank < scene->n_ranks; rank++)
        add_leaf(scene, rank);
    while (scene->n_sums < N_SUMS) {
        const uint32_t before = scene->n_sums;
        if (bound_random(&scene->seed, 2))
            add_along_ring(scene, 1 + bound_random(&scene->seed, 10));
        if (scene->n_sums < N_SUMS && scene->n_sums == before)
            add_sum(scene, &scene->sums[bound_random(&scene->seed, scene->n_sums)],
                    &scene->sums[bound_random(&scene->seed, scene->n_sums)]);
        if (scene->n_sums < N_SUMS && scene->n_sums == before)
            add_leaf(scene, bound_random(&scene->seed, scene->n_ranks));
    }
}

static void test_sums(void)
{
    struct test_scene *scene = mem_alloc(1, sizeof *scene);
    uint32_t n_wrong = 0, n_compared = 0, n_equal = 0, n_other_numbers = 0, n_in_chains = 0;
    for (uint64_t seed = 1; seed <= (IS_SHORT ? 20 : 200); seed++) {
        *scene = (struct test_scene){.seed = seed * UINT64_C(0x9e3779b97f4a7c15)};
        scene->n_ranks = 1 + bound_random(&scene->seed, 24);
        const struct rank_sets sets = {.n_ranks = scene->n_ranks};
        brackets_init(&scene->brackets, &sets, NULL);
        make_sums(scene);
        check_scene(scene);
        n_wrong += scene->n_wrong;
        n_compared += scene->n_compared;
        n_equal += scene->n_equal;
        n_other_numbers += scene->n_other_numbers;
        n_in_chains += scene->n_in_chains;
        for (uint32_t i = 0; i < scene->n_sums; i++)
            free(scene->sums[i].text);
        brackets_free(&scene->brackets);
    }
    free(scene);
    printf("\n    %u pairs of sums compared, %u equal, %u under another number, %u shapes in chains ",
           n_compared, n_equal, n_other_numbers, n_in_chains);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_equal > n_compared / 200);
    CU_ASSERT(n_other_numbers > 0);
    CU_ASSERT(n_in_chains > 0);
}

UNIT_PROGRAM(test_brackets)
{
    CU_TestInfo tests[] = {{"sums as numbers and as trees", test_sums}, CU_TEST_INFO_NULL};
    return run_suite("brackets", tests);
}
