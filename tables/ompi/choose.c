/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the algorithm that coll/tuned calls for a collective: the row of the table if one acts, else the
 * built-in decision; and the algorithm that runs in its place if it is not defined for the call
 * (ompi_coll_base_*, 4.1.4).
 */
#include "tables/ompi/forced.h"

#include "base/integer.h"
#include "base/quantity.h"

#include <string.h>

/* ---- keys ---- */

static bool reads_send_count(uint32_t collective)
{
    return collective == OMPI_allgather || collective == OMPI_alltoall;
}

/* Returns the size that the loader sees on this rank. It reads the send arguments even if MPI ignores them:
 * all of them with MPI_IN_PLACE (of gather at the root), of scatter elsewhere. Of allgatherv it reads the
 * counts of all ranks, but the datatype of the send buffer, which may be missing. */
static uint64_t ompi_choose_bytes_seen(const struct table_query *query, bool is_elsewhere, uint64_t bytes)
{
    const uint32_t collective = query->collective;
    const uint64_t ignored = query->insignificant_bytes;
    if (query->is_in_place && (reads_send_count(collective) || (collective == OMPI_gather && !is_elsewhere)))
        return ignored;
    if (query->is_in_place && collective == OMPI_allgatherv)
        return ignored ? bytes : 0;
    return collective == OMPI_scatter && is_elsewhere && query->has_insignificant ? ignored : bytes;
}

/* Returns the same for the built-in decisions, which read only significant arguments, except for the send
 * counts of allgather and alltoall. */
static uint64_t bytes_seen_fixed(const struct table_query *query, uint64_t bytes)
{
    return query->is_in_place && reads_send_count(query->collective) ? query->insignificant_bytes : bytes;
}

static uint64_t ompi_choose_key_of(enum ompi_key key, const struct table_query *query, uint64_t bytes)
{
    switch (key) {
    case KEY_BYTES: return bytes;
    case KEY_TOTAL: return multiply_within(bytes, query->n_ranks);
    case KEY_TYPE: return multiply_within(query->type_bytes, query->n_ranks);
    case KEY_ZERO:
    case KEY_UNUSED: break;
    }
    return 0;
}

bool ompi_agrees(const struct table *table, const struct table_query *query)
{
    (void)table;
    return !(query->collective == OMPI_gather && query->is_in_place) &&
           !(query->collective == OMPI_scatter && query->has_insignificant);
}

/* ---- what runs ---- */

/* Returns the elements of a segment, rounded; all elements if the segment is not smaller. */
static uint64_t segment_count(const struct table_query *query, uint64_t segment, uint64_t count)
{
    const uint64_t type = query->type_bytes;
    if (segment < type || segment >= multiply_within(type, count))
        return count;
    return segment / type + (segment % type > type / 2);
}

static const char *ring_or_less(const struct table_query *query, uint64_t count)
{
    return count < query->n_ranks ? "recursive_doubling" : "ring";
}

/* Returns the algorithm that runs instead for so many elements, or NULL. */
static const char *runs_as(const struct ompi_algorithm *algorithm, const struct table_query *query,
                           uint64_t segment, uint64_t bytes)
{
    const uint64_t n = query->n_ranks, type = query->type_bytes, count = bytes / type;
    switch (algorithm->needs) {
    case NEEDS_EVEN:
        return n % 2 ? "ring" : NULL;
    case NEEDS_POWER:
        return is_power_of_two(n) ? NULL : "bruck";
    case NEEDS_PER_RANK:
        return count >= n                               ? NULL
               : algorithm->collective == OMPI_allreduce ? "recursive_doubling"
                                                         : "basic_linear";
    case NEEDS_PER_POWER:
        return count >= power_of_two_within(n) && !query->is_ordered ? NULL
               : algorithm->collective == OMPI_reduce         ? "linear"
                                                              : "basic_linear";
    case NEEDS_COMMUTES:
        return query->is_ordered ? "basic_linear" : NULL;
    case NEEDS_RING:
        return count < multiply_within(n, segment_count(query, segment, count)) ? ring_or_less(query, count)
                                                                                : NULL;
    case NEEDS_HALVES:
        return count < 2 || (segment && (segment < type ? type : segment) > multiply_within(count / 2, type))
                   ? "chain"
                   : NULL;
    case NEEDS_ALL:
    case NEEDS_TWO:
        break;
    }
    return NULL;
}

