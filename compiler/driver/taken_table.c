/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See taken_table.h.
 */
#include "compiler/driver/taken_table.h"

#include "compiler/driver/budget.h"
#include "compiler/driver/combinations.h"
#include "compiler/driver/output.h"
#include "reports/taken_table.h"

#include <string.h>

enum { FIRST_SIZE = 8, LAST_SIZE = 4 << 20 }; /* by default, as of predict */

bool wants_taken_table(const struct options *options)
{
    enum collective_form form;
    const char *name = options->n_arguments ? options->arguments[0] : "";
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    return options->as && !options->counts && !options->bytes && options->sizes.n != 1 &&
           collective < N_COLLECTIVES && collective_has_data(collective);
}

bool taken_place_of(struct job *job, enum collective collective, enum collective_form form,
                    struct taken_place *place)
{
    const struct scene *scene = &job->scene;
    const struct lower_bound_request least = {collective, job->options->root, NULL, scene->topology,
                                              scene->placement};
    *place = (struct taken_place){.topology = scene->topology,
                                  .topology_spec = scene->topology_spec,
                                  .placement = scene->placement,
                                  .root = job->options->root,
                                  .collective = collective,
                                  .form = form,
                                  .least = lower_bound_of(&least),
                                  .budget = budget_of(job->options)};
    if (job->options->command != COMMAND_predict) { /* has no options of models */
        place->simulation.model = SIMULATION_step;
        if (scene->topology)
            place->simulation.settings.costs = job_costs(job);
        return true;
    }
    return job_rules(job, &place->simulation);
}

/* Options that ask for the report of one algorithm. */
static const char of_one[] =
    "routing|per-step|to|format|explain|reproducible|dump-after|map|output|drift|max-findings|fail-on"
#define LIMIT(field, option, kind, needs_network, measured, help) "|" option
#include "verify/limits.def"
    ;

static bool taken_table_check(const struct options *options)
{
    const struct option_info *useless = options_given(options, of_one, "format|output");
    if (options->n_arguments > 1 || options->topologies.n > 1)
        return usage_refuse(options, "a table of sizes is of one collective on one network");
    if (option_is(options->format, "text") || option_is(options->format, "json") || !options->format)
        return !useless || usage_refuse(options, "--%s is of one size: give --bytes SIZE", useless->name);
    return usage_refuse(options, "--format %s is of one size: give --bytes SIZE", options->format);
}

static struct taken_table taken_table_find(struct job *job, const struct table *table,
                                           struct table_query *query)
{
    const struct options *options = job->options;
    struct arena *arena = &job->scene.arena;
    const struct span usual = {FIRST_SIZE, LAST_SIZE};
    struct size_list sizes = options->sizes;
    if (options->command == COMMAND_predict) {
        if (!sizes.n)
            (void)sizes_parse("8..4MiB", &sizes, arena);
        return taken_table_of_sizes(table, query, &sizes, arena);
    }
    struct span_list spans = {arena_alloc(arena, options->spans.n + 1, sizeof usual),
                              options->spans.n ? options->spans.n : 1};
    memcpy(spans.items, options->spans.n ? options->spans.items : &usual, spans.n * sizeof usual);
    spans.items[0].first = spans.items[0].first ? spans.items[0].first : 1; /* nothing is sent of no bytes */
    return taken_table_of_spans(table, query, &spans, arena);
}

/* Returns the exit status. */
static int taken_table_status(const struct taken_table *table)
{
    size_t n_judged = 0, n_wrong = 0;
    for (size_t i = 0; i < table->n; i++) {
        n_judged += !table->rows[i].is.problem;
        n_wrong += !table->rows[i].is.problem && !table->rows[i].is.is_right;
    }
    return n_wrong ? STATUS_FINDINGS : n_judged ? STATUS_CLEAN : STATUS_FAILED;
}

static int taken_table_write(struct job *job)
{
    enum collective collective;
    enum collective_form form;
    struct table_query query;
    struct taken_place place;
    struct text text = {0};
    const struct options *options = job->options;
    if (options->command == COMMAND_predict && !options->topology)
        return usage_error(options, "times are those of a network: give --topology");
    if (!job_open_collective(job, &collective, &form) || !job_check_root(job, collective) ||
        !taken_place_of(job, collective, form, &place))
        return STATUS_FAILED;
    const struct table *table = job_table(job);
    if (!table || !job_query(job, table, collective_name(collective, form), &query))
        return STATUS_FAILED;
    struct taken_table found = taken_table_find(job, table, &query);
    taken_table_judge(&found, &place, &job->scene.arena);
    if (option_is(options->format, "json"))
        taken_table_json(&found, &place, &text);
    else if (!options->quiet)
        taken_table_text(&found, &place, &text);
    output_text(options->output, &text);
    text_free(&text);
    return taken_table_status(&found);
}

int write_taken_table(const struct options *options)
{
    struct options own = *options;
    if (!taken_table_check(options))
        return STATUS_FAILED;
    if (own.topologies.n)
        own.topology = own.topologies.items[0];
    struct job job = job_begin(&own);
    return job_close(&job, taken_table_write(&job));
}
