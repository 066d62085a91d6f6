/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the facts that an algorithm states: its head comment, and the clauses of its header.
 */
#ifndef COLLC_STUDY_FACTS_H
#define COLLC_STUDY_FACTS_H

#include "compiler/passes/stated.h"

/* Facts of a program. The arena of facts_read owns the strings. */
struct facts {
    const struct program *program;
    const char *summary;      /* first sentence of the first paragraph; "" if there is none */
    const char *source;       /* second paragraph, in one line, or NULL */
    const char *needs;        /* requirements by the names its coordinates run over, or NULL */
    struct stated stated;
    bool is_placed;           /* facts_place was called, which sets the rest: */
    const char *refusal;      /* reason why it cannot be bound there, or NULL */
    bool has_other_parts;     /* runs other algorithms than the defaults, which the formulas describe */
    bool has_values;          /* the formulas have values */
    int64_t value[N_COSTS];
    const char *problem;      /* reason why the formulas have no values, or NULL */
};

struct facts facts_read(const struct program *program, struct arena *arena);
/* Binds the program in a place and sets the facts that depend on it. */
void facts_place(struct facts *facts, const struct bind_request *where, struct arena *arena);
/* Returns the expression of a `requires`, as written in the file, in the arena. */
const char *facts_requirement(const struct requirement *requirement, struct arena *arena);
/* Returns the last of the settings for that parameter, or NULL. */
const struct parameter_setting *facts_setting(const struct bind_request *where, const char *name);
/* True if it also serves this form of its collective with unequal counts. */
bool facts_serves(const struct program *program, enum collective_form form);

#endif
