/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a target would best take for a collective on one number of ranks, as the model predicts it: of
 * its own algorithms only, its own decision standing where nothing is predicted to be faster.
 */
#ifndef COLLC_STUDY_FORECAST_MODEL_TABLE_H
#define COLLC_STUDY_FORECAST_MODEL_TABLE_H

#include "study/forecast/counterparts.h"
#include "study/forecast/forecast.h"

/* What is predicted to be faster by less is as fast. */
enum { MODEL_TOLERANCE_PERCENT = 2 };

struct model_request {
    const struct table_loader *loader; /* that has a writer */
    uint32_t collective;               /* of loader->collectives */
    unsigned unmade;                   /* calls, CALL_..., that programs are said not to make */
    struct forecast_request forecast;  /* the same collective; its placement is not NULL */
};

struct model_range {
    struct span bytes;
    struct table_choice choice;        /* algorithm NULL: the target's own decision */
    uint64_t at;                       /* one of the sizes, where */
    uint64_t time;                     /* ns; UINT64_MAX: not known */
    uint64_t default_time;             /* of the target's own decision; the same */
};

/* Ranges ascend from 0 and leave nothing out. */
struct model_row {
    uint32_t n_ranks;
    const struct model_range *ranges;
    size_t n;
    bool has_default;                  /* its own decision is known, and all of it can be predicted */
    const char *default_problem;       /* else why it cannot, at the first such size: a clause */
    bool is_apart;                     /* as some messages have no route */
    const char *problem;               /* why there is nothing, or NULL */
};

/* Everything in the arena. Cost: each algorithm is expanded for each number of segments that a size can
 * be cut in, up to 1024. */
struct model_row model_choose(const struct model_request *request, struct arena *arena);

#endif
