/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the best choices of a target for a collective on one number of ranks, as the model predicts: only
 * among its own algorithms, with its own decision if nothing is predicted to be faster.
 */
#ifndef COLLC_STUDY_FORECAST_MODEL_TABLE_H
#define COLLC_STUDY_FORECAST_MODEL_TABLE_H

#include "study/taken.h"
#include "study/forecast/forecast.h"

/* Percentage below which times count as equal. */
enum { MODEL_TOLERANCE_PERCENT = 2 };

struct model_request {
    const struct table_loader *loader; /* must have a writer */
    uint32_t collective;               /* index into loader->collectives */
    unsigned unmade;                   /* calls, CALL_..., that programs are said not to make */
    struct forecast_request forecast;  /* the same collective; its placement is not NULL */
};

struct model_range {
    struct span bytes;
    struct table_choice choice;        /* algorithm NULL: the target's own decision */
    uint64_t at;                       /* one of the sizes, at which: */
    uint64_t time;                     /* ns; UINT64_MAX: unknown */
    uint64_t default_time;             /* time of the target's own decision; the same */
    bool is_played;                    /* both by the model of the request; else by `step` */
};

/* Ranges ascend from 0 and leave no gaps. */
struct model_row {
    uint32_t n_ranks;
    const struct model_range *ranges;
    size_t n;
    bool has_default;                  /* its own decision is known and can be predicted everywhere */
    const char *default_problem;       /* else the reason why not, at the first such size: a clause */
    const char *answers_before; /* algorithm that takes these calls where the program is not launched as for
                                   the table; NULL: none */
    bool is_apart;                     /* some messages have no route */
    const char *problem;               /* reason for no result, or NULL */
};

/* Makes the row, in the arena. Time: each algorithm is expanded for each number of segments that a size can
 * be cut in, up to 1024. */
struct model_row model_choose(const struct model_request *request, struct arena *arena);

#endif
