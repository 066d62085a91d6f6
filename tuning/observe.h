/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes the algorithms that the collectives of a program use (tuning/runtime/notes.h), and compares
 * them with a table.
 */
#ifndef COLLC_TUNING_OBSERVE_H
#define COLLC_TUNING_OBSERVE_H

#include "study/sizes.h"
#include "tables/rules/plan.h"
#include "tuning/mpi.h"

/* Calls of one kind, as their ranks saw them. */
struct observed {
    struct table_query query;
    bool is_elsewhere;          /* not the root, and ranks may decide differently */
    bool is_uneven;             /* counts differ by rank: the bytes are rounded down */
    uint64_t first, last;       /* bytes */
    const char *algorithm;      /* or "fails" */
    const char *runs_as;        /* or NULL */
    uint64_t segment_bytes, fan_out;
    uint64_t n_calls;           /* counted on all ranks */
    const char *picked;         /* the table's choice, in words */
    const char *picked_runs_as; /* or NULL */
    uint64_t picked_segment_bytes, picked_fan_out;
    bool is_by_rule;            /* a row of the table made the choice */
    bool differs;
};

struct observation {
    struct observed *items;     /* by collective, ranks, bytes; neighbours differ */
    size_t n, capacity;
    uint64_t n_kinds, n_calls, n_different; /* kinds of one size; n_different: kinds that do not follow the
                                               table */
    uint64_t n_failing;         /* kinds that fail, as the table says or not */
    uint64_t n_left_out;        /* calls that are not made, as they would end the program */
    const char *problem, *help; /* failure, or NULL */
};

/* The program to run and observe. */
struct observe_request {
    const struct table *table;
    const char *path;           /* path of the table, absolute; NULL: no table */
    struct mpi *mpi;            /* open */
    const char *const *program; /* words of the program, up to NULL; or NULL: calls of every collective in the
                                   table, on `ranks` and around the sizes where choices change */
    const uint32_t *collectives; /* collectives to call; NULL: those of the table */
    size_t n_collectives;
    struct size_list ranks;     /* sizes of communicators; for a program the ranks of the launch, or none */
    struct span_list bytes;
    double seconds;             /* for the launch */
};

/* Runs the program and compares. Returns false with a problem. Strings live in the arena. */
bool observe(const struct observe_request *request, struct observation *seen, struct arena *arena);
/* True if every call that a row is for used the row's choice. */
bool observed_rules_act(const struct observation *seen);
/* True if the table has rules that choose, and none was for a call. */
bool observed_misses_rules(const struct table *table, const struct observation *seen);
void observation_free(struct observation *seen);

#endif
