/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions, `def NAME(x) = EXPR` and those with a block of statements.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

static void add_argument(struct parser *parser, struct definition *definition,
                         const struct token *name)
{
    if (definition->n_arguments == MAX_OPERANDS) {
        if (!parser->panic)
            report(parser->diagnostics, CODE_E010, token_position(parser, name),
                   "more than %d arguments", MAX_OPERANDS)
                ->help = "a definition sees the names above it: pass only what differs between its calls";
        parser->panic = true;
        return;
    }
    definition->arguments[definition->n_arguments++] =
        names_declare(parser, name, VARIABLE_ARGUMENT, false);
}

/* After an error: the names that follow are arguments too. */
static void recover_arguments(struct parser *parser, struct definition *definition)
{
    for (; !parser_is_line_end(parser); parser->at++)
        if (parser_peek(parser)->kind == TOKEN_NAME)
            add_argument(parser, definition, parser_peek(parser));
}

/* ( [NAME {, NAME}] ) of a definition; they are visible in its body. */
static void parse_arguments(struct parser *parser, struct definition *definition)
{
    definition->arguments = arena_alloc(parser->program->arena, MAX_OPERANDS, sizeof(uint32_t));
    parser_expect(parser, TOKEN_OPEN);
    if (!parser->panic && !parser_accept(parser, TOKEN_CLOSE)) {
        do {
            const struct token *name = parser_expect_word(parser, "the name of an argument");
            if (name)
                add_argument(parser, definition, name);
        } while (parser_accept(parser, TOKEN_COMMA));
        parser_expect(parser, TOKEN_CLOSE);
    }
    if (parser->panic)
        recover_arguments(parser, definition);
}

/* Makes the definition known; after its body, so that it cannot call itself. */
static void publish_definition(struct parser *parser, struct definition *definition,
                               const struct token *name, bool is_free)
{
    survey_note_mention(parser, name, (struct mention){.kind = MENTION_DEFINITION, .is_declaration = true,
                                                       .definition = definition});
    struct definition **tail =
        definition->value ? &parser->program->functions : &parser->program->definitions;
    while (*tail)
        tail = &(*tail)->next;
    *tail = definition;
    if (!is_free)
        return;
    struct symbol *symbol = names_symbol(parser, name);
    symbol->definition = definition;
    symbol->first = definition->position;
}

/* `window (x)` is a statement, so no definition can have that name. */
static const struct token *definition_name(struct parser *parser)
{
    const struct token *name = parser_peek(parser);
    if (parser_accept(parser, TOKEN_NAME))
        return name;
    parser_expected(parser, "the name of a definition");
    return NULL;
}

/* = EXPR, the value of a function; arguments are the same on every rank if those of a call are. */
static void parse_value(struct parser *parser, struct definition *definition, const struct token *name)
{
    definition->value = parse_expression(parser);
    if (name && definition->n_arguments == 0 && !parser->panic)
        report(parser->diagnostics, CODE_E005, definition->position, "the function '%s' has no arguments",
               definition->name)
            ->help = diagnostics_text(parser->diagnostics, "a value without arguments is 'let %s = ...'",
                                      definition->name);
    parser_end_line(parser);
}

/* NEWLINE and the statements. */
static void parse_body(struct parser *parser, struct definition *definition, struct position head)
{
    static const char help[] = "a value stands behind '=' in the same line, 'def NAME(x) = EXPR', statements "
                               "in a block below, without ':'";
    if (parser_peek(parser)->kind == TOKEN_COLON && !parser->panic)
        parser_expected(parser, "'=' or the end of the line")->help = help;
    definition->body = parse_block(parser, parser_end_line(parser) ? &head : NULL);
}

void parse_definition(struct parser *parser)
{
    struct position head = token_position(parser, parser_peek(parser));
    parser->at++;
    const struct token *name = definition_name(parser);
    bool is_free = name && names_is_free(parser, name, true);
    struct definition_node *node = arena_alloc(parser->program->arena, 1, sizeof *node);
    struct definition *definition = &node->definition;
    definition->position = name ? token_position(parser, name) : head;
    definition->name = name ? token_text(parser, name) : "";
    size_t mark = scope_open(parser);
    parse_arguments(parser, definition);
    if (parser_accept(parser, TOKEN_ASSIGN))
        parse_value(parser, definition, name);
    else
        parse_body(parser, definition, head);
    scope_close(parser, mark);
    if (name)
        publish_definition(parser, definition, name, is_free);
}
