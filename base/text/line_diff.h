/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Difference of two texts as a unified diff, which patch(1) applies.
 */
#ifndef COLLC_BASE_TEXT_LINE_DIFF_H
#define COLLC_BASE_TEXT_LINE_DIFF_H

#include "base/text/slice.h"

/* Appends the hunks that turn `before` into `after`, below the name of the file; nothing if they are equal.
 * Linear in equal lines, quadratic in a run of lines that differ; a run of more than a thousand lines is not
 * taken apart. */
void line_diff(const char *path, struct slice before, struct slice after, struct text *out);

#endif
