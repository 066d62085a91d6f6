/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc best --to TARGET: a file of rules for an MPI, as the model predicts what its algorithms take.
 * Each collective and number of ranks is a job of its own (job.h).
 *
 * Rules for a number of ranks act up to the next of the list; those of the last act on it alone, and
 * the target's own decision stands for what was not asked for.
 */
#include "base/integer.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/predict.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/table.h"
#include "reports/model_table.h"
#include "study/parallel/pool.h"
#include "tables/rules/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables with one reason not to predict the own decision of the target. */
struct unpredicted {
    const char *reason;
    bool is_everywhere; /* nothing has a time, so it stands at all sizes */
    struct text tables; /* "alltoall on 96 ranks, ..." */
};

struct best_table {
    const struct options *options;
    const struct table_loader *loader;
    struct size_list ranks;
    struct plan_rule *rules;
    size_t n_rules, capacity;
    enum simulation_model model; /* of times */
    bool is_mixed;           /* some times are by `step` instead */
    struct text report;      /* a line for each range */
    struct unpredicted *unpredicted; /* whose own decision is not, of all sizes or some */
    size_t n_unpredicted, unpredicted_capacity;
    const char *answers_before; /* as of a model_row, for the tables `replaced` */
    struct text replaced;
    bool is_apart;           /* messages have no route */
    struct progress progress;
    uint64_t n_measured; /* schedules of which is known what they put on links */
    struct arena arena;
};

/* Powers of two, and all machines with all their ranks. */
static bool default_ranks(struct best_table *best)
{
    struct options options = *best->options;
    struct job job = job_begin(&options);
    const bool is_placed = job_locate(&job);
    const uint32_t all = is_placed && job.scene.placement ? job.scene.placement->n_ranks : 0;
    best->ranks.items = arena_alloc(&best->arena, 33, sizeof *best->ranks.items);
    for (uint64_t n = 2; n < all; n *= 2)
        best->ranks.items[best->ranks.n++] = n;
    best->ranks.items[best->ranks.n++] = all;
    return job_close(&job, is_placed ? STATUS_CLEAN : STATUS_FAILED) == STATUS_CLEAN;
}

static void best_table_add_rules(struct best_table *best, uint32_t collective, struct span ranks,
                                 const struct model_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        best->rules = mem_grow(best->rules, &best->capacity, best->n_rules + 1, sizeof *best->rules);
        best->rules[best->n_rules++] = (struct plan_rule){collective, ranks, ANY_NODES,
                                                          row->ranges[i].bytes, row->ranges[i].choice};
    }
}

/* True if anything has a time, so that something can be chosen. */
static bool is_predicted(const struct model_row *row)
{
    for (size_t i = 0; i < row->n; i++)
        if (row->ranges[i].time != UINT64_MAX)
            return true;
    return false;
}

static void best_table_list(struct text *out, const char *collective, uint32_t n_ranks)
{
    text_printf(out, "%s%s on %u ranks", out->length ? ", " : "", collective, n_ranks);
}

static void add_unpredicted(struct best_table *best, const char *collective, const struct model_row *row)
{
    const char *reason = row->default_problem;
    const bool is_everywhere = !is_predicted(row);
    struct unpredicted *found = best->unpredicted;
    struct unpredicted *end = found + best->n_unpredicted;
    while (found < end && (strcmp(found->reason, reason) != 0 || found->is_everywhere != is_everywhere))
        found++;
    if (found == end) {
        best->unpredicted = mem_grow(best->unpredicted, &best->unpredicted_capacity, best->n_unpredicted + 1,
                                     sizeof *best->unpredicted);
        found = &best->unpredicted[best->n_unpredicted++];
        *found = (struct unpredicted){.reason = reason, .is_everywhere = is_everywhere};
    }
    best_table_list(&found->tables, collective, row->n_ranks);
    best->is_apart |= row->is_apart;
}

