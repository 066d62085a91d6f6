/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An algorithm that is not defined here: which ones of its collective are.
 */
#ifndef COLLC_STUDY_ALTERNATIVES_H
#define COLLC_STUDY_ALTERNATIVES_H

#include "compiler/passes/expand.h"

/* Adds to the help of the last requirement that was not met (E009), if there is one, the
 * built-in algorithms of the program's collective that can be bound in its place: the most alike
 * first, by the rule in docs/codes/E009.md, and how many others. */
void alternatives_bound(const struct program *refused, const struct bind_request *where,
                        struct diagnostics *diagnostics);
/* Of a built-in algorithm that does not serve the form it has taken (E020): the help becomes the
 * built-in ones that do, in that order. */
void alternatives_serving(const struct program *refused, struct diagnostics *diagnostics);

#endif
