/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Answers about what would mend a text: each is tried, and offered only if it leaves no error. See answers.h.
 */
#include "compiler/lsp/answers.h"

#include "base/codes.h"
#include "compiler/language/language.h"
#include "compiler/lsp/message.h"
#include "study/lint/lint.h"

#include <string.h>

/* A line to add, and the end of the line behind which it comes. */
struct addition {
    size_t at;
    const char *line;
};

/* True if the text has no error with the line, as the editor would find it. */
static bool actions_is_right_with(const struct document *document, struct addition addition)
{
    const struct source *source = document->source;
    struct arena arena = {0};
    struct diagnostics found = {0};
    struct text text = {0};
    text_append(&text, source->text, addition.at);
    text_printf(&text, "\n%s", addition.line);
    text_append(&text, source->text + addition.at, source->length - addition.at);
    const struct source *mended = source_of_text(source->path, text.data, text.length, &arena);
    struct program *program = program_read(mended, &found);
    if (program)
        lint_small(program, &found);
    const bool is_right = program && !diagnostics_has_errors(&found);
    program_free(program);
    diagnostics_free(&found);
    text_free(&text);
    arena_free(&arena);
    return is_right;
}

static json_t *actions_add_line(const struct document *document, struct addition addition,
                                const struct diagnostic *mends, const char *title)
{
    struct text line = {0};
    text_printf(&line, "\n%s", addition.line);
    json_t *action =
        json_pack("{s:o, s:s, s:b, s:[o], s:{s:{s:[{s:o, s:o}]}}}", "title", message_string(title), "kind",
                  "quickfix", "isPreferred", 1, "diagnostics", answer_diagnostic(document, mends), "edit",
                  "changes", document->uri, "range", document_bytes(document, addition.at, addition.at),
                  "newText", json_stringn(line.data, line.length));
    text_free(&line);
    return action;
}

/* Returns the end of the line of a byte of the text. */
static size_t actions_line_end(const char *text, size_t at)
{
    return at + strcspn(text + at, "\n");
}

/* --- a condition ----------------------------------------------------------- */

/* Adds a `requires` behind the line `ranks`, for the numbers of ranks with which it is right. */
static void add_requirement(const struct document *document, const struct diagnostic *mends, json_t *actions)
{
    struct arena arena = {0};
    const char *line = lint_requirement(document->program, &arena), *text = document->source->text;
    const char *ranks = strncmp(text, "ranks ", 6) == 0 ? text : strstr(text, "\nranks ");
    if (line && ranks) {
        const size_t from = (size_t)(ranks - text) + (*ranks == '\n');
        const struct addition addition = {actions_line_end(text, from), line};
        if (actions_is_right_with(document, addition))
            json_array_append_new(
                actions, actions_add_line(document, addition, mends,
                                          arena_printf(&arena, "Add '%s', with which it is right", line)));
    }
    arena_free(&arena);
}

/* --- the receive of a message ---------------------------------------------- */

/* A send with one coordinate, taken apart: `[if NAME == SENDER] send CHUNKS to PEER`. */
struct sent {
    const char *indent, *name;
    const char *buffer, *index; /* CHUNKS, "in" and "r + 1"; index NULL: all of it; buffer "": none */
    const char *sender;         /* what the others call the sender */
    const char *receiver;       /* who receives, if not all: "1"; or NULL */
};

/* Returns the text with `by` in the place of each word `name`. */
static const char *actions_replace(const char *text, const char *name, const char *by, struct arena *arena)
{
    const size_t length = strlen(name);
    struct text out = {0};
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (document_is_letter(at[n]))
            n++;
        if (n == length && strncmp(at, name, n) == 0)
            text_printf(&out, "%s", by);
        else
            text_append(&out, at, n ? n : 1);
        at += n ? n : 1;
    }
    const char *kept = arena_strndup(arena, out.data ? out.data : "", out.length);
    text_free(&out);
    return kept;
}

/* Returns the text without blanks around it. */
static const char *actions_trim(const char *from, size_t length, struct arena *arena)
{
    while (length && *from == ' ')
        from++, length--;
    while (length && strchr(" \r", from[length - 1]))
        length--;
    return arena_strndup(arena, from, length);
}

/* Returns the text as an index is laid out: no blanks beside + and -. */
static const char *actions_tight(const char *text, struct arena *arena)
{
    struct text out = {0};
    for (const char *at = text; *at; at++) {
        const bool is_behind = out.length && strchr("+-", out.data[out.length - 1]);
        const char next = at[strspn(at, " ")];
        if (*at != ' ' || !(is_behind || (next && strchr("+-", next))))
            text_append(&out, at, 1);
    }
    const char *kept = arena_strndup(arena, out.data, out.length);
    text_free(&out);
    return kept;
}

