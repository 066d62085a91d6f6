/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forecast for people: one schedule with the parts of its time; of several the times in
 * blocks of columns, who is best where, and who does not work and why.
 */
#include "compiler/driver/forecast.h"

#include "compiler/driver/wrap.h"
#include "ir/quantity.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_WIDTH = 30, CELL_WIDTH = 12, COLUMNS = 6 }; /* NAME_WIDTH: at least */

static void print_right(struct text *out, int width, const char *words)
{
    text_printf(out, "%*s", width, words);
}

static void print_time_cell(struct text *out, uint64_t ns, bool is_best)
{
    struct text cell = {0};
    print_time(ns, &cell);
    text_append(&cell, is_best ? "*" : " ", 1);
    print_right(out, CELL_WIDTH, cell.data);
    text_free(&cell);
}

static void print_size_cell(struct text *out, int width, uint64_t bytes)
{
    struct text cell = {0};
    print_size(bytes, &cell);
    print_right(out, width, cell.data);
    text_free(&cell);
}

static void print_name(struct text *out, const char *name, size_t width)
{
    size_t start = out->length;
    text_append_safe(out, name);
    text_printf(out, "%*s", start + width > out->length ? (int)(start + width - out->length) : 1, "");
}

/* Of the column of names, so that what is beside them stays in columns. */
static size_t name_width(const struct forecast *forecast)
{
    size_t width = NAME_WIDTH;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        struct text name = {0};
        text_append_safe(&name, forecast->rows[row].name);
        width = name.length + 1 > width ? name.length + 1 : width;
        text_free(&name);
    }
    return width;
}

static void print_head(const struct forecast *forecast, const char *what, struct text *out)
{
    const struct placement *placement = forecast->job->placement;
    const struct predict_costs *costs = &forecast->costs;
    text_printf(out, "%s: %u rank%s on %u server%s, ", what, placement->n_ranks,
                plural(placement->n_ranks), placement->n_servers, plural(placement->n_servers));
    text_append_safe(out, forecast->job->topology->name);
    text_printf(out, "\n  model       step: overhead ");
    topology_print_latency(costs->overhead, out);
    text_printf(out, ", gap ");
    topology_print_latency(costs->gap, out);
    text_printf(out, ", memory ");
    topology_print_bandwidth(costs->memory_bandwidth, out);
    text_printf(out, " and ");
    topology_print_latency(costs->memory_latency, out);
    text_append(out, "\n", 1);
}

/* ---- one schedule ---- */

static void print_parts(const struct prediction *prediction, struct text *out)
{
    const uint64_t parts[] = {prediction->time, prediction->latency, prediction->bandwidth,
                              prediction->hol,  prediction->host,    prediction->local};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        print_time_cell(out, parts[i], false);
    text_append(out, "\n", 1);
}

static void print_part_names(const char *first, struct text *out)
{
    static const char *const names[] = {"time", "latency", "bandwidth", "hol", "host", "local"};
    text_printf(out, "  %-14s", first);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        text_printf(out, "%*s ", CELL_WIDTH - 1, names[i]);
    text_append(out, "\n", 1);
}

static void print_step_rows(const struct forecast *forecast, uint64_t bytes, struct text *out)
{
    const struct variant *variant = &forecast->rows[0].variants[0];
    uint64_t chunk = forecast_chunk_bytes(forecast, variant, bytes);
    for (size_t i = 0; i < variant->loads.n; i++) {
        const struct step_load *load = &variant->loads.loads[i];
        const struct prediction step = predict_step(load, &forecast->costs, chunk);
        struct text label = {0};
        text_printf(&label, "step %" PRIu64, load->first);
        if (load->n_steps > 1)
            text_printf(&label, "..%" PRIu64, load->first + load->n_steps - 1);
        text_printf(out, "    %-12s", label.data);
        text_free(&label);
        print_parts(&step, out);
    }
}

static void print_schedule(const struct forecast *forecast, struct text *out)
{
    print_head(forecast, forecast->rows[0].name, out);
    text_printf(out, "  steps       %" PRIu64 "\n\n", forecast->rows[0].variants[0].loads.n_steps);
    print_part_names("bytes", out);
    for (size_t i = 0; i < forecast->sizes.n; i++) {
        uint64_t bytes = forecast->sizes.items[i];
        text_printf(out, "  ");
        if (forecast->has_counts)
            print_right(out, 8, "--counts");
        else
            print_size_cell(out, 8, bytes);
        text_printf(out, "%6s", "");
        print_parts(&forecast_cell(forecast, 0, i)->prediction, out);
        if (forecast->job->options->per_step)
            print_step_rows(forecast, bytes, out);
    }
}

/* ---- all of a collective ---- */

