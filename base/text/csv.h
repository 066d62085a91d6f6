/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of comma-separated values with a first line of column names. A value may be in quotes, in which
 * commas are text; nothing goes over the end of a line.
 */
#ifndef COLLC_BASE_TEXT_CSV_H
#define COLLC_BASE_TEXT_CSV_H

#include "base/text/lines.h"

enum { CSV_MAX_FIELDS = 256 };

struct csv_row {
    struct slice field[CSV_MAX_FIELDS]; /* without quotes and blanks around */
    uint32_t n;                         /* fields beyond CSV_MAX_FIELDS are left out */
};

/* Splits the current line. */
void csv_split(const struct lines *lines, struct csv_row *row);
/* Returns the number of the column of that name, in any case, CSV_MAX_FIELDS if there is none. */
uint32_t csv_find(const struct csv_row *head, const char *name);
/* Returns the field of a column; length 0, at the end of the line, if the row is shorter. */
struct slice csv_get(const struct lines *lines, const struct csv_row *row, uint32_t column);

#endif
