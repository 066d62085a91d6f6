/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scans the words of DOT. cgraph reads the graphs; this file checks before that a text is DOT and small
 * enough for cgraph, and finds afterwards the place of a name or value in the text.
 */
#include "network/formats/dot/dot.h"

#include "base/codes.h"

#include <string.h>
#include <strings.h>

enum token_kind { TOKEN_END = 0, TOKEN_NAME = 'a', TOKEN_EDGE = '>' }; /* or the character */

struct tokens {
    const char *at, *end;
    const char *line_start; /* '#' begins a comment only there */
    struct slice slice;     /* text of the last token, without quotes */
    const char *unclosed;   /* the string or comment that has no end, or NULL */
};

static bool dot_tokens_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || (c & 0x80);
}

static bool starts(const struct tokens *tokens, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(tokens->end - tokens->at) >= length &&
           memcmp(tokens->at, prefix, length) == 0;
}

static void dot_tokens_skip_line(struct tokens *tokens)
{
    while (tokens->at < tokens->end && *tokens->at != '\n')
        tokens->at++;
}

/* Moves past the end of a string or comment, which is missing at the end of the text. */
static void close_token(struct tokens *tokens, const char *start, size_t length)
{
    if (tokens->at < tokens->end)
        tokens->at += length;
    else
        tokens->unclosed = start;
}

static void dot_tokens_skip_comment(struct tokens *tokens)
{
    const char *start = tokens->at;
    for (tokens->at += 2; tokens->at < tokens->end && !starts(tokens, "*/"); tokens->at++)
        if (*tokens->at == '\n')
            tokens->line_start = tokens->at + 1;
    close_token(tokens, start, 2);
}

static void dot_tokens_skip_blanks(struct tokens *tokens)
{
    while (tokens->at < tokens->end) {
        if (*tokens->at == '\n')
            tokens->line_start = ++tokens->at;
        else if (strchr(" \t\r\f\v", *tokens->at))
            tokens->at++;
        else if (starts(tokens, "//") || (*tokens->at == '#' && tokens->at == tokens->line_start))
            dot_tokens_skip_line(tokens);
        else if (starts(tokens, "/*"))
            dot_tokens_skip_comment(tokens);
        else
            return;
    }
}

static void dot_tokens_take_quoted(struct tokens *tokens)
{
    const char *start = ++tokens->at;
    while (tokens->at < tokens->end && *tokens->at != '"') {
        if (*tokens->at == '\\' && tokens->at + 1 < tokens->end)
            tokens->at++;
        if (*tokens->at++ == '\n')
            tokens->line_start = tokens->at;
    }
    tokens->slice = (struct slice){start, (size_t)(tokens->at - start)};
    close_token(tokens, start - 1, 1);
}

static void take_html(struct tokens *tokens)
{
    const char *start = ++tokens->at;
    size_t depth = 1;
    for (; tokens->at < tokens->end; tokens->at++) {
        depth += *tokens->at == '<';
        depth -= *tokens->at == '>';
        if (!depth)
            break;
    }
    tokens->slice = (struct slice){start, (size_t)(tokens->at - start)};
    close_token(tokens, start - 1, 1);
}

static int dot_tokens_take_word(struct tokens *tokens)
{
    const char *start = tokens->at;
    if (*tokens->at == '-')
        tokens->at++;
    while (tokens->at < tokens->end && dot_tokens_is_word(*tokens->at))
        tokens->at++;
    if (tokens->at == start)
        tokens->at++;
    tokens->slice = (struct slice){start, (size_t)(tokens->at - start)};
    return dot_tokens_is_word(*start) || *start == '-' ? TOKEN_NAME : (unsigned char)*start;
}

