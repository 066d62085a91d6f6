/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The argument of a job: a file, or a built-in algorithm by its name. See job.h.
 */
#include "base/suggest.h"
#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "network/formats/synthetic/shape.h"
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
    struct arena *arena = &job->scene.arena;
    if (synthetic_is(argument))
        return "this is a network: give it with --topology, beside an algorithm";
    const bool is_of_network = strncmp(argument, "bw=", 3) == 0 || strncmp(argument, "lat=", 4) == 0 ||
                               strncmp(argument, "up=", 3) == 0 || strncmp(argument, "ports=", 6) == 0;
    if (is_of_network && job->options->topology)
        return diagnostics_text(&job->diagnostics, "what is about a network stands behind a comma: --topology %s,%s",
                                job->options->topology, argument);
    if (collective_find_form(argument, strlen(argument), &form) < N_COLLECTIVES)
        return diagnostics_text(&job->diagnostics,
                                "that is a collective: name an algorithm, %s/NAME ('collc algorithms %s'), or an "
                                "MPI that takes one, by --as", argument, argument);
    if (collective_find_any(argument, strcspn(argument, "/"), &form) == COLLECTIVE_pattern)
        return "no pattern is built in: name a file that begins with 'pattern NAME'";
    const char *namesakes = builtin_namesakes(argument, arena);
    if (namesakes)
        return diagnostics_text(&job->diagnostics, "name the collective, too: %s", namesakes);
    const char *file = arena_printf(arena, "%s.coll", argument);
    const char *near = access(file, F_OK) == 0 ? file : builtin_nearest(argument, arena);
    if (!near)
        near = nearest_file(argument, arena);
    if (!near)
        near = with_slash(argument, arena);
    const size_t length = strcspn(argument, "/");
    const enum collective known =
        argument[length] ? collective_find_form(argument, length, &form) : N_COLLECTIVES;
    if (!near && known < N_COLLECTIVES)
        return diagnostics_text(&job->diagnostics, "%.*s has %s ('collc algorithms %.*s')", (int)length,
                                argument, builtin_names_of(known, form, arena), (int)length, argument);
    const char *collective = near || argument[length] == '.' ? NULL : collective_nearest(argument, length);
    if (!collective)
        return did_you_mean(&job->diagnostics.arena, near,
                            "name a file, or a built-in algorithm: 'collc algorithms' lists them");
    return diagnostics_text(&job->diagnostics, "name a file, or a built-in algorithm: 'collc algorithms "
                            "%s' lists those of %s", collective, collective);
}

/* Reports faults of the schedule that do not show in its steps, for every command but verify, which lists
 * them as findings. False: they are errors, and the command would act on another schedule. */
static bool check_found(struct job *job)
{
    const struct schedule *schedule = job->scene.schedule;
    if (!schedule || !schedule->found || job->options->command == COMMAND_verify)
        return true;
    diagnostics_append(&job->diagnostics, schedule->found);
    return !diagnostics_has_errors(schedule->found);
}

/* Says more about an argument that could not be read. */
static void help_with_reading(struct job *job)
{
    const struct scene *scene = &job->scene;
    struct diagnostic *last = job->diagnostics.last;
    if (!scene->source && last->code == CODE_I001)
        last->help = help_with_argument(job, job->argument);
    else if (scene->program && scene->is_builtin)
        alternatives_serving(scene->program, &job->diagnostics);
}

bool job_read(struct job *job)
{
    enum collective_form form;
    if (job->scene.source)
        return job->scene.program || job->scene.schedule;
    say_verbose(job->options, builtin_of_name(job->argument, &form) ? "built-in" : "read", job->argument);
    if (scene_read(&job->scene, job->argument, &job->diagnostics))
        return check_found(job);
    help_with_reading(job);
    return false;
}
