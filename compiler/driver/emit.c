/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc emit: C for an MPI, from the program (loops) or from the schedule
 * (a table).
 */
#include "compiler/driver/certify.h"
#include "compiler/driver/map.h"
#include "compiler/driver/output.h"
#include "compiler/driver/pipeline.h"
#include "compiler/passes/stated.h"
#include "emitters/emit.h"
#include "network/clusters.h"
#include "ir/use.h"
#include "network/view.h"

#include <string.h>

static void take_grid(const struct topology *topology, struct emit_c_options *emit)
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
    const struct placement *placement = job->placement;
    struct clusters clusters;
    if (!job->topology || clusters_find(job->topology, placement, &clusters, &job->arena) ||
        clusters.n == 1)
        return;
    struct cluster_names *names = arena_alloc(&job->arena, 1, sizeof *names);
    const char **machine = arena_alloc(&job->arena, placement->n_servers, sizeof *machine);
    for (uint32_t i = 0; i < placement->n_servers; i++) {
        char *name = arena_alloc(&job->arena, NAME_BYTES, 1);
        topology_node_name(job->topology, placement->server_machine[i], name, NAME_BYTES);
        machine[i] = name;
    }
    *names = (struct cluster_names){machine, clusters.of_server, placement->n_servers};
    emit->clusters = names;
}

static bool check_settings(struct job *job)
{
    const struct options *options = job->options;
    for (size_t i = 0; i < options->n_settings; i++)
        bind_check_setting(job->program, &options->settings[i], &job->diagnostics);
    return !diagnostics_has_errors(&job->diagnostics);
}

/* Values of parameters without a number of ranks: settings, and defaults that
 * are plain numbers. */
static int take_settings(struct job *job, int64_t **values)
{
    const struct program *program = job->program;
    if (!check_settings(job))
        return STATUS_FAILED;
    *values = arena_alloc(&job->arena, program->n_variables, sizeof **values);
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind != VARIABLE_PARAMETER)
            continue;
        const struct parameter_setting *setting = job_setting(job, variable->name);
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
    if (job->binding)
        emit->parameters = job->binding->value;
    else if (job->options->n_settings)
        status = take_settings(job, &values);
    if (values)
        emit->parameters = values;
    return status;
}

/* The loops are for any ranks; where these are is asked for by the numbers they get. */
static bool is_placed_in_vain(const struct options *options)
{
    return !options->topology && !options->ranks &&
           (options->ranks_per_machine || options->placement || options->order ||
            options->machines || options->routes.n || options->failed.n);
}

static int refuse_name(const struct options *options)
{
    if (options->function)
        return usage_error(options, "'%s' is no name for the function: the emitted C has it for "
                                    "something else",
                           options->function);
    return usage_error(options, "the name of the function is one that the emitted C has for something "
                                "else: give another with --function");
}

/* Options that loops make nothing of. */
static int check_loops(const struct job *job)
{
    const struct options *options = job->options;
    if (options->counts && !options->best)
        return usage_error(options, "the counts are those of the call: --counts is for --best and "
                                    "--table");
    if (options->map && !options->topology && !options->ranks)
        return usage_error(options, "a map is for a number of ranks: give --ranks or --topology");
    if (is_placed_in_vain(options))
        return usage_error(options, "where ranks are has no effect on loops for any of them: give "
                                    "--ranks or --topology");
    if (options->root && !options->best && !options->map)
        return usage_error(options, "the root is that of the call: --root is for --best, --map and "
                                    "--table");
    return STATUS_CLEAN;
}

static int emit_program(struct job *job, struct emit_c_options *emit, struct text *text)
{
    const struct options *options = job->options;
    int status = job_check_root(job, job->program->collective);
    if (status == STATUS_CLEAN)
        status = check_loops(job);
    if (status == STATUS_CLEAN && (options->topology || options->ranks))
        status = job_prepare(job);
    if (status == STATUS_CLEAN)
        status = bind_values(job, emit);
    if (status != STATUS_CLEAN)
        return status;
    emit->map = job_rank_map(job);
    emit->description = stated_description(job->program, &job->arena);
    take_grid(job->topology, emit);
    take_clusters(job, emit);
    status = certify_program(job, emit->parameters,
                             emit->n_grid && program_kind(job->program) == KIND_GRID);
    if (status == STATUS_CLEAN && !emit_mpi_c_program(job->program, emit, text))
        status = refuse_name(options);
    return status;
}

static int emit_table(struct job *job, const struct emit_c_options *emit, struct text *text)
{
    int status = job_prepare(job);
    if (status == STATUS_CLEAN)
        status = certify_schedule(job);
    if (status == STATUS_CLEAN && !emit_mpi_c_schedule(job->schedule, emit, text))
        status = job->schedule->failed ? STATUS_FAILED : refuse_name(job->options);
    return status;
}

static int emit_job(struct job *job, const struct options *options)
{
    struct emit_c_options emit = {.function = options->function, .with_main = options->with_main};
    struct text text = {0};
    const char *refusal = options->function ? emit_c_refusal(options->function) : NULL;
    if (refusal)
        return usage_error(options, "'%s' is no name for the function: %s", options->function, refusal);
    int status = job->program && !options->table ? emit_program(job, &emit, &text)
                                                 : emit_table(job, &emit, &text);
    if (status == STATUS_CLEAN)
        output_text(options->output, &text);
    text_free(&text);
    return status;
}

int command_emit(const struct options *options)
{
    struct job job = {0};
    int status = job_start(&job, options);
    if (status == STATUS_CLEAN)
        status = emit_job(&job, options);
    return job_close(&job, status);
}
