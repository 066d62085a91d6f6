/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc convert: a rule table of one version of an MPI as one for another, and what that cannot say.
 */
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "tables/loaders.h"

#include <string.h>

/* Refuses the pair of targets; the help lists the targets that a table of this one can be written for. */
static int refuse_pair(const struct options *options, const struct table_loader *from)
{
    struct text help = {0};
    for (size_t i = 0; i < n_table_loaders; i++)
        if (from->convert && table_loaders[i]->convert == from->convert)
            text_printf(&help, "%s%s", help.length ? ", " : "it can be written for ", table_loaders[i]->target);
    usage_error_with(help.length ? help.data : "it can be written for no other", "a table of '%s' says nothing to '%s'",
                     options->target, options->to);
    text_free(&help);
    return STATUS_FAILED;
}

static int refuse_ignored(const struct options *options, const struct table *table)
{
    return usage_error_with("see 'collc lint' for what is wrong with it", "'%s' is %s by '%s': %s",
                            options->arguments[0], table->ends_program ? "refused" : "ignored",
                                options->target,
                            table->ignored);
}

static int refuse_settings(const struct options *options)
{
    return usage_error_with("only rule tables are converted", "'%s' has settings of '%s', not a table",
                            options->arguments[0], options->target);
}

/* Joins what says the same of several rows. */
static void join_alike(struct diagnostics *lost)
{
    for (struct diagnostic *d = lost->first; d; d = d->next)
        for (struct diagnostic **link = &d->next; *link;) {
            if ((*link)->code != d->code || strcmp((*link)->message, d->message) != 0) {
                link = &(*link)->next;
                continue;
            }
            d->n_more += 1 + (*link)->n_more;
            *link = (*link)->next;
        }
}

static int driver_convert(const struct options *options, const struct table *table,
                          const struct table_loader *to)
{
    struct diagnostics lost = {.keep_per_code = UINT32_MAX};
    struct text text = {0};
    table->loader->convert(table, to, unmade_calls(options), &text, &lost);
    output_text(options->output, &text);
    join_alike(&lost);
    say_diagnostics(options, &lost);
    const int status = lost.first ? STATUS_FINDINGS : STATUS_CLEAN;
    text_free(&text);
    diagnostics_free(&lost);
    return status;
}

int command_convert(const struct options *options)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    int status = STATUS_FAILED;
    const struct table_loader *from = wanted_loader(options);
    const struct table_loader *to = from && options->to ? table_loader_find(options->to) : NULL;
    const struct table *table = NULL;
    if (from && !options->to)
        status = usage_error(options, "say for which MPI: --to, for example '--to %s'", options->target);
    else if (from && (!from->convert || from->convert != to->convert))
        status = refuse_pair(options, from);
    else if (from)
        table = read_table(from, options->arguments[0], &arena, &diagnostics);
    if (table && table->settings)
        status = refuse_settings(options);
    else if (table)
        status = table->ignored ? refuse_ignored(options, table) : driver_convert(options, table, to);
    say_diagnostics(options, &diagnostics);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return status;
}
