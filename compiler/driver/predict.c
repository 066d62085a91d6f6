/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc predict: the time of one schedule. collc best: the times of all algorithms of
 * a collective, and which is the least.
 */
#include "base/codes.h"
#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/predict.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/table.h"
#include "compiler/driver/taken_table.h"
#include "compiler/driver/version.h"
#include "reports/forecast_report.h"
#include "study/parallel/pool.h"
#include "tables/loaders.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_SIZE = 8 }; /* of those that are predicted by default */

/* A barrier has no size, and --counts are sizes. */
static struct size_list choose_sizes(struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    const bool has_none = !collective_has_data(collective) || job->scene.counts;
    struct size_list sizes = {0};
    if (options->sizes.n && collective_has_data(collective))
        return options->sizes;
    (void)sizes_parse(has_none ? "0" : "8..4MiB", &sizes, &job->scene.arena);
    return sizes;
}

bool predict_make_request(struct job *job, enum collective collective, enum collective_form form,
                          struct forecast_request *request)
{
    const struct options *options = job->options;
    if (!job->scene.topology)
        return usage_refuse(options, "times are those of a network: give --topology");
    if (options->to && options->format)
        return usage_refuse(options, "--format is that of the report: leave out --to or --format");
    if (!job_check_root(job, collective))
        return false;
    *request = (struct forecast_request){.collective = collective,
                                         .form = form,
                                         .where = job_bind_request(job),
                                         .sizes = choose_sizes(job, collective),
                                         .exact_only = options->exact_only,
                                         .no_symmetry = options->no_symmetry,
                                         .jobs = options->jobs,
                                         .budget = budget_of(options)};
    return job_rules(job, &request->simulation);
}

/* Finds and prints the times; for ranges some sizes are simulated, too. */
static bool predict_find_times(const struct options *options, struct forecast *forecast, struct text *text)
{
    if (!forecast_measure(forecast))
        return false;
    if (pool_number() > 0) /* another process has the times */
        return true;
    if (option_is(options->to, "csv"))
        forecast_csv(forecast, text);
    else if (option_is(options->to, "svg"))
        forecast_svg(forecast, text);
    else if (option_is(options->to, "html"))
        forecast_html(forecast, options->per_step, "collc " COLLC_VERSION, text);
    else if (option_is(options->format, "json"))
        forecast_json(forecast, options->per_step, text);
    else
        forecast_text(forecast, options->per_step, text);
    return true;
}

static bool write_forecast(const struct options *options, struct forecast *forecast)
{
    struct text text = {0};
    if (!predict_find_times(options, forecast, &text))
        return usage_refuse(options, "%s", forecast->problem);
    if (!options->quiet || options->to || options->format)
        output_text(options->output, &text);
    text_free(&text);
    return true;
}

/* ---- one schedule ---- */

/* instead: what takes less, or NULL. */
static bool predict_is_affordable(const struct job *job, bool is_played, const char *instead)
{
    struct estimate estimate = {.n_messages = 0};
    if (job->scene.binding)
        estimate = estimate_prediction(job->scene.binding, is_played, budget_enough(job->options));
    estimate.instead = instead;
    return budget_allows(job->options, &estimate);
}

bool job_is_affordable(const struct job *job)
{
    return predict_is_affordable(job, true, NULL);
}

/* True if measuring the schedule is within the budget, and simulating it where each message has to be looked
 * at. */
static bool can_be_measured(const struct job *job, const struct forecast_request *request,
                            const struct forecast_shortcut *shortcut)
{
    if (shortcut->is_measured)
        return true;
    if (!shortcut->alike)
        return predict_is_affordable(job, forecast_is_played(request), NULL);
    const struct estimate estimate =
        estimate_alike(shortcut->alike, job->scene.topology, budget_enough(job->options));
    return budget_allows(job->options, &estimate);
}

/* True if simulating it is within the budget, too: each message, unless one rank represents all. */
static bool can_be_played(const struct job *job, struct forecast *forecast, bool is_short)
{
    return !is_short || !forecast_is_played(&forecast->request) ||
           forecast_is_uniform(forecast, forecast->request.sizes.items[0]) ||
           predict_is_affordable(job, true, "--model step, by its symmetry");
}

