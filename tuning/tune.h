/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures an MPI until its choices can be decided (Imamura 2009, figure 5: strategies B, sampling, and
 * C, search).
 *
 *   1. SAMPLES launches time every candidate at every point; the next leaves out candidates that were slower
 *      than the fastest by a quarter.
 *   2. With search, sizes between two with different candidates are added, and sampled.
 *   3. decide_launches launches time the candidate of each point, those of the neighbouring sizes, and the
 *      default: these decide.
 *   4. A second series of launches times accepted choices and the default: a rule must hold there, too.
 *
 * With a table to check, only the last step is done, with its rules: those that are accepted hold.
 *
 * Results of earlier launches are not measured again.
 */
#ifndef COLLC_TUNING_TUNE_H
#define COLLC_TUNING_TUNE_H

#include "study/sizes.h"
#include "tuning/decide.h"
#include "tuning/mpi.h"

struct tune_request {
    const struct table_loader *loader;
    struct mpi *mpi;                /* open, with its driver; NULL: nothing is measured, and the points are
                                       the measured ones of `sizes`, or all */
    const uint32_t *collectives;    /* ascending */
    size_t n_collectives;
    struct size_list ranks, sizes, segments;
    bool is_search;
    const struct table *check;      /* only its rules are measured, and the default; or NULL */
    double seconds;                 /* limit of the whole time, approximately */
    void (*say)(void *context, const char *words);     /* receives progress messages */
    void (*record)(void *context, const char *text);   /* receives lines for the file of measurements */
    void *context;
};

struct tuned {
    struct point *points;           /* ascending by collective, ranks and size */
    struct decision *decisions;     /* [n] of these points */
    size_t n, capacity;
    const char *problem, *help;     /* failure, or NULL */
};

/* Tunes the MPI. Returns false with a problem; results until then have been recorded. */
bool tune(const struct tune_request *request, struct measurements *measurements, struct tuned *tuned,
          struct arena *arena);
void tuned_free(struct tuned *tuned);

#endif
