/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text -> tokens. Indentation becomes INDENT and DEDENT tokens: a stack holds
 * the columns of the open blocks, and the first token of a line is compared with
 * its top. Empty and comment lines do not count. Only spaces indent, because the
 * width of a tab depends on who looks at it.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

struct lexer {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct token *tokens;
    size_t n_tokens, capacity;
    size_t at, line_start;
    uint32_t line;
    size_t indents[MAX_DEPTH + 1]; /* columns of open blocks, [0] is 0 */
    size_t n_indents;
    bool is_too_deep;              /* E010 was reported */
    bool has_tab;                  /* a tab was reported: columns cannot be trusted */
};

static const char *const spellings[N_TOKEN_KINDS] = {
#define KEYWORD(kind, spelling, meaning) [TOKEN_##kind] = spelling,
#include "compiler/language/token.def"
#define SIGN(kind, spelling) [TOKEN_##kind] = spelling,
#include "compiler/language/token.def"
#define BINARY(kind, spelling, precedence, right, meaning) [TOKEN_##kind] = spelling,
#include "ir/program.def"
};

const char *token_spelling(enum token_kind kind)
{
    return spellings[kind];
}

/* ctype.h depends on the locale; the language does not. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool lexer_is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char character(const struct lexer *lexer, size_t ahead)
{
    size_t at = lexer->at + ahead;
    return at < lexer->source->length ? lexer->source->text[at] : '\0';
}

static bool at_end(const struct lexer *lexer)
{
    return lexer->at >= lexer->source->length;
}

static struct token *lexer_push(struct lexer *lexer, enum token_kind kind, size_t length)
{
    lexer->tokens = mem_grow(lexer->tokens, &lexer->capacity, lexer->n_tokens + 1,
                             sizeof *lexer->tokens);
    struct token *token = &lexer->tokens[lexer->n_tokens++];
    *token = (struct token){kind, (uint32_t)lexer->at, (uint32_t)length, lexer->line,
                            (uint32_t)(lexer->at - lexer->line_start + 1), 0};
    lexer->at += length;
    return token;
}

static struct position here(const struct lexer *lexer, size_t length)
{
    return (struct position){lexer->source, lexer->line,
                             (uint32_t)(lexer->at - lexer->line_start + 1), (uint32_t)length};
}

static void lex_integer(struct lexer *lexer, size_t length)
{
    const char *digits = lexer->source->text + lexer->at;
    int64_t value = 0;
    bool fits = true;
    for (size_t i = 0; i < length && fits; i++)
        fits = !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, digits[i] - '0', &value);
    if (!fits)
        report(lexer->diagnostics, CODE_E007, here(lexer, length),
               "the integer '%.*s' does not fit in 64 bits", (int)(length < 40 ? length : 40),
               digits)
            ->help = "the largest is 9223372036854775807";
    lexer_push(lexer, TOKEN_INTEGER, length)->integer = fits ? value : 0;
}

static size_t lexer_word_length(const struct lexer *lexer)
{
    size_t length = 0;
    while (lexer_is_word(character(lexer, length)))
        length++;
    return length;
}

static void lex_number(struct lexer *lexer)
{
    size_t length = lexer_word_length(lexer), n_digits = 0;
    while (is_digit(character(lexer, n_digits)))
        n_digits++;
    if (n_digits == length) {
        lex_integer(lexer, length);
        return;
    }
    report(lexer->diagnostics, CODE_E001, here(lexer, length), "'%.*s' is not a decimal integer",
           (int)(length < 40 ? length : 40), lexer->source->text + lexer->at)
        ->help = "numbers are decimal; write '*' to multiply by a name, which begins with a letter";
    lexer_push(lexer, TOKEN_INVALID, length);
}

static bool spelled(const struct lexer *lexer, enum token_kind kind, size_t length)
{
    const char *spelling = spellings[kind], *text = lexer->source->text + lexer->at;
    return spelling && spelling[0] == text[0] && strlen(spelling) == length &&
           memcmp(spelling, text, length) == 0;
}

static void lex_word(struct lexer *lexer)
{
    size_t length = lexer_word_length(lexer);
    enum token_kind kind = TOKEN_RANKS;
    while (kind < N_TOKEN_KINDS && !spelled(lexer, kind, length))
        kind++;
    lexer_push(lexer, kind < N_TOKEN_KINDS ? kind : TOKEN_NAME, length);
}

/* Returns the longest sign here; N_TOKEN_KINDS if none. No sign is longer than 2. */
static enum token_kind find_sign(const struct lexer *lexer, size_t *length)
{
    for (*length = 2; *length > 0; (*length)--) {
        if (lexer->at + *length > lexer->source->length)
            continue;
        for (enum token_kind kind = TOKEN_RANGE; kind < N_TOKEN_KINDS; kind++)
            if (spelled(lexer, kind, *length))
                return kind;
    }
    return N_TOKEN_KINDS;
}