/* Takes the model `step` where none is asked for and playing would take long. Says so. */
static void choose_model(const struct job *job, struct forecast *forecast)
{
    const uint64_t work = job_leaves_model(job) ? forecast_work(forecast) : 0;
    const size_t n_sizes = forecast->request.sizes.n;
    if (work <= FORECAST_MOST_PLAYED)
        return;
    forecast->request.simulation.model = SIMULATION_step;
    if (!job->options->quiet)
        fprintf(stderr,
                "collc: note: %.2g messages at %zu size%s are many to play, so times are those of the model "
                "step; --model asap plays them\n",
                (double)forecast->rows[0].variants[0].loads.n_messages, n_sizes, plural(n_sizes));
}

/* The size that was said when a schedule file was made; none: the default sizes. */
static void take_header_size(const struct job *job, struct size_list *sizes)
{
    const struct schedule_header *header = &job->scene.schedule->header;
    uint64_t bytes = header->chunk_bytes;
    if (job->options->sizes.n || (!bytes && !header->counts))
        return;
    if (!mem_multiply(bytes, header->segments, &bytes))
        return;
    sizes->items[0] = bytes;
    sizes->n = 1;
}

/* Predicts what is measured. */
static bool predict_chosen(struct job *job, struct forecast *forecast, bool is_short)
{
    choose_model(job, forecast);
    return can_be_played(job, forecast, is_short) && write_forecast(job->options, forecast);
}

/* Adds the schedules of larger data, which have more segments, if these have a size. */
static bool predict_add_sizes(struct job *job, struct forecast *forecast, const struct binding *binding)
{
    const struct forecast_request *request = &forecast->request;
    const bool is_played = forecast_is_played(request);
    bool is_added = true;
    if (!forecast_sized_setting(job->scene.settings, job->scene.n_settings))
        return true;
    if (!binding && request->sizes.n > 1)
        return usage_refuse(job->options, "with --map segments of a size are those of one size: give --sizes one, or "
                                          "a number of segments");
    for (size_t i = 1; i < request->sizes.n && is_added; i++) {
        struct bind_request where = request->where;
        where.bytes = request->sizes.items[i];
        struct binding *larger = bind_program(binding->program, &where, &job->diagnostics);
        struct estimate estimate = {.n_messages = 0};
        if (larger)
            estimate = estimate_prediction(larger, is_played, budget_enough(job->options));
        is_added = larger && budget_allows(job->options, &estimate);
        if (is_added)
            is_added = forecast_add_size(forecast, larger, where.bytes, &job->diagnostics);
        else
            binding_free(larger);
    }
    return is_added;
}

/* binding: what the schedule is expanded from, or NULL. */
static bool predict_with(struct job *job, const struct forecast_request *request,
                         const struct binding *binding, struct forecast_shortcut *shortcut)
{
    const struct schedule_header *header = &job->scene.schedule->header;
    const bool is_short = shortcut->is_measured || shortcut->alike;
    struct progress progress = progress_begin(job->options);
    struct forecast forecast = forecast_start(request);
    forecast.request.observer = progress_observer(&progress);
    struct text name = {0};
    text_printf(&name, "%s/", collective_name(header->collective, header->form));
    text_append_safe(&name, header->algorithm);
    const bool is_done = forecast_add_schedule(&forecast, name.data, job->scene.schedule, binding, shortcut,
                                               &job->diagnostics) &&
                         predict_add_sizes(job, &forecast, binding) &&
                         !diagnostics_has_errors(&job->diagnostics) &&
                         predict_chosen(job, &forecast, is_short);
    text_free(&name);
    forecast_free(&forecast);
    progress_end(&progress);
    return is_done;
}

static bool predict_job(struct job *job)
{
    const struct schedule_header *header = &job->scene.schedule->header;
    struct forecast_request request;
    if (!predict_make_request(job, header->collective, header->form, &request))
        return false;
    if (header->counts && !job->scene.counts && job->options->sizes.n)
        return usage_refuse(job->options, "'%s' has counts of its own: leave out --sizes",
                            job->scene.source->path);
    const struct binding *binding = job_expanded_from(job);
    struct forecast_shortcut shortcut = {.alike = NULL};
    if (binding && !request.no_symmetry)
        shortcut = forecast_find_shortcut(binding);
    const bool is_allowed = can_be_measured(job, &request, &shortcut);
    if (is_allowed) {
        take_header_size(job, &request.sizes);
        request.least = scene_bound(&job->scene);
    }
    const bool is_done = is_allowed && predict_with(job, &request, binding, &shortcut);
    forecast_shortcut_free(&shortcut);
    return is_done;
}

