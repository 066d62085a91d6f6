/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See wrap.h.
 */
#include "compiler/driver/wrap.h"

#include <string.h>

enum { WIDTH = 78 };

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
