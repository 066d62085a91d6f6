/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells rule files from other text, and finds the files that settings name.
 */
#include "tables/rules/table.h"

#include "base/codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool table_is_of_numbers(const struct source *source)
{
    struct slice rest = {source->text, source->length};
    size_t n_numbers = 0, n_words = 0;
    while (rest.length) {
        struct slice line = slice_take_until(&rest, '\n');
        line = slice_take_until(&line, '#');
        if (memchr(line.text, '=', line.length))
            return false; /* a setting */
        for (struct slice word; (word = slice_take_word(&line)).length;) {
            n_numbers += text_is_digit(word.text[*word.text == '-' && word.length > 1]);
            n_words += is_letter(*word.text);
        }
    }
    return n_numbers > 0 && n_numbers >= n_words;
}

const struct source *table_named_file(const struct source *source, struct slice path, struct arena *arena)
{
    struct diagnostics ignored = {0};
    const char *name = arena_strndup(arena, path.text, path.length);
    char *beside = source_beside(source, name);
    const struct source *found = NULL;
    FILE *file = *name ? fopen(beside, "r") : NULL;
    const char *at = file ? beside : name;
    if (!file)
        file = *name ? fopen(name, "r") : NULL;
    if (file) {
        fclose(file);
        found = source_read(arena_printf(arena, "%s", at), TABLE_FILE_LIMIT, arena, &ignored);
    }
    if (found && memchr(found->text, '\0', found->length))
        found = NULL;
    diagnostics_free(&ignored);
    free(beside);
    return found;
}

struct table *table_read_named(const struct table_loader *loader, const struct settings *settings,
                               const char *key, struct arena *arena, struct diagnostics *diagnostics)
{
    const struct setting *setting = settings_acting(settings, loader->dialect, slice_of(key));
    const struct source *file =
        setting && !setting->is_computed ? table_named_file(settings->source, setting->value, arena) : NULL;
    if (!setting)
        report(diagnostics, CODE_B038, source_position(settings->source, 0, 1),
               "no setting names a rule file: %s", key);
    else if (!file)
        report(diagnostics, CODE_B038, settings_position(settings, setting->value),
               "the rule file that '%s' names is not here", key);
    struct table *table = file ? loader->read(loader, file, arena, diagnostics) : NULL;
    if (table)
        table->settings = settings;
    return table;
}
