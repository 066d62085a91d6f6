/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline. See pipeline.h; job_prepare is the list of its steps.
 */
#include "compiler/driver/pipeline.h"

#include "compiler/driver/alternatives.h"
#include "compiler/driver/builtin.h"
#include "compiler/driver/choose.h"
#include "compiler/driver/map.h"
#include "compiler/language/language.h"
#include "compiler/passes/counts.h"
#include "network/formats/formats.h"
#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char schedule_magic[] = "collc-schedule";

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool wants_colour(const struct options *options, int descriptor)
{
    if (options->colour && strcmp(options->colour, "auto") != 0)
        return is_choice(options->colour, "always");
    const char *no_color = getenv("NO_COLOR");
    return isatty(descriptor) && !(no_color && *no_color);
}

static void say(const struct job *job, const char *what, const char *subject)
{
    if (job->options->verbose)
        fprintf(stderr, "collc: %s '%s'\n", what, subject);
}

/* What may have been meant by an argument that is no file. */
static const char *help_with_argument(struct job *job, const char *argument)
{
    enum collective_form form;
    if (collective_find_form(argument, strlen(argument), &form) < N_COLLECTIVES)
        return diagnostics_text(&job->diagnostics,
                                "that is a collective: name an algorithm, %s/NAME; 'collc algorithms %s' "
                                "lists them", argument, argument);
    const char *namesakes = builtin_namesakes(argument, &job->arena);
    if (namesakes)
        return diagnostics_text(&job->diagnostics, "name the collective, too: %s", namesakes);
    const char *file = arena_printf(&job->arena, "%s.coll", argument);
    const char *near = access(file, F_OK) == 0 ? file : builtin_nearest(argument, &job->arena);
    const size_t length = strcspn(argument, "/");
    const char *collective = near || argument[length] == '.' ? NULL : collective_nearest(argument, length);
    if (!collective)
        return did_you_mean(&job->diagnostics.arena, near,
                            "name a file, or a built-in algorithm: 'collc algorithms' lists them");
    return diagnostics_text(&job->diagnostics, "name a file, or a built-in algorithm: 'collc algorithms "
                            "%s' lists those of %s", collective, collective);
}

static const struct source *read_argument(struct job *job, const char *argument)
{
    const struct embedded_file *file = builtin_of_name(argument, &job->form);
    job->is_builtin = file;
    if (file) {
        say(job, "built-in", argument);
        return source_of_text(file->path, file->text, file->length, &job->arena);
    }
    say(job, "read", argument);
    const struct source *source =
        source_read(argument, SOURCE_LIMIT, &job->arena, &job->diagnostics);
    if (!source && job->diagnostics.last->code == CODE_I001)
        job->diagnostics.last->help = help_with_argument(job, argument);
    return source;
}

bool is_schedule_file(const struct source *source)
{
    const char *text = source->text;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    while (text += strspn(text, " \t\r\n"), *text == '#')
        text += strcspn(text, "\n");
    return strncmp(text, schedule_magic, strlen(schedule_magic)) == 0;
}

/* A network given in the place of an algorithm. */
static void help_with_network(struct job *job)
{
    struct diagnostic *first = job->diagnostics.first;
    const char *format = first->next || first->code != CODE_E003 ? NULL : topology_format(job->source);
    if (format)
        first->help = diagnostics_text(
            &job->diagnostics, "this is a network (%s): give it with --topology, beside an algorithm",
            format);
}

/* --counts make of a file for equal counts one of the first form with others; a built-in algorithm
 * has the one that it is named by. */
static enum collective_form form_of_file(const struct job *job, const struct program *program)
{
    enum collective_form form = FORM_EQUAL + 1;
    if (!job->options->counts || job->is_builtin || program->form != FORM_EQUAL)
        return FORM_EQUAL;
    while (form < N_FORMS && collective_of_form(form) != program->collective)
        form++;
    return form < N_FORMS ? form : FORM_EQUAL;
}

/* An algorithm, as one of the form that was asked for. */
static struct program *read_program(struct job *job)
{
    struct program *program = program_read_with(job->source, job->options->settings,
                                                job->options->n_settings, &job->diagnostics);
    if (!program)
        help_with_network(job);
    else if (job->form == FORM_EQUAL)
        job->form = form_of_file(job, program);
    if (!program || job->form == FORM_EQUAL ||
        program_take_form(program, job->form, &job->diagnostics))
        return program;
    if (job->is_builtin)
        suggest_serving(job, program);
    program_free(program);
    return NULL;
}