/* Returns help for the next character, of another language, or NULL. */
/* Signs of typesetting, in UTF-8, that are pasted for those of the language. */
static const struct pasted {
    const char *bytes, *name, *help;
} pasted_signs[] = {
    {"\xC2\xA0", "a no-break space", "write a plain space: it looks alike"},
    {"\xE2\x80\xAF", "a narrow no-break space", "write a plain space: it looks alike"},
    {"\xEF\xBB\xBF", "a byte order mark", "leave it out: nothing is seen of it"},
    {"\xE2\x80\x8B", "a zero width space", "leave it out: nothing is seen of it"},
    {"\xE2\x88\x92", "a minus sign", "write '-'"},
    {"\xE2\x80\x93", "an en dash", "write '-'"},
    {"\xC3\x97", "a multiplication sign", "write '*'"},
    {"\xC2\xB7", "a middle dot", "write '*'"},
    {"\xE2\x8B\x85", "a dot operator", "write '*'"},
    {"\xE2\x89\xA4", "a sign of less or equal", "write '<='"},
    {"\xE2\x89\xA5", "a sign of greater or equal", "write '>='"},
    {"\xE2\x89\xA0", "a sign of unequal", "write '!='"},
    {"\xE2\x8A\x95", "a sign of exclusive or", "write 'xor'"},
    {"\xE2\x80\xA6", "an ellipsis", "a range is written 'a .. b'"},
};

static const struct pasted *find_pasted(const struct lexer *lexer, size_t length)
{
    const struct pasted *found = NULL;
    for (size_t i = 0; i < sizeof pasted_signs / sizeof *pasted_signs && !found; i++)
        if (strlen(pasted_signs[i].bytes) == length &&
            memcmp(pasted_signs[i].bytes, lexer->source->text + lexer->at, length) == 0)
            found = &pasted_signs[i];
    return found;
}

static const char *help_for_character(const struct lexer *lexer)
{
    const char c = character(lexer, 0);
    const char before = lexer->at > lexer->line_start ? lexer->source->text[lexer->at - 1] : ' ';
    switch (c) {
    case '&':
        return character(lexer, 1) == c ? "write 'and'"
                                        : "of conditions it is 'and'; the lowest k bits of n are 'n mod 2^k'";
    case '|':
        return character(lexer, 1) == c ? "write 'or'"
                                        : "of conditions it is 'or'; bits are set by '+', or by 'xor'";
    case '~': return "all bits of n the other way are '-1 - n'";
    case '\\': return "'/' rounds down";
    case '!': return "write 'not', or '!=' to compare";
    case '%': return "write 'mod'";
    case '"':
    case '\'': return "names stand without quotes";
    case '.':
        return is_digit(before) && is_digit(character(lexer, 1)) ? "numbers are integers"
               : lexer_is_word(before) || before == ')'
                   ? "values have no parts: data moves by 'send', 'recv', 'reduce' and 'copy'"
                   : "a range is written 'a .. b'";
    case '?': return "write 'a if c else b'";
    case '{':
    case '}': return "blocks are made by indentation";
    case '\t': return "separate words by spaces";
    case '\r': return "lines end in LF or CR LF";
    default: return (unsigned char)c >= 0x80 ? "outside of comments all is ASCII"
                                         : "leave it out: the language has no such character";
    }
}

/* Returns the bytes of the character at `at`: a whole UTF-8 sequence, or an operator of another language,
 * makes one message. */
static size_t character_length(const struct lexer *lexer)
{
    size_t length = 1;
    if (character(lexer, 0) == '&' || character(lexer, 0) == '|')
        length += character(lexer, 1) == character(lexer, 0);
    if ((unsigned char)character(lexer, 0) >= 0xC0)
        while (((unsigned char)character(lexer, length) & 0xC0) == 0x80)
            length++;
    return length;
}

static void unexpected_character(struct lexer *lexer)
{
    size_t length = character_length(lexer);
    unsigned char c = (unsigned char)character(lexer, 0);
    struct position position = here(lexer, length);
    const struct pasted *pasted = find_pasted(lexer, length);
    struct diagnostic *diagnostic =
        pasted ? report(lexer->diagnostics, CODE_E001, position, "unexpected character '%s', %s", pasted->bytes,
                        pasted->name)
        : c < 0x20 || c == 0x7F
            ? report(lexer->diagnostics, CODE_E001, position, "unexpected control character 0x%02x",
                     c)
            : report(lexer->diagnostics, CODE_E001, position, "unexpected character '%.*s'",
                     (int)length, lexer->source->text + lexer->at);
    diagnostic->help = pasted ? pasted->help : help_for_character(lexer);
    lexer_push(lexer, TOKEN_INVALID, length);
}

