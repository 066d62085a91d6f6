/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a rule file of one Open MPI to one for another that gives the same calls the same rows: keys
 * and numbers of algorithms are the same in all versions, the calls they act on are not. It tries the
 * numbers of ranks and keys at which the choice may change one by one: O(ranks x keys x rules) of a
 * collective.
 */
#include "base/codes.h"
#include "base/integer.h"
#include "tables/ompi/ompi.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_RANKS = 2 };

struct numbers {
    uint64_t *items;
    size_t n, capacity;
};

/* The choice from this key on. */
struct step {
    uint64_t key;
    const struct table_rule *rule; /* NULL: the fixed decision */
};

struct converting {
    const struct ompi_table *of;
    const struct ompi_version *to;
    struct text *out;
    struct diagnostics *lost;
    uint32_t collective;
    struct numbers ranks, keys; /* at which something may begin */
    struct step *steps;         /* steps of one number of ranks */
    size_t n_steps, step_capacity;
    bool *is_said; /* [rule] reported as lost */
    bool has_requests;
    unsigned unmade; /* calls, CALL_... */
};

/* ---- where something changes ---- */

static void ompi_convert_add_number(struct numbers *numbers, uint64_t value)
{
    numbers->items = mem_grow(numbers->items, &numbers->capacity, numbers->n + 1, sizeof *numbers->items);
    numbers->items[numbers->n++] = value;
}

static void ompi_convert_add_span(struct numbers *numbers, struct span span)
{
    if (span.first > span.last)
        return;
    ompi_convert_add_number(numbers, span.first);
    if (span.last < INT64_MAX)
        ompi_convert_add_number(numbers, span.last + 1);
}

static void sort_unique(struct numbers *numbers)
{
    size_t n = 0;
    qsort(numbers->items, numbers->n, sizeof *numbers->items, compare_uint64);
    for (size_t i = 0; i < numbers->n; i++)
        if (!n || numbers->items[n - 1] != numbers->items[i])
            numbers->items[n++] = numbers->items[i];
    numbers->n = n;
}

static uint64_t at_least(uint64_t ranks)
{
    return ranks < LEAST_RANKS ? LEAST_RANKS : ranks;
}

static void collect_changes(struct converting *converting)
{
    const struct ompi_table *of = converting->of;
    converting->ranks.n = converting->keys.n = 0;
    ompi_convert_add_number(&converting->ranks, LEAST_RANKS);
    ompi_convert_add_number(&converting->keys, 0);
    for (size_t i = 0; i < of->table.n_rules; i++) {
        const struct table_rule *rule = &of->table.rules[i];
        if (rule->collective != converting->collective)
            continue;
        if (rule->ranks.last >= LEAST_RANKS)
            ompi_convert_add_span(&converting->ranks,
                                  (struct span){at_least(rule->ranks.first), rule->ranks.last});
        ompi_convert_add_span(&converting->keys, rule->keys);
    }
    for (size_t i = 0; i < of->n_json_entries; i++) {
        const struct ompi_json_entry *entry = &of->json_entries[i];
        if (entry->collective != converting->collective || entry->first_ranks > entry->last_ranks)
            continue;
        ompi_convert_add_number(&converting->ranks,
                                at_least(entry->first_ranks < 0 ? 0 : (uint64_t)entry->first_ranks));
        if (entry->last_ranks < INT32_MAX)
            ompi_convert_add_number(&converting->ranks,
                                    at_least((uint64_t)(entry->last_ranks < 0 ? 0 : entry->last_ranks) + 1));
        for (size_t j = entry->first_row; j < entry->first_row + entry->n_rows; j++)
            if (!of->json_rows[j].is_disabled)
                ompi_convert_add_span(&converting->keys, of->json_rows[j].rule.keys);
    }
    sort_unique(&converting->ranks);
    sort_unique(&converting->keys);
}

/* ---- what acts ---- */

