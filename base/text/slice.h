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
/* By bytes; of two of which one starts with the other the shorter comes first. */
int slice_compare(struct slice a, struct slice b);
/* As people sort names: runs of digits count as numbers, node2 before node10. 0 for equal
 * slices only. */
int slice_compare_names(struct slice a, struct slice b);

/* The position of a slice of the source: O(offset), for errors only. */
struct position slice_position(const struct source *source, struct slice slice);

/* The text behind a byte order mark and blanks. */
const char *source_start(const struct source *source);
/* The path of a file that the source names: relative to the folder of the source. On the
 * heap. */
char *source_beside(const struct source *source, const char *path);

#endif
