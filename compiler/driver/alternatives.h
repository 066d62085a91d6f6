/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An algorithm that is not defined here: which ones of its collective are.
 */
#ifndef COLLC_DRIVER_ALTERNATIVES_H
#define COLLC_DRIVER_ALTERNATIVES_H

#include "compiler/driver/pipeline.h"

/* Adds to the help of the last requirement that was not met (E009), if there is one, the
 * built-in algorithms of the program's collective that can be bound in its place: the nearest
 * by the rule in docs/codes/E009.md, and the names of some others. */
void suggest_alternatives(struct job *job);

#endif
