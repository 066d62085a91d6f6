/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statements and blocks, by recursive descent over the tokens of lexer.c. Names
 * are resolved on the way; what needs the whole tree is left to check.c.
 */
#include "compiler/language/frontend.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <string.h>

const struct token *parser_peek(const struct parser *parser)
{
    return &parser->tokens[parser->at];
}

struct position token_position(const struct parser *parser, const struct token *token)
{
    return (struct position){parser->source, token->line, token->column,
                             token->length ? token->length : 1};
}

struct position parser_span_from(const struct parser *parser, const struct token *first)
{
    struct position position = token_position(parser, first);
    if (parser->at == 0)
        return position;
    const struct token *last = &parser->tokens[parser->at - 1];
    if (last->line == first->line && last->offset >= first->offset && last->length)
        position.length = last->offset + last->length - first->offset;
    return position;
}

bool parser_accept(struct parser *parser, enum token_kind kind)
{
    if (parser->panic || parser_peek(parser)->kind != kind)
        return false;
    parser->at++;
    return true;
}

bool parser_expect(struct parser *parser, enum token_kind kind)
{
    return parser_expect_or(parser, kind, NULL);
}

bool parser_expect_or(struct parser *parser, enum token_kind kind, const char *help)
{
    if (parser_accept(parser, kind))
        return true;
    const char *spelling = token_spelling(kind);
    char what[16];
    size_t length = strlen(spelling);
    what[0] = what[length + 1] = '\'';
    memcpy(what + 1, spelling, length);
    what[length + 2] = '\0';
    if (kind == TOKEN_CLOSE_INDEX && parser_peek(parser)->kind == TOKEN_COLON)
        help = "a range is written 'a .. b', both ends included";
    parser_expected_or(parser, what, help);
    return false;
}

static const char *parser_describe(const struct parser *parser, const struct token *token)
{
    switch ((int)token->kind) {
    case TOKEN_END: return "the end of the file";
    case TOKEN_NEWLINE: return "the end of the line";
    case TOKEN_INDENT: return "a deeper indentation";
    case TOKEN_DEDENT: return "the end of the block";
    default:
        return diagnostics_text(parser->diagnostics, "'%.*s'",
                                (int)(token->length < 60 ? token->length : 60),
                                parser->source->text + token->offset);
    }
}

/* Returns the keyword for which a name is a slip, one that begins a line or any, or NULL. */
static const char *meant_keyword(const struct parser *parser, const struct token *token, bool begins_line)
{
    static const char *const words[] = {"to",   "from", "in",    "out",   "buf",  "root",  "by",
                                        "mod",  "xor",  "not",   "and",   "or",   "over",  "with",
                                        "run",  "send", "recv",  "reduce", "copy", "tmp",  "for",
                                        "if",   "else", "step",  "window", "let", "ranks", "requires",
                                        "def",  "costs", "needs", "has",  "ordered", "exact", "absent"};
    enum { WITHIN_LINES = 14, N_WORDS = sizeof words / sizeof *words };
    const size_t first = begins_line ? WITHIN_LINES : 0;
    if (token->kind != TOKEN_NAME)
        return NULL;
    return nearest(parser->source->text + token->offset, token->length, words + first, N_WORDS - first);
}

/* Returns a diagnostic that is never printed, so that callers may set its help. */
static struct diagnostic *silent(struct parser *parser)
{
    return arena_alloc(parser->program->arena, 1, sizeof(struct diagnostic));
}

struct diagnostic *parser_expected(struct parser *parser, const char *what)
{
    return parser_expected_or(parser, what, NULL);
}

