/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counterparts in the library: every algorithm of a target whose tables are written has one that is
 * built in and can be bound with what it is set to, but for some of MPICH, and a segment size becomes as
 * many segments as it takes.
 */
#include "ir/collective.h"
#include "network/networks.h"
#include "scene.h"
#include "study/counterparts.h"
#include "suite.h"
#include "tables/loaders.h"

#include <stdio.h>
#include <string.h>

/* True if it can be expanded on so many ranks. */
static bool is_bound(const struct counterpart_program *program, uint32_t n_ranks, uint64_t n_segments)
{
    struct diagnostics diagnostics = {0};
    struct parameter_setting settings[COUNTERPART_SETTINGS];
    const struct placement_request where = {.n_ranks = n_ranks};
    struct scene scene = {.program = program->scene.program, .settings = settings};
    const struct table_parameters parameters = {.fan_out = 2};
    scene.n_settings = counterpart_settings(program->of, n_segments, &parameters, settings);
    const bool is_expanded = scene_place(&scene, &where, &diagnostics) &&
                             scene_bind(&scene, 0, &diagnostics) && scene_expand(&scene, &diagnostics);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return is_expanded;
}

static void check_algorithm(const struct table_loader *loader, const char *collective, const char *name)
{
    enum collective_form form;
    const bool is_known = collective_find_form(collective, strlen(collective), &form) != N_COLLECTIVES;
    const struct counterpart *counterpart = counterpart_find(loader->target, collective, name, 8);
    CU_ASSERT(is_known && counterpart);
    if (!counterpart) {
        printf("%s: %s of %s has no counterpart\n", loader->target, name, collective);
        return;
    }
    struct counterpart_program program = counterpart_open(counterpart, form);
    CU_ASSERT(program.scene.program != NULL);
    if (!program.scene.program || (!is_bound(&program, 2, 3) && !is_bound(&program, 8, 3))) {
        printf("%s: the counterpart of %s/%s cannot be bound\n", loader->target, collective, name);
        CU_FAIL("not bound");
    }
    scene_free(&program.scene);
}

/* True if the algorithm may have no counterpart. An algorithm of MPICH has none if it calls a non-blocking
 * collective, is for MPI_IN_PLACE or equal counts alone, is of a non-blocking collective or of neighbours, or
 * came after 4.0. */
static bool may_have_none(const struct table_loader *loader, const char *collective, const char *name)
{
    enum collective_form form;
    return strncmp(loader->target, "mpich-", 6) == 0 &&
           (strcmp(loader->target, "mpich-4.0") != 0 || strcmp(name, "nb") == 0 ||
            strcmp(name, "pairwise_sendrecv_replace") == 0 ||
            (strcmp(collective, "reduce_scatter") == 0 && strcmp(name, "noncommutative") == 0) ||
            collective_find_form(collective, strlen(collective), &form) == N_COLLECTIVES);
}

/* True of an MPI. Algorithms of a library of collc's have no counterpart but themselves. */
static bool has_own_algorithms(const struct table_loader *loader)
{
    return loader->writer && loader->writer->none;
}

static void test_every(void)
{
    unsigned n = 0;
    for (size_t i = 0; i < n_table_loaders; i++) {
        const struct table_loader *loader = table_loaders[i];
        struct table_algorithm algorithm;
        for (uint32_t collective = 0; has_own_algorithms(loader) && collective < loader->n_collectives;
             collective++)
            for (size_t j = 0; loader->writer->algorithm(loader, collective, j, &algorithm); j++) {
                if (may_have_none(loader, loader->collectives[collective], algorithm.name))
                    continue;
                check_algorithm(loader, loader->collectives[collective], algorithm.name);
                n++;
            }
    }
    CU_ASSERT(n > 100);
}

/* Checks an algorithm on so many ranks: where the target runs it, and nothing in its place, a counterpart can
 * be expanded. Returns true if it has one. */
static bool check_on_ranks(const struct table_loader *loader, uint32_t collective,
                           const struct table_algorithm *algorithm, uint32_t n_ranks)
{
    enum { BYTES = 1 << 16 };
    enum collective_form form;
    const char *name = loader->collectives[collective];
    const struct table_choice choice = {.algorithm = algorithm->name};
    const struct table_query query = {
        .collective = collective, .n_ranks = n_ranks, .n_nodes = n_ranks, .type_bytes = 8};
    const struct table_range range = loader->writer->outcome(loader, &query, &choice, BYTES);
    const struct counterpart *counterpart = counterpart_find(loader->target, name, algorithm->name, n_ranks);
    collective_find_form(name, strlen(name), &form);
    if (range.fails || range.runs_as || !counterpart)
        return false;
    struct counterpart_program program = counterpart_open(counterpart, form);
    const bool is_right = program.scene.program && is_bound(&program, n_ranks, 1);
    if (!is_right)
        printf("%s: %s of %s, %u ranks: '%s' cannot be bound\n", loader->target, algorithm->name, name,
               n_ranks, counterpart->ours);
    CU_ASSERT(is_right);
    scene_free(&program.scene);
    return true;
}

static void test_ranks(void)
{
    struct table_algorithm algorithm;
    unsigned n = 0;
    for (size_t i = 0; i < n_table_loaders; i++) {
        const struct table_loader *loader = table_loaders[i];
        for (uint32_t collective = 0; has_own_algorithms(loader) && collective < loader->n_collectives;
             collective++)
            for (size_t j = 0; loader->writer->algorithm(loader, collective, j, &algorithm); j++)
                for (uint32_t n_ranks = 2; n_ranks <= 9; n_ranks++)
                    n += check_on_ranks(loader, collective, &algorithm, n_ranks);
    }
    CU_ASSERT(n > 1000);
}

static uint64_t segments(const char *collective, const char *theirs, uint64_t segment, uint64_t bytes)
{
    return counterpart_segments(counterpart_find("ompi-4.1", collective, theirs, 8), segment, bytes, 8);
}

static void test_segments(void)
{
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 0, 1 << 20), 1);
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 1024, 1024), 1);
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 1024, 1025), 2);
    CU_ASSERT_EQUAL(segments("bcast", "split_binary_tree", 1024, 4096), 2);
    CU_ASSERT_EQUAL(segments("allreduce", "segmented_ring", 1024, 16384), 2);
    CU_ASSERT_EQUAL(segments("bcast", "scatter_allgather", 1024, 16384), 1);
    CU_ASSERT_PTR_NULL(counterpart_find("ompi-4.1", "bcast", "no such", 8));
    CU_ASSERT_PTR_NULL(counterpart_find("other", "bcast", "pipeline", 8));
}

UNIT_PROGRAM(test_counterparts)
{
    CU_TestInfo tests[] = {{"every algorithm of a target has one", test_every},
                           {"on every number of ranks on which it runs", test_ranks},
                           {"segments of a size", test_segments},
                           CU_TEST_INFO_NULL};
    return run_suite("counterparts", tests);
}