static int dot_tokens_next_token(struct tokens *tokens)
{
    dot_tokens_skip_blanks(tokens);
    tokens->slice = (struct slice){tokens->at, 0};
    if (tokens->at == tokens->end)
        return TOKEN_END;
    if (*tokens->at == '"' || *tokens->at == '<') {
        *tokens->at == '"' ? dot_tokens_take_quoted(tokens) : take_html(tokens);
        return TOKEN_NAME;
    }
    if (starts(tokens, "->") || starts(tokens, "--")) {
        tokens->slice.length = 2;
        tokens->at += 2;
        return TOKEN_EDGE;
    }
    return dot_tokens_take_word(tokens);
}

static struct tokens open_tokens(const struct source *source)
{
    bool mark = source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0;
    const char *start = source->text + (mark ? 3 : 0);
    return (struct tokens){.at = start, .end = source->text + source->length, .line_start = start};
}

/* True if it is the keyword, in any case. */
static bool is_keyword(struct slice slice, const char *word)
{
    return slice.length == strlen(word) && strncasecmp(slice.text, word, slice.length) == 0;
}

/* ---- which format ---- */

bool dot_is(const struct source *source)
{
    struct tokens tokens = open_tokens(source);
    if (dot_tokens_next_token(&tokens) != TOKEN_NAME)
        return false;
    if (is_keyword(tokens.slice, "strict") && dot_tokens_next_token(&tokens) != TOKEN_NAME)
        return false;
    if (!is_keyword(tokens.slice, "graph") && !is_keyword(tokens.slice, "digraph"))
        return false;
    int kind = dot_tokens_next_token(&tokens);
    return kind == '{' || (kind == TOKEN_NAME && dot_tokens_next_token(&tokens) == '{');
}

/* ---- finding ---- */

struct slice dot_find_value(const struct source *source, const char *name, const char *value)
{
    struct tokens tokens = open_tokens(source);
    bool is_name = false, is_value = false;
    for (int kind; (kind = dot_tokens_next_token(&tokens)) != TOKEN_END;) {
        if (kind == TOKEN_NAME && is_value && slice_is(tokens.slice, value))
            return tokens.slice;
        is_value = kind == '=' && is_name;
        is_name = kind == TOKEN_NAME && slice_is(tokens.slice, name);
    }
    return (struct slice){source->text, 1};
}

struct slice dot_find_name(const struct source *source, const char *name)
{
    struct tokens tokens = open_tokens(source);
    for (int kind; (kind = dot_tokens_next_token(&tokens)) != TOKEN_END;)
        if (kind == TOKEN_NAME && slice_is(tokens.slice, name))
            return tokens.slice;
    return (struct slice){source->text, 1};
}

/* ---- extent ----
 * The scanner of cgraph would go on within a string or comment that has no end when it
 * reads the next file, so that is found here, too.
 *
 * A group in braces can be the end of an edge: {a b} -> {c d} is four edges. Each
 * name counts as a node of its group, and a group mentioned by its name as all names
 * so far. Every attribute takes room in every node and edge. */

enum { MAX_DEPTH = 16, MAX_ATTRIBUTES = 64, MAX_EDGES = 1 << 21,
       MAX_GROUP_EDGES = 1 << 16, MAX_ROOM = 1 << 26 };

struct extent {
    uint64_t n_names, n_edges, n_group_edges; /* n_group_edges: edges with a group at an end */
    uint32_t depth, n_attributes;
    uint64_t operand, left;        /* nodes at the last end of an edge, and before "->" */
    uint64_t before[MAX_DEPTH];    /* names before the group */
    uint64_t left_of[MAX_DEPTH];   /* `left` of the statement that the group stands in */
    struct slice attributes[MAX_ATTRIBUTES];
    struct slice last;             /* the name just read */
    bool is_subgraph, is_in_list;
    const char *problem;
    bool is_reserved; /* a name is one of cgraph's own */
};

