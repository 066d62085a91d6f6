/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the table of a library, by the reader that the library itself has (rules.h).
 */
#include "tables/library/library.h"

#include "base/codes.h"
#include "base/text/slice.h"
#include "ir/collective.h"

enum { LIBRARY_MOST_BYTES = 1 << 20 }; /* as of any .coll file */

struct position library_position(const struct table *table, struct collc_word word)
{
    return source_position(table->source, (size_t)(word.text - table->source->text),
                           word.length ? word.length : 1);
}

struct slice library_next_line(struct slice *rest)
{
    struct slice line = {0};
    while (rest->length && !line.length) {
        line = slice_take_until(rest, '\n');
        line = slice_trim(slice_take_until(&line, '#'));
    }
    return line;
}

struct slice library_head(const struct embedded_file *file)
{
    struct slice rest = {file->text, file->length};
    return library_next_line(&rest);
}

bool library_is_file(const struct table_loader *loader, const struct source *source,
                     const struct settings *settings)
{
    (void)loader, (void)settings;
    struct slice rest = {source->text, source->length}, line = library_next_line(&rest);
    return slice_is(slice_take_word(&line), "collc-table");
}

/* Moves the rules to the arena, and lists them as those of any table. */
static void read_take_rules(struct library_table *of, struct arena *arena)
{
    const struct table_loader *loader = of->table.loader;
    struct collc_rule *items = arena_alloc(arena, of->read.n + 1, sizeof *items);
    struct table_rule *rules = arena_alloc(arena, of->read.n + 1, sizeof *rules);
    for (size_t i = 0; i < of->read.n; i++) {
        const struct collc_rule *rule = &of->read.items[i];
        items[i] = *rule;
        rules[i] = (struct table_rule){
            .ranks = {rule->range[collc_key_ranks].first, rule->range[collc_key_ranks].last},
            .keys = {rule->range[collc_key_bytes].first, rule->range[collc_key_bytes].last},
            .line = (uint32_t)rule->line};
        while (rules[i].collective < loader->n_collectives &&
               !collc_is_word(rule->collective, loader->collectives[rules[i].collective]))
            rules[i].collective++;
    }
    free(of->read.items);
    of->read.items = items;
    of->table.rules = rules;
    of->table.n_rules = of->read.n;
}

/* Reads the site's own file, which lies beside the table. Returns NULL if it cannot be read: the linter says
 * so. */
static const struct embedded_file *read_own_file(const struct source *table, struct collc_word word,
                                                 struct arena *arena)
{
    struct diagnostics unread = {0};
    struct embedded_file *file = NULL;
    char *path = source_beside(table, arena_strndup(arena, word.text, word.length));
    const struct source *source = source_read(path, LIBRARY_MOST_BYTES, arena, &unread);
    if (source) {
        file = arena_alloc(arena, 1, sizeof *file);
        *file = (struct embedded_file){arena_printf(arena, "%s", path), source->text, source->length};
    }
    free(path);
    diagnostics_free(&unread);
    return file;
}

/* Finds the algorithm of each rule. */
static void read_find_files(struct library_table *of, struct arena *arena)
{
    const struct table_loader *loader = of->table.loader;
    of->files = arena_alloc(arena, of->read.n + 1, sizeof *of->files);
    for (size_t i = 0; i < of->read.n; i++) {
        const struct collc_word word = of->read.items[i].algorithm;
        const uint32_t collective = of->table.rules[i].collective;
        if (collc_is_file(word))
            of->files[i] = read_own_file(of->table.source, word, arena);
        else if (collective < loader->n_collectives)
            of->files[i] = library_file(loader->collectives[collective], word);
    }
}

const char *library_own_file(const struct table *table, const struct table_rule *rule)
{
    const struct library_table *of = library_table_of(table);
    const size_t i = (size_t)(rule - table->rules);
    return collc_is_file(of->read.items[i].algorithm) && of->files[i] ? of->files[i]->path : NULL;
}

struct table *library_read(const struct table_loader *loader, const struct source *source,
                           struct arena *arena, struct diagnostics *diagnostics)
{
    (void)diagnostics;
    struct library_table *of = arena_alloc(arena, 1, sizeof *of);
    struct collc_fault fault = {0};
    of->table.loader = loader;
    of->table.source = source;
    if (!collc_read_rules(source->text, source->length, &of->read, &fault)) {
        of->table.ignored =
            arena_printf(arena, "%s: '%.*s'", fault.cause, (int)fault.at.length, fault.at.text);
        of->table.ignored_at = library_position(&of->table, fault.at);
        of->remedy = fault.remedy;
        of->read.n = 0;
    }
    read_take_rules(of, arena);
    read_find_files(of, arena);
    return &of->table;
}
