/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cursor of lines.h.
 */
#include "base/text/lines.h"


#include <stdio.h>

void lines_open(struct lines *lines, const struct source *source, struct diagnostics *diagnostics)
{
    bool mark = source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0;
    *lines = (struct lines){.source = source,
                            .diagnostics = diagnostics,
                            .next = source->text + (mark ? 3 : 0)};
    lines->start = lines->at = lines->end = lines->next;
    lines->line = source->first_line ? source->first_line - 1 : 0;
}

bool lines_next(struct lines *lines)
{
    const char *last = lines->source->text + lines->source->length;
    if (lines->next == last)
        return false;
    const char *newline = memchr(lines->next, '\n', (size_t)(last - lines->next));
    lines->start = lines->at = lines->next;
    lines->end = newline ? newline : last;
    lines->next = newline ? newline + 1 : last;
    while (lines->end > lines->start && strchr(" \t\r", lines->end[-1]) && lines->end[-1])
        lines->end--;
    lines->line++;
    return true;
}

/* Returns the current line as a source of its own, which stays. */
static const struct source *lines_keep_line(const struct lines *lines)
{
    struct source *kept = arena_alloc(&lines->diagnostics->arena, 1, sizeof *kept);
    *kept = *lines->source;
    kept->length = (size_t)(lines->next - lines->start);
    kept->text = arena_strndup(&lines->diagnostics->arena, lines->start, kept->length);
    kept->first_line = lines->line;
    return kept;
}

struct position lines_position(const struct lines *lines, const char *at, size_t length)
{
    const struct source *source = lines->is_passing ? lines_keep_line(lines) : lines->source;
    return (struct position){source, lines->line, (uint32_t)(at - lines->start) + 1,
                             length ? (uint32_t)length : 1};
}

struct diagnostic *lines_fail(struct lines *lines, uint32_t code, const char *at, size_t length,
                              const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    lines->failed = true;
    struct position position = {lines->source, lines->line, 1, 1};
    if (!diagnostics_is_full(lines->diagnostics, code))
        position = lines_position(lines, at, length);
    return report(lines->diagnostics, code, position, "%s", message);
}

struct diagnostic *lines_fail_here(struct lines *lines, uint32_t code, const char *message)
{
    size_t length = (size_t)(lines->end - lines->at);
    const char *tab = memchr(lines->at, '\t', length);
    size_t shown = tab ? (size_t)(tab - lines->at) : length;
    shown = shown < 80 ? shown : 80;
    if (!shown)
        return lines_fail(lines, code, lines->at, length, "%s", message);
    return lines_fail(lines, code, lines->at, length, "'%.*s': %s", (int)shown, lines->at,
                      message);
}

bool lines_take_text(struct lines *lines, const char *text)
{
    if (!lines_starts(lines, text))
        return false;
    lines->at += strlen(text);
    return true;
}

struct slice lines_take_word(struct lines *lines)
{
    struct slice rest = lines_rest(lines), word = slice_take_word(&rest);
    lines->at = rest.text;
    return word;
}

bool lines_take_quoted(struct lines *lines, struct slice *slice)
{
    const char *start = lines->at;
    if (!lines_take_after(lines, "\""))
        return false;
    const char *open = lines->at;
    if (lines_take_after(lines, "\"")) {
        *slice = (struct slice){open, (size_t)(lines->at - open) - 1};
        return true;
    }
    lines->at = start;
    return false;
}

bool lines_take_hexadecimal(struct lines *lines, uint64_t *value)
{
    if (!lines_starts(lines, "0x"))
        return false;
    const char *at = lines->at + 2;
    uint64_t number = 0;
    for (int digit; at < lines->end && (digit = hexadecimal_digit(*at)) >= 0; at++) {
        if (number >> 60)
            return false;
        number = number << 4 | (unsigned)digit;
    }
    if (at == lines->at + 2)
        return false;
    lines->at = at;
    *value = number;
    return true;
}

bool lines_take_decimal(struct lines *lines, uint32_t *value)
{
    const char *at = lines->at;
    uint32_t number = 0;
    for (; at < lines->end && *at >= '0' && *at <= '9'; at++) {
        if (at - lines->at >= 9)
            return false;
        number = number * 10 + (uint32_t)(*at - '0');
    }
    if (at == lines->at)
        return false;
    lines->at = at;
    *value = number;
    return true;
}

bool lines_take_after(struct lines *lines, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = lines->at; (size_t)(lines->end - at) >= length; at++) {
        at = memchr(at, *text, (size_t)(lines->end - at) - length + 1);
        if (!at)
            return false;
        if (memcmp(at, text, length) == 0) {
            lines->at = at + length;
            return true;
        }
    }
    return false;
}
