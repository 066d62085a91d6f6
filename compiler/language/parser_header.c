/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The top of a file: description, header line and clauses.
 */
#include "compiler/language/frontend.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

const struct token *parser_expect_word(struct parser *parser, const char *what)
{
    const struct token *token = parser_peek(parser);
    if (parser_accept(parser, TOKEN_NAME) || parser_accept(parser, TOKEN_WINDOW))
        return token;
    const char *spelling = token_spelling(token->kind);
    struct diagnostic *diagnostic = parser_expected(parser, what);
    if (spelling && spelling[0] >= 'a' && spelling[0] <= 'z')
        diagnostic->help = "words of the language cannot be names";
    return NULL;
}

const char *token_text(const struct parser *parser, const struct token *token)
{
    return arena_strndup(parser->program->arena, parser->source->text + token->offset,
                         token->length);
}

bool token_is(const struct parser *parser, const struct token *token, const char *word)
{
    return token->length == strlen(word) &&
           memcmp(parser->source->text + token->offset, word, token->length) == 0;
}

bool token_is_word(const struct parser *parser, const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && token_is(parser, token, word);
}

/* Parameters and header lets: the one called `segments` counts the chunks, but of a pattern, which says how
 * many there are, and of blocks of neighbours. */
static void note_segments(struct parser *parser, uint32_t variable)
{
    if (!collective_is_said(parser->program->collective) &&
        strcmp(parser->variables[variable].name, "segments") == 0)
        parser->program->segments = variable;
}

/* Reports E010 once there are more than `limit` of them. */
static bool is_too_many(struct parser *parser, const struct token *first, uint32_t n,
                        uint32_t limit, const char *what)
{
    if (n == limit + 1)
        report(parser->diagnostics, CODE_E010, token_position(parser, first), "more than %u %s",
               limit, what)
            ->help = "leave some out; several 'requires' are one with 'and' between them";
    return n > limit;
}

/* NAME [= EXPR] without a default is an error: an algorithm can be run without
 * options. */
static void parse_parameter(struct parser *parser)
{
    parser->panic |= is_too_many(parser, parser_peek(parser), ++parser->n_parameters, MAX_OPERANDS,
                                 "parameters");
    const struct token *name = parser_expect_word(parser, "the name of a parameter");
    if (!name)
        return;
    if (!parser->panic && parser_peek(parser)->kind != TOKEN_ASSIGN)
        parser_expected(parser, "'='")->help = "a parameter needs a default: 'name = value'";
    parser_expect(parser, TOKEN_ASSIGN);
    if (parser_is_run_name(parser, name)) {
        const struct token *algorithm = parser_expect_word(parser, "the name of an algorithm");
        uint32_t chosen = names_declare(parser, name, VARIABLE_ALGORITHM, true);
        parser->variables[chosen].algorithm = algorithm ? token_text(parser, algorithm) : "";
        return;
    }
    struct expr *value = parse_expression(parser);
    uint32_t variable = names_declare(parser, name, VARIABLE_PARAMETER, true);
    parser->variables[variable].value = value;
    note_segments(parser, variable);
}

static void parse_collective(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    parser->at++;
    const char *text = parser->source->text + token->offset;
    parser->program->collective =
        collective_find_any(text, token->length, &parser->program->form);
    if (parser->program->collective != N_COLLECTIVES)
        return;
    report(parser->diagnostics, CODE_E003, token_position(parser, token), "unknown collective '%.*s'",
           (int)token->length, text)
        ->help =
        did_you_mean(&parser->diagnostics->arena, collective_nearest(text, token->length),
                     "messages that are no collective of MPI's are a pattern: 'pattern NAME', with the "
                     "chunks of its buffers, such as 'in 4' and 'out 4'");
}

/* Blocks of neighbours are as many as a rank has of these at most. */
static struct expr *most_neighbors(struct parser *parser, enum named_value named)
{
    struct expr *expr = arena_alloc(parser->program->arena, 1, sizeof *expr);
    const bool is_one =
        named == NAMED_max_out_degree && parser->program->collective == COLLECTIVE_neighbor_allgather;
    *expr = is_one ? (struct expr){.kind = EXPR_INTEGER, .is_uniform = true, .integer = 1}
                   : (struct expr){.kind = EXPR_VARIABLE, .is_uniform = true, .variable = named};
    return expr;
}