struct diagnostic *parser_expected_or(struct parser *parser, const char *what, const char *help)
{
    const struct token *token = parser_peek(parser);
    bool is_silent = parser->panic || token->kind == TOKEN_INVALID;
    parser->panic = true;
    if (is_silent)
        return silent(parser);
    struct diagnostic *diagnostic = report(parser->diagnostics, CODE_E002, token_position(parser, token),
                                           "expected %s, found %s", what, parser_describe(parser, token));
    const char *keyword = meant_keyword(parser, token, false);
    diagnostic->help =
        did_you_mean(&parser->diagnostics->arena, keyword, help ? help : parser_form(parser));
    return diagnostic;
}

bool parser_end_line(struct parser *parser)
{
    if (!parser->panic && parser_peek(parser)->kind == TOKEN_END)
        return true;
    const bool is_do = token_is_word(parser, parser_peek(parser), "do");
    if ((parser_peek(parser)->kind == TOKEN_COLON || is_do) && !parser->panic)
        parser_expected(parser, "the end of the line")->help =
            is_do ? "a block begins without 'do'" : "a block begins without ':'";
    else if (!parser_accept(parser, TOKEN_NEWLINE))
        parser_expected(parser, "the end of the line");
    if (!parser->panic)
        return true;
    for (; !parser_is_line_end(parser); parser->at++)
        if (parser_peek(parser)->kind == TOKEN_NAME) /* it may have been declared here */
            names_symbol(parser, parser_peek(parser))->is_reported = true;
    parser->panic = false;
    parser_accept(parser, TOKEN_NEWLINE);
    return false;
}

struct statement *parser_new_statement(struct parser *parser, enum statement_kind kind)
{
    struct statement *statement = arena_alloc(parser->program->arena, 1, sizeof *statement);
    statement->kind = kind;
    statement->number = parser->n_statements;
    statement->position = token_position(parser, parser_peek(parser));
    statement->chunks.buffer = statement->to_chunks.buffer = N_BUFFERS;
    if (++parser->n_statements == MAX_STATEMENTS + 1)
        report(parser->diagnostics, CODE_E010, statement->position, "more than %d statements",
               MAX_STATEMENTS)
            ->help = "put what repeats in a 'for' or a 'def'; a list of all steps is a schedule file";
    return statement;
}

/* via NETWORK, behind the target of a send */
static void parse_via(struct parser *parser, struct statement *statement)
{
    const struct token *via = parser_peek(parser);
    if (parser->panic || !token_is_word(parser, via, "via"))
        return;
    if (statement->kind != STATEMENT_SEND) {
        parser_expected(parser, "the end of the line")->help =
            "only a send says which network it takes: a receive takes what comes";
        return;
    }
    parser->at++;
    const struct token *label = parser_peek(parser);
    if (label->kind != TOKEN_NAME || label->length > PROGRAM_NETWORK_LENGTH) {
        parser_expected(parser, "the label of a network")->help =
            "a label has up to 8 letters and digits, and begins with a letter: 'send buf to r + 1 via MY'";
        return;
    }
    parser->at++;
    statement->network = program_add_network(parser->program, token_text(parser, label));
    if (!statement->network)
        report(parser->diagnostics, CODE_E010, token_position(parser, label), "more than %d networks",
               PROGRAM_MAX_NETWORKS)
            ->help = "leave 'via' out of some: the network is then chosen for each message";
}

/* send/recv/reduce [CHUNKS] to/from TARGET [via NETWORK]: without chunks, no data. Or reduce
 * CHUNKS to CHUNKS, inside of the rank. */
