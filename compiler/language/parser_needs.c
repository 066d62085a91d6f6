/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clauses `has` and `needs` of a pattern.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

static const char needs_help[] =
    "write 'out[...] = in[...] of RANK'; where data are combined, '+=' in the place of '='";

/* OUT = IN of RANK, or OUT += IN of RANK: what a rank needs. */
static struct statement *parse_need(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_RECV);
    statement->is_need = true;
    parse_chunks(parser, &statement->chunks);
    if (parser_accept(parser, TOKEN_ADD))
        statement->kind = STATEMENT_REDUCE;
    parser_expect_or(parser, TOKEN_ASSIGN, needs_help);
    if (parser_peek(parser)->kind != TOKEN_IN && !parser->panic)
        parser_expected(parser, "'in'")->help = "a rank needs what ranks have before: chunks of their 'in'";
    parse_chunks(parser, &statement->to_chunks);
    if (!parser->panic && !token_is_word(parser, parser_peek(parser), "of"))
        parser_expected(parser, "'of'")->help = needs_help;
    if (!parser->panic) {
        parser->at++;
        parse_target(parser, &statement->peer);
    }
    return statement;
}

/* IN: what a rank has. */
static struct statement *parse_has(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_COPY);
    statement->is_need = true;
    parse_chunks(parser, &statement->chunks);
    statement->to_chunks = statement->chunks;
    return statement;
}

static struct statement *parse_need_line(struct parser *parser)
{
    struct statement *statement = parser->in_has ? parse_has(parser) : parse_need(parser);
    return parser_end_line(parser) ? statement : NULL;
}

struct statement *parser_simple_need(struct parser *parser)
{
    struct statement *statement = NULL;
    if (parser_peek(parser)->kind == TOKEN_LET)
        statement = parse_let(parser);
    else if (!parser->in_has && parser_peek(parser)->kind == TOKEN_OUT)
        statement = parse_need(parser);
    else if (parser->in_has && parser_peek(parser)->kind == TOKEN_IN)
        statement = parse_has(parser);
    else if (parser->in_has)
        parser_expected(parser, "chunks of 'in', 'for', 'if' or 'let'")->help =
            "'has' lists the chunks of 'in' that a rank has: 'in', or 'in[0 .. 3]'";
    else
        parser_expected(parser, "what a rank needs, 'for', 'if' or 'let'")->help = needs_help;
    return parser->panic ? NULL : statement;
}

/* needs OUT = IN of RANK, or has IN, or a block of such lines. */
static void parse_needs(struct parser *parser, struct needs_clause *needs, struct position *seen,
                        enum token_kind first)
{
    const struct position head = token_position(parser, parser_peek(parser));
    const enum collective collective = parser->program->collective;
    if (collective != N_COLLECTIVES && !collective_is_pattern(collective))
        report(parser->diagnostics, CODE_E011, head, "what ranks have and need in '%s' is MPI's matter",
               collective_table[collective].name)
            ->help = "leave the clause out; only a pattern, 'pattern NAME', has it";
    parser_only_once(parser, seen);
    needs->position = head;
    parser->at++;
    parser->in_needs = true;
    parser->in_has = needs == &parser->program->has;
    if (parser_peek(parser)->kind == first)
        needs->body = parse_need_line(parser);
    else
        needs->body = parse_block(parser, parser_end_line(parser) ? &head : NULL);
    parser->in_needs = parser->in_has = false;
}

/* True if the word begins a clause: chunks of the buffer, or a block, are behind it. */
static bool begins_needs(const struct parser *parser, const char *word, enum token_kind buffer)
{
    const struct token *token = parser_peek(parser);
    return token_is_word(parser, token, word) && (token[1].kind == buffer || token[1].kind == TOKEN_NEWLINE);
}

bool parser_needs_clause(struct parser *parser)
{
    struct program *program = parser->program;
    const bool is_needs = begins_needs(parser, "needs", TOKEN_OUT);
    if (!is_needs && !begins_needs(parser, "has", TOKEN_IN))
        return false;
    if (is_needs)
        parse_needs(parser, &program->needs, &parser->needs, TOKEN_OUT);
    else
        parse_needs(parser, &program->has, &parser->has, TOKEN_IN);
    return true;
}
