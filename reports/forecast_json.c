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
#include "reports/json.h"
#include "reports/simulation_report.h"

#include <inttypes.h>
#include <string.h>

/* The sum of these is the time; what a model does not know is 0. */
static void write_parts(struct json *json, const struct forecast_cell *cell)
{
    const struct time_parts *parts = &cell->parts;
    const bool is_step = cell->model == SIMULATION_step;
    json_put_unsigned(json, "time_ns", cell->time);
    json_put_unsigned(json, "latency_ns", parts->latency);
    json_put_unsigned(json, "bandwidth_ns", parts->bandwidth);
    json_put_unsigned(json, "hol_ns", is_step ? parts->waiting : 0);
    json_put_unsigned(json, "host_ns", parts->host);
    json_put_unsigned(json, "local_ns", parts->local);
    json_put_unsigned(json, "waiting_ns", is_step ? 0 : parts->waiting);
    json_put_unsigned(json, "memory_ns", parts->memory);
}

static void write_model(const struct forecast *forecast, enum simulation_model model, struct json *json)
{
    json_put_string(json, "model", simulation_models[model].name);
    json_put_string(json, "synchronisation", forecast_synchronisation(forecast, model));
}

static void forecast_json_write_head(const struct forecast *forecast, struct json *json)
{
    write_model(forecast, forecast->request.simulation.model, json);
    json_put_string(json, "collective",
                    collective_name(forecast->request.collective, forecast->request.form));
    json_put_string(json, "topology", forecast->request.where.topology->name);
    json_put_bool(json, "routes_assumed", topology_assumes_routes(forecast->request.where.topology));
    json_put_unsigned(json, "ranks", forecast->request.where.placement->n_ranks);
    json_put_unsigned(json, "servers", forecast->request.where.placement->n_servers);
    json_put_string(json, "bound_kind", forecast->request.least.time_kind);
    host_costs_json(&forecast->request.simulation.settings.costs, json);
    if (forecast_is_played(&forecast->request))
        simulation_rules_json(&forecast->request.simulation.settings, json);
}

/* What no schedule is below, and how many times that it takes. */
static void write_least(const struct forecast *forecast, uint64_t bytes, uint64_t time, struct json *json)
{
    const uint64_t least = forecast_least(forecast, bytes);
    if (!least) {
        json_put_null(json, "bound_ns");
        json_put_null(json, "bound_ratio");
        return;
    }
    json_put_unsigned(json, "bound_ns", least);
    json_put_real(json, "bound_ratio", (double)time / (double)least);
}

