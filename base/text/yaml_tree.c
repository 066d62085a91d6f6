/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of libyaml -> tree. libyaml counts characters, the tree bytes.
 */
#include "base/text/yaml_tree.h"


#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 32, MAX_NODES = 1 << 23, MAX_KEYS = 256 /* of a mapping */ };

struct yaml_builder {
    const struct source *source;
    uint32_t code;
    struct arena *arena;
    struct diagnostics *diagnostics;
    yaml_parser_t parser;
    size_t character, byte; /* the same place, as libyaml and as we count it */
    struct yaml_node *open[MAX_DEPTH]; /* collections not yet closed */
    struct yaml_node *last[MAX_DEPTH]; /* and the last value in each */
    struct yaml_node *key[MAX_DEPTH];  /* of the value to come */
    uint32_t depth, n_nodes;
    struct yaml_node *root;
};

/* ---- positions ---- */

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Marks come in rising order but for a few steps back: a walk, not a search. */
static size_t yaml_tree_byte_of(struct yaml_builder *builder, size_t character)
{
    const struct source *source = builder->source;
    if (character < builder->character)
        builder->character = builder->byte = 0;
    if (!builder->byte && strncmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        builder->byte = 3;
    for (; builder->character < character && builder->byte < source->length;
         builder->character++)
        do
            builder->byte++;
        while (builder->byte < source->length && !starts_character(source->text[builder->byte]));
    return builder->byte;
}

struct position yaml_position(const struct source *source, const struct yaml_node *node)
{
    size_t rest = source->length - node->at, line = strcspn(source->text + node->at, "\r\n");
    size_t length = node->kind == YAML_SCALAR ? node->text.length : 1;
    length = length < rest ? length : rest;
    length = length < line ? length : line;
    return source_position(source, node->at, length ? length : 1);
}

static void yaml_tree_refuse(struct yaml_builder *builder, size_t character, const char *message,
                             const char *help)
{
    report(builder->diagnostics, builder->code,
           source_position(builder->source, yaml_tree_byte_of(builder, character), 1), "%s", message)
        ->help = help;
}

/* A bracket that was not closed is seen where something else comes, often lines below: it is shown where it
 * was opened. False: that is not what is wrong. */
static bool refuse_unclosed(struct yaml_builder *builder)
{
    const yaml_parser_t *parser = &builder->parser;
    if (!parser->context || !strstr(parser->context, "parsing a flow"))
        return false;
    const size_t opened = yaml_tree_byte_of(builder, parser->context_mark.index);
    const char bracket = builder->source->text[opened];
    struct diagnostic *found =
        report(builder->diagnostics, builder->code, source_position(builder->source, opened, 1),
               "'%c' is not closed", bracket);
    found->related =
        source_position(builder->source, yaml_tree_byte_of(builder, parser->problem_mark.index), 1);
    found->related_text = diagnostics_text(builder->diagnostics, "here ',' or '%c' was expected",
                                           bracket == '{' ? '}' : ']');
    found->help = bracket == '{' ? "write '}' behind the last of it" : "write ']' behind the last of it";
    return true;
}

/* A line that is no "KEY: VALUE" is seen behind it. False: that is not what is wrong. */
static bool refuse_keyless(struct yaml_builder *builder)
{
    const yaml_parser_t *parser = &builder->parser;
    if (!parser->context || !strstr(parser->context, "scanning a simple key"))
        return false;
    const size_t at = yaml_tree_byte_of(builder, parser->context_mark.index);
    const char *text = builder->source->text + at;
    const int length = (int)strcspn(text, "\r\n"), word = (int)strcspn(text, " \t\r\n");
    report(builder->diagnostics, builder->code, source_position(builder->source, at, (size_t)length),
           "'%.*s' is no key with a value: ':' is missing", length < 60 ? length : 60, text)
        ->help = diagnostics_text(builder->diagnostics, "write '%.*s: VALUE'; items of a list begin with '- '",
                                  word < 60 ? word : 60, text);
    return true;
}

#define QUOTES_HELP "a value that begins with '*', '&' or '!' stands in quotes; what an anchor stands for is written out"

/* Returns help by the character at which parsing stopped; NULL: nothing is known. */
static const char *help_with_syntax(const yaml_parser_t *parser, char at)
{
    if (at == '\t')
        return "indent with blanks, not with tabs";
    if (at == ':')
        return "a value with ': ' in it stands in quotes";
    return parser->context && (strstr(parser->context, "an alias") || strstr(parser->context, "an anchor"))
               ? QUOTES_HELP
               : NULL;
}

static void refuse_syntax(struct yaml_builder *builder)
{
    yaml_parser_t *parser = &builder->parser;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    const size_t at = yaml_tree_byte_of(builder, parser->problem_mark.index);
    if (parser->error == YAML_READER_ERROR)
        report(builder->diagnostics, builder->code,
               source_position(builder->source, parser->problem_offset, 1), "%s", problem);
    else if (!refuse_unclosed(builder) && !refuse_keyless(builder))
        report(builder->diagnostics, builder->code,
               source_position(builder->source, at, 1), "%s%s%s", problem, parser->context ? ", " : "",
               parser->context ? parser->context : "")
            ->help = help_with_syntax(parser, builder->source->text[at]);
}

/* ---- nodes ---- */

static struct yaml_node *make_node(struct yaml_builder *builder, enum yaml_kind kind,
                                   const yaml_event_t *event)
{
    struct yaml_node *node = arena_alloc(builder->arena, 1, sizeof *node);
    node->kind = kind;
    node->at = yaml_tree_byte_of(builder, event->start_mark.index);
    if (kind != YAML_SCALAR)
        return node;
    size_t length = event->data.scalar.length;
    yaml_scalar_style_t style = event->data.scalar.style;
    node->text.text = arena_strndup(builder->arena, (const char *)event->data.scalar.value, length);
    node->text.length = length;
    node->at += style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    return node;
}

/* Returns the fault of a key of the mapping; NULL: there is none. */
static const char *key_problem(const struct yaml_node *mapping, const struct yaml_node *key)
{
    uint32_t n = 0;
    for (const struct yaml_node *value = mapping->first; value; value = value->next)
        n++;
    if (key->kind != YAML_SCALAR)
        return "a key must be a word";
    if (n == MAX_KEYS)
        return "more than 256 keys";
    return yaml_find(mapping, key->text.text) ? "key given twice" : NULL;
}

/* Puts the node where it belongs: at the root, as a key, or as a value. */
static bool yaml_tree_place_node(struct yaml_builder *builder, struct yaml_node *node,
                                 const yaml_event_t *event)
{
    size_t character = event->start_mark.index;
    if (++builder->n_nodes > MAX_NODES) {
        yaml_tree_refuse(builder, character, "more than 8388608 values", "divide the file");
        return false;
    }
    if (!builder->depth) {
        builder->root = node;
        return true;
    }
    uint32_t level = builder->depth - 1;
    struct yaml_node *parent = builder->open[level];
    if (parent->kind == YAML_MAPPING && !builder->key[level]) {
        const char *problem = key_problem(parent, node);
        builder->key[level] = node;
        if (problem)
            yaml_tree_refuse(builder, character, problem,
                             "keep one of them, and give each key a value of its own");
        return !problem;
    }
    node->key = builder->key[level];
    builder->key[level] = NULL;
    *(parent->first ? &builder->last[level]->next : &parent->first) = node;
    builder->last[level] = node;
    return true;
}

static bool open_node(struct yaml_builder *builder, enum yaml_kind kind, const yaml_event_t *event)
{
    struct yaml_node *node = make_node(builder, kind, event);
    if (!yaml_tree_place_node(builder, node, event))
        return false;
    if (builder->depth == MAX_DEPTH) {
        yaml_tree_refuse(builder, event->start_mark.index, "nested more than 32 deep", "write it flatter");
        return false;
    }
    builder->key[builder->depth] = builder->last[builder->depth] = NULL;
    builder->open[builder->depth++] = node;
    return true;
}

/* ---- events ---- */

/* Returns the anchor or tag of a node; NULL if it has none. */
static const yaml_char_t *decoration(const yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT)
        return event->data.scalar.anchor ? event->data.scalar.anchor : event->data.scalar.tag;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return event->data.sequence_start.anchor ? event->data.sequence_start.anchor
                                                 : event->data.sequence_start.tag;
    if (event->type == YAML_MAPPING_START_EVENT)
        return event->data.mapping_start.anchor ? event->data.mapping_start.anchor
                                                : event->data.mapping_start.tag;
    return NULL;
}