static void parse_header_line(struct parser *parser)
{
    const struct token *first = parser_peek(parser);
    parse_collective(parser);
    if (collective_is_of_neighbors(parser->program->collective)) {
        parser->program->n_in = most_neighbors(parser, NAMED_max_out_degree);
        parser->program->n_out = most_neighbors(parser, NAMED_max_in_degree);
    }
    if (parser_is_line_end(parser) && !parser->panic)
        parser_expected_or(parser, "the name of the algorithm", "the first line is 'COLLECTIVE NAME'");
    const struct token *name = parser_expect_word(parser, "the name of the algorithm");
    if (name)
        parser->program->name = token_text(parser, name);
    parser->program->head = parser_span_from(parser, first);
    survey_note_mention(parser, NULL, (struct mention){.kind = MENTION_HEAD, .is_declaration = true,
                                                       .position = parser->program->head});
    if (name && (parser_peek(parser)->kind == TOKEN_SUB || parser_peek(parser)->kind == TOKEN_DIV))
        parser_expected(parser, "the end of the line")->help = "names are made of letters, digits and '_'";
    if (parser_accept(parser, TOKEN_OPEN) && !parser_accept(parser, TOKEN_CLOSE)) {
        do
            parse_parameter(parser);
        while (parser_accept(parser, TOKEN_COMMA));
        parser_expect(parser, TOKEN_CLOSE);
    }
    parser_end_line(parser);
}

void parser_only_once(struct parser *parser, struct position *seen)
{
    struct position position = token_position(parser, parser_peek(parser));
    if (!seen->line) {
        *seen = position;
        return;
    }
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E002, position, "second clause '%s'",
               token_text(parser, parser_peek(parser)));
    diagnostic->related = *seen;
    diagnostic->related_text = "the first one is here";
    diagnostic->help = "remove one of them";
    parser->panic = true;
}

static const char ranks_help[] =
    "a rank is named beside the number of ranks: 'ranks r: p', or 'ranks (x: nx, y: ny)'";

/* NAME : EXPR. The name is kept aside: it cannot be used in the extents. */
static void parse_coordinate(struct parser *parser, const struct token *names[])
{
    struct program *program = parser->program;
    uint32_t n = program->n_coordinates;
    if (n == PROGRAM_MAX_COORDINATES) {
        if (!parser->panic)
            report(parser->diagnostics, CODE_E005, token_position(parser, parser_peek(parser)),
                   "more than %d coordinates", PROGRAM_MAX_COORDINATES)
                ->help = "make one of two, whose extents are multiplied, and take it apart by '/' and 'mod'";
        parser->panic = true;
        return;
    }
    names[n] = parser_expect_word(parser, "the name of a coordinate");
    parser_expect_or(parser, TOKEN_COLON, ranks_help);
    program->extent[n] = parse_expression(parser);
    if (names[n])
        program->n_coordinates++;
}

void parser_need_root(struct parser *parser, enum collective collective, struct position position)
{
    if (collective != N_COLLECTIVES && !collective_table[collective].rooted)
        report(parser->diagnostics, CODE_E011, position, "'%s' has no root", collective_table[collective].name)
            ->help = "only bcast, reduce, gather and scatter have one";
}

/* `from root`: every coordinate counts from the root's, modulo its extent. */
static void parse_from_root(struct parser *parser, const struct token *from)
{
    if (!token_is_word(parser, parser_peek(parser), "root")) {
        parser_expected(parser, "'root'");
        return;
    }
    parser_accept(parser, TOKEN_NAME);
    struct program *program = parser->program;
    program->from_root = true;
    parser_need_root(parser, program->collective, parser_span_from(parser, from));
}

/* After an error: what follows as `NAME :` is a coordinate too, as is a name without extent, so that
 * its uses need no message. */
static void recover_coordinates(struct parser *parser, const struct token *names[])
{
    struct program *program = parser->program;
    for (; !parser_is_line_end(parser); parser->at++) {
        const struct token *token = parser_peek(parser);
        bool is_coordinate = token->kind == TOKEN_NAME &&
                             (token[1].kind == TOKEN_COLON || token[-1].kind == TOKEN_COMMA);
        if (!is_coordinate || program->n_coordinates == PROGRAM_MAX_COORDINATES)
            continue;
        program->extent[program->n_coordinates] = program->extent[0];
        names[program->n_coordinates++] = token;
    }
}

