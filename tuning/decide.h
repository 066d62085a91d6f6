/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From measured times to choices. A *point* is a collective on a number of ranks with a size. At
 * each the candidate with the least time in launches that sample is tested in launches of its own, that
 * confirm, against the default: so what is chosen by luck is not confirmed by the same luck.
 *
 * Within a launch both ran in turns, so launches are compared in pairs: by Wilcoxon's signed-rank test
 * of the logarithms of their ratio, exact, one-sided. All points are one family (Holm 1979). A choice
 * has to be
 * faster by DECIDE_LEAST_PERCENT, too.
 */
#ifndef COLLC_TUNING_DECIDE_H
#define COLLC_TUNING_DECIDE_H

#include "tuning/measurements.h"

enum { DECIDE_LEAST_PERCENT = 3, DECIDE_MAX_LAUNCHES = 60 };
#define DECIDE_LEVEL 0.05

struct point {
    uint32_t collective, n_ranks;
    uint64_t bytes;
};

/* Measurements of a candidate at a point. */
struct standing {
    struct table_choice choice;
    uint32_t n_launches;
    double ratio;      /* of its time to that of the default, the median over launches */
};

struct decision {
    struct point point;
    struct table_choice candidate;  /* that was tested; algorithm NULL: the default is the least already */
    struct table_choice choice;     /* what stands */
    uint32_t n_launches;            /* that confirm */
    double ratio, p;                /* of the candidate; 1 and 1 without launches */
    double spread;                  /* the default's slowest launch over its fastest; 0: none */
    struct table_choice repeated;   /* that was measured in a second series, or algorithm NULL */
    double again_ratio, again_p;    /* of it there */
    uint64_t default_time, time;    /* medians over these launches of both, ns; 0: none */
};

/* The standings at a point in the launches of a phase, the least ratio first, the default among them. On the
 * heap; *n of them. */
struct standing *decide_standings(const struct measurements *measurements, enum phase phase,
                                  const struct point *point, size_t *n);
/* The candidate that is to be confirmed at the point: of `points` that are of the same collective and
 * ranks, one for
 * all of them where the target has one choice only. */
struct table_choice decide_candidate(const struct measurements *measurements, const struct point *points,
                                     size_t n,
                                     size_t which);
/* Launches that confirm which it takes for so many points that any of them can be confirmed, also if in
 * one launch,
 * by the least difference, it was not faster. */
uint32_t decide_launches(size_t n_points);
/* A decision for each of the points, which ascend by collective, ranks and size. */
void decide(const struct measurements *measurements, const struct point *points, size_t n,
            struct decision *decisions);
/* Holds what stands to a second series of launches, PHASE_AGAIN: by the same ratio and test, all that were
 * repeated one family. What fails is left to the default; what has no launches there stays, and has no
 * `repeated`. Requires decisions of decide. */
void decide_again(const struct measurements *measurements, struct decision *decisions, size_t n);
/* Rules of the decisions, *n of them, on the heap: a choice acts between the geometric means of its size and
 * those beside it, but not below the first size nor above the last; and on numbers of ranks up to the
 * next one that
 * was measured, the last on itself alone. */
struct plan_rule *decide_rules(const struct table_loader *loader, const struct decision *decisions,
                               size_t n_decisions,
                               size_t *n);

/* The exact probability that n signed ranks of |differences| sum up so low or lower on the side of
 * positive ones,
 * if each sign is as likely as the other. Zeros are left out. n at most DECIDE_MAX_LAUNCHES. */
double signed_rank_p(const double *differences, size_t n);

#endif
