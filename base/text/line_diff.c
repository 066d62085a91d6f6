/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See line_diff.h. Behind lines that differ, both texts go on together where the fewest lines are passed
 * over.
 */
#include "base/text/line_diff.h"

#include <stdlib.h>

enum { CONTEXT = 3, MAX_PASSED = 1000 };

/* Lines with their ends; the last one may have none. */
struct lines_of {
    struct slice *line;
    size_t n, capacity;
};

/* Lines first .. end - 1 of each text take the place of each other. */
struct change {
    size_t first[2], end[2];
};

struct diff {
    struct lines_of texts[2];
    struct change *changes;
    size_t n_changes, capacity;
};

static void line_diff_split(struct slice text, struct lines_of *lines)
{
    while (text.length) {
        const char *newline = memchr(text.text, '\n', text.length);
        const size_t length = newline ? (size_t)(newline - text.text) + 1 : text.length;
        lines->line = mem_grow(lines->line, &lines->capacity, lines->n + 1, sizeof *lines->line);
        lines->line[lines->n++] = (struct slice){text.text, length};
        text.text += length;
        text.length -= length;
    }
}

static bool line_diff_is_same(const struct diff *diff, size_t a, size_t b)
{
    const struct lines_of *texts = diff->texts;
    return a < texts[0].n && b < texts[1].n && slice_compare(texts[0].line[a], texts[1].line[b]) == 0;
}

/* Moves both behind lines that differ: to equal ones, or to the ends. */
static void line_diff_pass(const struct diff *diff, size_t *a, size_t *b)
{
    const size_t left_a = diff->texts[0].n - *a, left_b = diff->texts[1].n - *b;
    for (size_t n = 1; n <= MAX_PASSED && n <= left_a + left_b; n++)
        for (size_t i = n > left_b ? n - left_b : 0; i <= n && i <= left_a; i++)
            if (line_diff_is_same(diff, *a + i, *b + n - i) || (i == left_a && n - i == left_b)) {
                *a += i;
                *b += n - i;
                return;
            }
    *a += left_a;
    *b += left_b;
}

static void find_changes(struct diff *diff)
{
    size_t a = 0, b = 0;
    while (a < diff->texts[0].n || b < diff->texts[1].n) {
        if (line_diff_is_same(diff, a, b)) {
            a++;
            b++;
            continue;
        }
        struct change change = {.first = {a, b}};
        line_diff_pass(diff, &a, &b);
        change.end[0] = a;
        change.end[1] = b;
        diff->changes = mem_grow(diff->changes, &diff->capacity, diff->n_changes + 1, sizeof change);
        diff->changes[diff->n_changes++] = change;
    }
}

static void print_lines(const struct lines_of *text, size_t first, size_t end, const char *mark,
                        struct text *out)
{
    for (size_t i = first; i < end; i++) {
        const struct slice line = text->line[i];
        text_append(out, mark, 1);
        text_append(out, line.text, line.length);
        if (line.text[line.length - 1] != '\n')
            text_printf(out, "\n\\ No newline at end of file\n");
    }
}

/* FIRST,COUNT of a hunk; of no lines, the line that they are behind. */
static void line_diff_print_span(char mark, size_t first, size_t end, struct text *out)
{
    text_printf(out, " %c%zu,%zu", mark, first + (end > first), end - first);
}

/* Changes first .. end - 1 with the lines around them. */
static void print_hunk(const struct diff *diff, size_t first, size_t end, struct text *out)
{
    const struct change *begin = &diff->changes[first], *last = &diff->changes[end - 1];
    const size_t above = begin->first[0] < CONTEXT ? begin->first[0] : CONTEXT;
    const size_t left = diff->texts[0].n - last->end[0], below = left < CONTEXT ? left : CONTEXT;
    text_printf(out, "@@");
    line_diff_print_span('-', begin->first[0] - above, last->end[0] + below, out);
    line_diff_print_span('+', begin->first[1] - above, last->end[1] + below, out);
    text_printf(out, " @@\n");
    size_t at = begin->first[0] - above;
    for (const struct change *change = begin; change <= last; change++) {
        print_lines(&diff->texts[0], at, change->first[0], " ", out);
        print_lines(&diff->texts[0], change->first[0], change->end[0], "-", out);
        print_lines(&diff->texts[1], change->first[1], change->end[1], "+", out);
        at = change->end[0];
    }
    print_lines(&diff->texts[0], at, at + below, " ", out);
}

void line_diff(const char *path, struct slice before, struct slice after, struct text *out)
{
    struct diff diff = {.n_changes = 0};
    line_diff_split(before, &diff.texts[0]);
    line_diff_split(after, &diff.texts[1]);
    find_changes(&diff);
    for (size_t i = 0; i < 2 && diff.n_changes; i++) {
        text_printf(out, i ? "+++ " : "--- ");
        text_append_safe(out, path);
        text_append(out, "\n", 1);
    }
    for (size_t first = 0, end; first < diff.n_changes; first = end) {
        for (end = first + 1; end < diff.n_changes; end++)
            if (diff.changes[end].first[0] - diff.changes[end - 1].end[0] > 2 * CONTEXT)
                break;
        print_hunk(&diff, first, end, out);
    }
    free(diff.changes);
    free(diff.texts[0].line);
    free(diff.texts[1].line);
}
