/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc simulate: the time of one schedule at one size, by one of the models of simulate/models.def.
 */
#include "compiler/driver/combinations.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "ir/counts.h"
#include "reports/simulation_report.h"
#include "study/beside.h"

#include <stdlib.h>

/* Returns the number of the word; 0, the default, where nothing was said. */
static int simulate_index_of(const char *value, const struct simulation_word *words)
{
    int i = 0;
    while (value && !option_is(value, words[i].name))
        i++;
    return i;
}

/* Returns the model that is asked for; where none is, the first that knows the routes. */
static enum simulation_model model_of(const struct job *job)
{
    const struct options *options = job->options;
    enum simulation_model model = 0;
    if (!options->model && job->scene.topology && job->scene.topology->is_adaptive)
        return options->command == COMMAND_simulate ? SIMULATION_flit : SIMULATION_step;
    if (!options->model)
        return SIMULATION_asap;
    while (!option_is(options->model, simulation_models[model].name))
        model++;
    return model;
}

static struct player_settings settings_of(const struct job *job)
{
    const struct options *options = job->options;
    const struct host_costs costs = job_costs(job), defaults = HOST_COSTS_DEFAULTS;
    return (struct player_settings){
        .topology = job->scene.topology,
        .placement = job->scene.placement,
        .costs = costs,
        .assumes_memory =
            !options->memory_bandwidth.is_set && costs.memory_bandwidth == defaults.memory_bandwidth,
        .assumes_host = !options->overhead.is_set && !options->gap.is_set &&
                        costs.overhead == defaults.overhead && costs.gap == defaults.gap,
        .eager_limit = options->eager.is_set ? options->eager.value : PLAYER_EAGER_LIMIT,
        .synchronisation = (enum synchronisation)simulate_index_of(options->sync, synchronisation_words),
        .order = (enum send_order)simulate_index_of(options->send_order, send_order_words),
        .seed = options->simulation_seed,
        .window = options->window,
        .max_time = options->time_limit.is_set ? options->time_limit.value : 0};
}

/* Options that have no effect on a sum of steps. */
static const char of_players[] =
    "sync|send-order|simulation-seed|window|eager|process-bandwidth|over-time";

bool job_leaves_model(const struct job *job)
{
    return !job->options->model && !options_given(job->options, of_players, "") &&
           !job_costs(job).process_bandwidth;
}

static bool take_flit_settings(const struct job *job, struct flit_settings *flit)
{
    const struct options *options = job->options;
    const struct topology *topology = job->scene.topology;
    char *problem = options->flit ? flit_read(options->flit, flit) : NULL;
    const bool is_right = !problem;
    if (problem)
        usage_refuse(options, "--flit: %s", problem);
    free(problem);
    if (!is_right || !topology || !topology->is_adaptive || !flit->channels || flit->per_destination)
        return is_right;
    const uint32_t lanes = flit_lanes(topology);
    return flit->channels > lanes ||
           usage_refuse(options,
                        "--flit: adaptive routing needs a channel for each of %u lane%s of the rule and at "
                        "least one for any message: channels=%u or more",
                        lanes, lanes > 1 ? "s" : "", lanes + 1);
}

bool job_rules(const struct job *job, struct simulation_request *request)
{
    const struct options *options = job->options;
    *request = (struct simulation_request){.flit = flit_defaults(),
                                           .model = model_of(job),
                                           .settings = settings_of(job),
                                           .has_steps = options->per_step,
                                           .has_over_time = options->over_time};
    const struct simulation_model_info *model = &simulation_models[request->model];
    if (options->beside.n && (!model->make || request->settings.synchronisation == SYNC_BARRIER))
        return usage_refuse(options, "jobs beside each other share no steps: --beside is for models that "
                                     "are played, without barriers");
    const struct option_info *useless = model->make ? NULL : options_given(options, of_players, "");
    if (useless)
        return usage_refuse(options, "--%s has no effect with --model %s", useless->name, model->name);
    if (options->flit && request->model != SIMULATION_flit)
        return usage_refuse(options, "--flit has no effect with --model %s", model->name);
    if (job->scene.topology && job->scene.topology->is_adaptive && request->model != SIMULATION_flit &&
        request->model != SIMULATION_step)
        return usage_refuse(options,
                            "the model %s knows one route for each pair of hosts: --routing adaptive goes "
                            "with --model step or flit",
                            model->name);
    if (request->model == SIMULATION_flit && request->settings.topology->is_adaptive &&
        request->settings.placement->adapters)
        return usage_refuse(options, "by the model flit adaptive routes end at any port of a host: leave out "
                                     "--rank-adapters, or take --model step");
    return take_flit_settings(job, &request->flit);
}

bool job_simulation(const struct job *job, struct simulation_request *request)
{
    const struct options *options = job->options;
    const struct schedule_header *header = &job->scene.schedule->header;
    if (!job->scene.topology)
        return usage_refuse(options, "times are those of a network: give --topology");
    if (!header->chunk_bytes && !header->counts && collective_has_data(header->collective) &&
        (!job->scene.program || !options->bytes))
        return usage_refuse(options, job->scene.program
                                         ? "times depend on the size: give --bytes, above 0"
                                         : "times depend on the size, and the schedule file has "
                                           "none: compile it with --bytes");
    if (!job_rules(job, request))
        return false;
    request->settings.chunk_bytes = schedule_unit_bytes(header);
    request->settings.max_events = SIMULATION_MAX_EVENTS;
    return true;
}

