/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of selection files, inside this folder: each function checks the whole tree for the codes
 * named with it (docs/codes).
 */
#ifndef COLLC_TABLES_MPICH_LINT_H
#define COLLC_TABLES_MPICH_LINT_H

#include "base/codes.h"
#include "tables/mpich/mpich.h"

/* Check the conditions (lint_conditions.c). */
void mpich_lint_missing(const struct mpich_table *of, struct diagnostics *findings);   /* B022 */
void mpich_lint_defined(const struct mpich_table *of, struct diagnostics *findings);   /* B023 */
void mpich_lint_numbers(const struct mpich_table *of, struct diagnostics *findings);   /* B026, B027 */
void mpich_lint_order(const struct mpich_table *of, struct diagnostics *findings);     /* B006, B009 */
void mpich_lint_twice(const struct mpich_table *of, struct diagnostics *findings);     /* B028 */
void mpich_lint_agreement(const struct mpich_table *of, struct diagnostics *findings); /* B013 */

/* Check the algorithms (lint_choices.c). */
void mpich_lint_algorithms(const struct mpich_table *of, struct diagnostics *findings); /* B011, B024 */
/* Returns the calls that the leaf's algorithm is for if no condition on the way tests for them, and in
 * *condition the condition to add. NULL: the conditions suffice, or the leaf is for intercommunicators. */
const char *mpich_unknown_need(const struct mpich_table *of, const struct mpich_node *leaf,
                               const char **condition);
void mpich_lint_parameters(const struct mpich_table *of, struct diagnostics *findings); /* B014, B025 */
void mpich_lint_hidden(const struct mpich_table *of, struct diagnostics *findings);     /* B017 */

static inline struct position mpich_at(const struct mpich_table *of, const struct mpich_node *node)
{
    return json_node_position(of->table.source, node->json);
}
/* Returns the collective that the condition is below; MPICH_N_COLLECTIVES if none. */
static inline uint32_t mpich_collective_above(const struct mpich_node *node)
{
    while (node && node->test != TEST_COLLECTIVE)
        node = node->above;
    return node ? (uint32_t)node->value : MPICH_N_COLLECTIVES;
}
/* Returns the first condition beside it. */
static inline const struct mpich_node *mpich_first_beside(const struct mpich_table *of,
                                                          const struct mpich_node *node)
{
    return node->above ? node->above->success : of->root;
}

#endif
