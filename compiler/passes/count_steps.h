/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many steps statements have at least, known from their text and the bounds of their loops
 * without carrying them out: what has far too many is refused before it takes a minute.
 */
#ifndef COLLC_COMPILER_PASSES_COUNT_STEPS_H
#define COLLC_COMPILER_PASSES_COUNT_STEPS_H

#include "compiler/passes/evaluate.h"

/* How often `n` iterations of a loop, whose variable has values within `range`, carry out a
 * STATEMENT_STEP at least; no more than UINT32_MAX. O(statements in it, definitions written out),
 * up to a limit. Requires the values of all variables from outside of the loop; its own variable
 * and those assigned in it have none afterwards. */
uint64_t count_steps_of_loop(struct environment *environment, const struct statement *loop,
                             uint64_t n, struct range range);

#endif
