/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by SVG charts with time from left to right and rows from top to bottom.
 */
#ifndef COLLC_EMITTERS_DRAWING_TIME_AXIS_H
#define COLLC_EMITTERS_DRAWING_TIME_AXIS_H

#include "base/memory.h"

struct time_axis {
    struct text *out;
    uint64_t end;     /* ns at the right */
    uint32_t n_rows;
    double left, top, row; /* pixels: corner of the rows, and height of one */
};

/* Returns the x coordinate of a time. */
double time_axis_place(const struct time_axis *axis, uint64_t time);
/* Writes the <svg> with its title, and a vertical line at each of a few round times. */
void time_axis_begin(const struct time_axis *axis, const char *title);
/* Returns the approximate width of a word. */
double time_axis_width(const char *word);
/* Writes the name of a row, to its left. */
void time_axis_name(const struct time_axis *axis, uint32_t row, const char *name);
/* Writes one entry of a legend in the line below the title, a field of a colour and a word, from `*x` on;
 * moves `*x` to the next. */
void time_axis_legend(const struct time_axis *axis, double *x, const char *colour, const char *word);
void time_axis_close(const struct time_axis *axis);

#endif
