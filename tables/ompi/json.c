/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads rule files of Open MPI 6 in JSON, as coll/tuned does (coll_tuned_dynamic_file.c of the main
 * branch, with json-parser). Of duplicate keys the first counts, but of duplicate collectives the last. A
 * table that is valid JSON and has an error drops the file; a rule with an unknown algorithm is left out.
 */
#include "tables/ompi/ompi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct json_dialect json_parser = {.has_trailing_commas = true,
                                                .has_raw_controls = true,
                                                .has_any_escape = true,
                                                .has_mark = true,
                                                .max_depth = 512};

struct reader {
    struct ompi_table *of;
    struct arena *arena;
    size_t entry_capacity, row_capacity; /* capacities of the arrays, which are on the heap meanwhile */
};

const struct json_node *ompi_json_of(const struct source *source, struct arena *arena)
{
    struct json_fault fault = {0};
    return json_tree(source, &json_parser, arena, &fault);
}

static bool ompi_json_reject(struct reader *reader, const struct json_node *node, const char *why)
{
    if (!reader->of->table.ignored) {
        reader->of->table.ignored = why;
        reader->of->table.ignored_at = json_node_position(reader->of->table.source, node);
    }
    return false;
}

static bool crash(struct reader *reader, const struct json_node *node, const char *why)
{
    reader->of->table.ends_program = !reader->of->table.ignored;
    return ompi_json_reject(reader, node, why);
}

/* ---- numbers ---- */

