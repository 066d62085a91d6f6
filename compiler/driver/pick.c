/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc pick: which algorithm the MPI of a target takes for a collective under a rule table, and
 * which row of it, or what else, decides that.
 */
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "compiler/driver/taken_table.h"
#include "reports/taken_table.h"
#include "tables/loaders.h"
#include "ir/collective.h"
#include "reports/pick.h"
#include "tables/rules/plan.h"

#include <string.h>

static enum table_level pick_level_of(const struct options *options)
{
    return option_is(options->level, "within")    ? TABLE_WITHIN
           : option_is(options->level, "between") ? TABLE_BETWEEN
                                                  : TABLE_WHOLE;
}

/* False for a barrier, which has no size; then that of options stays 0. */
static bool pick_has_data(const char *name)
{
    enum collective_form form;
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    return collective == N_COLLECTIVES || collective_has_data(collective);
}

/* Fills the query with all facts of the call but its size. STATUS_FAILED after saying what is missing. */
static int make_query(const struct options *options, const struct table_loader *loader,
                      struct table_query *query, struct arena *arena)
{
    const char *name = options->arguments[options->n_arguments - 1];
    *query = (struct table_query){.collective = table_collective(loader, name),
                                  .n_ranks = options->ranks,
                                  .n_nodes = options->nodes,
                                  .level = pick_level_of(options),
                                  .type_bytes = options->type_bytes,
                                  .is_in_place = options->in_place,
                                  .is_ordered = options->ordered,
                                  .has_insignificant = options->insignificant.is_set,
                                  .insignificant_bytes = options->insignificant.value};
    if (options->n_arguments > 1 && query->collective == loader->n_collectives &&
        table_collective(loader, options->arguments[0]) < loader->n_collectives)
        return usage_error(options, "the file comes first: collc pick %s %s", name, options->arguments[0]);
    if (query->collective == loader->n_collectives)
        return refuse_collective(options, loader, name, arena);
    if (options->level && !loader->has_levels)
        return usage_error(options, "--level has no effect with --target %s", loader->target);
    if (!options->ranks)
        return usage_error(options, "say for how many ranks: --ranks N");
    if (!options->spans.n && pick_has_data(name))
        return usage_error(options, "say for which sizes: --bytes 64,1KiB or --bytes A..B");
    if (options->nodes && options->topology)
        return usage_error(options, "the hosts of --topology tell the number of machines: leave out --nodes");
    if (options->nodes > options->ranks)
        return usage_error(options, "%u ranks are not on %u nodes", options->ranks, options->nodes);
    return STATUS_CLEAN;
}

/* Returns the sizes that are asked for; a barrier has none. */
static struct span_list pick_sizes(const struct options *options)
{
    static struct span none;
    return options->spans.n ? options->spans : (struct span_list){&none, 1};
}

static struct table_ranges pick_all(const struct table *table, const struct table_query *query,
                                    const struct span_list *bytes, bool is_elsewhere, struct arena *arena)
{
    struct table_ranges all = {0};
    for (size_t i = 0; i < bytes->n; i++) {
        const struct table_query own = table_query_of(query, bytes->items[i]);
        struct table_ranges ranges = table_pick(table, &own, is_elsewhere, bytes->items[i], arena);
        table_ranges_add(&all, &ranges);
        table_ranges_free(&ranges);
    }
    return all;
}

/* True if all ranks decide equally at all sizes. */
static bool pick_agrees(const struct table *table, const struct table_query *query,
                        const struct span_list *bytes)
{
    bool agrees = true;
    for (size_t i = 0; i < bytes->n && table->loader->agrees; i++) {
        const struct table_query own = table_query_of(query, bytes->items[i]);
        agrees = agrees && table->loader->agrees(table, &own);
    }
    return agrees;
}

/* True if the algorithm at some size depends on the number of machines, which is not known: it is another
 * one on two. */
static bool pick_goes_by_nodes(const struct table *table, const struct table_query *query,
                               const struct span_list *bytes, struct arena *arena)
{
    struct table_query on_two = *query;
    on_two.n_nodes = 2;
    if (query->n_nodes || query->n_ranks < 3)
        return false;
    struct table_ranges one = pick_all(table, query, bytes, false, arena),
                        two = pick_all(table, &on_two, bytes, false, arena);
    bool is_other = one.n != two.n;
    for (size_t i = 0; i < one.n && !is_other; i++)
        is_other = strcmp(one.items[i].algorithm, two.items[i].algorithm) != 0;
    table_ranges_free(&one);
    table_ranges_free(&two);
    return is_other;
}

static void pick_note_nodes(const struct options *options, const struct table *table,
                            const struct table_query *query, struct arena *arena)
{
    const struct span_list bytes = pick_sizes(options);
    if (!options->quiet && pick_goes_by_nodes(table, query, &bytes, arena))
        fprintf(stderr,
                "collc: note: %s may take another algorithm where the ranks are on several machines: say how "
                "many by --nodes\n",
                table->loader->target);
}