static void lex_token(struct lexer *lexer)
{
    size_t length;
    char c = character(lexer, 0);
    enum token_kind sign = find_sign(lexer, &length);
    if (is_digit(c))
        lex_number(lexer);
    else if (lexer_is_word(c))
        lex_word(lexer);
    else if (sign < N_TOKEN_KINDS)
        lexer_push(lexer, sign, length);
    else
        unexpected_character(lexer);
}

static bool lexer_is_line_end(const struct lexer *lexer)
{
    char c = character(lexer, 0);
    return at_end(lexer) || c == '\n' || (c == '\r' && character(lexer, 1) == '\n');
}

static void skip_spaces(struct lexer *lexer)
{
    while (character(lexer, 0) == ' ')
        lexer->at++;
}

static void lexer_skip_line(struct lexer *lexer)
{
    while (!lexer_is_line_end(lexer))
        lexer->at++;
}

static void lexer_next_line(struct lexer *lexer)
{
    while (!at_end(lexer) && character(lexer, 0) != '\n')
        lexer->at++;
    if (at_end(lexer))
        return;
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

/* Leading blanks of a line; a tab among them is reported. */
static void skip_indentation(struct lexer *lexer)
{
    bool is_reported = false;
    skip_spaces(lexer);
    lexer->has_tab |= character(lexer, 0) == '\t' && !lexer_is_line_end(lexer);
    for (; character(lexer, 0) == '\t'; lexer->at++, skip_spaces(lexer)) {
        if (!is_reported)
            report(lexer->diagnostics, CODE_E001, here(lexer, 1), "tab in the indentation")->help =
                "indent with spaces";
        is_reported = true;
    }
}

static void open_block(struct lexer *lexer, size_t column)
{
    if (lexer->n_indents <= MAX_DEPTH) {
        lexer_push(lexer, TOKEN_INDENT, 0)->integer = lexer->has_tab;
        lexer->indents[lexer->n_indents++] = column;
        return;
    }
    if (!lexer->is_too_deep)
        report(lexer->diagnostics, CODE_E010, here(lexer, 1), "blocks nested deeper than %d",
               MAX_DEPTH)
            ->help = "put the inner ones in a 'def NAME()', and call it here";
    lexer->is_too_deep = true;
}

/* Closes the blocks that do not reach down to `column`. A block is kept if the
 * column lies between it and the one around it: a slip by a blank or two is most
 * likely meant for it. */
static void close_blocks(struct lexer *lexer, size_t column)
{
    while (lexer->n_indents > 1 && lexer->indents[lexer->n_indents - 1] > column &&
           lexer->indents[lexer->n_indents - 2] >= column) {
        lexer_push(lexer, TOKEN_DEDENT, 0);
        lexer->n_indents--;
    }
}

/* Returns the indentation of the line in columns; a tab reaches the next multiple of eight, as in editors. */
static size_t indented_by(const struct lexer *lexer)
{
    enum { TAB = 8 };
    size_t column = 0;
    for (size_t at = lexer->line_start; at < lexer->at; at++)
        column += lexer->source->text[at] == '\t' ? TAB - column % TAB : 1;
    return column;
}

static void indentation(struct lexer *lexer)
{
    const size_t column = indented_by(lexer);
    close_blocks(lexer, column);
    size_t top = lexer->indents[lexer->n_indents - 1];
    if (column > top)
        open_block(lexer, column);
    if (column >= top || lexer->has_tab)
        return;
    report(lexer->diagnostics, CODE_E001, here(lexer, 1),
           "the indentation matches no block that is open")
        ->help =
        diagnostics_text(lexer->diagnostics, "the block above is indented by %zu, the next by %zu",
                         top, lexer->indents[lexer->n_indents - 2]);
}

static void lex_line(struct lexer *lexer)
{
    skip_indentation(lexer);
    if (lexer_is_line_end(lexer) || character(lexer, 0) == '#')
        return;
    indentation(lexer);
    while (!lexer_is_line_end(lexer) && character(lexer, 0) != '#') {
        lex_token(lexer);
        skip_spaces(lexer);
    }
    lexer_push(lexer, TOKEN_NEWLINE, 0);
}

struct token *tokens_read(const struct source *source, struct diagnostics *diagnostics)
{
    struct lexer lexer = {.source = source, .diagnostics = diagnostics, .line = 1, .n_indents = 1};
    if (source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        lexer.at = lexer.line_start = 3; /* byte order mark */
    while (!at_end(&lexer)) {
        lex_line(&lexer);
        lexer_skip_line(&lexer);
        lexer_next_line(&lexer);
    }
    close_blocks(&lexer, 0);
    lexer_push(&lexer, TOKEN_END, 0);
    return lexer.tokens;
}
