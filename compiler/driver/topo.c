/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc topo: what a topology file or string says.
 */
#include "base/codes.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "network/formats/formats.h"
#include "network/networks.h"
#include "network/recognise.h"
#include "network/thin.h"
#include "reports/fabric_changes.h"
#include "reports/topology.h"

#include <stdio.h>
#include <unistd.h>

enum { SHOWN = 20 };

static int report_topology(struct job *job)
{
    const struct options *options = job->options;
    struct adapter_list list = {0};
    struct text text = {0};
    if (options->hwloc &&
        !adapters_read(options->hwloc, job->scene.topology, &list, &job->diagnostics)) {
        adapters_free(&list);
        return STATUS_FAILED;
    }
    if (option_is(options->format, "json"))
        topology_json(job->scene.topology, options->hwloc ? &list : NULL, &text);
    else
        topology_text(job->scene.topology, options->hwloc ? &list : NULL, &text);
    topology_warn_of_thin(job->scene.topology, &job->diagnostics);
    output_text(options->output, &text);
    text_free(&text);
    adapters_free(&list);
    return STATUS_CLEAN;
}

static int topo_convert(const struct options *options, const struct topology *topology)
{
    struct text text = {0};
    const char *problem = NULL;
    bool is_written = topology_writer_find(options->to)(topology, &text, &problem);
    if (is_written)
        output_text(options->output, &text);
    else
        fprintf(stderr, "collc: error: '%s' cannot be written as %s: %s\n", topology->name,
                options->to, problem);
    text_free(&text);
    return is_written ? STATUS_CLEAN : STATUS_FAILED;
}

static const struct source *source_named(const char *path, struct arena *arena)
{
    return source_of_text(path, "", 0, arena);
}

/* --against: what has changed from the other topology to that of the job. */
static int topo_compare(struct job *job, const struct topology *old)
{
    const struct options *options = job->options;
    struct fabric_changes changes = fabric_compare(old, job->scene.topology);
    struct diagnostics findings = {.keep_per_code = options->max_findings ? options->max_findings : SHOWN,
                                   .how_to_see_more = "--max-findings lists more"};
    struct text text = {0};
    fabric_changes_find(&changes, source_named(options->arguments[0], &job->scene.arena), &findings);
    if (option_is(options->format, "json"))
        fabric_changes_json(&changes, &text);
    else
        fabric_changes_text(&changes, &findings,
                            !options->output && options_use_colour(options, STDOUT_FILENO), &text);
    output_text(options->output, &text);
    const int status = has_failures(options, SEVERITY_ERROR, &findings) ? STATUS_FINDINGS : STATUS_CLEAN;
    text_free(&text);
    diagnostics_free(&findings);
    fabric_changes_free(&changes);
    return status;
}

/* Begins the job of one of the two networks. A cut-off part is no warning here: the comparison lists it. */
static struct job begin_to_compare(const struct options *options)
{
    struct job job = job_begin(options);
    job.diagnostics.ignored = 1 + CODE_T005;
    return job;
}

/* Compares with the topology of --against, read with its own tables; --machines and --fail are of T alone. */
static int open_and_compare(struct job *job)
{
    struct options old_options = *job->options;
    old_options.routes = job->options->against_routes;
    old_options.failed = (struct text_list){0};
    old_options.machines = NULL;
    struct job old = begin_to_compare(&old_options);
    const bool is_read = job_open_topology(&old, job->options->against);
    return job_close(&old, is_read ? topo_compare(job, old.scene.topology) : STATUS_FAILED);
}

/* Options that say nothing of two topologies; NULL: there is none. */
static const char *useless_beside_against(const struct options *options)
{
    if (options->to)
        return "--to";
    return options->hwloc ? "--hwloc" : NULL;
}

static const char *useless_without_against(const struct options *options)
{
    if (options->against_routes.n)
        return "--against-routes";
    if (options->max_findings)
        return "--max-findings";
    return options->fail_on ? "--fail-on" : NULL;
}

int command_topo(const struct options *options)
{
    const char *useless =
        options->against ? useless_beside_against(options) : useless_without_against(options);
    if (useless)
        return usage_error(options, options->against ? "%s has no effect with --against"
                                                     : "%s has no effect without --against", useless);

    struct job job = options->against ? begin_to_compare(options) : job_begin(options);
    int status = STATUS_FAILED;
    bool is_read = job_open_topology(&job, options->arguments[0]);
    if (is_read && options->against)
        status = open_and_compare(&job);
    else if (is_read && options->to && !diagnostics_has_errors(&job.diagnostics))
        status = topo_convert(options, job.scene.topology);
    else if (is_read && !options->to)
        status = report_topology(&job);
    return job_close(&job, status);
}
