/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of classic rule files, inside this folder: each function checks the whole file for the codes
 * named with it (docs/codes).
 */
#ifndef COLLC_TABLES_OMPI_LINT_H
#define COLLC_TABLES_OMPI_LINT_H

#include "base/codes.h"
#include "tables/ompi/ompi.h"

/* Check any file (lint_text.c). */
void ompi_lint_ignored(const struct ompi_table *of, struct diagnostics *findings); /* B001 */
void ompi_lint_numbers(const struct ompi_table *of, struct diagnostics *findings); /* B002, B003 */
void ompi_lint_lines(const struct ompi_table *of, struct diagnostics *findings);   /* B005 */

/* Check the ranges in which rules of a file that the loader accepts act (lint_ranges.c). */
void ompi_lint_unread(const struct ompi_table *of, struct diagnostics *findings);  /* B004 */
void ompi_lint_order(const struct ompi_table *of, struct diagnostics *findings);   /* B006 */
void ompi_lint_ranks(const struct ompi_table *of, struct diagnostics *findings);   /* B007, B008, B016 */
void ompi_lint_keys(const struct ompi_table *of, struct diagnostics *findings);    /* B009, B015 */

/* Check the algorithms that rules ask for (lint_choices.c). */
/* B010, B011, B012, B014, B037, B043 */
void ompi_lint_algorithms(const struct ompi_table *of, struct diagnostics *findings);
/* Reports B013, in either form, if ranks may decide differently by ompi_differs_by_rank. */
struct diagnostic *ompi_report_disagreement(uint32_t collective, struct position at,
                                            struct diagnostics *findings);
/* Reports B037 or B043 for a rule of either form, which the noun names. */
void ompi_lint_safety(const struct ompi_version *version, const struct table_rule *rule, const char *noun,
                      struct position at, struct diagnostics *findings);
/* B013, B018 */
void ompi_lint_agreement(const struct ompi_table *of, struct diagnostics *findings);
/* B017, B019 */
void ompi_lint_hidden(const struct ompi_table *of, struct diagnostics *findings);

enum { LEAST_RANKS = 2 }; /* coll/tuned does not serve fewer */
/* Returns "4", "2..3" or "8 and more", for ranks of at least LEAST_RANKS. */
const char *ompi_ranks_text(struct span ranks, struct diagnostics *findings);
/* The first returns a number's place, the second the name of a block's collective. */
static inline struct position ompi_at(const struct ompi_table *of, const struct ompi_number *number)
{
    return ompi_number_position(of->table.source, number);
}
static inline const char *ompi_block_name(const struct ompi_block *block)
{
    return ompi_collective_names[block->collective.value];
}

#endif
