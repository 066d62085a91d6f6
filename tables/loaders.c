/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See loaders.h.
 */
#include "tables/loaders.h"
#include "tables/rules/plan.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

const char *table_loader_help(const char *name)
{
    static const struct {
        const char *beginning, *help;
    } strangers[] = {
        {"mvapich", "MVAPICH chooses by tables of its own, which collc does not have: no target stands for it; "
                    "'collc verify COLLECTIVE/ALGORITHM' judges the algorithm that a log or MV2_... names"},
        {"cray", "Cray MPICH chooses by tables of its own, which collc does not have: no target stands for it"},
        {"spectrum", "Spectrum MPI chooses by libcoll, which collc does not have: no target stands for it"},
        {"hpcx", "HPC-X is an Open MPI: write ompi-4.1, or ucc for what UCC chooses"},
        {"hpc-x", "HPC-X is an Open MPI: write ompi-4.1, or ucc for what UCC chooses"}};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (strncasecmp(name, strangers[i].beginning, strlen(strangers[i].beginning)) == 0)
            return strangers[i].help;
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
    for (size_t i = 0; i < settings->n && !other; i++) {
        const char *near = settings_slip(loader->dialect, &settings->items[i], &diagnostics->arena);
        if (!near)
            continue;
        error->position = settings_position(settings, settings->items[i].name);
        error->help = diagnostics_text(diagnostics, "did you mean '%s'?", near);
        return;
    }
    if (!seen)
        return;
    error->position = settings_position(settings, seen->name);
    error->help =
        other ? diagnostics_text(diagnostics, "'%.*s' is a setting of '%s': --target %s",
                                 (int)seen->name.length, seen->name.text, other->target, other->target)
              : diagnostics_text(diagnostics, "'%.*s' is a setting of %s, which is no target of collc",
                                 (int)seen->name.length, seen->name.text, library);
}

/* Returns the number of launches that can be judged in little memory. */
static size_t most_launches(const struct settings *settings, const struct settings_dialect *dialect)
{
    enum { MOST = 1024, MOST_SETTINGS = 1 << 20 };
    size_t n = 1;
    for (size_t i = 0; i < settings->n; i++)
        n += dialect->key(&settings->items[i]).length > 0;
    return n < MOST_SETTINGS / MOST ? MOST : n < MOST_SETTINGS ? MOST_SETTINGS / n : 1;
}

/* Returns the table of the last launch of a script whose settings together are `whole`; that itself if all
 * launches see the same. */
static struct table *read_launches(struct table *whole, const struct settings *settings, struct arena *arena,
                                   struct diagnostics *diagnostics)
{
    const struct table_loader *loader = whole->loader;
    const size_t most = most_launches(settings, loader->dialect);
    size_t n;
    const size_t *numbers = settings_launches(settings, loader->dialect, &n, arena);
    const size_t n_passed = n > most ? n - most : 0;
    const struct table **launches = arena_alloc(arena, n - n_passed + 1, sizeof *launches);
    struct table *last = n ? whole : NULL;
    for (size_t i = n_passed; i < n && last; i++) {
        struct diagnostics unread = {0};
        const struct settings *seen =
            settings_of_launch(settings, loader->dialect, numbers[i], i + 1 == n, arena);
        launches[i - n_passed] = last = loader->read_settings(loader, seen, arena, &unread);
        diagnostics_free(&unread);
    }
    if (n_passed)
        report(diagnostics, CODE_B041, source_position(settings->source, 0, 1),
               "of %zu launches the first %zu are not judged", n, n_passed)
            ->help = "give each part of the script a file of its own";
    if (!last)
        return whole;
    last->whole = whole;
    last->launches = launches;
    last->n_launches = n - n_passed;
    return last;
}

struct table *table_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics)
{
    const struct settings *settings = settings_read(source, arena);
    if (loader->is_file && loader->is_file(loader, source, settings))
        return loader->read(loader, source, arena, diagnostics);
    if (settings_have(settings, loader->dialect)) {
        struct table *whole = loader->read_settings(loader, settings, arena, diagnostics);
        return whole ? read_launches(whole, settings, arena, diagnostics) : NULL;
    }
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

static bool is_in_list(const struct diagnostic *finding, const struct diagnostics *list)
{
    const struct diagnostic *d = list->first;
    while (d && (d->code != finding->code || d->position.line != finding->position.line ||
                 d->position.column != finding->position.column || strcmp(d->message, finding->message) != 0))
        d = d->next;
    return d;
}

/* True if the launch of the table sees an exported setting in the line. */
static bool sees_exported(const struct table *table, struct position position)
{
    const struct settings *settings = table->settings;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        const struct source *source = setting->source ? setting->source : settings->source;
        if (!setting->command && setting->line == position.line && source == position.source)
            return true;
    }
    return false;
}

/* Reports what is wrong with each launch of a script, alike things once. An exported setting has no effect
 * only if it has none in all launches that see it. */
static void lint_launches(const struct table *table, struct diagnostics *findings)
{
    struct diagnostics *lists = mem_alloc(table->n_launches, sizeof *lists);
    for (size_t i = 0; i < table->n_launches; i++) {
        lists[i] = (struct diagnostics){.keep_per_code = UINT32_MAX};
        table->loader->lint(table->launches[i], &lists[i]);
    }
    for (size_t i = 0; i < table->n_launches; i++)
        for (const struct diagnostic *d = lists[i].first; d; d = d->next) {
            const bool is_idle = d->code == CODE_B009 || d->code == CODE_B014;
            bool is_meant = !is_in_list(d, findings);
            for (size_t j = 0; j < table->n_launches && is_meant && is_idle; j++)
                is_meant = is_in_list(d, &lists[j]) || !sees_exported(table->launches[j], d->position);
            if (is_meant)
                diagnostics_append_one(findings, d);
        }
    for (size_t i = 0; i < table->n_launches; i++)
        diagnostics_free(&lists[i]);
    free(lists);
}

void table_lint(const struct table *table, struct diagnostics *findings)
{
    const struct table *whole = table->whole ? table->whole : table;
    if (whole->settings)
        settings_lint(whole->settings, table->loader->dialect, findings);
    if (table->whole)
        lint_launches(table, findings);
    else
        table->loader->lint(table, findings);
}
