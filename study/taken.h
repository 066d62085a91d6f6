/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the algorithm that an MPI takes for a call, and the one of the library that sends the same messages.
 * The MPI decides by its table, or by what is compiled into it (tables/); the library's algorithm has the
 * parameters of that choice.
 */
#ifndef COLLC_STUDY_TAKEN_H
#define COLLC_STUDY_TAKEN_H

#include "study/counterparts.h"
#include "study/scene.h"

struct taken {
    const struct table *table;
    struct table_query query;
    uint64_t bytes;           /* of the call, as MPI users mean them */
    struct table_range range; /* the choice of the table; of one size */
    const char *runs;         /* the target's algorithm that runs: chosen, or in the place of it */
    int64_t number;           /* the target's number of the chosen one; 0: it has none, or names only */
    const struct counterpart *counterpart;                   /* NULL: see problem */
    struct parameter_setting settings[COUNTERPART_SETTINGS]; /* of the counterpart */
    size_t n_settings;
    uint64_t n_segments; /* that the data are cut in; 1: they are not */
    const char *problem; /* why no algorithm of the library can stand for it: a clause; or NULL */
};

/* Finds what the target takes for a call of `bytes` on all ranks, or at the root where these decide
 * differently. Strings are the table's, or in the arena. O(rules). */
struct taken taken_find(const struct table *table, const struct table_query *query, uint64_t bytes,
                        struct arena *arena);

/* Reads the counterpart as an algorithm of that form, with its settings: as scene_read. Requires that there
 * is one; `taken` must outlive the scene. */
bool scene_read_taken(struct scene *scene, const struct taken *taken, enum collective_form form,
                      struct diagnostics *diagnostics);

#endif
