/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls a collective under the MPI that is installed and makes schedules of the messages that it sends.
 */
#ifndef COLLC_TUNING_RECORD_H
#define COLLC_TUNING_RECORD_H

#include "compiler/passes/neighbors.h"
#include "ir/counts.h"
#include "tables/rules/plan.h"
#include "tuning/mpi.h"
#include "tuning/trace/recorded.h"

/* A call. */
struct record_point {
    const char *collective;
    struct table_choice choice; /* the algorithm; NULL: the MPI's own decision */
    int64_t number;             /* of the algorithm, for the MPI */
    uint32_t n_ranks, root;
    uint64_t bytes;            /* as MPI users mean it, of the largest block; a multiple of TRACE_ELEMENT */
    enum collective_form form; /* FORM_EQUAL: all counts are equal */
    struct counts *counts;     /* of another form: multiples of TRACE_ELEMENT, and none of 0 */
    const struct neighborhood *neighbors; /* of a neighbourhood collective, on no grid; else NULL */
};

struct record_request {
    struct mpi *mpi; /* open */
    const struct record_point *points;
    size_t n_points;
    bool is_ordered; /* with an operation that does not commute */
    bool is_in_place, is_nonblocking;
    double seconds;  /* limit of a launch */
};

struct recording {
    struct recorded *schedules; /* [n_points]; each may have a problem of its own */
    const char *problem, *help; /* failure of all, or NULL */
};

/* Makes the calls, each on the first ranks: in one launch, but where an algorithm can be forced for all of a
 * launch only. Returns false with a problem; strings live in the
 * arena. */
bool record_calls(const struct record_request *request, struct recording *recording, struct arena *arena);
void recording_free(struct recording *recording, size_t n_points);
/* Appends the algorithm in words, "chain x4 segments of 1024 bytes"; nothing for the MPI's own decision. */
void record_say_choice(const struct table_choice *choice, struct text *out);

#endif
