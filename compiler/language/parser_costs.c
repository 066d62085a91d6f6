/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clause in which an algorithm states what it costs:
 *
 *   costs = "costs" part { part } NEWLINE
 *   part  = ( "steps" | "messages" | "bytes" ) [ "at" "most" ] expr
 *
 * It may go on in lines that are set in below it, as a table does. Its words are names elsewhere;
 * `m`, the size of the data, is a name in here only.
 */
#include "base/codes.h"
#include "compiler/language/frontend.h"
#include "base/suggest.h"

static const char help_with_order[] = "the order is 'steps', 'messages', 'bytes'";

bool parser_begins_costs(const struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    return token_is_word(parser, token, "costs") &&
           (token[1].kind == TOKEN_NAME || token[1].kind == TOKEN_NEWLINE ||
            token[1].kind == TOKEN_END);
}

/* Returns the word that the token is; N_COSTS: none. */
static enum cost parser_costs_cost_of(const struct parser *parser, const struct token *token)
{
    enum cost cost = 0;
    while (cost < N_COSTS && !token_is_word(parser, token, cost_name[cost]))
        cost++;
    return cost;
}

/* Behind the last token of the clause: the end of its line, or of the block below it. */
static size_t end_of_clause(const struct parser *parser)
{
    const struct token *tokens = parser->tokens;
    size_t at = parser->at, depth = 0;
    for (; tokens[at].kind != TOKEN_END; at++) {
        depth += tokens[at].kind == TOKEN_INDENT;
        depth -= tokens[at].kind == TOKEN_DEDENT;
        const bool is_line_end =
            tokens[at].kind == TOKEN_NEWLINE && tokens[at + 1].kind != TOKEN_INDENT;
        if (depth == 0 && (is_line_end || tokens[at].kind == TOKEN_DEDENT))
            return at + 1;
    }
    return at;
}

static bool is_layout(enum token_kind kind)
{
    return kind == TOKEN_NEWLINE || kind == TOKEN_INDENT || kind == TOKEN_DEDENT;
}

bool parser_is_costs_block(const struct parser *parser, const struct token *line_end)
{
    return line_end->kind == TOKEN_NEWLINE && line_end[1].kind == TOKEN_INDENT &&
           parser_costs_cost_of(parser, line_end + 2) < N_COSTS;
}

/* Makes one line of the clause: its tokens move up to its end, without what lays it out. */
void parser_join_costs(struct parser *parser)
{
    struct token *tokens = parser->tokens;
    const size_t first = parser->at;
    size_t from = end_of_clause(parser), to = from;
    while (from > first && is_layout(tokens[from - 1].kind) && tokens[from - 1].kind != TOKEN_NEWLINE)
        from--;
    if (tokens[from - 1].kind == TOKEN_NEWLINE)
        tokens[--to] = tokens[--from];
    while (from-- > first)
        if (!is_layout(tokens[from].kind))
            tokens[--to] = tokens[from];
    parser->at = to;
}

static void expected_cost(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    struct diagnostic *diagnostic = parser_expected(parser, "'steps', 'messages' or 'bytes'");
    const char *text = parser->source->text + token->offset;
    const char *near =
        token->kind == TOKEN_NAME ? nearest(text, token->length, cost_name, N_COSTS) : NULL;
    diagnostic->help =
        did_you_mean(&parser->diagnostics->arena, near,
                     "a clause is such as 'costs steps p - 1 messages p - 1 bytes (p - 1) * m'");
}

/* Each may stand once, behind those that are before it in the table. */
static bool check_order(struct parser *parser, enum cost cost)
{
    const struct costs *costs = &parser->program->costs;
    enum cost later = cost;
    while (later < N_COSTS && !costs->of[later].expr)
        later++;
    if (later == N_COSTS)
        return true;
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E002, token_position(parser, parser_peek(parser)),
               later == cost ? "'%s' is stated twice" : "'%s' stands behind '%s'", cost_name[cost],
               cost_name[later]);
    diagnostic->help = later == cost ? "leave one of the two out" : help_with_order;
    diagnostic->related = costs->of[later].position;
    diagnostic->related_text = later == cost ? "the first one is here" : "which is here";
    parser->panic = true;
    return false;
}

static bool accept_at_most(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    if (!token_is_word(parser, token, "at") || !token_is_word(parser, token + 1, "most"))
        return false;
    parser->at += 2;
    return true;
}

/* The word of the next part stands where a formula should. */
static void need_formula(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    if (parser_costs_cost_of(parser, token) < N_COSTS && names_symbol(parser, token)->variable == NO_VARIABLE)
        parser_expected(parser, "an expression")->help =
            "a formula in p and m stands behind each of 'steps', 'messages' and 'bytes'";
}

static void parse_cost(struct parser *parser)
{
    struct costs *costs = &parser->program->costs;
    const enum cost cost = parser_costs_cost_of(parser, parser_peek(parser));
    if (cost == N_COSTS) {
        expected_cost(parser);
        return;
    }
    if (!check_order(parser, cost))
        return;
    const struct position position = token_position(parser, parser_peek(parser));
    parser->at++;
    const bool is_at_most = accept_at_most(parser);
    need_formula(parser);
    struct expr *expr = parse_expression(parser);
    if (parser->panic)
        return;
    check_uniform(parser->variables, expr, "a cost", parser->diagnostics);
    costs->of[cost].expr = expr;
    costs->of[cost].is_at_most = is_at_most;
    costs->of[cost].position = position;
}

void parse_costs(struct parser *parser)
{
    struct program *program = parser->program;
    const bool needs_grid = program->needs_grid; /* its formulas may, the algorithm need not */
    const size_t scope = scope_open(parser);
    parser_join_costs(parser);
    parser_only_once(parser, &program->costs.position);
    program->costs.size =
        names_add_local(parser, "m", "in 'costs' it is the size of 'buf', or of a chunk of 'in'",
                        token_position(parser, parser_peek(parser)));
    parser->at++;
    do
        if (!parser->panic)
            parse_cost(parser);
    while (!parser->panic && parser_peek(parser)->kind == TOKEN_NAME);
    scope_close(parser, scope);
    program->needs_grid = needs_grid;
    parser_end_line(parser);
}
