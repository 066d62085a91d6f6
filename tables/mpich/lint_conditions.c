/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the conditions of a selection file: calls that they leave open, tests that are not defined, and
 * conditions that never hold.
 */
#include "tables/mpich/lint.h"

#include <string.h>

/* ---- what is left open ---- */

/* Returns the answers of two to the same test that it accepts, as bits; 3: both, 0: it is no such test. */
static unsigned answers(const struct mpich_node *node)
{
    if (node->test == TEST_LEAF || mpich_holds_always(node))
        return 3;
    if (mpich_conditions[node->test].is_yes_no)
        return node->value ? 1 : 2;
    if (node->test == TEST_HIERARCHY)
        return node->value == HIERARCHY_PARENT ? 1 : node->value == HIERARCHY_FLAT ? 2 : 0;
    return node->test == TEST_INTRA ? 1 : node->test == TEST_INTER ? 2 : 0;
}

static enum mpich_test question(const struct mpich_node *node)
{
    return node->test == TEST_INTER ? TEST_INTRA : node->test;
}

/* True if conditions beside each other, from the first on, leave calls open. */
static bool lint_conditions_is_open(const struct mpich_node *first)
{
    unsigned seen[TEST_LEAF + 1] = {0};
    for (const struct mpich_node *node = first; node; node = node->failure) {
        seen[question(node)] |= answers(node);
        if (seen[question(node)] == 3)
            return false;
    }
    return true;
}

/* Reports collectives without rules that a program may call, in one finding. */
static void lint_collectives(const struct mpich_table *of, struct diagnostics *findings)
{
    bool has[MPICH_N_COLLECTIVES] = {false};
    for (size_t i = 0; i < of->n_all; i++)
        if (of->all[i]->test == TEST_COLLECTIVE)
            has[of->all[i]->value] = true;
    enum { MAX_NAMED = 4 };
    struct text names = {0};
    unsigned n = 0;
    for (unsigned i = 0; i < MPICH_N_COLLECTIVES; i++)
        if (!has[i] && n++ < MAX_NAMED)
            text_printf(&names, "%s%s", n > 1 ? ", " : "", mpich_collective_names[i]);
    if (n > MAX_NAMED)
        text_printf(&names, " and %u more", n - MAX_NAMED);
    if (n)
        report(findings, CODE_B022, json_node_position(of->table.source, of->json),
               "no rules for %s: the first call ends the program", names.data)
            ->help = "the file takes the place of the whole tree compiled in: change a copy of that "
                     "(maint/tuning/coll/mpir/generic.json of the same version)";
    text_free(&names);
}

void mpich_lint_missing(const struct mpich_table *of, struct diagnostics *findings)
{
    if (of->layer != MPICH_OWN) /* MPICH's own table answers what the device's does not */
        return;
    lint_collectives(of, findings);
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *node = of->all[i];
        if (node->failure || mpich_collective_above(node) == MPICH_N_COLLECTIVES ||
            node->test == TEST_COLLECTIVE || !lint_conditions_is_open(mpich_first_beside(of, node)))
            continue;
        report(findings, CODE_B022, mpich_at(of, node),
               "nothing stands behind '%s': calls of %s for which it does not "
               "hold end the program",
               node->key, mpich_collective_names[mpich_collective_above(node)])
            ->help = "write the other answer, or 'comm_size=any', which holds for all";
    }
}

void mpich_lint_defined(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *node = of->all[i];
        const uint32_t collective = mpich_collective_above(node);
        if (collective == MPICH_N_COLLECTIVES || mpich_is_defined(node, collective))
            continue;
        struct diagnostic *finding = report(findings, CODE_B023, mpich_at(of, node),
                                            "'%s' cannot be asked for %s: calls that come here end "
                                            "the program",
                                            node->key, mpich_collective_names[collective]);
        if (mpich_collectives[collective].total != SIZE_NEVER &&
            mpich_conditions[node->test].number == NUMBER_AVERAGE)
            finding->help = "total_msg_size can";
    }
}

/* ---- numbers ---- */

/* True if an earlier condition on the way is tested in each call. */
static bool is_uncut(const struct mpich_table *of, const struct mpich_node *node)
{
    for (const struct mpich_node *at = node; at; at = at->above) {
        const bool is_inside = at->above && mpich_collective_above(at->above) < MPICH_N_COLLECTIVES;
        for (const struct mpich_node *beside = mpich_first_beside(of, at); beside != at;
             beside = beside->failure)
            if (!mpich_is_cut(beside, is_inside))
                return true;
        if (at != node && !mpich_is_cut(at, is_inside))
            return true;
    }
    return false;
}

static bool is_read_whole(const struct mpich_node *node)
{
    const char *digits = node->digits;
    const size_t length = strspn(digits, "0123456789");
    if (length == 0 || digits[length])
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < length && value <= INT32_MAX; i++)
        value = value * 10 + (uint64_t)(digits[i] - '0');
    return value <= INT32_MAX;
}

void mpich_lint_numbers(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *node = of->all[i];
        if (!node->digits)
            continue;
        if (!is_read_whole(node))
            report(findings, CODE_B027, mpich_at(of, node), "the number of '%s' is read as %d", node->key,
                   node->value)
                ->help = "write decimal digits alone, 2147483647 at most: no units, no hexadecimal";
        if (node->test == TEST_RANKS_LT && is_uncut(of, node))
            report(findings, CODE_B026, mpich_at(of, node),
                   "'%s' holds for %d ranks, too: behind or below a condition "
                   "on sizes or the call it is asked as '<='",
                   node->key, node->value)
                ->help = "write comm_size<=, or put it above";
    }
}

