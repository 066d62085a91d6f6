/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc emit: a target (emitters/targets.def), from the program, which is for any number of ranks, or
 * from the schedule. Nothing is written of what is found wrong.
 */
#include "base/codes.h"
#include "compiler/driver/emit_library.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/targets.h"
#include "compiler/passes/stated.h"
#include "ir/use.h"
#include "mapping/mapping.h"
#include "network/placement/clusters.h"
#include "network/view.h"
#include "study/certify.h"
#include "study/facts.h"
#include "study/loads.h"

#include <stdio.h>
#include <string.h>

static void emit_take_grid(const struct topology *topology, struct emit_c_options *emit)
{
    const struct topology *grid = topology ? topology_grid(topology) : NULL;
    if (!grid)
        return;
    emit->n_grid = view_n_axes(grid);
    for (uint32_t i = 0; i < emit->n_grid; i++)
        emit->grid[i] = view_extent(grid, i);
}

/* The machines with ranks and their clusters, if there are several. */
static void take_clusters(struct job *job, struct emit_c_options *emit)
{
    enum { NAME_BYTES = 256 };
    const struct placement *placement = job->scene.placement;
    struct clusters clusters;
    if (!job->scene.topology || clusters_find(job->scene.topology, placement, &clusters, &job->scene.arena) ||
        clusters.n == 1)
        return;
    struct cluster_names *names = arena_alloc(&job->scene.arena, 1, sizeof *names);
    const char **machine = arena_alloc(&job->scene.arena, placement->n_servers, sizeof *machine);
    for (uint32_t i = 0; i < placement->n_servers; i++) {
        char *name = arena_alloc(&job->scene.arena, NAME_BYTES, 1);
        topology_node_name(job->scene.topology, placement->server_machine[i], name, NAME_BYTES);
        machine[i] = name;
    }
    *names = (struct cluster_names){machine, clusters.of_server, placement->n_servers};
    emit->clusters = names;
}

/* Returns the map as emitted C has it; NULL if there is none or it is the identity. */
static const struct rank_map *emit_take_map(struct job *job)
{
    if (!job->map || mapping_is_identity(job->map, job->scene.placement->n_ranks))
        return NULL;
    struct rank_map *map = arena_alloc(&job->scene.arena, 1, sizeof *map);
    *map = (struct rank_map){job->map, job->scene.placement->n_ranks,
                             job_virtual_root(job, job->options->root)};
    return map;
}

/* Verifies the schedule and prints the findings; nothing is written if there are any. Returns a status. */
static int verify_first(struct job *job, const struct certify_request *request)
{
    struct certificate certificate = certify(request);
    const struct text *notes = &certificate.notes;
    int status = certificate.result == CERTIFIED_RIGHT ? STATUS_CLEAN : STATUS_FAILED;
    for (size_t at = 0, n; at < notes->length && !job->options->quiet; at += n + 1) {
        n = strcspn(notes->data + at, "\n");
        fprintf(stderr, "collc: note: %.*s\n", (int)n, notes->data + at);
    }
    if (certificate.result == CERTIFIED_WRONG) {
        say_diagnostics(job->options, &certificate.findings);
        usage_error_with(certificate.help, "nothing is written of %s: it is wrong",
                         certificate.where.data);
        status = certificate.has_steps ? STATUS_FINDINGS : STATUS_FAILED;
    }
    certificate_free(&certificate);
    return status;
}

static bool emit_check_settings(struct job *job)
{
    const struct options *options = job->options;
    for (size_t i = 0; i < options->n_settings; i++)
        if (bind_check_setting(job->scene.program, &options->settings[i], &job->diagnostics) &&
            options->settings[i].bytes)
            report(&job->diagnostics, CODE_E003, options->settings[i].position,
                   "'%s' has a size, but loops of C have a number of segments", options->settings[i].name)
                ->help = "give a number, and the least size to the compiler: -DCOLLC_LEAST_SEGMENT=BYTES";
    return !diagnostics_has_errors(&job->diagnostics);
}

