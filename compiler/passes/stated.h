/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs that an algorithm states by the formulas of its clause `costs` (docs/algorithms.md, "Cost"): their
 * text and, where the program is bound, their values. `m` in them is the size of `buf`, or of one chunk of
 * `in`.
 */
#ifndef COLLC_COMPILER_PASSES_STATED_H
#define COLLC_COMPILER_PASSES_STATED_H

#include "compiler/passes/expand.h"

struct stated {
    const char *formula[N_COSTS]; /* in one line, without "at most"; NULL: none is stated */
    bool is_bound[N_COSTS];       /* "at most" */
};

/* Returns the formulas of a program; strings in the arena. */
struct stated stated_read(const struct program *program, struct arena *arena);

/* Returns the description of the algorithm with the formulas below it, in lines of 90 columns; in the
 * arena. */
const char *stated_description(const struct program *program, struct arena *arena);

/* Computes the formulas where the program is bound, m being request->bytes. False, with nothing set, if it
 * cannot be bound there or one of them has no value; nothing is reported. */
bool stated_values(const struct program *program, const struct bind_request *request,
                   int64_t value[N_COSTS]);
/* Does the same for a binding that was made with_costs. */
bool stated_values_bound(const struct binding *binding, uint64_t bytes, int64_t value[N_COSTS]);

/* Reason why one of the formulas has no value where the program is bound. */
struct stated_problem {
    enum cost cost;
    const char *message; /* with the code, in the arena */
};
/* Finds it. False if they all have a value, or something else is at fault. */
bool stated_problem(const struct program *program, const struct bind_request *request,
                    struct stated_problem *problem, struct arena *arena);
/* Returns the position of the formula; the first byte of the file if there is none. */
struct position stated_position(const struct program *program, enum cost cost);

#endif