static struct statement *parse_transfer(struct parser *parser, enum statement_kind kind)
{
    enum token_kind preposition = kind == STATEMENT_SEND ? TOKEN_TO : TOKEN_FROM;
    struct statement *statement = parser_new_statement(parser, kind);
    parser->at++;
    if (parser_peek(parser)->kind != TOKEN_TO && parser_peek(parser)->kind != TOKEN_FROM)
        parse_message(parser, statement);
    if (kind == STATEMENT_REDUCE && statement->chunks.buffer != N_BUFFERS &&
        parser_accept(parser, TOKEN_TO)) {
        statement->kind = STATEMENT_COMBINE;
        if (!parser_begins_chunks(parser))
            parser_expected_or(parser, "a buffer",
                               "what is sent is combined where it arrives: 'send' here, 'reduce CHUNKS from "
                               "RANK' there; 'reduce CHUNKS to CHUNKS' is within a rank");
        parse_chunks(parser, &statement->to_chunks);
        return statement;
    }
    parser_expect_or(parser, preposition,
                     kind == STATEMENT_SEND ? "write 'send CHUNKS to RANK'" :
                     kind == STATEMENT_RECV ? "write 'recv CHUNKS from RANK'" : NULL);
    parse_target(parser, &statement->peer);
    parse_via(parser, statement);
    return statement;
}

static struct statement *parse_copy(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_COPY);
    parser->at++;
    parse_chunks(parser, &statement->chunks);
    parser_expect(parser, TOKEN_TO);
    parse_chunks(parser, &statement->to_chunks);
    return statement;
}

const char *parser_help_with_let(const struct parser *parser)
{
    return parser_peek(parser)->kind == TOKEN_OPEN
               ? "a function is defined above the body, by one line: 'def NAME(x) = EXPR'"
               : NULL;
}

struct statement *parse_let(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_LET);
    parser->at++;
    const struct token *name = parser_expect_word(parser, "a name");
    parser_expect_or(parser, TOKEN_ASSIGN, parser_help_with_let(parser));
    statement->expr = parse_expression(parser);
    if (!name)
        return statement;
    /* after the value: a name does not stand in its own definition */
    statement->variable = names_declare(parser, name, VARIABLE_LET, false);
    parser->variables[statement->variable].is_uniform = statement->expr->is_uniform;
    if (strcmp(parser->variables[statement->variable].name, "segments") == 0)
        report(parser->diagnostics, CODE_E002, token_position(parser, name),
               "'segments' set inside the body")
            ->help = "the number of chunks belongs above the first statement";
    return statement;
}

static void parser_check_call(struct parser *parser, const struct token *name, struct statement *statement,
                              uint32_t n)
{
    const struct definition *definition = statement->definition;
    if (!definition || parser->panic || n == definition->n_arguments)
        return;
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E005, parser_span_from(parser, name),
               "'%s' takes %u argument%s, not %u", definition->name, definition->n_arguments,
               definition->n_arguments == 1 ? "" : "s", n);
    diagnostic->help = "give a value for each name in its brackets";
    diagnostic->related = definition->position;
    diagnostic->related_text = "it is defined here";
    statement->definition = NULL; /* nothing more to say about this call */
}

static void report_no_definition(struct parser *parser, const struct token *name)
{
    const struct symbol *symbol = names_symbol(parser, name);
    const bool has_value = symbol->is_function || (symbol->definition && symbol->definition->value);
    if (symbol->variable == NO_VARIABLE && !has_value) {
        names_unknown(parser, name, true);
        return;
    }
    report(parser->diagnostics, CODE_E005, token_position(parser, name),
           has_value ? "'%s' is a function and cannot be a statement"
                     : "'%s' is no definition and cannot be a statement",
           symbol->text)
        ->help = has_value ? "it is a value, to be used in another statement: 'let x = NAME(...)'"
                           : "only a 'def NAME(...)' with a block is called; data move by 'send', 'recv' and 'copy'";
}

/* True if the word begins a clause of the header and is no name of a definition or of a value here. */
static bool is_clause_word(const struct parser *parser, const struct token *token)
{
    if (token[0].kind != TOKEN_NAME || token[1].kind == TOKEN_OPEN || token[1].kind == TOKEN_ASSIGN)
        return false;
    return token_is_word(parser, token, "needs") || token_is_word(parser, token, "has") ||
           token_is_word(parser, token, "costs") || token_is_word(parser, token, "ordered") ||
           token_is_word(parser, token, "exact") || token_is_word(parser, token, "absent");
}