/* ---- the decision ---- */

static const struct table_rule *acting_rule(const struct table *table, const struct table_query *query,
                                            uint64_t key)
{
    if (table->ignored || ompi_collectives[query->collective].key == KEY_UNUSED)
        return NULL;
    if (ompi_table_of(table)->json)
        return ompi_json_rule(ompi_table_of(table), query, key);
    for (size_t i = 0; i < table->n_rules; i++) {
        const struct table_rule *rule = &table->rules[i];
        if (rule->collective == query->collective && span_has(rule->ranks, query->n_ranks) &&
            span_has(rule->keys, key))
            return rule;
    }
    return NULL;
}

static const struct table_rule *rule_for(const struct table *table, const struct table_query *query,
                                         bool is_elsewhere, uint64_t bytes)
{
    const enum ompi_key key = ompi_collectives[query->collective].key;
    return acting_rule(table, query,
                       ompi_choose_key_of(key, query, ompi_choose_bytes_seen(query, is_elsewhere, bytes)));
}

static const char *key_words(enum ompi_key key, const struct table_query *query, struct arena *arena)
{
    switch (key) {
    case KEY_BYTES: return "bytes";
    case KEY_TOTAL: return arena_printf(arena, "%u x bytes", query->n_ranks);
    case KEY_TYPE: return arena_printf(arena, "%u x the size of the datatype", query->n_ranks);
    case KEY_ZERO:
    case KEY_UNUSED: break;
    }
    return "0, whatever the size,";
}

static const char *why_rule(const struct table_query *query, const struct table_rule *rule,
                            struct arena *arena)
{
    const char *words = key_words(ompi_collectives[query->collective].key, query, arena);
    struct text span = {0};
    if (rule->keys.last == SPAN_NO_END)
        text_printf(&span, "from %llu on", (unsigned long long)rule->keys.first);
    else
        text_printf(&span, "in %llu..%llu", (unsigned long long)rule->keys.first,
                    (unsigned long long)rule->keys.last);
    const char *why = arena_printf(arena, "row for %s %s", words, span.data);
    text_free(&span);
    return why;
}

/* Returns why nothing is forced for lack of a parameter, unless the script makes its value. */
static const char *why_lacking(const struct ompi_settings *of, const char *parameter, const char *why,
                               struct arena *arena)
{
    const struct setting *setting = settings_acting(of->settings, &ompi_dialect, slice_of(parameter));
    return setting && setting->is_computed
               ? arena_printf(arena, "the value of %s is not known: fixed decision without it", parameter)
               : why;
}

static const char *why_not_forced(const struct ompi_settings *of, uint32_t collective, struct arena *arena)
{
    const struct setting *algorithm = of->of[collective].by[PARAMETER_ALGORITHM];
    const char *name = ompi_collective_names[collective];
    if (of->is_without_tuned)
        return "coll/tuned is not among the components: another one decides";
    if (!of->is_dynamic)
        return why_lacking(of, "coll_tuned_use_dynamic_rules",
                           "coll_tuned_use_dynamic_rules is not set: fixed decision", arena);
    if (algorithm)
        return arena_printf(arena, "'%.*s' is no algorithm of %s: fixed decision",
                            (int)ompi_value(algorithm).length, ompi_value(algorithm).text, name);
    const char *why = of->filename && !of->rules
                          ? "the rule file is not here: fixed decision without it"
                          : arena_printf(arena, "no algorithm is forced for %s: fixed decision", name);
    why = why_lacking(of, "coll_tuned_dynamic_rules_filename", why, arena);
    return why_lacking(of, arena_printf(arena, "coll_tuned_%s_algorithm", name), why, arena);
}

