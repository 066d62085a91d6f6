/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See json_tree.h. The parser keeps no stack of its own: its depth is that of the dialect.
 */
#include "base/text/json_tree.h"

#include "base/text/units.h"

#include <string.h>

enum { MAX_DEPTH = 512 };

struct parser {
    const struct source *source;
    const struct json_dialect *dialect;
    struct arena *arena;
    struct json_fault *fault;
    const char *at, *end;
    uint32_t line;
    unsigned depth;
};

static bool json_tree_fail(struct parser *parser, const char *what)
{
    *parser->fault = (struct json_fault){(size_t)(parser->at - parser->source->text), what};
    return false;
}

static char peek(const struct parser *parser)
{
    return parser->at < parser->end ? *parser->at : '\0';
}

static void json_tree_step(struct parser *parser)
{
    parser->line += *parser->at++ == '\n';
}

/* Behind a comment that begins here; false: it has no end. */
static bool json_tree_skip_comment(struct parser *parser)
{
    const char *end = parser->at[1] == '*' ? strstr(parser->at + 2, "*/") : strchr(parser->at, '\n');
    if (!end && parser->at[1] == '*')
        return json_tree_fail(parser, "the comment has no end");
    const char *behind = end ? end + (parser->at[1] == '*' ? 2 : 1) : parser->end;
    while (parser->at < behind)
        json_tree_step(parser);
    return true;
}

static bool json_tree_skip_blanks(struct parser *parser)
{
    for (;;) {
        const char c = peek(parser);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            json_tree_step(parser);
        else if (c == '/' && parser->dialect->has_comments &&
                 (parser->at[1] == '*' || parser->at[1] == '/')) {
            if (!json_tree_skip_comment(parser))
                return false;
        } else
            return true;
    }
}

/* ---- strings ---- */

/* Returns the four digits of \uXXXX, -1: they are not. */
static int32_t code_unit(const struct parser *parser, const char *digits)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = digits + i < parser->end ? hexadecimal_digit(digits[i]) : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* An escape at the backslash: written to *out, which it moves on; never longer than its text. */
static bool read_escape(struct parser *parser, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = parser->at + 1 < parser->end ? parser->at[1] : '\0';
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found || (letter == '\'' && parser->dialect->has_single_quotes)) {
        *(*out)++ = found ? meanings[found - letters] : '\'';
        parser->at += 2;
        return true;
    }
    if (letter != 'u' && letter && parser->dialect->has_any_escape) {
        *(*out)++ = letter;
        parser->at += 2;
        return true;
    }
    const int32_t unit = letter == 'u' ? code_unit(parser, parser->at + 2) : -1;
    if (unit < 0)
        return json_tree_fail(parser, "no such escape");
    parser->at += 6;
    uint32_t code = (uint32_t)unit;
    if (unit >= 0xd800 && unit < 0xdc00 && parser->at + 1 < parser->end && parser->at[0] == '\\' &&
        parser->at[1] == 'u') {
        const int32_t low = code_unit(parser, parser->at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + (((uint32_t)unit & 0x3ff) << 10 | ((uint32_t)low & 0x3ff));
            parser->at += 6;
        }
    }
    *out = put_utf8(*out, code);
    return true;
}

/* NULL: it is not well formed. */
static const char *read_string(struct parser *parser)
{
    const char quote = *parser->at++;
    const char *close = parser->at;
    while (close < parser->end && *close != quote)
        close += *close == '\\' && close + 1 < parser->end ? 2 : 1;
    if (close >= parser->end) {
        json_tree_fail(parser, "the string has no end");
        return NULL;
    }
    char *text = arena_alloc(parser->arena, (size_t)(close - parser->at) + 1, 1), *out = text;
    while (*parser->at != quote) {
        if ((unsigned char)*parser->at < ' ' && !parser->dialect->has_raw_controls) {
            json_tree_fail(parser, "a control character in a string");
            return NULL;
        }
        if (*parser->at == '\\') {
            if (!read_escape(parser, &out))
                return NULL;
            continue;
        }
        *out++ = *parser->at;
        json_tree_step(parser);
    }
    parser->at++;
    *out = '\0';
    return text;
}

/* ---- values ---- */

static bool json_tree_read_value(struct parser *parser, struct json_node *node);

static bool is_quote(const struct parser *parser)
{
    return peek(parser) == '"' || (peek(parser) == '\'' && parser->dialect->has_single_quotes);
}

static bool json_tree_read_key(struct parser *parser, struct json_node *node)
{
    if (!is_quote(parser))
        return json_tree_fail(parser, "a key is missing, in quotes");
    node->key = read_string(parser);
    if (!node->key)
        return false;
    node->length = (size_t)(parser->at - parser->source->text) - node->at;
    if (!json_tree_skip_blanks(parser))
        return false;
    if (peek(parser) != ':')
        return json_tree_fail(parser, "a ':' is missing");
    parser->at++;
    return json_tree_skip_blanks(parser);
}