static void write_summed_steps(const struct forecast *forecast, uint64_t bytes, struct json *json)
{
    const struct variant *variant = &forecast->rows[0].variants[0];
    const struct host_costs *costs = &forecast->request.simulation.settings.costs;
    const uint64_t chunk = forecast_chunk_bytes(forecast, variant, bytes);
    json_open(json, "per_step", '[');
    for (size_t i = 0; i < variant->loads.n; i++) {
        const struct step_load *load = &variant->loads.loads[i];
        const struct forecast_cell step = forecast_step(variant, predict_step(load, costs, chunk));
        json_open(json, NULL, '{');
        json_put_unsigned(json, "step", load->first);
        json_put_unsigned(json, "steps", load->n_steps);
        write_parts(json, &step);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void forecast_json_write_steps(const struct forecast *forecast, uint64_t bytes, struct json *json)
{
    struct simulation simulation;
    if (!forecast_is_played(&forecast->request)) {
        write_summed_steps(forecast, bytes, json);
        return;
    }
    forecast_simulate(forecast, forecast->rows[0].variants, bytes, true, &simulation);
    simulation_steps_json(&simulation, json);
    simulation_free(&simulation);
}

/* What --param takes; of `collc best`, which chooses them. */
static void forecast_json_write_settings(const struct forecast *forecast, size_t row,
                                         const struct variant *variant, struct json *json)
{
    struct text setting = {0};
    json_open(json, "settings", '[');
    for (size_t i = 0; forecast_row_setting(&forecast->rows[row], variant, i, &setting); i++) {
        json_put_string(json, NULL, setting.data);
        text_free(&setting);
    }
    json_close(json, ']');
}

static void forecast_json_write_times(const struct forecast *forecast, size_t row, bool per_step,
                                      struct json *json)
{
    json_open(json, "times", '[');
    for (size_t i = 0; i < forecast->request.sizes.n; i++) {
        uint64_t bytes = forecast->request.sizes.items[i];
        const struct forecast_cell *cell = forecast_cell(forecast, row, i);
        json_open(json, NULL, '{');
        json_put_unsigned(json, "bytes", bytes);
        if (cell->variant->parameter) {
            json_put_string(json, "parameter", cell->variant->parameter);
            json_put_unsigned(json, "value", (uint64_t)cell->variant->value);
        }
        if (!forecast->is_of_schedule)
            forecast_json_write_settings(forecast, row, cell->variant, json);
        write_model(forecast, cell->model, json);
        write_parts(json, cell);
        if (!forecast->is_of_schedule)
            json_put_unsigned(json, "hol_left_out_ns", forecast_hol_left_out(forecast, cell, bytes));
        json_put_unsigned(json, "busiest_link_ns",
                          predict_busiest_link(&cell->variant->loads,
                                               forecast_chunk_bytes(forecast, cell->variant, bytes)));
        write_least(forecast, bytes, cell->time, json);
        if (per_step)
            forecast_json_write_steps(forecast, bytes, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_rows(const struct forecast *forecast, struct json *json)
{
    json_open(json, "algorithms", '[');
    for (size_t row = 0; row < forecast->n_rows; row++) {
        json_open(json, NULL, '{');
        json_put_string(json, "algorithm", forecast->rows[row].name);
        forecast_json_write_times(forecast, row, false, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_best(const struct forecast *forecast, struct json *json)
{
    json_open(json, "best", '[');
    for (size_t i = 0; forecast->n_rows && i < forecast->request.sizes.n; i++) {
        size_t row = forecast->best[i];
        json_open(json, NULL, '{');
        json_put_unsigned(json, "bytes", forecast->request.sizes.items[i]);
        json_put_string(json, "algorithm", forecast->rows[row].name);
        json_put_unsigned(json, "time_ns", forecast_cell(forecast, row, i)->time);
        write_model(forecast, forecast_cell(forecast, row, i)->model, json);
        forecast_json_write_settings(forecast, row, forecast_cell(forecast, row, i)->variant, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_crossovers(struct forecast *forecast, struct json *json)
{
    size_t n;
    const struct crossover *crossovers = forecast_crossovers(forecast, &n);
    json_open(json, "crossovers", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(json, NULL, '{');
        json_put_unsigned(json, "bytes", crossovers[i].bytes);
        json_put_string(json, "from", forecast->rows[crossovers[i].from].name);
        json_put_string(json, "to", forecast->rows[crossovers[i].to].name);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void forecast_json_write_ranges(struct forecast *forecast, struct json *json)
{
    size_t n = 0;
    const struct best_range *ranges = forecast->n_rows ? forecast_ranges(forecast, &n) : NULL;
    json_open(json, "ranges", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(json, NULL, '{');
        json_put_unsigned(json, "first", ranges[i].first);
        json_put_unsigned(json, "last", ranges[i].last);
        json_put_string(json, "algorithm", forecast->rows[ranges[i].row].name);
        forecast_json_write_settings(forecast, ranges[i].row, ranges[i].variant, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_refusals(const struct forecast *forecast, struct json *json)
{
    json_open(json, "refused", '[');
    for (size_t i = 0; i < forecast->n_refusals; i++) {
        json_open(json, NULL, '{');
        json_put_string(json, "algorithm", forecast->refusals[i].name);
        json_put_string(json, "code", code_table[forecast->refusals[i].code].id);
        json_put_string(json, "reason", forecast->refusals[i].reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void forecast_json(struct forecast *forecast, bool per_step, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    forecast_json_write_head(forecast, &json);
    if (forecast->is_of_schedule) {
        json_put_string(&json, "algorithm", forecast->rows[0].name);
        json_put_unsigned(&json, "steps", forecast->rows[0].variants[0].loads.n_steps);
        forecast_json_write_times(forecast, 0, per_step, &json);
    } else {
        write_rows(forecast, &json);
        write_best(forecast, &json);
        write_crossovers(forecast, &json);
        forecast_json_write_ranges(forecast, &json);
        write_refusals(forecast, &json);
    }
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

/* What is best between two sizes of the list, the crossovers know. */
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
