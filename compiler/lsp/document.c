/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See document.h.
 */
#include "compiler/lsp/document.h"

#include "base/text/units.h"
#include "compiler/language/language.h"
#include "study/lint/lint.h"

#include <stdlib.h>
#include <string.h>

/* --- text ---------------------------------------------------------------- */

static void document_forget(struct document *document)
{
    program_free(document->program);
    survey_free(&document->survey);
    diagnostics_free(&document->diagnostics);
    document->program = NULL;
    document->diagnostics = (struct diagnostics){0};
}

static void document_add_line(struct line_starts *lines, size_t offset)
{
    lines->offset = mem_grow(lines->offset, &lines->capacity, lines->n + 1, sizeof *lines->offset);
    lines->offset[lines->n++] = offset;
}

static void find_lines(struct document *document)
{
    const struct source *source = document->source;
    document->lines.n = document->own_lines.n = 0;
    document_add_line(&document->lines, 0);
    document_add_line(&document->own_lines, 0);
    for (size_t i = 0; i < source->length; i++) {
        const char c = source->text[i];
        if (c == '\n')
            document_add_line(&document->own_lines, i + 1);
        if (c == '\n' || (c == '\r' && source->text[i + 1] != '\n'))
            document_add_line(&document->lines, i + 1);
    }
}

/* Returns the path of a URI file://..., or the URI; in the arena. */
static const char *path_of_uri(const char *uri, struct arena *arena)
{
    static const char scheme[] = "file://";
    const char *from = strncmp(uri, scheme, strlen(scheme)) == 0 ? strchr(uri + strlen(scheme), '/') : NULL;
    if (!from)
        return uri;
    char *path = arena_strndup(arena, from, strlen(from)), *to = path;
    for (; *from; from++) {
        const int high = *from == '%' ? hexadecimal_digit(from[1]) : -1;
        const int low = high < 0 ? -1 : hexadecimal_digit(from[2]);
        const int byte = low < 0 ? 0 : high * 16 + low;
        *to++ = byte ? (char)byte : *from;
        from += byte ? 2 : 0;
    }
    *to = '\0';
    return path;
}

static void document_judge(struct document *document)
{
    document->program = program_read(document->source, &document->diagnostics);
    if (document->program) {
        lint_text(document->program, &document->diagnostics);
        lint_small(document->program, &document->diagnostics);
    }
    survey_read(document->source, &document->survey);
}

void document_set(struct document *document, const char *text, size_t length)
{
    document_forget(document);
    arena_free(&document->arena);
    document->arena = (struct arena){0};
    document->source = source_of_text(path_of_uri(document->uri, &document->arena), text, length,
                                      &document->arena);
    find_lines(document);
    document_judge(document);
}

void document_renew(struct document *document)
{
    document_forget(document);
    document_judge(document);
}

struct document *document_new(const char *uri)
{
    struct document *document = mem_alloc(1, sizeof *document);
    document->uri = mem_alloc(strlen(uri) + 1, 1);
    strcpy(document->uri, uri);
    return document;
}

void document_free(struct document *document)
{
    document_forget(document);
    arena_free(&document->arena);
    free(document->lines.offset);
    free(document->own_lines.offset);
    free(document->uri);
    free(document);
}

/* --- places -------------------------------------------------------------- */

/* UTF-16 units of the character that begins with a byte; none of a byte that goes on with one. */
static unsigned units_of(char byte)
{
    const unsigned char c = (unsigned char)byte;
    return (c & 0xC0) == 0x80 ? 0 : c >= 0xF0 ? 2 : 1;
}

/* Returns the number of the line that a byte is in, from 0. */
static size_t line_at(const struct line_starts *lines, size_t offset)
{
    size_t low = 0, high = lines->n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(lines->offset[middle] <= offset ? &low : &high) = middle;
    }
    return low;
}

static json_t *document_place_of(const struct document *document, size_t offset)
{
    const size_t line = line_at(&document->lines, offset);
    json_int_t character = 0;
    for (size_t i = document->lines.offset[line]; i < offset; i++)
        character += units_of(document->source->text[i]);
    return json_pack("{s:I, s:I}", "line", (json_int_t)line, "character", character);
}

size_t document_offset(const struct document *document, json_int_t line, json_int_t character)
{
    const struct source *source = document->source;
    const size_t n = document->lines.n;
    size_t at = line < 0 ? 0 : (uint64_t)line < n ? document->lines.offset[line] : source->length;
    while (character > 0 && at < source->length && source->text[at] != '\r' && source->text[at] != '\n') {
        character -= units_of(source->text[at++]);
        while (at < source->length && !units_of(source->text[at]))
            at++;
    }
    return at;
}

json_t *document_bytes(const struct document *document, size_t start, size_t end)
{
    return json_pack("{s:o, s:o}", "start", document_place_of(document, start), "end",
                     document_place_of(document, end));
}

json_t *document_range(const struct document *document, struct position position)
{
    const struct line_starts *lines = &document->own_lines;
    size_t line = position.line ? position.line - 1 : 0;
    line = line < lines->n ? line : lines->n - 1;
    const char *text = document->source->text;
    const size_t line_start = lines->offset[line];
    const size_t line_end = line + 1 < lines->n ? lines->offset[line + 1] - 1 : document->source->length;
    size_t length = line_end - line_start;
    length -= length > 0 && text[line_start + length - 1] == '\r';
    const size_t start = position.line ? position.column - 1 : 0;
    const size_t end = position.line ? start + position.length : 0;
    return document_bytes(document, line_start + (start < length ? start : length),
                             line_start + (end < length ? end : length));
}

const char *document_text_at(const struct document *document, struct position position)
{
    const struct line_starts *lines = &document->own_lines;
    if (position.line == 0 || position.line > lines->n)
        return NULL;
    const size_t at = lines->offset[position.line - 1] + position.column - 1;
    return at < document->source->length ? document->source->text + at : NULL;
}

const struct mention *document_mention(const struct document *document, size_t offset)
{
    const struct position position = source_position(document->source, offset, 1);
    return survey_at(&document->survey, position.line, position.column);
}

json_t *document_whole(const struct document *document)
{
    return document_bytes(document, 0, document->source->length);
}
