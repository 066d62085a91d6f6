/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The statement `run`: another algorithm over one coordinate. Its words are names
 * elsewhere. What it stands for is settled later, by inline.c.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <string.h>

static bool at_word(const struct parser *parser, const char *word)
{
    const struct token *token = parser_peek(parser);
    return !parser->panic && token->kind == TOKEN_NAME && token_is(parser, token, word);
}

static bool accept_word(struct parser *parser, const char *word)
{
    return at_word(parser, word) && parser_accept(parser, TOKEN_NAME);
}

static bool begins_name(enum token_kind kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_REDUCE;
}

bool parser_begins_run(const struct parser *parser)
{
    return at_word(parser, "run") && begins_name(parser_peek(parser)[1].kind);
}

bool parser_is_run_name(const struct parser *parser, const struct token *name)
{
    for (const struct token *t = parser->tokens; t->kind != TOKEN_END; t++) {
        bool is_run = t->kind == TOKEN_NAME && token_is(parser, t, "run") &&
                      begins_name(t[1].kind) && t[2].kind == TOKEN_DIV && t[3].kind == TOKEN_NAME;
        if (is_run && t[3].length == name->length &&
            memcmp(parser->source->text + t[3].offset, parser->source->text + name->offset,
                   name->length) == 0)
            return true;
    }
    return false;
}

/* COLLECTIVE / NAME, or the parameter that says the name. */
static void parse_algorithm(struct parser *parser, struct group_run *run)
{
    const struct token *first = parser_peek(parser);
    run->collective = collective_find(parser->source->text + first->offset, first->length);
    if (run->collective == N_COLLECTIVES) {
        parser_expected(parser, "a collective")->help =
            "an algorithm is named as 'collc algorithms' lists it: run bcast/binomial over r";
        return;
    }
    if (collective_is_of_neighbors(run->collective) && !parser->panic) {
        report(parser->diagnostics, CODE_E011, token_position(parser, first),
               "neighbours are those of a communicator, not of a group of its ranks")
            ->help = "write out what the ranks of the group send to each other";
        parser->panic = true;
    }
    parser->at++;
    parser_expect(parser, TOKEN_DIV);
    const struct token *name = parser_expect_word(parser, "the name of an algorithm");
    if (!name)
        return;
    run->name = token_text(parser, name);
    uint32_t variable = names_symbol(parser, name)->variable;
    if (variable != NO_VARIABLE && parser->variables[variable].kind == VARIABLE_ALGORITHM) {
        run->parameter = variable;
        survey_note_mention(parser, name, (struct mention){.kind = MENTION_VARIABLE, .variable = variable});
    }
    run->position = parser_span_from(parser, first);
    survey_note_mention(parser, NULL,
                        (struct mention){.kind = MENTION_RUN, .run = run, .position = run->position});
}

static void parse_setting(struct parser *parser, struct group_run *run)
{
    struct run_setting *setting = &run->settings[run->n_settings];
    const struct token *name = parser_expect_word(parser, "the name of a parameter");
    parser_expect(parser, TOKEN_ASSIGN);
    if (!name || run->n_settings == MAX_OPERANDS) {
        parser_expected(parser, "')'");
        return;
    }
    *setting = (struct run_setting){token_text(parser, name), NULL, token_position(parser, name)};
    for (uint32_t i = 0; i < run->n_settings && !parser->panic; i++)
        if (strcmp(run->settings[i].name, setting->name) == 0)
            report(parser->diagnostics, CODE_E005, setting->position, "'%s' is given twice",
                   setting->name)
                ->help = "leave one of the two out";
    setting->value = parse_expression(parser);
    run->n_settings++;
}

static void parse_settings(struct parser *parser, struct group_run *run)
{
    if (!parser_accept(parser, TOKEN_OPEN))
        return;
    run->settings = arena_alloc(parser->program->arena, MAX_OPERANDS, sizeof *run->settings);
    do
        parse_setting(parser, run);
    while (parser_accept(parser, TOKEN_COMMA));
    parser_expect(parser, TOKEN_CLOSE);
}

