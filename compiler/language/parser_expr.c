/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions by precedence climbing, and what is made of them: chunks and
 * targets. Precedence and associativity come from ir/program.def; comparisons do
 * not chain, since `a < b < c` means something else in every other language.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <string.h>

static const struct binary_operator operators[] = {
#define BINARY(kind, spelling, precedence, right, meaning) {spelling, precedence, right},
#include "ir/program.def"
};
static const enum expr_kind operator_kinds[] = {
#define BINARY(kind, spelling, precedence, right, meaning) EXPR_##kind,
#include "ir/program.def"
};
enum { N_OPERATORS = sizeof operators / sizeof *operators };

const struct binary_operator *parser_binary_operator(enum expr_kind kind)
{
    for (size_t i = 0; i < N_OPERATORS; i++)
        if (operator_kinds[i] == kind)
            return &operators[i];
    return NULL;
}

/* Returns the operator at the next token. The tokens of binary operators stand in the order of ir/program.def
 * at the end of enum token_kind. */
static const struct binary_operator *next_operator(const struct parser *parser)
{
    enum token_kind kind = parser_peek(parser)->kind;
    if (parser->panic || kind < TOKEN_OR)
        return NULL;
    return &operators[kind - TOKEN_OR];
}

struct expr *parser_new_expr(struct parser *parser, enum expr_kind kind, const struct token *first)
{
    struct expr *expr = arena_alloc(parser->program->arena, 1, sizeof *expr);
    expr->kind = kind;
    expr->is_uniform = true;
    expr->position = token_position(parser, first);
    return expr;
}

struct expr *parser_finish_expr(struct parser *parser, struct expr *expr, const struct token *first)
{
    expr->is_uniform = are_operands_uniform(expr);
    expr->position = parser_span_from(parser, first);
    return expr;
}

static struct expr *parse_binary(struct parser *parser, int precedence);

static struct expr *parse_unary(struct parser *parser, enum expr_kind kind, int precedence,
                                const struct token *first)
{
    struct expr *expr = parser_new_expr(parser, kind, first);
    expr->a = parse_binary(parser, precedence);
    return parser_finish_expr(parser, expr, first);
}

static void report_no_value(struct parser *parser, const struct token *name,
                            const struct symbol *symbol)
{
    const bool is_function = symbol->is_function || (symbol->definition && symbol->definition->value);
    report(parser->diagnostics, CODE_E005, token_position(parser, name),
           is_function          ? "the function '%s' lacks its operands"
           : symbol->definition ? "'%s' is a definition and has no value"
                                : "'%s' is an area of 'tmp' and no number",
           symbol->text)
        ->help = is_function          ? "its operands stand behind it in parentheses"
                 : symbol->definition ? "a function is defined by one line: 'def NAME(x) = EXPR'"
                                      : "its chunks are named in messages and copies: 'NAME[0]'";
    parser->panic = true;
}

/* The name was consumed. */
static struct expr *parse_variable(struct parser *parser, const struct token *name)
{
    if (parser_peek(parser)->kind == TOKEN_OPEN)
        return parse_value_call(parser, name);
    const struct symbol *symbol = names_symbol(parser, name);
    struct expr *expr = parser_new_expr(parser, EXPR_INTEGER, name);
    const bool is_area =
        symbol->variable != NO_VARIABLE && parser->variables[symbol->variable].kind == VARIABLE_AREA;
    if (symbol->is_function || symbol->definition || is_area)
        report_no_value(parser, name, symbol);
    else if (symbol->variable == NO_VARIABLE)
        names_unknown(parser, name, false);
    else {
        expr->kind = EXPR_VARIABLE;
        expr->variable = symbol->variable;
        survey_note_mention(parser, name,
                            (struct mention){.kind = MENTION_VARIABLE, .variable = symbol->variable});
        const struct variable *variable = &parser->variables[symbol->variable];
        parser->program->needs_grid |=
            variable->kind == VARIABLE_NAMED && variable->index >= NAMED_nx;
        if (variable->kind == VARIABLE_NAMED && variable->index == NAMED_root && !parser->panic)
            parser_need_root(parser, parser->program->collective, token_position(parser, name));
        if (variable->kind == VARIABLE_NAMED && variable->index >= NAMED_max_out_degree &&
            variable->index <= NAMED_isomorphic)
            parser_check_neighbors(parser, name, NULL);
        expr->is_uniform = parser->variables[symbol->variable].is_uniform;
    }
    return expr;
}

