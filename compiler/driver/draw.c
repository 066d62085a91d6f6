/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc draw: a drawing (emitters/targets.def) of a topology, coloured by load if a schedule is given,
 * of the messages of one step, or of the tree of a broadcast; as DOT, or as a picture through
 * Graphviz's own program.
 */
#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/render.h"
#include "compiler/driver/targets.h"
#include "study/loads.h"
#include "study/simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Steps forward to the step; false (with the reason told) if there is none. */
static bool draw_find_step(struct job *job, struct step *step)
{
    const uint64_t wanted = job->options->step;
    uint64_t n = 0;
    job->scene.schedule->rewind(job->scene.schedule);
    for (; job->scene.schedule->next(job->scene.schedule, step); n = step->index + 1)
        if (step->index == wanted)
            return true;
    if (job->scene.schedule->failed)
        return false;
    usage_error_with(n ? arena_printf(&job->scene.arena, "its steps are 0 to %" PRIu64, n - 1)
                       : "it has no steps",
                     "there is no step %" PRIu64, wanted);
    return false;
}

/* True if all messages of a program may be routed within the budget; else says so. */
static bool may_load_in_total(const struct job *job)
{
    struct estimate estimate = {.n_messages = 0};
    if (job->scene.binding)
        estimate = estimate_verification(job->scene.binding, budget_enough(job->options));
    return budget_allows(job->options, &estimate);
}

/* Finds the loads over all steps; says which messages have no route. */
static struct total_loads load_in_total(struct job *job)
{
    const struct scene *scene = &job->scene;
    struct diagnostics findings = {0};
    const struct total_loads loads = loads_of_schedule(scene, &findings);
    if (loads.n_unrouted) {
        say_diagnostics(job->options, &findings);
        fprintf(stderr, "collc: warning: %" PRIu64 " of %" PRIu64 " messages have no route, and are not drawn\n",
                loads.n_unrouted, loads.n_messages);
    }
    diagnostics_free(&findings);
    return loads;
}

/* Finds the loads of one step. */
static struct total_loads draw_load_of_step(const struct job *job, const struct step *step)
{
    const struct scene *scene = &job->scene;
    return (struct total_loads){
        .load = loads_of_step(&scene->schedule->header, scene->topology, scene->placement, step)};
}

/* Reads what is to be drawn. */
static bool open_subject(struct job *job, const struct emit_target *target)
{
    const struct options *options = job->options;
    if (options->n_arguments && job_open(job) != STATUS_CLEAN)
        return false;
    if ((target->takes & TAKES_SCHEDULE) && !options->n_arguments)
        return usage_refuse(options, "'--what %s' draws a schedule: name one", target->name);
    if (!options->n_arguments && !options->topology)
        return usage_refuse(options, "nothing to draw: give a schedule or --topology");
    if (!options->n_arguments && !job_open_topology(job, options->topology))
        return false;
    if ((target->takes & TAKES_TOPOLOGY) && !job->scene.topology)
        return !usage_error_with("'--what step' draws the messages of a step ('--step N') without one, "
                                 "'--what tree' those of all steps",
                                 "there is no topology to draw: give --topology");
    return true;
}

/* Returns the operations that the end waits for, in the arena; *n of them. NULL after saying why there are
 * none. */
static const struct critical_op *critical_path(struct job *job, size_t *n)
{
    struct simulation_request request;
    struct simulation simulation;
    struct critical_op *ops = NULL;
    if (!job_simulation(job, &request))
        return NULL;
    simulation_run(&request, job->scene.schedule, &simulation, &job->diagnostics);
    const struct played *played = &simulation.played;
    uint32_t *path = played->outcome == PLAYED_WHOLE ? played_critical_path(played, n) : NULL;
    if (path) {
        ops = arena_alloc(&job->scene.arena, *n + 1, sizeof *ops);
        for (size_t i = 0; i < *n; i++) {
            const struct played_event *event = &played->events[path[i]];
            ops[i] = (struct critical_op){event->rank, event->peer, event->kind, event->step, event->time};
        }
    } else if (!diagnostics_has_errors(&job->diagnostics)) {
        usage_error(job->options, "there is no critical path to draw: %s",
                    played->problem ? played->problem : "too many operations");
    }
    free(path);
    simulation_free(&simulation);
    return ops;
}

