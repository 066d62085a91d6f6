/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc compile: writes the schedule as text.
 */
#include "compiler/driver/output.h"
#include "compiler/driver/pipeline.h"

int command_compile(const struct options *options)
{
    struct job job = {0};
    int status = job_open(&job, options);
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
