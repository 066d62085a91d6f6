/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forecast for people: one schedule with the parts of its time; of several the times in
 * blocks of columns, who is best where, and who does not work and why.
 */
#include "reports/forecast_report.h"

#include "base/quantity.h"
#include "reports/host_costs.h"
#include "reports/rank_adapters.h"
#include "reports/simulation_report.h"
#include "reports/wrap.h"

#include <inttypes.h>
#include <string.h>

/* NAME_WIDTH: at least */
enum { NAME_WIDTH = 30, CELL_WIDTH = 12, COLUMNS = 6, SIZES_WIDTH = 23 };

static void forecast_text_print_right(struct text *out, int width, const char *words)
{
    text_printf(out, "%*s", width, words);
}

/* Before it "~" of another model, or nothing; behind it its mark. */
static void print_time_cell(struct text *out, uint64_t ns, const char *before, const char *behind)
{
    struct text cell = {0};
    text_printf(&cell, "%s", before);
    print_time(ns, &cell);
    text_append(&cell, behind, 1);
    forecast_text_print_right(out, CELL_WIDTH, cell.data);
    text_free(&cell);
}

/* Prints the head of the column of a size; blanks for a barrier, which has no sizes. */
static void print_size_cell(const struct forecast *forecast, size_t size, int width,
                            struct text *out)
{
    struct text cell = {0};
    if (forecast->has_counts)
        text_printf(&cell, "--counts");
    else if (collective_has_data(forecast->request.collective))
        print_size(forecast->request.sizes.items[size], &cell);
    forecast_text_print_right(out, width, cell.data ? cell.data : "");
    text_free(&cell);
}

/* Blanks up to `width` bytes behind `start`. */
static void pad(struct text *out, size_t start, size_t width)
{
    text_printf(out, "%*s", start + width > out->length ? (int)(start + width - out->length) : 1, "");
}

/* Returns the variant to print beside the name of the row: with several sizes NULL, as these have a line of
 * their own. */
static const struct variant *variant_of_row(const struct forecast *forecast, size_t row)
{
    return forecast->request.sizes.n == 1 ? forecast_cell(forecast, row, 0)->variant : NULL;
}

static void forecast_text_print_name(const struct forecast *forecast, size_t row, size_t width,
                                     struct text *out)
{
    size_t start = out->length;
    forecast_row_print(&forecast->rows[row], variant_of_row(forecast, row), out);
    pad(out, start, width);
}

/* Returns the width of the column of names, so that what is beside them stays in columns. */
static size_t name_width(const struct forecast *forecast)
{
    size_t width = NAME_WIDTH;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        struct text name = {0};
        forecast_text_print_name(forecast, row, 0, &name);
        width = name.length > width ? name.length : width;
        text_free(&name);
    }
    return width;
}

/* True if for the only size some time has no head-of-line blocking in it, which step says there is. */
static bool leaves_hol_out(const struct forecast *forecast)
{
    const struct size_list *sizes = &forecast->request.sizes;
    for (size_t row = 0; row < forecast->n_rows && sizes->n == 1; row++)
        if (forecast_hol_left_out(forecast, forecast_cell(forecast, row, 0), sizes->items[0]))
            return true;
    return false;
}

/* Says that a default of hosts makes up much of the time at a size. */
static void print_default(const struct forecast *forecast, size_t size, bool of_memory, struct text *out)
{
    const double share = forecast_share_of_default(forecast, size, of_memory);
    struct text bytes = {0};
    if (collective_has_data(forecast->request.collective) && !forecast->has_counts) {
        text_printf(&bytes, " at ");
        print_size(forecast->request.sizes.items[size], &bytes);
    }
    text_printf(&bytes, ", by step");
    host_costs_default_text(&forecast->request.simulation.settings.costs, of_memory, share, bytes.data, out);
    text_free(&bytes);
}

/* Returns the mark of what is the best, of what was not played and may be, or of others. */
static const char *mark_of(const struct forecast *forecast, size_t row, size_t size)
{
    if (forecast->best[size] == row)
        return "*";
    return forecast_may_be_best(forecast, row, size) ? "?" : " ";
}

static bool has_doubt(const struct forecast *forecast)
{
    for (size_t i = 0; i < forecast->n_rows * forecast->request.sizes.n && !forecast->is_of_schedule; i++)
        if (*mark_of(forecast, i % forecast->n_rows, i / forecast->n_rows) == '?')
            return true;
    return false;
}

