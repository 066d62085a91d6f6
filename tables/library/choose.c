/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks the algorithm for a call as a library does: the first rule that is met decides.
 */
#include "tables/library/library.h"

#include "ir/collective.h"

#include <inttypes.h>

static const char *const library_collectives[] = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",      "barrier",
    "bcast",     "exscan",     "gather",    "gatherv",  "reduce",    "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter",    "scatterv"};

bool library_is_sized(const char *name)
{
    enum collective_form form = FORM_EQUAL;
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    return (form == FORM_EQUAL && collective_has_data(collective)) || form == FORM_allgatherv ||
           form == FORM_reduce_scatter;
}

/* Finds the numbers that the library asks of the call. Operations are taken for inexact ones, as on floats,
 * unless the query knows better. */
static void choose_find_numbers(const struct table *table, const struct table_query *query, uint64_t bytes,
                                uint64_t number[collc_n_keys])
{
    enum collective_form form = FORM_EQUAL;
    const char *name = table->loader->collectives[query->collective];
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    const bool reduces = collective_table[collective].reduces;
    number[collc_key_bytes] = library_is_sized(name) ? bytes : UINT64_MAX;
    number[collc_key_ranks] = query->n_ranks;
    number[collc_key_hosts] = query->n_nodes ? query->n_nodes : UINT64_MAX;
    number[collc_key_per_host] =
        query->n_nodes && query->n_ranks % query->n_nodes == 0 ? query->n_ranks / query->n_nodes : UINT64_MAX;
    number[collc_key_commutes] = reduces ? !query->is_ordered : UINT64_MAX;
    number[collc_key_exact] = reduces ? query->is_exact : UINT64_MAX;
}

/* True if the file has the claim, a line of its own. */
static bool choose_claims(const struct embedded_file *file, const char *claim)
{
    struct slice rest = {file->text, file->length}, line = library_next_line(&rest);
    while (line.length && !slice_is(line, claim))
        line = library_next_line(&rest);
    return line.length;
}

/* True if the library leaves the call to the MPI as the algorithm may not combine with its operation. */
static bool choose_is_refused(const char *name, const struct embedded_file *file,
                              const struct table_query *query)
{
    enum collective_form form = FORM_EQUAL;
    return file && collective_table[collective_find_form(name, strlen(name), &form)].reduces &&
           ((query->is_ordered && !choose_claims(file, "ordered")) ||
            (!query->is_exact && choose_claims(file, "exact")));
}

static struct table_range library_choose(const struct table *table, const struct table_query *query,
                                         bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct library_table *of = library_table_of(table);
    uint64_t number[collc_n_keys];
    bool asks_hosts = false;
    if (table->ignored)
        return (struct table_range){
            .algorithm = "default",
            .why = arena_printf(arena, "%s:%" PRIu32 ": %s: the MPI decides", table->source->path,
                                table->ignored_at.line, table->ignored)};
    choose_find_numbers(table, query, bytes, number);
    for (size_t i = 0; i < of->read.n; i++) {
        const struct collc_rule *rule = &of->read.items[i];
        if (table->rules[i].collective != query->collective)
            continue;
        if (!collc_is_met(rule, number)) {
            asks_hosts =
                asks_hosts || collc_asks(rule, collc_key_hosts) || collc_asks(rule, collc_key_per_host);
            continue;
        }
        const bool is_mpi = collc_is_word(rule->algorithm, "mpi");
        const struct collc_word word = collc_algorithm_name(rule->algorithm);
        struct text name = {0};
        text_append(&name, word.text, word.length);
        for (int k = 0; k < rule->n_parameters; k++)
            text_printf(&name, " %.*s=%lld", (int)rule->parameter[k].length, rule->parameter[k].text,
                        (long long)rule->value[k]);
        struct table_range range = {.algorithm = is_mpi ? "default" : arena_printf(arena, "%s", name.data),
                                    .rule = &table->rules[i],
                                    .why = "the first rule that is met"};
        if (!is_mpi &&
            choose_is_refused(table->loader->collectives[query->collective], of->files[i], query)) {
            range.runs_as = "default";
            range.why = "the first rule that is met; its algorithm is not for this operation: the MPI decides";
        }
        text_free(&name);
        return range;
    }
    return (struct table_range){
        .algorithm = "default",
        .why = asks_hosts && !query->n_nodes
                   ? "no rule, as it is not said on how many hosts (--nodes): the MPI decides"
                   : "no rule: the MPI decides"};
}

static void library_changes(const struct table *table, const struct table_query *query,
                            void (*note)(void *context, uint64_t bytes), void *context)
{
    for (size_t i = 0; i < table->n_rules; i++) {
        if (table->rules[i].collective != query->collective)
            continue;
        note(context, table->rules[i].keys.first);
        if (table->rules[i].keys.last < SPAN_NO_END)
            note(context, table->rules[i].keys.last + 1);
    }
}

static struct slice library_key(const struct setting *setting)
{
    return slice_is(setting->name, "COLLC_TABLE") ? setting->name : (struct slice){0};
}

static const char *library_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting, (void)arena;
    return "every collective";
}

static struct table *library_read_settings(const struct table_loader *loader, const struct settings *settings,
                                           struct arena *arena, struct diagnostics *diagnostics)
{
    return table_read_named(loader, settings, "COLLC_TABLE", arena, diagnostics);
}

static const struct settings_dialect dialect = {
    .example = "'export COLLC_TABLE=/site/collc.rules', and a table begins with 'collc-table 1'",
    .key = library_key,
    .calls = library_calls};

const struct table_loader library_loader = {.target = "library",
                                            .collectives = library_collectives,
                                            .n_collectives =
                                                sizeof library_collectives / sizeof *library_collectives,
                                            .is_file = library_is_file,
                                            .read = library_read,
                                            .dialect = &dialect,
                                            .read_settings = library_read_settings,
                                            .choose = library_choose,
                                            .changes = library_changes,
                                            .lint = library_lint,
                                            .writer = &library_writer};