/* Values of parameters without a number of ranks: settings, and defaults that
 * are plain numbers. */
static int emit_take_settings(struct job *job, int64_t **values)
{
    const struct program *program = job->scene.program;
    const struct bind_request where = job_bind_request(job);
    if (!emit_check_settings(job))
        return STATUS_FAILED;
    *values = arena_alloc(&job->scene.arena, program->n_variables, sizeof **values);
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind != VARIABLE_PARAMETER)
            continue;
        const struct parameter_setting *setting = facts_setting(&where, variable->name);
        if (!setting && variable->value->kind != EXPR_INTEGER)
            return usage_error(job->options,
                               "the default of parameter '%s' depends on the ranks: "
                               "give --param %s=VALUE, --ranks or --topology",
                               variable->name, variable->name);
        (*values)[i] = setting ? setting->value : variable->value->integer;
    }
    return STATUS_CLEAN;
}

/* Values that a file of C for any number of ranks has. */
static int bind_values(struct job *job, struct emit_c_options *emit)
{
    int64_t *values = NULL;
    int status = STATUS_CLEAN;
    if (job->scene.binding)
        emit->parameters = job->scene.binding->value;
    else if (job->options->n_settings)
        status = emit_take_settings(job, &values);
    if (values)
        emit->parameters = values;
    return status;
}

/* Loops are for any number of ranks and ask at run time on which machines these are. */
static bool is_placed_in_vain(const struct options *options)
{
    return !options->topology && !options->ranks &&
           (options->ranks_per_machine || options->placement || options->order ||
            options->machines || options->routes.n || options->failed.n);
}

/* Options that loops make nothing of. */
static int check_loops(const struct job *job)
{
    const struct options *options = job->options;
    if (options->counts && !options->best && !options->as)
        return usage_error(options, "the counts are those of the call: --counts is for --best and "
                                    "--table");
    if (options->map && !options->topology && !options->ranks)
        return usage_error(options, "a map is for a number of ranks: give --ranks or --topology");
    if (is_placed_in_vain(options))
        return usage_error(options, "where ranks are has no effect on loops for any of them: give "
                                    "--ranks or --topology");
    if (options->root && !options->best && !options->as && !options->map)
        return usage_error(options, "the root is that of the call: --root is for --best, --map and "
                                    "--table");
    return STATUS_CLEAN;
}

/* Verifies the program for small numbers of ranks and for those of the job. */
static int prepare_program(struct job *job, struct emit_request *emit)
{
    const struct options *options = job->options;
    struct emit_c_options *c = &emit->c;
    int status = job_check_root(job, job->scene.program->collective) ? check_loops(job) : STATUS_FAILED;
    if (status == STATUS_CLEAN && (options->topology || options->ranks))
        status = job_open(job);
    if (status == STATUS_CLEAN)
        status = bind_values(job, c);
    if (status != STATUS_CLEAN)
        return status;
    emit->program = job->scene.program;
    c->map = emit_take_map(job);
    if (c->map && collective_is_of_neighbors(emit->program->collective))
        return usage_error(options,
                           "neighbours are those of the communicator: renumber its ranks, not those of "
                           "the algorithm");
    c->description = stated_description(job->scene.program, &job->scene.arena);
    if (!collective_is_of_neighbors(job->scene.program->collective)) /* their grid is the communicator's */
        emit_take_grid(job->scene.topology, c);
    take_clusters(job, c);
    const struct certify_request request = {
        .program = job->scene.program,
        .parameters = c->parameters,
        .schedule = job->scene.schedule,
        .topology = job->scene.topology,
        .placement = job->scene.placement,
        .is_untested = !job_is_proved(job),
        .is_for_its_grid = c->n_grid && program_kind(job->scene.program) == KIND_GRID};
    return verify_first(job, &request);
}

