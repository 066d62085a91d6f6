/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rule tables: what readers make of a file against a loader written down a second time, plainly,
 * with the real fscanf, over files made at random; and that ranges of choices are those of single
 * sizes.
 */
#include "suite.h"
#include "tables/loaders.h"
#include "tables/ompi/ompi.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---- the loader, plainly ---- */

/* The next number as Open MPI finds it; false at the end. */
static bool plain_next(FILE *file, long *value)
{
    for (;;) {
        const int n = fscanf(file, "%li", value);
        if (n == EOF)
            return false;
        if (n == 1)
            return true;
        int c = fgetc(file);
        while (c == '#' && c != EOF) {
            do
                c = fgetc(file);
            while (c != '\n' && c != EOF);
        }
    }
}

enum { MAX_ITEMS = 4096 };

struct plain_row {
    size_t size, last;
    int algorithm, fan_out, segment, requests;
};
struct plain_entry {
    int ranks, least, most;
    long n_rows;
    struct plain_row *rows;
};
struct plain_loader {
    struct {
        long n_entries;
        struct plain_entry *entries;
    } of[OMPI_N_COLLECTIVES];
    struct plain_row rows[MAX_ITEMS];
    struct plain_entry entries[MAX_ITEMS];
    size_t n_rows, n_entries;
};

static bool take(FILE *file, long *value)
{
    return plain_next(file, value) && *value >= 0;
}

static bool plain_row(FILE *file, struct plain_row *row, unsigned version)
{
    long numbers[4];
    for (int i = 0; i < 4; i++)
        if (!take(file, &numbers[i]))
            return false;
    *row = (struct plain_row){(size_t)numbers[0], SIZE_MAX, (int)numbers[1], (int)numbers[2],
                              (int)numbers[3], 0};
    if (version < 2)
        return true;
    int c;
    while ((c = fgetc(file)) == ' ' || c == '\t')
        ;
    ungetc(c, file);
    if (!isdigit(c))
        return true;
    if (!take(file, &numbers[0]))
        return false;
    row->requests = (int)numbers[0];
    return true;
}

static bool plain_entry(FILE *file, struct plain_loader *loader, struct plain_entry *entry,
                        unsigned version)
{
    long ranks;
    if (!take(file, &ranks) || !take(file, &entry->n_rows))
        return false;
    entry->ranks = (int)ranks;
    entry->rows = loader->rows + loader->n_rows;
    for (long i = 0; i < entry->n_rows; i++) {
        if (loader->n_rows == MAX_ITEMS)
            return false; /* more than a file of the test has numbers for */
        struct plain_row *row = &loader->rows[loader->n_rows++];
        if (!plain_row(file, row, version) || (i == 0 && row->size))
            return false;
        if (i)
            row[-1].last = row->size - 1;
    }
    return true;
}

/* False: the file is dropped. `number` is 41, 50 or 60. */
static bool plain_load(FILE *file, struct plain_loader *loader, unsigned number)
{
    long n_blocks;
    unsigned version = 1;
    if (number > 41 && fscanf(file, "rule-file-version-%u", &version) != 1)
        version = 1;
    if (!take(file, &n_blocks) || n_blocks > OMPI_N_COLLECTIVES)
        return false;
    for (long i = 0; i < n_blocks; i++) {
        long id, n_entries;
        if (!take(file, &id) || id >= OMPI_N_COLLECTIVES || !take(file, &n_entries))
            return false;
        loader->of[id].n_entries = n_entries;
        loader->of[id].entries = loader->entries + loader->n_entries;
        for (long j = 0; j < n_entries; j++) {
            if (loader->n_entries == MAX_ITEMS)
                return false;
            struct plain_entry *entry = &loader->entries[loader->n_entries++];
            if (!plain_entry(file, loader, entry, version))
                return false;
            entry->least = j ? entry[-1].most + 1 : 0;
            entry->most = j == n_entries - 1 ? INT32_MAX : entry->ranks - 1;
        }
    }
    return true;
}

/* 4.1 and 5.0: the last that is not greater, before the first that is. */
static const struct plain_row *plain_search(const struct plain_loader *loader, uint32_t collective,
                                            int n_ranks, size_t key)
{
    const long n = loader->of[collective].n_entries;
    const struct plain_entry *entries = loader->of[collective].entries, *best = entries;
    if (!n)
        return NULL;
    for (long i = 0; i < n && entries[i].ranks <= n_ranks; i++)
        best = &entries[i];
    const struct plain_row *row = best->rows;
    if (!best->n_rows)
        return NULL;
    for (long i = 0; i < best->n_rows && best->rows[i].size <= key; i++)
        row = &best->rows[i];
    return row;
}

/* 6: the first whose bounds have it. */
static const struct plain_row *plain_first(const struct plain_loader *loader, uint32_t collective,
                                           int n_ranks, size_t key)
{
    for (long i = 0; i < loader->of[collective].n_entries; i++) {
        const struct plain_entry *entry = &loader->of[collective].entries[i];
        if (n_ranks < entry->least || n_ranks > entry->most)
            continue;
        for (long j = 0; j < entry->n_rows; j++)
            if (entry->rows[j].size <= key && key <= entry->rows[j].last)
                return &entry->rows[j];
        return NULL;
    }
    return NULL;
}

