/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of rule files in JSON.
 */
#include "tables/ompi/lint.h"

#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

static struct position lint_json_at(const struct ompi_table *of, const struct json_node *node)
{
    return json_node_position(of->table.source, node);
}

/* ---- keys ---- */

static const char *const file_keys[] = {"collectives", "rule_file_version", "module"};
static const char *const entry_keys[] = {"comm_size_min", "comm_size_max", "comm_rank_distribution",
                                         "rules"};
static const char *const row_keys[] = {"msg_size_min", "msg_size_max", "alg",
                                       "faninout",     "seg_size",     "reqs"};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Reports unknown keys, and keys that another one overrides. */
static void lint_keys(const struct ompi_table *of, const struct json_node *object, const char *const *keys,
                      size_t n_keys, struct diagnostics *findings)
{
    for (const struct json_node *node = object->first; node && node->key; node = node->next) {
        size_t i = 0;
        while (i < n_keys && strcmp(keys[i], node->key) != 0)
            i++;
        if (i == n_keys)
            report(findings, CODE_B029, lint_json_at(of, node), "the key is not read")->help =
                did_you_mean(&findings->arena, nearest(node->key, strlen(node->key), keys, n_keys),
                             "take it away, or see docs/tables.md for those that are");
        const struct json_node *first = json_first_member(object, node->key);
        if (first == node)
            continue;
        struct diagnostic *finding = report(findings, CODE_B028, lint_json_at(of, node),
                                            "the key stands here again: the first one counts");
        finding->related = lint_json_at(of, first);
        finding->related_text = "the first";
    }
}

/* ---- what never acts ---- */

/* Disjoint spans, ascending. */
struct cover {
    struct span *items;
    size_t n, capacity;
};

static bool lint_json_covers(const struct cover *cover, struct span span)
{
    for (size_t i = 0; i < cover->n; i++)
        if (cover->items[i].first <= span.first && span.last <= cover->items[i].last)
            return true;
    return false;
}

static bool touches(struct span a, struct span b)
{
    return (a.last == SPAN_NO_END || b.first <= a.last + 1) &&
           (b.last == SPAN_NO_END || a.first <= b.last + 1);
}

static void cover_add(struct cover *cover, struct span span)
{
    size_t n = 0;
    for (size_t i = 0; i < cover->n; i++) {
        if (touches(cover->items[i], span)) {
            span.first = cover->items[i].first < span.first ? cover->items[i].first : span.first;
            span.last = cover->items[i].last > span.last ? cover->items[i].last : span.last;
        } else {
            cover->items[n++] = cover->items[i];
        }
    }
    cover->n = n;
    cover->items = mem_grow(cover->items, &cover->capacity, cover->n + 1, sizeof *cover->items);
    cover->items[cover->n++] = span;
}

static void lint_json_lint_rows(const struct ompi_table *of, const struct ompi_json_entry *entry,
                                struct diagnostics *findings)
{
    struct cover cover = {0};
    for (size_t i = entry->first_row; i < entry->first_row + entry->n_rows; i++) {
        const struct ompi_json_row *row = &of->json_rows[i];
        if (row->is_disabled)
            continue;
        const struct span keys = row->rule.keys;
        if (keys.first > keys.last)
            report(findings, CODE_B009, lint_json_at(of, row->node),
                   "the rule never acts: its sizes end before they begin");
        else if (lint_json_covers(&cover, keys))
            report(findings, CODE_B009, lint_json_at(of, row->node),
                   "the rule never acts: rules before it have all its sizes");
        else
            cover_add(&cover, keys);
    }
    if (cover.n && !lint_json_covers(&cover, (struct span){0, SPAN_NO_END}))
        report(findings, CODE_B030, lint_json_at(of, entry->node),
               "no rule for some sizes of %s: the fixed decision stands there",
               ompi_collective_names[entry->collective])
            ->help = "begin at 0, let each rule end one before the next begins, and the last have no end";
    free(cover.items);
}

static void lint_entries(const struct ompi_table *of, struct diagnostics *findings)
{
    struct cover covers_of[OMPI_N_COLLECTIVES] = {{0}};
    for (size_t i = 0; i < of->n_json_entries; i++) {
        const struct ompi_json_entry *entry = &of->json_entries[i];
        const char *name = ompi_collective_names[entry->collective];
        const struct span ranks = {(uint64_t)(entry->first_ranks < 0 ? 0 : entry->first_ranks),
                                   (uint64_t)(entry->last_ranks < 0 ? 0 : entry->last_ranks)};
        struct cover *cover = &covers_of[entry->collective];
        if (entry->is_replaced)
            report(findings, CODE_B004, lint_json_at(of, entry->node),
                   "these rules for %s never act: the collective stands again "
                   "further down",
                   name);
        else if (entry->last_ranks < entry->first_ranks && entry->last_ranks == -1)
            report(findings, CODE_B009, lint_json_at(of, entry->node),
                   "these rules for %s never act: comm_size_max \"inf\" is -1", name)
                ->help = "leave comm_size_max away";
        else if (entry->last_ranks < entry->first_ranks)
            report(findings, CODE_B009, lint_json_at(of, entry->node),
                   "these rules for %s never act: comm_size_max is below "
                   "comm_size_min",
                   name);
        else if (entry->last_ranks < LEAST_RANKS)
            report(findings, CODE_B009, lint_json_at(of, entry->node),
                   "these rules for %s never act: communicators of one rank have no coll/tuned", name);
        else if (lint_json_covers(cover, ranks))
            report(findings, CODE_B009, lint_json_at(of, entry->node),
                   "these rules for %s never act: rules before them have all "
                   "their communicators",
                   name);
        else if (entry->distribution == RANKS_ANY)
            cover_add(cover, ranks);
        if (!entry->is_replaced)
            lint_json_lint_rows(of, entry, findings);
    }
    for (unsigned i = 0; i < OMPI_N_COLLECTIVES; i++)
        free(covers_of[i].items);
}

