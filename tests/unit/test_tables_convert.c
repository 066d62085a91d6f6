/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables converted from one version to another and read back there: calls get the same rows. Classic
 * files are made at random, odd ones included; selection files are those of tests/data.
 */
#include "suite.h"
#include "tables/loaders.h"

#include <string.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static const struct table *read_text(const char *target, const struct text *text, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    const struct table_loader *loader = table_loader_find(target);
    const char *copy = arena_strndup(arena, text->data, text->length);
    const struct table *table =
        loader->read(loader, source_of_text("t", copy, text->length, arena), arena, &diagnostics);
    diagnostics_free(&diagnostics);
    return table;
}

/* The table as one of another target; `is_whole`: nothing was lost but what a row with 0 leaves open. */
static const struct table *converted(const struct table *table, const char *target, struct arena *arena,
                                     bool *is_whole)
{
    struct diagnostics lost = {0};
    struct text text = {0};
    table->loader->convert(table, table_loader_find(target), CALL_ORDERED | CALL_UNLIKE_TYPES, &text, &lost);
    const struct table *other = read_text(target, &text, arena);
    *is_whole = true;
    for (const struct diagnostic *said = lost.first; said; said = said->next)
        *is_whole &= strstr(said->message, "a row with 0 leaves") != NULL;
    CU_ASSERT(other && !other->ignored);
    diagnostics_free(&lost);
    text_free(&text);
    return other;
}

/* ---- Open MPI ---- */

/* Counts are right; sizes and numbers of ranks are in any order. */
static void add_file(struct text *text)
{
    static const uint32_t collectives[] = {0, 2, 3, 7, 9, 11, 12};
    const uint32_t n = 1 + below(3);
    text_printf(text, "%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t n_entries = 1 + below(3);
        text_printf(text, "%u %u\n", collectives[below(7)], n_entries);
        for (uint32_t j = 0; j < n_entries; j++) {
            const uint32_t n_rows = 1 + below(4);
            text_printf(text, "%u %u\n", below(10), n_rows);
            for (uint32_t k = 0; k < n_rows; k++)
                text_printf(text, "%u %u %u %u\n", k ? below(20) * 64 : 0, below(4), below(3),
                            below(3) * 1024);
        }
    }
}

static bool is_alike(const struct table_range *a, const struct table_range *b, uint64_t fan_out)
{
    const bool has_a = a->rule && a->rule->algorithm, has_b = b->rule && b->rule->algorithm;
    return has_a == has_b && (!has_a || (a->rule->algorithm == b->rule->algorithm &&
                                         a->parameters.segment_bytes == b->parameters.segment_bytes &&
                                         b->parameters.fan_out == fan_out));
}

/* Returns the fan-out that a row has in b. Allgather 2 has one in 6 only, where it never ends with less than
 * 2, which is the most that rows have here. */
static uint64_t fan_out_in(const struct table *b, uint32_t collective, const struct table_range *row)
{
    enum { ALLGATHER = 0, BRUCK = 2 };
    const bool is_bruck = collective == ALLGATHER && row->rule && row->rule->algorithm == BRUCK;
    if (!is_bruck)
        return row->parameters.fan_out;
    return strcmp(b->loader->target, "ompi-6") == 0 ? 2 : 0;
}

static unsigned compare(const struct table *a, const struct table *b, struct arena *arena)
{
    unsigned n_wrong = 0;
    for (uint32_t collective = 0; collective < a->loader->n_collectives; collective++)
        for (uint32_t n_ranks = 2; n_ranks < 13; n_ranks++)
            for (uint64_t bytes = 1; bytes < 1500; bytes += 53) {
                const struct table_query query = {.collective = collective, .n_ranks = n_ranks,
                    .type_bytes = 1};
                const struct table_range x = a->loader->choose(a, &query, false, bytes, arena);
                const struct table_range y = b->loader->choose(b, &query, false, bytes, arena);
                n_wrong += !is_alike(&x, &y, fan_out_in(b, collective, &x));
            }
    return n_wrong;
}

static void test_open_mpi(void)
{
    static const char *const targets[] = {"ompi-4.1", "ompi-5.0", "ompi-6"};
    for (int i = 0; i < (int)by_form(3, 10, 20); i++) {
        struct arena arena = {0};
        struct text text = {0};
        add_file(&text);
        for (int from = 0; from < 3; from++)
            for (int to = 0; to < 3; to++) {
                bool is_whole, is_back;
                const struct table *table = read_text(targets[from], &text, &arena);
                const struct table *there = converted(table, targets[to], &arena, &is_whole);
                const struct table *back = converted(there, targets[from], &arena, &is_back);
                CU_ASSERT(is_whole && is_back);
                CU_ASSERT_EQUAL(compare(table, there, &arena), 0);
                CU_ASSERT_EQUAL(compare(table, back, &arena), 0);
            }
        text_free(&text);
        arena_free(&arena);
    }
}

/* ---- MPICH ---- */

static bool is_same_name(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || (strcmp(a, "dissemination") == 0 && strcmp(b, "k_dissemination") == 0);
}