static void parse_over(struct parser *parser, struct group_run *run)
{
    if (!accept_word(parser, "over")) {
        parser_expected(parser, "'over'");
        return;
    }
    const struct token *name = parser_expect_word(parser, "the name of a coordinate");
    if (!name)
        return;
    uint32_t variable = names_symbol(parser, name)->variable;
    if (variable == NO_VARIABLE) {
        names_unknown(parser, name, false);
    } else if (parser->variables[variable].kind != VARIABLE_COORDINATE) {
        report(parser->diagnostics, CODE_E005, token_position(parser, name),
               "'%s' is no coordinate", parser->variables[variable].name)
            ->help = "a group are the ranks that differ in one coordinate of the 'ranks' clause";
    } else {
        survey_note_mention(parser, name, (struct mention){.kind = MENTION_VARIABLE, .variable = variable});
        run->coordinate = parser->variables[variable].index;
    }
}

static struct run_map *new_map(struct parser *parser, struct group_run *run, enum buffer buffer,
                               struct position position)
{
    struct run_map *map = arena_alloc(parser->program->arena, 1, sizeof *map);
    *map = (struct run_map){.buffer = buffer, .variable = NO_VARIABLE, .position = position};
    if (run->maps[buffer] && !parser->panic)
        report(parser->diagnostics, CODE_E005, position, "'%s' is given twice",
               buffer_name[buffer])
            ->help = "leave one of the two out; 'on CHUNKS' is of 'buf'";
    run->maps[buffer] = map;
    return map;
}

static enum buffer parse_buffer(struct parser *parser)
{
    static const enum token_kind tokens[] = {TOKEN_IN, TOKEN_OUT, TOKEN_BUF};
    for (enum buffer buffer = 0; buffer < BUFFER_TMP; buffer++)
        if (parser_accept(parser, tokens[buffer]))
            return buffer;
    parser_expected(parser, "'in', 'out' or 'buf'")->help =
        "what follows says which chunks here are the buffer of the algorithm that runs";
    return BUFFER_BUF;
}

/* BUFFER [ "[" NAME "]" ] = CHUNKS */
static void parse_map(struct parser *parser, struct group_run *run)
{
    const struct token *first = parser_peek(parser);
    enum buffer buffer = parse_buffer(parser);
    struct run_map *map = new_map(parser, run, buffer, token_position(parser, first));
    size_t mark = scope_open(parser);
    if (parser_accept(parser, TOKEN_OPEN_INDEX)) {
        const struct token *name = parser_expect_word(parser, "a name for the number of the chunk");
        if (name)
            map->variable = names_declare(parser, name, VARIABLE_LOOP, false);
        parser_expect(parser, TOKEN_CLOSE_INDEX);
    }
    parser_expect(parser, TOKEN_ASSIGN);
    if (!parser->panic)
        parse_chunks(parser, &map->chunks);
    scope_close(parser, mark);
}

static void parse_root(struct parser *parser, struct group_run *run)
{
    const struct token *first = parser_peek(parser);
    if (!parser_accept(parser, TOKEN_FROM) && !parser_accept(parser, TOKEN_TO))
        return;
    run->root = parse_expression(parser);
    if (!parser->panic)
        parser_need_root(parser, run->collective, parser_span_from(parser, first));
}

void parse_run(struct parser *parser, struct statement *statement)
{
    struct group_run *run = arena_alloc(parser->program->arena, 1, sizeof *run);
    *run = (struct group_run){.collective = N_COLLECTIVES, .name = "", .parameter = NO_VARIABLE};
    statement->run = run;
    parser->at++;
    parse_algorithm(parser, run);
    parse_settings(parser, run);
    parse_over(parser, run);
    parse_root(parser, run);
    const struct token *on = parser_peek(parser);
    if (accept_word(parser, "on")) {
        struct run_map *map = new_map(parser, run, BUFFER_BUF, token_position(parser, on));
        parse_chunks(parser, &map->chunks);
        run->is_on = true;
    }
    if (accept_word(parser, "with"))
        do
            parse_map(parser, run);
        while (parser_accept(parser, TOKEN_COMMA));
}