bool job_read_named(struct job *job, const char *argument)
{
    job->source = read_argument(job, argument);
    if (!job->source)
        return false;
    if (is_schedule_file(job->source))
        job->schedule = schedule_read(job->source, &job->diagnostics);
    else
        job->program = read_program(job);
    return job->program || job->schedule;
}

bool job_read(struct job *job, const struct options *options)
{
    job->options = options;
    job->settings = options->settings;
    job->n_settings = options->n_settings;
    return job_read_named(job, options->arguments[0]);
}

static bool has_costs(const struct options *options)
{
    return options->overhead.is_set || options->gap.is_set || options->memory_bandwidth.is_set ||
           options->memory_latency.is_set;
}

int job_start(struct job *job, const struct options *options)
{
    job->options = options;
    if (options->best && options->dump_after)
        return usage_error(options, "--dump-after is for one algorithm, not for a choice by --best");
    if (options->best)
        return job_choose(job, options);
    if (has_costs(options) && options->command != COMMAND_predict)
        return usage_error(options, "the costs of hosts are for choosing an algorithm: give --best");
    if (!job_read(job, options))
        return STATUS_FAILED;
    if (options->dump_after && !job->program)
        return usage_error(options, "a schedule file has no passes: --dump-after is for algorithms");
    const int status = job_dump(job, PASS_parse);
    return status == STATUS_CLEAN ? job_dump(job, PASS_inline) : status;
}

/* The topology a schedule file names must be the one it was compiled for. */
static bool check_fingerprint(struct job *job, const struct schedule_header *header)
{
    if (!header->fingerprint || header->fingerprint == job->topology->fingerprint)
        return true;
    struct diagnostic *found =
        report(&job->diagnostics, CODE_S004, (struct position){.source = job->source},
               "topology '%s' has changed since the schedule was compiled", header->topology);
    found->help = "compile it again, or name the topology to check it against with --topology";
    return false;
}

static bool open_routes(struct job *job)
{
    const struct text_list *routes = &job->options->routes;
    if (!routes->n)
        return true;
    say(job, "routes", routes->items[0]);
    struct route_files files = {routes->items, routes->n, is_choice(job->options->lids, "table")};
    return topology_read_routes(job->topology, &files, &job->diagnostics);
}

bool job_open_topology(struct job *job, const char *spec)
{
    say(job, "topology", spec);
    job->topology = topology_read(spec, &job->diagnostics);
    if (!job->topology || !open_routes(job))
        return false;
    struct topology_restriction restriction = {job->options->failed.items, job->options->failed.n,
                                               job->options->machines};
    job->topology = topology_restrict(job->topology, &restriction, &job->diagnostics);
    return job->topology;
}

/* What of a network the options name, or NULL. */
static const char *restriction_of(const struct options *options)
{
    if (options->routes.n)
        return "forwarding tables";
    if (options->failed.n)
        return "failed cables";
    return options->machines ? "machines" : NULL;
}

static bool read_topology(struct job *job)
{
    const char *spec = job->options->topology;
    const struct schedule_header *header = job->schedule ? &job->schedule->header : NULL;
    if (!spec && header)
        spec = header->topology;
    const char *useless = spec ? NULL : restriction_of(job->options);
    if (useless) {
        usage_error(job->options, "%s belong to a topology: give --topology", useless);
        return false;
    }
    if (!spec)
        return true;
    if (!job_open_topology(job, spec))
        return false;
    return job->options->topology || check_fingerprint(job, header);
}

/* The machines in the header of a schedule file, if they are on the topology. */
static int place_by_header(struct job *job)
{
    const struct schedule_header *header = &job->schedule->header;
    for (uint32_t rank = 0; job->topology && rank < header->n_ranks; rank++) {
        if (header->machine[rank] < job->topology->n_machines)
            continue;
        report(&job->diagnostics, CODE_S004, (struct position){.source = job->source},
               "rank %u is on machine %u, but topology '%s' has %u machines", rank,
               header->machine[rank], job->topology->name, job->topology->n_machines);
        return STATUS_FAILED;
    }
    job->placement = placement_of_machines(header->machine, header->n_ranks, "schedule");
    return STATUS_CLEAN;
}

