/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See loaders.h.
 */
#include "tables/loaders.h"
#include "tables/rules/plan.h"

#include "base/codes.h"

#include <string.h>

#define TARGET(name, spelling, title) extern const struct table_loader name##_loader;
#include "tables/loaders.def"

const struct table_loader *const table_loaders[] = {
#define TARGET(name, spelling, title) &name##_loader,
#include "tables/loaders.def"
};
const size_t n_table_loaders = sizeof table_loaders / sizeof *table_loaders;

const struct table_loader *table_loader_find(const char *target)
{
    for (size_t i = 0; i < n_table_loaders; i++)
        if (strcmp(table_loaders[i]->target, target) == 0)
            return table_loaders[i];
    return NULL;
}

/* Returns the target whose settings the file has, and one of them; NULL if they are of none. */
static const struct table_loader *target_seen(const struct settings *settings, const struct setting **seen)
{
    for (size_t i = 0; i < n_table_loaders; i++)
        for (size_t j = 0; table_loaders[i]->dialect && j < settings->n; j++)
            if (table_loaders[i]->dialect->key(&settings->items[j]).length) {
                *seen = &settings->items[j];
                return table_loaders[i];
            }
    return NULL;
}

const struct table_loader *table_loader_seen(const struct source *source, struct arena *arena)
{
    const struct setting *seen;
    return target_seen(settings_read(source, arena), &seen);
}

/* Returns the library that has settings with a prefix, and is no target; NULL if none is seen. */
static const char *library_seen(const struct settings *settings, const struct setting **seen)
{
    static const struct {
        const char *prefix, *library;
    } others[] = {{"MV2_", "MVAPICH2"}, {"MVP_", "MVAPICH"}, {"VIADEV_", "MVAPICH"}, {"HCOLL_", "HCOLL"}, {"PSM2_", "PSM2"},
                  {"HCCL_", "HCCL"}, {"MPICH_", "Cray MPICH"}, {"UCX_", "UCX"}, {"FI_", "libfabric"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t j = 0; j < settings->n; j++)
            if (slice_starts(settings->items[j].name, others[i].prefix)) {
                *seen = &settings->items[j];
                return others[i].library;
            }
    return NULL;
}

static void report_nothing(const struct table_loader *loader, const struct settings *settings,
                           struct diagnostics *diagnostics)
{
    const struct setting *seen = NULL;
    const struct table_loader *other = target_seen(settings, &seen);
    const char *library = other ? NULL : library_seen(settings, &seen);
    struct diagnostic *error =
        report(diagnostics, CODE_B038, source_position(settings->source, 0, 1),
               "no setting of %s found in '%s'%s", loader->target, settings->source->path,
               loader->is_file ? ", and it is no table" : "");
    error->help = diagnostics_text(diagnostics, "settings look like %s", loader->dialect->example);
    if (!seen)
        return;
    error->position = settings_position(settings, seen->name);
    error->help =
        other ? diagnostics_text(diagnostics, "'%.*s' is a setting of '%s': --target %s",
                                 (int)seen->name.length, seen->name.text, other->target, other->target)
              : diagnostics_text(diagnostics, "'%.*s' is a setting of %s, which is no target of collc",
                                 (int)seen->name.length, seen->name.text, library);
}

struct table *table_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics)
{
    const struct settings *settings = settings_read(source, arena);
    if (loader->is_file && loader->is_file(loader, source, settings))
        return loader->read(loader, source, arena, diagnostics);
    if (settings_have(settings, loader->dialect))
        return loader->read_settings(loader, settings, arena, diagnostics);
    report_nothing(loader, settings, diagnostics);
    return NULL;
}

const struct table *table_without_file(const struct table_loader *loader, struct arena *arena)
{
    struct diagnostics none = {0};
    if (loader->writer && loader->writer->none)
        return loader->writer->none(loader, arena);
    if (!loader->decides_alone)
        return NULL;
    const struct settings *settings = settings_read(source_of_text("<none>", "", 0, arena), arena);
    struct table *table = loader->read_settings(loader, settings, arena, &none);
    if (table)
        table->source = NULL;
    diagnostics_free(&none);
    return table;
}

void table_lint(const struct table *table, struct diagnostics *findings)
{
    if (table->settings)
        settings_lint(table->settings, table->loader->dialect, findings);
    table->loader->lint(table, findings);
}