/* Behind the name stands `=`, or as in other languages `+=` or `:=`. */
static const char *help_with_assignment(struct parser *parser, const struct token *name)
{
    const char *text = parser->source->text + name->offset;
    const int length = name->length < 60 ? (int)name->length : 60;
    const bool is_new = names_symbol(parser, name)->variable == NO_VARIABLE;
    return is_new ? diagnostics_text(parser->diagnostics, "write 'let %.*s = ...'", length, text)
                  : diagnostics_text(parser->diagnostics,
                                     "a value keeps its name: give another one a name, 'let next = ...'");
}

static const char statement_help[] = "a statement begins by 'send', 'recv', 'reduce', 'copy', 'let', 'run', 'if', "
                                     "'for', 'step' or 'window'; clauses are above the first one";

/* A name that begins neither a call nor, as a keyword would, a statement. */
static void unknown_statement(struct parser *parser, const struct token *name)
{
    const char *text = parser->source->text + name->offset;
    int length = name->length < 60 ? (int)name->length : 60;
    const char *near = meant_keyword(parser, name, true);
    struct diagnostic *diagnostic = report(parser->diagnostics, CODE_E002,
                                           token_position(parser, name),
                                           "'%.*s' begins no statement", length, text);
    parser->panic = true;
    diagnostic->help = statement_help;
    if (parser_peek(parser)->kind != TOKEN_ASSIGN && parser_foreign_word(text, name->length))
        diagnostic->help = parser_foreign_word(text, name->length);
    else if (names_symbol(parser, name)->definition)
        diagnostic->help = diagnostics_text(parser->diagnostics, "it is called by '%.*s(...)'", length, text);
    else if (collective_find(text, name->length) != N_COLLECTIVES)
        diagnostic->help = diagnostics_text(
            parser->diagnostics, "another algorithm is 'run %.*s/NAME over COORDINATE'", length, text);
    else if (parser_peek(parser)->kind == TOKEN_ASSIGN || parser_peek(parser)[1].kind == TOKEN_ASSIGN)
        diagnostic->help = help_with_assignment(parser, name);
    else if (near)
        diagnostic->help = did_you_mean(&parser->diagnostics->arena, near, NULL);
}

static struct statement *parse_call(struct parser *parser)
{
    const struct token *name = parser_peek(parser);
    struct statement *statement = parser_new_statement(parser, STATEMENT_CALL);
    parser->at++;
    if (parser_peek(parser)->kind != TOKEN_OPEN) {
        unknown_statement(parser, name);
        return statement;
    }
    statement->definition = names_symbol(parser, name)->definition;
    if (statement->definition && statement->definition->value)
        statement->definition = NULL;
    if (statement->definition)
        survey_note_mention(parser, name, (struct mention){.kind = MENTION_DEFINITION,
                                                           .definition = statement->definition});
    else
        report_no_definition(parser, name);
    uint32_t n = 0;
    parser->at++;
    if (!parser_accept(parser, TOKEN_CLOSE))
        statement->arguments = parse_list(parser, TOKEN_CLOSE, MAX_OPERANDS, &n);
    parser_check_call(parser, name, statement, n);
    return statement;
}

static struct statement *parse_name(struct parser *parser)
{
    if (!parser_begins_run(parser))
        return parse_call(parser);
    struct statement *statement = parser_new_statement(parser, STATEMENT_RUN);
    parse_run(parser, statement);
    return statement;
}

/* An assignment, most likely. */
static void lone_chunks(struct parser *parser)
{
    parser_expected(parser, "a statement")->help =
        "data moves by 'copy CHUNKS to CHUNKS' within a rank, by 'send' and 'recv' between ranks";
}

