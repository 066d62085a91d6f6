/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc fmt: reads, checks and prints an algorithm.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/language/language.h"

#include <stdio.h>
#include <string.h>

static int print_program(const struct job *job)
{
    struct text text = {0};
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(job->source, &diagnostics);
    program_print(written, &text);
    program_free(written);
    diagnostics_free(&diagnostics);
    int status = STATUS_CLEAN;
    if (!job->options->check)
        output_text(job->options->output, &text);
    else if (text.length != job->source->length ||
             memcmp(text.data, job->source->text, text.length) != 0)
        status = STATUS_FINDINGS;
    if (status == STATUS_FINDINGS)
        printf("%s: not in canonical layout\n", job->source->path);
    text_free(&text);
    return status;
}

int command_fmt(const struct options *options)
{
    struct job job = job_begin(options);
    int status = job_read(&job) ? STATUS_CLEAN : STATUS_FAILED;
    if (job.schedule)
        status = usage_error(options, "'%s' is a schedule file, not an algorithm",
                             options->arguments[0]);
    if (status == STATUS_CLEAN)
        status = print_program(&job);
    return job_close(&job, status);
}
