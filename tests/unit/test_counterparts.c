/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counterparts in the library: every algorithm of a target whose tables are written has one that is
 * built in and can be bound with what it is set to, but for some of MPICH, and a segment size becomes as
 * many segments as it takes.
 */
#include "ir/collective.h"
#include "network/networks.h"
#include "scene.h"
#include "study/forecast/counterparts.h"
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
    scene.n_settings = counterpart_settings(program->of, n_segments, 2, settings);
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
    const struct counterpart *counterpart = counterpart_find(loader->target, collective, name);
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

static void test_every(void)
{
    unsigned n = 0;
    for (size_t i = 0; i < n_table_loaders; i++) {
        const struct table_loader *loader = table_loaders[i];
        struct table_algorithm algorithm;
        for (uint32_t collective = 0; loader->writer && collective < loader->n_collectives; collective++)
            for (size_t j = 0; loader->writer->algorithm(loader, collective, j, &algorithm); j++) {
                if (may_have_none(loader, loader->collectives[collective], algorithm.name))
                    continue;
                check_algorithm(loader, loader->collectives[collective], algorithm.name);
                n++;
            }
    }
    CU_ASSERT(n > 100);
}

static uint64_t segments(const char *collective, const char *theirs, uint64_t segment, uint64_t bytes)
{
    return counterpart_segments(counterpart_find("ompi-4.1", collective, theirs), segment, bytes, 8);
}

static void test_segments(void)
{
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 0, 1 << 20), 1);
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 1024, 1024), 1);
    CU_ASSERT_EQUAL(segments("bcast", "pipeline", 1024, 1025), 2);
    CU_ASSERT_EQUAL(segments("bcast", "split_binary_tree", 1024, 4096), 2);
    CU_ASSERT_EQUAL(segments("allreduce", "segmented_ring", 1024, 16384), 2);
    CU_ASSERT_EQUAL(segments("bcast", "scatter_allgather", 1024, 16384), 1);
    CU_ASSERT_PTR_NULL(counterpart_find("ompi-4.1", "bcast", "no such"));
    CU_ASSERT_PTR_NULL(counterpart_find("other", "bcast", "pipeline"));
}

int main(void)
{
    CU_TestInfo tests[] = {{"every algorithm of a target has one", test_every},
                           {"segments of a size", test_segments},
                           CU_TEST_INFO_NULL};
    return run_suite("counterparts", tests);
}