static const char *why_no_rule(const struct table *table, const struct table_query *query,
                               const struct table_rule *rule, struct arena *arena)
{
    const char *name = ompi_collective_names[query->collective];
    const struct ompi_table *of = ompi_table_of(table);
    if (of->forced)
        return why_not_forced(of->forced, query->collective, arena);
    if (table->ignored)
        return arena_printf(arena, "the file is ignored (%s): fixed decision", table->ignored);
    if (ompi_collectives[query->collective].key == KEY_UNUSED)
        return arena_printf(arena, "coll/tuned has no algorithms for %s", name);
    if (rule)
        return arena_printf(arena, "the row of line %u says 0: fixed decision", rule->line);
    bool has_rules = false;
    for (size_t i = 0; i < table->n_rules; i++)
        has_rules |= table->rules[i].collective == query->collective;
    for (size_t i = 0; i < of->n_json_entries; i++)
        has_rules |= of->json_entries[i].collective == query->collective;
    if (has_rules)
        return arena_printf(arena, "no row for %s acts on these ranks and sizes: fixed decision", name);
    return arena_printf(arena, "no row for %s: fixed decision", name);
}

static void ompi_choose_describe(struct table_range *range, const struct ompi_algorithm *algorithm,
                                 const struct table_query *query, uint64_t bytes)
{
    range->algorithm = algorithm->name;
    range->has_segment = algorithm->uses & USES_SEGMENT;
    range->has_fan_out = algorithm->uses & USES_FAN_OUT;
    range->has_max_requests = algorithm->uses & USES_REQUESTS;
    if (!range->has_segment)
        range->parameters.segment_bytes = 0;
    if (!range->has_fan_out)
        range->parameters.fan_out = 0;
    if (!range->has_max_requests)
        range->parameters.max_requests = 0;
    const bool is_exchange =
        algorithm->collective == OMPI_alltoall || algorithm->collective == OMPI_alltoallv;
    if (is_exchange && query->is_in_place)
        range->runs_as = "basic_inplace"; /* whatever the algorithm */
    else if (algorithm->needs == NEEDS_TWO && query->n_ranks != 2)
        range->fails = "MPI_ERR_UNSUPPORTED_OPERATION: it is for 2 ranks";
    else
        range->runs_as = runs_as(algorithm, query, range->parameters.segment_bytes, bytes);
}

/* ---- operations that do not commute ---- */

/* Returns the bytes of the reduction that the algorithm makes on the communicator. */
static uint64_t bytes_reduced(const struct table_query *query, uint64_t bytes)
{
    return query->collective == OMPI_allreduce ? bytes : multiply_within(bytes, query->n_ranks);
}

/* True if what runs combines data in another order than that of ranks. */
static bool is_out_of_order(const struct table *table, const struct table_query *query,
                            const struct table_range *range, uint64_t bytes, struct arena *arena)
{
    const struct ompi_version *version = table->loader->version;
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_named(version, query->collective, range->algorithm);
    const char *instead = range->runs_as;
    if (!algorithm || bytes == 0)
        return false;
    if (instead)
        algorithm = ompi_algorithm_named(version, query->collective, instead);
    if (algorithm && algorithm->breaks == BREAKS_REDUCE) {
        struct table_query reduction = *query;
        reduction.collective = OMPI_reduce;
        return ompi_choose(table, &reduction, false, bytes_reduced(query, bytes), arena).wrong != NULL;
    }
    return algorithm && algorithm->breaks == BREAKS_ORDER;
}

static struct table_range by_rule(const struct table *table, const struct table_query *query,
                                  const struct table_rule *rule, uint64_t bytes, struct arena *arena)
{
    const struct ompi_version *version = table->loader->version;
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(version, query->collective, rule->algorithm);
    struct table_range range = {.parameters = rule->parameters, .rule = rule,
                                .why = why_rule(query, rule, arena)};
    if (algorithm) {
        ompi_choose_describe(&range, algorithm, query, bytes);
    } else {
        range.algorithm = arena_printf(arena, "%lld", (long long)rule->algorithm);
        range.fails = arena_printf(arena, "MPI_ERR_ARG: %s of %s has no such algorithm",
                                   ompi_collective_names[query->collective], version->title);
    }
    return range;
}

