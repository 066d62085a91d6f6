/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See taken_table.h.
 */
#include "reports/taken_table.h"

#include "base/quantity.h"
#include "reports/record.h"
#include "reports/taken.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- columns ---- */

enum { MAX_COLUMNS = 9 };

struct taken_line {
    struct text cells[MAX_COLUMNS];
};

/* Prints aligned columns, numbers to the right, and frees them. */
static void taken_table_print_lines(struct taken_line *lines, size_t n, size_t n_columns, size_t n_left,
                                    struct text *out)
{
    size_t widths[MAX_COLUMNS] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_columns; k++)
            if (lines[i].cells[k].length > widths[k])
                widths[k] = lines[i].cells[k].length;
    for (size_t i = 0; i < n; i++) {
        size_t n_cells = n_columns;
        while (n_cells && !lines[i].cells[n_cells - 1].length)
            n_cells--;
        for (size_t k = 0; k < n_cells; k++) {
            const char *cell = lines[i].cells[k].data ? lines[i].cells[k].data : "";
            const bool is_last = k + 1 == n_cells;
            const int width = is_last && k < n_left ? 0 : (int)widths[k];
            text_printf(out, k < n_left ? "%-*s%s" : "%*s%s", width, cell, is_last ? "" : "  ");
            text_free(&lines[i].cells[k]);
        }
        text_printf(out, "\n");
    }
}

static void taken_table_print_span(struct span span, struct text *out)
{
    text_printf(out, "%" PRIu64, span.first);
    if (span.last != span.first)
        text_printf(out, "..%" PRIu64, span.last);
}

static void print_time_or_none(uint64_t time, struct text *out)
{
    if (time == UINT64_MAX)
        text_printf(out, "-");
    else
        print_time(time, out);
}

/* ---- what is taken ---- */

static struct taken_line line_of_row(const struct taken_row *row)
{
    struct taken_line line = {0};
    const struct verify_report *report = &row->is.report;
    const bool has_links = !row->is.problem && report->has_network;
    taken_table_print_span(row->bytes, &line.cells[0]);
    taken_choice_text(&row->taken, &line.cells[1]);
    if (row->is.problem) {
        text_printf(&line.cells[2], "%s", row->is.problem);
        return line;
    }
    taken_counterpart_text(&row->taken, &line.cells[2]);
    if (!row->is.is_right)
        text_printf(&line.cells[2], report->n_unrouted ? " (no route)" : " (WRONG)");
    text_printf(&line.cells[3], "%" PRIu64, report->n_steps);
    if (has_links) {
        text_printf(&line.cells[4], "%u", report->max_link_load);
        text_printf(&line.cells[5], "%" PRIu64, report->contended_steps);
    }
    text_printf(&line.cells[6], "%u", report->max_fan_in);
    if (report->bound_ratio > 0)
        text_printf(&line.cells[7], "%.2f", report->bound_ratio);
    print_time_or_none(row->is.time, &line.cells[8]);
    return line;
}

void taken_table_text(const struct taken_table *table, const struct taken_place *place, struct text *out)
{
    static const char *const heads[MAX_COLUMNS] = {"bytes",     "takes",  "here",    "steps", "load",
                                                   "contended", "fan-in", "x bound", "time"};
    struct taken_line *lines = mem_alloc(table->n + 1, sizeof *lines);
    lines[0] = (struct taken_line){0};
    for (size_t k = 0; k < MAX_COLUMNS; k++)
        text_printf(&lines[0].cells[k], "%s", heads[k]);
    for (size_t i = 0; i < table->n; i++)
        lines[i + 1] = line_of_row(&table->rows[i]);
    text_printf(out, "%s of %u rank%s on %u host%s", collective_name(place->collective, place->form),
                table->query.n_ranks, plural(table->query.n_ranks), table->query.n_nodes,
                plural(table->query.n_nodes));
    if (place->topology) {
        text_printf(out, ", ");
        text_append_safe(out, place->topology->name);
    }
    text_printf(out, ", as %s takes it, ", table->table->loader->target);
    if (table->table->source)
        text_append_safe(out, table->table->source->path);
    else
        text_printf(out, "without a table");
    text_printf(out, "\n");
    taken_table_print_lines(lines, table->n + 1, MAX_COLUMNS, 3, out);
    text_printf(out, "all figures are for the last size of a range");
    if (place->topology)
        text_printf(out, "; times by the model %s", simulation_models[place->simulation.model].name);
    text_printf(out, "\n");
    const struct taken_row *row = table->rows, *end = row + table->n;
    while (row < end && !row->is.unrouted)
        row++;
    if (row < end)
        text_printf(out, "%s\n", row->is.unrouted);
    free(lines);
}

/* ---- what changes ---- */

static void taken_table_print_name(const struct table *table, struct text *out)
{
    text_printf(out, "%s", table->loader->target);
    if (!table->source)
        return;
    text_printf(out, " under ");
    text_append_safe(out, table->source->path);
}

static struct taken_line line_of_change(const struct taken_change *change, bool has_times)
{
    struct taken_line line = {0};
    taken_table_print_span(change->bytes, &line.cells[0]);
    taken_choice_text(&change->from, &line.cells[1]);
    taken_choice_text(&change->to, &line.cells[2]);
    if (!has_times)
        return line;
    print_time_or_none(change->from_time, &line.cells[3]);
    print_time_or_none(change->to_time, &line.cells[4]);
    if (change->from_time == UINT64_MAX || change->to_time == UINT64_MAX || !change->from_time)
        text_printf(&line.cells[5], "%s", change->problem ? change->problem : "-");
    else
        text_printf(&line.cells[5], "%+.1f %%",
                    100 * ((double)change->to_time / (double)change->from_time - 1));
    return line;
}

void taken_changes_text(const struct taken_comparison *comparison, struct text *out)
{
    static const char *const heads[] = {"bytes", "from", "to", "time", "then", "change"};
    const struct taken_changes *changes = comparison->changes;
    const struct table_query *query = comparison->query;
    const size_t n_columns = comparison->place ? 6 : 3;
    text_printf(out, "%s of %u rank%s, from ", comparison->from->loader->collectives[query->collective],
                query->n_ranks, plural(query->n_ranks));
    taken_table_print_name(comparison->from, out);
    text_printf(out, " to ");
    taken_table_print_name(comparison->to, out);
    if (!changes->n) {
        text_printf(out, ": nothing changes\n");
        return;
    }
    text_printf(out, "\n");
    struct taken_line *lines = mem_alloc(changes->n + 1, sizeof *lines);
    lines[0] = (struct taken_line){0};
    for (size_t k = 0; k < n_columns; k++)
        text_printf(&lines[0].cells[k], "%s", heads[k]);
    for (size_t i = 0; i < changes->n; i++)
        lines[i + 1] = line_of_change(&changes->items[i], comparison->place);
    taken_table_print_lines(lines, changes->n + 1, n_columns, 3, out);
    if (comparison->place)
        text_printf(out, "times are for the last size of a range, by the model %s\n",
                    simulation_models[comparison->place->simulation.model].name);
    free(lines);
}

#include "reports/taken_table.def"

void taken_table_json(const struct taken_table *table, const struct taken_place *place, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    taken_table_write(&json, table, place);
    json_close(&json, '}');
}

void taken_changes_json(const struct taken_comparison *comparison, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    taken_changes_write(&json, comparison);
    json_close(&json, '}');
}
