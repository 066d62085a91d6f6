/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Splits text into words as a shell does, with two differences: a quote that does not end on its line is a
 * character like others (prose has apostrophes), and each statement is read on its own, so that no branch is
 * left out.
 */
#include "tables/settings/reader.h"

#include <stdlib.h>

bool settings_is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || text_is_digit(c) || c == '.';
}

bool settings_is_name(struct slice name)
{
    for (size_t i = 0; i < name.length; i++)
        if (!settings_is_name_letter(name.text[i]))
            return false;
    return name.length > 0 && !text_is_digit(*name.text) && *name.text != '.';
}

bool settings_has_capital(struct slice name)
{
    size_t i = 0;
    while (i < name.length && !(name.text[i] >= 'A' && name.text[i] <= 'Z'))
        i++;
    return i < name.length;
}

bool settings_is_one_of(struct slice word, const char *const *list)
{
    while (*list && !slice_is(word, *list))
        list++;
    return *list != NULL;
}

/* Returns the length of a line end behind a backslash; 0 if none is there. */
size_t settings_continuation(const char *at, const char *end)
{
    if (end - at >= 2 && at[0] == '\\' && at[1] == '\n')
        return 2;
    return end - at >= 3 && at[0] == '\\' && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* Returns the quote that ends the one at `at`, or NULL if there is none on the line. */
const char *settings_closing_quote(const char *at, const char *end)
{
    const char quote = *at;
    for (at++; at < end && !settings_is_line_end(*at); at++) {
        if (*at == quote)
            return at;
        if (quote == '"' && *at == '\\' && at + 1 < end)
            at += settings_continuation(at, end) == 3 ? 2 : 1;
    }
    return NULL;
}

/* Returns the end of $(...), ${...} or `...` at `at`; NULL if it does not end on the line. */
static const char *closing_bracket(const char *at, const char *end)
{
    const bool is_tick = *at == '`';
    const char open = is_tick ? '`' : at[1], close = open == '(' ? ')' : open == '{' ? '}' : '`';
    unsigned depth = 0;
    if (!is_tick && (end - at < 2 || (open != '(' && open != '{')))
        return NULL;
    for (at += is_tick ? 1 : 2; at < end && !settings_is_line_end(*at); at++) {
        if (*at == close && depth-- == 0)
            return at + 1;
        depth += *at == open && !is_tick;
    }
    return NULL;
}

/* True for what ends a word; in a file of nothing but NAME=VALUE blanks alone do. */
static bool ends_word(const struct reader *reader, char c)
{
    return text_is_blank(c) || (!reader->is_plain && c && strchr(";&|()", c));
}

/* The value of a word as it grows: a piece of the source as long as that is possible. */
struct value {
    const char *first;
    struct text text;
    bool is_piece;
};

static void value_append(struct value *value, const char *at, size_t length)
{
    if (length && !value->text.length)
        value->first = at;
    value->is_piece &= at == value->first + value->text.length || !length;
    text_append(&value->text, at, length);
}

/* Appends the text between quotes; a backslash takes the meaning of the characters that have one there. */
static void settings_append_quoted(struct value *value, const char *at, const char *end, char quote,
                                   bool *is_computed)
{
    while (at < end) {
        const size_t joined = quote == '"' ? settings_continuation(at, end) : 0;
        *is_computed |= quote == '"' && (*at == '$' || *at == '`');
        if (quote == '"' && !joined && *at == '\\' && at + 1 < end && strchr("\"\\$`", at[1]))
            at++;
        if (!joined)
            value_append(value, at, 1);
        at += joined ? joined : 1;
    }
}

/* Appends what begins at `at`, and returns its end. */
static const char *append_part(struct value *value, struct word *word, const char *at, const char *end)
{
    const char *close = *at == '"' || *at == '\'' ? settings_closing_quote(at, end) : NULL;
    const char *bracket = *at == '$' || *at == '`' ? closing_bracket(at, end) : NULL;
    word->is_computed |= *at == '$' || *at == '`';
    if (close) {
        settings_append_quoted(value, at + 1, close, *at, &word->is_computed);
        word->is_quoted = true;
        return close + 1;
    }
    if (bracket) {
        value_append(value, at, (size_t)(bracket - at));
        return bracket;
    }
    if (settings_continuation(at, end))
        return at + settings_continuation(at, end);
    at += *at == '\\' && at + 1 < end && !text_is_blank(at[1]);
    value_append(value, at, 1);
    return at + 1;
}

/* Returns the word that begins at `at`, or is there up to `end` if that is before a word ends. */
struct word settings_word_at(const struct reader *reader, const char *at, const char *end)
{
    struct word word = {.written = {at, 0}};
    struct value value = {.first = at, .is_piece = true};
    while (at < end && !ends_word(reader, *at))
        at = append_part(&value, &word, at, end);
    word.written.length = (size_t)(at - word.written.text);
    word.value = (struct slice){
        value.is_piece ? value.first : arena_strndup(reader->arena, value.text.data, value.text.length),
        value.text.length};
    text_free(&value.text);
    return word;
}

void settings_skip_line(struct reader *reader)
{
    while (reader->at < reader->end && !settings_is_line_end(*reader->at))
        reader->at++;
}

/* True for words of a Dockerfile that a list may follow. */
static bool takes_list(struct slice word)
{
    static const char *const names[] = {"CMD", "ENTRYPOINT", "RUN", NULL};
    return settings_is_one_of(word, names);
}

/* Takes the words of a statement. */
size_t settings_take_statement(struct reader *reader, struct word *words)
{
    size_t n = 0;
    while (reader->at < reader->end) {
        if (settings_continuation(reader->at, reader->end)) {
            reader->at += settings_continuation(reader->at, reader->end);
        } else if (settings_is_line_end(*reader->at) ||
                   (*reader->at == '[' && n == 1 && takes_list(words->value))) {
            break;
        } else if (text_is_blank(*reader->at)) {
            reader->at++;
        } else if (*reader->at == '#' && n) {
            settings_skip_line(reader);
        } else if (ends_word(reader, *reader->at)) {
            reader->in_function |= n == 1 && *reader->at == '(' && reader->at + 1 < reader->end &&
                                   reader->at[1] == ')';
            reader->at++;
            break;
        } else {
            const struct word word = settings_word_at(reader, reader->at, reader->end);
            reader->at += word.written.length;
            if (n < SETTINGS_MAX_WORDS)
                words[n++] = word;
        }
    }
    return n;
}

