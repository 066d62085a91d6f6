/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See pick.h.
 */
#include "reports/pick.h"

#include "base/quantity.h"
#include "reports/record.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_BYTES, COLUMN_ALGORITHM, COLUMN_PARAMETERS, COLUMN_LINE, N_COLUMNS };

struct cells {
    struct text texts[N_COLUMNS];
};

static void add_parameter(struct text *out, bool has, const char *name, uint64_t value, bool is_size)
{
    if (!has || value == 0)
        return;
    text_printf(out, "%s%s ", out->length ? ", " : "", name);
    if (is_size)
        print_size(value, out);
    else
        text_printf(out, "%llu", (unsigned long long)value);
}

static struct cells cells_of(const struct table *table, const struct table_range *range)
{
    struct cells cells = {0};
    struct text *bytes = &cells.texts[COLUMN_BYTES], *parameters = &cells.texts[COLUMN_PARAMETERS];
    text_printf(bytes, "%llu", (unsigned long long)range->bytes.first);
    if (range->bytes.last != range->bytes.first)
        text_printf(bytes, "..%llu", (unsigned long long)range->bytes.last);
    text_printf(&cells.texts[COLUMN_ALGORITHM], "%s", range->algorithm);
    add_parameter(parameters, range->has_segment, "segment", range->parameters.segment_bytes, true);
    add_parameter(parameters, range->has_fan_out, "fan-out", range->parameters.fan_out, false);
    add_parameter(parameters, range->has_max_requests, "requests", range->parameters.max_requests, false);
    if (range->protocol)
        text_printf(parameters, "%s%s", parameters->length ? ", " : "", range->protocol);
    add_parameter(parameters, range->has_channels, "channels", range->channels, false);
    if (!parameters->length)
        text_printf(parameters, "-");
    if (range->rule && range->rule->line && table->source)
        text_printf(&cells.texts[COLUMN_LINE], "%u", range->rule->line);
    else
        text_printf(&cells.texts[COLUMN_LINE], "-");
    return cells;
}

static void ranges_text(const struct table *table, const struct table_ranges *ranges, struct text *out)
{
    static const char *const heads[N_COLUMNS] = {"bytes", "algorithm", "parameters", "line"};
    size_t widths[N_COLUMNS];
    struct cells *rows = mem_alloc(ranges->n, sizeof *rows);
    for (unsigned i = 0; i < N_COLUMNS; i++)
        widths[i] = strlen(heads[i]);
    for (size_t i = 0; i < ranges->n; i++) {
        rows[i] = cells_of(table, &ranges->items[i]);
        for (unsigned j = 0; j < N_COLUMNS; j++)
            if (rows[i].texts[j].length > widths[j])
                widths[j] = rows[i].texts[j].length;
    }
    for (unsigned j = 0; j < N_COLUMNS; j++)
        text_printf(out, "%-*s  ", (int)widths[j], heads[j]);
    text_printf(out, "why\n");
    for (size_t i = 0; i < ranges->n; i++) {
        const struct table_range *range = &ranges->items[i];
        for (unsigned j = 0; j < N_COLUMNS; j++) {
            text_printf(out, "%-*s  ", (int)widths[j], rows[i].texts[j].data);
            text_free(&rows[i].texts[j]);
        }
        text_printf(out, "%s", range->why);
        if (range->runs_as)
            text_printf(out, "; %s runs in its place", range->runs_as);
        if (range->fails)
            text_printf(out, "; the call fails: %s", range->fails);
        if (range->wrong)
            text_printf(out, "; wrong data and no error: %s", range->wrong);
        text_printf(out, "\n");
    }
    free(rows);
}

void pick_text(const struct picked *picked, struct text *out)
{
    const struct table_query *query = picked->query;
    text_printf(out, "%s of ", picked->table->loader->collectives[query->collective]);
    text_printf(out, "%u rank%s", query->n_ranks, plural(query->n_ranks));
    if (query->n_nodes)
        text_printf(out, " on %u node%s", query->n_nodes, plural(query->n_nodes));
    text_printf(out, ", %s, ", picked->table->loader->target);
    if (picked->table->source)
        text_append_safe(out, picked->table->source->path);
    else
        text_printf(out, "without a table");
    text_printf(out, "%s\n", picked->elsewhere ? ", at the root:" : "");
    ranges_text(picked->table, picked->ranges, out);
    if (!picked->elsewhere)
        return;
    text_printf(out, "elsewhere:\n");
    ranges_text(picked->table, picked->elsewhere, out);
}

#include "reports/pick.def"

void pick_json(const struct picked *picked, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    pick_write(&json, picked);
    json_close(&json, '}');
}
