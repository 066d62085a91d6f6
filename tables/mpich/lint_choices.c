/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that algorithms of a selection file are defined where they are chosen: looks for the conditions
 * that ensure it on the way to them.
 */
#include "tables/mpich/lint.h"

#include <string.h>

/* ---- what is known at a leaf ---- */

/* True if the way answers the test so: by a condition above, or because one before it says the opposite. */
static bool lint_choices_is_known(const struct mpich_table *of, const struct mpich_node *leaf,
                                  enum mpich_test test, bool answer)
{
    for (const struct mpich_node *at = leaf; at; at = at->above) {
        if (at != leaf && at->test == test && (at->value != 0) == answer)
            return true;
        for (const struct mpich_node *beside = mpich_first_beside(of, at); beside != at;
             beside = beside->failure)
            if (beside->test == test && (beside->value != 0) != answer)
                return true;
    }
    return false;
}

static bool is_behind_count(const struct mpich_table *of, const struct mpich_node *leaf)
{
    for (const struct mpich_node *at = leaf; at; at = at->above)
        for (const struct mpich_node *beside = mpich_first_beside(of, at); beside != at;
             beside = beside->failure)
            if (beside->test == TEST_COUNT_POWER)
                return true;
    return false;
}

static bool lint_choices_is_below(const struct mpich_node *leaf, enum mpich_test test, int32_t value)
{
    for (const struct mpich_node *at = leaf->above; at; at = at->above)
        if (at->test == test && at->value == value)
            return true;
    return false;
}

static bool is_power(const struct mpich_node *leaf)
{
    for (const struct mpich_node *at = leaf->above; at; at = at->above)
        if (at->test == TEST_RANKS_POWER || (at->test == TEST_RANKS_LE && at->value <= 2) ||
            (at->test == TEST_RANKS_LT && at->value <= 2))
            return true;
    return false;
}

static bool has_no_data(const struct mpich_node *leaf)
{
    for (const struct mpich_node *at = leaf->above; at; at = at->above)
        if ((at->test == TEST_AVERAGE_LE || at->test == TEST_TOTAL_LE || at->test == TEST_COUNT_LE) &&
            at->value <= 0)
            return true;
    return false;
}

static bool lint_choices_is_hierarchical(const struct mpich_node *leaf)
{
    return lint_choices_is_below(leaf, TEST_HIERARCHY, HIERARCHY_PARENT) ||
           lint_choices_is_below(leaf, TEST_CONSECUTIVE, 1) ||
           lint_choices_is_below(leaf, TEST_RANKS_NODE, 0);
}

/* ---- algorithms ---- */

const char *mpich_unknown_need(const struct mpich_table *of, const struct mpich_node *leaf,
                               const char **condition)
{
    const unsigned needs = leaf->algorithm->needs;
    const bool commutes = lint_choices_is_known(of, leaf, TEST_COMMUTES, true) ||
                          lint_choices_is_known(of, leaf, TEST_BUILT_IN, true);
    if (lint_choices_is_below(leaf, TEST_INTER, 0))
        return NULL;
    if (needs & NEEDS_ONE_HOST && !lint_choices_is_below(leaf, TEST_RANKS_NODE, 0))
        return *condition = "comm_size=node_comm_size", "ranks of one machine";
    if (needs & NEEDS_ONE_THREAD && !lint_choices_is_known(of, leaf, TEST_THREADS, false))
        return *condition = "is_multi_threaded=no", "programs with one thread";
    if (needs & NEEDS_CCL)
        return *condition = "", "buffers of a GPU in a build with NCCL or RCCL";
    if (needs & NEEDS_POWER && !is_power(leaf))
        return *condition = "comm_size=pow2", "powers of two of ranks";
    if (needs & NEEDS_HIERARCHY && !lint_choices_is_hierarchical(leaf) && !has_no_data(leaf))
        return *condition = "comm_hierarchy=parent", "communicators with several ranks on a machine";
    if (needs & NEEDS_COMMUTES && !commutes)
        return *condition = "is_commutative=yes", "operations that commute";
    if (needs & NEEDS_BUILT_IN && !lint_choices_is_known(of, leaf, TEST_BUILT_IN, true))
        return *condition = "is_op_built_in=yes", "operations of MPI's own";
    if (needs & NEEDS_PER_POWER && !is_behind_count(of, leaf))
        return *condition = "count<pow2, with another algorithm, before it",
               "as many elements as the largest power of two of ranks";
    if (needs & NEEDS_EQUAL_BLOCKS && !lint_choices_is_known(of, leaf, TEST_REGULAR, true))
        return *condition = "is_block_regular=yes", "blocks of one size";
    if (needs & NEEDS_IN_PLACE && !lint_choices_is_known(of, leaf, TEST_IN_PLACE, true))
        return *condition = "is_sendbuf_inplace=yes", "MPI_IN_PLACE";
    if (needs & NEEDS_NOT_IN_PLACE && !lint_choices_is_known(of, leaf, TEST_IN_PLACE, false))
        return *condition = "is_sendbuf_inplace=no", "calls without MPI_IN_PLACE";
    return NULL;
}

