/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an algorithm says of itself: its head comment, and the clauses of its header.
 */
#ifndef COLLC_STUDY_FACTS_H
#define COLLC_STUDY_FACTS_H

#include "compiler/passes/stated.h"

/* Strings in the arena that facts_read was given. */
struct facts {
    const struct program *program;
    const char *summary;      /* first sentence of the first paragraph; "" if there is none */
    const char *source;       /* second paragraph, in one line, or NULL */
    const char *needs;        /* because of the names its coordinates run over, or NULL */
    struct stated stated;
    bool is_placed;           /* facts_place was called; then: */
    const char *refusal;      /* why it cannot be bound there, or NULL */
    bool has_other_parts;     /* runs others than the defaults, of which the formulas are */
    bool has_values;          /* of the formulas */
    int64_t value[N_COSTS];
    const char *problem;      /* why the formulas have none, or NULL */
};

struct facts facts_read(const struct program *program, struct arena *arena);
/* Binds it where the ranks are: sets what depends on that. */
void facts_place(struct facts *facts, const struct bind_request *where, struct arena *arena);
/* The expression of a `requires`, as the file has it, in the arena. */
const char *facts_requirement(const struct requirement *requirement, struct arena *arena);
/* The last of the settings for that parameter, or NULL. */
const struct parameter_setting *facts_setting(const struct bind_request *where, const char *name);
/* Whether it serves, besides its own, this form of its collective with unequal counts. */
bool facts_serves(const struct program *program, enum collective_form form);

#endif
