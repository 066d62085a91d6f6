/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rule tables of NCCL, RCCL, UCC and coll/han: what collc says that calls get, beside a naive reader, for a
 * grid of collectives, ranks and nodes and for drawn sizes, on the files of the tests and on drawn ones.
 */
#include "tables/loaders.h"
#include "tests/unit/naive_tables.h"
#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static int draw(int n)
{
    return (int)random_number_below((uint32_t)n);
}

static const char *draw_word(const char *const *words, int n)
{
    return words[draw(n)];
}

/* ---- comparing ---- */

static const enum table_level levels[] = {TABLE_WITHIN, TABLE_BETWEEN, TABLE_WHOLE};

static void say(const struct table_range *range, char *choice, size_t size)
{
    if (range->protocol)
        snprintf(choice, size, "%s %s %llu", range->algorithm, range->protocol,
                 range->has_channels ? (unsigned long long)range->channels : 0);
    else
        snprintf(choice, size, "%s%s%s", range->algorithm, range->runs_as ? " by " : "",
                 range->runs_as ? range->runs_as : "");
}

static bool agrees(const struct table *table, uint32_t collective, const struct naive_call *call)
{
    struct arena arena = {0};
    char naive[200], product[200];
    const char *target = table->loader->target;
    const struct table_query query = {.collective = collective,
                                      .n_ranks = (uint32_t)call->n_ranks,
                                      .n_nodes = (uint32_t)call->n_nodes,
                                      .level = levels[call->level],
                                      .type_bytes = 1};
    const struct table_range range = table->loader->choose(table, &query, false, call->bytes, &arena);
    say(&range, product, sizeof product);
    if (strstr(target, "han"))
        naive_han_choose(table->source->text, strstr(target, "5.0") != NULL, call, naive, sizeof naive);
    else if (strcmp(target, "ucc") == 0)
        naive_ucc_choose(table->source->text, call, naive, sizeof naive);
    else
        naive_nccl_choose(table->source->text, strcmp(target, "rccl") == 0, call, naive, sizeof naive);
    const bool is_equal = strcmp(naive, product) == 0;
    if (!is_equal)
        printf("\n  %s, %s: %s of %llu bytes, %d ranks, %d nodes, level %d: naive '%s', collc '%s'", target,
               table->source->path, call->collective, (unsigned long long)call->bytes, call->n_ranks,
               call->n_nodes, call->level, naive, product);
    arena_free(&arena);
    return is_equal;
}

static bool agrees_on_sizes(const struct table *table, uint32_t collective, struct naive_call call)
{
    bool agree = true;
    for (int i = 0; i < 12 && agree; i++) {
        call.bytes = (UINT64_C(1) << draw(35)) - 1 + (uint64_t)draw(3);
        agree = agrees(table, collective, &call);
    }
    return agree;
}

static void compare_table(const struct table *table)
{
    static const int ranks[] = {2, 3, 8, 16};
    const bool has_levels = strstr(table->loader->target, "han") != NULL;
    bool agree = true;
    for (uint32_t collective = 0; collective < table->loader->n_collectives && agree; collective++)
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks && agree; i++)
            for (int nodes = 1; nodes <= ranks[i] && nodes <= 8 && agree; nodes *= 2)
                for (int level = has_levels ? 0 : 2; level < 3 && agree; level++)
                    agree = agrees_on_sizes(table, collective,
                                            (struct naive_call){table->loader->collectives[collective],
                                                                ranks[i], nodes, 0, level});
    CU_ASSERT(agree);
}

/* True if the loader takes the file. */
static bool compare_source(const char *target, const struct source *source)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct table_loader *loader = table_loader_find(target);
    CU_ASSERT_FATAL(loader != NULL);
    const struct table *table = table_read(loader, source, &arena, &diagnostics);
    const bool is_known = table && (!table->settings || strcmp(target, "ucc") == 0);
    const bool is_taken = is_known && !table->ignored;
    if (is_taken)
        compare_table(table);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_taken;
}

/* ---- files ---- */

/* Compares the files that the pattern names, or of these the ones that say the target. So many are taken, and
 * so many the loader refuses as a whole; of these there is no second opinion. */
static void compare_files(const char *pattern, const char *target, bool is_said, int n_taken, int n_refused)
{
    glob_t found;
    char said[64];
    int n[2] = {0};
    snprintf(said, sizeof said, "--target %s\n", target);
    CU_ASSERT_EQUAL_FATAL(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct arena arena = {0};
        struct diagnostics diagnostics = {0};
        const struct source *source = source_read(found.gl_pathv[i], TABLE_FILE_LIMIT, &arena, &diagnostics);
        CU_ASSERT_FATAL(source != NULL);
        if (!is_said || strstr(source->text, said))
            n[compare_source(target, source)]++;
        diagnostics_free(&diagnostics);
        arena_free(&arena);
    }
    globfree(&found);
    if (n[true] != n_taken || n[false] != n_refused)
        printf("\n  %s, %s: %d taken, %d refused", target, pattern, n[true], n[false]);
    CU_ASSERT(n[true] == n_taken && n[false] == n_refused);
}