static void lint_need(const struct mpich_table *of, const struct mpich_node *leaf,
                      struct diagnostics *findings)
{
    const char *condition = "", *need = mpich_unknown_need(of, leaf, &condition);
    if (!need)
        return;
    const unsigned needs = leaf->algorithm->needs;
    const char *others = needs & NEEDS_UNCHECKED                         ? "succeed with wrong data"
                         : needs & (NEEDS_ONE_HOST | NEEDS_ONE_THREAD) ? "are undefined"
                                                                         : "end the program";
    struct diagnostic *finding = report(
        findings, CODE_B011, mpich_at(of, leaf), "%s of %s is for %s, and no condition asks for that",
        leaf->algorithm->name, mpich_collective_names[leaf->algorithm->collective], need);
    if (*condition)
        finding->help =
            arena_printf(&findings->arena, "other calls %s; the condition is %s", others, condition);
    else
        finding->help = "other calls come here again without end; MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ccl "
                        "leaves them to this table";
}

/* True if the algorithm is for the other kind of communicators. */
static bool is_of_other_kind(const struct mpich_node *leaf)
{
    const bool is_inter = lint_choices_is_below(leaf, TEST_INTER, 0),
               is_intra = lint_choices_is_below(leaf, TEST_INTRA, 0);
    const bool has_inter =
        leaf->algorithm->collective != MPICH_scan && leaf->algorithm->collective != MPICH_exscan &&
        leaf->algorithm->collective != MPICH_iscan && leaf->algorithm->collective != MPICH_iexscan;
    return has_inter && ((is_inter && strcmp(leaf->algorithm->kind, "intra") == 0) ||
                         (is_intra && strcmp(leaf->algorithm->kind, "inter") == 0));
}

void mpich_lint_algorithms(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *leaf = of->all[i];
        const uint32_t collective = mpich_collective_above(leaf);
        if (leaf->test != TEST_LEAF || collective == MPICH_N_COLLECTIVES)
            continue;
        if (leaf->algorithm->collective != collective)
            report(findings, CODE_B024, mpich_at(of, leaf),
                   "an algorithm of %s for %s: calls that get it end the program",
                   mpich_collective_names[leaf->algorithm->collective], mpich_collective_names[collective]);
        else if (is_of_other_kind(leaf))
            report(findings, CODE_B024, mpich_at(of, leaf),
                   "an algorithm for %s-communicators below comm_type=%s: calls "
                   "that get it crash",
                   leaf->algorithm->kind, lint_choices_is_below(leaf, TEST_INTER, 0) ? "inter" : "intra");
        else
            lint_need(of, leaf, findings);
    }
}

/* ---- parameters ---- */

/* True if the algorithm takes the parameter that the key begins with. 4.3 has more, topo_..., for trees. */
static bool takes(const struct mpich_table *of, const struct mpich_node *leaf, const char *key)
{
    if (of->version->number >= 43 && strncmp(key, "topo_", 5) == 0 &&
        leaf->algorithm->parameters & 1u << PARAMETER_TREE)
        return true;
    key += strspn(key, " ");
    for (unsigned i = 0; i < MPICH_N_PARAMETERS; i++) {
        const size_t length = strlen(mpich_parameter_names[i]);
        if (leaf->algorithm->parameters & 1u << i && strncmp(key, mpich_parameter_names[i], length) == 0 &&
            key[length + strspn(key + length, " ")] == '=')
            return true;
    }
    return false;
}

void mpich_lint_parameters(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all; i++) {
        const struct mpich_node *leaf = of->all[i];
        if (leaf->test != TEST_LEAF)
            continue;
        for (const struct json_node *member = leaf->given->first; member; member = member->next)
            if (!takes(of, leaf, member->key))
                report(findings, CODE_B014, json_node_position(of->table.source, member),
                       "%s takes no parameter of that name: it does nothing", leaf->algorithm->name);
        for (unsigned j = 0; j < MPICH_N_PARAMETERS; j++)
            if (leaf->algorithm->parameters & 1u << j && !leaf->settings[j].is_set)
                report(findings, CODE_B025, mpich_at(of, leaf),
                       "%s is not given: it is whatever the memory holds", mpich_parameter_names[j])
                    ->help =
                    "parameters stand in the object behind the algorithm: {\"algorithm=...\": {\"k=2\": {}}}";
    }
}

/* ---- what stands before the table ---- */

void mpich_lint_hidden(const struct mpich_table *of, struct diagnostics *findings)
{
    for (size_t i = 0; i < of->n_all && of->layer == MPICH_OWN; i++) {
        const struct mpich_node *node = of->all[i];
        if (node->test != TEST_COLLECTIVE ||
            (node->value != MPICH_bcast && node->value != MPICH_reduce && node->value != MPICH_allreduce &&
             node->value != MPICH_barrier))
            continue;
        report(findings, CODE_B017, mpich_at(of, node),
               "where machines have several ranks the device (ch4) answers "
               "bcast, reduce, allreduce and barrier before this table")
            ->help = "there these rules act on its communicators within and between machines only; "
                     "'MPIR_CVAR_DEVICE_COLLECTIVES=none' takes it away";
        return;
    }
}
