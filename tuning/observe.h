/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithms the collectives of a program went to (tuning/runtime/notes.h), beside what a table
 * says.
 */
#ifndef COLLC_TUNING_OBSERVE_H
#define COLLC_TUNING_OBSERVE_H

#include "study/sizes.h"
#include "tables/rules/plan.h"
#include "tuning/mpi.h"

/* Calls of one kind, as their ranks saw them. */
struct observed {
    struct table_query query;
    bool is_elsewhere;          /* not the root, where ranks may decide unlike */
    bool is_uneven;             /* counts differ by rank: the bytes are rounded down */
    uint64_t first, last;       /* bytes */
    const char *algorithm;      /* or "fails" */
    const char *runs_as;        /* or NULL */
    uint64_t segment_bytes, fan_out;
    uint64_t n_calls;           /* of ranks */
    const char *picked;         /* by the table, in words */
    const char *picked_runs_as; /* or NULL */
    uint64_t picked_segment_bytes, picked_fan_out;
    bool is_by_rule;            /* a row of the table is what was picked */
    bool differs;
};

struct observation {
    struct observed *items;     /* by collective, ranks, bytes; neighbours unlike */
    size_t n, capacity;
    uint64_t n_kinds, n_calls, n_different; /* kinds are of one size; different ones of these */
    const char *problem, *help; /* what failed, or NULL */
};

/* What is run. */
struct observe_request {
    const struct table *table;
    const char *path;           /* of it, absolute; NULL: no table */
    struct mpi *mpi;            /* open */
    const char *const *program; /* its words, up to NULL; or NULL: calls of every collective that the table
                                   speaks of, on the ranks and around the sizes where choices change */
    const uint32_t *collectives; /* whose calls are made; NULL: as the table says */
    size_t n_collectives;
    struct size_list ranks;     /* of communicators; of a program the ranks of the launch, or none */
    struct span bytes;
    double seconds;             /* for the launch */
};

/* Runs it and compares. False with a problem. Strings in the arena. */
bool observe(const struct observe_request *request, struct observation *seen, struct arena *arena);
/* Whether every call that a row is for got it. */
bool observed_rules_act(const struct observation *seen);
void observation_free(struct observation *seen);

#endif
