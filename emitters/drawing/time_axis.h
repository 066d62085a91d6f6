/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What SVG charts with time from left to right and rows from top to bottom have in common.
 */
#ifndef COLLC_EMITTERS_DRAWING_TIME_AXIS_H
#define COLLC_EMITTERS_DRAWING_TIME_AXIS_H

#include "base/memory.h"

struct time_axis {
    struct text *out;
    uint64_t end;     /* ns, at the right */
    uint32_t n_rows;
    double left, top, row; /* where rows begin, and how high one is */
};

/* Where a time is. */
double time_axis_place(const struct time_axis *axis, uint64_t time);
/* The <svg> with its title, and a vertical line at each of a few round times. */
void time_axis_begin(const struct time_axis *axis, const char *title);
/* How wide a word is, about. */
double time_axis_width(const char *word);
/* The name of a row, to the left of it. */
void time_axis_name(const struct time_axis *axis, uint32_t row, const char *name);
/* One entry of a legend in the line below the title: a field of a colour and a word, from `*x` on, which
 * goes on to the next. */
void time_axis_legend(const struct time_axis *axis, double *x, const char *colour, const char *word);
void time_axis_close(const struct time_axis *axis);

#endif
