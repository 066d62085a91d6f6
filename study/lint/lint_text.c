/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the text of an algorithm: unused names, an empty head, lines in another layout.
 */
#include "compiler/language/language.h"
#include "base/codes.h"
#include "compiler/passes/stated.h"
#include "ir/use.h"
#include "study/lint/lint.h"
#include "study/lint/ranges.h"

#include <string.h>

/* ---- statements of a kind ---- */

static bool block_uses(const struct statement *statement, const struct definition *definition);

/* Calls the definition, or, where that is NULL, names chunks of `tmp`. */
static bool statement_uses(const struct statement *s, const struct definition *definition)
{
    bool uses_tmp = s->chunks.buffer == BUFFER_TMP || s->to_chunks.buffer == BUFFER_TMP;
    bool is_call = s->kind == STATEMENT_CALL && s->definition == definition;
    return (definition ? is_call : uses_tmp) || block_uses(s->body, definition) ||
           block_uses(s->otherwise, definition);
}

static bool block_uses(const struct statement *statement, const struct definition *definition)
{
    bool found = false;
    for (; statement && !found; statement = statement->next)
        found = statement_uses(statement, definition);
    return found;
}

static bool program_uses(const struct program *program, const struct definition *definition)
{
    bool found = block_uses(program->body, definition);
    for (const struct definition *d = program->definitions; d && !found; d = d->next)
        found = block_uses(d->body, definition);
    return found;
}

/* ---- names ---- */

static void report_unused(struct diagnostics *findings, struct position position, const char *what,
                          const char *name)
{
    report(findings, CODE_W001, position, "%s '%s' is never used", what, name)->help =
        "take it out, or see what was to use it";
}

/* Checks that a variable is used. A loop may only repeat, coordinates name the ranks, and `segments` cuts
 * `buf`: these are exempt. */
static void lint_text_check_variable(const struct program *program, uint32_t i, struct diagnostics *findings)
{
    const struct variable *variable = &program->variables[i];
    const char *what = variable->kind == VARIABLE_PARAMETER  ? "parameter"
                       : variable->kind == VARIABLE_ARGUMENT ? "argument"
                       : variable->kind == VARIABLE_LET      ? "name"
                                                             : NULL;
    if (what && i != program->segments && !program_use(program, i) && !costs_use(program, i))
        report_unused(findings, variable->position, what, variable_source_name(variable));
}

static void lint_text_check_names(const struct program *program, struct diagnostics *findings)
{
    for (uint32_t i = 0; i < program->n_own_variables; i++)
        lint_text_check_variable(program, i, findings);
    for (const struct definition *d = program->definitions; d; d = d->next)
        if (!program_uses(program, d))
            report_unused(findings, d->position, "definition", d->name);
    for (const struct definition *d = program->functions; d; d = d->next)
        if (!d->is_called)
            report_unused(findings, d->position, "function", d->name);
    for (uint32_t i = 0; i < program->n_areas; i++)
        if (!program->areas[i].is_used)
            report_unused(findings, program->variables[program->areas[i].variable].position, "area",
                          program->variables[program->areas[i].variable].name);
    if (program->n_tmp && !program->n_areas && !program_uses(program, NULL))
        report_unused(findings, program->n_tmp->position, "buffer", "tmp");
}

/* ---- head and layout ---- */

/* True for a file of the library, which states the costs of its algorithms. */
static bool is_of_library(const struct program *program)
{
    static const char folder[] = "compiler/algorithms/";
    return strncmp(program->source->path, folder, sizeof folder - 1) == 0;
}

/* Reports the costs that are not stated, in one note; for an algorithm that states none, only in the
 * library. */
static void check_costs(const struct program *program, struct diagnostics *findings)
{
    const struct costs *costs = &program->costs;
    const char *missing[N_COSTS];
    size_t n = 0;
    for (enum cost cost = 0; cost < N_COSTS; cost++)
        if (!costs->of[cost].expr)
            missing[n++] = cost_name[cost];
    if (n == N_COSTS && !is_of_library(program))
        return;
    struct text words = {0};
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", missing[i]);
    if (n)
        report(findings, CODE_W009,
               costs->position.line ? costs->position : source_position(program->source, 0, 1),
               "the header states no %s", words.data)->help =
            "write a clause 'costs steps EXPR messages EXPR bytes EXPR' (docs/algorithms.md), so that "
            "'collc algorithms' can say what it costs";
    text_free(&words);
}

static void check_head(const struct program *program, struct diagnostics *findings)
{
    if (!program->description || !program->description[0])
        report(findings, CODE_W009, source_position(program->source, 0, 1),
               "no comment above the header says what '%s' does", program->name)
            ->help = "write what it does, where it comes from, and a small picture";
    check_costs(program, findings);
}

/* Reports the first byte at which the text differs from the layout of `collc fmt`. */
static void check_layout(const struct program *program, struct diagnostics *findings)
{
    const struct source *source = program->source;
    struct text text = {0};
    size_t at = 0;
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(source, &diagnostics);
    program_print(written, &text);
    program_free(written);
    diagnostics_free(&diagnostics);
    while (at < source->length && at < text.length && source->text[at] == text.data[at])
        at++;
    if (at < source->length || at < text.length)
        report(findings, CODE_W010, source_position(source, at, 1), "not in canonical layout")
            ->help = "'collc fmt FILE -o FILE' writes it as it is to be";
    text_free(&text);
}

void lint_text(const struct program *program, struct diagnostics *findings)
{
    lint_text_check_names(program, findings);
    check_head(program, findings);
    check_layout(program, findings);
    ranges_check(program, findings);
}
