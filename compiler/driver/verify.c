/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc verify: the rules over a schedule, and what was found. Findings are the
 * result, so they go to standard output; errors of the input go to stderr.
 */
#include "compiler/driver/output.h"
#include "compiler/driver/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DRIFT = 65536 }; /* so many steps are held in memory */

static enum severity least_severity(const struct options *options, enum severity otherwise)
{
    if (!options->fail_on)
        return otherwise;
    if (is_choice(options->fail_on, "note"))
        return SEVERITY_NOTE;
    return is_choice(options->fail_on, "warning") ? SEVERITY_WARNING : SEVERITY_ERROR;
}

bool fails(const struct options *options, enum severity otherwise, const struct diagnostics *list)
{
    uint64_t n = 0;
    for (unsigned severity = least_severity(options, otherwise); severity <= SEVERITY_ERROR;
         severity++)
        n += list->n_of_severity[severity];
    return n > 0;
}

static void print_report(const struct verdict *verdict)
{
    const struct options *options = verdict->job->options;
    struct text text = {0};
    if (is_choice(options->format, "json")) {
        report_json(verdict, &text);
    } else {
        if (!options->quiet)
            report_text(verdict, &text);
        diagnostics_print(verdict->findings, &text, wants_colour(options, STDOUT_FILENO));
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
        struct verdict verdict = {job, &report, findings, seconds_now() - start};
        print_report(&verdict);
        bool is_found = fails(options, SEVERITY_ERROR, findings) ||
                        fails(options, SEVERITY_ERROR, &job->diagnostics);
        status = is_found ? STATUS_FINDINGS : STATUS_CLEAN;
    }
    verify_report_free(&report);
    return status;
}

int command_verify(const struct options *options)
{
    struct job job = {.options = options};
    struct diagnostics findings = {.is_joined = true};
    int status;
    if (options->drift > MAX_DRIFT)
        status = usage_error(options, "a drift of %u steps is more than %d", options->drift,
                             MAX_DRIFT);
    else
        status = job_open(&job, options);
    if (status == STATUS_CLEAN)
        status = verify_job(&job, &findings);
    diagnostics_free(&findings);
    return job_close(&job, status);
}