/* ---- what is chosen ---- */

static void lint_json_lint_parameter(const struct ompi_table *of, const struct ompi_json_row *row,
                                     const char *key, bool is_used, uint64_t value,
                                     struct diagnostics *findings)
{
    const struct json_node *node = json_first_member(row->node, key);
    if (node && value && !is_used)
        report(findings, CODE_B014, lint_json_at(of, node), "the algorithm takes no %s: it does nothing",
               key);
}

static void lint_row(const struct ompi_table *of, const struct ompi_json_entry *entry,
                     const struct ompi_json_row *row, struct diagnostics *findings)
{
    const struct json_node *given = json_first_member(row->node, "alg");
    if (row->is_disabled) {
        report(findings, CODE_B010, lint_json_at(of, given),
               "%s of %s has no such algorithm: the rule is left out",
               ompi_collective_names[entry->collective], of->version->title)
            ->help = "its calls get the rules behind it, or the fixed decision";
        return;
    }
    if (!row->has_algorithm)
        report(findings, CODE_B008, lint_json_at(of, given ? given : row->node),
               "the rule names no algorithm: nothing is decided")
            ->help = "give \"alg\", a number or a name";
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(of->version, entry->collective, row->rule.algorithm);
    const unsigned uses = algorithm ? algorithm->uses : 0;
    if (algorithm && algorithm->needs == NEEDS_TWO && entry->last_ranks > LEAST_RANKS)
        report(findings, CODE_B011, lint_json_at(of, given),
               "two_proc is for 2 ranks, and this rule acts on more")
            ->help = "calls on others end in MPI_ERR_UNSUPPORTED_OPERATION: give it to comm_size_max 2 alone";
    struct table_rule acting = row->rule;
    acting.ranks = (struct span){entry->first_ranks < 0 ? 0 : (uint64_t)entry->first_ranks,
                                 entry->last_ranks < 0 ? 0 : (uint64_t)entry->last_ranks};
    ompi_lint_safety(of->version, &acting, "row", lint_json_at(of, given ? given : row->node), findings);
    lint_json_lint_parameter(of, row, "faninout", uses & USES_FAN_OUT, row->rule.parameters.fan_out,
                             findings);
    lint_json_lint_parameter(of, row, "seg_size", uses & USES_SEGMENT, row->rule.parameters.segment_bytes,
                             findings);
    lint_json_lint_parameter(of, row, "reqs", uses & USES_REQUESTS, row->rule.parameters.max_requests,
                             findings);
}

/* True if the rows decide equally. A row that is left out decides nothing. */
static bool is_same_row(const struct ompi_json_row *a, const struct ompi_json_row *b)
{
    return a->is_disabled || b->is_disabled ||
           (a->rule.algorithm == b->rule.algorithm &&
            a->rule.parameters.segment_bytes == b->rule.parameters.segment_bytes);
}

/* Reports that ranks may look a call up with different sizes. */
static void lint_agreement(const struct ompi_table *of, const struct ompi_json_entry *entry,
                           struct diagnostics *findings)
{
    const struct ompi_json_row *rows = &of->json_rows[entry->first_row];
    size_t i = 1;
    if (!ompi_differs_by_rank(entry->collective) || entry->last_ranks < LEAST_RANKS)
        return;
    while (i < entry->n_rows && is_same_row(&rows[0], &rows[i]))
        i++;
    if (i < entry->n_rows)
        ompi_report_disagreement(entry->collective, lint_json_at(of, rows[i].node), findings);
}

void ompi_lint_json(const struct ompi_table *of, struct diagnostics *findings)
{
    if (of->table.ignored)
        return;
    bool is_noted[OMPI_N_COLLECTIVES] = {false};
    lint_keys(of, of->json, file_keys, LENGTH(file_keys), findings);
    lint_entries(of, findings);
    for (size_t i = 0; i < of->n_json_entries; i++) {
        const struct ompi_json_entry *entry = &of->json_entries[i];
        if (entry->is_replaced)
            continue;
        lint_keys(of, entry->node, entry_keys, LENGTH(entry_keys), findings);
        lint_agreement(of, entry, findings);
        for (size_t j = entry->first_row; j < entry->first_row + entry->n_rows; j++) {
            lint_keys(of, of->json_rows[j].node, row_keys, LENGTH(row_keys), findings);
            lint_row(of, entry, &of->json_rows[j], findings);
        }
        if (is_noted[entry->collective] || !ompi_is_of_han(of->version, entry->collective))
            continue;
        is_noted[entry->collective] = true;
        report(findings, CODE_B017, lint_json_at(of, entry->node),
               "where ranks are on several machines coll/han answers %s before "
               "coll/tuned",
               ompi_collective_names[entry->collective])
            ->help = "there these rules act on its communicators within and between machines only; "
                     "'--mca coll ^han' takes it away";
    }
}
