/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Help for a syntax error that says no more than which token was expected: what the statement is like in
 * which it stands, and what stands here for a word of another language.
 */
#include "compiler/language/frontend.h"

#include <string.h>
#include <strings.h>

const char *parser_foreign_word(const char *text, size_t length)
{
    static const struct {
        const char *word, *help;
    } words[] = {
#define FOREIGN(word, help) {word, help},
#include "compiler/language/foreign.def"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, text, length) == 0)
            return words[i].help;
    return NULL;
}

/* True if a statement begins by this word; a clause, if the word is the first of its line. */
static bool begins_form(const struct parser *parser, const struct token *token, bool is_first)
{
    switch ((int)token->kind) {
    case TOKEN_FOR:
    case TOKEN_IF:
    case TOKEN_LET:
    case TOKEN_STEP:
    case TOKEN_SEND:
    case TOKEN_RECV:
    case TOKEN_REDUCE:
    case TOKEN_COPY: return true;
    case TOKEN_RANKS:
    case TOKEN_REQUIRES:
    case TOKEN_WINDOW:
    case TOKEN_DEF:
    case TOKEN_TMP: return is_first;
    case TOKEN_NAME:
        return (is_first && (token_is_word(parser, token, "needs") || token_is_word(parser, token, "costs"))) ||
               token_is_word(parser, token, "run");
    default: return false;
    }
}

/* True if a rank is being named behind this word, and what was found belongs to several coordinates. */
static bool begins_coordinates(const struct token *token, enum token_kind found)
{
    return (token->kind == TOKEN_TO || token->kind == TOKEN_FROM) &&
           (found == TOKEN_COMMA || found == TOKEN_OPEN_INDEX);
}

const char *parser_form(const struct parser *parser)
{
    const struct token *token = parser_peek(parser);
    const enum token_kind found = token->kind;
    bool is_first = false;
    int n_open = 0; /* brackets that are open, less those that are closed, from here on */
    while (!is_first && token > parser->tokens) {
        token--;
        const enum token_kind before = token > parser->tokens ? token[-1].kind : TOKEN_NEWLINE;
        is_first = before == TOKEN_NEWLINE || before == TOKEN_INDENT || before == TOKEN_DEDENT;
        if (before == TOKEN_NAME && token_is_word(parser, token - 1, "run"))
            continue; /* a collective, which may be called as a statement */
        n_open += (token->kind == TOKEN_OPEN_INDEX) - (token->kind == TOKEN_CLOSE_INDEX);
        if (n_open > 0 && before != TOKEN_NAME)
            return "chunks are 'in[r]', 'buf[0 .. 3]', 'out[r; 0]', in a message also 'out[k for k in 0 .. 3]'";
        if (!begins_form(parser, token, is_first) && !begins_coordinates(token, found))
            continue;
        for (size_t i = 0; i < n_language_words; i++)
            if (token_is(parser, token, language_words[i].spelling))
                return diagnostics_text(parser->diagnostics, "'%s': %s", language_words[i].spelling,
                                        language_words[i].meaning);
    }
    const struct program *program = parser->program; /* a formula has neither */
    const bool has_header = program->collective != N_COLLECTIVES || *program->name;
    return token == parser->tokens && has_header
               ? "the first line is 'COLLECTIVE NAME', or with parameters 'COLLECTIVE NAME(k = 2)'"
               : NULL;
}
