/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See survey.h. The parser notes mentions on its way; here is what is made of them.
 */
#include "compiler/language/frontend.h"

#include <stdlib.h>
#include <string.h>

const struct word language_words[] = {
#define KEYWORD(kind, spelling, meaning) {WORD_KEYWORD, spelling, meaning},
#define WORD(spelling, meaning) {WORD_IN_PLACE, spelling, meaning},
#include "compiler/language/token.def"
#define BINARY(kind, spelling, precedence, right, meaning) {WORD_OPERATOR, spelling, meaning},
#define FUNCTION(kind, name, arity, meaning) {WORD_FUNCTION, #name, meaning},
#define NAMED(name, meaning) {WORD_VALUE, #name, meaning},
#include "ir/program.def"
};
const size_t n_language_words = sizeof language_words / sizeof *language_words;

void survey_note_mention(struct parser *parser, const struct token *token, struct mention mention)
{
    struct survey *survey = parser->survey;
    if (!survey)
        return;
    mention.position = token ? token_position(parser, token) : mention.position;
    survey->mentions = mem_grow(survey->mentions, &survey->capacity, survey->n_mentions + 1,
                                sizeof *survey->mentions);
    survey->mentions[survey->n_mentions++] = mention;
}

bool survey_read(const struct source *source, struct survey *survey)
{
    struct diagnostics unread = {0}; /* who wants them reads the program */
    *survey = (struct survey){.program = NULL};
    if (source->length <= MAX_FILE_BYTES && source_check_utf8(source, &unread))
        survey->program = parse_program(source, survey, true, &unread);
    diagnostics_free(&unread);
    return survey->program;
}

void survey_free(struct survey *survey)
{
    program_free(survey->program);
    free(survey->mentions);
    *survey = (struct survey){.program = NULL};
}

const struct mention *survey_at(const struct survey *survey, uint32_t line, uint32_t column)
{
    const struct mention *before = NULL;
    for (size_t i = 0; i < survey->n_mentions; i++) {
        const struct mention *mention = &survey->mentions[i];
        const struct position *at = &mention->position;
        if (at->line != line || column < at->column || column > at->column + at->length)
            continue;
        if (column < at->column + at->length)
            return mention;
        before = mention;
    }
    return before;
}
