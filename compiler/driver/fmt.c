/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc fmt: reads, checks and prints algorithms, or says how they differ from what it would print.
 */
#include "base/text/file_list.h"
#include "base/text/line_diff.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/language/language.h"

#include <stdio.h>
#include <string.h>

static void print_canonical(const struct source *source, struct text *text)
{
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(source, &diagnostics);
    program_print(written, text);
    program_free(written);
    diagnostics_free(&diagnostics);
}

/* Prints, writes or judges the layout of a file that was read without errors, as the options say. Returns a
 * status. */
static int fmt_finish(const struct job *job, const struct text *text)
{
    const struct options *options = job->options;
    const struct source *source = job->scene.source;
    const bool is_same =
        text->length == source->length && memcmp(text->data, source->text, text->length) == 0;
    const bool is_judged = options->check || options->diff;
    if (options->in_place && job->scene.is_builtin)
        return usage_error(options, "'%s' is built in, not a file", job->argument);
    if (!is_judged && !options->in_place)
        output_text(options->output, text);
    else if (!is_judged && !is_same) {
        output_may_renew(job->argument);
        output_text(job->argument, text);
    }
    if (!is_same && options->check)
        printf("%s: not in canonical layout\n", source->path);
    if (!is_same && options->diff) {
        struct text diff = {0};
        line_diff(source->path, (struct slice){source->text, source->length},
                  (struct slice){text->data, text->length}, &diff);
        output_text(NULL, &diff);
        text_free(&diff);
    }
    return is_judged && !is_same ? STATUS_FINDINGS : STATUS_CLEAN;
}

static int format_one(const struct options *options, const char *name)
{
    struct job job = job_begin(options);
    struct text text = {0};
    job.argument = name;
    int status = job_read(&job) ? STATUS_CLEAN : STATUS_FAILED;
    if (job.scene.schedule)
        status = usage_error(options, "'%s' is a schedule file, not an algorithm", name);
    if (status == STATUS_CLEAN) {
        print_canonical(job.scene.source, &text);
        status = fmt_finish(&job, &text);
    }
    text_free(&text);
    return job_close(&job, status);
}

int command_fmt(const struct options *options)
{
    struct file_list files = {0};
    struct diagnostics diagnostics = {0};
    int worst = STATUS_CLEAN;
    for (uint32_t i = 0; i < options->n_arguments; i++)
        if (!file_list_add_tree(&files, options->arguments[i], ".coll", &diagnostics))
            worst = STATUS_FAILED;
    const bool is_single = files.n == 1 && strcmp(files.paths[0], options->arguments[0]) == 0;
    say_diagnostics(options, &diagnostics);
    diagnostics_free(&diagnostics);
    if (files.n && !is_single && !options->check && !options->diff && !options->in_place)
        worst = usage_error(options, "of several files say what to do: --in-place, --check or --diff");
    else
        for (size_t i = 0; i < files.n; i++) {
            const int status = format_one(options, files.paths[i]);
            worst = status > worst ? status : worst;
        }
    file_list_free(&files);
    return worst;
}
