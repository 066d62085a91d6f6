/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports algorithms that rules ask for and the MPI lacks, replaces, or does not choose equally on all
 * ranks.
 */
#include "tables/ompi/lint.h"

#include <string.h>

/* Calls visit for every rule that acts somewhere. */
static void each_rule(const struct ompi_table *of, struct diagnostics *findings,
                      void (*visit)(const struct ompi_table *of, size_t row, const struct ompi_entry *entry,
                                    struct diagnostics *findings))
{
    for (size_t i = 0; i < of->n_blocks; i++) {
        const struct ompi_block *block = &of->blocks[i];
        for (size_t j = 0; j < block->n_entries && !block->replaced_by; j++) {
            const struct ompi_entry *entry = &of->entries[block->first_entry + j];
            for (size_t k = entry->first_row; k < entry->first_row + entry->n_rows; k++) {
                const struct table_rule *rule = &of->table.rules[k];
                if (rule->ranks.first <= rule->ranks.last && rule->keys.first <= rule->keys.last &&
                    ompi_collectives[rule->collective].key != KEY_UNUSED)
                    visit(of, k, entry, findings);
            }
        }
    }
}

static void lint_two(const struct ompi_table *of, size_t row, struct diagnostics *findings)
{
    const struct table_rule *rule = &of->table.rules[row];
    const struct ompi_number *number = &of->rows[row].numbers[ROW_ALGORITHM];
    if (rule->ranks.last <= LEAST_RANKS)
        return;
    report(findings, CODE_B011, ompi_at(of, number), "two_proc is for 2 ranks, and this row acts on %s",
           ompi_ranks_text(rule->ranks, findings))
        ->help =
        "calls on others end in MPI_ERR_UNSUPPORTED_OPERATION: give it to communicator size 2 alone, the "
        "next being 3";
}

static void lint_fallback(const struct ompi_table *of, size_t row, const struct ompi_entry *entry,
                          const struct ompi_algorithm *algorithm, struct diagnostics *findings)
{
    const struct table_rule *rule = &of->table.rules[row];
    const uint64_t ranks = span_has(rule->ranks, (uint64_t)entry->ranks.value) ? (uint64_t)entry->ranks.value
                                                                               : rule->ranks.first;
    const bool is_odd = algorithm->needs == NEEDS_EVEN && ranks % 2;
    const bool is_between = algorithm->needs == NEEDS_POWER && (ranks & (ranks - 1));
    if (ranks > 1 && (is_odd || is_between))
        report(findings, CODE_B012, ompi_at(of, &of->rows[row].numbers[ROW_ALGORITHM]),
               "on %llu ranks %s runs in the place of %s", (unsigned long long)ranks, is_odd ? "ring"
                   : "bruck",
               algorithm->name)
            ->help = is_odd ? "neighbor needs an even number of ranks"
                : "recursive_doubling needs a power of two";
}

/* True if some call that the rule acts on has data enough for the algorithm itself to run. */
static bool has_data_for(const struct table_rule *rule, const struct ompi_algorithm *algorithm)
{
    const bool is_shared = algorithm->needs == NEEDS_PER_RANK || algorithm->needs == NEEDS_RING;
    const uint64_t ranks = rule->ranks.first < LEAST_RANKS ? LEAST_RANKS : rule->ranks.first;
    return rule->ranks.last >= LEAST_RANKS &&
           rule->keys.last >= (is_shared ? ranks : algorithm->needs == NEEDS_HALVES ? 2 : 1);
}

/* Returns "1, 3 or 6": the algorithms that break no call of that kind, with the same segment size. */
static const char *safe_numbers(const struct ompi_version *version, const struct table_rule *rule,
                                unsigned call, struct diagnostics *findings)
{
    const char *list = NULL;
    const int64_t last = ompi_algorithm_last(version, rule->collective);
    for (int64_t number = last; number > 0; number--) {
        const struct ompi_algorithm *other = ompi_algorithm_find(version, rule->collective, number);
        if (other->needs == NEEDS_TWO || ompi_broken_calls(other, rule->parameters.segment_bytes) & call)
            continue;
        list = !list ? diagnostics_text(findings, "%lld", (long long)number)
                     : diagnostics_text(findings, "%lld%s%s", (long long)number,
                                        strchr(list, ' ') ? ", " : " or ", list);
    }
    return list;
}