/* Ranks without a network still share servers. */
static int place_without_topology(struct job *job, uint32_t n_ranks)
{
    const struct options *options = job->options;
    uint32_t per_machine = options->ranks_per_machine ? options->ranks_per_machine : 1;
    bool is_cyclic = is_choice(options->placement, "cyclic");
    if (options->placement && !is_cyclic && !is_choice(options->placement, "block"))
        return usage_error(options, "placement '%s' names machines of a topology: give --topology",
                           options->placement);
    if (options->order)
        return usage_error(options, "--order is that of the machines of a topology: give "
                                    "--topology");
    if (n_ranks > SCHEDULE_MAX_RANKS)
        return usage_error(options, "%u ranks are more than %d", n_ranks, SCHEDULE_MAX_RANKS);
    uint32_t n_machines = n_ranks / per_machine + (n_ranks % per_machine != 0);
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = is_cyclic ? rank % n_machines : rank / per_machine;
    job->placement = placement_of_machines(machine, n_ranks, is_cyclic ? "cyclic" : "block");
    free(machine);
    return STATUS_CLEAN;
}

static int place_on_topology(struct job *job, uint32_t n_ranks)
{
    const struct options *options = job->options;
    struct placement_request request = {n_ranks, options->ranks_per_machine, options->placement,
                                        options->order, options->seed};
    job->placement = placement_make(job->topology, &request, &job->diagnostics);
    return job->placement ? STATUS_CLEAN : STATUS_FAILED;
}

/* The user's word goes before the header's; naming the topology that the schedule
 * was compiled for asks for nothing else. */
static int place_schedule(struct job *job)
{
    const struct options *options = job->options;
    const struct schedule_header *header = &job->schedule->header;
    bool is_same = !options->topology || header->fingerprint == job->topology->fingerprint;
    bool is_asked =
        options->ranks_per_machine || options->placement || options->order || !is_same;
    if (options->ranks && options->ranks != header->n_ranks)
        return usage_error(options, "'%s' is a schedule of %u ranks, not %u",
                           job->source->path, header->n_ranks, options->ranks);
    if (header->machine && !is_asked)
        return place_by_header(job);
    if (job->topology)
        return place_on_topology(job, header->n_ranks);
    return place_without_topology(job, header->n_ranks);
}

static int place_ranks(struct job *job)
{
    const struct options *options = job->options;
    bool is_file = options->placement && !is_choice(options->placement, "block") &&
                   !is_choice(options->placement, "cyclic");
    if (options->order && is_file)
        return usage_error(options, "a placement file says where ranks are: --order is for block "
                                    "and cyclic");
    if (job->schedule)
        return place_schedule(job);
    if (job->topology)
        return place_on_topology(job, options->ranks);
    if (!options->ranks)
        return usage_error_with("give a network with --topology, or only a number with --ranks",
                                "neither --topology nor --ranks is given");
    return place_without_topology(job, options->ranks);
}

/* At what is wrong first in the line: what follows may come of it. */
static void help_with_formula(struct diagnostics *diagnostics)
{
    struct diagnostic *first = diagnostics->first;
    for (struct diagnostic *other = first; other; other = other->next)
        first = other->position.column < first->position.column ? other : first;
    if (!first || first->code == CODE_E021)
        return;
    if (first->code == CODE_E007 && !first->help)
        first->help = "ranks i (and, of alltoallv, j) are from 0 to p-1; a count is below 2^63 bytes";
    else
        first->help = diagnostics_text(
            diagnostics, "%s%sthere is no file of that name, so it is read as a formula, in bytes: of "
            "whole numbers, p, bytes and the rank i (of alltoallv the sender i and the receiver j)",
            first->help ? first->help : "", first->help ? "; " : "");
}

/* A file of that name, or else a formula. */
static struct counts *read_counts(struct job *job, enum collective collective,
                                  const uint64_t *bytes)
{
    const char *text = job->options->counts;
    uint32_t n_ranks = job->placement->n_ranks;
    const struct source *source;
    if (access(text, F_OK) == 0 || strcmp(text, "-") == 0) {
        if (bytes) {
            usage_error(job->options, "the counts of a file are sizes: --bytes has no effect");
            return NULL;
        }
        source = source_read(text, SOURCE_LIMIT, &job->arena, &job->diagnostics);
        return source ? counts_read(source, counts_needed(collective, n_ranks), &job->diagnostics)
                      : NULL;
    }
    source = source_of_text("<counts>", text, strlen(text), &job->arena);
    struct counts *counts =
        counts_of_formula(source, collective, n_ranks, bytes, &job->diagnostics);
    if (!counts)
        help_with_formula(&job->diagnostics);
    return counts;
}

