/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an algorithm says of its own cost in the comment above it, by formulas in the
 * language itself (docs/algorithms.md, "Costs"):
 *
 *   # steps: EXPR      communication steps
 *   # messages: EXPR   the most that one rank sends, messages to itself included
 *   # bytes: EXPR      the most bytes that one rank sends; m is the size of `buf`, or of
 *                      one chunk of `in`
 *
 * "at most" may stand before a formula. To be evaluated they are put into the program as
 * lets of the header, so that they may use its parameters and lets.
 */
#ifndef COLLC_COMPILER_PASSES_STATED_H
#define COLLC_COMPILER_PASSES_STATED_H

#include "compiler/passes/expand.h"

enum { STATED_STEPS, STATED_MESSAGES, STATED_BYTES, N_STATED };
extern const char *const stated_name[N_STATED]; /* "steps", "messages", "bytes" */

struct stated {
    const char *formula[N_STATED]; /* in one line, without "at most"; NULL: none is stated */
    bool is_bound[N_STATED];       /* "at most" */
};

/* Reads the formulas of a program; strings in the arena. */
struct stated stated_read(const struct program *program, struct arena *arena);

/* The text of the program with a let `stated_NAME` for each formula and the lines `more`, which
 * give m its value, before its first statement. In the arena. */
const char *stated_program(const struct program *program, const struct stated *stated,
                           const char *more, struct arena *arena);

/* Values of the formulas where the program is bound, m being request->bytes. False, and nothing
 * set, if it cannot be bound there or its formulas are none; nothing is reported. */
bool stated_values(const struct program *program, const struct bind_request *request,
                   int64_t value[N_STATED]);
/* The same whether or not what the program `requires` holds. */
bool stated_values_anyway(const struct program *program, const struct bind_request *request,
                          int64_t value[N_STATED]);

/* Why one of the formulas has no value where the program is bound. */
struct stated_problem {
    int formula;
    const char *message; /* with the code, in the arena */
};
/* False if they all have one, or something else is at fault. */
bool stated_problem(const struct program *program, const struct bind_request *request,
                    struct stated_problem *problem, struct arena *arena);
/* Where in the head the formula is; its first byte if there is none. */
struct position stated_position(const struct program *program, int formula);

#endif