static void declare_coordinates(struct parser *parser, const struct token *names[])
{
    struct program *program = parser->program;
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        program->coordinate[i] = names_declare(parser, names[i], VARIABLE_COORDINATE, true);
        parser->variables[program->coordinate[i]].index = i;
        parser->variables[program->coordinate[i]].coordinates = UINT32_C(1) << i;
    }
}

static void parse_ranks(struct parser *parser)
{
    const struct token *names[PROGRAM_MAX_COORDINATES];
    parser_only_once(parser, &parser->ranks);
    if (parser->panic) {
        parser_end_line(parser);
        return;
    }
    parser_accept(parser, TOKEN_RANKS);
    if (parser_accept(parser, TOKEN_OPEN)) {
        do
            parse_coordinate(parser, names);
        while (parser_accept(parser, TOKEN_COMMA));
        parser_expect(parser, TOKEN_CLOSE);
    } else
        parse_coordinate(parser, names);
    const struct token *from = parser_peek(parser);
    if (parser_accept(parser, TOKEN_FROM))
        parse_from_root(parser, from);
    if (!parser_is_line_end(parser) && !parser->panic)
        parser_expected_or(parser, "the end of the line", ranks_help);
    if (parser->panic)
        recover_coordinates(parser, names);
    declare_coordinates(parser, names);
    parser_end_line(parser);
}

static void parse_requires(struct parser *parser)
{
    struct requirement **tail = &parser->program->requirements;
    while (*tail)
        tail = &(*tail)->next;
    parser->at++;
    struct expr *expr = parse_expression(parser);
    if (!parser->panic) {
        check_uniform(parser->variables, expr, "a requirement", parser->diagnostics);
        *tail = arena_alloc(parser->program->arena, 1, sizeof **tail);
        (*tail)->expr = expr;
        (*tail)->before = (uint32_t)parser->n_variables;
    }
    parser_end_line(parser);
}

/* like BUFFER [ "[" index "]" ] [ of TARGET ]; `like` and `of` are names elsewhere. The index may depend on the
 * rank and on the number of the chunk of tmp. */
static void parse_like(struct parser *parser, const struct token *number)
{
    struct program *program = parser->program;
    size_t scope = scope_open(parser);
    const struct token *like = parser_peek(parser);
    if (number) {
        program->tmp_index = names_declare(parser, number, VARIABLE_LOOP, false);
        parser->variables[program->tmp_index].is_uniform = false;
    }
    if (token_is_word(parser, like, "like")) {
        program->like = token_position(parser, like);
        parser->at++;
        parse_chunks(parser, &program->tmp_like);
        if (!parser->panic && token_is_word(parser, parser_peek(parser), "of")) {
            parser->at++;
            parse_target(parser, &program->tmp_like_rank);
        }
    } else if (number) {
        parser_expected(parser, "'like'")->help =
            "the number of the chunk has a name to say what it is as large as: 'tmp j: p like out[j]'";
    }
    scope_close(parser, scope);
}

/* Parses the number of chunks of a buffer. */
static void parse_size(struct parser *parser, enum buffer buffer, struct expr **size)
{
    if (parser->panic)
        return;
    *size = parse_expression(parser);
    check_uniform(parser->variables, *size,
                  diagnostics_text(parser->diagnostics, "the number of chunks of '%s'", buffer_name[buffer]),
                  parser->diagnostics);
}

/* buf ... above the body: no clause. */
static void refuse_buf(struct parser *parser)
{
    parser_expected(parser, "a clause or a statement")->help =
        "how many chunks 'buf' has is said by 'segments', and a pattern has 'in', 'out' and 'tmp' only";
    parser_end_line(parser);
}

/* True if a line of a collective begins like this clause of a pattern. */
static bool begins_size(const struct parser *parser)
{
    const enum token_kind next = parser_peek(parser)[1].kind;
    return collective_is_pattern(parser->program->collective) || next == TOKEN_NAME || next == TOKEN_INTEGER;
}

