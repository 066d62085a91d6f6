/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports rules that act elsewhere than they seem to, or never.
 */
#include "tables/ompi/lint.h"

#include <string.h>

const char *ompi_ranks_text(struct span ranks, struct diagnostics *findings)
{
    const uint64_t first = ranks.first < LEAST_RANKS ? LEAST_RANKS : ranks.first;
    if (ranks.last >= INT32_MAX)
        return diagnostics_text(findings, "%llu and more", (unsigned long long)first);
    if (first > ranks.last)
        return "none";
    if (first == ranks.last)
        return diagnostics_text(findings, "%llu", (unsigned long long)first);
    return diagnostics_text(findings, "%llu..%llu", (unsigned long long)first,
                            (unsigned long long)ranks.last);
}

void ompi_lint_unread(const struct ompi_table *of, struct diagnostics *findings)
{
    if (of->trailing.length)
        report(findings, CODE_B004, ompi_at(of, &of->trailing),
               "nothing is read from here on: the file announces %lld collective%s",
               (long long)of->n_blocks_said.value, plural((uint64_t)of->n_blocks_said.value))
            ->help = "count the collectives in its first number";
    for (size_t i = 0; i < of->n_blocks; i++) {
        const struct ompi_block *block = &of->blocks[i];
        if (!block->replaced_by)
            continue;
        struct diagnostic *finding =
            report(findings, CODE_B004, ompi_at(of, &block->collective),
                   "these rules for %s never act: others further down replace them", ompi_block_name(block));
        finding->help = "put all communicator sizes of a collective under one number";
        finding->related = ompi_at(of, &block->replaced_by->collective);
        finding->related_text = "those that replace them";
    }
}

/* Reports a number that is not above those before it. */
static void report_order(const struct ompi_table *of, const struct ompi_number *number,
                         const struct ompi_number *greatest, const char *what, struct span acts,
                         bool hides_last, struct diagnostics *findings)
{
    const char *effect =
        acts.first > acts.last ? diagnostics_text(findings, "it never acts")
                               : diagnostics_text(findings, "it acts from %llu on",
                                                  (unsigned long long)acts.first);
    struct diagnostic *finding =
        report(findings, CODE_B006, ompi_at(of, number), "%s %lld stands behind %lld: %s%s", what,
               (long long)number->value, (long long)greatest->value, effect,
               hides_last ? ", the one before it never" : "");
    finding->help = "write them in ascending order, each once";
    finding->related = ompi_at(of, greatest);
    finding->related_text = "the greatest so far";
}

static bool lint_ranges_is_nothing(struct span span)
{
    return span.first > span.last;
}

static void lint_row_order(const struct ompi_table *of, const struct ompi_entry *entry,
                           struct diagnostics *findings)
{
    const struct ompi_row *rows = &of->rows[entry->first_row];
    const struct table_rule *rules = &of->table.rules[entry->first_row];
    const struct ompi_number *greatest = NULL;
    for (size_t i = 0; i < entry->n_rows; i++) {
        const struct ompi_number *size = &rows[i].numbers[ROW_SIZE];
        if (greatest && size->value <= greatest->value)
            report_order(of, size, greatest, "message size", rules[i].keys,
                         lint_ranges_is_nothing(rules[i - 1].keys), findings);
        if (!greatest || size->value > greatest->value)
            greatest = size;
    }
}

void ompi_lint_order(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_blocks; i++) {
        const struct ompi_entry *entries = &of->entries[of->blocks[i].first_entry];
        const struct ompi_number *greatest = NULL;
        for (size_t j = 0; j < of->blocks[i].n_entries && !of->blocks[i].replaced_by; j++) {
            const struct ompi_number *ranks = &entries[j].ranks;
            if (greatest && ranks->value <= greatest->value)
                report_order(of, ranks, greatest, "communicator size", entries[j].acts_on,
                             lint_ranges_is_nothing(entries[j - 1].acts_on), findings);
            if (!greatest || ranks->value > greatest->value)
                greatest = ranks;
            lint_row_order(of, &entries[j], findings);
        }
    }
}

/* Reports that 6 takes the communicator sizes of 4.1 for the ends of ranges. */
static void lint_shift(const struct ompi_table *of, const struct ompi_block *block,
                       struct diagnostics *findings)
{
    enum { MAX_SHOWN = 6 };
    const struct ompi_entry *entries = &of->entries[block->first_entry];
    struct text list = {0};
    for (size_t i = 0; i < block->n_entries && i < MAX_SHOWN; i++)
        text_printf(&list, "%s%lld acts on %s", i ? ", " : "", (long long)entries[i].ranks.value,
                    ompi_ranks_text(entries[i].acts_on, findings));
    report(findings, CODE_B016, ompi_at(of, &entries[0].ranks),
           "communicator sizes of %s end ranges in %s: %s%s",
           ompi_block_name(block), of->version->title, list.data,
           block->n_entries > MAX_SHOWN ? " ..." : "")
        ->help = "write the table for each of the versions, or as JSON for Open MPI 6";
    text_free(&list);
}

