/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See waivers.h. Each code of a comment is a waiver of its own, so that one that covers nothing is
 * reported by itself.
 */
#include "study/project/waivers.h"

#include "base/codes.h"
#include "base/text/lines.h"

#include <stdlib.h>
#include <string.h>

static const char opening[] = "collc:";

static struct diagnostic *waivers_refuse(struct lines *lines, const char *at, size_t length,
                                         const char *message)
{
    struct diagnostic *found = lines_fail(lines, CODE_K006, at, length ? length : 1, "%s", message);
    found->help = "write '# collc: allow CODE because REASON', with 'until YYYY-MM-DD' behind the code if it "
                  "is to end";
    return found;
}

static bool waivers_is_word(struct slice word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + text[1] - '0';
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap);
}

bool waiver_is_date(struct slice word)
{
    static const char form[] = "dddd-dd-dd";
    if (word.length != strlen(form))
        return false;
    for (size_t i = 0; i < word.length; i++)
        if (form[i] == 'd' ? !text_is_digit(word.text[i]) : word.text[i] != '-')
            return false;
    const int year = two_digits(word.text) * 100 + two_digits(word.text + 2);
    const int month = two_digits(word.text + 5), day = two_digits(word.text + 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

static void waivers_add(struct waivers *waivers, uint32_t code, uint32_t line, struct position position)
{
    waivers->items = mem_grow(waivers->items, &waivers->capacity, waivers->n + 1, sizeof *waivers->items);
    waivers->items[waivers->n++] = (struct waiver){.code = code, .line = line, .position = position};
}

/* True of a letter and digits: codes may stand behind each other without a comma. */
static bool is_like_code(struct slice word)
{
    return word.length > 1 && word.text[0] >= 'A' && word.text[0] <= 'Z' && text_is_digit(word.text[1]);
}

/* Reads "L001,H001". */
static bool waivers_read_codes(struct lines *lines, struct slice list, uint32_t line, struct waivers *waivers,
                               struct arena *arena)
{
    for (const char *at = list.text, *end = list.text + list.length; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t length = (size_t)((comma ? comma : end) - at);
        const uint32_t code = code_find(arena_strndup(arena, at, length));
        if (code == n_codes) {
            waivers_refuse(lines, at, length, "there is no such code");
            return false;
        }
        waivers_add(waivers, code, line, lines_position(lines, at, length));
        at += length + 1;
    }
    return true;
}

/* Reads the text behind "collc:" in a comment; `line` is the line that it covers, if known. */
static bool read_waiver(struct lines *lines, uint32_t line, const char *today, struct waivers *waivers,
                        struct arena *arena)
{
    const size_t first = waivers->n;
    struct slice word = lines_take_word(lines);
    if (!waivers_is_word(word, "allow")) {
        waivers_refuse(lines, word.text, word.length, "expected 'allow'");
        return false;
    }
    word = lines_take_word(lines);
    if (!word.length) {
        waivers_refuse(lines, word.text, 1, "a waiver names a code");
        return false;
    }
    do {
        if (!waivers_read_codes(lines, word, line, waivers, arena))
            return false;
        word = lines_take_word(lines);
    } while (is_like_code(word));
    if (waivers_is_word(word, "until")) {
        const struct slice date = lines_take_word(lines);
        if (!waiver_is_date(date)) {
            waivers_refuse(lines, date.text, date.length, "'until' takes a day that exists");
            return false;
        }
        for (size_t i = first; i < waivers->n; i++) {
            waivers->items[i].until = arena_strndup(arena, date.text, date.length);
            waivers->items[i].is_expired = strcmp(waivers->items[i].until, today) < 0;
        }
        word = lines_take_word(lines);
    }
    lines_skip_blanks(lines);
    if (waivers_is_word(word, "because") && !lines_at_end(lines))
        return true;
    waivers_refuse(lines, word.text, word.length, "a waiver says why: 'because ...'");
    return false;
}

/* Goes behind '#' and "collc:" of the current line; false if it has no such comment. */
static bool take_opening(struct lines *lines)
{
    const char *mark = memchr(lines->start, '#', (size_t)(lines->end - lines->start));
    if (!mark)
        return false;
    lines->at = mark + 1;
    lines_skip_blanks(lines);
    return lines_take_text(lines, opening);
}

bool waivers_read(const struct source *source, const char *today, struct waivers *waivers,
                  struct arena *arena, struct diagnostics *diagnostics)
{
    struct lines lines;
    size_t first_open = waivers->n; /* waivers from there on wait for a line to cover */
    lines_open(&lines, source, diagnostics);
    while (!lines.failed && lines_next(&lines)) {
        lines_skip_blanks(&lines);
        const bool is_statement = !lines_at_end(&lines) && *lines.at != '#';
        for (; is_statement && first_open < waivers->n; first_open++)
            waivers->items[first_open].line = lines.line;
        if (take_opening(&lines) &&
            !read_waiver(&lines, is_statement ? lines.line : 0, today, waivers, arena))
            return false;
        if (is_statement)
            first_open = waivers->n;
    }
    return !lines.failed;
}

struct waiver *waivers_find(const struct waivers *waivers, uint32_t code, const char *path, uint32_t line)
{
    for (size_t i = 0; line && i < waivers->n; i++) {
        struct waiver *waiver = &waivers->items[i];
        if (waiver->code == code && waiver->line == line && !waiver->is_expired && !waiver->of_project &&
            strcmp(waiver->position.source->path, path) == 0)
            return waiver;
    }
    return NULL;
}

void waivers_of_project(const struct project *project, const char *today, struct waivers *waivers)
{
    for (size_t i = 0; i < project->n_waivers; i++) {
        const struct project_waiver *from = &project->waivers[i];
        for (size_t k = 0; k < from->codes.n; k++) {
            waivers_add(waivers, code_find(from->codes.items[k].text), 0, from->codes.items[k].position);
            struct waiver *added = &waivers->items[waivers->n - 1];
            added->of_project = from;
            added->until = from->until.text;
            added->is_expired = added->until && strcmp(added->until, today) < 0;
        }
    }
}

struct waiver *waivers_find_in_cell(const struct waivers *waivers, uint32_t code,
                                    const struct project_cell *cell)
{
    for (size_t i = 0; i < waivers->n; i++) {
        struct waiver *waiver = &waivers->items[i];
        if (waiver->of_project && waiver->code == code && !waiver->is_expired &&
            project_waiver_covers(waiver->of_project, cell))
            return waiver;
    }
    return NULL;
}

void waivers_free(struct waivers *waivers)
{
    free(waivers->items);
    *waivers = (struct waivers){0};
}