/* ---- which never hold ---- */

/* The ranges of numbers that are still open on a way. */
struct limits {
    int64_t first[MPICH_N_NUMBERS], last[MPICH_N_NUMBERS];
};

/* Does the same as mpich_bound_of, but with `comm_size<N` as it is tested in this place. */
static bool lint_conditions_bound_of(const struct mpich_table *of, const struct mpich_node *node,
                                     enum mpich_number *number, int64_t *last)
{
    const bool is_bound = mpich_bound_of(node, number, last);
    *last += node->test == TEST_RANKS_LT && is_uncut(of, node);
    return is_bound;
}

static void lint_conditions_walk(const struct mpich_table *of, const struct mpich_node *first,
                                 struct limits limits, struct diagnostics *findings)
{
    const struct mpich_node *bounded_by[MPICH_N_NUMBERS] = {NULL};
    for (const struct mpich_node *node = first; node && node->test != TEST_LEAF; node = node->failure) {
        enum mpich_number number = NUMBER_RANKS;
        int64_t last = 0;
        if (!lint_conditions_bound_of(of, node, &number, &last)) {
            lint_conditions_walk(of, node->success, limits, findings);
            continue;
        }
        struct limits within = limits;
        within.last[number] = last < limits.last[number] ? last : limits.last[number];
        if (within.first[number] > within.last[number]) {
            struct diagnostic *finding =
                report(findings, CODE_B006, mpich_at(of, node), "'%s' never holds here", node->key);
            finding->help =
                "conditions are asked in the order of the text: the smallest number stands first";
            if (bounded_by[number]) {
                finding->related = mpich_at(of, bounded_by[number]);
                finding->related_text = "this has all of its calls";
            }
            continue;
        }
        lint_conditions_walk(of, node->success, within, findings);
        bounded_by[number] = node;
        limits.first[number] = last + 1 > limits.first[number] ? last + 1 : limits.first[number];
        if (limits.first[number] > limits.last[number] && node->failure) {
            report(findings, CODE_B009, mpich_at(of, node->failure),
                   "'%s' is never asked: '%s' always holds here", node->failure->key, node->key);
            return;
        }
    }
}

void mpich_lint_order(const struct mpich_table *of, struct diagnostics *findings)
{
    struct limits limits;
    for (unsigned i = 0; i < MPICH_N_NUMBERS; i++) {
        limits.first[i] = i == NUMBER_RANKS || i == NUMBER_PPN; /* there is a rank */
        limits.last[i] = INT64_MAX;
    }
    lint_conditions_walk(of, of->root, limits, findings);
}

/* ---- keys that occur twice ---- */

static void lint_object(const struct mpich_table *of, const struct json_node *object,
                        struct diagnostics *findings)
{
    for (const struct json_node *node = object->first; node; node = node->next) {
        lint_object(of, node, findings);
        const struct json_node *earlier = object->kind == JSON_OBJECT_NODE ? object->first : node;
        while (earlier != node && strcmp(earlier->key, node->key) != 0)
            earlier = earlier->next;
        if (earlier == node)
            continue;
        struct diagnostic *finding =
            report(findings, CODE_B028, json_node_position(of->table.source, node),
                   "the key stands here again: of the first one the place counts, of this one the value");
        finding->related = json_node_position(of->table.source, earlier);
        finding->related_text = "the first";
        finding->help = "give each key once";
    }
}

void mpich_lint_twice(const struct mpich_table *of, struct diagnostics *findings)
{
    lint_object(of, of->json, findings);
}

/* ---- agreement between ranks ---- */

static const struct mpich_node *first_leaf(const struct mpich_node *node)
{
    while (node && node->test != TEST_LEAF)
        node = node->success;
    return node;
}

/* True if the count of elements may differ between ranks: the standard requires data of one signature, not
 * one datatype. */
static bool may_differ(uint32_t collective)
{
    switch (collective) {
    case MPICH_bcast:
    case MPICH_allgather:
    case MPICH_allgatherv:
    case MPICH_gather:
    case MPICH_scatter:
    case MPICH_iallgather:
    case MPICH_iallgatherv:
    case MPICH_igather:
    case MPICH_iscatter: return true;
    default: return false;
    }
}

static bool is_below_inter(const struct mpich_node *node)
{
    while (node && node->test != TEST_INTER)
        node = node->above;
    return node != NULL;
}

void mpich_lint_agreement(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *node = of->all[i];
        const uint32_t collective = mpich_collective_above(node);
        if (collective == MPICH_N_COLLECTIVES || !may_differ(collective) || is_below_inter(node))
            continue;
        const enum mpich_number number = mpich_conditions[node->test].number;
        const bool is_count = number == NUMBER_COUNT;
        const bool is_total = number == NUMBER_TOTAL &&
                              mpich_collectives[collective].total == SIZE_ALL_ELEMENTS;
        const struct mpich_node *so = first_leaf(node->success), *other = first_leaf(node->failure);
        if ((!is_count && !is_total) || !so || !other || so->algorithm == other->algorithm)
            continue;
        report(findings, CODE_B013, mpich_at(of, node),
               "ranks may choose different algorithms for %s: '%s' counts "
               "elements, and ranks may describe the same data by different datatypes",
               mpich_collective_names[collective], node->key)
            ->help =
            is_total
                ? "for gather and scatter MPICH leaves the size of elements out of total_msg_size: give "
                  "one algorithm for all sizes"
                : "ask for bytes: avg_msg_size or total_msg_size";
    }
}
