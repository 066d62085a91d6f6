/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports what no trial of an algorithm has shown: statements that no rank executed, conditions with one
 * value, steps without an operation, unused chunks of `tmp`, and messages that went only to their
 * senders.
 */
#include "study/lint/lint.h"

#include "base/codes.h"
#include "ir/use.h"

struct inspection {
    const struct lint_trials *trials;
    struct diagnostics *findings;
};

static const char tried[] = "no number of ranks, root or parameter that was tried needs it: take "
                            "it out, or see why";

static uint64_t covered(const struct inspection *inspection, const struct statement *statement)
{
    return inspection->trials->run.coverage[statement->number];
}

static bool has_operation(const struct inspection *inspection, const struct statement *statement);

/* True if some rank sent, received or copied something by the statement. */
static bool is_operation(const struct inspection *inspection, const struct statement *statement)
{
    bool is_control = statement->kind >= STATEMENT_LET;
    return (!is_control && covered(inspection, statement)) ||
           has_operation(inspection, statement->body) ||
           has_operation(inspection, statement->otherwise) ||
           (statement->kind == STATEMENT_CALL &&
            has_operation(inspection, statement->definition->body));
}

/* True if some statement of a block is such. */
static bool has_operation(const struct inspection *inspection, const struct statement *statement)
{
    bool found = false;
    for (; statement && !found; statement = statement->next)
        found = is_operation(inspection, statement);
    return found;
}

static void inspect_block(const struct inspection *inspection, const struct statement *statement);

/* Inspects an `if`; below a condition that never holds, nothing more is reported. */
static void inspect_if(const struct inspection *inspection, const struct statement *s)
{
    uint64_t n = covered(inspection, s);
    bool is_never = !covered(inspection, s->body);
    bool is_always = covered(inspection, s->body) == n;
    /* ranks may be absent in a run; alone they are all there */
    if ((is_never || is_always) && !expr_use(s->expr, NAMED_present))
        report(inspection->findings, CODE_W002, s->expr->position,
               is_never ? "the condition is never true" : "the condition is always true")
            ->help = tried;
    if (!is_never)
        inspect_block(inspection, s->body);
    if (!is_always)
        inspect_block(inspection, s->otherwise);
}

/* Inspects a send. Several statements may stand in a line, so all messages of the line must be of the
 * kind. */
static void inspect_send(const struct inspection *inspection, const struct statement *s)
{
    const struct lint_trials *trials = inspection->trials;
    uint32_t line = s->position.line;
    if (line > trials->n_lines || !trials->n_sends[line] ||
        trials->n_sends[line] != trials->n_to_self[line])
        return;
    report(inspection->findings, CODE_W006, s->position,
           "every rank sends this message to itself")
        ->help = "write a copy: it needs no message";
}

static void inspect(const struct inspection *inspection, const struct statement *s)
{
    if (s->of_run)
        return;
    if (!covered(inspection, s)) {
        report(inspection->findings, CODE_W003, s->position, "no rank carries out this statement")
            ->help = tried;
        return;
    }
    if (s->kind == STATEMENT_STEP && !has_operation(inspection, s->body)) {
        report(inspection->findings, CODE_W004, s->position, "nobody does anything in this step")
            ->help = tried;
        return;
    }
    if (s->kind == STATEMENT_SEND)
        inspect_send(inspection, s);
    if (s->kind == STATEMENT_IF)
        inspect_if(inspection, s);
    else
        inspect_block(inspection, s->body);
}

/* Inspects a block up to the first statement that no rank reaches, as the others would repeat that. */
static void inspect_block(const struct inspection *inspection, const struct statement *statement)
{
    bool is_reached = true;
    for (; statement && is_reached; statement = statement->next) {
        is_reached = statement->of_run || covered(inspection, statement) > 0;
        inspect(inspection, statement);
    }
}

/* Inspects definitions, except those that are never called, which are W001. */
static void inspect_definitions(const struct inspection *inspection)
{
    const struct program *program = inspection->trials->run.program;
    for (const struct definition *d = program->definitions; d; d = d->next)
        if (d->body && covered(inspection, d->body))
            inspect_block(inspection, d->body);
}

/* Reports an idle first or last step of every schedule if its statement has others that are not. */
static void inspect_ends(const struct inspection *inspection)
{
    const struct lint_trials *trials = inspection->trials;
    const struct statement *first = trials->run.program->body, *last = first;
    for (const struct statement *s = first; s; s = s->next)
        last = is_operation(inspection, s) ? s : last;
    const struct {
        const struct statement *statement;
        uint64_t n_idle;
        const char *message;
    } ends[] = {{first, trials->n_begin_idle, "wherever it was tried, the first step is idle"},
                {last, trials->n_end_idle, "wherever it was tried, the last step is idle"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct statement *s = ends[i].statement;
        if (s && !s->of_run && s->kind != STATEMENT_STEP && ends[i].n_idle &&
            ends[i].n_idle == trials->n_with_messages)
            report(inspection->findings, CODE_W004, s->position, "%s", ends[i].message)
                ->help = "a loop may begin a turn too early or go a turn too far";
    }
}

void lint_coverage(const struct lint_trials *trials, struct diagnostics *findings)
{
    struct inspection inspection = {trials, findings};
    const uint64_t n_empty = findings->n_of_code[CODE_W004];
    inspect_definitions(&inspection);
    inspect_block(&inspection, trials->run.program->body);
    if (findings->n_of_code[CODE_W004] == n_empty) /* otherwise W004 gives the reason */
        inspect_ends(&inspection);
    /* the inspection of an algorithm that is run checks its own use of `tmp` */
    if (trials->tmp_used && !trials->uses_tmp_fully && !trials->run.program->parts)
        report(findings, CODE_W005, trials->run.program->n_tmp->position,
               "'tmp' has chunks that are never used: at best %llu of %llu are",
               (unsigned long long)trials->tmp_used, (unsigned long long)trials->tmp_declared)
            ->help = "declare as many as the algorithm needs";
}
