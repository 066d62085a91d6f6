/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc synth: makes a schedule for the network at hand.
 */
#include "base/codes.h"
#include "bound/routes.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/progress.h"
#include "reports/synthesis_report.h"
#include "study/forecast/choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct watch {
    struct progress progress;
    double limit; /* seconds */
};

static bool watch_search(void *data, const struct synth_progress *progress)
{
    struct watch *watch = data;
    progress_show(&watch->progress, "pieces", progress->n_done, progress->n);
    return progress_seconds(&watch->progress) < watch->limit;
}

static int synth_check_request(struct job *job, enum collective collective, enum collective_form form)
{
    const struct options *options = job->options;
    const char *output = options->output;
    if (!job->scene.topology)
        return usage_error(options, "a schedule is made for a network: give --topology");
    if (form != FORM_EQUAL && !job->scene.counts)
        return usage_error(options, "the schedule of %s is made for its counts: give --counts",
                           collective_name(collective, form));
    if (options->time_limit.is_set && options->time_limit.value == 0)
        return usage_error(options, "--time is zero: nothing can be made in that");
    if ((options->synth_steps || options->synth_chunks) && !option_is(options->method, "exact"))
        return usage_error(options, "--steps and --chunks are of one method: give --method exact");
    if (options->explain && output && output[0] == '-' && !output[1])
        return usage_error(options, "--explain and the schedule would both go to standard output: name "
                                    "a file with --output, or leave one out");
    return job_check_root(job, collective) ? STATUS_CLEAN : STATUS_FAILED;
}

/* Servers that cannot reach each other: relays that forward nothing are not for us to find. */
static int check_routes(struct job *job, const struct bound_request *what)
{
    uint32_t machine[2];
    if (!bound_unreachable(what, machine))
        return STATUS_CLEAN;
    job_report_apart(job, machine);
    return STATUS_FAILED;
}

/* Nothing was made: why, by each method. */
static int say_problems(const struct synthesis *synthesis, const char *name)
{
    struct text text = {0};
    for (size_t i = 0; i < synthesis->n_tries; i++)
        text_printf(&text, "%s%s: %s", i ? "; " : "", synthesis->tries[i].method,
                    synthesis->tries[i].problem.data);
    usage_error_with("docs/synthesis.md says what each method is for; 'collc best' compares the built-in "
                     "algorithms",
                     "no method makes %s here: %s", name, text.data);
    text_free(&text);
    return STATUS_FAILED;
}

static void synth_print_report(const struct options *options, const struct synthesis_request *request,
                               const struct synthesis *synthesis)
{
    struct text text = {0};
    (option_is(options->format, "json") ? synthesis_json : synthesis_text)(request, synthesis, &text);
    output_text(NULL, &text);
    text_free(&text);
}

static void synth_write_schedule(const struct job *job, struct schedule *schedule)
{
    struct output output = output_open(job->options->output);
    schedule->header.topology = job->options->topology;
    schedule_print(schedule, output_write, &output);
    output_commit(&output);
}

static int synth_write_all(struct job *job, const struct synthesis_request *request,
                           struct synthesis *synthesis, const char *name)
{
    const struct options *options = job->options;
    if (diagnostics_has_errors(&synthesis->findings)) {
        say_diagnostics(options, &synthesis->findings);
        return usage_error_with("nothing is written; this is a mistake of collc: please report it",
                                "the schedule that was made of %s is wrong", name);
    }
    if (!synthesis->schedule)
        return say_problems(synthesis, name);
    if (options->output || !options->explain)
        synth_write_schedule(job, synthesis->schedule);
    if (options->explain)
        synth_print_report(options, request, synthesis);
    return STATUS_CLEAN;
}

/* The best built-in algorithm, for the same size and by the same model. */
static void synth_add_builtin(struct job *job, const struct synthesis_request *request,
                              struct synthesis *synthesis)
{
    struct choice choice;
    struct diagnostics diagnostics = {0};
    uint64_t bytes = request->of.what.counts ? 0 : synthesis->bytes;
    const struct forecast_request of = {
        .collective = request->of.what.collective,
        .form = request->of.form,
        .where = job_bind_request(job),
        .simulation = request->simulation,
        .sizes = {&bytes, 1}};
    struct forecast forecast = forecast_start(&of);
    if (choose_algorithm(&forecast, &choice, &diagnostics)) {
        synthesis->builtin = arena_strndup(&job->scene.arena, choice.name, strlen(choice.name));
        synthesis->builtin_time = forecast_cell(&forecast, choice.row, 0)->time;
    }
    forecast_free(&forecast);
    diagnostics_free(&diagnostics);
}

/* Takes the model by which methods are compared: `step`, unless another one is named. */
static bool take_model(const struct job *job, struct simulation_request *simulation)
{
    if (!job_rules(job, simulation))
        return false;
    if (!job->options->model)
        simulation->model = SIMULATION_step;
    simulation->settings.max_time = 0; /* --time is how long is searched */
    return true;
}

static int synth_make(struct job *job, enum collective collective, enum collective_form form)
{
    const struct options *options = job->options;
    const struct scene *scene = &job->scene;
    struct watch watch = {progress_begin(options),
                          options->time_limit.is_set ? (double)options->time_limit.value * 1e-9 : 60};
    struct synthesis_request request = {
        .of = {.what = {collective, options->root, scene->topology, scene->placement, scene->counts},
               .form = form,
               .bytes = options->bytes,
               .seed = options->seed,
               .max_link_load = options->most_on_link,
               .steps = options->synth_steps,
               .chunks = options->synth_chunks,
               .watch = watch_search,
               .watch_data = &watch},
        .method = options->method,
        .is_explained = options->explain,
        .solver = {.seconds = 10}};
    if (!take_model(job, &request.simulation) || check_routes(job, &request.of.what) != STATUS_CLEAN)
        return STATUS_FAILED;
    struct synthesis synthesis = synthesis_make(&request);
    progress_end(&watch.progress);
    if (synthesis.schedule && options->explain)
        synth_add_builtin(job, &request, &synthesis);
    const int status = synth_write_all(job, &request, &synthesis, collective_name(collective, form));
    synthesis_free(&synthesis);
    return status;
}

int command_synth(const struct options *options)
{
    enum collective collective;
    enum collective_form form;
    struct job job = job_begin(options);
    int status = job_open_collective(&job, &collective, &form) ? synth_check_request(&job, collective, form)
                                                               : STATUS_FAILED;
    if (status == STATUS_CLEAN)
        status = synth_make(&job, collective, form);
    return job_close(&job, status);
}
