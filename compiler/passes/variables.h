/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of variables during an expansion: the same everywhere, one per lane of a block, or
 * one per rank. What nobody may need is not evaluated before it is read.
 */
#ifndef COLLC_COMPILER_PASSES_VARIABLES_H
#define COLLC_COMPILER_PASSES_VARIABLES_H

#include "compiler/passes/evaluate.h"

struct binding;
/* Returns an environment with the values of the binding, the same everywhere; for expressions that do not
 * differ between ranks. */
struct environment *environment_of_binding(const struct binding *binding,
                                           struct diagnostics *diagnostics);

/* Assigns the same value everywhere. */
void variables_assign_uniform(struct environment *environment, uint32_t variable, int64_t value);
/* Assigns one value per lane of the block, or the same to all; other lanes keep theirs. Its bounds become
 * unknown. */
void variables_assign_lanes(struct environment *environment, uint32_t variable, const struct lanes *lanes,
                            const struct value *value);
/* Sets bounds, but no value: until it is assigned, the variable is for evaluate_range only. A fixed one stays
 * as it is. */
void variables_bound(struct environment *environment, uint32_t variable, struct range range);
/* Makes room for a value per rank, SLOT_RANKS, all blocks unknown. */
void variable_of_ranks(struct environment *environment, uint32_t variable);
/* Copies the values of all lanes of the block to their ranks, as many as there are. */
void variables_assign_block(struct environment *environment, uint32_t variable, const struct value *value);

/* Declares variable = expr, on the given lanes. It may be evaluated later, but fails here if it has no value:
 * `lanes` and what the expression reads must stay as they are as long as the variable is read. */
bool variables_let(struct environment *environment, uint32_t variable, const struct expr *expr,
                   const struct lanes *lanes);

/* Returns the lanes of the current block. */
struct lanes variables_block_lanes(const struct environment *environment);
/* Reads EXPR_VARIABLE on lanes; see evaluate() and evaluate_range(). */
bool variables_value(struct environment *environment, const struct expr *expr,
                    const struct lanes *lanes, uint32_t depth, struct value *value);
bool variable_range(struct environment *environment, uint32_t variable, uint32_t depth,
                    struct range *range);
/* Returns the value at one lane that the variable has, or the expression that has it: *expr, else NULL. No
 * vector of an evaluation may be in use. */
int64_t variable_at(struct environment *environment, uint32_t variable, uint32_t lane,
                    const struct expr **expr);

#endif
