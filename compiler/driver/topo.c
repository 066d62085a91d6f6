/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc topo: what a topology file or string says.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "network/formats/formats.h"
#include "network/networks.h"
#include "network/recognise.h"
#include "reports/topology.h"

#include <stdio.h>

static int report_topology(struct job *job)
{
    const struct options *options = job->options;
    struct adapter_list list = {0};
    struct text text = {0};
    if (options->adapters &&
        !adapters_read(options->adapters, job->topology, &list, &job->diagnostics)) {
        adapters_free(&list);
        return STATUS_FAILED;
    }
    if (option_is(options->format, "json"))
        topology_json(job->topology, options->adapters ? &list : NULL, &text);
    else
        topology_text(job->topology, options->adapters ? &list : NULL, &text);
    output_text(options->output, &text);
    text_free(&text);
    adapters_free(&list);
    return STATUS_CLEAN;
}

static int convert(const struct options *options, const struct topology *topology)
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

int command_topo(const struct options *options)
{
    struct job job = job_begin(options);
    int status = STATUS_FAILED;
    bool is_read = job_open_topology(&job, options->arguments[0]);
    if (is_read && options->to && !diagnostics_has_errors(&job.diagnostics))
        status = convert(options, job.topology);
    else if (is_read && !options->to)
        status = report_topology(&job);
    return job_close(&job, status);
}
