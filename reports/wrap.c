/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See wrap.h.
 */
#include "reports/wrap.h"

#include <string.h>

enum { WIDTH = 78, MAX_COLUMN = 44 };

void text_wrap(struct text *out, const char *words, size_t column, size_t indent)
{
    size_t start = column;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column > start && column + 1 + length > WIDTH) {
            text_printf(out, "\n%*s", (int)indent, "");
            column = start = indent;
        }
        if (column > start) {
            text_append(out, " ", 1);
            column++;
        }
        text_append(out, words, length);
        column += length;
        words += length + strspn(words + length, " ");
    }
    text_append(out, "\n", 1);
}

size_t wrap_column(size_t longest, size_t least)
{
    size_t column = longest + 1 < MAX_COLUMN ? longest + 1 : MAX_COLUMN;
    return column > least ? column : least;
}

void text_to_column(struct text *out, size_t start, size_t column)
{
    size_t length = out->length - start;
    if (length >= column)
        text_append(out, "\n", 1);
    text_printf(out, "%*s", (int)(length < column ? column - length : column), "");
}