int command_predict(const struct options *options)
{
    if (wants_taken_table(options))
        return write_taken_table(options);
    struct job job = job_begin(options);
    if (!job.scene.bytes && forecast_sized_setting(options->settings, options->n_settings))
        job.scene.bytes = FIRST_SIZE;
    int status = job_open(&job);
    const bool is_wrong = status == STATUS_CLEAN && !job_is_right(&job);
    if (status == STATUS_CLEAN && !predict_job(&job))
        status = STATUS_FAILED;
    return job_close(&job, status == STATUS_CLEAN && is_wrong ? STATUS_FINDINGS : status);
}

/* ---- all algorithms of a collective ---- */

/* Nothing to choose from is no answer, and no file is written; the reasons are printed all the
 * same. */
static bool refuse_all(const struct options *options, struct forecast *forecast)
{
    const bool is_file = options->output && strcmp(options->output, "-") != 0;
    struct text reasons = {0};
    if (!is_file && !options->to) {
        write_forecast(options, forecast);
    } else if (!options->quiet) {
        forecast_text(forecast, false, &reasons);
        fwrite(reasons.data, 1, reasons.length, stderr);
        text_free(&reasons);
    }
    const char *name = collective_name(forecast->request.collective, forecast->request.form);
    for (size_t i = 0; i < forecast->n_refusals; i++)
        if (forecast->refusals[i].code == CODE_L002) {
            struct text who = {0};
            placement_say_unrouted(forecast->request.where.topology, forecast->request.where.placement, &who);
            usage_error_with("--machines with a list of hosts that have routes to each other leaves the others out",
                             "no algorithm of %s works here: some hosts have no route%s", name,
                             who.data ? who.data : "");
            text_free(&who);
            return false;
        }
    return usage_refuse(options, "no algorithm of %s works here", name);
}

static bool predict_compare_all(struct job *job, struct forecast *forecast)
{
    const struct options *options = job->options;
    const bool is_added = forecast_add_algorithms(forecast, options->with.items, options->with.n,
                                                  &job->diagnostics);
    if (forecast->problem)
        return usage_refuse(options, "%s", forecast->problem);
    if (!is_added || diagnostics_has_errors(&job->diagnostics))
        return false;
    if (!forecast->n_rows && pool_number() > 0)
        return true; /* another process has them */
    return forecast->n_rows ? write_forecast(options, forecast) : refuse_all(options, forecast);
}

int command_best(const struct options *options)
{
    enum collective_form form;
    enum collective collective;
    struct forecast_request request;
    const struct table_loader *loader = options->to ? table_loader_find(options->to) : NULL;
    if (option_is(options->to, "library"))
        return write_best_library(options);
    if (loader)
        return write_best_table(options, loader);
    if (options->n_arguments > 1)
        return usage_error(options, "one collective at a time can be compared; rules for several are written with "
                           "'--to %s' or that of another MPI",
                           table_loaders[0]->target);
    if (options->rank_list.n > 1)
        return usage_error(options, "several numbers of ranks are for the rules of an MPI, such as '--to %s'",
                           table_loaders[0]->target);
    struct job job = job_begin(options);
    bool is_done = job_open_collective(&job, &collective, &form) &&
                   predict_make_request(&job, collective, form, &request);
    if (is_done) {
        request.is_shared = true;
        const struct lower_bound_request least = {collective, options->root, job.scene.counts,
                                                  job.scene.topology, job.scene.placement};
        request.least = lower_bound_of(&least);
        struct progress progress = progress_begin(options);
        request.observer = progress_observer(&progress);
        struct forecast forecast = forecast_start(&request);
        is_done = predict_compare_all(&job, &forecast);
        forecast_free(&forecast);
        progress_end(&progress);
    }
    return job_close(&job, is_done ? STATUS_CLEAN : STATUS_FAILED);
}