static void best_table_take_row(struct best_table *best, struct model_request *request, size_t which)
{
    const char *name = best->loader->collectives[request->collective];
    const uint64_t ranks = best->ranks.items[which];
    const uint64_t next = which + 1 < best->ranks.n ? best->ranks.items[which + 1] : ranks + 1;
    const struct model_row row = model_choose(request, &best->arena);
    if (!row.has_default)
        add_unpredicted(best, name, &row);
    if (row.answers_before) {
        best->answers_before = row.answers_before;
        best_table_list(&best->replaced, name, row.n_ranks);
    }
    for (size_t i = 0; i < row.n; i++)
        best->is_mixed |= row.ranges[i].time != UINT64_MAX && !row.ranges[i].is_played;
    model_row_text(name, &row, best->model, &best->report);
    best_table_add_rules(best, request->collective, (struct span){ranks, next - 1}, &row);
}

/* They are counted over all tables. */
static void show_measured(void *data, const char *items, uint64_t n_done, uint64_t n)
{
    struct best_table *best = data;
    (void)n_done;
    progress_show(&best->progress, items, ++best->n_measured, n);
}

static bool best_table_choose(struct best_table *best, const char *name, size_t which)
{
    struct options options = *best->options;
    enum collective collective;
    enum collective_form form;
    options.arguments[0] = name;
    options.ranks = (uint32_t)best->ranks.items[which];
    struct job job = job_begin(&options);
    struct model_request request = {best->loader, table_collective(best->loader, name),
                                    unmade_calls(&options), {.jobs = 0}};
    const bool is_done = job_open_collective(&job, &collective, &form) &&
                         predict_make_request(&job, collective, form, &request.forecast);
    if (is_done) {
        request.forecast.observer = (struct observer){show_measured, best};
        best->model = request.forecast.simulation.model;
        best_table_take_row(best, &request, which);
    }
    return job_close(&job, is_done ? STATUS_CLEAN : STATUS_FAILED) == STATUS_CLEAN;
}

static bool check_collectives(const struct options *options, const struct table_loader *loader)
{
    struct table_algorithm algorithm;
    if (options->exact_only)
        return usage_refuse(options, "no algorithm of %s is for exact operations only: leave out --exact-only",
                            loader->target);
    for (uint32_t i = 0; i < options->n_arguments; i++) {
        const char *name = options->arguments[i];
        const uint32_t collective = table_collective(loader, name);
        if (collective == loader->n_collectives || !loader->writer->algorithm(loader, collective, 0,
                                                                              &algorithm))
            return usage_refuse(options, "tables of %s have no rules for '%s'", loader->target, name);
        for (uint32_t j = 0; j < i; j++)
            if (table_collective(loader, options->arguments[j]) == collective)
                return usage_refuse(options, "'%s' is named twice", name);
    }
    return true;
}

static bool best_table_check_options(const struct options *options, const struct table_loader *loader)
{
    if (!options->topology)
        return usage_refuse(options, "times are those of a network: give --topology");
    if (options->format)
        return usage_refuse(options, "--format is that of the report: leave out --to or --format");
    if (options->n_settings || options->with.n || options->counts)
        return usage_refuse(options,
                            "rules are for the algorithms of %s: --param, --with and --counts have no effect",
                            loader->target);
    for (size_t i = 0; i < options->rank_list.n; i++)
        if (options->rank_list.items[i] < 2)
            return usage_refuse(options, "rules are for two ranks and more, not for 1");
    return check_collectives(options, loader);
}

