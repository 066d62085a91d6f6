/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An expression of the language that stands alone. It is kept as a program without
 * statements, so that whatever evaluates programs evaluates it.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

static void parse_formula(struct parser *parser, struct formula *formula)
{
    formula->expr = parse_expression(parser);
    if (parser_peek(parser)->kind == TOKEN_NEWLINE)
        parser->at++;
    if (parser_peek(parser)->kind != TOKEN_END)
        parser_expected(parser, "the end of the formula");
}

bool formula_read(const struct source *source, const char *const *names, uint32_t n,
                  struct formula *formula, struct diagnostics *diagnostics)
{
    uint64_t n_errors = diagnostics->n_of_severity[SEVERITY_ERROR];
    *formula = (struct formula){0};
    if (source->length > MAX_FILE_BYTES || !source_check_utf8(source, diagnostics)) {
        if (diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors)
            report(diagnostics, CODE_E010, (struct position){.source = source},
                   "a formula of %zu bytes is larger than %d", source->length, MAX_FILE_BYTES)
                ->help = "write a shorter one; of counts a file of numbers, with a blank between them";
        return false;
    }
    struct parser parser = {
        .source = source, .diagnostics = diagnostics, .program = parser_new_program(source)};
    parser.tokens = tokens_read(source, diagnostics);
    names_begin_formula(&parser);
    for (uint32_t i = 0; i < n; i++)
        formula->variable[i] = names_add(&parser, names[i], VARIABLE_LOOP);
    parse_formula(&parser, formula);
    names_end(&parser);
    parser_keep_variables(&parser);
    free(parser.tokens);
    formula->program = parser.program;
    if (diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors)
        return true;
    program_free(formula->program);
    *formula = (struct formula){0};
    return false;
}
