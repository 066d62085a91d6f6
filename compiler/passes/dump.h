/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A window into the compiler: what a program is after a pass, in the language's own syntax.
 */
#ifndef COLLC_COMPILER_PASSES_DUMP_H
#define COLLC_COMPILER_PASSES_DUMP_H

#include "compiler/passes/expand.h"

enum pass {
#define PASS(name, help) PASS_##name,
#include "compiler/passes/passes.def"
    N_PASSES
};

/* Prints the program of a binding with numbers for all that is the same on every rank and known before the
 * first step. Bound to as many ranks again, in the same places and with the same root, it has the same
 * schedule. Requires a binding whose program has no runs. */
void dump_binding(const struct binding *binding, struct text *out);

#endif
