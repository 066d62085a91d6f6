/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The argument of a job: a file, or a built-in algorithm by its name. See job.h.
 */
#include "base/suggest.h"
#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "compiler/language/language.h"
#include "network/formats/formats.h"
#include "network/formats/synthetic/shape.h"
#include "schedules/schedules.h"
#include "study/alternatives.h"

#include <string.h>
#include <unistd.h>

/* "alltoall/ring" for "alltoall-ring", or NULL. */
static const char *with_slash(const char *argument, struct arena *arena)
{
    for (const char *sign = strpbrk(argument, "-_.:,"); sign; sign = strpbrk(sign + 1, "-_.:,")) {
        enum collective_form form;
        const size_t length = (size_t)(sign - argument);
        const char *name = arena_printf(arena, "%.*s/%s", (int)length, argument, sign + 1);
        if (collective_find_form(argument, length, &form) < N_COLLECTIVES && builtin_nearest(name, arena))
            return builtin_nearest(name, arena);
    }
    return NULL;
}

/* Returns what may have been meant by an argument that is no file. */
static const char *help_with_argument(struct job *job, const char *argument)
{
    enum collective_form form;
    if (synthetic_is(argument))
        return "this is a network: give it with --topology, beside an algorithm";
    const bool is_of_network = strncmp(argument, "bw=", 3) == 0 || strncmp(argument, "lat=", 4) == 0 ||
                               strncmp(argument, "up=", 3) == 0 || strncmp(argument, "ports=", 6) == 0;
    if (is_of_network && job->options->topology)
        return diagnostics_text(&job->diagnostics, "what is about a network stands behind a comma: --topology %s,%s",
                                job->options->topology, argument);
    if (collective_find_form(argument, strlen(argument), &form) < N_COLLECTIVES)
        return diagnostics_text(&job->diagnostics,
                                "that is a collective: name an algorithm, %s/NAME; 'collc algorithms %s' "
                                "lists them", argument, argument);
    const char *namesakes = builtin_namesakes(argument, &job->arena);
    if (namesakes)
        return diagnostics_text(&job->diagnostics, "name the collective, too: %s", namesakes);
    const char *file = arena_printf(&job->arena, "%s.coll", argument);
    const char *near = access(file, F_OK) == 0 ? file : builtin_nearest(argument, &job->arena);
    if (!near)
        near = nearest_file(argument, &job->arena);
    if (!near)
        near = with_slash(argument, &job->arena);
    const size_t length = strcspn(argument, "/");
    const enum collective known =
        argument[length] ? collective_find_form(argument, length, &form) : N_COLLECTIVES;
    if (!near && known < N_COLLECTIVES)
        return diagnostics_text(&job->diagnostics, "%.*s has %s ('collc algorithms %.*s')", (int)length,
                                argument, builtin_names_of(known, form, &job->arena), (int)length, argument);
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
        say_verbose(job->options, "built-in", argument);
        return source_of_text(file->path, file->text, file->length, &job->arena);
    }
    say_verbose(job->options, "read", argument);
    const struct source *source =
        source_read(argument, SCHEDULE_FILE_LIMIT, &job->arena, &job->diagnostics);
    if (!source && job->diagnostics.last->code == CODE_I001)
        job->diagnostics.last->help = help_with_argument(job, argument);
    return source;
}

/* A network given in the place of an algorithm. */
static void help_with_network(struct job *job)
{
    struct diagnostic *first = job->diagnostics.first;
    const char *format = first->next || first->code != CODE_E003 ? NULL : topology_format_name(job->source);
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

/* Reads an algorithm, as one of the form that was asked for. */
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
        alternatives_serving(program, &job->diagnostics);
    program_free(program);
    return NULL;
}

/* Reports faults of the schedule that do not show in its steps, for every command but verify, which lists
 * them as findings. False: they are errors, and the command would act on another schedule. */
static bool check_found(struct job *job)
{
    const struct schedule *schedule = job->schedule;
    if (!schedule || !schedule->found || job->options->command == COMMAND_verify)
        return true;
    diagnostics_append(&job->diagnostics, schedule->found);
    return !diagnostics_has_errors(schedule->found);
}

bool job_read(struct job *job)
{
    if (job->source)
        return job->program || job->schedule;
    job->source = read_argument(job, job->argument);
    if (!job->source)
        return false;
    if (schedules_is_file(job->source))
        job->schedule = schedules_read(job->source, &job->diagnostics);
    else
        job->program = read_program(job);
    return check_found(job) && (job->program || job->schedule);
}