static unsigned compare_trees(const struct table *a, const struct table *b, struct arena *arena)
{
    unsigned n_wrong = 0;
    for (uint32_t collective = 0; collective < a->loader->n_collectives; collective++)
        for (uint32_t n_ranks = 2; n_ranks < 6; n_ranks++)
            for (uint64_t bytes = 1; bytes < 70000; bytes += 1 + bytes)
                for (unsigned call = 0; call < 4; call++) {
                    const struct table_query query = {.collective = collective, .n_ranks = n_ranks,
                                                      .type_bytes = 1, .n_nodes = call & 1 ? n_ranks : 1,
                                                      .is_in_place = call & 2, .is_ordered = call & 2};
                    const struct table_range x = a->loader->choose(a, &query, false, bytes, arena);
                    const struct table_range y = b->loader->choose(b, &query, false, bytes, arena);
                    n_wrong += !is_same_name(x.algorithm, y.algorithm) || !x.fails != !y.fails ||
                               x.parameters.segment_bytes != y.parameters.segment_bytes;
                }
    return n_wrong;
}

static void test_mpich(void)
{
    static const char *const names[] = {"sound", "elements", "lenient", "ranks", "smp", "turned"};
    static const char *const targets[] = {"mpich-4.0", "mpich-4.1", "mpich-4.2", "mpich-4.3", "mpich-5.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t to = 0; to < sizeof targets / sizeof *targets; to++) {
            struct arena arena = {0};
            struct diagnostics diagnostics = {0};
            const struct table_loader *loader = table_loader_find(targets[0]);
            const char *path = arena_printf(&arena, "tests/data/tables/mpich/%s.json", names[i]);
            const struct source *source = source_read(path, TABLE_FILE_LIMIT, &arena, &diagnostics);
            const struct table *table = loader->read(loader, source, &arena, &diagnostics);
            bool is_whole, is_back;
            const struct table *there = converted(table, targets[to], &arena, &is_whole);
            const struct table *back = converted(there, targets[0], &arena, &is_back);
            CU_ASSERT(is_whole && is_back);
            CU_ASSERT_EQUAL(compare_trees(table, there, &arena), 0);
            CU_ASSERT_EQUAL(compare_trees(table, back, &arena), 0);
            diagnostics_free(&diagnostics);
            arena_free(&arena);
        }
}

/* ---- coll/han ---- */

static void add_level(struct text *text, uint32_t level)
{
    static const char *const components[] = {"tuned", "basic", "han"};
    const uint32_t n_sizes = below(4);
    text_printf(text, "%u %u\n", level, n_sizes);
    for (uint32_t i = 0; i < n_sizes; i++) {
        const uint32_t n_rows = below(4);
        text_printf(text, "%u %u\n", i ? 1 + below(9) : 1, n_rows);
        for (uint32_t j = 0; j < n_rows; j++)
            text_printf(text, "%u %s\n", j ? below(20) * 64 : below(2), components[below(3)]);
    }
}

static void add_han_file(struct text *text)
{
    static const char *const collectives[] = {"bcast", "allreduce", "9", "barrier", "scan", "allgatherv"};
    const uint32_t n = 1 + below(4);
    text_printf(text, "%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t n_levels = below(4);
        text_printf(text, "%s %u\n", collectives[below(6)], n_levels);
        for (uint32_t j = 0; j < n_levels; j++)
            add_level(text, below(3));
    }
}

static unsigned compare_han(const struct table *a, const struct table *b, struct arena *arena)
{
    unsigned n_wrong = 0;
    for (uint32_t collective = 0; collective < a->loader->n_collectives; collective++)
        for (uint32_t n_ranks = 2; n_ranks < 12; n_ranks++)
            for (uint64_t bytes = 0; bytes < 1500; bytes += 53) {
                const struct table_query query = {
                    .collective = collective, .n_ranks = n_ranks, .type_bytes = 1};
                const struct table_range x = a->loader->choose(a, &query, false, bytes, arena);
                const struct table_range y = b->loader->choose(b, &query, false, bytes, arena);
                n_wrong += strcmp(x.algorithm, y.algorithm) != 0 || !x.rule != !y.rule;
            }
    return n_wrong;
}

static void test_han(void)
{
    static const char *const targets[] = {"ompi-4.1-han", "ompi-5.0-han"};
    for (int i = 0; i < (int)by_form(10, 50, 100); i++) {
        struct arena arena = {0};
        struct text text = {0};
        add_han_file(&text);
        for (int from = 0; from < 2; from++)
            for (int to = 0; to < 2; to++) {
                bool is_whole;
                const struct table *table = read_text(targets[from], &text, &arena);
                CU_ASSERT(!table->ignored);
                const struct table *there = converted(table, targets[to], &arena, &is_whole);
                CU_ASSERT_EQUAL(compare_han(table, there, &arena), 0);
            }
        text_free(&text);
        arena_free(&arena);
    }
}

UNIT_PROGRAM(test_tables_convert)
{
    CU_TestInfo tests[] = {{"classic files between versions of Open MPI", test_open_mpi},
                           {"selection files between versions of MPICH", test_mpich},
                           {"rules of coll/han between versions of Open MPI", test_han},
                           CU_TEST_INFO_NULL};
    return run_suite("tables_convert", tests);
}
