/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates the ranges for small and large numbers of all that they depend on. One that is empty each time,
 * and by more where the numbers are larger, was meant to run the other way; a range such as `2 .. p-1` is
 * empty for small numbers only, `k .. k-1` by as much for all, and `1 .. 0` is how to write none.
 */
#include "study/lint/ranges.h"

#include "base/codes.h"
#include "compiler/passes/variables.h"

#include <stdlib.h>

enum { SMALL = 0, LARGE = 15, MOST_RANKS = 64 };

/* Numbers that variables have; a parameter below 0: its default. */
struct range_numbers {
    int64_t servers, slots, parameter, loop;
};

/* Distance from the first number of a range to its last, against its direction: above 0 it is empty. */
struct range_gap {
    bool is_known;
    int64_t gap;
};

struct ranges {
    const struct program *program;
    struct environment *environment;
    struct range_gap *at; /* [number of a statement] with the numbers of the last walk */
    bool *has_number;     /* [variable] in the last walk */
};

/* ---- numbers ---- */

static int64_t named_number(uint32_t named, const struct range_numbers *numbers)
{
    switch (named) {
    case NAMED_p:
    case NAMED_present: return numbers->servers * numbers->slots;
    case NAMED_root:
    case NAMED_isomorphic: return 1;
    case NAMED_slots:
    case NAMED_max_slots:
    case NAMED_cluster_ranks: return numbers->slots;
    default: return numbers->servers;
    }
}

/* True if the value depends on numbers alone, and on no place of a rank in its network. */
static bool is_of_numbers(const struct ranges *ranges, const struct expr *expr)
{
    if (!expr)
        return true;
    if (expr->kind == EXPR_VARIABLE)
        return ranges->has_number[expr->variable];
    return expr->kind != EXPR_CALL && expr->kind != EXPR_GROUPS_BEFORE && !is_grid_function(expr->kind) &&
           !is_neighbor_function(expr->kind) && is_of_numbers(ranges, expr->a) &&
           is_of_numbers(ranges, expr->b) && is_of_numbers(ranges, expr->c);
}

static bool ranges_evaluate(const struct ranges *ranges, const struct expr *expr, int64_t *value)
{
    return expr->is_uniform && is_of_numbers(ranges, expr) &&
           evaluate_uniform(ranges->environment, expr, value);
}

/* Gives each variable its number, but for those that statements assign. */
static void ranges_assign(struct ranges *ranges, const struct range_numbers *numbers)
{
    for (uint32_t i = 0; i < ranges->program->n_variables; i++) {
        const struct variable *variable = &ranges->program->variables[i];
        int64_t number = numbers->parameter;
        ranges->has_number[i] = true;
        if (variable->kind == VARIABLE_NAMED)
            number = named_number(variable->index, numbers);
        else if (variable->kind == VARIABLE_LOOP)
            number = numbers->loop;
        else if (variable->value && (variable->kind == VARIABLE_LET || number < 0) &&
                 !ranges_evaluate(ranges, variable->value, &number)) {
            ranges->has_number[i] = false;
            number = 0;
        }
        variables_assign_uniform(ranges->environment, i, number);
    }
}

/* Measures a range; one that differs between ranks may be meant to be empty for some. */
static struct range_gap measure_range(struct ranges *ranges, const struct statement *loop)
{
    int64_t first, last, by = 1;
    if (!ranges_evaluate(ranges, loop->expr, &first) || !ranges_evaluate(ranges, loop->last, &last) ||
        (loop->by && !ranges_evaluate(ranges, loop->by, &by)))
        return (struct range_gap){.is_known = false};
    return (struct range_gap){true, by > 0 ? first - last : last - first};
}

static void walk_ranges(struct ranges *ranges, const struct statement *s)
{
    for (int64_t value; s; s = s->next) {
        if (s->of_run)
            continue;
        if (s->kind == STATEMENT_FOR)
            ranges->at[s->number] = measure_range(ranges, s);
        if (s->kind == STATEMENT_LET) {
            ranges->has_number[s->variable] = ranges_evaluate(ranges, s->expr, &value);
            if (ranges->has_number[s->variable])
                variables_assign_uniform(ranges->environment, s->variable, value);
        }
        walk_ranges(ranges, s->body);
        walk_ranges(ranges, s->otherwise);
    }
}

static void measure_ranges(struct ranges *ranges, const struct range_numbers *numbers)
{
    ranges_assign(ranges, numbers);
    for (const struct definition *d = ranges->program->definitions; d; d = d->next)
        walk_ranges(ranges, d->body);
    walk_ranges(ranges, ranges->program->body);
}