static const struct table_rule *acting(const struct converting *converting, uint64_t ranks, uint64_t key)
{
    const struct ompi_table *of = converting->of;
    const struct table_query query = {.collective = converting->collective, .n_ranks = (uint32_t)ranks};
    if (of->json)
        return ompi_json_rule(of, &query, key);
    for (size_t i = 0; i < of->table.n_rules; i++) {
        const struct table_rule *rule = &of->table.rules[i];
        if (rule->collective == converting->collective && span_has(rule->ranks, ranks) &&
            span_has(rule->keys, key))
            return rule;
    }
    return NULL;
}

static void say_once(struct converting *converting, const struct table_rule *rule, const char *text)
{
    const struct ompi_table *of = converting->of;
    const size_t i = of->json ? (size_t)((const struct ompi_json_row *)(const void *)rule - of->json_rows)
                              : (size_t)(rule - of->table.rules);
    if (converting->is_said[i])
        return;
    converting->is_said[i] = true;
    const struct position at = of->json ? json_node_position(of->table.source, of->json_rows[i].node)
                                        : ompi_number_position(of->table.source, &of->rows[i].numbers[0]);
    report(converting->lost, CODE_B031, at, "%s", text);
}

/* Reports a row with 0, which leaves the decision to the built-in one: another version has another. */
static void say_fixed(struct converting *converting, const struct table_rule *rule)
{
    const struct ompi_version *from = converting->of->version, *to = converting->to;
    if (from->number != to->number)
        say_once(converting, rule,
                 diagnostics_text(converting->lost,
                                  "a row with 0 leaves %s to the fixed decision: that of %s may be another "
                                  "than that of %s",
                                  ompi_collective_names[converting->collective], to->title, from->title));
}

/* Returns false, after reporting, if the rule makes calls wrong that programs may make. */
static bool is_safe(struct converting *converting, const struct table_rule *rule,
                    const struct ompi_algorithm *algorithm)
{
    const unsigned broken =
        ompi_broken_calls(algorithm, rule->parameters.segment_bytes) & ~converting->unmade;
    if (broken)
        say_once(converting, rule,
                 diagnostics_text(converting->lost,
                                  "%s by %s is unsafe: calls with %s %s; the fixed decision stands there",
                                  ompi_collective_names[converting->collective], algorithm->name,
                                  call_words(broken), call_outcome(broken)));
    return !broken;
}

/* Returns the rule if it can be written: NULL, after reporting, if its algorithm is not there. */
static const struct table_rule *kept_rule(struct converting *converting, const struct table_rule *rule)
{
    if (rule && rule->algorithm == 0)
        say_fixed(converting, rule);
    if (!rule || rule->algorithm == 0)
        return NULL;
    const char *name = ompi_collective_names[converting->collective];
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(converting->to, converting->collective, rule->algorithm);
    if (!algorithm) {
        say_once(converting, rule,
                 diagnostics_text(converting->lost,
                                  "%s of %s has no algorithm %lld: the fixed "
                                  "decision stands there",
                                  name, converting->to->title, (long long)rule->algorithm));
        return NULL;
    }
    if (!is_safe(converting, rule, algorithm))
        return NULL;
    if (rule->parameters.max_requests && algorithm->uses & USES_REQUESTS && !converting->to->has_header)
        say_once(converting, rule,
                 diagnostics_text(converting->lost,
                                  "a row of %s has no number of requests: %llu "
                                  "is lost",
                                  converting->to->title,
                                  (unsigned long long)rule->parameters.max_requests));
    return rule;
}

static bool ompi_convert_is_same_choice(const struct table_rule *a, const struct table_rule *b)
{
    return a == b || (a && b && a->algorithm == b->algorithm &&
                      a->parameters.segment_bytes == b->parameters.segment_bytes &&
                      a->parameters.fan_out == b->parameters.fan_out &&
                      a->parameters.max_requests == b->parameters.max_requests);
}

/* Takes the steps for a number of ranks, neighbours different. Returns true if they differ from the steps
 * before. */