/* Parses a statement that fits on a line; NULL after reporting or without a message in case of panic. */
static struct statement *parse_simple(struct parser *parser)
{
    struct statement *statement = NULL;
    if (parser->in_needs)
        return parser_simple_need(parser);
    switch ((int)parser_peek(parser)->kind) {
    case TOKEN_SEND: statement = parse_transfer(parser, STATEMENT_SEND); break;
    case TOKEN_RECV: statement = parse_transfer(parser, STATEMENT_RECV); break;
    case TOKEN_REDUCE: statement = parse_transfer(parser, STATEMENT_REDUCE); break;
    case TOKEN_COPY: statement = parse_copy(parser); break;
    case TOKEN_LET: statement = parse_let(parser); break;
    case TOKEN_NAME: statement = parse_name(parser); break;
    case TOKEN_IN:
    case TOKEN_OUT:
    case TOKEN_BUF: lone_chunks(parser); break;
    case TOKEN_DIV: parser_expected(parser, "a statement")->help = "a comment begins with '#'"; break;
    default: parser_expected_or(parser, "a statement", statement_help); break;
    }
    bool is_lost = parser->panic || (statement && statement->kind == STATEMENT_CALL &&
                                     !statement->definition);
    return is_lost ? NULL : statement;
}

struct statement *parse_block(struct parser *parser, const struct position *head)
{
    size_t mark = scope_open(parser);
    struct statement *body = NULL;
    if (parser_accept(parser, TOKEN_INDENT)) {
        body = parse_statements(parser);
        parser_accept(parser, TOKEN_DEDENT);
    } else if (head && !parser->diagnostics->n_of_code[CODE_E010])
        report(parser->diagnostics, CODE_E002, *head, "expected an indented block below this line")
            ->help = "what belongs to it stands in lines of its own that are indented deeper";
    scope_close(parser, mark);
    return body;
}

/* Parses what follows `if EXPR` or `else`: one statement, or a block below. */
static struct statement *parse_branch(struct parser *parser, const struct position *head)
{
    const enum token_kind kind = parser_peek(parser)->kind;
    if (parser->panic || kind == TOKEN_NEWLINE || kind == TOKEN_COLON || kind == TOKEN_INVALID)
        return parse_block(parser, parser_end_line(parser) ? head : NULL);
    size_t mark = scope_open(parser);
    struct statement *statement = parse_simple(parser);
    bool is_else = parser_peek(parser)->kind == TOKEN_ELSE;
    if ((is_else || parser_peek(parser)->kind == TOKEN_SEMICOLON) && !parser->panic)
        parser_expected(parser, "the end of the line")->help =
            is_else ? "'else' begins a line of its own"
                    : "on the line of 'if' or 'else' stands one statement; use a block for more";
    parser_end_line(parser);
    scope_close(parser, mark);
    return statement;
}

static struct statement *parse_if(struct parser *parser);

static struct statement *parse_else(struct parser *parser)
{
    struct position head = token_position(parser, parser_peek(parser));
    if (!parser_accept(parser, TOKEN_ELSE))
        return NULL;
    if (parser_peek(parser)->kind == TOKEN_IF)
        return parse_if(parser);
    return parse_branch(parser, &head);
}

/* Chains of `else if` are as deep as they are long. */
static bool is_too_deep(struct parser *parser, const struct statement *statement)
{
    if (parser->depth <= MAX_DEPTH)
        return false;
    if (!parser->diagnostics->n_of_code[CODE_E010])
        report(parser->diagnostics, CODE_E010, statement->position, "'if' nested deeper than %d",
               MAX_DEPTH)
            ->help = "put the inner ones in a 'def NAME()', and call it here";
    parser->panic = true;
    return true;
}

static struct statement *parse_if(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_IF);
    parser->at++;
    parser->depth++;
    if (is_too_deep(parser, statement)) {
        parser_end_line(parser);
    } else {
        statement->expr = parse_expression(parser);
        statement->body = parse_branch(parser, &statement->position);
        statement->otherwise = parse_else(parser);
    }
    parser->depth--;
    return statement;
}

