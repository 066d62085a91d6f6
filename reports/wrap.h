/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text broken into lines for a terminal.
 */
#ifndef COLLC_REPORTS_WRAP_H
#define COLLC_REPORTS_WRAP_H

#include "base/memory.h"

/* Appends the words of `words` and a line break, in lines that end before column
 * 79; the first begins in `column`, where the caller stands, the others after
 * `indent` blanks. */
void text_wrap(struct text *out, const char *words, size_t column, size_t indent);

/* Column at which the words beside names begin: behind the longest one, but from `least` to 44. */
size_t wrap_column(size_t longest, size_t least);
/* Goes to the column of the line that began at byte `start`; of the next line where the name
 * on it is longer. */
void text_to_column(struct text *out, size_t start, size_t column);

#endif