/* Finds who sends: to `r + E` the sender is `r - E` of the receiver; to PEER of one rank, that rank. */
static bool actions_find_sender(struct sent *sent, const char *peer, const char *before, struct arena *arena)
{
    const size_t n = strlen(sent->name);
    const char *sign = peer + n + strspn(peer + n, " ");
    if (strncmp(peer, sent->name, n) == 0 && !document_is_letter(peer[n]) && *sign && strchr("+-", *sign)) {
        const char *distance = actions_trim(sign + 1, strlen(sign + 1), arena);
        const bool is_sum = strpbrk(distance, "+-?") || strstr(distance, " if ");
        sent->sender = arena_printf(arena, is_sum ? "%s %c (%s)" : "%s %c %s", sent->name,
                                    *sign == '+' ? '-' : '+', distance);
        return strcmp(actions_replace(distance, sent->name, "", arena), distance) == 0;
    }
    const char *equals = strstr(before, "==");
    if (strncmp(before, "if ", 3) != 0 || !equals ||
        strcmp(actions_trim(before + 3, (size_t)(equals - before - 3), arena), sent->name) != 0)
        return false;
    sent->sender = actions_trim(equals + 2, strlen(equals + 2), arena);
    sent->receiver = peer;
    return strcmp(actions_replace(peer, sent->name, "", arena), peer) == 0;
}

static bool actions_take_apart(const struct document *document, struct position position, struct sent *sent,
                               struct arena *arena)
{
    const char *from = document_text_at(document, position), *send = from ? strstr(from, "send") : NULL,
               *line = from;
    if (!send || send > from + position.length || document->program->n_coordinates != 1)
        return false;
    while (line > document->source->text && line[-1] != '\n')
        line--;
    const char *text = arena_strndup(arena, send + 4, strcspn(send + 4, "#\n"));
    const char *to = strncmp(text, " to ", 4) == 0 ? text : strstr(text, " to ");
    if (!to)
        return false;
    sent->name = document->program->variables[document->program->coordinate[0]].name;
    sent->indent = arena_strndup(arena, line, strspn(line, " "));
    const char *chunks = actions_trim(text, (size_t)(to - text), arena), *bracket = strchr(chunks, '[');
    sent->buffer = bracket ? arena_strndup(arena, chunks, (size_t)(bracket - chunks)) : chunks;
    sent->index = bracket ? arena_strndup(arena, bracket + 1, strcspn(bracket + 1, "]")) : NULL;
    return actions_find_sender(sent, actions_trim(to + 4, strlen(to + 4), arena),
                               actions_trim(line, (size_t)(send - line), arena), arena);
}

/* Adds the first receive that makes it right: of the same chunk, the one that the sender means, or that of
 * the sender. */
static void add_receive(const struct document *document, const struct diagnostic *mends, json_t *actions)
{
    static const char *const verbs[] = {"recv", "reduce"};
    struct arena arena = {0};
    struct sent sent = {.receiver = NULL};
    if (actions_take_apart(document, mends->position, &sent, &arena)) {
        const char *buffer = strcmp(sent.buffer, "in") == 0 ? "out" : sent.buffer;
        const char *indices[3] = {sent.index, NULL, NULL};
        if (sent.index) {
            indices[2] = actions_tight(sent.sender, &arena);
            indices[1] =
                actions_replace(sent.index, sent.name, arena_printf(&arena, "(%s)", indices[2]), &arena);
        }
        const char *at = document_text_at(document, mends->position), *text = document->source->text;
        const char *when =
            sent.receiver ? arena_printf(&arena, "if %s == %s  ", sent.name, sent.receiver) : "";
        bool is_found = false;
        for (size_t i = 0; i < 6 && !is_found; i++) {
            const char *index = indices[i % 3];
            if (sent.index ? !index : i % 3 > 0)
                continue;
            const char *chunks = !*buffer ? ""
                                 : index  ? arena_printf(&arena, " %s[%s]", buffer, index)
                                          : arena_printf(&arena, " %s", buffer);
            const char *statement =
                arena_printf(&arena, "%s%s%s from %s", when, verbs[i / 3], chunks, sent.sender);
            const struct addition addition = {actions_line_end(text, (size_t)(at - text)),
                                              arena_printf(&arena, "%s%s", sent.indent, statement)};
            is_found = actions_is_right_with(document, addition);
            if (is_found)
                json_array_append_new(actions, actions_add_line(document, addition, mends,
                                                                arena_printf(&arena, "Add '%s'", statement)));
        }
    }
    arena_free(&arena);
}

json_t *answer_actions(const struct document *document, size_t first, size_t last)
{
    json_t *actions = json_array();
    bool is_required = false;
    for (const struct diagnostic *found = document->diagnostics.first; found && document->program;
         found = found->next) {
        const char *at = found->position.source == document->source && found->position.line
                             ? document_text_at(document, found->position)
                             : NULL;
        const size_t offset = at ? (size_t)(at - document->source->text) : SIZE_MAX;
        if (found->severity != SEVERITY_ERROR || !at || offset > last ||
            offset + found->position.length < first)
            continue;
        if (found->code == CODE_M001)
            add_receive(document, found, actions);
        if (!is_required)
            add_requirement(document, found, actions);
        is_required = true;
    }
    return actions;
}
