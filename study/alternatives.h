/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Suggests other algorithms of the collective for one that is not defined here.
 */
#ifndef COLLC_STUDY_ALTERNATIVES_H
#define COLLC_STUDY_ALTERNATIVES_H

#include "compiler/passes/expand.h"

/* Adds to the help of the last requirement that was not met (E009), if there is one, the numbers of ranks
 * below and above that the program takes, or the value of its parameter, and the built-in
 * algorithms of the program's collective that can be bound instead: the most similar first, by the rule in
 * docs/codes/E009.md, and the number of others. */
void alternatives_bound(const struct program *refused, const struct bind_request *where,
                        struct diagnostics *diagnostics);
/* Sets the help for a built-in algorithm that does not serve the form it has taken (E020) to the built-in
 * ones that do, in that order. */
void alternatives_serving(const struct program *refused, struct diagnostics *diagnostics);

#endif