static void simulate_write_report(const struct options *options, const struct simulation *simulation)
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

static int simulate_tell(struct job *job, const struct simulation *simulation)
{
    const struct played *played = &simulation->played;
    if (played->outcome != PLAYED_BROKEN)
        simulate_write_report(job->options, simulation);
    else if (played->problem)
        usage_error(job->options, "'%s' cannot be simulated: %s", job->argument, played->problem);
    return played->outcome == PLAYED_WHOLE   ? STATUS_CLEAN
           : played->outcome == PLAYED_STUCK ? STATUS_FINDINGS
                                             : STATUS_FAILED;
}

static int simulate_job(struct job *job)
{
    struct simulation_request request;
    struct simulation simulation;
    if (!job_simulation(job, &request) || !job_is_affordable(job))
        return STATUS_FAILED;
    simulation_run(&request, job->scene.schedule, &simulation, &job->diagnostics);
    const int status = simulate_tell(job, &simulation);
    simulation_free(&simulation);
    return status;
}

/* ---- several jobs ---- */

/* True if the schedule can be played beside others with these options; else refuses it. */
static bool may_be_beside(const struct job *job, const struct job *of, bool is_other)
{
    const struct options *options = job->options;
    const struct schedule_header *header = &of->scene.schedule->header;
    if (is_other && of->scene.program)
        return usage_refuse(options, "--beside takes a schedule file, and '%s' is an algorithm; 'collc compile "
                                     "%s -t %s --bytes SIZE -o FILE' makes one of it, with --machines on some "
                                     "of the machines", of->argument, of->argument, options->topology);
    const bool has_place =
        header->machine && header->fingerprint == job->scene.topology->fingerprint;
    const char *why = is_other && !has_place
                          ? "it has no machines of this topology: compile it with the same --topology"
                      : header->counts     ? "its counts are unequal"
                      : header->n_networks ? "its messages name networks"
                      : is_other && !header->chunk_bytes && collective_has_data(header->collective)
                          ? "it has no size: compile it with --bytes"
                          : NULL;
    return !why || usage_refuse(options, "'%s' cannot be simulated beside another job: %s",
                                of->argument, why);
}

static int simulate_together(struct job *job, struct job *others, size_t n)
{
    struct simulation_request request;
    struct simulation simulation;
    int status = STATUS_FAILED;
    struct beside_job *jobs = mem_alloc(n + 1, sizeof *jobs);
    bool is_possible = job_simulation(job, &request) && may_be_beside(job, job, false);
    jobs[0] = (struct beside_job){job->argument, job->scene.schedule, job->scene.placement};
    for (size_t i = 0; i < n && is_possible; i++) {
        is_possible = may_be_beside(job, &others[i], true);
        const struct scene *other = &others[i].scene;
        jobs[i + 1] = (struct beside_job){others[i].argument, other->schedule, other->placement};
    }
    if (is_possible) {
        struct schedule *all = beside_schedule(jobs, n + 1);
        struct placement *placement = beside_placement(jobs, n + 1);
        struct simulation_request together = request;
        together.settings.placement = placement;
        beside_run(&together, jobs, n + 1, all, &simulation, &job->diagnostics);
        status = simulate_tell(job, &simulation);
        simulation_free(&simulation);
        placement_free(placement);
        all->destroy(all);
    }
    free(jobs);
    return status;
}

/* Returns the options for another job: without those of the first job that it states itself. */
static struct options options_of_other(const struct options *options, const char *file)
{
    struct options other = *options;
    other.arguments[0] = file;
    other.n_arguments = 1;
    other.ranks = other.ranks_per_machine = other.root = 0;
    other.placement = other.order = other.map = other.counts = NULL;
    other.bytes = 0;
    other.n_settings = 0;
    other.best = false;
    return other;
}

static int simulate_all(struct job *job)
{
    const struct options *options = job->options;
    const struct text_list *files = &options->beside;
    struct options *of = mem_alloc(files->n, sizeof *of);
    struct job *others = mem_alloc(files->n, sizeof *others);
    int status = STATUS_CLEAN;
    bool is_wrong = false;
    size_t n = 0;
    for (; n < files->n && status == STATUS_CLEAN; n++) {
        of[n] = options_of_other(options, files->items[n]);
        others[n] = job_begin(&of[n]);
        status = job_open(&others[n]);
        is_wrong = (status == STATUS_CLEAN && !job_is_right(&others[n])) || is_wrong;
    }
    if (status == STATUS_CLEAN)
        status = simulate_together(job, others, n);
    for (size_t i = 0; i < n; i++)
        status = job_close(&others[i], status);
    free(others);
    free(of);
    return status == STATUS_CLEAN && is_wrong ? STATUS_FINDINGS : status;
}

int command_simulate(const struct options *options)
{
    struct job job = job_begin(options);
    int status = job_open(&job);
    const bool is_wrong = status == STATUS_CLEAN && !job_is_right(&job);
    if (status == STATUS_CLEAN)
        status = options->beside.n ? simulate_all(&job) : simulate_job(&job);
    return job_close(&job, status == STATUS_CLEAN && is_wrong ? STATUS_FINDINGS : status);
}
