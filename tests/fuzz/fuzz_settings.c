/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings in any text: names are names, values stand where their line says, the same text reads the same
 * twice, and no target's reader stumbles over what it is given.
 */
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>

static void check_setting(const struct settings *settings, const struct setting *setting)
{
    const struct source *source = settings->source;
    const char *end = source->text + source->length;
    if (setting->name.length == 0 || setting->line == 0 || setting->form > SETTING_GMCA)
        abort();
    if (setting->written.text < source->text || setting->written.text + setting->written.length > end)
        abort();
    if (settings_position(settings, setting->written).line != setting->line)
        abort();
    (void)settings_position(settings, setting->value);
}

static void read_as_all(const struct source *source, const struct settings *settings, struct arena *arena)
{
    for (size_t i = 0; i < n_table_loaders; i++) {
        struct diagnostics findings = {0};
        const struct table_loader *loader = table_loaders[i];
        settings_lint(settings, loader->dialect, &findings);
        const struct table *table = table_read(loader, source, arena, &findings);
        if (!table && !diagnostics_has_errors(&findings))
            abort();
        if (table)
            table_lint(table, &findings);
        diagnostics_free(&findings);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1 << 13 };
    struct arena arena = {0};
    if (size > MAX_SIZE || memchr(data, '\0', size))
        return 0;
    const struct source *source = source_of_text("fuzz", (const char *)data, size, &arena);
    const struct settings *settings = settings_read(source, &arena), *again = settings_read(source, &arena);
    if (settings->n != again->n)
        abort();
    for (size_t i = 0; i < settings->n; i++) {
        check_setting(settings, &settings->items[i]);
        if (slice_compare(settings->items[i].value, again->items[i].value) != 0)
            abort();
    }
    read_as_all(source, settings, &arena);
    arena_free(&arena);
    return 0;
}