/* NAME in EXPR .. EXPR [ by EXPR ] behind `for`; the name is known behind it. */
static struct statement *parse_loop_head(struct parser *parser, struct expr *(*parse)(struct parser *))
{
    static const char loop_help[] = "a loop is written 'for k in 1 .. p-1', both ends included";
    struct statement *statement = parser_new_statement(parser, STATEMENT_FOR);
    parser->at++;
    if (parser_peek(parser)->kind == TOKEN_OPEN && !parser->panic)
        parser_expected(parser, "the name of a loop variable")->help = loop_help;
    const struct token *name = parser_expect_word(parser, "the name of a loop variable");
    parser_expect_or(parser, TOKEN_IN, loop_help);
    statement->expr = parse(parser);
    parser_expect_or(parser, TOKEN_RANGE, loop_help);
    statement->last = parse(parser);
    if (parser_accept(parser, TOKEN_BY))
        statement->by = parse(parser);
    if (name)
        statement->variable = names_declare(parser, name, VARIABLE_LOOP, false);
    return statement;
}

static struct statement *parse_for(struct parser *parser)
{
    size_t mark = scope_open(parser);
    struct statement *statement = parse_loop_head(parser, parse_expression);
    bool is_clean = parser_end_line(parser);
    statement->body = parse_block(parser, is_clean ? &statement->position : NULL);
    scope_close(parser, mark);
    return statement;
}

struct statement **parse_set_loops(struct parser *parser, struct statement **tail)
{
    while (!parser->panic && parser_peek(parser)->kind == TOKEN_FOR) {
        *tail = parse_loop_head(parser, parse_in_set);
        tail = &(*tail)->body;
        if (parser->panic || parser_peek(parser)->kind != TOKEN_IF)
            continue;
        *tail = parser_new_statement(parser, STATEMENT_IF);
        parser->at++;
        (*tail)->expr = parse_in_set(parser);
        tail = &(*tail)->body;
    }
    if (parser_peek(parser)->kind != TOKEN_CLOSE_INDEX && !parser->panic)
        parser_expect(parser, TOKEN_CLOSE_INDEX);
    return tail;
}

/* Parses the rest of a line that a block must follow, and that block. */
static struct statement *block_below(struct parser *parser, const struct position *head)
{
    if (parser_peek(parser)->kind != TOKEN_NEWLINE && parser_peek(parser)->kind != TOKEN_COLON)
        parser_expected(parser, "the end of the line")->help = "write the statements in a block below";
    return parse_block(parser, parser_end_line(parser) ? head : NULL);
}

static struct statement *parse_step(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_STEP);
    parser->at++;
    statement->body = block_below(parser, &statement->position);
    return statement;
}

static struct statement *parse_window(struct parser *parser)
{
    struct statement *statement = parser_new_statement(parser, STATEMENT_WINDOW);
    parser->at++;
    statement->expr = parse_expression(parser);
    statement->body = block_below(parser, &statement->position);
    return statement;
}

/* A trailing `;` is allowed, as the papers write it. */
struct statement **parse_line(struct parser *parser, struct statement **tail)
{
    do {
        if (parser_peek(parser)->kind == TOKEN_NEWLINE)
            break;
        *tail = parse_simple(parser);
        if (*tail)
            tail = &(*tail)->next;
    } while (parser_accept(parser, TOKEN_SEMICOLON));
    parser_end_line(parser);
    return tail;
}

static void stray_else(struct parser *parser)
{
    report(parser->diagnostics, CODE_E002, token_position(parser, parser_peek(parser)),
           "'else' without 'if'")
        ->help = "'else' stands below an 'if' of the same indentation";
    parser->panic = true;
    parser_end_line(parser);
}

