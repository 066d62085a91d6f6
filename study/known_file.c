/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See known_file.h. What is told by a word comes before what any rows of numbers or names may be.
 */
#include "study/known_file.h"

#include "base/codes.h"
#include "base/text/xml.h"
#include "ir/collective.h"
#include "network/formats/formats.h"
#include "schedules/msccl/msccl.h"
#include "schedules/nccl/nccl.h"
#include "schedules/schedules.h"
#include "schedules/traffic/traffic.h"

#include <string.h>

enum { MOST_BYTES = 16 << 20 }; /* of a table */

static struct known_file known(enum known_kind kind, const char *help)
{
    return (struct known_file){.kind = kind, .help = help};
}

/* True if a line of the text begins with one of the words, which end in a NULL. */
static bool has_line(const struct source *source, const char *const *words)
{
    struct slice rest = {source->text, source->length};
    while (rest.length) {
        const struct slice line = slice_take_until(&rest, '\n');
        for (size_t i = 0; words[i]; i++)
            if (slice_starts(line, words[i]))
                return true;
    }
    return false;
}

/* True if a line that is no comment says "COLLECTIVE NAME", and is the first of these. */
static bool known_is_algorithm(const struct source *source)
{
    struct slice rest = {source->text, source->length};
    while (rest.length) {
        struct slice line = slice_take_until(&rest, '\n');
        enum collective_form form;
        line = slice_take_until(&line, '#');
        const struct slice word = slice_take_word(&line), name = slice_take_word(&line);
        if (word.length)
            return collective_find_any(word.text, word.length, &form) != N_COLLECTIVES && name.length &&
                   !text_is_digit(*name.text) &&
                   (!slice_trim(line).length || memchr(name.text, '(', name.length));
    }
    return false;
}

/* True if rows of numbers have as many columns as there are rows, and more than one. */
static bool is_square(const struct source *source)
{
    struct slice rest = {source->text, source->length};
    size_t n_rows = 0, n_columns = 0;
    while (rest.length) {
        struct slice line = slice_take_until(&rest, '\n');
        size_t n = 0;
        line = slice_take_until(&line, '#');
        while (slice_take_word(&line).length)
            n++;
        if (n && n_rows && n != n_columns)
            return false;
        n_columns = n ? n : n_columns;
        n_rows += n > 0;
    }
    return n_rows == n_columns && n_rows > 1;
}

static struct known_file known_as_schedule(const struct source *source, const char *what, bool names_hosts,
                                           struct arena *arena)
{
    struct known_file file =
        known(KNOWN_SCHEDULE, arena_printf(arena, "this is %s: 'collc verify %s' and the other commands for schedules "
                                                  "take it as their argument", what, source->path));
    file.names_hosts = names_hosts;
    return file;
}

static struct known_file known_as_table(const struct table *table, const char *what, struct arena *arena)
{
    const char *target = table->loader->target, *path = table->source ? table->source->path : "FILE";
    struct known_file file =
        known(KNOWN_TABLE, arena_printf(arena, "%s %s: 'collc lint %s --target %s' checks it, 'collc pick' says what it "
                                               "chooses", what, target, path, target));
    file.table = table;
    return file;
}

/* True if a row begins with a collective of the loader and ','. */
static bool has_row(const struct table_loader *loader, const struct source *source)
{
    struct slice rest = {source->text, source->length};
    while (rest.length) {
        struct slice line = slice_take_until(&rest, '\n');
        const struct slice name = slice_take_until(&line, ',');
        for (uint32_t i = 0; i < loader->n_collectives && line.length; i++)
            if (slice_is(slice_trim(name), loader->collectives[i]))
                return true;
    }
    return false;
}

/* Returns a table that a target takes without complaint, of those whose own form the file may be; or NULL. */
static const struct table *known_table(const struct source *source, const struct settings *settings,
                                       struct arena *arena)
{
    for (size_t i = 0; i < n_table_loaders; i++) {
        const struct table_loader *loader = table_loaders[i];
        struct diagnostics ignored = {0};
        if (!loader->is_file || !loader->is_file(loader, source, settings))
            continue;
        const struct table *table = loader->read(loader, source, arena, &ignored);
        const bool is_taken = table && !table->ignored && !diagnostics_has_errors(&ignored);
        const bool is_object = *source_start(source) == '{';
        const bool has_tree =
            is_object && ((strncmp(loader->target, "mpich-", 6) == 0 && strstr(source->text, "\"collective=")) ||
                          (strcmp(loader->target, "ncclx") == 0 && strstr(source->text, "\"filter\"")));
        diagnostics_free(&ignored);
        if (is_taken && (table->n_rules || has_tree || (!is_object && has_row(loader, source))))
            return table;
    }
    return NULL;
}

/* Finds tables, settings and scripts; also of an MPI that is no target. */
static struct known_file known_among_tables(const struct source *source, struct arena *arena)
{
    static const char *const launchers[] = {"#!", "#SBATCH", "#PBS", "#BSUB", "#$ -", NULL};
    const struct table_loader *seen = table_loader_seen(source, arena);
    struct diagnostics ignored = {0};
    const struct table *table = seen ? table_read(seen, source, arena, &ignored) : NULL;
    diagnostics_free(&ignored);
    if (table) {
        table = table->whole ? table->whole : table;
        return known_as_table(table, "this has settings of", arena);
    }
    table = source->length < MOST_BYTES && !is_square(source)
                ? known_table(source, settings_read(source, arena), arena)
                : NULL;
    if (table)
        return known_as_table(table, "this is a rule table of", arena);
    if (has_line(source, launchers))
        return known(KNOWN_SCRIPT, arena_printf(arena, "this is a script: 'collc lint %s --target ompi-4.1' looks for "
                                                       "settings of an MPI in it", source->path));
    return known(KNOWN_NOTHING, NULL);
}