/* True for an integer within 64 bits, without fraction and exponent. */
static bool is_integer(const struct json_node *node, int64_t *value)
{
    char *end;
    if (node->kind != JSON_NUMBER_NODE)
        return false;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* Reads a field that may be missing: *value stays. "inf" is all ones. */
static bool ompi_json_read_number(struct reader *reader, const struct json_node *object, const char *key,
                                  int64_t *value)
{
    const struct json_node *node = json_first_member(object, key);
    if (!node || is_integer(node, value))
        return true;
    static const char *const words[] = {"inf", "Inf", "INF"};
    for (size_t i = 0; i < 3 && node->kind == JSON_STRING_NODE; i++)
        if (strncmp(node->text, words[i], 3) == 0) {
            *value = -1;
            return true;
        }
    return ompi_json_reject(reader, node,
                            arena_printf(reader->arena, "%s is neither an integer nor \"inf\"", key));
}

/* ---- rules ---- */

static bool has_algorithms(const struct ompi_version *version, uint32_t collective)
{
    return ompi_algorithm_find(version, collective, 1) != NULL;
}

static bool ompi_json_read_algorithm(struct reader *reader, const struct json_node *node,
                                     struct ompi_json_row *row)
{
    const struct ompi_version *version = reader->of->version;
    const struct json_node *given = json_first_member(node, "alg");
    int64_t number = 0;
    if (!given || (given->kind != JSON_STRING_NODE && !is_integer(given, &number)))
        return true; /* the error is not passed on */
    if (!has_algorithms(version, row->rule.collective))
        return crash(reader, given, "coll/tuned has no algorithms for this collective, and looks one up");
    if (given->kind == JSON_STRING_NODE) {
        const struct ompi_algorithm *algorithm =
            ompi_algorithm_named(version, row->rule.collective, given->text);
        row->is_disabled = !algorithm && strcmp(given->text, "ignore") != 0;
        number = algorithm ? algorithm->number : 0;
    } else {
        row->is_disabled = number != 0 && !ompi_algorithm_find(version, row->rule.collective, number);
    }
    row->has_algorithm = true;
    row->rule.algorithm = row->is_disabled ? 0 : number;
    return true;
}

static bool ompi_json_read_row(struct reader *reader, const struct ompi_json_entry *entry,
                               const struct json_node *node)
{
    struct ompi_table *of = reader->of;
    int64_t first = 0, last = -1, fan_out = 0, segment = 0, requests = 0;
    struct ompi_json_row row = {.node = node};
    row.rule.collective = entry->collective;
    row.rule.line = node->line;
    if (!ompi_json_read_number(reader, node, "msg_size_min", &first) ||
        !ompi_json_read_number(reader, node, "msg_size_max", &last) ||
        !ompi_json_read_number(reader, node, "faninout", &fan_out) ||
        !ompi_json_read_number(reader, node, "seg_size", &segment) ||
        !ompi_json_read_number(reader, node, "reqs", &requests) ||
        !ompi_json_read_algorithm(reader, node, &row))
        return false;
    row.rule.ranks = (struct span){(uint64_t)(entry->first_ranks > 0 ? entry->first_ranks : 0),
                                   entry->last_ranks < 0 ? 0 : (uint64_t)entry->last_ranks};
    row.rule.keys = row.is_disabled ? SPAN_EMPTY : (struct span){(uint64_t)first, (uint64_t)last};
    row.rule.parameters =
        (struct table_parameters){(uint32_t)segment, (uint32_t)fan_out, (uint32_t)requests};
    of->json_rows =
        mem_grow(of->json_rows, &reader->row_capacity, of->n_json_rows + 1, sizeof *of->json_rows);
    of->json_rows[of->n_json_rows++] = row;
    return true;
}

static bool ompi_json_read_distribution(struct reader *reader, const struct json_node *node,
                                        struct ompi_json_entry *entry)
{
    const struct json_node *given = json_first_member(node, "comm_rank_distribution");
    if (given && given->kind != JSON_STRING_NODE)
        return ompi_json_reject(reader, given, "comm_rank_distribution is no string");
    entry->distribution = !given                                     ? RANKS_ANY
                          : strcmp(given->text, "one-per-node") == 0 ? RANKS_ONE_PER_NODE
                          : strcmp(given->text, "single-node") == 0  ? RANKS_SINGLE_NODE
                                                                     : RANKS_ANY;
    return true;
}

static bool ompi_json_read_entry(struct reader *reader, uint32_t collective, const struct json_node *node)
{
    struct ompi_table *of = reader->of;
    int64_t first = 0, last = INT32_MAX;
    struct ompi_json_entry entry = {.collective = collective, .first_row = of->n_json_rows, .node = node};
    if (!ompi_json_read_number(reader, node, "comm_size_min", &first) ||
        !ompi_json_read_number(reader, node, "comm_size_max", &last) ||
        !ompi_json_read_distribution(reader, node, &entry))
        return false;
    entry.first_ranks = (int32_t)(uint32_t)(uint64_t)first;
    entry.last_ranks = (int32_t)(uint32_t)(uint64_t)last;
    const struct json_node *rules = json_first_member(node, "rules");
    if (!rules)
        return ompi_json_reject(reader, node, "a rule for communicators has no \"rules\"");
    if (rules->kind == JSON_OBJECT_NODE && rules->first)
        return crash(reader, rules, "\"rules\" is an object, and read as an array");
    if (rules->kind != JSON_OBJECT_NODE && rules->kind != JSON_ARRAY_NODE)
        return ompi_json_reject(reader, rules, "\"rules\" is no array");
    for (const struct json_node *row = rules->first; row; row = row->next)
        if (!ompi_json_read_row(reader, &entry, row))
            return false;
    entry.n_rows = of->n_json_rows - entry.first_row;
    of->json_entries = mem_grow(of->json_entries, &reader->entry_capacity, of->n_json_entries + 1,
                                sizeof *of->json_entries);
    of->json_entries[of->n_json_entries++] = entry;
    return true;
}

static bool ompi_json_read_collective(struct reader *reader, const struct json_node *node)
{
    struct ompi_table *of = reader->of;
    uint32_t collective = 0;
    while (collective < OMPI_N_COLLECTIVES && strcmp(ompi_collective_names[collective], node->key) != 0)
        collective++;
    if (collective == OMPI_N_COLLECTIVES)
        return ompi_json_reject(reader, node,
                                arena_printf(reader->arena, "there is no collective '%.60s'", node->key));
    if (node->kind != JSON_ARRAY_NODE)
        return ompi_json_reject(reader, node, "the rules of a collective are no array");
    for (size_t i = 0; i < of->n_json_entries; i++)
        of->json_entries[i].is_replaced |= of->json_entries[i].collective == collective;
    for (const struct json_node *entry = node->first; entry; entry = entry->next)
        if (!ompi_json_read_entry(reader, collective, entry))
            return false;
    return true;
}

void ompi_read_json(struct ompi_table *of, const struct json_node *json, struct arena *arena)
{
    struct reader reader = {.of = of, .arena = arena};
    of->json = json;
    const struct json_node *collectives = json_first_member(json, "collectives");
    if (!collectives)
        ompi_json_reject(&reader, json, "there is no \"collectives\"");
    else if (collectives->kind != JSON_OBJECT_NODE)
        ompi_json_reject(&reader, collectives, "\"collectives\" is no object");
    else
        for (const struct json_node *node = collectives->first; node && !of->table.ignored;
             node = node->next)
            ompi_json_read_collective(&reader, node);
    of->json_entries = arena_take(of->json_entries, of->n_json_entries, sizeof *of->json_entries, arena);
    of->json_rows = arena_take(of->json_rows, of->n_json_rows, sizeof *of->json_rows, arena);
    if (of->table.ignored)
        of->n_json_entries = of->n_json_rows = 0;
}

/* ---- the choice ---- */

/* True if the entry acts on the communicator of the call. */
static bool ompi_json_fits(const struct ompi_json_entry *entry, const struct table_query *query)
{
    const bool is_single = query->n_nodes <= 1, is_apart = query->n_nodes == query->n_ranks;
    return !entry->is_replaced && entry->collective == query->collective &&
           entry->first_ranks <= (int64_t)query->n_ranks && (int64_t)query->n_ranks <= entry->last_ranks &&
           (entry->distribution == RANKS_ANY ||
            (entry->distribution == RANKS_SINGLE_NODE ? is_single : is_apart));
}

const struct table_rule *ompi_json_rule(const struct ompi_table *of, const struct table_query *query,
                                        uint64_t key)
{
    size_t i = 0;
    while (i < of->n_json_entries && !ompi_json_fits(&of->json_entries[i], query))
        i++;
    if (i == of->n_json_entries)
        return NULL;
    const struct ompi_json_entry *entry = &of->json_entries[i];
    for (size_t j = entry->first_row; j < entry->first_row + entry->n_rows; j++)
        if (!of->json_rows[j].is_disabled && span_has(of->json_rows[j].rule.keys, key))
            return &of->json_rows[j].rule;
    return NULL;
}