static bool ompi_convert_take_steps(struct converting *converting, uint64_t ranks)
{
    size_t n = 0;
    bool is_other = false;
    for (size_t i = 0; i < converting->keys.n; i++) {
        const uint64_t key = converting->keys.items[i];
        const struct table_rule *rule = kept_rule(converting, acting(converting, ranks, key));
        if (n && ompi_convert_is_same_choice(converting->steps[n - 1].rule, rule))
            continue;
        converting->steps =
            mem_grow(converting->steps, &converting->step_capacity, n + 1, sizeof *converting->steps);
        is_other |= n >= converting->n_steps || converting->steps[n].key != key ||
                    !ompi_convert_is_same_choice(converting->steps[n].rule, rule);
        converting->steps[n++] = (struct step){key, rule};
    }
    is_other |= n != converting->n_steps;
    converting->n_steps = n;
    return is_other;
}

static bool is_fixed(const struct converting *converting)
{
    return converting->n_steps == 1 && !converting->steps[0].rule;
}

/* ---- the classic form ---- */

static void put_classic_entry(struct converting *converting, uint64_t ranks, struct text *out)
{
    text_printf(out, "%llu # ranks\n%zu # rows\n", (unsigned long long)ranks, converting->n_steps);
    for (size_t i = 0; i < converting->n_steps; i++) {
        const struct step *step = &converting->steps[i];
        const struct table_parameters none = {0}, *of = step->rule ? &step->rule->parameters : &none;
        const struct ompi_algorithm *algorithm =
            step->rule ? ompi_algorithm_find(converting->to, converting->collective, step->rule->algorithm)
                       : NULL;
        text_printf(out, "%llu %lld %llu %llu", (unsigned long long)step->key,
                    step->rule ? (long long)step->rule->algorithm : 0,
                    (unsigned long long)(algorithm ? ompi_fan_out(algorithm, of->fan_out) : 0),
                    (unsigned long long)(uint32_t)of->segment_bytes);
        if (converting->has_requests)
            text_printf(out, " %llu", (unsigned long long)(uint32_t)of->max_requests);
        text_printf(out, " # %s\n", algorithm ? algorithm->name : "fixed decision");
    }
}

static bool classic_collective(struct converting *converting)
{
    struct text entries = {0};
    size_t n_entries = 0;
    bool has_rules = false;
    for (size_t i = 0; i < converting->ranks.n; i++) {
        const uint64_t ranks = converting->ranks.items[i];
        if (ranks < LEAST_RANKS || ranks > INT32_MAX ||
            !(ompi_convert_take_steps(converting, ranks) || !n_entries))
            continue;
        put_classic_entry(converting, ranks, &entries);
        has_rules |= !is_fixed(converting);
        n_entries++;
    }
    if (has_rules) {
        text_printf(converting->out, "%u # %s\n%zu # communicator sizes\n", converting->collective,
                    ompi_collective_names[converting->collective], n_entries);
        text_append(converting->out, entries.data, entries.length);
    }
    text_free(&entries);
    return has_rules;
}

/* ---- JSON ---- */

static void put_json_rows(struct converting *converting, struct text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < converting->n_steps; i++) {
        const struct step *step = &converting->steps[i];
        text_printf(out, "%s\n      { \"msg_size_min\": %llu", separator, (unsigned long long)step->key);
        if (i + 1 < converting->n_steps)
            text_printf(out, ", \"msg_size_max\": %llu",
                        (unsigned long long)converting->steps[i + 1].key - 1);
        separator = ",";
        if (!step->rule) {
            text_printf(out, ", \"alg\": \"ignore\" }");
            continue;
        }
        const struct table_parameters *of = &step->rule->parameters;
        const struct ompi_algorithm *algorithm =
            ompi_algorithm_find(converting->to, converting->collective, step->rule->algorithm);
        text_printf(out, ", \"alg\": %lld", (long long)algorithm->number);
        if (algorithm->uses & USES_FAN_OUT)
            text_printf(out, ", \"faninout\": %llu",
                        (unsigned long long)ompi_fan_out(algorithm, of->fan_out));
        if (algorithm->uses & USES_SEGMENT)
            text_printf(out, ", \"seg_size\": %llu", (unsigned long long)(uint32_t)of->segment_bytes);
        if (algorithm->uses & USES_REQUESTS)
            text_printf(out, ", \"reqs\": %llu", (unsigned long long)(uint32_t)of->max_requests);
        text_printf(out, " }");
    }
}