/* in EXPR, out EXPR: of a pattern. False: the line is no such clause. */
static bool parse_buffer_size(struct parser *parser, enum buffer buffer, struct expr **size)
{
    const struct program *program = parser->program;
    const struct token *word = parser_peek(parser);
    if (!begins_size(parser))
        return false;
    parser_only_once(parser, &parser->sizes[buffer]);
    parser->at++;
    if (program->collective != N_COLLECTIVES && !collective_is_pattern(program->collective) &&
        !parser->panic) {
        report(parser->diagnostics, CODE_E011, token_position(parser, word),
               "how many chunks '%s' has is MPI's matter in '%s'", buffer_name[buffer],
               collective_table[program->collective].name)
            ->help = "leave the line out; only a pattern, 'pattern NAME', says it itself";
        parser->panic = true;
    }
    parse_size(parser, buffer, size);
    parser_end_line(parser);
    return true;
}

/* NAME [ EXPR ]: an area behind those before it. */
static void parse_area(struct parser *parser, const struct token *name)
{
    struct program *program = parser->program;
    struct tmp_area area = {.first = program->n_tmp};
    parser->at += 2;
    if (program->n_areas == PROGRAM_MAX_AREAS) {
        report(parser->diagnostics, CODE_E010, token_position(parser, name), "more than %d areas of 'tmp'",
               PROGRAM_MAX_AREAS)
            ->help = "make one of two: 'tmp both[2*p]', in which the second begins at 'both[p]'";
        parser->panic = true;
    }
    parse_size(parser, BUFFER_TMP, &area.n);
    parser_expect(parser, TOKEN_CLOSE_INDEX);
    if (token_is_word(parser, parser_peek(parser), "like") && !parser->panic)
        parser_expected(parser, "the end of the line")->help =
            "only a 'tmp' without areas has chunks as large as others: 'tmp j: p like out[r+j]'";
    area.variable = names_declare(parser, name, VARIABLE_AREA, true);
    parser->variables[area.variable].index = program->n_areas;
    if (parser->panic || !area.n)
        return;
    area.end = area.first ? parser_sum(parser, area.first, area.n) : area.n;
    program->n_tmp = area.end;
    if (!program->areas)
        program->areas = arena_alloc(program->arena, PROGRAM_MAX_AREAS, sizeof *program->areas);
    program->areas[program->n_areas++] = area;
}

/* tmp [NAME :] EXPR [like ...] */
static void parse_tmp(struct parser *parser)
{
    const struct token *number = NULL, *name = parser_peek(parser) + 1;
    const bool is_area = name->kind == TOKEN_NAME && name[1].kind == TOKEN_OPEN_INDEX;
    if (!is_area || !parser->program->n_areas)
        parser_only_once(parser, &parser->sizes[BUFFER_TMP]);
    if (parser_accept(parser, TOKEN_TMP) && is_area) {
        parse_area(parser, name);
        parser_end_line(parser);
        return;
    }
    if (parser_peek(parser)->kind == TOKEN_NAME && parser_peek(parser)[1].kind == TOKEN_COLON) {
        number = parser_peek(parser);
        parser->at += 2;
    } else if (!parser->panic && name->kind == TOKEN_NAME && name[1].kind == TOKEN_OPEN &&
               !names_symbol(parser, name)->is_function && !names_symbol(parser, name)->definition) {
        parser->at++;
        parser_expect_or(parser, TOKEN_OPEN_INDEX, "an area of 'tmp' is 'tmp NAME[EXPR]'");
    }
    parse_size(parser, BUFFER_TMP, &parser->program->n_tmp);
    if (!parser->panic)
        parse_like(parser, number);
    parser_end_line(parser);
}

/* Refuses a claim that says nothing of the collective. */
static void check_claim(struct parser *parser, const struct position *claim)
{
    const struct program *program = parser->program;
    const bool is_known = program->collective != N_COLLECTIVES;
    if (is_known && claim == &program->ordered && !collective_table[program->collective].reduces)
        report(parser->diagnostics, CODE_E011, *claim, "'%s' combines no data",
               collective_table[program->collective].name)
            ->help = "only the order of what is combined matters to MPI";
    if (is_known && claim == &program->exact && !collective_agrees(program->collective))
        report(parser->diagnostics, CODE_E011, *claim, "ranks of '%s' get no common result",
               collective_table[program->collective].name)
            ->help = "MPI requires equal results of an allreduce only";
}

