/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks a row of a table of NCCLX for a call; the linter and the loader's record. Rows are compared with
 * NCCL's bytes divided by the ranks: a rank's bytes for allgather and reducescatter, else a share of the
 * buffer.
 */
#include "base/codes.h"
#include "tables/ncclx/ncclx.h"

static bool is_of_ranks(uint32_t collective)
{
    return collective == NCCL_ALLGATHER || collective == NCCL_REDUCESCATTER;
}

static uint64_t ncclx_choose_nodes_of(const struct table_query *query)
{
    return query->n_nodes ? query->n_nodes : 1;
}

/* Returns the ranks as the tuner counts them: those of a node, rounded down, times the nodes. */
static uint64_t ncclx_choose_ranks_of(const struct table_query *query)
{
    const uint64_t ranks = query->n_ranks / ncclx_choose_nodes_of(query) * ncclx_choose_nodes_of(query);
    return ranks ? ranks : 1;
}

static bool ncclx_choose_fits(const struct ncclx_row *row, const struct table_query *query)
{
    return row->rule.collective == query->collective && span_has(row->nodes, ncclx_choose_nodes_of(query)) &&
           span_has(row->local, query->n_ranks / ncclx_choose_nodes_of(query)) &&
           nccl_can_act(row->rule.collective, row->algorithm);
}

static struct table_range ncclx_choose(const struct table *table, const struct table_query *query,
                                       bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct ncclx_table *of = ncclx_table_of(table);
    const uint64_t factor = is_of_ranks(query->collective) ? query->n_ranks : 1;
    uint64_t key;
    if (!mem_multiply(bytes, factor, &key))
        key = INT64_MAX;
    key /= ncclx_choose_ranks_of(query);
    if (table->ignored)
        return (struct table_range){.algorithm = "none",
                                    .fails = "no communicator is made: a row of the table is wrong",
                                    .why = arena_printf(arena, "the table is refused: %s", table->ignored)};
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct ncclx_row *row = &of->rows[i];
        if (!ncclx_choose_fits(row, query) || !span_has(row->rule.keys, key))
            continue;
        return (struct table_range){
            .algorithm = nccl_algorithm_names[row->algorithm],
            .protocol = nccl_protocol_names[row->protocol],
            .has_channels = row->channels != -1,
            .channels = (uint32_t)row->channels,
            .rule = &row->rule,
            .why = row->chunk_bytes
                       ? arena_printf(arena, "row for these bytes per rank; chunks of %llu bytes",
                                      (unsigned long long)row->chunk_bytes)
                       : "row for these bytes per rank"};
    }
    return (struct table_range){.algorithm = "default", .why = "no row: the library's own choice"};
}

/* Returns the fewest of the user's bytes that have the key. */
static uint64_t bytes_for(const struct table_query *query, uint64_t key)
{
    const uint64_t factor = is_of_ranks(query->collective) ? query->n_ranks : 1;
    uint64_t total;
    if (!mem_multiply(key, ncclx_choose_ranks_of(query), &total))
        return 0;
    return total / factor + (total % factor != 0);
}

static void ncclx_choose_changes(const struct table *table, const struct table_query *query,
                                 void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct ncclx_table *of = ncclx_table_of(table);
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct span keys = of->rows[i].rule.keys;
        note(context, bytes_for(query, keys.first));
        note(context, keys.last == SPAN_NO_END ? 0 : bytes_for(query, keys.last + 1));
    }
}

/* ---- lint ---- */

static bool ncclx_choose_has(struct span a, struct span b)
{
    return a.first <= b.first && b.last <= a.last;
}

static bool is_empty(struct span span)
{
    return span.first > span.last;
}

/* True if one row before it has all its calls. */
static bool ncclx_choose_is_hidden(const struct ncclx_table *of, size_t which)
{
    const struct ncclx_row *row = &of->rows[which];
    for (size_t i = 0; i < which; i++) {
        const struct ncclx_row *other = &of->rows[i];
        if (other->rule.collective == row->rule.collective &&
            ncclx_choose_has(other->rule.keys, row->rule.keys) &&
            ncclx_choose_has(other->nodes, row->nodes) && ncclx_choose_has(other->local, row->local) &&
            nccl_can_act(other->rule.collective, other->algorithm))
            return true;
    }
    return false;
}

static void ncclx_choose_lint(const struct table *table, struct diagnostics *findings)
{
    const struct ncclx_table *of = ncclx_table_of(table);
    if (table->ignored)
        report(findings, CODE_B021, table->ignored_at, "no communicator is made: %s", table->ignored)->help =
            "with NCCLX_TUNER_IGNORE_CONFIG_ERRORS rows that are wrong are left out instead";
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct ncclx_row *row = &of->rows[i];
        if (row->has_more)
            report(findings, CODE_B004, row->at, "columns behind the eighth are not read");
        if (!nccl_can_act(row->rule.collective, row->algorithm))
            report(findings, CODE_B009, row->at, "the row never acts: there is no %s for %s",
                   nccl_algorithm_names[row->algorithm], nccl_collective_names[row->rule.collective]);
        else if (is_empty(row->rule.keys) || is_empty(row->nodes) || is_empty(row->local))
            report(findings, CODE_B009, row->at, "the row never acts: a range has nothing in it");
        else if (ncclx_choose_is_hidden(of, i))
            report(findings, CODE_B009, row->at, "the row never acts: a row before it has all its calls");
    }
}

static struct slice ncclx_key(const struct setting *setting)
{
    return slice_is(setting->name, "NCCLX_TUNER_CONFIG_FILE") ? setting->name : (struct slice){0};
}

static const char *ncclx_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective";
}

static const struct settings_dialect dialect = {
    .example = "'export NCCLX_TUNER_CONFIG_FILE=/site/rules.csv'",
    .key = ncclx_key,
    .calls = ncclx_calls};

static bool ncclx_is_file(const struct table_loader *loader, const struct source *source,
                          const struct settings *settings)
{
    return *source_start(source) == '{' || nccl_is_file(loader, source, settings);
}

static struct table *ncclx_read_settings(const struct table_loader *loader, const struct settings *settings,
                                         struct arena *arena, struct diagnostics *diagnostics)
{
    return table_read_named(loader, settings, "NCCLX_TUNER_CONFIG_FILE", arena, diagnostics);
}

extern const struct table_loader ncclx_loader;
const struct table_loader ncclx_loader = {.target = "ncclx",
                                          .collectives = nccl_collective_names,
                                          .n_collectives = NCCL_N_COLLECTIVES,
                                          .is_file = ncclx_is_file,
                                          .read = ncclx_read,
                                          .dialect = &dialect,
                                          .read_settings = ncclx_read_settings,
                                          .choose = ncclx_choose,
                                          .changes = ncclx_choose_changes,
                                          .lint = ncclx_choose_lint};