static void forecast_text_print_head(const struct forecast *forecast, const char *what, struct text *out)
{
    const struct placement *placement = forecast->request.where.placement;
    text_printf(out, "%s: %u rank%s on %u server%s, ", what, placement->n_ranks,
                plural(placement->n_ranks), placement->n_servers, plural(placement->n_servers));
    text_append_safe(out, forecast->request.where.topology->name);
    text_append(out, "\n", 1);
    assumed_routes_text(forecast->request.where.topology, out);
    text_printf(out, "  model       %s: ", simulation_models[forecast->request.simulation.model].name);
    host_costs_text(&forecast->request.simulation.settings.costs, out);
    text_append(out, "\n", 1);
    if (forecast->n_rows) {
        print_default(forecast, forecast->request.sizes.n - 1, true, out);
        print_default(forecast, 0, false, out);
    }
    rank_adapters_text(forecast->request.where.topology, placement, out);
    if (forecast_has_worst(forecast))
        text_printf(out, "  time        by the balanced load of each step; at worst: if the switches choose badly\n");
    if (forecast_is_played(&forecast->request))
        simulation_rules_text(&forecast->request.simulation.settings, out);
    if (forecast->n_rows && forecast_is_mixed(forecast))
        text_printf(out, "  ~           by the model step: not played, as far behind by it, too large or without an end\n");
    if (has_doubt(forecast))
        text_printf(out, "  ?           may be faster than *, and is too large to be played here: 'collc predict' with "
                         "--model %s plays it\n",
                    simulation_models[forecast->request.simulation.model].name);
    if (forecast->n_rows && forecast->request.least.time_kind)
        text_printf(out, "  bound       no schedule takes less time (%s: see 'collc bound')\n",
                    forecast->request.least.time_kind);
    if (!forecast->is_of_schedule && leaves_hol_out(forecast))
        text_printf(out, "  hol+        head-of-line blocking by the model step, as %s has none: not in the times\n",
                    simulation_models[forecast->request.simulation.model].name);
}

/* ---- one schedule ---- */

/* Prints its ratio to the least time `least`; nothing if that is 0. */
static void print_ratio(uint64_t time, uint64_t least, struct text *out)
{
    const double ratio = least ? (double)time / (double)least : 0;
    if (least)
        text_printf(out, "%*.*f", CELL_WIDTH - 2, ratio < 99.995 ? 2 : 0, ratio);
}

uint64_t forecast_alltoall_bandwidth(const struct forecast *forecast, const struct forecast_cell *cell,
                                     uint64_t bytes)
{
    const struct forecast_request *request = &forecast->request;
    return alltoall_bandwidth(request->collective, request->where.placement, bytes,
                              request->form == FORM_EQUAL ? cell->time : 0);
}

/* A time and its parts; the model step has no part of its own for messages inside of machines. */
static size_t forecast_text_n_parts(const struct forecast *forecast)
{
    return forecast_is_played(&forecast->request) ? 7 : 6;
}

static void forecast_text_print_parts(const struct forecast *forecast, const struct forecast_cell *cell,
                                      uint64_t least, struct text *out)
{
    const struct time_parts *parts = &cell->parts;
    const uint64_t times[] = {cell->time,     parts->latency, parts->bandwidth, parts->waiting,
                              parts->host,    parts->local,   parts->memory};
    const bool is_other = cell->model != forecast->request.simulation.model;
    for (size_t i = 0; i < forecast_text_n_parts(forecast); i++)
        print_time_cell(out, times[i], is_other && i == 0 ? "~" : "", " ");
    if (forecast_has_worst(forecast))
        print_time_cell(out, cell->worst, "", " ");
    print_ratio(cell->time, least, out);
    text_append(out, "\n", 1);
}

static void print_part_names(const struct forecast *forecast, const char *first, struct text *out)
{
    const char *const names[] = {"time", "latency", "bandwidth",
                                 forecast_waiting_name(forecast->request.simulation.model),
                                 "host", "local", "memory"};
    text_printf(out, "  %-14s", first);
    for (size_t i = 0; i < forecast_text_n_parts(forecast); i++)
        text_printf(out, "%*s ", CELL_WIDTH - 1, names[i]);
    if (forecast_has_worst(forecast))
        text_printf(out, "%*s ", CELL_WIDTH - 1, "at worst");
    if (forecast->request.least.time_kind)
        text_printf(out, "%*s", CELL_WIDTH - 2, "x bound");
    text_append(out, "\n", 1);
}

