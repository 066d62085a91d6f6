/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc explain: the page of a code, or the list of codes.
 */
#include "base/suggest.h"
#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "reports/record.h"

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

/* True if the text has the word, in letters of either case. */
static bool explain_has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, n) == 0)
            return true;
    return false;
}

/* Lists the codes whose family or title has the word; returns how many. */
static size_t list_by_word(const char *word, struct text *text)
{
    enum { SHORTEST = 3 };
    size_t n = 0;
    for (size_t code = 0; code < N_CODES && strlen(word) >= SHORTEST; code++)
        if (explain_has_word(code_table[code].family, word) ||
            explain_has_word(code_table[code].title, word)) {
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
    usage_error_with("'collc explain' lists all codes, with a word those that have it in their title", "unknown code '%s'%s", id,
                     usage_did_you_mean(&arena, nearest(id, strlen(id), ids, N_CODES)));
    arena_free(&arena);
    return STATUS_FAILED;
}

int command_explain(const struct options *options)
{
    struct text text = {0};
    if (options->n_arguments) {
        uint32_t code = code_find(options->arguments[0]);
        const bool is_word = code == N_CODES && !option_is(options->format, "json") &&
                             list_by_word(options->arguments[0], &text);
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
