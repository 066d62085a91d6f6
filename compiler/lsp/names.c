/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Answers about names: what may stand at a place, where a name stands, and another name for it. See
 * answers.h.
 */
#include "compiler/lsp/answers.h"

#include "base/text/slice.h"
#include "compiler/language/language.h"
#include "compiler/lsp/message.h"

#include <string.h>

/* --- where a name stands --------------------------------------------------- */

static bool is_same_place(struct position a, struct position b)
{
    return a.line && a.line == b.line && a.column == b.column && a.source == b.source;
}

/* A set is read more than once: its counter is then several variables, declared at one place. */
static bool is_same_name(const struct program *program, const struct mention *a, const struct mention *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == MENTION_DEFINITION)
        return a->definition == b->definition;
    return a->kind == MENTION_VARIABLE &&
           (a->variable == b->variable || is_same_place(program->variables[a->variable].position,
                                                        program->variables[b->variable].position));
}

/* True if mention i is of the same name as `of`, and the first at its place. */
static bool is_place_of(const struct survey *survey, size_t i, const struct mention *of)
{
    const struct mention *mention = &survey->mentions[i];
    if (!is_same_name(survey->program, mention, of))
        return false;
    for (size_t k = 0; k < i; k++)
        if (is_same_name(survey->program, &survey->mentions[k], of) &&
            is_same_place(survey->mentions[k].position, mention->position))
            return false;
    return true;
}

json_t *answer_references(const struct document *document, size_t offset, bool with_declaration)
{
    const struct mention *of = document_mention(document, offset);
    json_t *list = json_array();
    for (size_t i = 0; of && i < document->survey.n_mentions; i++) {
        const struct mention *mention = &document->survey.mentions[i];
        if (is_place_of(&document->survey, i, of) && (with_declaration || !mention->is_declaration))
            json_array_append_new(list, json_pack("{s:s, s:o}", "uri", document->uri, "range",
                                                  document_range(document, mention->position)));
    }
    return list;
}

/* --- another name ---------------------------------------------------------- */

static const char counts_chunks[] = "segments";

/* Returns the name of a variable or definition that is declared in this text; NULL: the mention is of none,
 * or the name itself has a meaning. */
static const char *own_name(const struct document *document, const struct mention *mention)
{
    if (mention->kind == MENTION_DEFINITION)
        return mention->definition->name;
    if (mention->kind != MENTION_VARIABLE)
        return NULL;
    const struct variable *variable = &document->survey.program->variables[mention->variable];
    const char *name = variable_source_name(variable);
    if (mention->variable == document->survey.program->segments && strcmp(name, counts_chunks) == 0)
        return NULL;
    const struct position *at = &variable->position;
    const char *text = at->line && at->source == document->source ? document_text_at(document, *at) : NULL;
    /* `m` of stated costs is declared by the word `costs` */
    return text && at->length == strlen(name) && strncmp(text, name, at->length) == 0 ? name : NULL;
}

json_t *answer_prepare_rename(const struct document *document, size_t offset)
{
    const struct mention *mention = document_mention(document, offset);
    return mention && own_name(document, mention) ? document_range(document, mention->position) : json_null();
}

