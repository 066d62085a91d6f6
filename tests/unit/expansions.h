/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program's text bound to ranks, and its expansion compared with the slow one (naive.h).
 */
#ifndef COLLC_TESTS_EXPANSIONS_H
#define COLLC_TESTS_EXPANSIONS_H

#include "compiler/passes/expand.h"

/* A program with all it needs to be bound. */
struct bound_text {
    struct arena arena;
    struct diagnostics diagnostics;
    struct topology *topology;
    struct placement *placement;
    const struct program *program;
    struct binding *binding;
};

/* UNEQUAL: as BLOCK, but the last rank on the first machine. */
enum layout { BLOCK, CYCLIC, UNEQUAL };
struct placement *place(uint32_t n_ranks, uint32_t per_machine, enum layout layout);

/* Reads and binds `text`; scene->binding is NULL if that failed. Takes placement and topology;
 * topology may be NULL. */
void bind_text(struct bound_text *scene, const char *text, struct placement *placement,
                struct topology *topology, struct bind_request request);
void unbind_text(struct bound_text *scene);

/* True if it could be bound and both expansions agree, also that of some ranks alone, or if a requirement of
 * the algorithm excludes this number of ranks; counts the ones compared. */
bool compare(const char *text, const char *label, struct placement *placement,
             struct topology *topology, struct bind_request request, unsigned *n_compared);

#endif