/* `=` where only a comparison can stand. */
static void forbid_assign(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    if (token->kind != TOKEN_ASSIGN || parser->panic)
        return;
    bool is_reversed = token[1].kind == TOKEN_LT || token[1].kind == TOKEN_GT;
    report(parser->diagnostics, CODE_E002, token_position(parser, token),
           "'=' inside an expression")
        ->help = is_reversed ? "write '<=' or '>='" : "write '==' to compare";
    parser->panic = true;
}

static void too_large(struct parser *parser, const char *what, int limit)
{
    if (!parser->panic)
        report(parser->diagnostics, CODE_E010, token_position(parser, parser_peek(parser)),
               "expression %s %d", what, limit)
            ->help = "give parts of it names, by 'let' or 'def NAME(x) = EXPR'";
    parser->panic = true;
}

static const char choice_help[] = "write 'a if c else b'";

/* VALUE [ if CONDITION else VALUE ], which binds less than any operator. */
static struct expr *parse_choice(struct parser *parser)
{
    const struct token *first = parser_peek(parser);
    struct expr *value = parse_binary(parser, 1);
    if (!parser_accept(parser, TOKEN_IF))
        return value;
    struct expr *expr = parser_new_expr(parser, EXPR_CHOICE, first);
    expr->b = value;
    expr->a = parse_binary(parser, 1);
    forbid_assign(parser);
    parser_expect_or(parser, TOKEN_ELSE, "a choice is written 'a if c else b', two conditions 'c and d'; "
                                         "the condition of a statement stands before it");
    if (++parser->expression_depth > MAX_DEPTH)
        too_large(parser, "nested deeper than", MAX_DEPTH);
    expr->c = parse_choice(parser);
    parser->expression_depth--;
    return parser_finish_expr(parser, expr, first);
}

static struct expr *parse_parentheses(struct parser *parser)
{
    struct expr *expr = parse_choice(parser);
    forbid_assign(parser);
    if (parser_peek(parser)->kind == TOKEN_COMMA && !parser->panic)
        parser_expected(parser, "')'")->help = "coordinates stand after 'to', 'from' or in brackets only";
    parser_expect(parser, TOKEN_CLOSE);
    return expr;
}

static struct expr *parse_not(struct parser *parser, const struct token *first, int precedence)
{
    if (precedence > PRECEDENCE_NOT && !parser->panic) {
        report(parser->diagnostics, CODE_E002, token_position(parser, first),
               "'not' after an operator that binds tighter")
            ->help = "put it in parentheses: '(not ...)'";
        parser->panic = true;
    }
    return parse_unary(parser, EXPR_NOT, PRECEDENCE_NOT, first);
}

static const char *help_with_shift(enum token_kind kind)
{
    return kind == TOKEN_LT ? "a shift to the left is a product, such as n * 2^k"
                            : "a shift to the right is a quotient, such as n / 2^k";
}

static void expected_expression(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    const bool is_double = parser->at > 0 && token->kind == token[-1].kind;
    const enum token_kind kind = token->kind;
    struct diagnostic *diagnostic = parser_expected(parser, "an expression");
    if (kind == TOKEN_IF || kind == TOKEN_ELSE)
        diagnostic->help = choice_help;
    else if (kind == TOKEN_RANGE && parser->at > 0 && token[-1].kind == TOKEN_OPEN_INDEX)
        diagnostic->help = "a range has both ends, 'a .. b'; the whole buffer has no brackets";
    else if (is_double && kind == TOKEN_DIV)
        diagnostic->help = "a comment begins with '#', and '/' rounds toward minus infinity";
    else if (is_double && kind == TOKEN_MUL)
        diagnostic->help = "a power is written 2^k";
    else if (is_double && (kind == TOKEN_LT || kind == TOKEN_GT))
        diagnostic->help = help_with_shift(kind);
    else if (parser->at > 0 && ((kind == TOKEN_GT && token[-1].kind == TOKEN_LT) ||
                                (kind == TOKEN_ASSIGN && token[-1].kind == TOKEN_DIV)))
        diagnostic->help = "write '!='";
    else if (parser->at > 0 && kind == TOKEN_ASSIGN && token[-1].kind == TOKEN_EQ)
        diagnostic->help = "write '=='";
}