static void print_block(const struct forecast *forecast, size_t first, size_t end,
                        struct text *out)
{
    const size_t width = name_width(forecast);
    text_printf(out, "\n  %-*s", (int)width, "time, * the least, by bytes");
    for (size_t i = first; i < end; i++) {
        if (forecast->has_counts)
            print_right(out, CELL_WIDTH - 1, "--counts");
        else
            print_size_cell(out, CELL_WIDTH - 1, forecast->sizes.items[i]);
        text_append(out, " ", 1);
    }
    text_append(out, "\n", 1);
    for (size_t row = 0; row < forecast->n_rows; row++) {
        text_printf(out, "  ");
        print_name(out, forecast->rows[row].name, width);
        for (size_t i = first; i < end; i++)
            print_time_cell(out, forecast_cell(forecast, row, i)->prediction.time,
                            forecast->best[i] == row);
        text_append(out, "\n", 1);
    }
}

/* " --param segments=4 .. 64": the values of the fastest variants between two sizes. */
static void print_values(const struct forecast *forecast, size_t row, uint64_t from, uint64_t to,
                         struct text *out)
{
    const struct variant *variant = forecast_at(forecast, row, from).variant;
    if (!variant->parameter)
        return;
    int64_t least = variant->value, most = forecast_at(forecast, row, to).variant->value;
    if (most < least) {
        least = most;
        most = variant->value;
    }
    for (size_t i = 0; i < forecast->sizes.n; i++) {
        uint64_t bytes = forecast->sizes.items[i];
        if (bytes < from || bytes > to)
            continue;
        int64_t value = forecast_cell(forecast, row, i)->variant->value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    text_printf(out, " --param %s=%" PRId64, variant->parameter, least);
    if (most != least)
        text_printf(out, " .. %" PRId64, most);
}

static void print_range(const struct forecast *forecast, size_t row, uint64_t from, uint64_t to,
                        struct text *out)
{
    struct text range = {0};
    if (forecast->has_counts)
        text_printf(&range, "--counts");
    else
        print_size(from, &range);
    if (to != from) {
        text_printf(&range, " .. ");
        print_size(to, &range);
    }
    text_printf(out, "  %-22s ", range.data);
    text_append_safe(out, forecast->rows[row].name);
    print_values(forecast, row, from, to, out);
    text_append(out, "\n", 1);
    text_free(&range);
}

static void print_ranges(struct forecast *forecast, struct text *out)
{
    size_t n;
    const struct crossover *crossovers = forecast_crossovers(forecast, &n);
    uint64_t from = forecast->sizes.items[0], last = forecast->sizes.items[forecast->sizes.n - 1];
    size_t row = forecast->best[0];
    text_printf(out, "\n  %-22s best\n", "bytes");
    for (size_t i = 0; i < n; i++) {
        print_range(forecast, row, from, crossovers[i].bytes - 1, out);
        from = crossovers[i].bytes;
        row = crossovers[i].to;
    }
    print_range(forecast, row, from, last, out);
}

static void print_refusals(const struct forecast *forecast, struct text *out)
{
    if (forecast->n_refusals)
        text_printf(out, "\n  does not work here\n");
    for (size_t i = 0; i < forecast->n_refusals; i++) {
        const struct refusal *refusal = &forecast->refusals[i];
        size_t start = out->length;
        struct text words = {0};
        text_printf(&words, "%s%s [%s]", refusal->reason,
                    refusal->is_of_settings ? "; without --param it works" : "",
                    code_table[refusal->code].id);
        text_printf(out, "  ");
        print_name(out, refusal->name, NAME_WIDTH);
        text_wrap(out, words.data, out->length - start, NAME_WIDTH + 2);
        text_free(&words);
    }
}

/* For one size the parts tell why the best one is the best. */
static void print_only_size(const struct forecast *forecast, struct text *out)
{
    const size_t width = name_width(forecast);
    text_append(out, "\n", 1);
    text_printf(out, "%*s", (int)width - 14, "");
    print_part_names("", out);
    for (size_t row = 0; row < forecast->n_rows; row++) {
        text_printf(out, "%c ", row == forecast->best[0] ? '*' : ' ');
        print_name(out, forecast->rows[row].name, width);
        print_parts(&forecast_cell(forecast, row, 0)->prediction, out);
    }
}

static void print_collective(struct forecast *forecast, struct text *out)
{
    print_head(forecast, collective_name(forecast->collective, forecast->form), out);
    if (forecast->n_rows && forecast->sizes.n == 1)
        print_only_size(forecast, out);
    else if (forecast->n_rows)
        for (size_t first = 0; first < forecast->sizes.n; first += COLUMNS) {
            size_t left = forecast->sizes.n - first;
            print_block(forecast, first, first + (left < COLUMNS ? left : COLUMNS), out);
        }
    if (forecast->n_rows)
        print_ranges(forecast, out);
    print_refusals(forecast, out);
}

void forecast_text(struct forecast *forecast, struct text *out)
{
    if (forecast->job->options->command == COMMAND_predict)
        print_schedule(forecast, out);
    else
        print_collective(forecast, out);
}
