/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc verify: the rules over a schedule, and what was found. Findings are the
 * result, so they go to standard output; errors of the input go to stderr.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "reports/verdict.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_DRIFT = 65536 }; /* so many steps are held in memory */

static void print_report(const struct options *options, const struct verdict *verdict)
{
    struct text text = {0};
    if (option_is(options->format, "json")) {
        verdict_json(verdict, &text);
    } else {
        if (!options->quiet)
            verdict_text(verdict, &text);
        diagnostics_print(verdict->findings, &text, options_use_colour(options, STDOUT_FILENO));
    }
    output_text(NULL, &text);
    text_free(&text);
    if (options->verbose)
        fprintf(stderr, "collc: verified in %.3f seconds\n", verdict->seconds);
}

/* --ports, or what the topology says of its machines. */
static uint32_t port_limit(const struct job *job)
{
    if (job->options->ports || !job->topology)
        return job->options->ports;
    return job->topology->ports;
}

static int verify_job(struct job *job, struct diagnostics *findings)
{
    const struct options *options = job->options;
    if (options->max_link_load && !job->topology)
        return usage_error(options, "--max-link-load is about links: give --topology");
    struct verify_request request = {
        .topology = job->topology,
        .placement = job->placement,
        .limits = {options->max_link_load, options->max_fan_in, port_limit(job)},
        .drift = options->drift,
        .keep_per_step = true,
    };
    struct verify_report report = {0};
    double start = seconds_now();
    int status = STATUS_FAILED;
    if (verify_schedule(job->schedule, &request, &report, findings)) {
        const struct verdict verdict = {
            .header = &job->schedule->header,
            .topology = job->topology,
            .placement = job->placement,
            .report = &report,
            .warnings = &job->diagnostics,
            .findings = findings,
            .seconds = seconds_now() - start,
            .drift = options->drift,
            .shows_placement = options->placement || options->order,
            .per_step = options->per_step,
        };
        print_report(options, &verdict);
        bool is_found = has_failures(options, SEVERITY_ERROR, findings) ||
                        has_failures(options, SEVERITY_ERROR, &job->diagnostics);
        status = is_found ? STATUS_FINDINGS : STATUS_CLEAN;
    }
    verify_report_free(&report);
    return status;
}

int command_verify(const struct options *options)
{
    struct job job = job_begin(options);
    struct diagnostics findings = {.is_joined = true};
    int status;
    if (options->drift > MAX_DRIFT)
        status = usage_error(options, "a drift of %u steps is more than %d", options->drift,
                             MAX_DRIFT);
    else
        status = job_open(&job);
    if (status == STATUS_CLEAN)
        status = verify_job(&job, &findings);
    diagnostics_free(&findings);
    return job_close(&job, status);
}
