/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc compile: writes the schedule as text.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"

#include <stdio.h>

int command_compile(const struct options *options)
{
    struct job job = job_begin(options);
    int status = job_open(&job);
    if (status == STATUS_CLEAN) {
        struct output output = output_open(options->output);
        if (schedule_print(job.schedule, output_write, &output) ||
            (!job.schedule->failed && ferror(output.file))) {
            output_commit(&output);
        } else {
            output_discard(&output);
            status = STATUS_FAILED;
        }
    }
    return job_close(&job, status);
}