static void pick_answer(const struct options *options, const struct table *table,
                        const struct table_query *query, struct arena *arena)
{
    const struct span_list bytes = pick_sizes(options);
    struct table_ranges ranges = pick_all(table, query, &bytes, false, arena), elsewhere = {0};
    const bool agrees = pick_agrees(table, query, &bytes);
    if (!agrees)
        elsewhere = pick_all(table, query, &bytes, true, arena);
    const struct picked picked = {table, query, &ranges, agrees ? NULL : &elsewhere};
    struct text text = {0};
    (option_is(options->format, "json") ? pick_json : pick_text)(&picked, &text);
    output_text(NULL, &text);
    pick_note_nodes(options, table, query, arena);
    text_free(&text);
    table_ranges_free(&ranges);
    table_ranges_free(&elsewhere);
}

/* ---- two tables ---- */

/* Reads what --diff names: a target, a table of --target, or none. A target that decides by a file alone
 * reads that of `table`, too. NULL after a message. */
static const struct table *pick_compared(const struct options *options, const struct table *table,
                                         struct arena *arena, struct diagnostics *diagnostics)
{
    const struct table_loader *loader = table->loader;
    const struct table_loader *other = table_loader_find(options->compared);
    if (!other && !option_is(options->compared, "none"))
        return read_table(loader, options->compared, arena, diagnostics);
    if (other && !other->writer && !other->decides_alone && table->source)
        return read_table(other, table->source->path, arena, diagnostics);
    other = other ? other : loader;
    const char *with_file = arena_printf(arena, "--diff FILE --target %s", other->target);
    return is_known_without_file(other, with_file) ? table_without_file(other, arena) : NULL;
}

static void pick_write_changes(const struct options *options, const struct taken_comparison *comparison)
{
    struct text text = {0};
    (option_is(options->format, "json") ? taken_changes_json : taken_changes_text)(comparison, &text);
    output_text(NULL, &text);
    text_free(&text);
}

/* Compares the table with that of --diff; with --topology on its hosts. Returns the exit status. */
static int pick_compare(const struct table *table, struct table_query *query, struct job *job)
{
    const struct options *options = job->options;
    struct arena *arena = &job->scene.arena;
    const char *name = table->loader->collectives[query->collective];
    const struct table *other = pick_compared(options, table, arena, &job->diagnostics);
    struct taken_place place;
    enum collective_form form;
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    if (!other)
        return STATUS_FAILED;
    if (options->topology && collective == N_COLLECTIVES)
        return usage_error(options, "times of %s are not predicted: leave out --topology", name);
    if (options->topology && (!job_locate(job) || !taken_place_of(job, collective, form, &place)))
        return STATUS_FAILED;
    if (options->topology)
        query->n_nodes = job->scene.placement->n_servers;
    struct table_query theirs = *query;
    theirs.collective = table_collective(other->loader, name);
    if (theirs.collective == other->loader->n_collectives)
        return refuse_collective(options, other->loader, name, arena);
    const struct span_list bytes = pick_sizes(options);
    const struct taken_changes changes =
        taken_compare(table, query, other, &theirs, &bytes, options->topology ? &place : NULL, arena);
    const struct taken_comparison comparison = {table, other, query, &changes,
                                                options->topology ? &place : NULL};
    pick_write_changes(options, &comparison);
    if (pick_goes_by_nodes(table, query, &bytes, arena))
        pick_note_nodes(options, table, query, arena);
    else
        pick_note_nodes(options, other, &theirs, arena);
    if (table->settings && other->source && !other->settings && !options->quiet)
        fprintf(stderr, "collc: note: %s is judged alone: where %s is set, too, what it forces may come first\n",
                other->source->path, table->source->path);
    return STATUS_CLEAN;
}

int command_pick(const struct options *options)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct table_query query;
    const struct table_loader *loader = wanted_loader(options);
    const bool is_known =
        loader && (options->n_arguments > 1 ||
                   is_known_without_file(loader, arena_printf(&arena, "collc pick FILE %s --target %s",
                                                              options->arguments[0], loader->target)));
    int status = is_known ? make_query(options, loader, &query, &arena) : STATUS_FAILED;
    const struct table *table = NULL;
    if (status == STATUS_CLEAN && options->n_arguments > 1)
        table = read_table(loader, options->arguments[0], &arena, &diagnostics);
    else if (status == STATUS_CLEAN)
        table = table_without_file(loader, &arena);
    struct job job = job_begin(options);
    if (table && options->compared)
        status = job_close(&job, pick_compare(table, &query, &job));
    else if (table)
        pick_answer(options, table, &query, &arena);
    if (table && table->settings)
        settings_lint_unknown(table->settings, loader->dialect, loader->collectives[query.collective],
                              &diagnostics);
    say_diagnostics(options, &diagnostics);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return table ? status : STATUS_FAILED;
}
