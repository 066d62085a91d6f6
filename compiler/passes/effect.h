/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Certain effects of a loop, known from its text and its bounds without carrying it out: a loop with far
 * too many steps or operations is refused before it takes a minute or all memory; a loop that does nothing
 * takes no time.
 */
#ifndef COLLC_COMPILER_PASSES_EFFECT_H
#define COLLC_COMPILER_PASSES_EFFECT_H

#include "compiler/passes/evaluate.h"

struct effect {
    uint64_t steps; /* times that STATEMENT_STEP is carried out at least; UINT32_MAX: or more */
    uint64_t posts; /* sends and receives of each lane outside of these, at least; UINT32_MAX: or more */
    bool is_idle;   /* no step, nothing posted, and no failure, on no lane of the block */
};

/* A loop of fewer iterations is walked one by one. */
enum { FEW_ITERATIONS = 256 };

/* Returns the effect of `n` iterations of a loop whose variable has values within `range`. O(statements in
 * it, definitions written out), up to a limit. Requires the values of all variables from outside of the loop;
 * afterwards its own variable and those assigned in it have none. */
struct effect effect_of_loop(struct environment *environment, const struct statement *loop,
                             uint64_t n, struct range range);
/* Counts the sends and receives that statements of a step, without calls, post for certain on every rank of
 * all blocks; ignores values that differ between ranks. */
uint64_t effect_least_posts(struct environment *environment, const struct statement *first);

#endif