/* Reads an object or array, after its bracket. */
static bool json_tree_read_list(struct parser *parser, struct json_node *list)
{
    const bool is_object = list->kind == JSON_OBJECT_NODE;
    const char close = is_object ? '}' : ']';
    struct json_node **link = &list->first;
    for (bool is_first = true;; is_first = false) {
        if (!json_tree_skip_blanks(parser))
            return false;
        if (peek(parser) == close && (is_first || parser->dialect->has_trailing_commas))
            break;
        struct json_node *node = arena_alloc(parser->arena, 1, sizeof *node);
        node->at = (size_t)(parser->at - parser->source->text);
        node->line = parser->line;
        if ((is_object && !json_tree_read_key(parser, node)) || !json_tree_read_value(parser, node) ||
            !json_tree_skip_blanks(parser))
            return false;
        *link = node;
        link = &node->next;
        if (peek(parser) == close)
            break;
        if (peek(parser) != ',')
            return json_tree_fail(parser, is_object ? "a ',' or '}' is missing" : "a ',' or ']' is missing");
        parser->at++;
    }
    parser->at++;
    return true;
}

/* A number by the grammar of JSON, or one of its three words. */
static bool read_atom(struct parser *parser, struct json_node *node)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *at = parser->at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            node->kind = JSON_WORD_NODE;
            node->text = words[i];
            parser->at += strlen(words[i]);
            return true;
        }
    at += *at == '-';
    const char *digits = at;
    at += *at == '0' ? 1 : strspn(at, "0123456789");
    if (at == digits)
        return json_tree_fail(parser, "a value is missing");
    if (*at == '.' && at[1] >= '0' && at[1] <= '9')
        at += 1 + strspn(at + 1, "0123456789");
    if ((*at == 'e' || *at == 'E') && at[1 + (at[1] == '+' || at[1] == '-')] >= '0' &&
        at[1 + (at[1] == '+' || at[1] == '-')] <= '9') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        at += strspn(at, "0123456789");
    }
    node->kind = JSON_NUMBER_NODE;
    node->text = arena_strndup(parser->arena, parser->at, (size_t)(at - parser->at));
    parser->at = at;
    return true;
}

static bool json_tree_read_value(struct parser *parser, struct json_node *node)
{
    const char c = peek(parser);
    node->value_at = (size_t)(parser->at - parser->source->text);
    bool is_read;
    if (c == '{' || c == '[') {
        if (++parser->depth > parser->dialect->max_depth || parser->depth > MAX_DEPTH)
            return json_tree_fail(parser, "too many values within each other");
        node->kind = c == '{' ? JSON_OBJECT_NODE : JSON_ARRAY_NODE;
        parser->at++;
        is_read = json_tree_read_list(parser, node);
        parser->depth--;
    } else if (is_quote(parser)) {
        node->kind = JSON_STRING_NODE;
        node->text = read_string(parser);
        is_read = node->text != NULL;
    } else {
        is_read = read_atom(parser, node);
    }
    if (is_read && !node->key)
        node->length = (size_t)(parser->at - parser->source->text) - node->value_at;
    return is_read;
}

struct json_node *json_tree(const struct source *source, const struct json_dialect *dialect,
                            struct arena *arena, struct json_fault *fault)
{
    struct parser parser = {source, dialect, arena, fault, source->text, source->text + source->length, 1, 0};
    struct json_node *root = arena_alloc(arena, 1, sizeof *root);
    if (dialect->has_mark && strncmp(parser.at, "\xef\xbb\xbf", 3) == 0)
        parser.at += 3;
    if (!json_tree_skip_blanks(&parser))
        return NULL;
    root->at = (size_t)(parser.at - source->text);
    root->line = parser.line;
    if (!json_tree_read_value(&parser, root))
        return NULL;
    if (dialect->ends_early)
        return root;
    if (!json_tree_skip_blanks(&parser))
        return NULL;
    if (parser.at < parser.end) {
        json_tree_fail(&parser, "text behind the end");
        return NULL;
    }
    return root;
}

const struct json_node *json_member(const struct json_node *object, const char *key)
{
    const struct json_node *found = NULL;
    for (const struct json_node *node = object->first; node && node->key; node = node->next)
        if (strcmp(node->key, key) == 0)
            found = node;
    return found;
}

const struct json_node *json_first_member(const struct json_node *object, const char *key)
{
    const struct json_node *node = object->first;
    while (node && (!node->key || strcmp(node->key, key) != 0))
        node = node->next;
    return node;
}

struct position json_node_position(const struct source *source, const struct json_node *node)
{
    return source_position(source, node->at, node->length ? node->length : 1);
}
