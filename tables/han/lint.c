/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports what a rule file of coll/han says but does not mean.
 */
#include "base/codes.h"
#include "tables/han/han.h"

#include <string.h>

static struct position han_lint_at(const struct han_table *of, struct slice slice)
{
    return slice_position(of->table.source, slice);
}

static struct position at_number(const struct han_table *of, const struct ompi_number *number)
{
    return ompi_number_position(of->table.source, number);
}

static void lint_ignored(const struct han_table *of, struct diagnostics *findings)
{
    const struct table *table = &of->table;
    if (table->ends_program) {
        report(findings, CODE_B021, table->ignored_at, "the program ends in a segmentation fault: %s",
               table->ignored)
            ->help = "write 'han' alone";
        return;
    }
    const char *cause = "mend it";
    if (strstr(table->ignored, "component"))
        cause =
            "components are self, basic, libnbc, tuned, sm, adapt and han, by name, with a blank behind them";
    else if (strstr(table->ignored, "the file ends"))
        cause = "compare the counts with what follows them: one announces more than there is";
    else if (strstr(table->ignored, "has to be"))
        cause = "write it first: 'han' on a communicator, 'tuned' below, are what acts without a row";
    report(findings, CODE_B001, table->ignored_at, "the whole file is ignored: %s", table->ignored)->help =
        diagnostics_text(findings, "%s; until then variables coll_han_... decide for every collective",
                         cause);
}

/* Checks counts and numbers of ranks; sizes of messages are decimal, whatever they begin with. */
static void han_lint_numbers(const struct han_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_counts; i++) {
        const struct ompi_number *number = &of->counts[i];
        if (number->base != 10)
            report(findings, CODE_B002, at_number(of, number), "'%.*s' is %s: it is read as %lld",
                   (int)number->length, number->text, number->base == 8 ? "octal" : "hexadecimal",
                   (long long)number->value)
                ->help = "write it in decimal, without a leading 0";
        if (number->is_glued)
            report(findings, CODE_B003, at_number(of, number),
                   "the digits in a word are read as the number %lld", (long long)number->value)
                ->help = "put a '#' before words";
    }
}

static void lint_unread(const struct han_table *of, struct diagnostics *findings)
{
    if (of->trailing.length)
        report(findings, CODE_B004, at_number(of, &of->trailing),
               "nothing is read from here on: the file announces %lld collective%s",
               (long long)of->n_said.value, plural((uint64_t)of->n_said.value))
            ->help = "count the collectives in its first number";
    for (size_t i = 0; i < of->n_sets; i++) {
        const struct han_set *set = &of->sets[i];
        if (set->replaced_by) {
            struct diagnostic *finding = report(findings, CODE_B004, han_lint_at(of, set->at),
                                                "these rules for %s never act: the last ones do",
                                                ompi_collective_names[set->collective]);
            finding->help = "put all levels of a collective under one name";
            finding->related = han_lint_at(of, of->sets[set->replaced_by - 1].at);
            finding->related_text = "those that act";
            continue;
        }
        for (size_t j = set->first; j < set->first + set->n; j++) {
            const struct han_level_set *level = &of->levels[j];
            if (!level->replaced_by)
                continue;
            struct diagnostic *finding =
                report(findings, CODE_B004, han_lint_at(of, level->at),
                       "these rules for level %s never act: the last ones do", han_level_names[level->level]);
            finding->related = han_lint_at(of, of->levels[level->replaced_by - 1].at);
            finding->related_text = "those that act";
        }
    }
}

/* ---- what acts ---- */

static bool han_lint_is_nothing(struct span span)
{
    return span.first > span.last;
}

static const char *han_lint_component_of(const struct han_row *row)
{
    return han_component_names[row->rule.algorithm - 1];
}

static void lint_size(const struct han_table *of, const struct han_set *set, const struct han_size *size,
                      struct diagnostics *findings)
{
    if (size->n == 0)
        report(findings, CODE_B008, at_number(of, &size->n_said),
               "no rows: the variables coll_han_... decide")
            ->help = "write one at least, or take the number of ranks away";
    for (size_t i = size->first; i < size->first + size->n; i++) {
        const struct han_row *row = &of->rows[i];
        if (i == size->first && row->size == 1)
            report(findings, CODE_B008, at_number(of, &row->bytes), "no row for calls of 0 bytes")
                ->help = "let the first row begin at 0";
        if (set->collective == OMPI_barrier && row->size > 0)
            report(findings, CODE_B009, at_number(of, &row->bytes),
                   "the row never acts: barrier is looked up with size 0, whatever the call");
        else if (han_lint_is_nothing(row->rule.keys))
            report(findings, CODE_B006, at_number(of, &row->bytes),
                   "the row never acts: one behind it is of no greater size, and the last that fits counts")
                ->help = "write them in ascending order, each once";
        else if (row->bytes.length > 1 && *row->bytes.text == '0')
            report(findings, CODE_B027, at_number(of, &row->bytes),
                   "the size is read as %llu: sizes are decimal here", (unsigned long long)row->size)
                ->help = "write it without a leading 0";
    }
}

