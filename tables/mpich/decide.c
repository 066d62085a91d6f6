/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See decide.h.
 */
#include "tables/mpich/decide.h"

#include <assert.h>

struct mpich_known mpich_known_nothing(void)
{
    struct mpich_known known = {.hierarchies = 1u << HIERARCHY_OTHER | 1u << HIERARCHY_PARENT |
                                               1u << HIERARCHY_FLAT};
    for (unsigned i = 0; i < MPICH_N_NUMBERS; i++) {
        known.numbers[i].first = i == NUMBER_RANKS || i == NUMBER_PPN; /* there is a rank */
        known.numbers[i].last = INT64_MAX;
    }
    for (unsigned i = 0; i < TEST_LEAF; i++)
        known.can_be[i] = CAN_BE_BOTH;
    return known;
}

/* Returns the condition in one of its two forms. *is_negated: `node` has the other form. */
static enum mpich_test question_of(const struct mpich_node *node, bool *is_negated)
{
    *is_negated =
        node->test == TEST_INTER || (mpich_conditions[node->test].is_yes_no && node->value == 0);
    return node->test == TEST_INTER ? TEST_INTRA : node->test;
}

/* Returns CAN_BE_... of the condition. */
static unsigned can_hold(const struct mpich_known *known, const struct mpich_node *node)
{
    enum mpich_number number = NUMBER_RANKS;
    int64_t last = 0;
    bool is_negated;
    if (mpich_holds_always(node))
        return CAN_BE_SO;
    if (mpich_bound_of(node, &number, &last))
        return (known->numbers[number].first <= last ? CAN_BE_SO : 0u) |
               (known->numbers[number].last > last ? CAN_BE_OTHERWISE : 0u);
    if (node->test == TEST_HIERARCHY) {
        const unsigned bit = 1u << node->value;
        return (known->hierarchies & bit ? CAN_BE_SO : 0u) |
               (known->hierarchies & ~bit ? CAN_BE_OTHERWISE : 0u);
    }
    const unsigned can_be = known->can_be[question_of(node, &is_negated)];
    return is_negated ? (can_be & CAN_BE_SO) << 1 | (can_be & CAN_BE_OTHERWISE) >> 1 : can_be;
}

struct mpich_known mpich_known_with(const struct mpich_known *known, const struct mpich_node *node,
                                   bool is_so)
{
    struct mpich_known with = *known;
    enum mpich_number number = NUMBER_RANKS;
    int64_t last = 0;
    bool is_negated;
    if (mpich_holds_always(node))
        return with;
    if (mpich_bound_of(node, &number, &last)) {
        if (is_so && last < with.numbers[number].last)
            with.numbers[number].last = last;
        if (!is_so && last + 1 > with.numbers[number].first)
            with.numbers[number].first = last + 1;
    } else if (node->test == TEST_HIERARCHY) {
        const unsigned bit = 1u << node->value;
        with.hierarchies &= is_so ? bit : ~bit;
    } else {
        unsigned *can_be = &with.can_be[question_of(node, &is_negated)];
        *can_be &= is_so != is_negated ? CAN_BE_SO : CAN_BE_OTHERWISE;
    }
    return with;
}

/* ---- printing ---- */

static void decide_put_key(const struct mpich_node *node, struct text *out)
{
    enum mpich_number number = NUMBER_RANKS;
    int64_t last = 0;
    if (mpich_bound_of(node, &number, &last))
        text_printf(out, "\"%s<=%lld\": ", mpich_number_names[number], (long long)last);
    else
        text_printf(out, "\"%s\": ", node->key);
}

static void decide_put_leaf(const struct mpich_node *leaf, struct text *out)
{
    const char *separator = "";
    text_printf(out, "{\"%s\": {", leaf->key);
    for (unsigned i = 0; i < MPICH_N_PARAMETERS; i++)
        if (leaf->settings[i].is_set) {
            text_printf(out, "%s\"%s=%s\": {}", separator, mpich_parameter_names[i], leaf->settings[i].text);
            separator = ", ";
        }
    text_printf(out, "}}");
}

void mpich_put_decided(const struct mpich_node *first, const struct mpich_known *known, unsigned depth,
                       struct text *out)
{
    struct mpich_known left = *known;
    unsigned n = 0;
    for (const struct mpich_node *node = first; node;) {
        const unsigned can = node->test == TEST_LEAF ? CAN_BE_SO : can_hold(&left, node);
        if (can == CAN_BE_OTHERWISE) {
            node = node->failure;
            continue;
        }
        const bool may_end = mpich_conditions[node->test].may_end;
        if (can == CAN_BE_SO && node->test != TEST_LEAF && (n == 0 || !may_end)) {
            node = node->success; /* its successor takes its place */
            continue;
        }
        if (node->test == TEST_LEAF && n == 0) {
            decide_put_leaf(node, out);
            return;
        }
        text_printf(out, "%s\n%*s", n++ ? "," : "{", (int)(2 * depth + 2), "");
        if (node->test == TEST_LEAF) {
            text_printf(out, "\"comm_size=any\": ");
            decide_put_leaf(node, out);
            break;
        }
        const struct mpich_known so = mpich_known_with(&left, node, true);
        decide_put_key(node, out);
        mpich_put_decided(node->success, &so, depth + 1, out);
        left = mpich_known_with(&left, node, false);
        node = can == CAN_BE_SO ? NULL : node->failure;
    }
    assert(n);
    text_printf(out, "\n%*s}", (int)(2 * depth), "");
}
