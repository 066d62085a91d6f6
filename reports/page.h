/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One page of HTML that needs nothing beside it: no script, no style sheet, no picture from elsewhere. It is
 * read in a browser, light or dark, and printed. The same input gives the same bytes.
 */
#ifndef COLLC_REPORTS_PAGE_H
#define COLLC_REPORTS_PAGE_H

#include "base/memory.h"

#include <stdbool.h>

struct page_section {
    const char *id, *title; /* of the link that leads there */
};

/* Begins the page with its title, a line below it, and links to its sections. */
void page_begin(struct text *out, const char *title, const char *line, bool is_good,
                const struct page_section *sections, size_t n);
void page_end(struct text *out, const char *made_by);

void page_open_section(struct text *out, const struct page_section *section);
void page_close_section(struct text *out);
/* Appends a section of lines; of no lines it says "None.". */
void page_section_of_lines(struct text *out, const struct page_section *section, const struct text *lines);
/* Appends a paragraph; text in the lines as they are; a picture, which is SVG from its <svg> on. */
void page_paragraph(struct text *out, const char *words);
void page_lines(struct text *out, const struct text *lines);
void page_picture(struct text *out, const struct text *svg, const char *label);

/* Appends a table. Of its columns the first is words, the others are figures. is_bad: [n] the cells to be
 * seen first; NULL: none. */
void page_open_table(struct text *out, const char *const *heads, size_t n);
void page_row(struct text *out, const char *const *cells, const bool *is_bad, size_t n);
void page_close_table(struct text *out);

#endif
