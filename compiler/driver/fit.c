/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc fit: costs of hosts and links from measured times, written into a topology.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/times.h"
#include "network/formats/formats.h"
#include "reports/fitted.h"
#include "tables/loaders.h"

#include <stdio.h>
#include <string.h>

enum { SOLVER_SECONDS = 60 };

struct fit_job {
    struct job job;
    const struct options *options;
    struct times times;
    struct costs_request request;
    bool do_links_differ; /* in what they cost */
};

/* ---- what is looked for ---- */

static double ns_per_byte(uint64_t bandwidth)
{
    return bandwidth ? 1e9 / (double)bandwidth : 0;
}

/* Sets the costs of the topology's links, where all cost the same. Returns false if they do not. */
static bool fit_take_links(const struct topology *topology, struct model_costs *start)
{
    uint32_t first = topology->n_link_ids;
    for (uint32_t link = topology->n_link_ids; link-- > 0;)
        if (topology_has_link(topology, link))
            first = link;
    for (uint32_t link = first; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) &&
            (topology_link_bandwidth(topology, link) != topology_link_bandwidth(topology, first) ||
             topology_link_latency(topology, link) != topology_link_latency(topology, first)))
            return false;
    if (first < topology->n_link_ids) {
        start->value[COST_LINK_LATENCY] = (double)topology_link_latency(topology, first);
        start->value[COST_LINK_BYTE] = ns_per_byte(topology_link_bandwidth(topology, first));
    }
    return true;
}

static bool take_request(struct fit_job *fit)
{
    const struct options *options = fit->options;
    const struct topology *topology = fit->job.scene.topology;
    const struct host_costs hosts = job_costs(&fit->job);
    struct costs_request *request = &fit->request;
    struct simulation_request rules;
    if (!job_rules(&fit->job, &rules))
        return false;
    *request = (struct costs_request){
        .points = &fit->times.points,
        .topology = fit->job.scene.owned.topology,
        .where = {.ranks_per_machine = options->ranks_per_machine},
        .model = rules.model,
        .eager_limit = rules.settings.eager_limit,
        .start = {{[COST_LINK_LATENCY] = (double)topology->latency,
                   [COST_LINK_BYTE] = ns_per_byte(topology->bandwidth),
                   [COST_OVERHEAD] = (double)hosts.overhead,
                   [COST_GAP] = (double)hosts.gap,
                   [COST_MEMORY_LATENCY] = (double)hosts.memory_latency,
                   [COST_MEMORY_BYTE] = ns_per_byte(hosts.memory_bandwidth),
                   [COST_PROCESS_BYTE] = ns_per_byte(hosts.process_bandwidth)}},
        .inside_bandwidth = hosts.inside_bandwidth,
        .solver = {.seconds = SOLVER_SECONDS}};
    const bool has_links = costs_has_links(topology) && !options->keep_links;
    fit->do_links_differ = !fit_take_links(topology, &request->start);
    if (!has_links && !options->keep_links)
        fprintf(stderr, "collc: note: the links of '%s' keep what they cost: %s\n", topology->name,
                fit->do_links_differ ? "they are not all alike"
                                         : "those of a file, and of several networks, are not fitted");
    request->is_held[COST_LINK_LATENCY] = request->is_held[COST_LINK_BYTE] = !has_links;
    request->is_held[COST_OVERHEAD] = options->overhead.is_set;
    request->is_held[COST_GAP] = options->gap.is_set;
    request->is_held[COST_MEMORY_LATENCY] = options->memory_latency.is_set;
    request->is_held[COST_MEMORY_BYTE] = options->memory_bandwidth.is_set;
    request->is_held[COST_PROCESS_BYTE] =
        options->process_bandwidth.is_set || !simulation_models[rules.model].make;
    return true;
}

/* ---- what was found ---- */

/* A name that was the synthetic string says what links cost: it has to say it anew. */
static void rename_topology(struct fit_job *fit)
{
    struct topology *topology = fit->job.scene.owned.topology;
    struct text shape = {0};
    if (!option_is(fit->options->topology, topology->name))
        return;
    topology_shape(topology, &shape);
    topology->name = arena_strndup(topology->arena, shape.data, shape.length);
    text_free(&shape);
}

static int write_topology(struct fit_job *fit, const struct fitted *fitted)
{
    struct topology *topology = fit->job.scene.owned.topology;
    struct text text = {0};
    const char *problem = NULL;
    bool is_written = true;
    rename_topology(fit);
    topology->hosts = &fitted->hosts;
    if (fit->options->output) {
        is_written = topology_writer_find("xml")(topology, &text, &problem);
        if (is_written)
            output_text(fit->options->output, &text);
        else
            usage_error(fit->options, "'%s' cannot be written as XML: %s", topology->name, problem);
    }
    text_free(&text);
    return is_written ? STATUS_CLEAN : STATUS_FAILED;
}

static int fit_and_write(struct fit_job *fit)
{
    struct fitted fitted;
    struct text report = {0};
    int status = STATUS_FAILED;
    if (!costs_fit(&fit->request, &fitted, &fit->job.scene.arena, &fit->job.diagnostics)) {
        if (fitted.problem)
            usage_error(fit->options, "no costs were found: %s", fitted.problem);
        return STATUS_FAILED;
    }
    fitted.costs[COST_LINK_LATENCY].is_several = fit->do_links_differ;
    fitted.costs[COST_LINK_BYTE].is_several = fit->do_links_differ;
    if (option_is(fit->options->format, "json"))
        fitted_json(&fit->request, &fitted, &report);
    else
        fitted_text(&fit->request, &fitted, fit->options->verbose, &report);
    status = write_topology(fit, &fitted);
    if (status == STATUS_CLEAN && !fit->options->quiet && !option_is(fit->options->output, "-"))
        output_text(NULL, &report);
    text_free(&report);
    return status;
}

int command_fit(const struct options *options)
{
    struct fit_job fit = {.job = job_begin(options), .options = options};
    int status = STATUS_FAILED;
    const struct table_loader *loader = options->target ? table_loader_find(options->target) : NULL;
    bool is_read = true;
    if (!options->topology)
        is_read = usage_refuse(options, "costs are those of a network: give --topology");
    is_read = is_read && job_open_topology(&fit.job, options->topology);
    if (is_read && loader && loader->writer && loader->writer->none)
        fit.times.table = loader->writer->none(loader, &fit.job.scene.arena);
    if (is_read && times_read(&fit.job, &fit.times)) {
        if (!fit.times.points.n)
            usage_error(options, "there is no time to fit costs to");
        else if (take_request(&fit))
            status = fit_and_write(&fit);
    }
    points_free(&fit.times.points);
    return job_close(&fit.job, status);
}