/* ---- files at random ---- */

static void add_number(struct text *text)
{
    static const char *const odd[] = {"010", "0x10", "00", "0x", "-1", "- 3", "+2", "08", "9223372036854775808",
                                      "4294967297", "x3", "3y", "#", "# 7 8\n", "\r\n", "0xg", "-#4\n", "4294967295"};
    if (below(40) == 0)
        text_printf(text, "%s ", odd[below(sizeof odd / sizeof *odd)]);
    else
        text_printf(text, "%u%s", below(6), below(8) ? " " : " # word\n");
}

static void add_entry(struct text *text, bool has_five)
{
    static const char *const sizes[] = {"0", "1", "4", "5", "16", "16", "4096", "65536"};
    const uint32_t n_rows = below(5);
    text_printf(text, "%u\n%u\n", below(9), n_rows);
    for (uint32_t i = 0; i < n_rows; i++) {
        const uint32_t size = i ? below(8) : 0;
        text_printf(text, "%s %u ", sizes[size], below(10));
        add_number(text);
        add_number(text);
        if (has_five && below(2))
            text_printf(text, " %u", below(9));
        text_append(text, "\n", 1);
    }
}

/* Mostly sound files, some with numbers put in or left out. */
static void add_file(struct text *text)
{
    const bool has_header = below(3) == 0;
    const uint32_t n_blocks = below(4);
    if (has_header)
        text_printf(text, "rule-file-version-%u\n", below(3));
    text_printf(text, "%u\n", below(20) ? n_blocks : below(25));
    for (uint32_t i = 0; i < n_blocks; i++) {
        const uint32_t n_entries = below(4);
        text_printf(text, "%u\n%u\n", below(3) ? below(16) : below(23), n_entries);
        for (uint32_t j = 0; j < n_entries; j++)
            add_entry(text, has_header);
        if (below(10) == 0)
            add_number(text);
    }
}

/* Bytes that make fscanf stumble. */
static void add_bytes(struct text *text)
{
    static const char bytes[] = "0123456789 \n\t#-+xXabfg\r.07";
    const uint32_t n = below(40);
    for (uint32_t i = 0; i < n; i++)
        text_append(text, &bytes[below(sizeof bytes - 1)], 1);
}

static FILE *open_text(const struct text *text)
{
    static char nothing[1];
    FILE *file = text->length ? fmemopen(text->data, text->length, "r") : fmemopen(nothing, 1, "r");
    if (file && !text->length)
        fgetc(file);
    return file;
}

/* ---- tests ---- */

static void test_numbers(void)
{
    unsigned n_numbers = 0;
    for (int i = 0; i < 20000; i++) {
        struct text text = {0};
        struct arena arena = {0};
        add_bytes(&text);
        FILE *file = open_text(&text);
        const struct source *source =
            source_of_text("t", text.data ? text.data : "", text.length, &arena);
        struct ompi_numbers numbers;
        ompi_numbers_open(&numbers, source);
        for (;;) {
            long expected = 0;
            struct ompi_number number;
            const bool has = plain_next(file, &expected), has_ours = ompi_number_next(&numbers, &number);
            CU_ASSERT_EQUAL(has, has_ours);
            if (!has || !has_ours)
                break;
            CU_ASSERT_EQUAL(expected, number.value);
            n_numbers++;
        }
        fclose(file);
        text_free(&text);
        arena_free(&arena);
    }
    CU_ASSERT(n_numbers > 50000);
}

static bool is_same_row(const struct table_rule *rule, const struct plain_row *row)
{
    return rule->algorithm == row->algorithm && rule->parameters.fan_out == (uint64_t)row->fan_out &&
           rule->parameters.segment_bytes == (uint64_t)row->segment &&
           rule->parameters.max_requests == (uint64_t)row->requests;
}

/* The rules of the table that act there: none or one, and that as the loader has it. */
static bool acts_alike(const struct table *table, const struct plain_loader *loader, uint32_t collective,
                       int n_ranks, size_t key)
{
    const struct ompi_version *version = table->loader->version;
    const struct plain_row *row =
        (version->takes_first ? plain_first : plain_search)(loader, collective, n_ranks, key);
    unsigned n_acting = 0;
    bool is_same = true;
    for (size_t i = 0; i < table->n_rules; i++) {
        const struct table_rule *rule = &table->rules[i];
        if (rule->collective != collective || !span_has(rule->ranks, (uint64_t)n_ranks) ||
            !span_has(rule->keys, key))
            continue;
        n_acting++;
        is_same &= row && is_same_row(rule, row);
    }
    return is_same && n_acting == (row != NULL);
}

