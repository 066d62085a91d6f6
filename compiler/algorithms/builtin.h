/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files built into collc: algorithms and pages.
 */
#ifndef COLLC_ALGORITHMS_BUILTIN_H
#define COLLC_ALGORITHMS_BUILTIN_H

#include "ir/collective.h"
#include "base/embedded.h"
#include "base/memory.h"

/* Returns the file at FOLDER/NAME.EXTENSION, or NULL: ("compiler/algorithms", "alltoall/ring", "coll"). */
const struct embedded_file *builtin_find(const char *folder, const char *name,
                                         const char *extension);
/* Returns the algorithm of that name: "alltoall/ring"; of a form with unequal counts its own or that of the
 * collective, "alltoallv/ring", which is then to be made one of the form. NULL: none. */
const struct embedded_file *builtin_of_name(const char *name, enum collective_form *form);
/* Returns the algorithm for a form: "alltoallv/ring" may name one of the collective, unless the form has one
 * of that name; NULL as below. */
const char *builtin_algorithm_of(const struct embedded_file *file, enum collective collective,
                                 enum collective_form form, struct arena *arena);
/* "bcast/chain" in the arena if the file is an algorithm of that collective, else NULL. */
const char *builtin_algorithm(const struct embedded_file *file, const char *collective,
                              struct arena *arena);

/* Returns the number of the family of algorithms of that name, without the collective, in families.def; or
 * -1: none. */
int builtin_family(const char *name);

/* Returns the names of all that serve a collective: "bruck, linear, ring"; NULL: none. In the arena. */
const char *builtin_names_of(enum collective collective, enum collective_form form, struct arena *arena);

/* Returns the built-in algorithm "COLLECTIVE/NAME" nearest to a name that is none, or NULL; `name` may be
 * without the collective. In the arena. */
const char *builtin_nearest(const char *name, struct arena *arena);
/* Returns the algorithms of that name, without the collective: "'bcast/ring', 'scan/ring' and 3 more"; NULL:
 * none. In the arena. */
const char *builtin_namesakes(const char *name, struct arena *arena);

#endif