static void lint_radix(const struct table_rule *rule, const struct ompi_algorithm *algorithm,
                       struct position at, struct diagnostics *findings)
{
    const uint32_t fan_out = (uint32_t)rule->parameters.fan_out;
    if (rule->ranks.last < LEAST_RANKS || ompi_fan_out(algorithm, fan_out) == fan_out)
        return;
    report(findings, CODE_B037, at,
           "%s by %s is unsafe for a legal call: with a fan-out of %u every call hangs",
           ompi_collective_names[rule->collective], algorithm->name, fan_out)
        ->help = "give a fan-out of 2 or more";
}

void ompi_lint_safety(const struct ompi_version *version, const struct table_rule *rule, const char *noun,
                      struct position at, struct diagnostics *findings)
{
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(version, rule->collective, rule->algorithm);
    const unsigned call = algorithm ? ompi_broken_calls(algorithm, rule->parameters.segment_bytes) : 0;
    if (algorithm)
        lint_radix(rule, algorithm, at, findings);
    if (!call || !has_data_for(rule, algorithm))
        return;
    const char *safe = safe_numbers(version, rule, call, findings);
    const bool is_cut = algorithm->breaks == BREAKS_CUT_TYPES;
    report(findings, call == CALL_UNLIKE_TYPES ? CODE_B043 : CODE_B037, at,
           "%s by %s is unsafe for a legal call: calls with %s %s",
           ompi_collective_names[rule->collective], algorithm->name, call_words(call), call_outcome(call))
        ->help = diagnostics_text(findings, "take %s%s, or keep the %s for programs that make no such call",
                                  is_cut ? "no segments, or algorithm " : "algorithm ", safe, noun);
}

static void lint_choices_lint_parameter(const struct ompi_table *of, size_t row, unsigned which, bool is_used,
                                        const char *words, const char *name, struct diagnostics *findings)
{
    const struct ompi_row *of_row = &of->rows[row];
    if (which < of_row->n_numbers && of_row->numbers[which].value != 0 && !is_used)
        report(findings, CODE_B014, ompi_at(of, &of_row->numbers[which]),
               "%s takes no %s: the %lld does nothing",
               name, words, (long long)of_row->numbers[which].value)
            ->help = "write 0";
}

static void lint_rule(const struct ompi_table *of, size_t row, const struct ompi_entry *entry,
                      struct diagnostics *findings)
{
    const struct table_rule *rule = &of->table.rules[row];
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(of->version, rule->collective, rule->algorithm);
    if (!algorithm && rule->algorithm) {
        struct diagnostic *finding =
            report(findings, CODE_B010, ompi_at(of, &of->rows[row].numbers[ROW_ALGORITHM]),
                   "%s of %s has no algorithm %lld: the last is %lld",
                       ompi_collective_names[rule->collective],
                   of->version->title, (long long)rule->algorithm,
                   (long long)ompi_algorithm_last(of->version, rule->collective));
        finding->help = "calls that get this row end in MPI_ERR_ARG, which ends the program";
        return;
    }
    if (algorithm && algorithm->needs == NEEDS_TWO)
        lint_two(of, row, findings);
    if (algorithm)
        lint_fallback(of, row, entry, algorithm, findings);
    ompi_lint_safety(of->version, rule, "row", ompi_at(of, &of->rows[row].numbers[ROW_ALGORITHM]), findings);
    const unsigned uses = algorithm ? algorithm->uses : 0;
    const char *name = algorithm ? algorithm->name : "the fixed decision";
    lint_choices_lint_parameter(of, row, ROW_FAN_OUT, uses & USES_FAN_OUT, "fan-out", name, findings);
    lint_choices_lint_parameter(of, row, ROW_SEGMENT, uses & USES_SEGMENT, "segment size", name, findings);
    lint_choices_lint_parameter(of, row, ROW_REQUESTS, uses & USES_REQUESTS, "number of requests", name,
                                findings);
}

