/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Diagnostics as text, in the shape that editors know:
 *
 *   ring.coll:4:10: error: unknown name 'q' [E003]
 *       4 |     send in[q] to r+1
 *         |             ^
 *         = help: did you mean 'p'?
 */
#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN_COLUMNS = 160, MAX_SHOWN_LINES = 8 };

const char *const severity_names[] = {"note", "warning", "error"};
static const char *const severity_colour[] = {"\033[36m", "\033[35m", "\033[31m"};

static const char *line_start(const struct source *source, uint32_t line)
{
    const char *start = source->text;
    for (uint32_t n = source->first_line ? source->first_line : 1; n < line; n++) {
        start = memchr(start, '\n', (size_t)(source->text + source->length - start));
        if (!start)
            return NULL;
        start++;
    }
    return start;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the bytes of the UTF-8 sequence that starts at text[0]; 0 if it is cut short or none. */
static size_t sequence_length(const char *text, size_t available)
{
    unsigned char lead = (unsigned char)text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if (i >= available || !is_continuation(text[i]))
            return 0;
    return lead < 0xf5 ? length : 0;
}

/* Input may hold anything. Control characters (also those of two bytes, U+0080 to
 * U+009F) would move the cursor or hide text, and what is no UTF-8 upsets whoever
 * reads the message: shown as '?'. Tabs become one blank, so that the caret
 * stands below its column. */
static void print_safe(const char *line, size_t length, struct text *out)
{
    for (size_t i = 0, n; i < length; i += n ? n : 1) {
        n = sequence_length(line + i, length - i);
        unsigned char c = (unsigned char)line[i];
        bool is_control = c < 0x20 || c == 0x7f || (n == 2 && c == 0xc2 && (unsigned char)line[i + 1] < 0xa0);
        if (n && !is_control)
            text_append(out, line + i, n);
        else
            text_append(out, c == '\t' ? " " : "?", 1);
    }
}

void text_append_safe(struct text *text, const char *words)
{
    print_safe(words, strlen(words), text);
}

static void diagnostic_print_header(const struct position *position, struct text *out)
{
    if (!position->source)
        return;
    text_append_safe(out, position->source->path);
    text_append(out, ":", 1);
    if (position->line)
        text_printf(out, "%u:%u:", position->line, position->column);
    text_append(out, " ", 1);
}

static void print_caret(const char *line, size_t length, const struct position *position,
                        struct text *out)
{
    size_t column = position->column - 1, end = column + position->length;
    text_printf(out, "      | ");
    for (size_t i = 0; i < column && i < length; i++)
        if (!is_continuation(line[i]))
            text_append(out, " ", 1);
    text_append(out, "^", 1);
    for (size_t i = column + 1; i < end && i < length; i++)
        if (!is_continuation(line[i]))
            text_append(out, "~", 1);
    text_append(out, "\n", 1);
}

static void diagnostic_print_line(const struct position *position, struct text *out)
{
    if (!position->source || !position->line)
        return;
    const char *line = line_start(position->source, position->line);
    if (!line)
        return;
    const char *end = position->source->text + position->source->length;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t length = (size_t)((newline ? newline : end) - line);
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (position->column > length + 1 || position->column > MAX_SHOWN_COLUMNS)
        return;
    if (length > MAX_SHOWN_COLUMNS)
        for (length = MAX_SHOWN_COLUMNS; length > 0 && is_continuation(line[length]);)
            length--;
    text_printf(out, "%5u | ", position->line);
    print_safe(line, length, out);
    text_append(out, "\n", 1);
    print_caret(line, length, position, out);
}

/* True for codes of results: findings of the verifier's rules, and changes of a fabric. */
static bool is_result(uint32_t code)
{
    return code_table[code].is_rule || strcmp(code_table[code].family, "fabric") == 0;
}

/* An error of the input says how to mend it; if its reporter does not, the page of
 * its code does. A result needs no mending of the input. */
static void print_help(const struct diagnostic *diagnostic, struct text *out)
{
    bool is_input_error = diagnostic->severity == SEVERITY_ERROR && !is_result(diagnostic->code);
    if (diagnostic->help) {
        text_printf(out, "      = help: ");
        text_append_safe(out, diagnostic->help);
        text_append(out, "\n", 1);
    } else if (is_input_error) {
        text_printf(out, "      = help: see 'collc explain %s'\n",
                    code_table[diagnostic->code].id);
    }
}

/* A diagnostic that is printed, and those like it that are not. */
struct shown {
    const struct diagnostic *first;
    uint64_t n_more;
    uint32_t lines[MAX_SHOWN_LINES + 1]; /* of these, without that of the first */
    size_t n_lines;
};

static void print_more(const struct shown *shown, struct text *out)
{
    if (!shown->n_more)
        return;
    text_printf(out, "      = and %llu more like this", (unsigned long long)shown->n_more);
    for (size_t i = 0; i < shown->n_lines && i < MAX_SHOWN_LINES; i++)
        text_printf(out, "%s%u", i ? ", " : shown->n_lines > 1 ? ", in lines " : ", in line ", shown->lines[i]);
    text_printf(out, "%s\n", shown->n_lines > MAX_SHOWN_LINES ? " ..." : "");
}

static void print_diagnostic(const struct shown *shown, bool with_line, bool with_help,
                             struct text *out, bool colour)
{
    const struct diagnostic *diagnostic = shown->first;
    const char *reset = colour ? "\033[0m" : "";
    diagnostic_print_header(&diagnostic->position, out);
    text_printf(out, "%s%s:%s ", colour ? severity_colour[diagnostic->severity] : "",
                severity_names[diagnostic->severity], reset);
    text_append_safe(out, diagnostic->message);
    text_printf(out, " [%s]\n", code_table[diagnostic->code].id);
    if (with_line)
        diagnostic_print_line(&diagnostic->position, out);
    if (diagnostic->related_text) {
        diagnostic_print_header(&diagnostic->related, out);
        text_append(out, "note: ", 6);
        text_append_safe(out, diagnostic->related_text);
        text_append(out, "\n", 1);
        diagnostic_print_line(&diagnostic->related, out);
    }
    print_more(shown, out);
    if (with_help)
        print_help(diagnostic, out);
}

/* Many links are loaded by one line: it is shown once. */
static bool is_line_new(const struct shown *shown, size_t i)
{
    return i == 0 || !shown[i].first->is_measured ||
           shown[i].first->position.line != shown[i - 1].first->position.line ||
           shown[i].first->position.source != shown[i - 1].first->position.source;
}

/* Findings come in numbers: what is said to all of one code is said to the first. */
static bool is_help_new(const struct shown *shown, size_t i)
{
    const struct diagnostic *here = shown[i].first;
    if (!here->help || !code_table[here->code].is_rule)
        return true;
    while (i-- > 0)
        if (shown[i].first->code == here->code && shown[i].first->help &&
            strcmp(shown[i].first->help, here->help) == 0)
            return false;
    return true;
}

/* ---- one finding for each cause ---- */

/* True for what a reader of files says of a line: of a program, which a person writes, only of signs. */
static bool is_of_reader(const struct diagnostic *d)
{
    static const char *const families[] = {"schedule", "topology", "placement", "tuning", "project"};
    bool is_one = d->code == CODE_E001;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        is_one = is_one || strcmp(code_table[d->code].family, families[i]) == 0;
    return is_one && d->position.line && !d->is_measured;
}

/* Returns the text behind what differs between messages of one sort: a number, or words in quotes. */
static const char *skip_value(const char *text)
{
    const char *quote = *text == '\'' ? strchr(text + 1, '\'') : NULL;
    const size_t digits = strspn(text, "0123456789");
    return quote ? quote + 1 : text + digits;
}

static bool is_same_sort(const char *a, const char *b)
{
    for (const char *next_a, *next_b; *a && *b; a = next_a, b = next_b) {
        next_a = skip_value(a);
        next_b = skip_value(b);
        if ((next_a == a) != (next_b == b) || (next_a == a && *a != *b))
            return false;
        next_a += next_a == a;
        next_b += next_b == b;
    }
    return *a == *b;
}

enum likeness { UNLIKE, OF_ONE_SORT, ALIKE };

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static enum likeness diagnostic_compare(const struct diagnostic *a, const struct diagnostic *b)
{
    if (a->code != b->code || a->severity != b->severity || a->position.source != b->position.source ||
        !is_of_reader(a) || !is_of_reader(b) || !is_same_text(a->help, b->help) ||
        !is_same_text(a->related_text, b->related_text) || a->related.line != b->related.line)
        return UNLIKE;
    return strcmp(a->message, b->message) == 0 ? ALIKE
           : is_same_sort(a->message, b->message) ? OF_ONE_SORT
                                                  : UNLIKE;
}

static void shown_add(struct shown *shown, const struct diagnostic *d)
{
    const uint32_t last = shown->n_lines ? shown->lines[shown->n_lines - 1] : shown->first->position.line;
    shown->n_more += 1 + d->n_more;
    if (d->position.line != last && shown->n_lines <= MAX_SHOWN_LINES)
        shown->lines[shown->n_lines++] = d->position.line;
}

/* Joins what says the same of other lines of a file, and what says the same of other words or numbers if
 * that comes more than MOST_OF_SORT times. Returns how many are left of n sorted ones. O(n^2), so more than
 * MOST_JOINED are listed as they are. */
static size_t diagnostic_join_alike(const struct diagnostic **sorted, size_t n, struct shown *shown)
{
    enum { MOST_OF_SORT = 3, MOST_JOINED = 4096 };
    size_t n_shown = 0;
    for (size_t i = 0; i < n; i++) {
        size_t n_of_sort = 1;
        if (!sorted[i])
            continue;
        struct shown *own = &shown[n_shown++];
        *own = (struct shown){.first = sorted[i], .n_more = sorted[i]->n_more};
        if (!is_of_reader(own->first) || n > MOST_JOINED)
            continue;
        for (size_t j = i + 1; j < n; j++)
            n_of_sort += sorted[j] && diagnostic_compare(own->first, sorted[j]) != UNLIKE;
        const enum likeness least = n_of_sort > MOST_OF_SORT ? OF_ONE_SORT : ALIKE;
        for (size_t j = i + 1; j < n && n_of_sort > 1; j++)
            if (sorted[j] && diagnostic_compare(own->first, sorted[j]) >= least) {
                shown_add(own, sorted[j]);
                sorted[j] = NULL;
            }
    }
    return n_shown;
}

static int compare_diagnostics(const void *a, const void *b)
{
    const struct diagnostic *x = *(const struct diagnostic *const *)a;
    const struct diagnostic *y = *(const struct diagnostic *const *)b;
    const char *path_x = x->position.source ? x->position.source->path : "";
    const char *path_y = y->position.source ? y->position.source->path : "";
    int order = strcmp(path_x, path_y);
    if (order)
        return order;
    if (x->is_measured || y->is_measured) {
        if (x->is_measured != y->is_measured)
            return x->is_measured ? 1 : -1;
        return x->order < y->order ? -1 : x->order > y->order;
    }
    if (x->position.line != y->position.line)
        return x->position.line < y->position.line ? -1 : 1;
    if (x->position.column != y->position.column)
        return x->position.column < y->position.column ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Prints how many diagnostics of each code were neither kept nor joined to a kept one. */
static void print_counts(const struct diagnostics *diagnostics, struct text *out)
{
    uint64_t n_left[MAX_CODES];
    memcpy(n_left, diagnostics->n_of_code, sizeof n_left);
    for (const struct diagnostic *d = diagnostics->first; d; d = d->next)
        n_left[d->code] -= 1 + d->n_more;
    for (uint32_t code = 0; code < n_codes; code++)
        if (n_left[code])
            text_printf(out, "note: %llu more of %s: %s%s%s\n", (unsigned long long)n_left[code],
                        code_table[code].id, code_table[code].title,
                        diagnostics->how_to_see_more ? "; " : "",
                        diagnostics->how_to_see_more ? diagnostics->how_to_see_more : "");
}

void diagnostics_print(const struct diagnostics *diagnostics, struct text *out, bool colour)
{
    size_t n = 0;
    for (const struct diagnostic *d = diagnostics->first; d; d = d->next)
        n++;
    const struct diagnostic **sorted = mem_alloc(n, sizeof *sorted);
    n = 0;
    for (const struct diagnostic *d = diagnostics->first; d; d = d->next)
        sorted[n++] = d;
    qsort(sorted, n, sizeof *sorted, compare_diagnostics);
    struct shown *shown = mem_alloc(n, sizeof *shown);
    n = diagnostic_join_alike(sorted, n, shown);
    for (size_t i = 0; i < n; i++)
        print_diagnostic(&shown[i], is_line_new(shown, i), is_help_new(shown, i), out, colour);
    print_counts(diagnostics, out);
    free(shown);
    free(sorted);
}