static void print_summed_steps(const struct forecast *forecast, uint64_t bytes, struct text *out)
{
    const struct variant *variant = forecast_variant(&forecast->rows[0], bytes);
    const struct host_costs *costs = &forecast->request.simulation.settings.costs;
    uint64_t chunk = forecast_chunk_bytes(forecast, variant, bytes);
    for (size_t i = 0; i < variant->loads.n; i++) {
        const struct step_load *load = &variant->loads.loads[i];
        const struct forecast_cell step = forecast_step(variant, predict_step(load, costs, chunk));
        struct text label = {0};
        text_printf(&label, "step %" PRIu64, load->first);
        if (load->n_steps > 1)
            text_printf(&label, "..%" PRIu64, load->first + load->n_steps - 1);
        text_printf(out, "    %-12s", label.data);
        text_free(&label);
        forecast_text_print_parts(forecast, &step, 0, out);
    }
}

static void forecast_text_print_steps(const struct forecast *forecast, uint64_t bytes, struct text *out)
{
    struct simulation simulation;
    if (!forecast_is_played(&forecast->request)) {
        print_summed_steps(forecast, bytes, out);
        return;
    }
    forecast_simulate(forecast, forecast_variant(&forecast->rows[0], bytes), bytes, true, &simulation);
    simulation_steps_text(&simulation, out);
    simulation_free(&simulation);
}

/* Adds what leaves a host per second in an all-to-all to the line of a size; without a size its name to the
 * head. */
static void print_bandwidth(const struct forecast *forecast, const uint64_t *bytes, struct text *out)
{
    const size_t size = bytes ? (size_t)(bytes - forecast->request.sizes.items) : 0;
    const struct forecast_cell *cell = forecast_cell(forecast, 0, size);
    const uint64_t of_host = forecast_alltoall_bandwidth(forecast, cell, bytes ? *bytes : 1000);
    if (!of_host)
        return;
    out->length--; /* the end of the line */
    if (bytes)
        text_printf(out, "%*.*f\n", CELL_WIDTH + 1, of_host < 1000000000 ? 1 : 0, (double)of_host / 1e6);
    else
        text_printf(out, "%*s\n", CELL_WIDTH + 1, "MB/s a host");
}

/* "  steps       7", or those of the smallest and of the largest data. */
static void forecast_text_print_n_steps(const struct row *row, struct text *out)
{
    const struct variant *first = row->variants, *last = first + row->n_variants - 1;
    text_printf(out, "  steps       %" PRIu64, first->loads.n_steps);
    if (last != first)
        text_printf(out, " .. %" PRIu64 ", with %s=%" PRId64 " .. %" PRId64, last->loads.n_steps, last->parameter,
                    first->value, last->value);
    text_printf(out, "\n\n");
}

static void forecast_text_print_schedule(const struct forecast *forecast, bool per_step, struct text *out)
{
    forecast_text_print_head(forecast, forecast->rows[0].name, out);
    forecast_text_print_n_steps(&forecast->rows[0], out);
    print_part_names(forecast, !collective_has_data(forecast->request.collective) ? "" : "bytes", out);
    print_bandwidth(forecast, NULL, out);
    for (size_t i = 0; i < forecast->request.sizes.n; i++) {
        text_printf(out, "  ");
        print_size_cell(forecast, i, 8, out);
        text_printf(out, "%6s", "");
        forecast_text_print_parts(forecast, forecast_cell(forecast, 0, i),
                                  forecast_least(forecast, forecast->request.sizes.items[i]), out);
        print_bandwidth(forecast, &forecast->request.sizes.items[i], out);
        if (per_step)
            forecast_text_print_steps(forecast, forecast->request.sizes.items[i], out);
    }
}

/* ---- all of a collective ---- */

/* The columns of the sizes from `first` to `end`. */
struct columns {
    size_t first, end, name_width;
};

/* Below the times what --param has to say for them, if one of them is not by default. */
static void print_variants(const struct forecast *forecast, size_t row,
                           const struct columns *columns, struct text *out)
{
    const struct variant *defaults = forecast->rows[row].variants;
    size_t start = out->length, i = columns->first;
    while (i < columns->end && forecast_cell(forecast, row, i)->variant == defaults && !defaults->from_bytes)
        i++;
    if (i == columns->end)
        return;
    text_printf(out, "    --param %s=", defaults->parameter);
    pad(out, start, columns->name_width + 2);
    for (i = columns->first; i < columns->end; i++)
        text_printf(out, "%*" PRId64 " ", CELL_WIDTH - 1,
                    forecast_cell(forecast, row, i)->variant->value);
    text_append(out, "\n", 1);
}

