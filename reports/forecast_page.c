/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forecast as one page (reports/page.h): which algorithm is best at which sizes, the chart, and the report.
 */
#include "base/quantity.h"
#include "reports/forecast_report.h"
#include "reports/page.h"

#include <string.h>

static const struct page_section forecast_page_chart = {"chart", "Time by size"};
static const struct page_section forecast_page_figures = {"figures", "Figures"};

/* "alltoall/bruck to 2KiB, then alltoall/pairwise". */
static void forecast_page_print_best(struct forecast *forecast, struct text *out)
{
    size_t n;
    const struct best_range *ranges = forecast_ranges(forecast, &n);
    const bool has_sizes = collective_has_data(forecast->request.collective) && !forecast->has_counts;
    for (size_t i = 0; i < n; i++) {
        text_printf(out, i ? ", then " : "");
        forecast_row_print(&forecast->rows[ranges[i].row], ranges[i].variant, out);
        if (i + 1 == n || !has_sizes)
            continue;
        text_printf(out, " to ");
        print_size(ranges[i].last, out);
    }
}

static void forecast_page_print_line(struct forecast *forecast, struct text *out)
{
    const struct forecast_request *request = &forecast->request;
    if (!forecast->n_rows)
        text_printf(out, "no algorithm is defined here");
    else if (!forecast->is_of_schedule) {
        text_printf(out, "best: ");
        forecast_page_print_best(forecast, out);
    } else {
        print_time(forecast_cell(forecast, 0, request->sizes.n - 1)->time, out);
        if (!forecast->has_counts && collective_has_data(request->collective)) {
            text_printf(out, " for ");
            print_size(request->sizes.items[request->sizes.n - 1], out);
        }
    }
}

void forecast_html(struct forecast *forecast, bool per_step, const char *made_by, struct text *out)
{
    const struct page_section sections[] = {forecast_page_chart, forecast_page_figures};
    const struct bind_request *where = &forecast->request.where;
    struct text title = {0}, line = {0}, svg = {0}, figures = {0};
    if (forecast->is_of_schedule)
        text_printf(&title, "%s", forecast->rows[0].name);
    else
        text_printf(&title, "%s", collective_name(forecast->request.collective, forecast->request.form));
    text_printf(&title, " on %s, %u ranks", where->topology->name, where->placement->n_ranks);
    forecast_page_print_line(forecast, &line);
    page_begin(out, title.data, line.data, forecast->n_rows, sections, sizeof sections / sizeof *sections);
    page_open_section(out, &forecast_page_chart);
    forecast_svg(forecast, &svg);
    page_picture(out, &svg, forecast_page_chart.title);
    page_close_section(out);
    page_open_section(out, &forecast_page_figures);
    forecast_text(forecast, per_step, &figures);
    page_lines(out, &figures);
    page_close_section(out);
    page_end(out, made_by);
    text_free(&title);
    text_free(&line);
    text_free(&svg);
    text_free(&figures);
}
