/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns measured times into choices. A *point* is a collective on a number of ranks with a size. At each,
 * the candidate with the least time in the sampling launches is tested against the default in confirming
 * launches of its own: so a choice by luck is not confirmed by the same luck.
 *
 * Within a launch both ran in turns, so launches are compared in pairs: by Wilcoxon's signed-rank test of
 * the logarithms of their ratio, exact, one-sided. All points are one family (Holm 1979). A choice must
 * also be faster by DECIDE_LEAST_PERCENT.
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
    double ratio;      /* its time over the default's, median over launches */
};

struct decision {
    struct point point;
    struct table_choice candidate;  /* the tested one; algorithm NULL: the default is already the fastest */
    struct table_choice choice;     /* the accepted one */
    uint32_t n_launches;            /* confirming launches */
    double ratio, p;                /* figures of the candidate; 1 and 1 without launches */
    double spread;                  /* the default's slowest launch over its fastest; 0: none */
    struct table_choice repeated;   /* choice measured in a second series, or algorithm NULL */
    double again_ratio, again_p;    /* ratio and p of `repeated` in that series */
    uint64_t default_time, time;    /* medians of both over these launches, ns; 0: none */
};

/* Returns the standings at a point in the launches of a phase, the least ratio first, including the
 * default. On the heap; *n of them. */
struct standing *decide_standings(const struct measurements *measurements, enum phase phase,
                                  const struct point *point, size_t *n);
/* Returns the candidate to be confirmed at the point; if the target has only one choice for a collective
 * and ranks, it is the same for all of their `points`. */
struct table_choice decide_candidate(const struct measurements *measurements, const struct point *points,
                                     size_t n,
                                     size_t which);
/* Returns the number of confirming launches with which any of n_points points can still be confirmed if it
 * was slower in one launch, by the least difference. */
uint32_t decide_launches(size_t n_points);
/* Makes a decision for each of the points, which must ascend by collective, ranks and size. */
void decide(const struct measurements *measurements, const struct point *points, size_t n,
            struct decision *decisions);
/* Tests accepted choices with a second series of launches, PHASE_AGAIN: by the same ratio and test, with
 * all repeated ones as one family. A choice that fails becomes the default; one without such launches
 * stays, and has no `repeated`. Requires decisions of decide. */
void decide_again(const struct measurements *measurements, struct decision *decisions, size_t n);
/* Returns the rules of the decisions, *n of them, on the heap. A choice acts between the geometric means of
 * its size and its neighbours, but not below the first size nor above the last; and on numbers of ranks up
 * to the next measured one, the last only on itself. */
struct plan_rule *decide_rules(const struct table_loader *loader, const struct decision *decisions,
                               size_t n_decisions,
                               size_t *n);

/* Returns the exact probability that the positive ones of n signed ranks of |differences| have a sum as low
 * or lower, if both signs are equally likely. Zeros are left out. n must be at most DECIDE_MAX_LAUNCHES. */
double signed_rank_p(const double *differences, size_t n);

#endif