static struct expr *parse_operand(struct parser *parser, int precedence)
{
    const struct token *first = parser_peek(parser);
    if (parser_accept(parser, TOKEN_SUB))
        return parse_unary(parser, EXPR_NEGATE, PRECEDENCE_NEGATE, first);
    if (parser_accept(parser, TOKEN_NOT))
        return parse_not(parser, first, precedence);
    if (parser_accept(parser, TOKEN_OPEN))
        return parse_parentheses(parser);
    /* `window` is a word of the language only at the start of a statement, so
     * that an algorithm can have a parameter of that name */
    if (parser_accept(parser, TOKEN_NAME) || parser_accept(parser, TOKEN_WINDOW))
        return parse_variable(parser, first);
    struct expr *expr = parser_new_expr(parser, EXPR_INTEGER, first);
    if (parser_accept(parser, TOKEN_INTEGER))
        expr->integer = first->integer;
    else
        expected_expression(parser);
    return expr;
}

static bool parser_expr_is_comparison(const struct binary_operator *operator)
{
    return operator->precedence == PRECEDENCE_COMPARISON;
}

/* After a comparison was read: another one must not follow. */
static void forbid_chain(struct parser *parser, const struct binary_operator *before)
{
    const struct binary_operator *operator = next_operator(parser);
    if (!operator || !parser_expr_is_comparison(before) || !parser_expr_is_comparison(operator))
        return;
    const enum token_kind kind = parser_peek(parser)->kind;
    const bool is_shift = (kind == TOKEN_LT || kind == TOKEN_GT) && parser_peek(parser)[1].kind == kind;
    report(parser->diagnostics, CODE_E002, token_position(parser, parser_peek(parser)),
           "comparisons cannot be chained")
        ->help = is_shift ? help_with_shift(kind) : "write 'a < b and b < c'";
    parser->panic = true;
}

static struct expr *parse_binary(struct parser *parser, int precedence)
{
    const struct token *first = parser_peek(parser);
    if (++parser->expression_depth > MAX_DEPTH)
        too_large(parser, "nested deeper than", MAX_DEPTH);
    struct expr *left = parse_operand(parser, precedence);
    const struct binary_operator *operator;
    while ((operator = next_operator(parser)) && operator->precedence >= precedence) {
        if (parser->at - parser->expression_start > MAX_EXPRESSION_TOKENS)
            too_large(parser, "of more words than", MAX_EXPRESSION_TOKENS);
        struct expr *expr = parser_new_expr(parser, operator_kinds[operator - operators], first);
        parser->at++;
        expr->a = left;
        expr->b = parse_binary(parser, operator->precedence + !operator->is_right);
        left = parser_finish_expr(parser, expr, first);
        forbid_chain(parser, operator);
    }
    parser->expression_depth--;
    return left;
}

static struct expr *parse_whole(struct parser *parser, bool may_be_choice)
{
    if (parser->expression_depth == 0)
        parser->expression_start = parser->at;
    const struct token *first = parser_peek(parser);
    struct expr *expr = may_be_choice ? parse_choice(parser) : parse_binary(parser, 1);
    forbid_assign(parser);
    return parser->panic ? parser_new_expr(parser, EXPR_INTEGER, first) : expr;
}

struct expr *parse_expression(struct parser *parser)
{
    return parse_whole(parser, true);
}

struct expr *parse_in_set(struct parser *parser)
{
    return parse_whole(parser, false);
}

