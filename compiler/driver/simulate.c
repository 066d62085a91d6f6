/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc simulate: the time of one schedule at one size, by one of the models of simulate/models.def.
 */
#include "compiler/driver/combinations.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "ir/counts.h"
#include "reports/simulation_report.h"

#include <stdlib.h>

/* The number of the word; 0, the default, where nothing was said. */
static int index_of(const char *value, const struct simulation_word *words)
{
    int i = 0;
    while (value && !option_is(value, words[i].name))
        i++;
    return i;
}

static enum simulation_model model_of(const struct options *options)
{
    enum simulation_model model = 0;
    if (!options->model)
        return SIMULATION_asap;
    while (!option_is(options->model, simulation_models[model].name))
        model++;
    return model;
}

static struct player_settings settings_of(const struct job *job)
{
    const struct options *options = job->options;
    return (struct player_settings){
        .topology = job->topology,
        .placement = job->placement,
        .costs = job_costs(job),
        .eager_limit = options->eager.is_set ? options->eager.value : PLAYER_EAGER_LIMIT,
        .synchronisation = (enum synchronisation)index_of(options->sync, synchronisation_words),
        .order = (enum send_order)index_of(options->send_order, send_order_words),
        .seed = options->simulation_seed,
        .window = options->window,
        .max_time = options->time_limit.is_set ? options->time_limit.value : 0};
}

/* What is of no account to a sum of steps. */
static const char of_players[] =
    "sync|send-order|simulation-seed|window|eager|process-bandwidth|over-time";

static bool take_flit_settings(const struct options *options, struct flit_settings *flit)
{
    char *problem = options->flit ? flit_read(options->flit, flit) : NULL;
    const bool is_right = !problem;
    if (problem)
        usage_refuse(options, "--flit: %s", problem);
    free(problem);
    return is_right;
}

bool job_rules(const struct job *job, struct simulation_request *request)
{
    const struct options *options = job->options;
    *request = (struct simulation_request){.flit = flit_defaults(),
                                           .model = model_of(options),
                                           .settings = settings_of(job),
                                           .has_steps = options->per_step,
                                           .has_over_time = options->over_time};
    const struct simulation_model_info *model = &simulation_models[request->model];
    const struct option_info *useless = model->make ? NULL : options_given(options, of_players, "");
    if (useless)
        return usage_refuse(options, "--%s has no effect with --model %s", useless->name, model->name);
    if (options->flit && request->model != SIMULATION_flit)
        return usage_refuse(options, "--flit has no effect with --model %s", model->name);
    return take_flit_settings(options, &request->flit);
}

bool job_simulation(const struct job *job, struct simulation_request *request)
{
    const struct options *options = job->options;
    const struct schedule_header *header = &job->schedule->header;
    if (!job->topology)
        return usage_refuse(options, "times are those of a network: give --topology");
    if (!header->chunk_bytes && !header->counts && header->collective != COLLECTIVE_barrier &&
        (!job->program || !options->bytes))
        return usage_refuse(options, job->program
                                         ? "times depend on the size: give --bytes, above 0"
                                         : "times depend on the size, and the schedule file has "
                                           "none: compile it with --bytes");
    if (!job_rules(job, request))
        return false;
    request->settings.chunk_bytes = schedule_unit_bytes(header);
    request->settings.max_events = SIMULATION_MAX_EVENTS;
    return true;
}

static void write_report(const struct options *options, const struct simulation *simulation)
{
    struct text text = {0};
    if (option_is(options->format, "json"))
        simulation_json(simulation, &text);
    else
        simulation_text(simulation, &text);
    if (!options->quiet || options->format)
        output_text(options->output, &text);
    text_free(&text);
}

static int simulate_job(struct job *job)
{
    struct simulation_request request;
    struct simulation simulation;
    int status = STATUS_FAILED;
    if (!job_simulation(job, &request))
        return STATUS_FAILED;
    simulation_run(&request, job->schedule, &simulation, &job->diagnostics);
    const struct played *played = &simulation.played;
    if (played->outcome == PLAYED_BROKEN && played->problem) {
        usage_error(job->options, "'%s' cannot be simulated: %s", job->argument, played->problem);
    } else if (played->outcome != PLAYED_BROKEN) {
        write_report(job->options, &simulation);
        status = played->outcome == PLAYED_STUCK ? STATUS_FINDINGS : STATUS_CLEAN;
    }
    simulation_free(&simulation);
    return status;
}

int command_simulate(const struct options *options)
{
    struct job job = job_begin(options);
    int status = job_open(&job);
    const bool is_wrong = status == STATUS_CLEAN && !job_is_right(&job);
    if (status == STATUS_CLEAN)
        status = simulate_job(&job);
    return job_close(&job, status == STATUS_CLEAN && is_wrong ? STATUS_FINDINGS : status);
}
