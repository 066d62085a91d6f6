/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text broken into lines for a terminal.
 */
#ifndef COLLC_DRIVER_WRAP_H
#define COLLC_DRIVER_WRAP_H

#include "ir/memory.h"

/* Appends the words of `words` and a line break, in lines that end before column
 * 79; the first begins in `column`, where the caller stands, the others after
 * `indent` blanks. */
void text_wrap(struct text *out, const char *words, size_t column, size_t indent);

#endif
