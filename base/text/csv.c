/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See csv.h.
 */
#include "base/text/csv.h"

#include <string.h>
#include <strings.h>

void csv_split(const struct lines *lines, struct csv_row *row)
{
    const char *at = lines->start;
    row->n = 0;
    while (row->n < CSV_MAX_FIELDS) {
        const char *start = at;
        bool is_quoted = false;
        for (; at < lines->end && (is_quoted || *at != ','); at++)
            if (*at == '"')
                is_quoted = !is_quoted;
        struct slice field = slice_trim((struct slice){start, (size_t)(at - start)});
        if (field.length >= 2 && *field.text == '"' && field.text[field.length - 1] == '"')
            field = slice_trim((struct slice){field.text + 1, field.length - 2});
        row->field[row->n++] = field;
        if (at == lines->end)
            break;
        at++;
    }
}

uint32_t csv_find(const struct csv_row *head, const char *name)
{
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < head->n; i++)
        if (head->field[i].length == length && strncasecmp(head->field[i].text, name, length) == 0)
            return i;
    return CSV_MAX_FIELDS;
}

struct slice csv_get(const struct lines *lines, const struct csv_row *row, uint32_t column)
{
    return column < row->n ? row->field[column] : (struct slice){lines->end, 0};
}