struct expr **parse_list(struct parser *parser, enum token_kind close, uint32_t limit,
                         uint32_t *n)
{
    struct expr *found[MAX_OPERANDS];
    *n = 0;
    if (parser_peek(parser)->kind == close && !parser->panic) {
        parser_expected(parser, "an expression");
        return NULL;
    }
    do {
        struct expr *expr = parse_expression(parser);
        if (*n < limit)
            found[(*n)++] = expr;
        else
            too_large(parser, "list of more than", (int)limit);
    } while (parser_accept(parser, TOKEN_COMMA));
    if (close != TOKEN_CLOSE_INDEX) /* where more may follow */
        parser_expect(parser, close);
    struct expr **list = arena_alloc(parser->program->arena, *n, sizeof *list);
    memcpy(list, found, *n * sizeof *list);
    return list;
}

/* .. LAST */
static void parser_expr_parse_range(struct parser *parser, struct chunks *chunks)
{
    if (chunks->n > 1) {
        parser_expected(parser, "']'")->help = "a range is of rank or chunk numbers, not of coordinates";
        return;
    }
    parser_accept(parser, TOKEN_RANGE);
    chunks->last = parse_expression(parser);
    if (parser_peek(parser)->kind == TOKEN_SEMICOLON && !parser->panic)
        parser_expected(parser, "']'")->help = "a range is of whole chunks: name one rank, and its segments";
}

/* ; SEGMENT [.. LAST] */
static void parse_segments(struct parser *parser, struct chunks *chunks)
{
    parser_accept(parser, TOKEN_SEMICOLON);
    chunks->segment = parse_expression(parser);
    if (parser_accept(parser, TOKEN_RANGE))
        chunks->last_segment = parse_expression(parser);
}

/* INDEX [ ... ]: one expression or coordinates, with or without segments, or a range. Of a set it ends at its
 * `for`. */
static void parse_index(struct parser *parser, struct chunks *chunks)
{
    chunks->index = parse_list(parser, TOKEN_CLOSE_INDEX, MAX_OPERANDS, &chunks->n);
    if (parser_peek(parser)->kind == TOKEN_RANGE && !parser->panic)
        parser_expr_parse_range(parser, chunks);
    else if (parser_peek(parser)->kind == TOKEN_SEMICOLON && !parser->panic)
        parse_segments(parser, chunks);
}

/* Ends the index of chunks that are no set. */
static void end_index(struct parser *parser)
{
    if (!parser->panic && parser_peek(parser)->kind == TOKEN_FOR)
        parser_expected(parser, "']'")->help =
            "only a message takes a set of chunks: write the loop around the statement";
    else if (!parser->panic)
        parser_expect(parser, TOKEN_CLOSE_INDEX);
}

struct expr *parser_sum(struct parser *parser, struct expr *a, struct expr *b)
{
    struct expr *sum = arena_alloc(parser->program->arena, 1, sizeof *sum);
    *sum = (struct expr){.kind = EXPR_ADD,
                         .is_uniform = a->is_uniform && b->is_uniform,
                         .a = a,
                         .b = b,
                         .position = b->position};
    return sum;
}

/* Returns the symbol of an area of tmp, if the next token is its name; else NULL. */
static const struct symbol *find_area(struct parser *parser)
{
    const struct token *name = parser_peek(parser);
    const struct symbol *symbol = name->kind == TOKEN_NAME ? names_symbol(parser, name) : NULL;
    const bool is_area = symbol && symbol->variable != NO_VARIABLE &&
                         parser->variables[symbol->variable].kind == VARIABLE_AREA;
    return is_area ? symbol : NULL;
}

bool parser_begins_chunks(struct parser *parser)
{
    const enum token_kind kind = parser_peek(parser)->kind;
    return kind == TOKEN_IN || kind == TOKEN_OUT || kind == TOKEN_BUF || kind == TOKEN_TMP ||
           find_area(parser);
}

