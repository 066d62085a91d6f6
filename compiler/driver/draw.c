/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc draw: a topology (coloured by load, if a schedule is given), the
 * messages of one step, or the tree of a broadcast; as DOT, or as SVG through
 * Graphviz's own program.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/render.h"
#include "emitters/emit.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Steps forward to the step; false (with the reason told) if there is none. */
static bool find_step(struct job *job, struct step *step)
{
    const uint64_t wanted = job->options->step;
    uint64_t n = 0;
    job->schedule->rewind(job->schedule);
    for (; job->schedule->next(job->schedule, step); n = step->index + 1)
        if (step->index == wanted)
            return true;
    if (job->schedule->failed)
        return false;
    usage_error_with(n ? arena_printf(&job->arena, "its steps are 0 to %" PRIu64, n - 1)
                       : "it has no steps",
                     "there is no step %" PRIu64, wanted);
    return false;
}

static bool has_route(const struct job *job, const struct op *send)
{
    return send->rank < job->placement->n_ranks && send->peer < job->placement->n_ranks;
}

static void add_route(const struct job *job, const struct op *send, struct hop *hops,
                      uint64_t *load)
{
    uint32_t from = job->placement->machine[send->rank];
    uint32_t to = job->placement->machine[send->peer], n;
    uint8_t network[256];
    if (schedule_networks(&job->schedule->header, job->topology, network) &&
        network[send->network] != NO_NETWORK)
        n = topology_route_over(job->topology, network[send->network], from, to, hops);
    else
        n = topology_route(job->topology, from, to, hops);
    for (uint32_t i = 0; i < n; i++)
        load[hops[i].link]++;
}

static int draw_load_of_step(struct job *job, struct text *out)
{
    struct step step;
    if (!find_step(job, &step))
        return STATUS_FAILED;
    uint64_t *load = mem_alloc(job->topology->n_link_ids, sizeof *load);
    struct hop *hops = mem_alloc(job->topology->max_hops, sizeof *hops);
    for (size_t i = 0; i < step.n_sends; i++)
        if (has_route(job, &step.sends[i]))
            add_route(job, &step.sends[i], hops, load);
    draw_topology(job->topology, load, out);
    free(load);
    free(hops);
    return STATUS_CLEAN;
}

static int draw_load_in_total(struct job *job, struct text *out)
{
    struct verify_request request = {
        .topology = job->topology, .placement = job->placement, .keep_link_load = true};
    struct verify_report report = {0};
    struct diagnostics findings = {0};
    bool is_done = verify_schedule(job->schedule, &request, &report, &findings);
    if (is_done)
        draw_topology(job->topology, report.link_load, out);
    verify_report_free(&report);
    diagnostics_free(&findings);
    return is_done ? STATUS_CLEAN : STATUS_FAILED;
}

static int draw_network(struct job *job, struct text *out)
{
    const struct options *options = job->options;
    if (!job->topology)
        return usage_error(options, "there is no topology to draw: give --topology");
    if (!job->schedule) {
        draw_topology(job->topology, NULL, out);
        return STATUS_CLEAN;
    }
    return is_choice(options->load, "step") ? draw_load_of_step(job, out)
                                            : draw_load_in_total(job, out);
}

static int draw_schedule(struct job *job, struct text *out)
{
    struct step step;
    if (!job->schedule)
        return usage_error(job->options, "'--what %s' draws a schedule: name one",
                           job->options->what);
    if (job->options->load)
        return usage_error(job->options, "--load is of the links of a topology: leave it out, or "
                                         "--what");
    if (is_choice(job->options->what, "tree"))
        return draw_tree(job->schedule, out) ? STATUS_CLEAN : STATUS_FAILED;
    if (!find_step(job, &step))
        return STATUS_FAILED;
    draw_step(&job->schedule->header, job->placement, &step, out);
    return STATUS_CLEAN;
}

static int open_subject(struct job *job)
{
    const struct options *options = job->options;
    if (options->n_arguments)
        return job_open(job);
    if (!options->topology)
        return usage_error(options, "nothing to draw: give a schedule or --topology");
    return job_open_topology(job, options->topology) ? STATUS_CLEAN : STATUS_FAILED;
}

static uint32_t count_edges(const struct text *dot)
{
    uint32_t n = 0;
    for (const char *at = dot->data; (at = strstr(at, " -> ")) != NULL; at++)
        n++;
    return n;
}

/* Layered layouts of what is no tree cost dot minutes from a few hundred edges on. */
static bool is_too_much_for_dot(const struct job *job, const struct text *dot)
{
    enum { MAX_EDGES = 300 };
    uint32_t n_ranks = job->schedule ? job->schedule->header.n_ranks : 0;
    return is_choice(job->options->to, "svg") && is_choice(job->options->what, "tree") &&
           count_edges(dot) > MAX_EDGES &&
           count_edges(dot) >= 2 * n_ranks;
}

static int write_drawing(const struct job *job, const struct text *dot)
{
    const struct options *options = job->options;
    struct text svg = {0};
    int status = STATUS_CLEAN;
    const bool is_svg = is_choice(options->to, "svg");
    if (is_too_much_for_dot(job, dot))
        return usage_error(options, "%u edges that form no tree take 'dot' too long: draw fewer "
                           "ranks, or take the text with '--to dot'", count_edges(dot));
    if (!is_svg)
        output_text(options->output, dot);
    else if (render_svg(dot, &svg))
        output_text(options->output, &svg);
    else
        status = STATUS_FAILED;
    text_free(&svg);
    return status;
}

int command_draw(const struct options *options)
{
    struct job job = job_begin(options);
    struct text dot = {0};
    bool is_network = !options->what || is_choice(options->what, "topology");
    int status = open_subject(&job);
    if (status == STATUS_CLEAN)
        status = is_network ? draw_network(&job, &dot) : draw_schedule(&job, &dot);
    if (status == STATUS_CLEAN)
        status = write_drawing(&job, &dot);
    text_free(&dot);
    return job_close(&job, status);
}
