/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc diff: what has become worse from one report to another. Each side is a report in JSON, or a schedule,
 * of which a report is made that has every link.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/verify.h"
#include "reports/diff.h"

#include <string.h>

enum { SHOWN = 20, REPORT_LIMIT = 1 << 30 };

struct diff_run {
    const struct options *options;
    struct arena arena;
    struct diagnostics diagnostics;
    struct text text[2]; /* reports that were made here */
};

/* Returns the file if its first character is that of a report, else NULL. */
static const struct source *read_report(struct diff_run *run, const char *path)
{
    struct diagnostics unread = {0};
    const struct source *source = source_read(path, REPORT_LIMIT, &run->arena, &unread);
    diagnostics_free(&unread);
    return source && source->text[strspn(source->text, " \t\r\n")] == '{' ? source : NULL;
}

/* Returns the report of a schedule on the network of its side; NULL after saying why there is none. */
static const struct source *make_report(struct diff_run *run, size_t side)
{
    const struct text_list *networks = &run->options->topologies;
    const char *network = networks->n ? networks->items[networks->n > 1 ? side : 0] : NULL;
    struct options options = *run->options;
    options.format = "json";
    options.max_findings = 0;
    if (network)
        options.limits.max_link_load = options.limits.max_total_load = limit_of(0);
    if (verify_into(&options, run->options->arguments[side], network, &run->text[side]) == STATUS_FAILED)
        return NULL;
    return source_of_text(run->options->arguments[side], run->text[side].data, run->text[side].length,
                          &run->arena);
}

static const struct source *find_report(struct diff_run *run, size_t side)
{
    const struct source *source = read_report(run, run->options->arguments[side]);
    return source ? source : make_report(run, side);
}

int command_diff(const struct options *options)
{
    struct diff_run run = {.options = options};
    struct diff diff = {.n_reports = 0};
    struct text out = {0};
    int status = STATUS_FAILED;
    if (options->topologies.n > 2)
        return usage_error(options, "--topology is of the old one and of the new one: give one or two");
    if (option_is(options->arguments[0], "-") || option_is(options->arguments[1], "-"))
        return usage_error(options, "standard input is not read here: name two files");
    const struct source *old = find_report(&run, 0), *new = old ? find_report(&run, 1) : NULL;
    if (new && diff_make(old, new, &diff, &run.diagnostics)) {
        if (option_is(options->format, "json"))
            diff_json(&diff, &out);
        else
            diff_text(&diff, options->max_findings ? options->max_findings : SHOWN, &out);
        output_text(NULL, &out);
        status = diff_is_worse(&diff) ? STATUS_FINDINGS : STATUS_CLEAN;
    }
    say_diagnostics(options, &run.diagnostics);
    text_free(&out);
    for (size_t i = 0; i < 2; i++)
        text_free(&run.text[i]);
    diff_free(&diff);
    diagnostics_free(&run.diagnostics);
    arena_free(&run.arena);
    return status;
}