/* The name of an area of tmp, consumed. */
static bool accept_area(struct parser *parser, struct chunks *chunks)
{
    const struct token *name = parser_peek(parser);
    const struct symbol *symbol = find_area(parser);
    if (!symbol || !parser_accept(parser, TOKEN_NAME))
        return false;
    survey_note_mention(parser, name,
                        (struct mention){.kind = MENTION_VARIABLE, .variable = symbol->variable});
    const uint32_t area = parser->variables[symbol->variable].index;
    if (area < parser->program->n_areas) { /* else its clause was wrong */
        chunks->area = area + 1;
        parser->program->areas[area].is_used = true;
    }
    return true;
}

/* Counts the chunks of an area, if they are of one, from the beginning of tmp; not as they are written. */
static void settle_area(struct parser *parser, struct chunks *chunks)
{
    if (!chunks->area || parser->keeps_calls || parser->panic)
        return;
    const struct tmp_area *area = &parser->program->areas[chunks->area - 1];
    struct expr *one = parser_new_expr(parser, EXPR_INTEGER, parser_peek(parser));
    struct expr *zero = parser_new_expr(parser, EXPR_INTEGER, parser_peek(parser));
    one->integer = 1;
    if (chunks->n == 0) {
        chunks->n = 1;
        chunks->index = arena_alloc(parser->program->arena, 1, sizeof *chunks->index);
        chunks->index[0] = area->first ? area->first : zero;
        chunks->last = parser_sum(parser, area->end, one);
        chunks->last->kind = EXPR_SUB;
    } else if (area->first) {
        chunks->index[0] = parser_sum(parser, area->first, chunks->index[0]);
        if (chunks->last)
            chunks->last = parser_sum(parser, area->first, chunks->last);
    }
}

/* `tmp` where it has areas, which do not lie in it for anything else. */
static void forbid_whole_tmp(struct parser *parser, const struct token *first)
{
    const struct program *program = parser->program;
    if (parser->panic || !program->n_areas)
        return;
    struct diagnostic *diagnostic = report(parser->diagnostics, CODE_E005, token_position(parser, first),
                                           "'tmp' is used, but has areas with names");
    diagnostic->help = diagnostics_text(parser->diagnostics, "name one of them, such as '%s'",
                                        parser->variables[program->areas[0].variable].name);
    parser->panic = true;
}

/* BUFFER, or an area of tmp */
static bool parser_expr_parse_buffer(struct parser *parser, struct chunks *chunks)
{
    static const enum token_kind tokens[N_BUFFERS] = {TOKEN_IN, TOKEN_OUT, TOKEN_BUF, TOKEN_TMP};
    const struct token *first = parser_peek(parser);
    chunks->buffer = 0;
    while (chunks->buffer < N_BUFFERS && !parser_accept(parser, tokens[chunks->buffer]))
        chunks->buffer++;
    if (chunks->buffer == BUFFER_TMP)
        forbid_whole_tmp(parser, first);
    else if (chunks->buffer == N_BUFFERS && accept_area(parser, chunks))
        chunks->buffer = BUFFER_TMP;
    if (chunks->buffer == N_BUFFERS) {
        parser_expected_or(parser, "a buffer",
                           first->kind == TOKEN_OPEN
                               ? "a message is written 'send in[r] to r + 1', 'recv out[r] from r - 1', "
                                 "without parentheses"
                               : "buffers are 'in', 'out', 'buf', 'tmp' and the areas that it has");
        return false;
    }
    return true;
}

void parse_chunks(struct parser *parser, struct chunks *chunks)
{
    const struct token *first = parser_peek(parser);
    if (!parser_expr_parse_buffer(parser, chunks))
        return;
    if (parser_accept(parser, TOKEN_OPEN_INDEX)) {
        parse_index(parser, chunks);
        end_index(parser);
    }
    settle_area(parser, chunks);
    chunks->position = parser_span_from(parser, first);
}

