/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls in expressions: of the functions of ir/program.def, and of those that a file defines.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <string.h>

static const struct function {
    enum expr_kind kind;
    const char *name;
    uint32_t arity;
    const char *meaning;
} functions[] = {
#define FUNCTION(kind, name, arity, meaning) {EXPR_##kind, #name, arity, meaning},
#include "ir/program.def"
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

const char *parser_function_name(enum expr_kind kind, uint32_t *arity)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (functions[i].kind == kind) {
            *arity = functions[i].arity;
            return functions[i].name;
        }
    return NULL;
}

/* Counts a number, a name or an operator of the value of a call. */
static struct expr *new_called(struct parser *parser, const struct expr *of)
{
    if (parser->n_called == MAX_CALLED && !parser->panic) {
        report(parser->diagnostics, CODE_E010, token_position(parser, parser_peek(parser)),
               "the values of all calls of functions have more than %d numbers, names and operators",
               MAX_CALLED)
            ->help =
            "an argument stands in the value as often as the function names it: give it a name by 'let'";
        parser->panic = true;
    }
    parser->n_called += parser->n_called < MAX_CALLED;
    struct expr *copy = arena_alloc(parser->program->arena, 1, sizeof *copy);
    *copy = *of;
    if (!parser->panic)
        return copy;
    *copy = (struct expr){.kind = EXPR_INTEGER, .is_uniform = true, .position = of->position};
    return copy;
}

/* Returns the value of a function, with the values of a call in the place of its arguments; without a
 * function a copy. */
static struct expr *value_of_call(struct parser *parser, const struct expr *value,
                                  const struct definition *function, struct expr *const *arguments)
{
    for (uint32_t i = 0; value->kind == EXPR_VARIABLE && function && i < function->n_arguments; i++)
        if (function->arguments[i] == value->variable)
            return value_of_call(parser, arguments[i], NULL, NULL);
    struct expr *copy = new_called(parser, value);
    struct expr **const operands[] = {&copy->a, &copy->b, &copy->c};
    for (int i = 0; i < 3; i++)
        if (*operands[i])
            *operands[i] = value_of_call(parser, *operands[i], function, arguments);
    copy->is_uniform = value->is_uniform && are_operands_uniform(copy);
    return copy;
}

/* Returns the call as it is written: its arguments are a chain. */
static struct expr *written_call(struct parser *parser, const struct definition *function,
                                 struct expr *const *arguments, const struct token *name)
{
    struct expr *call = parser_new_expr(parser, EXPR_CALL, name), *next = NULL;
    call->definition = function;
    for (uint32_t i = function->n_arguments; i-- > 0;) {
        struct expr *argument = parser_new_expr(parser, EXPR_ARGUMENT, name);
        *argument = (struct expr){
            .kind = EXPR_ARGUMENT, .a = arguments[i], .b = next, .position = arguments[i]->position};
        argument->is_uniform = are_operands_uniform(argument);
        next = argument;
    }
    call->a = next;
    call->is_uniform = function->value->is_uniform && next->is_uniform;
    return call;
}

/* NAME ( ... ) of a function of the file; its name and its arguments were consumed. */
static struct expr *finish_call(struct parser *parser, struct definition *function,
                                struct expr *const *arguments, uint32_t n, const struct token *name)
{
    function->is_called = true;
    if (n != function->n_arguments && !parser->panic) {
        struct diagnostic *diagnostic =
            report(parser->diagnostics, CODE_E005, parser_span_from(parser, name),
                   "'%s' takes %u argument%s, not %u", function->name, function->n_arguments,
                   function->n_arguments == 1 ? "" : "s", n);
        diagnostic->help = "give a value for each name in its brackets";
        diagnostic->related = function->position;
        diagnostic->related_text = "it is defined here";
    }
    if (n != function->n_arguments || parser->panic)
        return parser_new_expr(parser, EXPR_INTEGER, name);
    struct expr *expr = parser->keeps_calls ? written_call(parser, function, arguments, name)
                                            : value_of_call(parser, function->value, function, arguments);
    expr->position = parser_span_from(parser, name);
    return expr;
}

static const struct function *find_function(const struct symbol *symbol)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(functions[i].name, symbol->text) == 0)
            return &functions[i];
    return NULL;
}

static void report_no_function(struct parser *parser, const struct token *name, const struct symbol *symbol)
{
    if (parser->panic)
        return;
    struct diagnostic *diagnostic = report(
        parser->diagnostics, CODE_E005, token_position(parser, name),
        symbol->definition ? "'%s' is a definition and has no value" : "'%s' is no function", symbol->text);
    diagnostic->help = symbol->definition ? "a function is defined by one line: 'def NAME(x) = EXPR'"
                                          : "write '*' to multiply";
}

void parser_check_neighbors(struct parser *parser, const struct token *name, const struct expr *rank)
{
    const struct program *program = parser->program;
    if (!collective_is_of_neighbors(program->collective) && program->collective != N_COLLECTIVES)
        report(parser->diagnostics, CODE_E011, token_position(parser, name), "'%s' has no neighbours",
               collective_table[program->collective].name)
            ->help = "they are those of neighbor_alltoall and neighbor_allgather";
    else if (rank &&
             (rank->kind != EXPR_VARIABLE || parser->variables[rank->variable].kind != VARIABLE_COORDINATE ||
              program->n_coordinates != 1 || program->from_root))
        report(parser->diagnostics, CODE_E005, parser_span_from(parser, name), "'%s' is of the rank itself",
               token_text(parser, name))
            ->help = "a rank knows no other's neighbours: write its name, that of 'ranks r: p', first";
}

struct expr *parse_value_call(struct parser *parser, const struct token *name)
{
    const struct symbol *symbol = names_symbol(parser, name);
    const struct function *function = find_function(symbol);
    struct definition *own = symbol->definition && symbol->definition->value ? symbol->definition : NULL;
    if (own)
        survey_note_mention(parser, name, (struct mention){.kind = MENTION_DEFINITION, .definition = own});
    else if (!function && (symbol->definition || symbol->variable != NO_VARIABLE))
        report_no_function(parser, name, symbol);
    else if (!function)
        names_unknown(parser, name, true);
    uint32_t n;
    parser_expect(parser, TOKEN_OPEN);
    struct expr **arguments = parse_list(parser, TOKEN_CLOSE, MAX_OPERANDS, &n);
    if (own)
        return finish_call(parser, own, arguments, n, name);
    struct expr *expr = parser_new_expr(parser, EXPR_INTEGER, name);
    if (!function || parser->panic)
        return expr;
    if (n != function->arity) {
        report(parser->diagnostics, CODE_E005, parser_span_from(parser, name),
               "'%s' takes %u operand%s, not %u", function->name, function->arity,
               function->arity == 1 ? "" : "s", n)
            ->help = diagnostics_text(parser->diagnostics, "%s%s", function->name, function->meaning);
        return expr;
    }
    expr->kind = function->kind;
    if (is_neighbor_function(function->kind))
        parser_check_neighbors(parser, name, arguments[0]);
    parser->program->needs_grid |= is_grid_function(function->kind);
    expr->a = arguments[0];
    expr->b = n > 1 ? arguments[1] : NULL;
    expr->c = n > 2 ? arguments[2] : NULL;
    return parser_finish_expr(parser, expr, name);
}