static bool is_name(const char *text)
{
    return ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_') &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

/* Returns the reason why nothing can get this name, or NULL. */
static const char *problem_with_name(const struct document *document, const char *name)
{
    const struct program *program = document->survey.program;
    if (!is_name(name))
        return "a name is a letter or '_', and letters, digits and '_' behind it";
    for (size_t i = 0; i < n_language_words; i++)
        if (strcmp(language_words[i].spelling, name) == 0)
            return "this is a word of the language";
    if (strcmp(name, counts_chunks) == 0)
        return "this name says how many chunks a block has";
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (strcmp(variable_source_name(&program->variables[i]), name) == 0)
            return "the name is taken";
    for (size_t i = 0; i < document->survey.n_mentions; i++)
        if (document->survey.mentions[i].kind == MENTION_DEFINITION &&
            strcmp(document->survey.mentions[i].definition->name, name) == 0)
            return "the name is taken";
    return NULL;
}

json_t *answer_rename(const struct document *document, size_t offset, const char *name, const char **problem)
{
    const struct mention *of = document_mention(document, offset);
    *problem = NULL;
    if (!of || !own_name(document, of))
        *problem = "no name of this file is here";
    else if (!document->program)
        *problem = "the file has errors: mend them first";
    else
        *problem = problem_with_name(document, name);
    if (*problem)
        return NULL;
    json_t *edits = json_array();
    for (size_t i = 0; i < document->survey.n_mentions; i++)
        if (is_place_of(&document->survey, i, of))
            json_array_append_new(edits,
                                  json_pack("{s:o, s:s}", "range",
                                            document_range(document, document->survey.mentions[i].position),
                                            "newText", name));
    return json_pack("{s:{s:o}}", "changes", document->uri, edits);
}

/* --- what may stand here --------------------------------------------------- */

enum { ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_CLASS = 7, ITEM_KEYWORD = 14 }; /* CompletionItemKind */

struct completion {
    const struct document *document;
    json_t *items;
    const char *begun; /* word before the cursor */
    size_t length;
};

static void names_offer(struct completion *completion, const char *name, int kind, const char *detail)
{
    if (strncmp(name, completion->begun, completion->length) != 0)
        return;
    json_t *old;
    size_t i;
    json_array_foreach(completion->items, i,
                       old) if (strcmp(json_string_value(json_object_get(old, "label")), name) == 0) return;
    json_array_append_new(completion->items, json_pack("{s:s, s:i, s:o}", "label", name, "kind", kind,
                                                       "detail", message_string(detail)));
}

/* Blanks at the begin of the line that a byte is in; of an empty line as many as there can be. */
static size_t names_indent(const char *text, size_t line_start)
{
    const size_t indent = strspn(text + line_start, " ");
    return strchr("\n\r#", text[line_start + indent]) ? SIZE_MAX : indent;
}

/* True if a variable of a block has its value at `offset`: no line between is outside of the block. */
static bool is_in_scope(const struct document *document, const struct variable *variable, size_t offset)
{
    const char *text = document->source->text, *at = document_text_at(document, variable->position);
    if (variable->kind != VARIABLE_LOOP && variable->kind != VARIABLE_ARGUMENT &&
        variable->kind != VARIABLE_LET)
        return true;
    if (!at || at >= text + offset)
        return false;
    size_t start = (size_t)(at - text), cursor = offset;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (cursor > 0 && text[cursor - 1] != '\n')
        cursor--;
    const size_t own = names_indent(text, start) + (variable->kind != VARIABLE_LET);
    const size_t blanks = strspn(text + cursor, " ");
    if (cursor > start && blanks < own)
        return false;
    for (const char *line = strchr(text + start, '\n'); line && line + 1 < text + cursor;
         line = strchr(line + 1, '\n'))
        if (names_indent(text, (size_t)(line + 1 - text)) < own)
            return false;
    return true;
}

static void offer_names(struct completion *completion, size_t offset)
{
    static const char *const kinds[] = {
        [VARIABLE_NAMED] = "value",           [VARIABLE_PARAMETER] = "parameter",
        [VARIABLE_COORDINATE] = "coordinate", [VARIABLE_LET] = "let",
        [VARIABLE_LOOP] = "counter",          [VARIABLE_ARGUMENT] = "argument",
        [VARIABLE_ALGORITHM] = "algorithm",   [VARIABLE_AREA] = "area of tmp"};
    const struct survey *survey = &completion->document->survey;
    for (uint32_t i = 0; i < survey->program->n_variables; i++) {
        const struct variable *variable = &survey->program->variables[i];
        if (variable->position.line && variable->position.source == completion->document->source &&
            is_in_scope(completion->document, variable, offset))
            names_offer(completion, variable_source_name(variable), ITEM_VARIABLE, kinds[variable->kind]);
    }
    for (size_t i = 0; i < survey->n_mentions; i++)
        if (survey->mentions[i].kind == MENTION_DEFINITION)
            names_offer(completion, survey->mentions[i].definition->name, ITEM_FUNCTION, "definition");
}

static bool has_root(const struct program *program)
{
    return !program || program->collective == N_COLLECTIVES || collective_table[program->collective].rooted;
}

static void offer_words(struct completion *completion)
{
    const bool offers_root = has_root(completion->document->survey.program);
    for (size_t i = 0; i < n_language_words; i++) {
        const struct word *word = &language_words[i];
        const bool is_word = is_name(word->spelling);
        if (is_word && (offers_root || strcmp(word->spelling, "root") != 0))
            names_offer(completion, word->spelling,
                        word->kind == WORD_FUNCTION ? ITEM_FUNCTION
                        : word->kind == WORD_VALUE  ? ITEM_VARIABLE
                                                    : ITEM_KEYWORD,
                        word->meaning);
    }
}

static void offer_collectives(struct completion *completion)
{
    for (enum collective c = 0; c < N_COLLECTIVES; c++)
        names_offer(completion, collective_name(c, FORM_EQUAL), ITEM_CLASS, "collective");
    for (enum collective_form form = FORM_EQUAL + 1; form < N_FORMS; form++)
        names_offer(completion, collective_name(collective_of_form(form), form), ITEM_CLASS, "collective");
}

/* True if nothing but comments and empty lines stands before a byte. */
static bool is_first_word(const char *text, size_t end)
{
    bool is_comment = false;
    for (size_t at = 0; at < end; at++) { /* a text may have a byte 0 */
        is_comment = text[at] != '\n' && (is_comment || text[at] == '#');
        if (!is_comment && !text_is_blank(text[at]))
            return false;
    }
    return true;
}

json_t *answer_completion(const struct document *document, size_t offset)
{
    const char *text = document->source->text;
    size_t start = offset, line = offset;
    while (start > 0 &&
           (is_name((char[]){text[start - 1], 0}) || (text[start - 1] >= '0' && text[start - 1] <= '9')))
        start--;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    struct completion completion = {document, json_array(), text + start, offset - start};
    if (memchr(text + line, '#', start - line))
        return completion.items;
    if (is_first_word(text, start) || (start >= line + 4 && strncmp(text + start - 4, "run ", 4) == 0)) {
        offer_collectives(&completion);
    } else {
        if (document->survey.program)
            offer_names(&completion, offset);
        offer_words(&completion);
    }
    return completion.items;
}
