/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc fit: costs of hosts and links from measured times, written into a topology.
 */
#include "base/text/lines.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "costs/of_targets.h"
#include "network/formats/formats.h"
#include "reports/fitted.h"
#include "tables/loaders.h"

#include <stdio.h>
#include <string.h>

enum { TIMES_LIMIT = 1 << 26, SOLVER_SECONDS = 60 };

struct fit_job {
    struct job job;
    const struct options *options;
    const struct table_loader *loader; /* NULL: no --target */
    struct timed_points points;
    size_t n_without_counterpart;
    struct costs_request request;
};

/* ---- measured times ---- */

/* The algorithm of the library that --algorithm names for a collective, or what the target takes. */
static bool name_point(void *context, enum collective collective, struct timed_point *point)
{
    struct fit_job *fit = context;
    const char *name = collective_table[collective].name;
    for (size_t i = 0; i < fit->options->algorithms.n; i++) {
        const char *given = fit->options->algorithms.items[i];
        if (strncmp(given, name, strlen(name)) == 0 && given[strlen(name)] == '/') {
            point->algorithm = given;
            return true;
        }
    }
    return fit->loader && point_of_default(fit->loader, collective, point, &fit->job.scene.arena);
}

static bool are_times_of_tune(const struct source *source)
{
    struct diagnostics unused = {0};
    struct lines lines;
    struct slice word = {0};
    lines_open(&lines, source, &unused);
    while (word.length == 0 && lines_next(&lines))
        if ((word = lines_take_word(&lines)).length && *word.text == '#')
            word.length = 0;
    return slice_is(word, "launch");
}

static bool read_times_of_tune(struct fit_job *fit, const struct source *source)
{
    struct measurements measurements = {.loader = fit->loader};
    if (!fit->loader || !fit->loader->writer)
        return usage_refuse(fit->options,
                            "'%s' has times of an MPI's own algorithms: say of which, for example "
                            "'--target ompi-4.1'",
                            source->path);
    const bool is_read = measurements_read(&measurements, source, &fit->job.diagnostics);
    if (is_read)
        points_of_measurements(&fit->points, &measurements, source, &fit->n_without_counterpart,
                               &fit->job.scene.arena);
    measurements_free(&measurements);
    return is_read;
}

static bool read_times(struct fit_job *fit, const char *path)
{
    const struct points_request request = {name_point, fit, fit->options->ranks};
    struct arena *arena = &fit->job.scene.arena;
    const struct source *source = source_read(path, TIMES_LIMIT, arena, &fit->job.diagnostics);
    if (!source || !source_check_utf8(source, &fit->job.diagnostics))
        return false;
    if (are_times_of_tune(source))
        return read_times_of_tune(fit, source);
    return points_read(&fit->points, &request, source, arena, &fit->job.diagnostics);
}

static void say_what_is_left_out(const struct fit_job *fit)
{
    const char *separator = "";
    if (fit->points.n_unknown)
        fprintf(stderr, "collc: note: %zu times are of benchmarks that are not known here\n",
                fit->points.n_unknown);
    if (fit->n_without_counterpart)
        fprintf(stderr, "collc: note: %zu times are of algorithms that the library has not\n",
                fit->n_without_counterpart);
    if (!fit->points.n_not_named)
        return;
    fprintf(stderr,
            "collc: note: %zu times are left out, whose algorithm is not known: name it by --algorithm, or "
            "the MPI by --target (",
            fit->points.n_not_named);
    for (uint32_t i = 0; i < N_COLLECTIVES; i++)
        if (fit->points.is_not_named[i]) {
            fprintf(stderr, "%s%s", separator, collective_table[i].name);
            separator = ", ";
        }
    fprintf(stderr, ")\n");
}

static bool check_algorithms(const struct options *options)
{
    enum collective_form form;
    for (size_t i = 0; i < options->algorithms.n; i++)
        if (!builtin_of_name(options->algorithms.items[i], &form))
            return usage_refuse(options, "there is no built-in algorithm '%s'", options->algorithms.items[i]);
    return true;
}

/* ---- what is looked for ---- */

static double ns_per_byte(uint64_t bandwidth)
{
    return bandwidth ? 1e9 / (double)bandwidth : 0;
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
        .points = &fit->points,
        .topology = fit->job.scene.owned.topology,
        .ranks_per_machine = options->ranks_per_machine,
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
    if (!has_links && !options->keep_links)
        fprintf(stderr, "collc: note: the links of '%s' keep what they cost: they are not all alike\n",
                topology->name);
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
    bool is_read = check_algorithms(options);
    if (is_read && !options->topology)
        is_read = usage_refuse(options, "costs are those of a network: give --topology");
    fit.loader = options->target ? table_loader_find(options->target) : NULL;
    is_read = is_read && job_open_topology(&fit.job, options->topology);
    for (uint32_t i = 0; i < options->n_arguments && is_read; i++)
        is_read = read_times(&fit, options->arguments[i]);
    if (is_read) {
        say_what_is_left_out(&fit);
        if (!fit.points.n)
            usage_error(options, "there is no time to fit costs to");
        else if (take_request(&fit))
            status = fit_and_write(&fit);
    }
    points_free(&fit.points);
    return job_close(&fit.job, status);
}
