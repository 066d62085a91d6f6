/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws charts as SVG. See chart.h. The colours are those of Okabe & Ito (2008), which any kind of colour
 * vision can tell apart; series of the same colour differ in dashes, and the legend stands beside the
 * ends of the lines in their order.
 */
#include "emitters/drawing/chart.h"

#include "base/diagnostic.h"
#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, HEIGHT = 560, LEFT = 80, RIGHT = 710, TOP = 50, BOTTOM = 500,
       LEGEND_LINE = 20, LETTER_HEIGHT = 14 };
/* Widths of a character in pixels; most are narrower, but the renderer's are unknown. */
enum { LEGEND_CHARACTER = 8, TITLE_CHARACTER = 10 };

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#000000", "#E69F00", "#56B4E9"};
static const char *const dashes[] = {"", "8 4", "2 3", "10 3 2 3"};
enum { N_COLOURS = sizeof colours / sizeof *colours, N_DASHES = sizeof dashes / sizeof *dashes };

/* Maps a value to a coordinate. */
struct axis {
    double low, high; /* logarithms */
    double from, to;  /* coordinates */
};

struct frame {
    const struct chart *chart;
    struct text *out;
    struct axis x, y; /* sizes: powers of two; times: powers of ten */
};

static double logarithm(uint64_t value)
{
    return log2((double)(value ? value : 1));
}

/* Returns the logarithm of a size; 0 has a place of its own, left of 1. */
static double size_logarithm(uint64_t size)
{
    return size ? logarithm(size) : -1;
}

static double chart_place(const struct axis *axis, double log)
{
    return axis->from + (axis->to - axis->from) * (log - axis->low) / (axis->high - axis->low);
}

static void append_escaped(struct text *out, const char *words)
{
    struct text safe = {0};
    text_append_safe(&safe, words);
    for (const char *c = safe.data ? safe.data : ""; *c; c++) {
        const char *entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : NULL;
        text_append(out, entity ? entity : c, entity ? strlen(entity) : 1);
    }
    text_free(&safe);
}

/* Finds the least and the greatest time. */
static void chart_find_times(const struct chart *chart, uint64_t *least, uint64_t *most)
{
    *least = UINT64_MAX;
    *most = 1;
    for (size_t s = 0; s < chart->n_series; s++)
        for (size_t i = 0; i < chart->n_sizes; i++) {
            uint64_t time = chart->series[s].times[i];
            *least = time < *least ? time : *least;
            *most = time > *most ? time : *most;
        }
    if (*least > *most)
        *least = *most;
}

/* Sets the axes to whole decades around the times, at least one. */
static void set_axes(struct frame *frame)
{
    const struct chart *chart = frame->chart;
    const double decade = log2(10);
    uint64_t least, most;
    chart_find_times(chart, &least, &most);
    double low = floor(logarithm(least) / decade + 1e-9);
    double high = ceil(logarithm(most) / decade - 1e-9);
    frame->y = (struct axis){low * decade, (high > low ? high : low + 1) * decade, BOTTOM, TOP};
    double first = size_logarithm(chart->sizes[0]);
    double last = size_logarithm(chart->sizes[chart->n_sizes - 1]);
    frame->x = (struct axis){first, last > first ? last : first + 1, LEFT, RIGHT};
}

static void chart_draw_line(struct frame *frame, double x1, double y1, double x2, double y2,
                            const char *class)
{
    text_printf(frame->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                class, x1, y1, x2, y2);
}

static void draw_words(struct frame *frame, double x, double y, const char *class, const char *words)
{
    text_printf(frame->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    append_escaped(frame->out, words);
    text_printf(frame->out, "</text>\n");
}

/* Draws a tick at every power of two that leaves room for its label, and at 0. */
static void draw_size_ticks(struct frame *frame)
{
    int first = (int)ceil(frame->x.low - 1e-9), last = (int)floor(frame->x.high + 1e-9);
    int by = 1;
    last = last < 64 ? last : 63; /* the logarithm of the greatest size is 64, rounded */
    while ((last - first) / by > 10)
        by++;
    for (int power = first; power <= last; power += by) {
        double x = chart_place(&frame->x, power);
        struct text label = {0};
        print_size(power < 0 ? 0 : UINT64_C(1) << power, &label);
        chart_draw_line(frame, x, TOP, x, BOTTOM, "grid");
        draw_words(frame, x, BOTTOM + 18, "middle", label.data);
        text_free(&label);
    }
}

static void print_decade(int decade, struct text *label)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    static const char *const digits[] = {"1", "10", "100"};
    if (decade < 12)
        text_printf(label, "%s %s", digits[decade % 3], units[decade / 3]);
    else
        text_printf(label, "1e%d s", decade - 9);
}

static void draw_time_ticks(struct frame *frame)
{
    const double decade = log2(10);
    int first = (int)lround(frame->y.low / decade), last = (int)lround(frame->y.high / decade);
    for (int power = first; power <= last; power++) {
        double y = chart_place(&frame->y, power * decade);
        struct text label = {0};
        print_decade(power, &label);
        chart_draw_line(frame, LEFT, y, RIGHT, y, "grid");
        draw_words(frame, LEFT - 8, y + 4, "end", label.data);
        text_free(&label);
    }
}

static void draw_stroke(struct text *out, size_t series)
{
    const char *dash = dashes[series / N_COLOURS % N_DASHES];
    text_printf(out, " stroke=\"%s\"", colours[series % N_COLOURS]);
    if (*dash)
        text_printf(out, " stroke-dasharray=\"%s\"", dash);
}

static const char *line_class(const struct frame *frame, size_t series)
{
    return frame->chart->series[series].is_best ? "series best" : "series";
}