/* Writes a collective: ranges of ranks with the same steps as one entry, the fixed decision as none. */
static bool json_collective(struct converting *converting, bool is_first)
{
    struct text entries = {0};
    for (size_t i = 0; i < converting->ranks.n;) {
        const uint64_t first = converting->ranks.items[i];
        struct text rows = {0};
        ompi_convert_take_steps(converting, first);
        const bool has_rules = first >= LEAST_RANKS && first <= INT32_MAX && !is_fixed(converting);
        if (has_rules)
            put_json_rows(converting, &rows);
        i++;
        while (i < converting->ranks.n && !ompi_convert_take_steps(converting, converting->ranks.items[i]))
            i++;
        if (has_rules) {
            text_printf(&entries, "%s    { \"comm_size_min\": %llu", entries.length ? ",\n" : "",
                        (unsigned long long)first);
            if (i < converting->ranks.n)
                text_printf(&entries, ", \"comm_size_max\": %llu",
                            (unsigned long long)converting->ranks.items[i] - 1);
            text_printf(&entries, ", \"rules\": [%s ] }", rows.data);
        }
        text_free(&rows);
    }
    if (entries.length)
        text_printf(converting->out, "%s  \"%s\": [\n%s ]", is_first ? "" : ",\n",
                    ompi_collective_names[converting->collective], entries.data);
    const bool has_rules = entries.length;
    text_free(&entries);
    return has_rules;
}

/* ---- the whole file ---- */

static void say_distributions(struct converting *converting)
{
    const struct ompi_table *of = converting->of;
    for (size_t i = 0; i < of->n_json_entries; i++)
        if (!of->json_entries[i].is_replaced && of->json_entries[i].distribution != RANKS_ANY)
            report(
                converting->lost, CODE_B031, json_node_position(of->table.source, of->json_entries[i].node),
                "comm_rank_distribution is not kept: the rules for ranks on one machine stand for all");
}

static bool has_requests(const struct ompi_table *of)
{
    bool has = false;
    for (size_t i = 0; i < of->table.n_rules; i++)
        has |= of->table.rules[i].parameters.max_requests != 0;
    for (size_t i = 0; i < of->n_json_rows; i++)
        has |= of->json_rows[i].rule.parameters.max_requests != 0;
    return has;
}

/* Writes the blocks to converting->out and the text before them to `head`. */
static void write_classic(struct converting *converting, struct text *head)
{
    unsigned n = 0;
    converting->has_requests = converting->to->has_header && has_requests(converting->of);
    for (converting->collective = 0; converting->collective < OMPI_N_COLLECTIVES; converting->collective++) {
        collect_changes(converting);
        converting->n_steps = 0;
        n += classic_collective(converting);
    }
    text_printf(head, "%s", converting->has_requests ? "rule-file-version-2\n" : "");
    plan_say_unmade(converting->unmade, "# ", head);
    text_printf(head, "%u # collectives\n", n);
}

static void ompi_convert_write_json(struct converting *converting)
{
    bool is_first = true;
    text_printf(converting->out, "{ \"rule_file_version\": 3, \"module\": \"tuned\", \"collectives\": {\n");
    for (converting->collective = 0; converting->collective < OMPI_N_COLLECTIVES;
         converting->collective++) {
        collect_changes(converting);
        converting->n_steps = 0;
        is_first = !json_collective(converting, is_first) && is_first;
    }
    text_printf(converting->out, " } }\n");
}

void ompi_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost)
{
    const struct ompi_table *of = ompi_table_of(table);
    struct text body = {0};
    struct converting converting = {
        .of = of, .to = to->version, .out = &body, .lost = lost, .unmade = unmade};
    converting.is_said = mem_alloc(of->table.n_rules + of->n_json_rows + 1, sizeof *converting.is_said);
    say_distributions(&converting);
    if (converting.to->has_json)
        ompi_convert_write_json(&converting);
    else
        write_classic(&converting, out);
    text_append(out, body.data ? body.data : "", body.length);
    text_free(&body);
    free(converting.ranks.items);
    free(converting.keys.items);
    free(converting.steps);
    free(converting.is_said);
}