/* Below the times those that none is below. */
static void print_least(const struct forecast *forecast, const struct columns *columns, struct text *out)
{
    const size_t start = out->length;
    if (!forecast->request.least.time_kind)
        return;
    text_printf(out, "  bound (%s)", forecast->request.least.time_kind);
    pad(out, start, columns->name_width + 2);
    for (size_t i = columns->first; i < columns->end; i++)
        print_time_cell(out, forecast_least(forecast, forecast->request.sizes.items[i]), "",
                        " ");
    text_append(out, "\n", 1);
}

/* The first row of those with times by another model, or of the others, in these columns; n_rows if there is
 * none. The former stand below a line that says so, if there are others above it. */
static size_t forecast_text_print_group(const struct forecast *forecast, bool is_mixed, size_t first,
                                        size_t end, struct text *out)
{
    const size_t n = forecast->n_rows;
    size_t row = 0, n_mixed = 0;
    for (size_t i = 0; i < n; i++)
        n_mixed += forecast_row_is_mixed(forecast, i, first, end);
    while (row < n && forecast_row_is_mixed(forecast, row, first, end) != is_mixed)
        row++;
    if (is_mixed && n_mixed && n_mixed < n)
        text_printf(out, "  not played%s: a guess, which may be above or below\n",
                    end - first > 1 ? " at all of these sizes" : "");
    return row;
}

static void forecast_text_print_row(const struct forecast *forecast, size_t row,
                                    const struct columns *columns, struct text *out)
{
    text_printf(out, "  ");
    forecast_text_print_name(forecast, row, columns->name_width, out);
    for (size_t i = columns->first; i < columns->end; i++) {
        const struct forecast_cell *cell = forecast_cell(forecast, row, i);
        print_time_cell(out, cell->time,
                        cell->model == forecast->request.simulation.model ? "" : "~",
                        mark_of(forecast, row, i));
    }
    text_append(out, "\n", 1);
    print_variants(forecast, row, columns, out);
}

static void forecast_text_print_block(const struct forecast *forecast, struct columns columns,
                                      struct text *out)
{
    const size_t width = columns.name_width;
    text_printf(out, "\n  %-*s", (int)width, "time, * the least, by bytes");
    for (size_t i = columns.first; i < columns.end; i++) {
        print_size_cell(forecast, i, CELL_WIDTH - 1, out);
        text_append(out, " ", 1);
    }
    text_append(out, "\n", 1);
    for (int is_mixed = 0; is_mixed <= 1; is_mixed++)
        for (size_t row = forecast_text_print_group(forecast, is_mixed, columns.first, columns.end, out);
             row < forecast->n_rows; row++)
            if (forecast_row_is_mixed(forecast, row, columns.first, columns.end) == is_mixed)
                forecast_text_print_row(forecast, row, &columns, out);
    print_least(forecast, &columns, out);
}

static void forecast_text_print_range(const struct forecast *forecast, const struct best_range *range,
                                      struct text *out)
{
    struct text sizes = {0};
    if (forecast->has_counts)
        text_printf(&sizes, "--counts");
    else
        print_size(range->first, &sizes);
    if (range->last != range->first) {
        text_printf(&sizes, " .. ");
        print_size(range->last, &sizes);
    }
    text_printf(out, "  %-*s", SIZES_WIDTH, sizes.data);
    forecast_row_print(&forecast->rows[range->row], range->variant, out);
    text_append(out, "\n", 1);
    text_free(&sizes);
}

static void forecast_text_print_ranges(struct forecast *forecast, struct text *out)
{
    size_t n;
    const struct best_range *ranges = forecast_ranges(forecast, &n);
    if (!collective_has_data(forecast->request.collective)) {
        text_printf(out, "\n  %-12s", "best");
        forecast_row_print(&forecast->rows[ranges->row], ranges->variant, out);
        text_append(out, "\n", 1);
        return;
    }
    text_printf(out, "\n  %-*sbest\n", SIZES_WIDTH, "bytes");
    for (size_t i = 0; i < n; i++)
        forecast_text_print_range(forecast, &ranges[i], out);
}

/* Returns the width of the column of those that do not work. */
static size_t refusal_column(const struct forecast *forecast)
{
    size_t longest = 0;
    for (size_t i = 0; i < forecast->n_refusals; i++) {
        size_t length = strlen(forecast->refusals[i].name) + 2;
        longest = length > longest ? length : longest;
    }
    return wrap_column(longest, NAME_WIDTH + 2);
}

