/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --dump-after: prints what a pass has made of the algorithm.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/language/language.h"

static const char *const pass_name[N_PASSES] = {
#define PASS(name, help) [PASS_##name] = #name,
#include "compiler/passes/passes.def"
};

static void print_pass(struct job *job, enum pass pass, struct text *text)
{
    struct program *written;
    switch (pass) {
    case PASS_parse:
        written = program_read_as_written(job->scene.source, &job->diagnostics);
        program_print(written, text);
        program_free(written);
        break;
    case PASS_inline:
        program_print_tree(job->scene.program, NULL, text);
        break;
    case PASS_bind:
        dump_binding(job->scene.binding, text);
        break;
    case N_PASSES:
        break;
    }
}

bool job_dump(struct job *job, enum pass pass)
{
    struct text text = {0};
    if (!job->options->dump_after || !option_is(job->options->dump_after, pass_name[pass]))
        return true;
    print_pass(job, pass, &text);
    output_text(job->options->output, &text);
    text_free(&text);
    job->is_dumped = true;
    return false;
}
