/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of the source, and what stands on them that is not part of the program. See layout.h.
 */
#include "compiler/language/layout.h"

#include <string.h>

enum { INDENT_WIDTH = 2 };

void layout_find_lines(struct layout *layout)
{
    const struct source *source = layout->program->source;
    size_t capacity = 0, n = 0, at = 0;
    while (at < source->length) {
        layout->line_start = mem_grow(layout->line_start, &capacity, n + 2, sizeof at);
        layout->line_start[n++] = at;
        const char *end = memchr(source->text + at, '\n', source->length - at);
        at = end ? (size_t)(end - source->text) + 1 : source->length;
        layout->line_start[n] = at;
    }
    layout->n_lines = (uint32_t)n;
}

const char *layout_line_text(const struct layout *layout, uint32_t line, size_t *length)
{
    const char *from = layout->program->source->text + layout->line_start[line - 1];
    const char *to = layout->program->source->text + layout->line_start[line];
    if (line == 1 && to - from >= 3 && memcmp(from, "\xEF\xBB\xBF", 3) == 0)
        from += 3; /* byte order mark */
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == '\n' || to[-1] == '\r' || to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *length = (size_t)(to - from);
    return from;
}

/* Returns the comment of a line, from its '#'; NULL if there is none. The language has no strings, so every
 * '#' begins a comment. */
static const char *comment_of(const struct layout *layout, uint32_t line, size_t *length)
{
    const char *text = layout_line_text(layout, line, length);
    const char *mark = *length ? memchr(text, '#', *length) : NULL;
    if (mark)
        *length -= (size_t)(mark - text);
    return mark;
}

bool layout_is_comment_or_blank(const struct layout *layout, uint32_t line)
{
    size_t length;
    const char *text = layout_line_text(layout, line, &length);
    return length == 0 || *text == '#';
}

static void keep_blank_line(struct layout *layout, uint32_t line)
{
    size_t length = 1;
    if (line > 1)
        layout_line_text(layout, line - 1, &length);
    if (length == 0 && layout->out->length > layout->start)
        text_append(layout->out, "\n", 1);
}

void layout_indent(struct layout *layout, uint32_t depth)
{
    text_printf(layout->out, "%*s", (int)depth * INDENT_WIDTH, "");
}

void layout_comments(struct layout *layout, uint32_t line, uint32_t depth)
{
    for (; layout->next_comment < line; layout->next_comment++) {
        size_t length;
        const char *comment = comment_of(layout, layout->next_comment, &length);
        if (!comment)
            continue;
        keep_blank_line(layout, layout->next_comment);
        layout_indent(layout, depth);
        text_append(layout->out, comment, length);
        text_append(layout->out, "\n", 1);
    }
}

void layout_begin_line(struct layout *layout, uint32_t line, uint32_t depth)
{
    if (layout->is_tree) {
        layout_indent(layout, depth);
        return;
    }
    layout_comments(layout, line, depth);
    keep_blank_line(layout, line);
    layout_indent(layout, depth);
    layout->line = line;
}

void layout_finish_line(struct layout *layout, uint32_t line)
{
    size_t length;
    const char *comment = layout->is_tree ? NULL : comment_of(layout, line, &length);
    if (comment) {
        text_append(layout->out, "  ", 2);
        text_append(layout->out, comment, length);
    }
    layout->next_comment = line + 1;
    text_append(layout->out, "\n", 1);
}

void layout_change_line(struct layout *layout, uint32_t line, uint32_t depth)
{
    if (line == layout->line || layout->is_tree) {
        text_append(layout->out, "\n", 1);
        layout_indent(layout, depth);
    } else {
        layout_finish_line(layout, layout->line);
        layout_begin_line(layout, line, depth);
    }
}

void layout_word(struct layout *layout, const char *word)
{
    text_append(layout->out, word, strlen(word));
}

void layout_alone(struct layout *layout, const char *before, const struct expr *expr)
{
    layout_word(layout, before);
    print_expr(layout->program, layout->known, expr, STYLE_ALONE, layout->out);
}

void layout_loose(struct layout *layout, const char *before, const struct expr *expr)
{
    layout_word(layout, before);
    print_expr(layout->program, layout->known, expr, STYLE_LOOSE, layout->out);
}

void layout_tight(struct layout *layout, const char *before, const struct expr *expr)
{
    layout_word(layout, before);
    print_expr(layout->program, layout->known, expr, STYLE_TIGHT, layout->out);
}
