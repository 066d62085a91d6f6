/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See answers.h.
 */
#include "compiler/lsp/answers.h"

#include "base/text/uri.h"
#include "compiler/language/language.h"
#include "compiler/lsp/message.h"
#include "compiler/passes/stated.h"

#include <string.h>

/* --- diagnostics --------------------------------------------------------- */

static bool answers_is_in(const struct document *document, struct position position)
{
    return position.line && position.source == document->source;
}

/* Returns the message with its place, where that is in another file, and how to mend it. */
static json_t *answers_message_of(const struct document *document, const struct diagnostic *diagnostic)
{
    struct text text = {0};
    struct position position = diagnostic->position;
    if (position.line && !answers_is_in(document, position))
        text_printf(&text, "%s:%u:%u: ", position.source->path, position.line, position.column);
    text_printf(&text, "%s", diagnostic->message);
    if (diagnostic->help)
        text_printf(&text, "; %s", diagnostic->help);
    json_t *message = message_string(text.data);
    text_free(&text);
    return message;
}

/* Returns the diagnostic as JSON. If it is about a file that the document runs, its range is that of the
 * `run`. */
json_t *answer_diagnostic(const struct document *document, const struct diagnostic *diagnostic)
{
    static const int severities[] = {[SEVERITY_NOTE] = 3, [SEVERITY_WARNING] = 2, [SEVERITY_ERROR] = 1};
    struct arena arena = {0};
    const bool is_here = answers_is_in(document, diagnostic->position);
    const bool has_other = answers_is_in(document, diagnostic->related);
    struct position position = is_here     ? diagnostic->position
                               : has_other ? diagnostic->related
                                           : (struct position){.line = 0};
    json_t *object =
        json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", document_range(document, position), "severity",
                  severities[diagnostic->severity], "code", code_table[diagnostic->code].id, "source",
                  "collc", "message", answers_message_of(document, diagnostic));
    const char *page = uri_of_code(code_table[diagnostic->code].id, &arena);
    if (page)
        json_object_set_new(object, "codeDescription", json_pack("{s:s}", "href", page));
    arena_free(&arena);
    if (is_here && has_other)
        json_object_set_new(object, "relatedInformation",
                            json_pack("[{s:{s:s, s:o}, s:o}]", "location", "uri", document->uri, "range",
                                      document_range(document, diagnostic->related), "message",
                                      message_string(diagnostic->related_text ? diagnostic->related_text
                                                                           : "the other place")));
    return object;
}

json_t *answer_diagnostics(const struct document *document)
{
    json_t *list = json_array();
    for (const struct diagnostic *d = document->diagnostics.first; d; d = d->next)
        json_array_append_new(list, answer_diagnostic(document, d));
    return json_pack("{s:s, s:I, s:o}", "uri", document->uri, "version", document->version, "diagnostics",
                     list);
}

/* --- what a name is ------------------------------------------------------ */

static const char *const kinds[] = {
    [VARIABLE_NAMED] = "value of the language",
    [VARIABLE_PARAMETER] = "parameter of the algorithm",
    [VARIABLE_COORDINATE] = "coordinate of the rank",
    [VARIABLE_LET] = "name for a value",
    [VARIABLE_LOOP] = "counter",
    [VARIABLE_ARGUMENT] = "argument of a definition",
    [VARIABLE_ALGORITHM] = "parameter that names an algorithm",
    [VARIABLE_AREA] = "area of tmp",
};

static const struct word *answers_find_word(const char *spelling, size_t length)
{
    for (size_t i = 0; i < n_language_words; i++)
        if (strlen(language_words[i].spelling) == length &&
            memcmp(language_words[i].spelling, spelling, length) == 0)
            return &language_words[i];
    return NULL;
}

static void say_word(const struct word *word, struct text *text)
{
    text_printf(text, word->kind == WORD_FUNCTION ? "`%s%s" : "`%s`: %s", word->spelling, word->meaning);
}

