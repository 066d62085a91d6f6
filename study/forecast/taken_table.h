/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges what an MPI takes, size by size: its algorithms on a network, verified and predicted; and compares
 * two MPIs, or two tables.
 */
#ifndef COLLC_STUDY_FORECAST_TAKEN_TABLE_H
#define COLLC_STUDY_FORECAST_TAKEN_TABLE_H

#include "study/forecast/forecast.h"
#include "study/taken.h"

/* The place of all calls. */
struct taken_place {
    const struct topology *topology; /* NULL: none, and no times */
    const char *topology_spec;
    const struct placement *placement;
    uint32_t root;
    enum collective collective;
    enum collective_form form;
    struct simulation_request simulation; /* model and costs of times */
    struct lower_bound least;
    double budget; /* seconds of CPU for one verification; 0: no limit */
};

/* The figures of an algorithm at one size. */
struct taken_judgement {
    const char *problem;         /* why there is nothing of what follows: a clause, in the arena; or NULL */
    bool is_right;               /* complete and free of deadlocks */
    const char *unrouted;        /* finding of a message that has no route, or NULL; in the arena */
    struct verify_report report; /* figures alone: nothing in it is to be freed */
    uint64_t time;               /* ns; UINT64_MAX: not known */
};

/* A range of sizes with one choice, judged at its last size. */
struct taken_row {
    struct span bytes;
    struct taken taken; /* at bytes.last */
    struct taken_judgement is;
};

struct taken_table {
    const struct table *table;
    struct table_query query;
    struct taken_row *rows; /* ascending, in the arena */
    size_t n;
};

/* Finds the ranges of one choice in `bytes`, with elements of query->type_bytes, 0: by table_query_of. The
 * table must outlive it. */
struct taken_table taken_table_of_spans(const struct table *table, const struct table_query *query,
                                        const struct span_list *bytes, struct arena *arena);
/* Makes a row for each size; query->type_bytes 0: as the size is (table_type_bytes). */
struct taken_table taken_table_of_sizes(const struct table *table, const struct table_query *query,
                                        const struct size_list *sizes, struct arena *arena);
/* Judges all rows. Each costs a verification, and a prediction if there is a topology. */
void taken_table_judge(struct taken_table *table, const struct taken_place *place, struct arena *arena);

/* A range of sizes in which two tables make other choices. */
struct taken_change {
    struct span bytes;
    struct taken from, to;       /* at bytes.last */
    uint64_t from_time, to_time; /* ns, at bytes.last; UINT64_MAX: not known */
    const char *problem;         /* why a time is not known, or NULL */
};
struct taken_changes {
    struct taken_change *items; /* ascending, in the arena */
    size_t n;
};
/* Compares what two tables take for sizes in `bytes`; each query is about its own target. Choices are alike
 * if the same algorithm of the library stands for both, with the same parameters. place NULL: no times. */
struct taken_changes taken_compare(const struct table *from, const struct table_query *from_query,
                                   const struct table *to, const struct table_query *to_query,
                                   const struct span_list *bytes, const struct taken_place *place,
                                   struct arena *arena);

#endif
