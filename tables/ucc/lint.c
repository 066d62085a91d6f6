/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of UCC's score strings.
 */
#include "base/codes.h"
#include "tables/ucc/ucc.h"

#include <stdlib.h>

static const char refused_help[] = "UCC logs an error and goes on without any item of this string";

static void lint_item(const struct ucc_table *of, const struct ucc_string *string,
                      const struct ucc_item *item, struct diagnostics *findings)
{
    if (item->wrong.length) {
        report(findings, CODE_B035, ucc_at(of, item->wrong),
               "'%.*s' is no collective, memory type, score, range of sizes, team size or algorithm, or "
               "there is one already",
               (int)item->wrong.length, item->wrong.text)
            ->help = refused_help;
        return;
    }
    if (!item->has_score && !item->algorithm.length)
        report(findings, CODE_B009, ucc_at(of, item->text),
               "neither a score nor an algorithm: the item has no effect");
    for (uint32_t i = 0; i < UCC_N_COLLECTIVES && item->algorithm.length && string->is_ucp; i++) {
        if (!(item->collectives >> i & 1) ||
            ucc_algorithm(ucc_release(&of->table), i, item->algorithm) != UCC_NO_ALGORITHM)
            continue;
        const uint32_t since = ucc_since(i, item->algorithm);
        struct diagnostic *found =
            report(findings, CODE_B010, ucc_at(of, item->algorithm), "%s of tl/ucp has no algorithm '%.*s'",
                   ucc_collective_names[i], (int)item->algorithm.length, item->algorithm.text);
        found->help =
            since ? diagnostics_text(findings, "UCC 1.%u and later have it; %s", since, refused_help)
                  : refused_help;
        return;
    }
}

/* Reports collectives that are named, and that `pick` does not answer for. */
static void lint_unpicked(const struct ucc_table *of, const struct ucc_item *item,
                          struct diagnostics *findings)
{
    const char *names = NULL;
    for (uint32_t i = UCC_N_PICKED; i < UCC_N_COLLECTIVES && item->collectives != UINT32_MAX; i++)
        if (item->collectives >> i & 1)
            names = diagnostics_text(findings, "%s%s%s", names ? names : "", names ? ", " : "",
                                     ucc_collective_names[i]);
    if (names)
        report(findings, CODE_B041, ucc_at(of, item->text),
               "of %s the form alone and the algorithm are judged: 'collc pick' does not know what UCC takes", names);
}

/* True if the item is for teams of an odd number alone. */
static bool is_for_odd(const struct ucc_table *of, const struct ucc_string *string,
                       const struct ucc_item *item)
{
    const struct span section = of->sections[string->section].teams;
    bool is = item->n_teams > 0 || (section.first == section.last && section.first % 2);
    for (uint32_t i = 0; i < item->n_teams; i++)
        is &= item->teams[i].first == item->teams[i].last && item->teams[i].first % 2;
    return is;
}

/* Reports an algorithm in whose place UCC runs another one, for teams or calls that the item is for. */
static void ucc_lint_substitution(const struct ucc_table *of, const struct ucc_string *string,
                                  const struct ucc_item *item, struct diagnostics *findings)
{
    for (uint32_t i = 0; i < UCC_N_COLLECTIVES && item->algorithm.length && string->is_ucp; i++) {
        const struct ucc_substitution *other =
            item->collectives >> i & 1 ? ucc_substitution(ucc_release(&of->table), i, item->algorithm) : NULL;
        if (!other || (other->made_for == UCC_FOR_EVEN && !is_for_odd(of, string, item)))
            continue;
        report(findings, CODE_B012, ucc_at(of, item->algorithm), "%s of %s: %s", other->algorithm,
               ucc_collective_names[i], other->words);
        return;
    }
}

/* Reports ranges that overlap, for each size at which the teams of an item begin. */
static void ucc_lint_overlap(const struct ucc_table *of, const struct ucc_string *string,
                             struct diagnostics *findings)
{
    const struct ucc_item *said = NULL;
    for (size_t i = string->first; i < string->first + string->n; i++) {
        const uint64_t n_ranks = of->items[i].n_teams ? of->items[i].teams[0].first : 2;
        for (uint32_t collective = 0; collective < UCC_N_COLLECTIVES; collective++) {
            struct ucc_pieces pieces = ucc_take(of, string, collective, n_ranks);
            const struct ucc_item *item = pieces.left_out;
            if (item && item != said) {
                report(findings, CODE_B036, ucc_at(of, item->text),
                       "sizes of %s overlap those of an item before, or end before they begin: %s",
                       ucc_collective_names[collective],
                       pieces.refused == item ? "the whole string is refused" : "they are left out");
                said = item;
            }
            free(pieces.items);
        }
    }
}

/* True if a section gives all three numbers and no team has them. */
static bool never_fits(const struct ucc_section *section)
{
    const uint64_t most = SPAN_NO_END;
    if (section->per_node.last == most || section->nodes.last == most || section->teams.last == most)
        return false;
    return section->per_node.last * section->nodes.last < section->teams.first ||
           section->per_node.first * section->nodes.first > section->teams.last;
}

void ucc_lint(const struct table *table, struct diagnostics *findings)
{
    const struct ucc_table *of = ucc_table_of(table);
    if (table->ignored) {
        report(findings, CODE_B001, table->ignored_at, "the whole file is ignored: %s", table->ignored);
        return;
    }
    for (size_t i = 0; i < of->n_sections; i++)
        if (never_fits(&of->sections[i]))
            report(findings, CODE_B009, slice_position(table->source, of->sections[i].text),
                   "no team has so many ranks on so many nodes: the section never acts");
    for (size_t i = 0; i < of->n_strings; i++) {
        const struct ucc_string *string = &of->strings[i];
        for (size_t j = string->first; j < string->first + string->n; j++)
            lint_item(of, string, &of->items[j], findings), lint_unpicked(of, &of->items[j], findings);
        for (size_t j = string->first; j < string->first + string->n; j++)
            ucc_lint_substitution(of, string, &of->items[j], findings);
        ucc_lint_overlap(of, string, findings);
    }
}
