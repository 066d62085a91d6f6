/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program on its way into text: lines of the source with their comments and blank lines
 * (layout.c), and statements on them (print_statements.c). print.c has the header, and the order of
 * it all. A tree, whose parts are from several files, has no lines of a source: what is said of
 * them here is done for it where it makes sense, and left out elsewhere.
 */
#ifndef COLLC_LANGUAGE_LAYOUT_H
#define COLLC_LANGUAGE_LAYOUT_H

#include "compiler/language/frontend.h"

struct layout {
    const struct program *program;
    struct text *out;
    bool is_tree;       /* no lines of a source */
    const struct known_values *known; /* is_tree; or NULL */
    size_t start;       /* bytes in `out` before the program */
    size_t *line_start; /* [line - 1] offset; n_lines + 1 entries */
    uint32_t n_lines;
    uint32_t line;         /* of the source, which is printed */
    uint32_t next_comment; /* comments of lines before this one are printed */
};

/* Finds the lines, before the first one of a program that is printed as written; the owner frees
 * layout->line_start. */
void layout_find_lines(struct layout *layout);
/* Returns the line without blanks around it. */
const char *layout_line_text(const struct layout *layout, uint32_t line, size_t *length);
bool layout_is_comment_or_blank(const struct layout *layout, uint32_t line);

void layout_indent(struct layout *layout, uint32_t depth);
/* Prints the comment lines above `line`, which is printed next. */
void layout_comments(struct layout *layout, uint32_t line, uint32_t depth);
/* Begin and finish a line: comments and a blank line above it, the comment behind it. */
void layout_begin_line(struct layout *layout, uint32_t line, uint32_t depth);
void layout_finish_line(struct layout *layout, uint32_t line);
/* Continues the line for that one of the source, which may be the same. */
void layout_change_line(struct layout *layout, uint32_t line, uint32_t depth);

/* Prints words; and an expression behind them, with blanks around its operators or, tight, without. */
void layout_word(struct layout *layout, const char *word);
void layout_alone(struct layout *layout, const char *before, const struct expr *expr); /* loose, behind `=` */
void layout_loose(struct layout *layout, const char *before, const struct expr *expr);
void layout_tight(struct layout *layout, const char *before, const struct expr *expr);

/* Prints "buf[0 .. 3]", a rank, and statements one after the other (print_statements.c). */
void layout_chunks(struct layout *layout, const struct chunks *chunks);
void layout_target(struct layout *layout, const struct target *target);
void layout_statement(struct layout *layout, const struct statement *statement); /* its first line */
void layout_block(struct layout *layout, const struct statement *statement, uint32_t depth);

#endif