static unsigned compare_everywhere(const struct table *table, const struct plain_loader *loader)
{
    static const size_t keys[] = {0, 1, 3, 4, 5, 15, 16, 17, 4095, 4096, 65535, 65536, 1 << 20};
    unsigned n_wrong = 0;
    for (uint32_t collective = 0; collective < OMPI_N_COLLECTIVES; collective++)
        for (int n_ranks = 2; n_ranks < 11; n_ranks++)
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                n_wrong += !acts_alike(table, loader, collective, n_ranks, keys[i]);
    return n_wrong;
}

static bool is_ompi(const struct table_loader *loader)
{
    return loader->read == ompi_read;
}

static void test_loaders(void)
{
    struct plain_loader *loader = mem_alloc(1, sizeof *loader);
    unsigned n_read = 0, n_ignored = 0;
    for (int i = 0; i < (IS_SHORT ? 500 : 4000); i++) {
        struct text text = {0};
        struct arena arena = {0};
        struct diagnostics diagnostics = {0};
        add_file(&text);
        const struct source *source = source_of_text("t", text.data, text.length, &arena);
        for (size_t j = 0; j < n_table_loaders; j++) {
            if (!is_ompi(table_loaders[j]))
                continue;
            const struct ompi_version *version = table_loaders[j]->version;
            if (version->has_json && ompi_json_of(source, &arena)) /* a number alone */
                continue;
            const struct table *table =
                table_loaders[j]->read(table_loaders[j], source, &arena, &diagnostics);
            FILE *file = open_text(&text);
            memset(loader, 0, sizeof *loader);
            const bool is_loaded = plain_load(file, loader, version->number);
            fclose(file);
            CU_ASSERT_EQUAL(is_loaded, !table->ignored);
            if (is_loaded && !table->ignored)
                CU_ASSERT_EQUAL(compare_everywhere(table, loader), 0);
            n_read += is_loaded;
            n_ignored += !is_loaded;
        }
        text_free(&text);
        arena_free(&arena);
    }
    CU_ASSERT(n_read > 300 && n_ignored > 300);
    free(loader);
}

static bool is_choice_of_range(const struct table *table, const struct table_query *query,
                               const struct table_range *range, uint64_t bytes, struct arena *arena)
{
    const struct table_range single = table->loader->choose(table, query, false, bytes, arena);
    return strcmp(single.algorithm, range->algorithm) == 0 && single.rule == range->rule &&
           !single.runs_as == !range->runs_as &&
           (!single.runs_as || strcmp(single.runs_as, range->runs_as) == 0);
}

/* Ranges follow each other without gaps, and what holds of a range holds of each size in it. */
static void check_ranges(const struct table *table, const struct table_query *query, struct arena *arena)
{
    enum { LAST = 2500 };
    struct table_ranges ranges = table_pick(table, query, false, (struct span){1, LAST}, arena);
    uint64_t next = 1;
    for (size_t i = 0; i < ranges.n; i++) {
        const struct table_range *range = &ranges.items[i];
        CU_ASSERT_EQUAL(range->bytes.first, next);
        next = range->bytes.last + 1;
        for (uint64_t bytes = range->bytes.first; bytes <= range->bytes.last; bytes += 1 + bytes / 64)
            CU_ASSERT(is_choice_of_range(table, query, range, bytes, arena));
        CU_ASSERT(is_choice_of_range(table, query, range, range->bytes.last, arena));
    }
    CU_ASSERT_EQUAL(next, LAST + 1);
    table_ranges_free(&ranges);
}

static void test_ranges(void)
{
    static const char words[] =
        "5  2 1 0 3  0 5 0 0  100 6 0 0  700 5 0 24   7 1 0 3  0 4 0 16  40 8 0 0  300 4 0 64 "
        "0 2 2 2 0 5 0 0 64 3 0 0 5 1 0 1 0 0   11 1 0 2 0 7 0 0 200 2 0 32  14 1 0 2 0 1 0 0 20 2 0 0";
    for (size_t i = 0; i < n_table_loaders; i++) {
        struct arena arena = {0};
        struct diagnostics diagnostics = {0};
        if (!is_ompi(table_loaders[i]))
            continue;
        const struct source *source = source_of_text("t", words, strlen(words), &arena);
        const struct table *table = table_loaders[i]->read(table_loaders[i], source, &arena, &diagnostics);
        CU_ASSERT_PTR_NULL(table->ignored);
        for (uint32_t collective = 0; collective < OMPI_N_COLLECTIVES; collective++)
            for (uint32_t n_ranks = 2; n_ranks < 10; n_ranks++)
                for (uint64_t type = 1; type <= 8; type += 7)
                    check_ranges(table, &(struct table_query){.collective = collective, .n_ranks = n_ranks,
                                                              .type_bytes = type}, &arena);
        arena_free(&arena);
    }
}

UNIT_PROGRAM(test_tables)
{
    CU_TestInfo tests[] = {{"numbers as fscanf finds them", test_numbers},
                           {"files at random, as their loaders keep them", test_loaders},
                           {"ranges are made of single sizes", test_ranges},
                           CU_TEST_INFO_NULL};
    return run_suite("tables", tests);
}