int job_open_counts(struct job *job, enum collective collective, enum collective_form form)
{
    const struct options *options = job->options;
    const uint64_t *bytes = options->bytes ? &options->bytes : NULL;
    if (!options->counts || job->counts)
        return STATUS_CLEAN;
    if (form == FORM_EQUAL)
        return usage_error(options, "all counts of %s are equal: --counts is for gatherv, scatterv, "
                                    "allgatherv, alltoallv, alltoallw and reduce_scatter",
                           collective_table[collective].name);
    if (options->sizes.n > 1)
        return usage_error(options, "--counts are the sizes: give one --bytes for the formula, or none");
    if (options->sizes.n)
        bytes = &options->sizes.items[0];
    job->counts = read_counts(job, collective, bytes);
    return job->counts ? STATUS_CLEAN : STATUS_FAILED;
}

int job_check_root(const struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    if (options->root && collective < N_COLLECTIVES && !collective_table[collective].rooted)
        return usage_error(options, "--root has no effect: %s has no root",
                           collective_table[collective].name);
    if (job->placement && options->root >= job->placement->n_ranks)
        return usage_error(options, "root %u is not among %u ranks", options->root,
                           job->placement->n_ranks);
    return STATUS_CLEAN;
}

struct bind_request job_bind_request(const struct job *job)
{
    const struct options *options = job->options;
    return (struct bind_request){
        .topology = job->topology,
        .topology_spec = options->topology,
        .placement = job->placement,
        .root = options->root,
        .bytes = options->bytes,
        .counts = job->counts,
        .settings = job->settings,
        .n_settings = job->n_settings,
    };
}

const struct parameter_setting *job_setting(const struct job *job, const char *name)
{
    for (size_t i = job->n_settings; i > 0; i--)
        if (strcmp(job->settings[i - 1].name, name) == 0)
            return &job->settings[i - 1];
    return NULL;
}

static int bind_and_expand(struct job *job)
{
    int status = job_check_root(job, job->program->collective);
    if (status == STATUS_CLEAN)
        status = job_open_counts(job, job->program->collective, job->program->form);
    if (status != STATUS_CLEAN)
        return status;
    struct bind_request request = job_bind_request(job);
    request.root = job_virtual_root(job, job->options->root);
    job->binding = bind_program(job->program, &request, &job->diagnostics);
    if (!job->binding) {
        suggest_alternatives(job);
        return STATUS_FAILED;
    }
    status = job_dump(job, PASS_bind);
    if (status != STATUS_CLEAN)
        return status;
    job->schedule = expand_program(job->binding, &job->diagnostics);
    return job->schedule ? STATUS_CLEAN : STATUS_FAILED;
}

int job_locate(struct job *job)
{
    if (job->placement)
        return STATUS_CLEAN;
    return read_topology(job) ? place_ranks(job) : STATUS_FAILED;
}

int job_prepare(struct job *job)
{
    if (job->schedule && job->options->n_settings)
        return usage_error(job->options, "a schedule file has no parameters");
    if (job->schedule && (job->options->root || job->options->bytes || job->options->counts))
        return usage_error(job->options, "a schedule file has a root and sizes of its own: "
                                         "--root, --bytes and --counts are for algorithms");
    int status = job_locate(job);
    if (status == STATUS_CLEAN)
        status = job_read_map(job);
    if (status == STATUS_CLEAN && job->program)
        status = bind_and_expand(job);
    return status == STATUS_CLEAN ? job_apply_map(job) : status;
}

int job_open(struct job *job, const struct options *options)
{
    int status = job_start(job, options);
    return status == STATUS_CLEAN ? job_prepare(job) : status;
}

void job_print(const struct job *job, const struct diagnostics *diagnostics)
{
    struct text text = {0};
    diagnostics_print(diagnostics, &text, wants_colour(job->options, STDERR_FILENO));
    fwrite(text.data ? text.data : "", 1, text.length, stderr);
    text_free(&text);
}

int job_close(struct job *job, int status)
{
    if (status == STATUS_DUMPED)
        status = STATUS_CLEAN;
    if (diagnostics_has_errors(&job->diagnostics))
        status = STATUS_FAILED;
    job_print(job, &job->diagnostics);
    if (job->schedule)
        job->schedule->destroy(job->schedule);
    if (job->counts)
        job->counts->destroy(job->counts);
    if (job->binding)
        binding_free(job->binding);
    if (job->placement)
        placement_free(job->placement);
    if (job->topology)
        topology_free(job->topology);
    if (job->program)
        program_free(job->program);
    diagnostics_free(&job->diagnostics);
    arena_free(&job->arena);
    return status;
}
