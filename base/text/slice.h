/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pieces of a text, which are not NUL-terminated, and where they stand in their source.
 */
#ifndef COLLC_BASE_TEXT_SLICE_H
#define COLLC_BASE_TEXT_SLICE_H

#include "base/diagnostic.h"

#include <string.h>

struct slice {
    const char *text;
    size_t length;
};

static inline struct slice slice_of(const char *text)
{
    return (struct slice){text, strlen(text)};
}
static inline bool slice_is(struct slice slice, const char *text)
{
    return strlen(text) == slice.length && memcmp(text, slice.text, slice.length) == 0;
}
static inline bool slice_starts(struct slice slice, const char *prefix)
{
    size_t length = strlen(prefix);
    return slice.length >= length && memcmp(slice.text, prefix, length) == 0;
}
/* True for blank, tab, carriage return and line end. */
static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
static inline bool text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline void slice_skip_blanks(struct slice *rest)
{
    for (; rest->length && text_is_blank(*rest->text); rest->length--)
        rest->text++;
}
/* Takes off the front: blanks and the word behind them, of length 0 at the end ... */
struct slice slice_take_word(struct slice *rest);
/* ... or the text before `stop`, and that; all of it if there is none. */
struct slice slice_take_until(struct slice *rest, char stop);
/* Returns the slice without blanks at its ends. */
struct slice slice_trim(struct slice slice);
/* Returns the slice without the quotes around it, "" or '', if it has them. */
struct slice slice_unquoted(struct slice slice);
/* Compares by bytes; a slice that another one begins with comes before that one. */
int slice_compare(struct slice a, struct slice b);
/* Compares as people sort names: runs of digits count as numbers, node2 before node10. 0 for equal slices
 * only. */
int slice_compare_names(struct slice a, struct slice b);

/* Returns the position of a slice of the source: O(offset), for errors only. */
struct position slice_position(const struct source *source, struct slice slice);

/* Returns the text behind a byte order mark and blanks. */
const char *source_start(const struct source *source);
/* Returns the path of a file that the source names: relative to the folder of the source. On the heap. */
char *source_beside(const struct source *source, const char *path);

#endif
