/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rule tables, by every loader: anything is refused, ignored, or no two rules act for the same; and
 * what is not refused can be picked from and judged, and converted to what the other loader takes.
 */
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>

/* A library takes the first rule that fits, so several may be for the same calls. */
static void check_acting(const struct table *table, uint64_t ranks, uint64_t key)
{
    unsigned char n_acting[256] = {0};
    if (strcmp(table->loader->target, "library") == 0)
        return;
    for (size_t i = 0; i < table->n_rules; i++) {
        const struct table_rule *rule = &table->rules[i];
        if (rule->collective >= table->loader->n_collectives)
            abort();
        if (span_has(rule->ranks, ranks) && span_has(rule->keys, key) && n_acting[rule->collective]++)
            abort();
    }
}

static void pick_all(const struct table *table, struct arena *arena)
{
    for (uint32_t collective = 0; collective < table->loader->n_collectives; collective++) {
        const struct table_query query = {.collective = collective, .n_ranks = 5, .type_bytes = 4,
                                          .is_in_place = collective % 2};
        struct table_ranges ranges =
            table_pick(table, &query, false, (struct span){0, 1 << 20}, arena);
        if (ranges.n == 0 || ranges.items[ranges.n - 1].bytes.last != 1 << 20)
            abort();
        table_ranges_free(&ranges);
    }
}

static void convert_all(const struct table *table, struct arena *arena)
{
    for (size_t i = 0; i < n_table_loaders; i++) {
        struct diagnostics lost = {0};
        struct text text = {0};
        if (table->ignored || table->settings || !table->loader->convert ||
            table_loaders[i]->convert != table->loader->convert)
            continue;
        table->loader->convert(table, table_loaders[i], 0, &text, &lost);
        const struct source *source = source_of_text("fuzz", text.data, text.length, arena);
        const struct table *other = table_loaders[i]->read(table_loaders[i], source, arena, &lost);
        if (!other || other->ignored)
            abort();
        diagnostics_free(&lost);
        text_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1 << 14 };
    if (size > MAX_SIZE || memchr(data, '\0', size))
        return 0;
    for (size_t i = 0; i < n_table_loaders; i++) {
        struct arena arena = {0};
        struct diagnostics findings = {0};
        const struct source *source = source_of_text(size && *data == '{' ? "fuzz.json" : "fuzz",
                                                     (const char *)data, size, &arena);
        const struct table *table = table_read(table_loaders[i], source, &arena, &findings);
        if (!table && !diagnostics_has_errors(&findings))
            abort();
        if (table) {
            table_lint(table, &findings);
            pick_all(table, &arena);
            convert_all(table, &arena);
        }
        for (uint64_t ranks = 0; table && !table->ignored && ranks < 9; ranks++)
            for (uint64_t key = 0; key < 1 << 18; key = key * 2 + 1)
                check_acting(table, ranks, key);
        diagnostics_free(&findings);
        arena_free(&arena);
    }
    return 0;
}
