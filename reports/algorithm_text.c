/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what an algorithm says of itself, for people. See algorithm.h.
 */
#include "reports/algorithm.h"

#include "compiler/language/language.h"
#include "reports/wrap.h"

#include <inttypes.h>
#include <string.h>

static void algorithm_text_indent(struct algorithm_page *page)
{
    text_printf(page->text, "%*s", (int)page->column, "");
}

static void print_item(struct algorithm_page *page, const char *label, const char *words)
{
    algorithm_text_indent(page);
    text_printf(page->text, "%s", label);
    text_wrap(page->text, words, page->column + strlen(label), page->column + 2);
}

static void print_parameter(struct algorithm_page *page, const struct program *program,
                            const struct variable *variable)
{
    struct text *text = page->text;
    const struct parameter_setting *setting = facts_setting(page->where, variable->name);
    algorithm_text_indent(page);
    text_printf(text, "--param %s=", variable->name);
    if (setting && setting->text)
        text_append_safe(text, setting->text);
    else if (setting)
        text_printf(text, "%" PRId64, setting->value);
    text_printf(text, "%s", setting ? ", by default " : "");
    program_print_default(program, variable, text);
    text_append(text, "\n", 1);
}

static void print_parameters(struct algorithm_page *page, const struct program *program)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_ALGORITHM || variable->kind == VARIABLE_PARAMETER)
            print_parameter(page, program, variable);
    }
}

static void print_forms(struct algorithm_page *page, const struct program *program)
{
    struct text *text = page->text;
    const char *before = "also ";
    for (enum collective_form form = 0; form < N_FORMS; form++) {
        if (!facts_serves(program, form))
            continue;
        if (*before != ',')
            algorithm_text_indent(page);
        text_printf(text, "%s%s", before, collective_name(program->collective, form));
        before = ", ";
    }
    text_printf(text, "%s", *before == ',' ? "\n" : "");
}

static void print_formulas(struct algorithm_page *page, const struct facts *facts)
{
    static const char *const labels[N_COSTS] = {"steps: ", "messages of a rank: ",
                                                 "bytes of a rank: "};
    for (int i = 0; i < N_COSTS; i++)
        if (facts->stated.formula[i])
            print_item(page, labels[i],
                       arena_printf(page->arena, "%s%s", facts->stated.is_bound[i] ? "at most " : "",
                                    facts->stated.formula[i]));
}

static const char *algorithm_text_bound_of(const struct facts *facts, int i)
{
    return facts->stated.is_bound[i] ? "at most " : "";
}

/* Prints the values of the formulas with these ranks. Bytes without a size would say nothing. */
static void algorithm_text_print_values(struct algorithm_page *page, const struct facts *facts)
{
    struct text *text = page->text;
    if (facts->refusal)
        print_item(page, "not here: ", facts->refusal);
    else if (facts->has_other_parts)
        print_item(page, "here: ", "no figures: the formulas are those of the default algorithms");
    else if (facts->problem)
        print_item(page, "here: ", facts->problem);
    if (!facts->has_values)
        return;
    const int64_t *value = facts->value;
    algorithm_text_indent(page);
    text_printf(text, "here: %s%" PRId64 " step%s, %s%" PRId64 " message%s",
                algorithm_text_bound_of(facts, COST_STEPS), value[COST_STEPS],
                plural((uint64_t)value[COST_STEPS]), algorithm_text_bound_of(facts, COST_MESSAGES),
                value[COST_MESSAGES], plural((uint64_t)value[COST_MESSAGES]));
    if (page->where->bytes)
        text_printf(text, " and %s%" PRId64 " byte%s", algorithm_text_bound_of(facts, COST_BYTES),
                    value[COST_BYTES], plural((uint64_t)value[COST_BYTES]));
    text_printf(text, " of a rank\n");
}

/* As written: what the algorithms bring that it runs is no part of its header. */
static void add_clauses(const struct program *program, struct text *clauses)
{
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(program->source, &diagnostics);
    program_print_clauses(written, clauses);
    program_free(written);
    diagnostics_free(&diagnostics);
}

/* In the list what is required; in full every line of the header. */
static void algorithm_text_print_header(struct algorithm_page *page, const struct program *program)
{
    struct text clauses = {0};
    if (page->is_long)
        add_clauses(program, &clauses);
    for (const struct requirement *r = program->requirements; r && !page->is_long; r = r->next)
        if (!r->of_run)
            text_printf(&clauses, "requires %s\n", facts_requirement(r, page->arena));
    const char *line = clauses.data ? clauses.data : "";
    for (size_t length; (length = strcspn(line, "\n")) > 0; line += length + 1) {
        algorithm_text_indent(page);
        text_append(page->text, line, length + 1);
    }
    text_free(&clauses);
}

void algorithm_text(struct algorithm_page *page, const struct facts *facts)
{
    struct text *text = page->text;
    const struct program *program = facts->program;
    size_t start = text->length;
    text_printf(text, "%s/%s", collective_name(program->collective, program->form), program->name);
    if (!page->column)
        page->column = wrap_column(text->length - start, ALGORITHM_LEAST_COLUMN);
    text_to_column(text, start, page->column);
    text_wrap(text, facts->summary, page->column, page->column);
    if (page->is_long && facts->source)
        print_item(page, "source: ", facts->source);
    print_parameters(page, program);
    print_forms(page, program);
    if (facts->needs) {
        algorithm_text_indent(page);
        text_printf(text, "needs %s\n", facts->needs);
    }
    algorithm_text_print_header(page, program);
    if (page->is_long)
        print_formulas(page, facts);
    algorithm_text_print_values(page, facts);
}
