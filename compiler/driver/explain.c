/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc explain: the page of a code, a word of the glossary, or the list of codes.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/explain_keys.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "reports/record.h"
#include "reports/wrap.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static void print_code(const struct code_info *info, struct text *text)
{
    text_printf(text, "%-6s%-11s%-9s%s\n", info->id, info->family, severity_names[info->severity],
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

/* Appends the page with family and severity below its heading: "Table error." */
static void append_page(const struct code_info *info, const struct embedded_file *page, struct text *text)
{
    const char *below = memchr(page->text, '\n', page->length);
    const size_t heading = below ? (size_t)(below - page->text) : page->length;
    text_append(text, page->text, heading);
    text_printf(text, "\n\n%c%s %s.\n", toupper((unsigned char)info->family[0]), info->family + 1,
                severity_names[info->severity]);
    text_append(text, page->text + heading + (below != NULL), page->length - heading - (below != NULL));
}

static void explain_code(const struct options *options, const struct code_info *info, struct text *text)
{
    const struct embedded_file *page = builtin_find("docs/codes", info->id, "md");
    if (option_is(options->format, "json")) {
        struct json json = {.out = text};
        write_code(&json, info);
    } else if (page) {
        append_page(info, page, text);
    } else {
        text_printf(text, "# %s: %s\n", info->id, info->title);
    }
}

/* True if a name of the glossary is the word: in letters of either case, '-' is a blank. */
static bool explain_is_name(const char *name, size_t length, const char *word)
{
    for (; length > 0 && *word; name++, word++, length--) {
        const char letter = *name == '-' ? ' ' : *name, wanted = *word == '-' ? ' ' : *word;
        if (strncasecmp(&letter, &wanted, 1) != 0)
            return false;
    }
    /* a plural stands for its singular, and the other way round */
    const bool is_plural = length == 0 && (strcmp(word, "s") == 0 || strcmp(word, "es") == 0);
    return is_plural || (length == 1 && *name == 's' && !*word) || (length == 0 && !*word);
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

/* A row of docs/glossary.md: "WORD, WORD | MEANING". */
struct glossary_row {
    const char *names, *meaning;
    size_t names_length, meaning_length;
};

/* Splits a line into the columns of a row; false if it is none, or is the head of a table. */
static bool glossary_split(const char *line, size_t length, struct glossary_row *row)
{
    const char *bar = memchr(line, '|', length), *end = line + length;
    if (!bar || bar == line || bar[-1] != ' ' || bar + 2 > end || strncmp(line, "word |", 6) == 0)
        return false;
    *row = (struct glossary_row){line, bar + 2, (size_t)(bar - line) - 1, (size_t)(end - bar) - 2};
    return true;
}

/* Finds the row that has the word among its names. */
static bool glossary_find(const char *word, struct glossary_row *row)
{
    const struct embedded_file *page = builtin_find("docs", "glossary", "md");
    const char *end = page ? page->text + page->length : NULL;
    for (const char *line = page ? page->text : NULL, *next; line; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop && stop + 1 < end ? stop + 1 : NULL;
        if (glossary_split(line, (size_t)((stop ? stop : end) - line), row) &&
            explain_names(row->names, row->names_length, word))
            return true;
    }
    return false;
}

/* Appends a meaning without marks, and a 0: "in [`bounds.md`](bounds.md#x)" as "in docs/bounds.md#x". */
static void glossary_plain(const char *marked, size_t length, struct text *plain)
{
    const char *end = marked + length;
    for (const char *letter = marked; letter < end; letter++) {
        const char *target = *letter == '[' ? memchr(letter, ']', (size_t)(end - letter)) : NULL;
        const bool is_link = target && target + 1 < end && *++target == '(';
        const char *stop = is_link ? memchr(target, ')', (size_t)(end - target)) : NULL;
        if (stop) {
            text_printf(plain, "docs/%.*s", (int)(stop - target - 1), target + 1);
            letter = stop;
        } else if (*letter != '`') {
            text_append(plain, letter, 1);
        }
    }
    text_append(plain, "", 1);
}

static void explain_word(const struct options *options, const char *names, const char *meaning,
                         struct text *text)
{
    if (option_is(options->format, "json")) {
        struct json json = {.out = text};
        json_open(&json, NULL, '{');
        explained_word_write(&json, names, meaning);
        json_close(&json, '}');
    } else {
        text_printf(text, "%s\n  ", names);
        text_wrap(text, meaning, 2, 2);
    }
}

/* Returns a meaning of the words of commands and collectives; NULL: it is neither. In the arena. */
static const char *explain_name(const char *word, struct arena *arena)
{
    enum collective_form form;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(command_table[i].name, word) == 0)
            return arena_printf(arena, "a command: 'collc help %s'", word);
    return collective_find_form(word, strlen(word), &form) < N_COLLECTIVES
               ? arena_printf(arena, "a collective: 'collc algorithms %s'", word)
               : NULL;
}

/* Finds what a word means: by the glossary, else as a key of reports, else as a name. Returns false if it is
 * none; text_free both. */
static bool explain_find(const char *word, struct text *names, struct text *meaning)
{
    struct glossary_row row;
    struct arena arena = {0};
    const bool has_row = glossary_find(word, &row);
    bool is_found = has_row;
    if (has_row) {
        text_printf(names, "%.*s", (int)row.names_length, row.names);
        glossary_plain(row.meaning, row.meaning_length, meaning);
    } else {
        const char *name = explain_name(word, &arena);
        struct text marked = {0};
        is_found = name || explain_keys(word, &marked);
        text_printf(names, "%s", word);
        if (is_found)
            glossary_plain(name ? name : marked.data, strlen(name ? name : marked.data), meaning);
        text_free(&marked);
    }
    arena_free(&arena);
    return is_found;
}

/* True if the text has the word, in letters of either case; a whole one is no part of another. */
static bool explain_has_word(const char *text, const char *word, bool is_whole)
{
    const size_t n = strlen(word);
    for (bool begins = true; *text; begins = !isalnum((unsigned char)*text++))
        if (strncasecmp(text, word, n) == 0 && (!is_whole || (begins && !isalnum((unsigned char)text[n]))))
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
    usage_error_with("'collc explain' lists all codes; docs/glossary.md has the words of reports",
                     "unknown code or word '%s'%s", id,
                     usage_did_you_mean(&arena, nearest(id, strlen(id), ids, N_CODES)));
    arena_free(&arena);
    return STATUS_FAILED;
}

/* Prints what a word means, as text also the codes that have it. Returns false if there is nothing. */
static bool explain_any_word(const struct options *options, const char *word, struct text *text)
{
    struct text names = {0}, meaning = {0};
    const bool is_found = explain_find(word, &names, &meaning);
    if (is_found)
        explain_word(options, names.data, meaning.data, text);
    text_free(&names);
    text_free(&meaning);
    return (!option_is(options->format, "json") && list_by_word(word, is_found, text) > 0) || is_found;
}

int command_explain(const struct options *options)
{
    struct text text = {0};
    if (options->n_arguments) {
        const uint32_t code = code_find(options->arguments[0]);
        if (code < N_CODES)
            explain_code(options, &code_table[code], &text);
        else if (!explain_any_word(options, options->arguments[0], &text))
            return unknown_code(options->arguments[0]);
    } else if (option_is(options->format, "json")) {
        list_json(&text);
    } else {
        list_text(&text);
    }
    output_text(NULL, &text);
    text_free(&text);
    return STATUS_CLEAN;
}