static void lint_block_ranks(const struct ompi_table *of, const struct ompi_block *block,
                             struct diagnostics *findings)
{
    const struct ompi_entry *entries = &of->entries[block->first_entry];
    if (of->version->takes_first && block->n_entries > 1)
        lint_shift(of, block, findings);
    else if (block->n_entries && entries[0].ranks.value > LEAST_RANKS)
        report(findings, CODE_B007, ompi_at(of, &entries[0].ranks),
               "the rules for %lld ranks act on fewer, too: %s", (long long)entries[0].ranks.value,
               ompi_ranks_text((struct span){LEAST_RANKS, (uint64_t)entries[0].ranks.value - 1}, findings))
            ->help =
            "put a communicator size 2 first; with the row '0 0 0 0' it leaves them to the fixed decisions";
    if (!block->n_entries)
        report(findings, CODE_B008, ompi_at(of, &block->n_entries_said),
               "%s has no communicator sizes: nothing is decided",
               ompi_block_name(block));
    for (size_t i = 0; i < block->n_entries && !of->version->takes_first; i++)
        if (!lint_ranges_is_nothing(entries[i].acts_on) && entries[i].acts_on.last < LEAST_RANKS)
            report(findings, CODE_B009, ompi_at(of, &entries[i].ranks),
                   "these rules for %lld rank%s never act: coll/tuned serves two ranks and more",
                   (long long)entries[i].ranks.value, plural((uint64_t)entries[i].ranks.value))
                ->help = "take the communicator size away";
    for (size_t i = 0; i < block->n_entries; i++)
        if (!entries[i].n_rows && !lint_ranges_is_nothing(entries[i].acts_on) &&
            entries[i].acts_on.last >= LEAST_RANKS)
            report(findings, CODE_B008, ompi_at(of, &entries[i].n_rows_said),
                   "no rows for %s ranks: nothing is decided",
                   ompi_ranks_text(entries[i].acts_on, findings))
                ->help = "give a row for size 0, or take the communicator size away";
}

void ompi_lint_ranks(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_blocks; i++)
        if (!of->blocks[i].replaced_by)
            lint_block_ranks(of, &of->blocks[i], findings);
}

/* ---- keys ---- */

static void lint_uncompared(const struct ompi_table *of, const struct ompi_block *block,
                            struct diagnostics *findings)
{
    const enum ompi_key key = ompi_collectives[block->collective.value].key;
    if (key == KEY_UNUSED && block->n_entries) {
        report(findings, CODE_B009, ompi_at(of, &block->collective),
               "these rules never act: coll/tuned has no algorithms for %s", ompi_block_name(block));
        return;
    }
    if (key != KEY_ZERO && key != KEY_TYPE)
        return;
    for (size_t i = 0; i < block->n_entries; i++) {
        const struct ompi_entry *entry = &of->entries[block->first_entry + i];
        if (entry->n_rows > 1)
            report(findings, CODE_B009, ompi_at(of, &of->rows[entry->first_row + 1].numbers[ROW_SIZE]),
                   key == KEY_ZERO ? "only the first row acts: %s is looked up with size 0, whatever the call"
                                   : "%s is looked up with the number of ranks x the size of an element, "
                                     "whatever the count",
                   ompi_block_name(block))
                ->help = "give one row for each communicator size";
    }
}

static bool has_same_sizes(const struct ompi_table *of, const struct ompi_entry *a,
                           const struct ompi_entry *b)
{
    bool is_same = a->n_rows == b->n_rows;
    for (size_t i = 0; is_same && i < a->n_rows; i++)
        is_same = of->rows[a->first_row + i].numbers[ROW_SIZE].value ==
                  of->rows[b->first_row + i].numbers[ROW_SIZE].value;
    return is_same;
}

/* Reports sizes per rank where the loader compares with the total: less than a byte for each rank, or the
 * same three sizes or more, including 0, for all numbers of ranks. */
static void lint_unit(const struct ompi_table *of, const struct ompi_block *block,
                      struct diagnostics *findings)
{
    const struct ompi_entry *entries = &of->entries[block->first_entry];
    static const char help[] =
        "multiply sizes by the number of ranks: OSU and IMB print those of one rank or pair";
    for (size_t i = 0; i < block->n_entries; i++) {
        const struct ompi_entry *entry = &entries[i];
        if (entry->n_rows < 2)
            continue;
        const struct ompi_number *second = &of->rows[entry->first_row + 1].numbers[ROW_SIZE];
        if (second->value > 0 && second->value < entry->ranks.value) {
            report(findings, CODE_B015, ompi_at(of, second),
                   "%lld is less than a byte for each of %lld ranks: %s is looked up with the total of all "
                   "ranks",
                   (long long)second->value, (long long)entry->ranks.value, ompi_block_name(block))
                ->help = help;
            return;
        }
        if (i && entry->n_rows > 2 && entry->ranks.value != entries[i - 1].ranks.value &&
            has_same_sizes(of, entry, &entries[i - 1])) {
            report(findings, CODE_B015, ompi_at(of, second),
                   "the same sizes for %lld as for %lld ranks: %s is looked up with the total of all ranks",
                   (long long)entry->ranks.value, (long long)entries[i - 1].ranks.value,
                   ompi_block_name(block))
                ->help = help;
            return;
        }
    }
}

void ompi_lint_keys(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_blocks; i++) {
        const struct ompi_block *block = &of->blocks[i];
        if (block->replaced_by)
            continue;
        lint_uncompared(of, block, findings);
        if (ompi_collectives[block->collective.value].key == KEY_TOTAL)
            lint_unit(of, block, findings);
    }
}