static void han_lint_rows(const struct han_table *of, const struct han_size *size,
                          struct diagnostics *findings)
{
    for (size_t i = size->first; i < size->first + size->n; i++) {
        const struct han_row *row = &of->rows[i];
        const char *lack = han_lack((enum han_component)(row->rule.algorithm - 1), row->level);
        if (lack && !han_lint_is_nothing(row->rule.keys))
            report(findings, CODE_B012, han_lint_at(of, row->at), "coll/tuned answers in place of %s: %s",
                   han_lint_component_of(row), lack)
                ->help = "write the component that shall answer: tuned, basic, or on a communicator han";
        if (han_ends_program(of->version, row) && !han_lint_is_nothing(row->rule.keys))
            report(findings, CODE_B021, han_lint_at(of, row->at),
                   "calls that come here end the program: %s calls coll/han's own allreduce with what "
                   "belongs to "
                   "coll/%s, a segmentation fault",
                   of->version->title, han_lint_component_of(row))
                ->help = "write han for all sizes of allreduce (seen with 4.1.4)";
        if (row->segments.length)
            report(findings, CODE_B014, han_lint_at(of, row->segments),
                   "segment lengths are read and not kept: coll_han_%s_segsize says them",
                   ompi_collective_names[row->rule.collective]);
    }
}

static void lint_level(const struct han_table *of, const struct han_set *set,
                       const struct han_level_set *level, struct diagnostics *findings)
{
    if (level->level != HAN_GLOBAL && !of->version->has_levels) {
        report(findings, CODE_B009, han_lint_at(of, level->at),
               "these rules never act: %s makes communicators within and between machines without coll/han",
               of->version->title)
            ->help = "variables coll_han_..._low_module and coll_han_..._up_module choose there";
        return;
    }
    if (!han_has(set->collective, level->level)) {
        report(findings, CODE_B009, han_lint_at(of, level->at),
               "these rules never act: coll/han does not answer %s on the communicator itself",
               ompi_collective_names[set->collective]);
        return;
    }
    if (level->n == 0)
        report(findings, CODE_B008, at_number(of, &level->n_said),
               "no rows: the variables coll_han_... decide");
    for (size_t i = level->first; i < level->first + level->n; i++) {
        const struct han_size *size = &of->sizes[i];
        if (han_lint_is_nothing(size->acts_on)) {
            report(findings, CODE_B006, at_number(of, &size->ranks),
                   "these rows never act: those behind it are of no more ranks, and the last that fit count")
                ->help = "write them in ascending order, each once";
            continue;
        }
        lint_size(of, set, size, findings);
        han_lint_rows(of, size, findings);
    }
}

static void lint_set(const struct han_table *of, const struct han_set *set, struct diagnostics *findings)
{
    if (!han_has(set->collective, HAN_WITHIN)) {
        report(findings, CODE_B009, han_lint_at(of, set->at),
               "these rules never act: coll/han has none for %s", ompi_collective_names[set->collective])
            ->help = "it has for allgather, allreduce, barrier, bcast, gather, reduce and scatter";
        return;
    }
    for (size_t i = set->first; i < set->first + set->n; i++)
        if (!of->levels[i].replaced_by)
            lint_level(of, set, &of->levels[i], findings);
}

/* Reports hidden rules, once for the file. */
static void lint_hidden(const struct han_table *of, struct diagnostics *findings)
{
    const struct position start = at_number(of, &of->n_said);
    if (!of->version->is_on)
        report(findings, CODE_B017, start,
               "%s gives coll/han the priority 0: coll/tuned answers, and no rule of this file acts",
               of->version->title)
            ->help = "'--mca coll_han_priority 40' puts it before coll/tuned";
    for (size_t i = 0; i < of->n_levels && of->version->has_levels; i++)
        if (of->levels[i].level != HAN_GLOBAL && !of->levels[i].replaced_by && of->levels[i].n) {
            report(findings, CODE_B017, han_lint_at(of, of->levels[i].at),
                   "rules for communicators within and between machines act in simple algorithms of coll/han "
                   "alone")
                ->help = "'han @simple' on the communicator itself takes these";
            return;
        }
}

/* Reports a file that settings name and do not switch on. */
static void lint_switch(const struct settings *settings, struct diagnostics *findings)
{
    static const char name[] = "coll_han_use_dynamic_file_rules";
    const struct setting *is_on = settings_acting(settings, &han_dialect, slice_of(name));
    const struct setting *file = settings_acting(settings, &han_dialect, slice_of(HAN_FILENAME));
    if (file && !is_on)
        report(findings, CODE_B009, settings_position(settings, file->name),
               "'%.*s' has no effect without %s", (int)file->name.length, file->name.text, name)
            ->help = "set it to 1 beside it";
}

void han_lint(const struct table *table, struct diagnostics *findings)
{
    const struct han_table *of = han_table_of(table);
    if (table->settings)
        lint_switch(table->settings, findings);
    han_lint_numbers(of, findings);
    if (table->ignored) {
        lint_ignored(of, findings);
        return;
    }
    lint_unread(of, findings);
    for (size_t i = 0; i < of->n_sets; i++)
        if (!of->sets[i].replaced_by)
            lint_set(of, &of->sets[i], findings);
    lint_hidden(of, findings);
}
