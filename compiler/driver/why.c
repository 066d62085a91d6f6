/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc why: what explains measured times, and what would make them shorter.
 */
#include "compiler/driver/combinations.h"
#include "compiler/driver/output.h"
#include "compiler/driver/times.h"
#include "network/restrict.h"
#include "reports/why.h"

/* Takes the model and its rules, the places of ranks and the costs of hosts. */
static bool why_request(struct job *job, struct times *times, struct causes_request *request)
{
    const struct options *options = job->options;
    struct simulation_request rules;
    if (!job_rules(job, &rules))
        return false;
    *request = (struct causes_request){.costs = {.points = &times->points,
                                                 .topology = job->scene.owned.topology,
                                                 .where = {.ranks_per_machine = options->ranks_per_machine,
                                                           .rule = options->placement,
                                                           .order = options->order,
                                                           .seed = options->seed,
                                                           .adapters = options->rank_adapters,
                                                           .between_rails = options->between_rails},
                                                 .model = rules.model,
                                                 .eager_limit = rules.settings.eager_limit},
                                       .hosts = job_costs(job),
                                       .table = times->table,
                                       .assumes_memory = rules.settings.assumes_memory};
    return true;
}

/* Opens the topology once more; what there is to say of it has been said. */
static struct topology *why_open_rest(struct job *job)
{
    const struct diagnostics said = job->diagnostics;
    job->diagnostics = (struct diagnostics){0};
    struct topology *rest = job_open_rest(job);
    diagnostics_free(&job->diagnostics);
    job->diagnostics = said;
    return rest;
}

/* Explains the times and writes the report. Returns the exit status. */
static int why_explain(struct job *job, struct times *times)
{
    const struct options *options = job->options;
    struct causes_request request;
    struct causes causes;
    struct text text = {0};
    if (!why_request(job, times, &request))
        return STATUS_FAILED;
    request.rest = why_open_rest(job);
    const bool is_found = causes_find(&request, &causes, &job->scene.arena, &job->diagnostics);
    topology_free(request.rest);
    if (!is_found) {
        if (causes.problem)
            usage_error(options, "%s", causes.problem);
        return STATUS_FAILED;
    }
    if (option_is(options->format, "json"))
        why_json(&request, &causes, &text);
    else if (!options->quiet)
        why_text(&request, &causes, &text);
    output_text(options->output, &text);
    text_free(&text);
    return causes_are_none(&causes) ? STATUS_CLEAN : STATUS_FINDINGS;
}

int command_why(const struct options *options)
{
    struct job job = job_begin(options);
    struct times times = {.each = options->ranks_per_machine ? options->ranks_per_machine : 1};
    int status = STATUS_FAILED;
    bool is_ready = true;
    const bool says_what = options->as || options->algorithms.n;
    if (!options->topology)
        is_ready = usage_refuse(options, "times are those of a network: give --topology%s%s",
                                says_what ? "" : "; " TIMES_SAY_WHAT,
                                options->ranks ? "" : TIMES_SAY_RANKS);
    is_ready = is_ready && job_open_topology(&job, options->topology);
    if (is_ready && options->as)
        is_ready = (times.table = job_table(&job)) != NULL;
    if (is_ready && times_read(&job, &times)) {
        if (times.points.n)
            status = why_explain(&job, &times);
        else
            usage_error_with(
                "rows of a benchmark are needed, of calls with data; docs/fitting.md#times has their forms",
                "there is no time to explain in '%s'%s", options->arguments[0],
                options->n_arguments > 1 ? ", nor in the other files" : "");
    }
    points_free(&times.points);
    return job_close(&job, status);
}