/* `ordered`, `exact` and `absent`, which are names elsewhere. */
static bool parse_claim(struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    struct program *program = parser->program;
    struct position *claim = token_is_word(parser, token, "ordered")  ? &program->ordered
                             : token_is_word(parser, token, "exact")  ? &program->exact
                             : token_is_word(parser, token, "absent") ? &program->absent
                                                                      : NULL;
    if (!claim || token[1].kind == TOKEN_OPEN || token[1].kind == TOKEN_ASSIGN)
        return false;
    *claim = token_position(parser, token);
    check_claim(parser, claim);
    parser->at++;
    if (!parser_is_line_end(parser))
        parser_expected_or(parser, "the end of the line", "the clause is this word alone");
    parser_end_line(parser);
    return true;
}

/* The let at the next token, read as far as its value; puts the parser back.
 * A let that depends on the rank begins the body. */
static bool is_header_let(struct parser *parser)
{
    size_t at = parser->at;
    uint32_t coordinate = 0;
    for (; parser->tokens[at].kind != TOKEN_NEWLINE && parser->tokens[at].kind != TOKEN_END; at++) {
        if (parser->tokens[at].kind != TOKEN_NAME)
            continue;
        const struct symbol *symbol = names_symbol(parser, &parser->tokens[at]);
        bool is_known = symbol->variable != NO_VARIABLE;
        coordinate += is_known && !parser->variables[symbol->variable].is_uniform;
        coordinate +=
            symbol->definition && symbol->definition->value && !symbol->definition->value->is_uniform;
    }
    return coordinate == 0;
}

static bool names_segments(const struct parser *parser, const struct token *token)
{
    return token->length == 8 && memcmp(parser->source->text + token->offset, "segments", 8) == 0;
}

static bool parse_header_let(struct parser *parser)
{
    const struct token *name = parser_peek(parser) + 1;
    if (!is_header_let(parser) && !names_segments(parser, name))
        return false;
    parser->at++;
    name = parser_expect_word(parser, "a name");
    parser_expect_or(parser, TOKEN_ASSIGN, parser_help_with_let(parser));
    struct expr *value = parse_expression(parser);
    if (name && !parser->panic) {
        check_uniform(parser->variables, value, "the value of a 'let' above the body",
                      parser->diagnostics);
    }
    if (name) {
        uint32_t variable = names_declare(parser, name, VARIABLE_LET, true);
        parser->variables[variable].value = value;
        note_segments(parser, variable);
    }
    if (parser_peek(parser)->kind == TOKEN_SEMICOLON && !parser->panic)
        parser_expected(parser, "the end of the line")->help =
            "above the first statement a 'let' stands on a line of its own";
    parser_end_line(parser);
    return true;
}

/* A clause whose word is a name elsewhere. */
static bool parse_word_clause(struct parser *parser)
{
    if (parser_needs_clause(parser))
        return true;
    if (!parser_begins_costs(parser))
        return parse_claim(parser);
    parse_costs(parser);
    return true;
}

static bool parse_one_clause(struct parser *parser)
{
    switch ((int)parser_peek(parser)->kind) {
    case TOKEN_RANKS: parse_ranks(parser); return true;
    case TOKEN_REQUIRES: parse_requires(parser); return true;
    case TOKEN_IN: return parse_buffer_size(parser, BUFFER_IN, &parser->program->n_in);
    case TOKEN_OUT: return parse_buffer_size(parser, BUFFER_OUT, &parser->program->n_out);
    case TOKEN_BUF: refuse_buf(parser); return true;
    case TOKEN_TMP: parse_tmp(parser); return true;
    case TOKEN_DEF: parse_definition(parser); return true;
    case TOKEN_LET: return parse_header_let(parser);
    case TOKEN_NAME: return parse_word_clause(parser);
    default: return false;
    }
}

/* After too many of them nothing more is read. */
bool parse_clause(struct parser *parser)
{
    const struct token *first = parser_peek(parser);
    if (!parse_one_clause(parser))
        return false;
    if (is_too_many(parser, first, ++parser->n_clauses, MAX_STATEMENTS, "clauses"))
        while (parser_peek(parser)->kind != TOKEN_END)
            parser->at++;
    return true;
}

