/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Survey of the names in a file, for editors (compiler/lsp). A survey is made of any text, half typed or
 * wrong; it says which names there are, what they mean, and where. And the words of the language.
 */
#ifndef COLLC_COMPILER_LANGUAGE_SURVEY_H
#define COLLC_COMPILER_LANGUAGE_SURVEY_H

#include "ir/program.h"

enum mention_kind {
    MENTION_HEAD,       /* COLLECTIVE NAME of the first line */
    MENTION_VARIABLE,
    MENTION_DEFINITION,
    MENTION_RUN         /* COLLECTIVE/NAME behind `run` */
};

/* Name at a place. */
struct mention {
    enum mention_kind kind;
    struct position position;
    bool is_declaration;
    uint32_t variable;                   /* VARIABLE: in program->variables */
    const struct definition *definition; /* DEFINITION */
    const struct group_run *run;         /* RUN; its parameter, if it has one, is mentioned, too */
};

struct survey {
    struct program *program;  /* program as far as it could be read: rely on its names, not on its
                                 statements */
    struct mention *mentions; /* in the order in which they were read */
    size_t n_mentions, capacity;
};
/* Surveys a text. O(text). False if it is no text or too large for an algorithm. The source must outlive the
 * survey. */
bool survey_read(const struct source *source, struct survey *survey);
void survey_free(struct survey *survey);
/* Returns the name that the byte of that line and column (from 1) is of, or that ends before it; NULL: none.
 * O(mentions). */
const struct mention *survey_at(const struct survey *survey, uint32_t line, uint32_t column);

enum word_kind {
    WORD_KEYWORD,
    WORD_IN_PLACE, /* of the language in its place, elsewhere a name */
    WORD_OPERATOR, /* a sign or a word */
    WORD_FUNCTION,
    WORD_VALUE     /* known without being declared */
};
struct word {
    enum word_kind kind;
    const char *spelling, *meaning;
};
extern const struct word language_words[];
extern const size_t n_language_words;

#endif
