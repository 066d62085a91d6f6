/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc compile: writes the schedule as text, with the times of its operations if asked for.
 */
#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "study/timed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --timed: the schedule with times, found by the model `asap`; NULL after saying why not. */
static struct schedule *compile_add_times(struct job *job)
{
    struct simulation_request request;
    char *problem = NULL;
    if (!job_simulation(job, &request))
        return NULL;
    struct schedule *timed = timed_new(job->scene.schedule, &request, &problem, &job->diagnostics);
    if (problem)
        usage_error(job->options, "'%s' has no times: %s", job->argument, problem);
    free(problem);
    return timed;
}

/* True if there is room for the output: at least one shortest line for each end of a message. */
static bool compile_has_room(const struct job *job)
{
    enum { LEAST_BYTES = 37, NUMBERS = 6 }; /* "R send in[C] to R", "R recv out[C] from R" */
    if (!job->scene.binding)
        return true;
    const struct estimate estimate = estimate_verification(job->scene.binding, HUGE_VAL);
    const double digits = floor(log10(job->scene.binding->n_ranks)) + 1;
    return budget_allows_text(job->options, estimate.n_messages * (LEAST_BYTES + NUMBERS * digits));
}

/* Writes down where the ranks are whose hosts a file of another tool names. */
static void compile_keep_hosts(struct job *job)
{
    struct schedule_header *header = &job->scene.schedule->header;
    if (!header->hosts || !job->scene.topology_spec || header->topology)
        return;
    header->topology = job->scene.topology_spec;
    header->fingerprint = job->scene.topology->fingerprint;
    header->machine = job->scene.placement->machine;
}

int command_compile(const struct options *options)
{
    struct job job = job_begin(options);
    int status = job_open(&job);
    struct schedule *timed = NULL;
    if (status == STATUS_CLEAN && !compile_has_room(&job))
        status = STATUS_FAILED;
    if (status == STATUS_CLEAN)
        compile_keep_hosts(&job);
    if (status == STATUS_CLEAN && options->timed && !(timed = compile_add_times(&job)))
        status = STATUS_FAILED;
    if (status == STATUS_CLEAN) {
        struct output output = output_open(options->output);
        if (schedule_print(timed ? timed : job.scene.schedule, output_write, &output) ||
            (!job.scene.schedule->failed && ferror(output.file))) {
            output_commit(&output);
        } else {
            output_discard(&output);
            status = STATUS_FAILED;
        }
    }
    if (timed)
        timed->destroy(timed);
    return job_close(&job, status);
}
