/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks a row of a CSV table for a call. A row is compared with the library's own bytes of the call,
 * which are those of all ranks for allgather and reducescatter. Calls are single, their buffers not
 * registered.
 */
#include "tables/nccl/model.h"

static uint64_t factor_of(const struct table_query *query)
{
    return query->collective == NCCL_ALLGATHER || query->collective == NCCL_REDUCESCATTER ? query->n_ranks
                                                                                          : 1;
}

static uint64_t nccl_choose_key_of(const struct table_query *query, uint64_t bytes)
{
    uint64_t key;
    return mem_multiply(bytes, factor_of(query), &key) ? key : UINT64_MAX;
}

static bool nccl_choose_fits(const struct nccl_row *row, const struct table_query *query)
{
    const int64_t nodes = query->n_nodes ? query->n_nodes : 1;
    return row->is_read && row->rule.collective == query->collective &&
           (row->nodes == -1 || row->nodes == nodes) &&
           (row->ranks == -1 || row->ranks == (int64_t)query->n_ranks) &&
           (row->pipe_ops == -1 || row->pipe_ops == 1) && (row->registered == -1 || row->registered == 0);
}

static struct table_range without_row(const struct nccl_version *version)
{
    return (struct table_range){.algorithm = "default",
                                .has_channels = !version->has_default,
                                .channels = 1,
                                .why = version->has_default
                                           ? "no row: the library's own choice"
                                           : "no row: the library's own choice, with one channel"};
}

/* Returns the choice of a row, of those that `forced` selects; without one its `why` is NULL. */
static struct table_range nccl_choose_row(const struct nccl_table *of, const struct nccl_forced *forced,
                                          const struct table_query *query, uint64_t bytes,
                                          struct arena *arena)
{
    const uint64_t key = nccl_choose_key_of(query, bytes);
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct nccl_row *row = &of->rows[i];
        if (!nccl_choose_fits(row, query) || !span_has(row->rule.keys, key) ||
            !nccl_can_act(row->rule.collective, row->algorithm) ||
            (forced && !nccl_is_selected(forced, query->collective, row->algorithm, row->protocol)))
            continue;
        const bool is_default = of->version->has_default ? row->channels < 1 : row->channels == 0;
        return (struct table_range){
            .algorithm = nccl_algorithm_names[row->algorithm],
            .protocol = nccl_protocol_names[row->protocol],
            .has_channels = !is_default,
            .channels = row->channels == -1 ? 1 : (uint32_t)row->channels,
            .rule = &row->rule,
            .why = arena_printf(
                arena, "row for %sbytes in %llu..%llu%s", factor_of(query) > 1 ? "ranks x " : "",
                (unsigned long long)row->rule.keys.first, (unsigned long long)row->rule.keys.last,
                row->algorithm == NCCL_RING || row->algorithm == NCCL_TREE
                    ? ""
                    : ", if the machine has the algorithm")};
    }
    return (struct table_range){0};
}

struct table_range nccl_choose(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct nccl_table *of = nccl_table_of(table);
    const struct nccl_forced *forced = of->forced;
    struct table_range range = {0};
    if (!forced || forced->rows)
        range = nccl_choose_row(forced ? nccl_table_of(forced->rows) : of, forced, query, bytes, arena);
    if (range.why && forced)
        range.why = arena_printf(arena, "%s, of '%s'", range.why, forced->rows->source->path);
    if (range.why)
        return range;
    if (of->system && !forced->algorithms.wrong.length && !forced->protocols.wrong.length)
        return nccl_model_choose(of, query, bytes);
    return forced ? nccl_choose_selected(forced, query->collective) : without_row(of->version);
}

void nccl_changes(const struct table *table, const struct table_query *query,
                  void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct nccl_table *of = nccl_table_of(table);
    const uint64_t n = factor_of(query);
    if (of->forced && of->forced->rows)
        nccl_changes(of->forced->rows, query, note, context);
    if (of->system)
        nccl_model_changes(of, query, note, context);
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct span keys = of->rows[i].rule.keys;
        const uint64_t behind = keys.last == UINT64_MAX ? 0 : keys.last + 1;
        note(context, keys.first / n + (keys.first % n != 0));
        note(context, behind / n + (behind % n != 0));
    }
}
