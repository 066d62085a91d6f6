/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See document.h.
 */
#include "compiler/lsp/document.h"

#include "compiler/language/language.h"
#include "study/lint.h"

#include <stdlib.h>
#include <string.h>

/* --- text ---------------------------------------------------------------- */

static void forget(struct document *document)
{
    program_free(document->program);
    survey_free(&document->survey);
    diagnostics_free(&document->diagnostics);
    document->program = NULL;
    document->diagnostics = (struct diagnostics){0};
}

static void judge(struct document *document)
{
    document->program = program_read(document->source, &document->diagnostics);
    if (document->program)
        lint_text(document->program, &document->diagnostics);
    survey_read(document->source, &document->survey);
}

void document_set(struct document *document, const char *text, size_t length)
{
    forget(document);
    arena_free(&document->arena);
    document->arena = (struct arena){0};
    document->source = source_of_text(path_of_uri(document->uri, &document->arena), text, length,
                                      &document->arena);
    judge(document);
}

void document_renew(struct document *document)
{
    forget(document);
    judge(document);
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
    forget(document);
    arena_free(&document->arena);
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

/* Lines of the protocol end in LF, CR LF or CR, those of the language in the first two. */
static bool ends_line(const struct source *source, size_t at)
{
    const char c = source->text[at];
    return c == '\n' || (c == '\r' && source->text[at + 1] != '\n');
}

static json_t *place_of(const struct source *source, size_t offset)
{
    size_t line_start = 0;
    json_int_t line = 0, character = 0;
    for (size_t i = 0; i < offset; i++)
        if (ends_line(source, i)) {
            line++;
            line_start = i + 1;
        }
    for (size_t i = line_start; i < offset; i++)
        character += units_of(source->text[i]);
    return json_pack("{s:I, s:I}", "line", line, "character", character);
}

size_t document_offset(const struct document *document, json_int_t line, json_int_t character)
{
    const struct source *source = document->source;
    size_t at = 0;
    for (; line > 0 && at < source->length; at++)
        line -= ends_line(source, at);
    while (character > 0 && at < source->length && source->text[at] != '\r' && source->text[at] != '\n') {
        character -= units_of(source->text[at++]);
        while (at < source->length && !units_of(source->text[at]))
            at++;
    }
    return at;
}

static json_t *range_of(const struct source *source, size_t start, size_t end)
{
    return json_pack("{s:o, s:o}", "start", place_of(source, start), "end", place_of(source, end));
}

json_t *document_range(const struct document *document, struct position position)
{
    const struct source *source = document->source;
    const char *line = source->text, *stop = line + source->length;
    for (uint32_t i = 1; i < position.line; i++) {
        const char *newline = memchr(line, '\n', (size_t)(stop - line));
        line = newline ? newline + 1 : stop;
    }
    const size_t line_start = (size_t)(line - source->text);
    const size_t length = strcspn(line, "\r\n");
    const size_t start = position.line ? position.column - 1 : 0;
    const size_t end = position.line ? start + position.length : 0;
    return range_of(source, line_start + (start < length ? start : length),
                    line_start + (end < length ? end : length));
}

json_t *document_whole(const struct document *document)
{
    return range_of(document->source, 0, document->source->length);
}

/* --- URIs ---------------------------------------------------------------- */

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

const char *path_of_uri(const char *uri, struct arena *arena)
{
    static const char scheme[] = "file://";
    const char *from = strncmp(uri, scheme, strlen(scheme)) == 0 ? strchr(uri + strlen(scheme), '/') : NULL;
    if (!from)
        return uri;
    char *path = arena_strndup(arena, from, strlen(from)), *to = path;
    for (; *from; from++) {
        const int high = *from == '%' ? digit_of(from[1]) : -1;
        const int low = high < 0 ? -1 : digit_of(from[2]);
        const int byte = low < 0 ? 0 : high * 16 + low;
        *to++ = byte ? (char)byte : *from;
        from += byte ? 2 : 0;
    }
    *to = '\0';
    return path;
}

const char *uri_of_path(const char *path, struct arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    if (path[0] != '/')
        return NULL;
    struct text uri = {0};
    text_printf(&uri, "file://");
    for (; *path; path++)
        text_printf(&uri, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
    const char *kept = arena_strndup(arena, uri.data, uri.length);
    text_free(&uri);
    return kept;
}