static void print_refusals(const struct forecast *forecast, struct text *out)
{
    const size_t column = refusal_column(forecast);
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
        text_append_safe(out, refusal->name);
        text_to_column(out, start, column);
        text_wrap(out, words.data, column, column);
        text_free(&words);
    }
}

/* Behind the parts, as it is none of them. */
static void print_hol_left_out(const struct forecast *forecast, const struct forecast_cell *cell,
                               struct text *out)
{
    const uint64_t hol = forecast_hol_left_out(forecast, cell, forecast->request.sizes.items[0]);
    out->length--; /* the end of the line */
    if (cell->model == SIMULATION_step)
        forecast_text_print_right(out, CELL_WIDTH, "in it");
    else
        print_time_cell(out, hol, hol ? "+" : "", "");
    text_append(out, "\n", 1);
}

/* For one size the parts tell why the best one is the best. */
static void print_only_size(const struct forecast *forecast, struct text *out)
{
    const size_t width = name_width(forecast);
    const bool has_hol = leaves_hol_out(forecast);
    text_append(out, "\n", 1);
    text_printf(out, "%*s", (int)width - 14, "");
    print_part_names(forecast, "", out);
    if (has_hol) {
        out->length--;
        text_printf(out, "%*s\n", CELL_WIDTH, "hol+");
    }
    for (int is_mixed = 0; is_mixed <= 1; is_mixed++)
        for (size_t row = forecast_text_print_group(forecast, is_mixed, 0, 1, out); row < forecast->n_rows;
             row++) {
            if (forecast_row_is_mixed(forecast, row, 0, 1) != is_mixed)
                continue;
            text_printf(out, "%s ", mark_of(forecast, row, 0));
            forecast_text_print_name(forecast, row, width, out);
            forecast_text_print_parts(forecast, forecast_cell(forecast, row, 0),
                                      forecast_least(forecast, forecast->request.sizes.items[0]), out);
            if (has_hol)
                print_hol_left_out(forecast, forecast_cell(forecast, row, 0), out);
        }
}

/* Says which row is first because the model leaves something out, and how to find out. */
static void print_blocking(const struct forecast *forecast, struct text *out)
{
    struct forecast_blocking blocking;
    struct text words = {0}, size = {0};
    const size_t start = out->length + 1, column = 14;
    if (!forecast->n_rows || !forecast_find_blocking(forecast, &blocking))
        return;
    if (!forecast->has_counts && collective_has_data(forecast->request.collective))
        print_size(forecast->request.sizes.items[blocking.size], &size);
    text_printf(&words, "%s has no head-of-line blocking, and that decides",
                simulation_models[forecast->request.simulation.model].name);
    if (size.data)
        text_printf(&words, " for %s", size.data);
    text_printf(&words, ". By the model step, which has, first is ");
    forecast_row_print(&forecast->rows[blocking.instead], blocking.instead_by_step.variant, &words);
    text_printf(&words, " with ");
    print_time(blocking.instead_by_step.time, &words);
    text_printf(&words, ", and ");
    forecast_row_print(&forecast->rows[forecast->best[blocking.size]], blocking.best_by_step.variant,
                       &words);
    text_printf(&words, " takes ");
    print_time(blocking.best_by_step.time, &words);
    text_printf(&words, ". The same command with ");
    if (forecast->request.sizes.n > 1)
        text_printf(&words, "--bytes %s ", size.data);
    text_printf(&words, "--model flit plays them packet by packet");
    text_printf(out, "\n  note");
    text_to_column(out, start, column);
    text_wrap(out, words.data, column, column);
    text_free(&words);
    text_free(&size);
}

static void print_collective(struct forecast *forecast, struct text *out)
{
    const size_t width = name_width(forecast);
    forecast_text_print_head(forecast, collective_name(forecast->request.collective, forecast->request.form),
                             out);
    print_blocking(forecast, out);
    if (forecast->n_rows && forecast->request.sizes.n == 1)
        print_only_size(forecast, out);
    else if (forecast->n_rows)
        for (size_t first = 0; first < forecast->request.sizes.n; first += COLUMNS) {
            size_t left = forecast->request.sizes.n - first;
            size_t end = first + (left < COLUMNS ? left : COLUMNS);
            forecast_text_print_block(forecast, (struct columns){first, end, width}, out);
        }
    if (forecast->n_rows)
        forecast_text_print_ranges(forecast, out);
    print_refusals(forecast, out);
}

void forecast_text(struct forecast *forecast, bool per_step, struct text *out)
{
    if (forecast->is_of_schedule)
        forecast_text_print_schedule(forecast, per_step, out);
    else
        print_collective(forecast, out);
}