/* The line of a declaration. */
static void say_declaration(struct position position, const char *kind, struct text *text)
{
    const char *line = position.source->text, *newline;
    for (uint32_t i = 1; i < position.line && (newline = strchr(line, '\n')); i++)
        line = newline + 1;
    line += strspn(line, " ");
    text_printf(text, "```coll\n%.*s\n```\n%s, line %u", (int)strcspn(line, "\r\n"), line, kind, position.line);
}

static void say_variable(const struct program *program, uint32_t i, struct text *text)
{
    const struct variable *variable = &program->variables[i];
    const bool is_size = program->costs.position.line && i == program->costs.size;
    if (variable->position.line)
        say_declaration(variable->position, is_size ? "size of `buf`, or of a chunk of `in`" : kinds[variable->kind],
                        text);
    else
        say_word(answers_find_word(variable->name, strlen(variable->name)), text);
}

/* The description in the head of an algorithm and, if the program is whole, its costs. */
static void say_algorithm(const struct program *program, bool is_whole, struct text *text)
{
    struct arena arena = {0};
    text_printf(text, "**%s %s**\n", program->collective < N_COLLECTIVES
                                         ? collective_name(program->collective, program->form)
                                         : "", program->name);
    text_printf(text, "```text\n%s\n```",
                is_whole ? stated_description(program, &arena) : program->description);
    arena_free(&arena);
}

/* Returns the algorithm that a run names, as the front end has found it; NULL: it has not. */
static const struct program *answers_run_part(const struct document *document, const struct group_run *run)
{
    const char *name = run->name;
    if (run->parameter != UINT32_MAX)
        name = document->survey.program->variables[run->parameter].algorithm;
    const size_t length = strlen(name);
    for (const struct program *part = document->program ? document->program->parts : NULL; part;
         part = part->next_part) {
        const char *slash = strrchr(part->source->path, '/');
        const char *file = slash ? slash + 1 : part->source->path;
        if (part->collective == run->collective && strncmp(file, name, length) == 0 && file[length] == '.')
            return part;
    }
    return NULL;
}

static void say_mention(const struct document *document, const struct mention *mention, struct text *text)
{
    const struct program *program = document->survey.program, *part;
    switch (mention->kind) {
    case MENTION_HEAD:
        say_algorithm(document->program ? document->program : program, document->program, text);
        break;
    case MENTION_VARIABLE: say_variable(program, mention->variable, text); break;
    case MENTION_DEFINITION:
        say_declaration(mention->definition->position, mention->definition->value ? "function" : "definition",
                        text);
        break;
    case MENTION_RUN:
        part = answers_run_part(document, mention->run);
        if (part)
            say_algorithm(part, true, text);
        break;
    }
}

/* Returns the word around a byte, unless it stands in a comment; NULL: it is none of the language. */
static const struct word *word_at(const struct source *source, size_t offset)
{
    size_t start = offset, end = offset;
    while (start > 0 && document_is_letter(source->text[start - 1]))
        start--;
    while (document_is_letter(source->text[end]))
        end++;
    for (size_t i = start; i > 0 && source->text[i - 1] != '\n'; i--)
        if (source->text[i - 1] == '#')
            return NULL;
    return answers_find_word(source->text + start, end - start);
}

json_t *answer_hover(const struct document *document, size_t offset)
{
    struct text text = {0};
    const struct mention *mention = document_mention(document, offset);
    const struct word *word = mention ? NULL : word_at(document->source, offset);
    if (mention)
        say_mention(document, mention, &text);
    else if (word)
        say_word(word, &text);
    json_t *hover = text.length ? json_pack("{s:{s:s, s:s%}}", "contents", "kind", "markdown", "value",
                                            text.data, text.length)
                                : json_null();
    if (mention && text.length)
        json_object_set_new(hover, "range", document_range(document, mention->position));
    text_free(&text);
    return hover;
}

/* --- where a name is declared -------------------------------------------- */

static json_t *location_of(const struct document *document, struct position position)
{
    if (!answers_is_in(document, position))
        return json_null();
    return json_pack("{s:s, s:o}", "uri", document->uri, "range", document_range(document, position));
}