static bool take_event(struct yaml_builder *builder, const yaml_event_t *event)
{
    const char *problem = NULL, *help = "keep what stands above '---'";
    if (decoration(event) || event->type == YAML_ALIAS_EVENT)
        problem = "anchors, aliases and tags are not read",
        help = QUOTES_HELP;
    else if (event->type == YAML_DOCUMENT_START_EVENT && builder->root)
        problem = "a second document in the file";
    if (problem) {
        yaml_tree_refuse(builder, event->start_mark.index, problem, help);
        return false;
    }
    if (event->type == YAML_SCALAR_EVENT)
        return yaml_tree_place_node(builder, make_node(builder, YAML_SCALAR, event), event);
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return open_node(builder, YAML_SEQUENCE, event);
    if (event->type == YAML_MAPPING_START_EVENT)
        return open_node(builder, YAML_MAPPING, event);
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
        builder->depth--;
    return true;
}

static bool read_events(struct yaml_builder *builder)
{
    for (bool is_end = false; !is_end;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event)) {
            refuse_syntax(builder);
            return false;
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        bool good = take_event(builder, &event);
        yaml_event_delete(&event);
        if (!good)
            return false;
    }
    if (!builder->root)
        yaml_tree_refuse(builder, 0, "the file holds no document", "it is empty, or has comments only");
    return builder->root != NULL;
}

struct yaml_node *yaml_read(const struct source *source, uint32_t code, struct arena *arena,
                            struct diagnostics *diagnostics)
{
    struct yaml_builder builder = {
        .source = source, .code = code, .arena = arena, .diagnostics = diagnostics};
    if (!yaml_parser_initialize(&builder.parser))
        fatal("out of memory");
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)source->text,
                                 source->length);
    bool good = read_events(&builder);
    yaml_parser_delete(&builder.parser);
    return good ? builder.root : NULL;
}

const struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key)
{
    for (const struct yaml_node *value = mapping->first; value; value = value->next)
        if (value->key && strcmp(value->key->text.text, key) == 0)
            return value;
    return NULL;
}