void ompi_lint_algorithms(const struct ompi_table *of, struct diagnostics *findings)
{
    each_rule(of, findings, lint_rule);
}

/* ---- agreement between ranks ---- */

/* Finds the first row of the entry that acts. Returns the first row behind it that decides otherwise, or
 * NULL. */
static const struct table_rule *other_choice(const struct ompi_table *of, const struct ompi_entry *entry,
                                             const struct table_rule **first)
{
    *first = NULL;
    for (size_t i = entry->first_row; i < entry->first_row + entry->n_rows; i++) {
        const struct table_rule *rule = &of->table.rules[i];
        if (rule->keys.first > rule->keys.last || rule->ranks.first > rule->ranks.last)
            continue;
        if (!*first)
            *first = rule;
        else if (rule->algorithm != (*first)->algorithm ||
                 rule->parameters.segment_bytes != (*first)->parameters.segment_bytes)
            return rule;
    }
    return NULL;
}

struct diagnostic *ompi_report_disagreement(uint32_t collective, struct position at,
                                            struct diagnostics *findings)
{
    const char *why = collective == OMPI_scatter ? "the send count, which MPI ignores but at the root"
        : collective == OMPI_gather ? "the send count, which MPI ignores at a root with MPI_IN_PLACE"
                                    : "the datatype of what is sent, which ranks may choose for themselves";
    struct diagnostic *finding =
        report(findings, CODE_B013, at,
               "ranks may choose different algorithms for %s: it is looked up with %s",
               ompi_collective_names[collective], why);
    finding->help = "give one algorithm for all sizes of a communicator size: else correct programs hang, "
                    "end in MPI_ERR_TRUNCATE or get wrong data";
    return finding;
}

static void lint_entry_agreement(const struct ompi_table *of, const struct ompi_block *block,
                                 const struct ompi_entry *entry, struct diagnostics *findings)
{
    const struct table_rule *first, *other = other_choice(of, entry, &first);
    const uint32_t collective = (uint32_t)block->collective.value;
    if (!other)
        return;
    struct position at = ompi_at(of, &of->rows[other - of->table.rules].numbers[ROW_ALGORITHM]);
    if (ompi_differs_by_rank(collective)) {
        struct diagnostic *finding = ompi_report_disagreement(collective, at, findings);
        finding->related = ompi_at(of, &of->rows[first - of->table.rules].numbers[ROW_ALGORITHM]);
        finding->related_text = "the other choice";
    }
    if (collective == OMPI_allgather || collective == OMPI_allgatherv) {
        report(findings, CODE_B018, at, "with MPI_IN_PLACE %s is looked up with size 0, whatever the call",
               ompi_block_name(block))
            ->help = "calls in place get the first row";
    }
}

void ompi_lint_agreement(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_blocks; i++)
        for (size_t j = 0; j < of->blocks[i].n_entries && !of->blocks[i].replaced_by; j++)
            lint_entry_agreement(of, &of->blocks[i], &of->entries[of->blocks[i].first_entry + j], findings);
}

/* ---- what stands before the table ---- */

void ompi_lint_hidden(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_blocks; i++) {
        const struct ompi_block *block = &of->blocks[i];
        if (!block->replaced_by && block->n_entries &&
            ompi_is_of_han(of->version, (uint32_t)block->collective.value))
            report(findings, CODE_B017, ompi_at(of, &block->collective),
                   "where ranks are on several machines coll/han answers %s before coll/tuned",
                       ompi_block_name(block))
                ->help = "there these rules act on its communicators within and between machines only; "
                         "'--mca coll ^han' takes it away";
    }
    if (of->version->number == 50 && of->file_version > 1)
        report(findings, CODE_B019, source_position(of->table.source, 0, 1),
               "Open MPI 5.0.6 and before ignore a file with this header");
}