static json_t *location_of_run(const struct document *document, const struct group_run *run)
{
    struct arena arena = {0};
    const struct program *part = answers_run_part(document, run);
    const char *uri = part ? uri_of_path(part->source->path, &arena) : NULL; /* built in: no path of a file */
    json_t *location = uri ? json_pack("{s:s, s:{s:{s:i, s:i}, s:{s:i, s:i}}}", "uri", uri, "range", "start",
                                       "line", 0, "character", 0, "end", "line", 0, "character", 0)
                           : json_null();
    arena_free(&arena);
    return location;
}

json_t *answer_definition(const struct document *document, size_t offset)
{
    const struct mention *mention = document_mention(document, offset);
    if (!mention)
        return json_null();
    switch (mention->kind) {
    case MENTION_HEAD: return location_of(document, mention->position);
    case MENTION_VARIABLE:
        return location_of(document, document->survey.program->variables[mention->variable].position);
    case MENTION_DEFINITION: return location_of(document, mention->definition->position);
    case MENTION_RUN: return location_of_run(document, mention->run);
    }
    return json_null();
}

/* --- symbols ------------------------------------------------------------- */

enum { SYMBOL_FUNCTION = 12, SYMBOL_VARIABLE = 13, SYMBOL_CONSTANT = 14 }; /* SymbolKind */

static json_t *symbol_of(const struct document *document, const char *name, int kind,
                         const struct mention *mention)
{
    const bool is_all = mention->kind == MENTION_HEAD;
    return json_pack("{s:o, s:i, s:o, s:o}", "name", message_string(name), "kind", kind, "range",
                     is_all ? document_whole(document) : document_range(document, mention->position),
                     "selectionRange", document_range(document, mention->position));
}

/* Returns the symbol that the mention declares in the head of the file; NULL: it declares none. Names in
 * blocks are not listed. */
static json_t *landmark_of(const struct document *document, const struct mention *mention)
{
    if (!mention->is_declaration || mention->kind == MENTION_HEAD)
        return NULL;
    if (mention->kind == MENTION_DEFINITION)
        return symbol_of(document, mention->definition->name, SYMBOL_FUNCTION, mention);
    const struct variable *variable = &document->survey.program->variables[mention->variable];
    if (variable->kind == VARIABLE_COORDINATE)
        return symbol_of(document, variable->name, SYMBOL_VARIABLE, mention);
    const bool is_value =
        variable->value || variable->kind == VARIABLE_ALGORITHM || variable->kind == VARIABLE_AREA;
    return is_value ? symbol_of(document, variable->name, SYMBOL_CONSTANT, mention) : NULL;
}

json_t *answer_symbols(const struct document *document)
{
    const struct survey *survey = &document->survey;
    json_t *list = json_array(), *children = json_array(), *algorithm = NULL;
    for (size_t i = 0; i < survey->n_mentions; i++) {
        const struct mention *mention = &survey->mentions[i];
        if (mention->kind == MENTION_HEAD && survey->program->name[0])
            algorithm = symbol_of(document, survey->program->name, SYMBOL_FUNCTION, mention);
        json_t *child = landmark_of(document, mention);
        if (child)
            json_array_append_new(children, child);
    }
    if (!algorithm) {
        json_decref(list);
        return children;
    }
    json_object_set_new(algorithm, "children", children);
    json_array_append_new(list, algorithm);
    return list;
}

/* --- layout -------------------------------------------------------------- */

json_t *answer_formatting(const struct document *document)
{
    struct diagnostics published = {0}; /* they are, already */
    struct text text = {0};
    struct program *written = program_read_as_written(document->source, &published);
    json_t *edits = json_null();
    if (written)
        program_print(written, &text);
    if (written && text.length == document->source->length &&
        memcmp(text.data, document->source->text, text.length) == 0)
        edits = json_array();
    else if (written)
        edits = json_pack("[{s:o, s:s%}]", "range", document_whole(document), "newText", text.data, text.length);
    text_free(&text);
    program_free(written);
    diagnostics_free(&published);
    return edits;
}
