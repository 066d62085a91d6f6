/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A cursor over the lines of a subnet's text dumps, for the readers of tables:
 * every take_* moves past what it takes, or stays where it is and says false.
 */
#ifndef COLLC_BASE_TEXT_LINES_H
#define COLLC_BASE_TEXT_LINES_H

#include "base/text/units.h"

#include <string.h>

struct lines {
    const struct source *source;
    struct diagnostics *diagnostics;
    const char *start, *at, *end; /* of the current line, and where we are in it */
    const char *next;             /* where the next line starts */
    uint32_t line;
    bool failed;
    bool is_passing; /* the text goes before reports are printed: positions keep their line */
};

void lines_open(struct lines *lines, const struct source *source,
                struct diagnostics *diagnostics);
/* Advances to the next line, without its end; false after the last. */
bool lines_next(struct lines *lines);
/* Reports at `length` bytes from `at` in the current line; sets failed. */
struct diagnostic *lines_fail(struct lines *lines, uint32_t code, const char *at, size_t length,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Reports from here to the end of the line. */
struct diagnostic *lines_fail_here(struct lines *lines, uint32_t code, const char *message);
/* Returns a position in the current line. */
struct position lines_position(const struct lines *lines, const char *at, size_t length);

static inline void lines_skip_blanks(struct lines *lines)
{
    while (lines->at < lines->end && (*lines->at == ' ' || *lines->at == '\t'))
        lines->at++;
}
static inline bool lines_at_end(const struct lines *lines)
{
    return lines->at == lines->end;
}
static inline bool lines_starts(const struct lines *lines, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(lines->end - lines->at) >= length && memcmp(lines->at, prefix, length) == 0;
}
static inline struct slice lines_rest(const struct lines *lines)
{
    return (struct slice){lines->at, (size_t)(lines->end - lines->at)};
}
bool lines_take_text(struct lines *lines, const char *text);
/* Takes blanks and the word behind them, of length 0 at the end of the line. */
struct slice lines_take_word(struct lines *lines);
/* Takes the text between the next quote of the line and the one after it. */
bool lines_take_quoted(struct lines *lines, struct slice *slice);
/* Takes "0x..." of up to 16 digits. */
bool lines_take_hexadecimal(struct lines *lines, uint64_t *value);
/* Takes up to 9 digits. */
bool lines_take_decimal(struct lines *lines, uint32_t *value);
/* Finds a text in the rest of the line and moves behind it. */
bool lines_take_after(struct lines *lines, const char *text);

#endif
