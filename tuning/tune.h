/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures an MPI until it can be decided what it should take (Imamura 2009, figure 5: strategies B,
 * sampling, and C, search).
 *
 *   1. SAMPLES launches time every candidate at every point; what was slower than the least by a quarter
 *      is left out of the next.
 *   2. With search, sizes between two that have different candidates are added, and sampled.
 *   3. As many launches as decide_launches says time the candidate of each point, those of the sizes beside
 *      it, and the default: what is decided is decided by these.
 *
 *   4. A second series of launches times what stands and the default: a rule has to stand there, too.
 *
 * With a table to check, only the last is done, of its rules: those that stand hold.
 *
 * What is known from launches before is not measured again.
 */
#ifndef COLLC_TUNING_TUNE_H
#define COLLC_TUNING_TUNE_H

#include "study/sizes.h"
#include "tuning/decide.h"
#include "tuning/mpi.h"

struct tune_request {
    const struct table_loader *loader;
    struct mpi *mpi;                /* open, with its driver; NULL: nothing is measured,
        and the points are those
                                       of `sizes` that have been, or all */
    const uint32_t *collectives;    /* ascending */
    size_t n_collectives;
    struct size_list ranks, sizes, segments;
    bool is_search;
    const struct table *check;      /* only its rules are measured, beside the default; or NULL */
    double seconds;                 /* in all, about */
    void (*say)(void *context, const char *words);     /* how far it is */
    void (*record)(void *context, const char *text);   /* lines for the file of measurements */
    void *context;
};

struct tuned {
    struct point *points;           /* ascending by collective, ranks and size */
    struct decision *decisions;     /* of these */
    size_t n, capacity;
    const char *problem, *help;     /* what failed, or NULL */
};

/* False with a problem; what was measured has been recorded all the same. */
bool tune(const struct tune_request *request, struct measurements *measurements, struct tuned *tuned,
          struct arena *arena);
void tuned_free(struct tuned *tuned);

#endif
