/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc explain: the page of a code, a word of the glossary, or the list of codes.
 */
#include "base/suggest.h"
#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "reports/record.h"
#include "reports/wrap.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const severity_name[] = {"note", "warning", "error"};

static void print_code(const struct code_info *info, struct text *text)
{
    text_printf(text, "%-6s%-11s%-9s%s\n", info->id, info->family, severity_name[info->severity],
                info->title);
}

static void list_text(struct text *text)
{
    for (size_t code = 0; code < N_CODES; code++)
        print_code(&code_table[code], text);
}

#include "reports/explain.def"

static void write_code(struct json *json, const struct code_info *info)
{
    json_open(json, NULL, '{');
    explained_code_write(json, info);
    json_close(json, '}');
}

static void list_json(struct text *text)
{
    struct json json = {.out = text};
    json_open(&json, NULL, '[');
    for (size_t code = 0; code < N_CODES; code++)
        write_code(&json, &code_table[code]);
    json_close(&json, ']');
}

static void explain_code(const struct options *options, const struct code_info *info,
                         struct text *text)
{
    const struct embedded_file *page = builtin_find("docs/codes", info->id, "md");
    if (option_is(options->format, "json")) {
        struct json json = {.out = text};
        write_code(&json, info);
    } else if (page) {
        text_append(text, page->text, page->length);
    } else {
        text_printf(text, "# %s: %s\n", info->id, info->title);
    }
}

/* True if a name of the glossary is the word: in letters of either case, and '-' is a blank. */
static bool explain_is_name(const char *name, size_t length, const char *word)
{
    for (; length > 0 && *word; name++, word++, length--) {
        const char letter = *name == '-' ? ' ' : *name, wanted = *word == '-' ? ' ' : *word;
        if (strncasecmp(&letter, &wanted, 1) != 0)
            return false;
    }
    return length == 0 && !*word;
}

/* True if one of the names, 'hol, head-of-line blocking', is the word. */
static bool explain_names(const char *names, size_t length, const char *word)
{
    for (size_t i = 0; i <= length; i++) {
        const size_t first = i;
        while (i < length && names[i] != ',')
            i++;
        if (explain_is_name(names + first, i - first, word))
            return true;
        i += i + 1 < length && names[i + 1] == ' ';
    }
    return false;
}

/* Appends the text of a row for a terminal: "in [`bounds.md`](bounds.md#x)" as "in docs/bounds.md#x". */
static void explain_meaning(const char *row, size_t length, struct text *text)
{
    struct text plain = {0};
    for (size_t i = 0; i < length; i++) {
        const char *target = row[i] == '[' ? memchr(row + i, ']', length - i) : NULL;
        const bool is_link = target && target + 1 < row + length && *++target == '(';
        const char *end = is_link ? memchr(target, ')', length - (size_t)(target - row)) : NULL;
        if (end) {
            text_printf(&plain, "docs/%.*s", (int)(end - target - 1), target + 1);
            i = (size_t)(end - row);
        } else if (row[i] != '`') {
            text_append(&plain, row + i, 1);
        }
    }
    text_append(&plain, "", 1);
    text_wrap(text, plain.data, 2, 2);
    text_free(&plain);
}

/* Prints the row of docs/glossary.md that has the word, "| WORD, WORD | MEANING |"; returns how many there were. */
static size_t explain_word(const char *word, struct text *text)
{
    const struct embedded_file *page = builtin_find("docs", "glossary", "md");
    size_t n = 0;
    const char *end = page ? page->text + page->length : NULL;
    for (const char *line = page ? page->text : NULL, *next; line; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop && stop + 1 < end ? stop + 1 : NULL;
        const size_t length = stop ? (size_t)(stop - line) : (size_t)(end - line);
        const char *bar = length > 4 && line[0] == '|' ? memchr(line + 1, '|', length - 1) : NULL;
        if (!bar || bar - line < 4 || bar + 4 > line + length ||
            !explain_names(line + 2, (size_t)(bar - line) - 3, word))
            continue;
        text_printf(text, "%.*s\n  ", (int)(bar - line) - 3, line + 2);
        explain_meaning(bar + 2, (size_t)(line + length - bar) - 4, text);
        n++;
    }
    return n;
}

/* True if the text has the word, in letters of either case; a whole one is no part of another. */
static bool explain_has_word(const char *text, const char *word, bool is_whole)
{
    const size_t n = strlen(word);
    for (bool begins = true; *text; begins = !isalnum((unsigned char)*text++))
        if (strncasecmp(text, word, n) == 0 &&
            (!is_whole || (begins && !isalnum((unsigned char)text[n]))))
            return true;
    return false;
}

/* Lists the codes whose family or title has the word; returns how many. */
static size_t list_by_word(const char *word, bool is_whole, struct text *text)
{
    enum { SHORTEST = 3 };
    size_t n = 0;
    for (size_t code = 0; code < N_CODES && strlen(word) >= SHORTEST; code++)
        if (explain_has_word(code_table[code].family, word, is_whole) ||
            explain_has_word(code_table[code].title, word, is_whole)) {
            print_code(&code_table[code], text);
            n++;
        }
    return n;
}

static int unknown_code(const char *id)
{
    const char *ids[N_CODES];
    struct arena arena = {0};
    for (size_t code = 0; code < N_CODES; code++)
        ids[code] = code_table[code].id;
    usage_error_with("'collc explain' lists all codes; docs/glossary.md has the words of reports", "unknown code or word '%s'%s", id,
                     usage_did_you_mean(&arena, nearest(id, strlen(id), ids, N_CODES)));
    arena_free(&arena);
    return STATUS_FAILED;
}

int command_explain(const struct options *options)
{
    struct text text = {0};
    if (options->n_arguments) {
        uint32_t code = code_find(options->arguments[0]);
        const bool may_be_word = code == N_CODES && !option_is(options->format, "json");
        const bool has_row = may_be_word && explain_word(options->arguments[0], &text) > 0;
        const bool is_word =
            (may_be_word && list_by_word(options->arguments[0], has_row, &text) > 0) || has_row;
        if (code == N_CODES && !is_word)
            return unknown_code(options->arguments[0]);
        if (!is_word)
            explain_code(options, &code_table[code], &text);
    } else if (option_is(options->format, "json")) {
        list_json(&text);
    } else {
        list_text(&text);
    }
    output_text(NULL, &text);
    text_free(&text);
    return STATUS_CLEAN;
}
