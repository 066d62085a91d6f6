/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimates the cost of expanding all ranks of a bound program before it begins: expands a few sampled
 * ranks and assumes that the others are like them.
 */
#ifndef COLLC_STUDY_ESTIMATE_H
#define COLLC_STUDY_ESTIMATE_H

#include "compiler/passes/symmetry/congruent.h"
#include "verify/verify.h"

struct estimate {
    double n_messages, n_copies; /* n_copies: copies and combinations within ranks */
    double most_in_step; /* most messages in a step */
    double seconds;      /* seconds of CPU to verify them */
    double bytes;        /* bytes of memory for the messages of a step; 0 if it always has too many */
    uint64_t n_independent; /* number of steps if all are independent (verify/parts.h); else 0 */
    bool is_at_least;    /* the estimate stopped early: later steps are not counted */
    const char *items;   /* name of the counted items if they are not messages, or NULL */
    const char *instead; /* for the user: an alternative that takes less; NULL: unknown */
};

/* Estimates a verification. `enough`: seconds at which it stops. Few ranks are not sampled: 0. Time
 * O(operations of the ranks of a server, and two more). */
struct estimate estimate_verification(const struct binding *binding, double enough);
/* Estimates measuring the program for a prediction, and one simulation if it is simulated. */
struct estimate estimate_prediction(const struct binding *binding, bool is_played, double enough);
/* Estimates measuring the result of expand_congruent, on that topology. O(1) */
struct estimate estimate_alike(const struct schedule *alike, const struct topology *topology, double enough);

#endif
