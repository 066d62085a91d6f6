/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds a file's own text in what people keep of it: the log of a terminal, with colours, prompts and times
 * before the lines; a mail that quotes it; a page with it between ``` fences, or behind some prose.
 *
 * Lines keep their numbers: what does not belong to the text becomes an empty line.
 */
#ifndef COLLC_BASE_TEXT_EXCERPT_H
#define COLLC_BASE_TEXT_EXCERPT_H

#include "base/diagnostic.h"

/* Returns the text without sequences for terminals, prompts with their commands, and what stands before
 * every line or most lines: its number, a time, "> ", "host: ", "host program[12]: ", or blanks; with plain
 * quotes where all are typographic; the source itself if there is none of it. In the arena. O(length) */
const struct source *excerpt_clean(const struct source *source, struct arena *arena);

/* True if a line is a fence, ``` or ~~~. */
bool excerpt_has_fences(const struct source *source);

/* Returns the first part of the text that `is` knows: between fences, or from some line to the end, with the
 * indentation of its first line taken off. NULL if there is none; *line is the line where it begins. In the
 * arena. O(length), and the first 500 lines are asked about. */
const struct source *excerpt_find(const struct source *source, bool (*is)(const struct source *source),
                                  struct arena *arena, uint32_t *line);

#endif