/* Returns the comment lines above the header, without '#' and one blank. */
static const char *parser_header_read_description(struct parser *parser, size_t end)
{
    struct text text = {0};
    const char *at = parser->source->text, *stop = at + end;
    while (at < stop) {
        const char *line_end = memchr(at, '\n', (size_t)(stop - at));
        line_end = line_end ? line_end : stop;
        const char *mark = memchr(at, '#', (size_t)(line_end - at));
        const char *from = mark ? mark + 1 : line_end, *to = line_end;
        from += from < to && *from == ' ';
        while (to > from && (to[-1] == ' ' || to[-1] == '\r'))
            to--;
        if (mark || text.length) {
            text_append(&text, from, (size_t)(to - from));
            text_append(&text, "\n", 1);
        }
        at = line_end + 1;
    }
    while (text.length && text.data[text.length - 1] == '\n')
        text.length--;
    const char *result =
        arena_strndup(parser->program->arena, text.length ? text.data : "", text.length);
    text_free(&text);
    return result;
}

/* A line among the clauses that is neither a clause nor a statement, such as a
 * misspelt clause: reported, and the header goes on. A block below it means that
 * the body has begun. */
static bool skip_unknown_clause(struct parser *parser)
{
    size_t at = parser->at;
    if (parser_peek(parser)->kind != TOKEN_NAME || parser_peek(parser)[1].kind == TOKEN_OPEN ||
        parser_begins_run(parser))
        return false;
    while (parser->tokens[at].kind != TOKEN_NEWLINE && parser->tokens[at].kind != TOKEN_END)
        at++;
    if (parser_is_costs_block(parser, &parser->tokens[at]))
        parser_join_costs(parser);
    else if (parser->tokens[at].kind == TOKEN_END || parser->tokens[at + 1].kind == TOKEN_INDENT)
        return false;
    parse_line(parser, &parser->program->body);
    return true;
}

static void parse_file(struct parser *parser)
{
    if (parser_peek(parser)->kind == TOKEN_END) {
        report(parser->diagnostics, CODE_E002, token_position(parser, parser_peek(parser)),
               "no algorithm in this file")
            ->help = "it begins with a line 'COLLECTIVE NAME', such as 'alltoall ring'";
        return;
    }
    const struct token *first = parser_peek(parser);
    parser->program->description = parser_header_read_description(parser, first->offset);
    if (first->kind == TOKEN_INDENT) {
        report(parser->diagnostics, CODE_E001, token_position(parser, first),
               "unexpected indentation")
            ->help = "the header begins at the left margin";
        parser->at++;
    }
    parse_header_line(parser);
    while (parse_clause(parser) || skip_unknown_clause(parser))
        ;
    struct position header = token_position(parser, first);
    bool was_clean = !diagnostics_has_errors(parser->diagnostics);
    parser->body = parser_peek(parser);
    parser->program->body = parse_statements(parser);
    if (!parser->program->body && was_clean && !diagnostics_has_errors(parser->diagnostics))
        report(parser->diagnostics, CODE_E002, header, "the algorithm has no statements")
            ->help = "write below the clauses what ranks do: 'step', and in its block 'send' and 'recv'";
}

void parser_keep_variables(struct parser *parser)
{
    struct program *program = parser->program;
    program->n_statements = parser->n_statements;
    program->n_variables = program->n_own_variables = (uint32_t)parser->n_variables;
    program->variables =
        arena_alloc(program->arena, parser->n_variables, sizeof *program->variables);
    memcpy(program->variables, parser->variables,
           parser->n_variables * sizeof *program->variables);
    free(parser->variables);
}

struct program *parser_new_program(const struct source *source)
{
    struct arena *arena = mem_alloc(1, sizeof *arena);
    struct program *program = arena_alloc(arena, 1, sizeof *program);
    program->arena = arena;
    program->source = source;
    program->collective = N_COLLECTIVES;
    program->segments = program->tmp_index = NO_VARIABLE;
    program->name = program->description = "";
    return program;
}

struct program *parse_program(const struct source *source, struct survey *survey, bool is_as_written,
                              struct diagnostics *diagnostics)
{
    struct parser parser = {.source = source,
                            .diagnostics = diagnostics,
                            .survey = survey,
                            .keeps_calls = is_as_written,
                            .program = parser_new_program(source)};
    parser.tokens = tokens_read(source, diagnostics);
    names_begin(&parser);
    parse_file(&parser);
    names_end(&parser);
    parser_keep_variables(&parser);
    free(parser.tokens);
    return parser.program;
}
