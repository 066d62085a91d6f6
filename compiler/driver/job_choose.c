/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --best, and the parts of a job that commands about a whole collective need. See job.h.
 */
#include "base/suggest.h"
#include "compiler/driver/job.h"
#include "ir/counts.h"
#include "reports/forecast_report.h"
#include "study/demand.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct host_costs job_costs(const struct job *job)
{
    const struct options *options = job->options;
    struct host_costs costs = forecast_costs(job->scene.topology);
    if (options->overhead.is_set)
        costs.overhead = options->overhead.value;
    if (options->gap.is_set)
        costs.gap = options->gap.value;
    if (options->memory_bandwidth.is_set)
        costs.memory_bandwidth = options->memory_bandwidth.value;
    if (options->memory_latency.is_set)
        costs.memory_latency = options->memory_latency.value;
    if (options->inside_bandwidth.is_set)
        costs.inside_bandwidth = options->inside_bandwidth.value;
    if (options->process_bandwidth.is_set)
        costs.process_bandwidth = options->process_bandwidth.value;
    return costs;
}

/* True if the argument is a file with a pattern, or standard input. */
static bool job_choose_is_file(const struct job *job)
{
    return strcmp(job->argument, "-") == 0 || access(job->argument, R_OK) == 0;
}

/* Makes the schedule of a pattern that is an algorithm. */
static bool job_choose_expand(struct job *job)
{
    struct scene *scene = &job->scene;
    return !scene->program ||
           (scene_bind(scene, 0, &job->diagnostics) && scene_expand(scene, &job->diagnostics));
}

/* Takes the demand of a pattern in a file as the counts of an alltoallv, and places its ranks. */
static bool job_open_demand(struct job *job, enum collective *collective, enum collective_form *form)
{
    struct scene *scene = &job->scene;
    const char *problem = NULL;
    if (!job_read(job))
        return false;
    const bool has_neighbors = scene->program && collective_is_of_neighbors(scene->program->collective);
    if (job->options->counts && !has_neighbors)
        return usage_refuse(job->options, "'%s' says what ranks send: --counts has no effect", job->argument);
    if (scene->program && !collective_is_said(scene->program->collective))
        return usage_refuse(job->options,
                            "'%s' is one algorithm, and this is about all of a collective: name that",
                            job->argument);
    if (!job_locate(job) || (scene->program && !job_read_neighbors(job, scene->program->collective)) ||
        (has_neighbors && !job_read_counts(job, scene->program->collective, scene->program->form)) ||
        !job_choose_expand(job))
        return false;
    const struct schedule_header *header = &scene->schedule->header;
    const uint64_t unit = schedule_unit_bytes(header);
    job->counts_blocks = unit == 0;
    job->demand = arena_printf(&scene->arena, "%s/%s", collective_name(header->collective, header->form),
                               header->algorithm);
    struct counts *of_blocks = scene->owned.counts;
    scene->counts = scene->owned.counts =
        demand_of(scene->schedule, scene->placement, job->options->command == COMMAND_bound, unit ? unit : 1,
                  &problem);
    if (!scene->counts) {
        scene->owned.counts = of_blocks;
        return problem ? usage_refuse(job->options, "what ranks have for each other is not said by '%s': %s",
                                      job->argument, problem)
                       : false;
    }
    if (!header->counts && !scene->bytes)
        scene->bytes = 1;
    scene->schedule->destroy(scene->schedule);
    scene->schedule = NULL;
    if (of_blocks)
        of_blocks->destroy(of_blocks);
    scene->has_counts = true;
    *collective = COLLECTIVE_alltoall;
    *form = FORM_alltoallv;
    return true;
}

