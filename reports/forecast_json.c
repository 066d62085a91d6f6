/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forecast for programs: JSON (docs/json.md names the keys), CSV with the same names,
 * and the chart.
 */
#include "reports/forecast_report.h"

#include "base/quantity.h"
#include "emitters/drawing/chart.h"
#include "emitters/drawing/draw.h"
#include "reports/host_costs.h"
#include "reports/rank_adapters.h"
#include "reports/record.h"
#include "reports/simulation_report.h"

#include <inttypes.h>
#include <string.h>

#include "reports/forecast.def"

void forecast_json(struct forecast *forecast, bool per_step, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    if (forecast->is_of_schedule)
        predicted_write(&json, forecast, per_step);
    else
        best_write(&json, forecast);
    json_close(&json, '}');
}

/* Quoted where it has to be (RFC 4180). */
static void write_csv_name(struct text *out, const char *name)
{
    const char *quote = strpbrk(name, ",\"\r\n") ? "\"" : "";
    text_printf(out, "%s", quote);
    for (const char *c = name; *c; c++)
        text_append(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    text_printf(out, "%s", quote);
}

static void write_csv_parts(struct text *out, uint64_t bytes, const struct forecast_cell *cell)
{
    const struct time_parts *parts = &cell->parts;
    const bool is_step = cell->model == SIMULATION_step;
    text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                     ",%" PRIu64 ",%" PRIu64 ",%s\n",
                bytes, cell->time, parts->latency, parts->bandwidth, is_step ? parts->waiting : 0,
                parts->host, parts->local, is_step ? 0 : parts->waiting, parts->memory,
                simulation_models[cell->model].name);
}

void forecast_csv(struct forecast *forecast, struct text *out)
{
    text_printf(out, "algorithm,parameter,value,bytes,time_ns,latency_ns,bandwidth_ns,hol_ns,host_ns,"
                     "local_ns,waiting_ns,memory_ns,model\n");
    for (size_t row = 0; row < forecast->n_rows; row++)
        for (size_t i = 0; i < forecast->request.sizes.n; i++) {
            uint64_t bytes = forecast->request.sizes.items[i];
            const struct forecast_cell *cell = forecast_cell(forecast, row, i);
            write_csv_name(out, forecast->rows[row].name);
            text_append(out, ",", 1);
            if (cell->variant->parameter)
                text_printf(out, "%s,%" PRId64, cell->variant->parameter, cell->variant->value);
            else
                text_printf(out, ",");
            write_csv_parts(out, bytes, cell);
        }
}

/* In the arena. */
static const char *forecast_json_label_of(struct forecast *forecast, size_t row,
                                          const struct variant *variant)
{
    struct text text = {0};
    forecast_row_print(&forecast->rows[row], variant, &text);
    const char *label = arena_strndup(&forecast->arena, text.data, text.length);
    text_free(&text);
    return label;
}

/* Makes a series for each row. Between two sizes of the list the crossovers say which row is best. */
static struct chart_series *make_series(struct forecast *forecast)
{
    size_t n_crossovers;
    const struct crossover *crossovers = forecast_crossovers(forecast, &n_crossovers);
    struct chart_series *series =
        arena_alloc(&forecast->arena, forecast->n_rows + 1, sizeof *series);
    for (size_t row = 0; row < forecast->n_rows; row++) {
        uint64_t *times = arena_alloc(&forecast->arena, forecast->request.sizes.n, sizeof *times);
        for (size_t i = 0; i < forecast->request.sizes.n; i++)
            times[i] = forecast_cell(forecast, row, i)->time;
        series[row] = (struct chart_series){forecast_json_label_of(forecast, row, NULL), times, false};
    }
    for (size_t i = 0; i < n_crossovers; i++)
        series[crossovers[i].from].is_best = series[crossovers[i].to].is_best = true;
    for (size_t i = 0; forecast->n_rows > 1 && i < forecast->request.sizes.n; i++)
        series[forecast->best[i]].is_best = true;
    return series;
}

static struct chart_mark *make_marks(struct forecast *forecast, size_t *n)
{
    const struct crossover *crossovers = forecast_crossovers(forecast, n);
    struct chart_mark *marks = arena_alloc(&forecast->arena, *n + 1, sizeof *marks);
    for (size_t i = 0; i < *n; i++) {
        const struct crossover *at = &crossovers[i];
        marks[i] =
            (struct chart_mark){at->bytes, at->time, forecast_json_label_of(forecast, at->to, at->variant)};
    }
    return marks;
}

void forecast_svg(struct forecast *forecast, struct text *out)
{
    size_t n;
    const struct chart_mark *marks = make_marks(forecast, &n);
    const struct bind_request *where = &forecast->request.where;
    const bool is_barrier = !collective_has_data(forecast->request.collective);
    const struct chart chart = {
        .title = arena_printf(&forecast->arena, "%s, %u ranks on %s: predicted time, model '%s'%s",
                              collective_name(forecast->request.collective, forecast->request.form),
                              where->placement->n_ranks, drawing_topology_name(where->topology),
                              simulation_models[forecast->request.simulation.model].name,
                              forecast_is_mixed(forecast) ? ", of large schedules 'step'" : ""),
        .x_label = forecast->has_counts ? "--counts" : is_barrier ? "" : "bytes",
        .has_sizes = !forecast->has_counts && !is_barrier,
        .sizes = forecast->request.sizes.items,
        .n_sizes = forecast->request.sizes.n,
        .series = make_series(forecast),
        .n_series = forecast->n_rows,
        .marks = marks,
        .n_marks = n,
    };
    chart_svg(&chart, out);
}
