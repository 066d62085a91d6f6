/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Specialisation of a bound program for its expansion: the same statements, each call with a
 * definition of its own and each `let` and argument that never changes at its place with a
 * variable of its own, so that for every expression it is known whether it can change while
 * the program runs. What depends on the rank alone becomes a fixed variable (SLOT_FIXED),
 * evaluated once for all steps: loop-invariant code motion, with as many values as FIXED_VALUES. A
 * block that is named as the peer of its message has the peer's expressions themselves.
 */
#ifndef COLLC_COMPILER_PASSES_SPECIALISE_H
#define COLLC_COMPILER_PASSES_SPECIALISE_H

#include "compiler/passes/evaluate.h"

/* Returns statements to carry out instead of program->body, in the arena; adds new variables to the
 * environment, which must know its number of ranks. A program that gets too large is left as it is. The steps
 * and their operations are the same, and so are faults. */
const struct statement *specialise(const struct program *program, struct environment *environment,
                                   struct arena *arena);

#endif