/* Finds what a word of it tells. */
static struct known_file known_by_words(const struct source *source, struct arena *arena)
{
    static const char *const project[] = {"schedules:", "as:", NULL};
    static const char *const times[] = {"# OSU ", "# Benchmarking ", "#    Intel(R) MPI Benchmarks", "# nThread",
                                        "# Collective test starting:", "# times measured by collc", NULL};
    const char *format = topology_format_name(source);
    if (schedule_is_file(source))
        return known_as_schedule(source, "a schedule", false, arena);
    if (has_line(source, project))
        return known(KNOWN_PROJECT, arena_printf(arena, "this is a project file: 'collc check %s' checks it",
                                                 source->path));
    if (format && strcmp(format, "hosts") != 0)
        return known(KNOWN_NETWORK, arena_printf(arena, "this is a network (%s): give it with --topology, beside an "
                                                        "algorithm; 'collc topo %s' shows it", format, source->path));
    if (has_line(source, times))
        return known(KNOWN_TIMES, "these are measured times: 'collc why' explains them, 'collc fit' makes costs of them");
    if (msccl_is_file(source))
        return known_as_schedule(source, "a schedule of MSCCL", false, arena);
    if (nccl_schedule_is_file(source))
        return known_as_schedule(source, xml_root_is(source, "graphs") ? "a graph file of NCCL" : "a log of NCCL",
                                 true, arena);
    if (known_is_algorithm(source))
        return known(KNOWN_ALGORITHM, arena_printf(arena, "this is an algorithm: 'collc verify %s' and the other commands "
                                                          "for schedules take it as their argument", source->path));
    return known(KNOWN_NOTHING, NULL);
}

struct known_file known_file_of(const struct source *source, struct arena *arena)
{
    struct known_file file = known_by_words(source, arena);
    if (file.kind == KNOWN_NOTHING)
        file = known_among_tables(source, arena);
    const char *stranger = file.kind == KNOWN_NOTHING ? topology_stranger_help(source) : NULL;
    if (stranger)
        file = known(KNOWN_ROUTES, stranger);
    if (file.kind == KNOWN_NOTHING && traffic_is_file(source))
        file = known_as_schedule(source, "traffic", true, arena);
    if (file.kind == KNOWN_NOTHING && topology_format_name(source))
        file = known(KNOWN_HOSTS, "this is a list of hosts: --placement takes it, beside a network");
    return file;
}

/* True if a code is that of a reader that expects another kind of file than that. What is not well-formed
 * every reader of XML refuses. */
static bool known_is_misplaced(const struct diagnostic *d, enum known_kind kind)
{
    if (d->code == CODE_T002 && strncmp(d->message, "not well-formed", strlen("not well-formed")) == 0)
        return false;
    switch (d->code) {
    case CODE_T002:
    case CODE_T007: return kind != KNOWN_NETWORK && kind != KNOWN_ROUTES && kind != KNOWN_HOSTS;
    case CODE_E002:
    case CODE_E003:
    case CODE_S007: return kind != KNOWN_SCHEDULE && kind != KNOWN_ALGORITHM;
    case CODE_B038: return kind != KNOWN_SCRIPT;
    case CODE_A003: return kind != KNOWN_HOSTS && kind != KNOWN_ROUTES;
    case CODE_Y001: return kind != KNOWN_TIMES;
    default: return false;
    }
}

static bool is_of_language(const struct diagnostic *d)
{
    return d->code == CODE_E002 || d->code == CODE_E003;
}

/* Returns the first of the errors at the same file, by its lines. */
static struct diagnostic *known_first_at(struct diagnostic *found)
{
    struct diagnostic *first = found;
    for (struct diagnostic *d = found->next; d; d = d->next) {
        const struct position *at = &d->position, *least = &first->position;
        if (at->source == least->source && is_of_language(d) &&
            (at->line < least->line || (at->line == least->line && at->column < least->column)))
            first = d;
    }
    return first;
}

void known_file_help(struct diagnostics *diagnostics)
{
    const struct source *before = NULL;
    for (struct diagnostic *d = diagnostics->first; d; d = d->next) {
        const struct source *source = d->position.source;
        if (!source || source == before || !source->length || !known_is_misplaced(d, KNOWN_NOTHING))
            continue;
        before = source;
        const char *ending = strrchr(source->path, '.');
        if (*source->path == '<' || (is_of_language(d) && ending && strcmp(ending, ".coll") == 0))
            continue;
        const struct known_file file = known_file_of(source, &diagnostics->arena);
        const bool is_told = d->code == CODE_B038 && file.table && file.table->settings; /* of which target */
        if (file.kind != KNOWN_NOTHING && known_is_misplaced(d, file.kind) && !is_told)
            known_first_at(d)->help = file.help;
    }
}
