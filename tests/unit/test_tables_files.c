/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables from files: the ranges of pick are made of what single sizes get, for every collective.
 * (tests/runtime/tables_mpich.sh compares with MPICH.)
 */
#include "suite.h"
#include "tables/loaders.h"

#include <string.h>

static bool is_like(const struct table_range *a, const struct table_range *b)
{
    return strcmp(a->algorithm, b->algorithm) == 0 && a->rule == b->rule && strcmp(a->why, b->why) == 0 &&
           !a->fails == !b->fails && (!a->fails || strcmp(a->fails, b->fails) == 0);
}

static void check_query(const struct table *table, const struct table_query *query, struct arena *arena)
{
    enum { LAST = 70000 };
    struct table_ranges ranges = table_pick(table, query, false, (struct span){0, LAST}, arena);
    uint64_t next = 0;
    for (size_t i = 0; i < ranges.n; i++) {
        const struct table_range *range = &ranges.items[i];
        CU_ASSERT_EQUAL(range->bytes.first, next);
        next = range->bytes.last + 1;
        for (uint64_t bytes = range->bytes.first; bytes <= range->bytes.last; bytes += 1 + bytes / 16) {
            const struct table_range single = table->loader->choose(table, query, false, bytes, arena);
            CU_ASSERT(is_like(&single, range));
        }
        const struct table_range end = table->loader->choose(table, query, false, range->bytes.last, arena);
        CU_ASSERT(is_like(&end, range));
    }
    CU_ASSERT_EQUAL(next, LAST + 1);
    table_ranges_free(&ranges);
}

static void check_table(const struct table *table)
{
    for (uint32_t collective = 0; collective < table->loader->n_collectives; collective++)
        for (uint32_t n_ranks = 2; n_ranks < 6; n_ranks++)
            for (unsigned call = 0; call < 8; call++) {
                struct arena arena = {0};
                const struct table_query query = {
                    .collective = collective, .n_ranks = n_ranks, .n_nodes = call & 1 ? n_ranks : 1,
                    .type_bytes = call & 2 ? 8 : 1, .is_in_place = call & 4, .is_ordered = call & 4};
                check_query(table, &query, &arena);
                arena_free(&arena);
            }
}

static void test_ranges(void)
{
    static const struct {
        const char *target, *path;
    } files[] = {
        {"mpich-4.0", "mpich/sound.json"}, {"mpich-4.0", "mpich/elements.json"},
            {"mpich-4.0", "mpich/lenient.json"},
        {"mpich-4.0", "mpich/ranks.json"}, {"mpich-4.0", "mpich/smp.json"},
            {"mpich-4.0", "mpich/turned.json"},
        {"ompi-6", "ompi-6/sound.json"},         {"nccl", "nccl/sound.csv"},
            {"rccl", "nccl/sound.csv"},
        {"intel-mpi", "intel.env"},
        {"ompi-4.1-han", "han/sound.rules"},     {"ompi-5.0-han", "han/unordered.rules"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct arena arena = {0};
        struct diagnostics diagnostics = {0};
        const struct table_loader *loader = table_loader_find(files[i].target);
        const char *path = arena_printf(&arena, "tests/data/tables/%s", files[i].path);
        const struct source *source = source_read(path, TABLE_FILE_LIMIT, &arena, &diagnostics);
        const struct table *table = source ? table_read(loader, source, &arena, &diagnostics) : NULL;
        CU_ASSERT(table && !table->ignored);
        if (table && !table->ignored)
            check_table(table);
        diagnostics_free(&diagnostics);
        arena_free(&arena);
    }
}

UNIT_PROGRAM(test_tables_files)
{
    CU_TestInfo tests[] = {{"ranges are made of single sizes", test_ranges}, CU_TEST_INFO_NULL};
    return run_suite("tables_files", tests);
}