/* Returns the place of the first `for` of a set, whose buffer is the next token; 0: it is none. */
static size_t parser_find_set(const struct parser *parser)
{
    size_t at = parser->at + 1, depth = 0;
    if (parser_peek(parser)->kind == TOKEN_END || parser->tokens[at].kind != TOKEN_OPEN_INDEX)
        return 0;
    for (;; at++) {
        const enum token_kind kind = parser->tokens[at].kind;
        depth += kind == TOKEN_OPEN_INDEX;
        depth -= kind == TOKEN_CLOSE_INDEX;
        if (kind == TOKEN_NEWLINE || kind == TOKEN_END || depth == 0)
            return 0;
        if (kind == TOKEN_FOR && depth == 1)
            return at;
    }
}

/* BUFFER [ INDEX for ... ]: the loops are read first, as the index names their variables. */
static struct statement *parse_set(struct parser *parser, size_t loops)
{
    const size_t begin = parser->at, mark = scope_open(parser);
    struct statement *part = parser_new_statement(parser, STATEMENT_PART), *first = NULL;
    parser->at = loops;
    struct statement **tail = parse_set_loops(parser, &first);
    const size_t end = parser->at;
    if (!parser->panic) {
        parser->at = begin;
        parser_expr_parse_buffer(parser, &part->chunks);
        parser_accept(parser, TOKEN_OPEN_INDEX);
        parse_index(parser, &part->chunks);
    }
    if (!parser->panic && parser->at != loops)
        parser_expected(parser, "']' or 'for'");
    if (!parser->panic) {
        parser->at = end;
        parser_expect(parser, TOKEN_CLOSE_INDEX);
        settle_area(parser, &part->chunks);
    }
    part->chunks.position = parser_span_from(parser, &parser->tokens[begin]);
    *tail = part;
    scope_close(parser, mark);
    return first;
}

static struct statement *parse_part(struct parser *parser)
{
    const size_t loops = parser_find_set(parser);
    if (loops)
        return parse_set(parser, loops);
    struct statement *part = parser_new_statement(parser, STATEMENT_PART);
    parse_chunks(parser, &part->chunks);
    return part;
}

void parse_message(struct parser *parser, struct statement *message)
{
    struct statement **tail = &message->body;
    if (!parser_find_set(parser)) {
        parse_chunks(parser, &message->chunks);
        if (parser->panic || parser_peek(parser)->kind != TOKEN_COMMA)
            return;
        message->body = parser_new_statement(parser, STATEMENT_PART);
        message->body->position = message->body->chunks.position = message->chunks.position;
        message->body->chunks = message->chunks;
        message->chunks = (struct chunks){.buffer = N_BUFFERS};
        tail = &message->body->next;
    } else {
        *tail = parse_part(parser);
        tail = &(*tail)->next;
    }
    while (parser_accept(parser, TOKEN_COMMA)) {
        *tail = parse_part(parser);
        tail = &(*tail)->next;
    }
}

/* True if the parenthesis at the next token holds coordinates: it has a comma of its own. `(a, b)` is a pair,
 * `(a + 1) * 2` an expression. Brackets of a target do not cross the end of the line. */
static bool is_tuple(const struct parser *parser)
{
    size_t at = parser->at, depth = 0;
    if (parser->tokens[at].kind != TOKEN_OPEN)
        return false;
    for (;; at++) {
        enum token_kind kind = parser->tokens[at].kind;
        depth += kind == TOKEN_OPEN;
        if (kind == TOKEN_NEWLINE || kind == TOKEN_END || (kind == TOKEN_CLOSE && --depth == 0))
            return false;
        if (kind == TOKEN_COMMA && depth == 1)
            return true;
    }
}

void parse_target(struct parser *parser, struct target *target)
{
    const struct token *first = parser_peek(parser);
    if (is_tuple(parser)) {
        parser_accept(parser, TOKEN_OPEN);
        target->coordinates = parse_list(parser, TOKEN_CLOSE, MAX_OPERANDS, &target->n);
    } else {
        target->n = 1;
        target->coordinates = arena_alloc(parser->program->arena, 1, sizeof(struct expr *));
        target->coordinates[0] = parse_expression(parser);
    }
    target->position = parser_span_from(parser, first);
}