static void draw_series(struct frame *frame, size_t series)
{
    const struct chart *chart = frame->chart;
    text_printf(frame->out, "<polyline class=\"%s\"", line_class(frame, series));
    draw_stroke(frame->out, series);
    text_printf(frame->out, " points=\"");
    /* A single point twice: a line of no length, drawn as a dot. */
    for (size_t i = 0; i < chart->n_sizes + (chart->n_sizes == 1); i++) {
        size_t at = i < chart->n_sizes ? i : 0;
        text_printf(frame->out, "%s%.1f,%.1f", i ? " " : "",
                    chart_place(&frame->x, size_logarithm(chart->sizes[at])),
                    chart_place(&frame->y, logarithm(chart->series[series].times[at])));
    }
    text_printf(frame->out, "\"/>\n");
}

/* Draws the marks, each with its size upwards along its line if the mark before leaves room. */
static void draw_marks(struct frame *frame)
{
    double last = LEFT;
    for (size_t i = 0; i < frame->chart->n_marks; i++) {
        const struct chart_mark *mark = &frame->chart->marks[i];
        double x = chart_place(&frame->x, size_logarithm(mark->size));
        double y = chart_place(&frame->y, logarithm(mark->time));
        struct text label = {0}, rough = {0};
        print_size(mark->size, &label);
        print_size_roughly(mark->size, &rough);
        chart_draw_line(frame, x, y, x, BOTTOM, "mark");
        text_printf(frame->out, "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>", x, y);
        append_escaped(frame->out, mark->name);
        text_printf(frame->out, " from %s</title></circle>\n", label.data);
        if (x - last >= LETTER_HEIGHT) {
            text_printf(frame->out,
                        "<text class=\"halo\" transform=\"translate(%.1f,%d) rotate(-90)\">%s</text>\n", x - 4,
                        BOTTOM - 6, rough.data);
            last = x;
        }
        text_free(&rough);
        text_free(&label);
    }
}

/* Returns the series from top to bottom, as their lines end at the right. */
static size_t *order_of_ends(const struct chart *chart)
{
    size_t *order = mem_alloc(chart->n_series + 1, sizeof *order), last = chart->n_sizes - 1;
    for (size_t s = 0; s < chart->n_series; s++) {
        size_t at = s;
        for (; at > 0 && chart->series[order[at - 1]].times[last] < chart->series[s].times[last]; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
    return order;
}

static void draw_legend(struct frame *frame)
{
    size_t *order = order_of_ends(frame->chart);
    for (size_t i = 0; i < frame->chart->n_series; i++) {
        double y = TOP + 10 + (double)i * LEGEND_LINE;
        text_printf(frame->out, "<polyline class=\"%s\"", line_class(frame, order[i]));
        draw_stroke(frame->out, order[i]);
        text_printf(frame->out, " points=\"%d,%.1f %d,%.1f\"/>\n", RIGHT + 20, y, RIGHT + 56, y);
        draw_words(frame, RIGHT + 64, y + 4,
                   frame->chart->series[order[i]].is_best ? "start strong" : "start",
                   frame->chart->series[order[i]].name);
    }
    if (frame->chart->n_marks) {
        double y = TOP + 10 + (double)frame->chart->n_series * LEGEND_LINE;
        text_printf(frame->out, "<circle class=\"mark\" cx=\"%d\" cy=\"%.1f\" r=\"5\"/>\n", RIGHT + 38, y);
        draw_words(frame, RIGHT + 64, y + 4, "start", "another one is best from here");
    }
    free(order);
}

static const char style[] =
    "<style>text{font:13px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}"
    ".middle{text-anchor:middle}.end{text-anchor:end}.halo{paint-order:stroke;stroke:#fff;stroke-width:4}"
    ".strong{font-weight:bold}.grid{stroke:#ddd;stroke-width:1}"
    ".series{fill:none;stroke-width:2.4;stroke-linejoin:round;stroke-linecap:round}"
    ".best{stroke-width:4.4}"
    "line.mark{stroke:#555;stroke-width:1;stroke-dasharray:3 3}"
    "circle.mark{fill:#fff;stroke:#222;stroke-width:1.6}</style>\n";

/* Returns the width with which neither a name nor the title is cut off. */
static size_t chart_width_of(const struct chart *chart)
{
    size_t width = LEFT + strlen(chart->title) * TITLE_CHARACTER;
    for (size_t s = 0; s < chart->n_series; s++) {
        size_t end = RIGHT + 64 + (strlen(chart->series[s].name) + 1) * LEGEND_CHARACTER;
        width = end > width ? end : width;
    }
    return width > WIDTH ? width : WIDTH;
}

void chart_svg(const struct chart *chart, struct text *out)
{
    struct frame frame = {.chart = chart, .out = out};
    size_t legend = (chart->n_series + 2) * LEGEND_LINE + TOP;
    size_t height = legend > HEIGHT ? legend : HEIGHT, width = chart_width_of(chart);
    set_axes(&frame);
    text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                     "viewBox=\"0 0 %zu %zu\" role=\"img\">\n<title>", width, height, width, height);
    append_escaped(out, chart->title);
    text_printf(out, "</title>\n%s<rect width=\"%zu\" height=\"%zu\" fill=\"#fff\"/>\n", style, width,
                height);
    draw_words(&frame, LEFT, 28, "title", chart->title);
    if (chart->has_sizes)
        draw_size_ticks(&frame);
    draw_words(&frame, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", chart->x_label);
    draw_time_ticks(&frame);
    for (size_t s = 0; s < chart->n_series; s++)
        draw_series(&frame, s);
    draw_marks(&frame);
    draw_legend(&frame);
    text_printf(out, "</svg>\n");
}