/* Read all the same, so that what it declares is known below. */
static void misplaced_clause(struct parser *parser)
{
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E002, token_position(parser, parser_peek(parser)),
               "'%s' inside the body", token_text(parser, parser_peek(parser)));
    diagnostic->help = "it belongs above the first statement, and is not indented";
    if (parser->body && parser->body->kind == TOKEN_LET) {
        diagnostic->related = token_position(parser, parser->body);
        diagnostic->related_text = "the body begins by this 'let', which depends on the rank";
    }
    if (parse_clause(parser))
        return;
    parser->panic = true;
    parser_end_line(parser);
}

static struct statement **parse_statement(struct parser *parser, struct statement **tail)
{
    switch ((int)parser_peek(parser)->kind) {
    case TOKEN_IF: *tail = parse_if(parser); break;
    case TOKEN_FOR: *tail = parse_for(parser); break;
    case TOKEN_STEP:
        if (parser->in_needs)
            return parse_line(parser, tail);
        *tail = parse_step(parser); break;
    case TOKEN_WINDOW: *tail = parse_window(parser); break;
    case TOKEN_ELSE: stray_else(parser); return tail;
    case TOKEN_RANKS:
    case TOKEN_REQUIRES:
    case TOKEN_DEF:
    case TOKEN_TMP: misplaced_clause(parser); return tail;
    default:
        if (!is_clause_word(parser, parser_peek(parser)))
            return parse_line(parser, tail);
        misplaced_clause(parser);
        return tail;
    }
    return &(*tail)->next;
}

/* True if messages are in the block, and no step. */
static bool is_like_a_step(const struct statement *s)
{
    bool is = false;
    for (; s; s = s->next) {
        if (s->kind == STATEMENT_STEP)
            return false;
        is |= s->kind == STATEMENT_SEND || s->kind == STATEMENT_RECV || s->kind == STATEMENT_REDUCE;
        if (s->kind == STATEMENT_IF || s->kind == STATEMENT_FOR)
            is |= is_like_a_step(s->body) || is_like_a_step(s->otherwise);
    }
    return is;
}

/* Reads a block that no line opens. After a line with an error it is what that line would have opened, a step
 * if messages are in it; by a tab it is no depth. These are read in silence. Returns the new tail. */
static struct statement **stray_block(struct parser *parser, uint64_t n_errors_before_line,
                                      struct statement **tail)
{
    const struct diagnostics *d = parser->diagnostics;
    const bool is_opened = d->n_of_severity[SEVERITY_ERROR] > n_errors_before_line;
    if (!is_opened && !parser_peek(parser)->integer)
        report(parser->diagnostics, CODE_E001, token_position(parser, parser_peek(parser)),
               "unexpected indentation")
            ->help = "only 'for', 'if', 'else', 'step', 'window', 'def', 'needs' and 'has' open a block";
    parser->at++;
    *tail = parse_statements(parser);
    parser_accept(parser, TOKEN_DEDENT);
    if (is_opened && is_like_a_step(*tail)) {
        struct statement *step = parser_new_statement(parser, STATEMENT_STEP);
        step->position = (struct position){0};
        step->body = *tail;
        *tail = step;
    }
    while (*tail)
        tail = &(*tail)->next;
    return tail;
}

struct statement *parse_statements(struct parser *parser)
{
    struct statement *first = NULL, **tail = &first;
    uint64_t n_errors = parser->diagnostics->n_of_severity[SEVERITY_ERROR];
    for (;;) {
        enum token_kind kind = parser_peek(parser)->kind;
        if (kind == TOKEN_END || kind == TOKEN_DEDENT)
            break;
        if (kind == TOKEN_INDENT) {
            tail = stray_block(parser, n_errors, tail);
        } else if (parser->n_statements > MAX_STATEMENTS) {
            parser->panic = true;
            parser_end_line(parser);
        } else {
            n_errors = parser->diagnostics->n_of_severity[SEVERITY_ERROR];
            tail = parse_statement(parser, tail);
        }
    }
    return first;
}