/* A send can say `via NETWORK`; which one a message takes is the MPI's to decide. */
static void note_networks(const struct job *job)
{
    const struct program *program = job->scene.program;
    if (job->options->quiet || (program && !program->n_networks) ||
        (!program && !loads_choose_networks(job->scene.schedule, job->scene.topology, job->scene.placement)))
        return;
    fprintf(stderr, "collc: note: '%s' names networks with 'via': which one a message takes is left to "
                    "the MPI (docs/networks.md)\n", job->argument);
}

/* A schedule file can have times; an MPI program, for one, runs when it can. */
static void note_times(const struct job *job, const struct emit_target *target)
{
    if (!job->options->quiet && !job->scene.program && job->scene.schedule->header.is_timed &&
        !(target->takes & TAKES_TIMES))
        fprintf(stderr, "collc: note: the times of '%s' are left out: its ranks run when they can\n",
                job->argument);
}

/* Verifies the schedule. */
static int prepare_schedule(struct job *job)
{
    const int status = job_open(job);
    const struct certify_request request = {
        .schedule = job->scene.schedule, .topology = job->scene.topology, .placement = job->scene.placement};
    return status == STATUS_CLEAN ? verify_first(job, &request) : status;
}

/* Checks and prepares what the target is made from. Returns a status. */
static int emit_prepare(struct job *job, const struct emit_target *target, struct emit_request *emit)
{
    const struct options *options = job->options;
    const bool is_program = job->scene.program && (target->takes & TAKES_PROGRAM) && !options->table;
    if (!is_program && (target->takes & TAKES_PROGRAM) &&
        collective_is_of_neighbors(job->scene.program ? job->scene.program->collective
                                                      : job->scene.schedule->header.collective))
        return usage_error(options,
                           "neighbours are those of the communicator, and a table has its own: emit an "
                           "algorithm, without --table");
    if (!is_program && !(target->takes & TAKES_SCHEDULE))
        return usage_error(options, "--to %s is made from an algorithm, and '%s' is a schedule file",
                           target->name, job->argument);
    const int status = is_program ? prepare_program(job, emit) : prepare_schedule(job);
    if (status == STATUS_CLEAN)
        note_networks(job);
    if (status == STATUS_CLEAN && !is_program)
        note_times(job, target);
    emit->schedule = job->scene.schedule;
    emit->topology = job->scene.topology;
    emit->placement = job->scene.placement;
    if (status == STATUS_CLEAN && (target->takes & TAKES_TOPOLOGY) && !job->scene.topology)
        return usage_error(options, "--to %s is of a network: give --topology", target->name);
    return status;
}

static int write_target(struct job *job, const struct emit_target *target,
                        const struct emit_request *emit)
{
    struct text text = {0};
    const char *problem = target->write(emit, &text);
    if (!problem)
        output_text(job->options->output, &text);
    else if (*problem)
        usage_error(job->options, "%s", problem);
    text_free(&text);
    return problem ? STATUS_FAILED : STATUS_CLEAN;
}

static int emit_job(struct job *job)
{
    const struct options *options = job->options;
    const struct emit_target *target = emit_target_of(options);
    struct emit_request emit = {
        .c = {.function = options->function, .with_main = options->with_main},
        .arena = &job->scene.arena};
    const char *refusal = options->function ? emit_c_refusal(options->function) : NULL;
    if (refusal)
        return usage_error(options, "'%s' is no name for the function: %s", options->function, refusal);
    const int status = emit_prepare(job, target, &emit);
    return status == STATUS_CLEAN ? write_target(job, target, &emit) : status;
}

int command_emit(const struct options *options)
{
    if (emit_target_of(options)->takes & TAKES_TABLE)
        return emit_library_job(options);
    struct job job = job_begin(options);
    const bool is_read = job_choose(&job) && job_read(&job);
    return job_close(&job, is_read ? emit_job(&job) : STATUS_FAILED);
}