struct table_range ompi_outcome(const struct table_loader *loader, const struct table_query *query,
                                const struct table_choice *choice, uint64_t bytes)
{
    const struct ompi_version *version = loader->version;
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_named(version, query->collective, choice->algorithm);
    struct table_range range = {.bytes = {bytes, bytes}, .parameters = choice->parameters};
    if (!algorithm)
        return range;
    ompi_choose_describe(&range, algorithm, query, bytes);
    return range;
}

static struct table_range ompi_choose_by_default(const struct table *table, const struct table_query *query,
                                                 const struct table_rule *rule, uint64_t bytes,
                                                 struct arena *arena)
{
    const struct ompi_version *version = table->loader->version;
    const struct ompi_collective_info *info = &ompi_collectives[query->collective];
    struct table_range range = {.why = why_no_rule(table, query, rule, arena)};
    const int64_t number =
        ompi_fixed(query->collective, query->is_ordered, query->n_ranks,
                   ompi_choose_key_of(info->fixed_key, query, bytes_seen_fixed(query, bytes)));
    const struct ompi_algorithm *algorithm = ompi_algorithm_find(version, query->collective, number);
    range.algorithm = "default";
    if (!algorithm)
        return range;
    if ((algorithm->uses & USES_RADIX) == USES_RADIX)
        range.parameters.fan_out = LEAST_RADIX;
    ompi_choose_describe(&range, algorithm, query, bytes);
    return range;
}

/* Returns the choice by parameters: a row of the file that they name, else the algorithm that they force. */
static struct table_range by_settings(const struct table *table, const struct table_query *query,
                                      bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    const struct ompi_settings *of = ompi_table_of(table)->forced;
    const struct ompi_forced *forced = &of->of[query->collective];
    if (of->is_without_tuned)
        return (struct table_range){.algorithm = "default",
                                    .why = why_not_forced(of, query->collective, arena)};
    const struct table_rule *row =
        of->is_dynamic && of->rules ? rule_for(of->rules, query, is_elsewhere, bytes) : NULL;
    struct table_range range;
    if (row && row->algorithm) {
        range = by_rule(of->rules, query, row, bytes, arena);
        range.why = arena_printf(arena, "%s, of '%s'", range.why, of->rules->source->path);
    } else if (of->is_dynamic && forced->rule.algorithm) {
        range = by_rule(table, query, &forced->rule, bytes, arena);
        const struct setting *by = forced->by[PARAMETER_ALGORITHM];
        range.why = arena_printf(arena, "forced by %.*s", (int)by->name.length, by->name.text);
        if (by->source)
            range.why = arena_printf(arena, "%s, line %u of %s", range.why, by->line, by->source->path);
    } else {
        range = ompi_choose_by_default(table, query, NULL, bytes, arena);
    }
    return range;
}

struct table_range ompi_choose(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    const bool is_forced = ompi_table_of(table)->forced != NULL;
    if (table->ends_program)
        return (struct table_range){.algorithm = "none",
                                    .why = is_forced ? "no program runs with these settings" : "the file is refused",
                                    .fails = is_forced ? table->ignored
                                                       : arena_printf(arena, "the program ends: %s", table->ignored)};
    /* With a rank on each host coll/han hands all calls on (coll_han_subcomms.c of 5.0.10). */
    if (!query->is_launched && query->n_nodes > 1 && query->n_nodes < query->n_ranks &&
        ompi_is_of_han(table->loader->version, query->collective))
        return (struct table_range){
            .algorithm = "han", .why = "coll/han answers where ranks are on several machines; the table acts "
                                       "on its communicators within a machine and between machines"};
    const struct table_rule *rule = is_forced ? NULL : rule_for(table, query, is_elsewhere, bytes);
    struct table_range range = is_forced ? by_settings(table, query, is_elsewhere, bytes, arena)
                               : rule && rule->algorithm
                                   ? by_rule(table, query, rule, bytes, arena)
                                   : ompi_choose_by_default(table, query, rule, bytes, arena);
    if (query->is_ordered && !range.fails && is_out_of_order(table, query, &range, bytes, arena))
        range.wrong = "it does not keep the order of ranks";
    return range;
}

