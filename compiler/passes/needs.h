/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clause `needs` of a pattern -> what each rank needs (ir/needs.h).
 */
#ifndef COLLC_COMPILER_PASSES_NEEDS_H
#define COLLC_COMPILER_PASSES_NEEDS_H

#include "compiler/passes/expand.h"
#include "ir/needs.h"

/* Evaluates the clause for all ranks. NULL after reporting E007, E008, E010, or
 * E022: it contradicts itself. */
struct needs *needs_of_binding(const struct binding *binding, struct diagnostics *diagnostics);

#endif