/* ---- findings ---- */

/* A range in all walks. */
struct range_history {
    bool is_empty;          /* each time */
    int64_t small, large;   /* distances with the smallest and the largest numbers */
    uint32_t last_run[2];   /* most ranks with which it runs, in loops that are at 0 and that are far */
};

static void ranges_note_walk(const struct ranges *ranges, unsigned walk, struct range_history *all)
{
    for (uint32_t i = 0; i < ranges->program->n_statements; i++) {
        const struct range_gap *at = &ranges->at[i];
        all[i].is_empty = (walk == SMALL || all[i].is_empty) && at->is_known && at->gap > 0;
        if (walk == SMALL)
            all[i].small = at->gap;
        if (walk == LARGE)
            all[i].large = at->gap;
    }
}

/* Finds up to how many ranks, one on a server, each range runs. */
static void find_last_runs(struct ranges *ranges, struct range_history *all)
{
    for (unsigned is_far = 0; is_far < 2; is_far++)
        for (uint32_t p = 1; p <= MOST_RANKS; p++) {
            measure_ranges(ranges, &(struct range_numbers){p, 1, -1, is_far ? 12 : 0});
            for (uint32_t i = 0; i < ranges->program->n_statements; i++)
                if (!ranges->at[i].is_known || ranges->at[i].gap <= 0)
                    all[i].last_run[is_far] = p;
        }
}

static void report_range(const struct ranges *ranges, const struct statement *loop,
                         const struct range_history *history, struct diagnostics *diagnostics)
{
    struct environment *environment = ranges->environment;
    const uint32_t last = history->last_run[0];
    const char *first = expression_text(environment, loop->expr);
    const char *end = expression_text(environment, loop->last);
    const char *by = loop->by ? expression_text(environment, loop->by) : "1";
    const bool is_down = by[0] != '-';
    struct text with = {0};
    if (last && last < MOST_RANKS && last == history->last_run[1])
        text_printf(&with, " with %u ranks or more", last + 1);
    struct diagnostic *finding =
        report(diagnostics, CODE_W003, loop->position, "'%s .. %s' runs %s: %s'by %s%s' it runs no time%s",
               first, end, is_down ? "down" : "up", is_down ? "without " : "with ", is_down ? "-" : "", by,
               with.length ? with.data : "");
    finding->help = is_down ? diagnostics_text(diagnostics, "write '%s .. %s by -%s'", first, end, by)
                            : diagnostics_text(diagnostics, "leave out 'by %s'", by);
    text_free(&with);
}

static void report_ranges(const struct ranges *ranges, const struct statement *s,
                          const struct range_history *all, struct diagnostics *diagnostics)
{
    for (; s; s = s->next) {
        const struct range_history *history = &all[s->number];
        if (s->of_run)
            continue;
        if (s->kind == STATEMENT_FOR && history->is_empty &&
            (history->large > history->small ||
             (history->small > 1 && s->expr->kind == EXPR_INTEGER && s->last->kind == EXPR_INTEGER)))
            report_range(ranges, s, history, diagnostics);
        report_ranges(ranges, s->body, all, diagnostics);
        report_ranges(ranges, s->otherwise, all, diagnostics);
    }
}

void ranges_check(const struct program *program, struct diagnostics *diagnostics)
{
    struct ranges ranges = {program, environment_new(program, diagnostics),
                            mem_alloc(program->n_statements + 1, sizeof *ranges.at),
                            mem_alloc(program->n_variables + 1, sizeof *ranges.has_number)};
    struct range_history *all = mem_alloc(program->n_statements + 1, sizeof *all);
    ranges.environment->is_trial = true;
    for (unsigned walk = SMALL; walk <= LARGE; walk++) {
        measure_ranges(&ranges, &(struct range_numbers){walk & 1 ? 16 : 4, walk & 2 ? 16 : 4,
                                                        walk & 4 ? 12 : 2, walk & 8 ? 12 : 2});
        ranges_note_walk(&ranges, walk, all);
    }
    find_last_runs(&ranges, all);
    for (const struct definition *d = program->definitions; d; d = d->next)
        report_ranges(&ranges, d->body, all, diagnostics);
    report_ranges(&ranges, program->body, all, diagnostics);
    environment_free(ranges.environment);
    free(ranges.at);
    free(ranges.has_number);
    free(all);
}