static bool driver_draw(struct job *job, const struct emit_target *target, struct text *dot,
                        uint64_t *n_unrouted)
{
    struct step step;
    struct total_loads loads = {.load = NULL};
    const struct scene *scene = &job->scene;
    const bool has_step = target->takes & TAKES_STEP;
    const bool has_load = (target->takes & TAKES_TOPOLOGY) && scene->schedule;
    const bool is_of_step = option_is(job->options->load, "step");
    const bool needs_step = has_step || (has_load && is_of_step);
    if (!has_step && !is_of_step && job->options->step)
        return !usage_error_with("'--what step' draws the messages of the step, '--load step' what they are to links",
                                 "--step has no effect without --what step or --load step");
    if (needs_step && !draw_find_step(job, &step))
        return false;
    if (has_load && !is_of_step && !may_load_in_total(job))
        return false;
    if (has_load)
        loads = is_of_step ? draw_load_of_step(job, &step) : load_in_total(job);
    *n_unrouted = loads.n_unrouted;
    if (has_load && !loads.load)
        return false;
    size_t n_critical = 0;
    const struct critical_op *critical = NULL;
    if ((target->takes & TAKES_PATH) && !(critical = critical_path(job, &n_critical)))
        return false;
    const struct emit_request request = {.critical = critical,
                                         .n_critical = n_critical,
                                         .schedule = scene->schedule,
                                         .topology = scene->topology,
                                         .placement = scene->placement,
                                         .link_load = loads.load,
                                         .least_load = loads.least,
                                         .step = needs_step ? &step : NULL,
                                         .arena = &job->scene.arena};
    const char *problem = target->write(&request, dot);
    free(loads.load);
    if (problem && *problem)
        usage_error(job->options, "%s", problem);
    return !problem;
}

static uint32_t draw_count_edges(const struct text *dot)
{
    uint32_t n = 0;
    for (const char *at = dot->data; (at = strstr(at, " -> ")) != NULL; at++)
        n++;
    return n;
}

/* Layered layouts of what is no tree cost dot minutes from a few hundred edges on. */
static bool is_too_much_for_dot(const struct job *job, const struct emit_target *target,
                                const struct text *dot)
{
    enum { MAX_EDGES = 300 };
    const uint32_t n_ranks = job->scene.schedule ? job->scene.schedule->header.n_ranks : 0;
    return target->takes == TAKES_SCHEDULE && draw_count_edges(dot) > MAX_EDGES &&
           draw_count_edges(dot) >= 2 * n_ranks;
}

static bool write_drawing(const struct job *job, const struct emit_target *target,
                          const struct text *dot)
{
    const struct options *options = job->options;
    struct text picture = {0};
    if (!options->to || option_is(options->to, "dot")) {
        output_text(options->output, dot);
        return true;
    }
    if (is_too_much_for_dot(job, target, dot))
        return usage_refuse(options,
                            "%u edges that form no tree take 'dot' too long: draw fewer "
                            "ranks, or take the text with '--to dot'",
                            draw_count_edges(dot));
    const bool is_done = render(dot, options->to, &picture);
    if (is_done)
        output_text(options->output, &picture);
    text_free(&picture);
    return is_done;
}

int command_draw(const struct options *options)
{
    struct job job = job_begin(options);
    struct text dot = {0};
    uint64_t n_unrouted = 0;
    const struct emit_target *target = emit_target_of(options);
    const bool is_open = open_subject(&job, target);
    const bool is_wrong = is_open && job.scene.schedule && !job_is_right(&job);
    const bool is_drawn =
        is_open && driver_draw(&job, target, &dot, &n_unrouted) && write_drawing(&job, target, &dot);
    text_free(&dot);
    const int status = is_wrong || n_unrouted ? STATUS_FINDINGS : STATUS_CLEAN;
    return job_close(&job, is_drawn ? status : STATUS_FAILED);
}