bool job_open_collective(struct job *job, enum collective *collective, enum collective_form *form)
{
    const char *name = job->argument;
    const size_t length = strcspn(name, "/");
    *collective = collective_find_form(name, strlen(name), form);
    if (*collective == N_COLLECTIVES && name[length] &&
        collective_find_form(name, length, form) != N_COLLECTIVES)
        return usage_refuse(job->options,
                            "'%s' is one algorithm, and this is about all of a collective: did you "
                            "mean '%.*s'?",
                            name, (int)length, name);
    if (collective_find_any(name, length, form) == COLLECTIVE_pattern)
        return usage_refuse(job->options,
                            "what a pattern moves is said by its file alone, so nothing is known of "
                            "all patterns: 'collc verify FILE', 'collc predict FILE'");
    if (*collective == N_COLLECTIVES && job_choose_is_file(job))
        return job_open_demand(job, collective, form);
    if (*collective == N_COLLECTIVES)
        return usage_refuse(job->options, "'%s' is no collective: 'collc algorithms' lists them%s", name,
                            usage_did_you_mean(&job->scene.arena, collective_nearest(name, strlen(name))));
    if (collective_is_of_neighbors(*collective) && job->options->as)
        return usage_refuse(job->options, "what '%s' takes for '%s' is not known here, as for all neighbourhood "
                            "collectives: name an algorithm, such as '%s/direct'", job->options->as, name, name);
    if (collective_is_of_neighbors(*collective) && option_is(job->options->to, "library"))
        return usage_refuse(job->options, "libraries leave '%s' to the MPI", name);
    if (collective_is_of_neighbors(*collective) &&
        job->options->command != COMMAND_best) { /* what blocks need */
        job->argument = arena_printf(&job->scene.arena, "%s/direct", name);
        return job_open_demand(job, collective, form);
    }
    return job_locate(job) && job_read_neighbors(job, *collective) &&
           job_read_counts(job, *collective, *form);
}

/* Times depend on the size, so there must be one. */
static bool job_choose_check_request(const struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    if (!job->scene.topology)
        return usage_refuse(options, "times are those of a network: give --topology");
    if (!job_check_root(job, collective))
        return false;
    if (!options->bytes && !job->scene.counts && collective_has_data(collective))
        return usage_refuse(options,
                            "the best algorithm depends on the size: give --bytes, above 0");
    return true;
}

static void say_choice(const struct options *options, const struct forecast *forecast,
                       const struct choice *choice)
{
    struct text best = {0}, left_out = {0};
    choice_text(forecast, choice, &best);
    choice_left_out(forecast, &left_out);
    if (!options->quiet)
        fprintf(stderr, "collc: best: %s\n", best.data);
    if (!options->quiet && left_out.length)
        fprintf(stderr, "collc: best: left out by --param: %s\n", left_out.data);
    text_free(&best);
    text_free(&left_out);
}

/* The job outlives the forecast. Reads the algorithm with the settings of the user. */
static bool take_choice(struct job *job, const struct choice *choice)
{
    struct parameter_setting *settings =
        arena_alloc(&job->scene.arena, choice->n_settings + 1, sizeof *settings);
    for (size_t i = 0; i < choice->n_settings; i++) {
        settings[i] = choice->settings[i];
        settings[i].name = arena_strndup(&job->scene.arena, settings[i].name, strlen(settings[i].name));
    }
    job->argument = arena_strndup(&job->scene.arena, choice->name, strlen(choice->name));
    if (!job_read(job))
        return false;
    job->scene.settings = settings;
    job->scene.n_settings = choice->n_settings;
    return true;
}

static bool driver_job_choose(struct job *job, struct forecast *forecast)
{
    struct choice choice;
    if (!choose_algorithm(forecast, &choice, &job->diagnostics)) {
        if (forecast->problem)
            usage_error(job->options, "%s", forecast->problem);
        return false;
    }
    if (!take_choice(job, &choice))
        return false;
    say_choice(job->options, forecast, &choice);
    return true;
}

bool job_choose(struct job *job)
{
    enum collective collective;
    enum collective_form form;
    if (job->scene.source)
        return true;
    if (job->options->as)
        return job_take(job);
    if (!job->options->best)
        return true;
    if (!job_open_collective(job, &collective, &form) || !job_choose_check_request(job, collective))
        return false;
    uint64_t bytes = job->options->bytes;
    struct forecast_request request = {.collective = collective,
                                       .form = form,
                                       .where = job_bind_request(job),
                                       .sizes = {&bytes, 1},
                                       .exact_only = job->options->exact_only};
    if (!job_rules(job, &request.simulation))
        return false;
    struct forecast forecast = forecast_start(&request);
    const bool is_chosen = driver_job_choose(job, &forecast);
    forecast_free(&forecast);
    return is_chosen;
}
