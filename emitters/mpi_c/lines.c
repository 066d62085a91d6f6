/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Breaks long lines of emitted C: a statement where it is nested least, and there at the operator that
 * binds least; the continuation is aligned below its part.
 */
#include "emitters/mpi_c/mpi_c.h"

#include <string.h>

enum { MAX_COLUMN = 100, MAX_NESTED = 64, LATEST_HANG = 72 };

/* Returns how tightly the operator before a blank binds, the least first; 0: no place to break. */
static int binding(const char *blank)
{
    static const struct {
        char end[4];
        int binding;
    } before[] = {{";", 1},   {",", 2},   {" ||", 4}, {" &&", 5}, {" ==", 6}, {" !=", 6}, {" <", 7},
                  {" <=", 7}, {" >", 7},  {" >=", 7}, {" +", 8},  {" -", 8},  {" *", 9}};
    if (strncmp(blank, " ? ", 3) == 0 || strncmp(blank, " : ", 3) == 0)
        return 3; /* these begin a line */
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(blank - strlen(before[i].end), before[i].end, strlen(before[i].end)) == 0)
            return before[i].binding;
    return 0;
}

struct cut {
    size_t at;     /* the blank that becomes the end of the line */
    size_t column; /* begin of the next line */
    int depth, binding;
};

/* State of breaking one statement into lines. */
struct breaking {
    size_t hang[MAX_NESTED]; /* column within the parentheses of each depth; 0: the statement */
    int depth;
};

/* Follows the text from `column` on. Returns the best place to break it before the limit. */
static struct cut best_cut(struct breaking *breaking, const char *text, size_t column,
                               size_t indent)
{
    struct cut best = {0};
    struct breaking at_best = *breaking;
    for (size_t i = 0; text[i] && column + i < MAX_COLUMN + 1; i++) {
        if (text[i] == '(' && breaking->depth + 1 < MAX_NESTED)
            breaking->hang[++breaking->depth] = column + i + 1;
        else if (text[i] == ')' && breaking->depth > 0)
            breaking->depth--;
        const int now = text[i] == ' ' && i > 3 ? binding(text + i) : 0;
        const size_t hang = breaking->hang[breaking->depth];
        if (!now || (best.at && (breaking->depth > best.depth ||
                                 (breaking->depth == best.depth && now > best.binding))))
            continue;
        best = (struct cut){i, hang > LATEST_HANG ? indent + 8 : hang, breaking->depth, now};
        at_best = *breaking;
    }
    *breaking = at_best;
    return best;
}

void c_line(size_t indent, const char *text, struct text *out)
{
    const char *sign = strstr(text, " = ");
    const char *open = strchr(text, '(');
    const bool is_set = sign && (!open || sign < open);
    struct breaking breaking = {.hang = {indent + (is_set ? (size_t)(sign - text) + 3 : 4)}};
    size_t column = indent;
    if (strncmp(text, "return ", 7) == 0)
        breaking.hang[0] = indent + 7;
    for (;;) {
        text_printf(out, "%*s", (int)column, "");
        if (column + strlen(text) <= MAX_COLUMN)
            break;
        const struct cut cut = best_cut(&breaking, text, column, indent);
        if (cut.at == 0)
            break;
        text_append(out, text, cut.at);
        text_printf(out, "\n");
        text += cut.at + 1;
        column = cut.column;
    }
    text_printf(out, "%s\n", text);
}
