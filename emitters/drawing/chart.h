/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chart of times against sizes as SVG: both axes logarithmic, a polyline for each series, marks at the
 * sizes from which another series is the fastest. The same input gives the same bytes.
 */
#ifndef COLLC_EMITTERS_DRAWING_CHART_H
#define COLLC_EMITTERS_DRAWING_CHART_H

#include "base/memory.h"

struct chart_series {
    const char *name;
    const uint64_t *times; /* [size], ns; 0 is drawn as 1 */
    bool is_best;          /* the fastest for some size while others are not: a bolder line and name */
};

struct chart_mark {
    uint64_t size, time;
    const char *name; /* name of the fastest series from there, shown under the pointer */
};

struct chart {
    const char *title;
    const char *x_label;   /* below the axis of sizes */
    const uint64_t *sizes; /* ascending, in bytes; 0 is drawn left of 1 */
    size_t n_sizes;
    bool has_sizes;        /* false: the data have no sizes, and the axis no ticks */
    const struct chart_series *series;
    size_t n_series;
    const struct chart_mark *marks;
    size_t n_marks;
};

/* Appends the chart. Requires at least one size. */
void chart_svg(const struct chart *chart, struct text *out);

#endif