static void test_files(void)
{
    static const char golden[] = "tests/golden/tables/*/*.rules";
    compare_files(golden, "nccl", true, 15, 7); /* 7 have variables */
    compare_files(golden, "rccl", true, 4, 0);
    compare_files(golden, "ompi-4.1-han", true, 3, 2);
    compare_files(golden, "ompi-5.0-han", true, 18, 3);
    compare_files(golden, "ucc", true, 12, 2);
    compare_files("tests/data/tables/nccl/*", "nccl", false, 1, 0);
    compare_files("tests/data/tables/nccl/*", "rccl", false, 1, 0);
    compare_files("tests/data/tables/han/*", "ompi-4.1-han", false, 7, 6);
    compare_files("tests/data/tables/han/*", "ompi-5.0-han", false, 6, 7);
}

/* ---- drawn tables ---- */

static void print_nccl(struct text *text)
{
    static const char *const collectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                              "allreduce"};
    static const char *const algorithms[] = {"tree", "ring", "nvls", "pat", "collnet_chain", "nvls_tree"};
    static const char *const protocols[] = {"ll", "ll128", "simple"};
    static const int numbers[] = {-1, -1, 1, 2, 4, 8, 16};
    for (int n = 1 + draw(12); n > 0; n--) {
        const unsigned long long from = draw(2) ? 0 : 1ull << draw(34), last = from + (1ull << draw(34)) - 1;
        text_printf(text, "%s,%llu,%llu,%s,%s,%d,%d,%d", draw_word(collectives, 5), from, last,
                    draw_word(algorithms, 6), draw_word(protocols, 3), draw(10) - 1, numbers[draw(7)],
                    numbers[draw(7)]);
        text_printf(text, draw(4) ? "\n" : ",%d,%d\n", draw(3) - 1, draw(3) - 1);
    }
}

static void print_han_rows(struct text *text)
{
    static const char *const components[] = {"self", "basic", "libnbc", "tuned", "sm", "adapt", "han"};
    const int n = 1 + draw(3);
    text_printf(text, "%d\n", n);
    for (int row = 0; row < n; row++)
        text_printf(text, "%llu %s\n", row ? 1ull << draw(30) : 0, draw_word(components, 7));
}

static void print_han(struct text *text)
{
    static const char *const names[] = {"bcast",     "allreduce", "9",          "barrier",
                                        "allgather", "scatter",   "allgatherv", "11"};
    const int n_collectives = 1 + draw(4);
    text_printf(text, "%d # collectives\n", n_collectives);
    for (int i = 0; i < n_collectives; i++) {
        const int n_levels = 1 + draw(3);
        text_printf(text, "%s %d\n", draw_word(names, 8), n_levels);
        for (int level = 0; level < n_levels; level++) {
            const int n_ranks = 1 + draw(3);
            text_printf(text, "%d %d\n", draw(3), n_ranks);
            for (int k = 0; k < n_ranks; k++) {
                text_printf(text, "%d ", k ? 1 + draw(20) : 1);
                print_han_rows(text);
            }
        }
    }
}

static void print_ucc_item(struct text *text)
{
    static const char *const names[] = {"allgather", "allreduce", "alltoall", "bcast"};
    static const char *const parts[] = {":host", ":cuda", ":0", ":10", ":[2-3,16]", ":[4-inf]"};
    const unsigned from = (unsigned)draw(12);
    text_printf(text, "%s", names[draw(4)]);
    if (draw(3))
        text_printf(text, ":%uk-%uk", 1u << from, 1u << (from + (unsigned)draw(4)));
    else if (draw(3) == 0)
        text_printf(text, ":0-1k,%uk-inf", 1u << from);
    if (draw(3) == 0)
        text_printf(text, "%s", draw_word(parts, 6));
    text_printf(text, ":@%d", draw(20) ? draw(3) : 4);
}

static void print_ucc_string(struct text *text)
{
    text_printf(text, "UCC_TL_UCP_TUNE=");
    for (int n = 1 + draw(5); n > 0; n--) {
        print_ucc_item(text);
        text_printf(text, n > 1 ? "#" : "\n");
    }
}

static void print_ucc(struct text *text)
{
    print_ucc_string(text);
    for (int n = draw(3); n > 0; n--) {
        text_printf(text, draw(2) ? "[team_size=%d]\n" : "[team_size=2-8 nnodes=%d]\n", 2 + draw(7));
        print_ucc_string(text);
    }
}

static int compare_drawn(void (*print)(struct text *text), const char *target)
{
    int n = 0;
    random_network_seed(20);
    for (int i = 0; i < (IS_SHORT ? 10 : 40); i++) {
        struct arena arena = {0};
        struct text text = {0};
        print(&text);
        n += compare_source(target, source_of_text("drawn", text.data, text.length, &arena));
        text_free(&text);
        arena_free(&arena);
    }
    return n;
}

static void test_drawn(void)
{
    const int n = IS_SHORT ? 10 : 40;
    CU_ASSERT_EQUAL(compare_drawn(print_nccl, "nccl"), n);
    CU_ASSERT_EQUAL(compare_drawn(print_nccl, "rccl"), n);
    CU_ASSERT_EQUAL(compare_drawn(print_ucc, "ucc"), n);
    CU_ASSERT_EQUAL(compare_drawn(print_han, "ompi-4.1-han"), n);
    CU_ASSERT_EQUAL(compare_drawn(print_han, "ompi-5.0-han"), n);
}

UNIT_PROGRAM(test_naive_tables)
{
    CU_TestInfo tests[] = {
        {"files of the tests", test_files}, {"drawn tables", test_drawn}, CU_TEST_INFO_NULL};
    return run_suite("naive_tables", tests);
}