/* ---- where it changes ---- */

struct noting {
    const struct table_query *query;
    enum ompi_key key;
    void (*note)(void *context, uint64_t bytes);
    void *context;
};

/* Notes the least bytes that have this key or a greater one. */
static void note_key(void *context, uint64_t key)
{
    const struct noting *noting = context;
    const uint64_t n = noting->key == KEY_TOTAL ? noting->query->n_ranks : 1;
    if (noting->key == KEY_BYTES || noting->key == KEY_TOTAL)
        noting->note(noting->context, key / n + (key % n != 0));
}

/* Notes the numbers of elements that algorithms test (runs_as). */
static void note_counts(const struct noting *noting, uint64_t segment)
{
    const struct table_query *query = noting->query;
    const uint64_t n = query->n_ranks, type = query->type_bytes;
    const uint64_t of_segment = segment_count(query, segment, UINT64_MAX / type);
    const uint64_t halves = segment / type + (segment % type != 0);
    const uint64_t counts[] = {1, 2, n, power_of_two_within(n), multiply_within(n, of_segment),
                               multiply_within(2, halves)};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        noting->note(noting->context, multiply_within(counts[i], type));
}

/* Notes the bytes at which the algorithm's inner reduction changes, for operations whose order counts. */
static void note_reduction(void *context, uint64_t bytes)
{
    const struct noting *noting = context;
    const uint64_t n = noting->query->collective == OMPI_allreduce ? 1 : noting->query->n_ranks;
    noting->note(noting->context, divide_up(bytes, n));
}

static void changes_of_reduction(const struct table *table, const struct table_query *query,
                                 void (*note)(void *context, uint64_t bytes), void *context)
{
    struct noting noting = {.query = query, .note = note, .context = context};
    struct table_query reduction = *query;
    reduction.collective = OMPI_reduce;
    note(context, 1);
    if (query->collective == OMPI_allreduce || query->collective == OMPI_reduce_scatter ||
        query->collective == OMPI_reduce_scatter_block)
        ompi_changes(table, &reduction, note_reduction, &noting);
}

void ompi_changes(const struct table *table, const struct table_query *query,
                  void (*note)(void *context, uint64_t bytes), void *context)
{
    if (query->is_ordered)
        changes_of_reduction(table, query, note, context);
    const struct ompi_collective_info *info = &ompi_collectives[query->collective];
    struct noting fixed = {query, info->fixed_key, note, context};
    struct noting noting = {query, info->key, note, context};
    ompi_fixed_changes(query->collective, query->n_ranks, note_key, &fixed);
    note_counts(&fixed, 0);
    for (size_t i = 0; i < table->n_rules; i++) {
        const struct table_rule *rule = &table->rules[i];
        if (rule->collective != query->collective || !span_has(rule->ranks, query->n_ranks))
            continue;
        note_key(&noting, rule->keys.first);
        note_counts(&noting, rule->parameters.segment_bytes);
    }
    const struct ompi_table *of = ompi_table_of(table);
    if (of->forced)
        note_counts(&noting, of->forced->of[query->collective].rule.parameters.segment_bytes);
    if (of->forced && of->forced->rules)
        ompi_changes(of->forced->rules, query, note, context);
    for (size_t i = 0; i < of->n_json_rows; i++) {
        const struct table_rule *rule = &of->json_rows[i].rule;
        if (rule->collective != query->collective)
            continue;
        note_key(&noting, rule->keys.first);
        note_key(&noting, rule->keys.last == SPAN_NO_END ? 0 : rule->keys.last + 1);
        note_counts(&noting, rule->parameters.segment_bytes);
    }
}
