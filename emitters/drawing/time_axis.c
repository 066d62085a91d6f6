/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See time_axis.h.
 */
#include "emitters/drawing/time_axis.h"

#include "emitters/drawing/draw.h"
#include "network/topology.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 1200, RIGHT = 1160, MAX_TICKS = 10, BELOW = 12, CHARACTER = 7, MARGIN = 8 };

double time_axis_place(const struct time_axis *axis, uint64_t time)
{
    return axis->left + (RIGHT - axis->left) * (double)time / (double)(axis->end ? axis->end : 1);
}

/* Returns the least of 1, 2, 5, 10, 20 ... ns that gives few enough ticks up to the end. */
static uint64_t tick_of(uint64_t end)
{
    static const uint64_t factor[] = {2, 5, 10};
    uint64_t power = 1, tick = 1;
    for (int i = 0; end / tick > MAX_TICKS; i = (i + 1) % 3) {
        tick = power * factor[i];
        power = i == 2 ? tick : power;
    }
    return tick;
}

void time_axis_begin(const struct time_axis *axis, const char *title)
{
    const double bottom = axis->top + axis->n_rows * axis->row;
    const double title_width = 1.25 * time_axis_width(title); /* its letters are larger */
    const uint64_t tick = tick_of(axis->end);
    text_printf(axis->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
                "fill=\"white\"/>\n<text x=\"%.0f\" y=\"20\" font-size=\"15\">",
                WIDTH, bottom + BELOW, axis->left + title_width < WIDTH ? axis->left : MARGIN);
    drawing_escape(title, axis->out);
    text_printf(axis->out, "</text>\n");
    for (uint64_t time = 0; time <= axis->end; time += tick) {
        text_printf(axis->out, "<path d=\"M%.2f %.0f V%.0f\" stroke=\"#ccc\"/>\n<text x=\"%.2f\" "
                               "y=\"%.0f\" text-anchor=\"middle\">",
                    time_axis_place(axis, time), axis->top, bottom, time_axis_place(axis, time),
                    axis->top - 6);
        topology_print_latency(time, axis->out);
        text_printf(axis->out, "</text>\n");
    }
}

double time_axis_width(const char *word)
{
    return (double)(strlen(word) * CHARACTER);
}

void time_axis_name(const struct time_axis *axis, uint32_t row, const char *name)
{
    text_printf(axis->out, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", axis->left - 8,
                axis->top + (row + 0.5) * axis->row + 4);
    drawing_escape(name, axis->out);
    text_printf(axis->out, "</text>\n");
}

void time_axis_legend(const struct time_axis *axis, double *x, const char *colour, const char *word)
{
    text_printf(axis->out, "<rect x=\"%.1f\" y=\"30\" width=\"12\" height=\"10\" fill=\"%s\"/>\n"
                           "<text x=\"%.1f\" y=\"39\">%s</text>\n",
                *x, colour, *x + 17, word);
    *x += 17 + time_axis_width(word) + 14;
}

void time_axis_close(const struct time_axis *axis)
{
    text_printf(axis->out, "</svg>\n");
}