/* Says whose own decision is not predicted, and why. */
static void say_unpredicted(const struct best_table *best)
{
    for (size_t i = 0; i < best->n_unpredicted; i++) {
        const struct unpredicted *unpredicted = &best->unpredicted[i];
        fprintf(stderr, "collc: note: what %s takes without rules is not predicted %s: %s\n  = note: %s\n",
                best->loader->target,
                unpredicted->is_everywhere ? "and stands at all sizes"
                                           : "at every size; there it stands, or the best of the others",
                unpredicted->tables.data, unpredicted->reason);
    }
    if (best->answers_before)
        fprintf(stderr, "collc: note: the rules also replace '%s', which answers without them and is not predicted: %s\n",
                best->answers_before, best->replaced.data);
    if (best->is_apart)
        fprintf(stderr, "collc: note: rules for fewer ranks are for the first hosts by name, and hold only where "
                        "all have routes\n  = help: --machines with a list of hosts that have routes to each "
                        "other leaves the others out\n");
}

/* Appends the model of the times, and what rules stand on. */
static void best_table_say_model(const struct best_table *best, struct text *out)
{
    const bool is_played = best->model != SIMULATION_step;
    text_printf(out, "times by the model %s%s%s\n", simulation_models[best->model].name,
                is_played ? "; a rule is faster by the model step, too" : "",
                is_played && best->is_mixed ? "; ~: by step alone, too large to be played" : "");
}

/* The file, and what is said of it. */
static void best_table_write_table(struct best_table *best)
{
    struct text title = {0}, file = {0}, lost = {0};
    const struct options *options = best->options;
    const bool is_file = options->output && !option_is(options->output, "-");
    best_table_say_model(best, &best->report);
    text_printf(&title,
                "written by collc best; where nothing is faster by %d %% the own decision of %s\nstands, if no setting "
                "forces an algorithm\n%s", MODEL_TOLERANCE_PERCENT, best->loader->target, best->report.data);
    plan_say_unmade(unmade_calls(options), "", &title);
    const struct table_plan plan = {best->loader, best->rules, best->n_rules, title.data};
    best->loader->writer->write(&plan, &file, &lost);
    output_text(options->output, &file);
    if (is_file && !options->quiet)
        fputs(best->report.data, stdout);
    if (is_file)
        say_launch(options, best->loader);
    if (!options->quiet)
        say_unpredicted(best);
    if (lost.length)
        fprintf(stderr, "collc: note: %s", lost.data);
    text_free(&title);
    text_free(&file);
    text_free(&lost);
}

/* The collectives in the order of the target. */
static bool choose_all(struct best_table *best)
{
    const struct options *options = best->options;
    uint32_t order[MAX_ARGUMENTS] = {0};
    for (uint32_t i = 0; i < options->n_arguments; i++)
        order[i] = table_collective(best->loader, options->arguments[i]);
    qsort(order, options->n_arguments, sizeof *order, compare_uint32);
    for (uint32_t i = 0; i < options->n_arguments; i++)
        for (size_t j = 0; j < best->ranks.n; j++)
            if (!best_table_choose(best, best->loader->collectives[order[i]], j))
                return false;
    return true;
}

int write_best_table(const struct options *options, const struct table_loader *loader)
{
    struct best_table best = {.options = options, .loader = loader, .ranks = options->rank_list};
    if (pool_number() > 0)
        return STATUS_CLEAN; /* number 0 does all of it */
    bool is_done = best_table_check_options(options, loader) && (best.ranks.n || default_ranks(&best));
    if (is_done && best.ranks.items[best.ranks.n - 1] < 2)
        is_done =
            usage_refuse(options, "rules are for two ranks and more: give --ranks or a larger topology");
    best.progress = progress_begin(options);
    is_done = is_done && choose_all(&best);
    progress_end(&best.progress);
    if (is_done)
        best_table_write_table(&best);
    free(best.rules);
    text_free(&best.report);
    text_free(&best.replaced);
    for (size_t i = 0; i < best.n_unpredicted; i++)
        text_free(&best.unpredicted[i].tables);
    free(best.unpredicted);
    arena_free(&best.arena);
    return !is_done ? STATUS_FAILED : best.is_apart ? STATUS_FINDINGS : STATUS_CLEAN;
}