static void end_operand(struct extent *extent, uint64_t n)
{
    uint64_t product = 0;
    extent->operand = n;
    if (extent->left && (!mem_multiply(extent->left, n, &product) || product > MAX_EDGES))
        product = MAX_EDGES + 1;
    extent->left = 0;
    extent->n_edges += product;
    extent->n_group_edges += product > 1 ? product : 0;
}

static void open_group(struct extent *extent)
{
    if (extent->depth == MAX_DEPTH) {
        extent->problem = "groups nested more than 16 deep";
        return;
    }
    extent->before[extent->depth] = extent->n_names;
    extent->left_of[extent->depth++] = extent->left;
    extent->left = extent->operand = 0;
}

static void close_group(struct extent *extent)
{
    if (!extent->depth)
        return;
    extent->depth--;
    extent->left = extent->left_of[extent->depth];
    end_operand(extent, extent->n_names - extent->before[extent->depth]);
}

static void add_attribute(struct extent *extent)
{
    for (uint32_t i = 0; i < extent->n_attributes; i++)
        if (extent->attributes[i].length == extent->last.length &&
            memcmp(extent->attributes[i].text, extent->last.text, extent->last.length) == 0)
            return;
    if (extent->n_attributes == MAX_ATTRIBUTES)
        extent->problem = "more than 64 different attributes";
    else
        extent->attributes[extent->n_attributes++] = extent->last;
}

static void dot_tokens_add_name(struct extent *extent, struct slice name)
{
    bool is_subgraph = !extent->is_in_list && is_keyword(name, "subgraph");
    extent->last = name;
    if (!extent->is_in_list && name.length && *name.text == '%') {
        extent->is_reserved = true; /* cgraph would forget it and make up another */
        extent->problem = "a name that begins with '%'";
    }
    if (!extent->is_in_list && !is_subgraph) {
        extent->n_names++;
        end_operand(extent, extent->is_subgraph ? extent->n_names : 1);
    }
    extent->is_subgraph = is_subgraph;
}

static void add_token(struct extent *extent, int kind, struct slice slice)
{
    switch (kind) {
    case TOKEN_NAME:
        dot_tokens_add_name(extent, slice);
        return;
    case TOKEN_EDGE: extent->left = extent->operand; break;
    case '{': open_group(extent); break;
    case '}': close_group(extent); break;
    case '[': extent->is_in_list = true; break;
    case ']': extent->is_in_list = false; break;
    case '=': add_attribute(extent); break;
    case ';': extent->left = 0; break;
    default: break;
    }
    extent->is_subgraph = false;
}

static void check_sums(struct extent *extent)
{
    if (extent->n_edges > MAX_EDGES)
        extent->problem = "more than 2097152 edges";
    else if (extent->n_group_edges > MAX_GROUP_EDGES)
        extent->problem = "more than 65536 edges between groups of nodes";
    else if ((extent->n_names + extent->n_edges) * (extent->n_attributes + 1) > MAX_ROOM)
        extent->problem = "nodes and edges times attributes are more than 67108864";
}

bool dot_check_extent(const struct source *source, struct diagnostics *diagnostics)
{
    struct tokens tokens = open_tokens(source);
    struct extent extent = {.last = {source->text, 0}};
    for (int kind; (kind = dot_tokens_next_token(&tokens)) != TOKEN_END && !extent.problem;) {
        add_token(&extent, kind, tokens.slice);
        if (!extent.problem)
            check_sums(&extent);
        if (extent.problem)
            report(diagnostics, extent.is_reserved ? CODE_T019 : CODE_T006,
                   slice_position(source, tokens.slice), "%s", extent.problem)
                ->help = extent.is_reserved
                             ? "such names are for nodes without name: write another"
                             : "this is more than a description of a network needs";
    }
    if (tokens.unclosed && !extent.problem)
        report(diagnostics, CODE_T019,
               slice_position(source, (struct slice){tokens.unclosed, 1}),
               "the string or comment that begins here has no end");
    return !extent.problem && !tokens.unclosed;
}
