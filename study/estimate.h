/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What looking at every rank of a bound program will take, before it begins: a few ranks are expanded,
 * and the others taken to be like them.
 */
#ifndef COLLC_STUDY_ESTIMATE_H
#define COLLC_STUDY_ESTIMATE_H

#include "compiler/passes/symmetry/alike.h"
#include "verify/verify.h"

struct estimate {
    double n_messages, n_copies; /* and combinations, inside of ranks */
    double most_in_step; /* of them */
    double seconds;      /* of CPU, to verify them */
    double bytes;        /* of memory, for those of a step; 0 if it has too many at any rate */
    uint64_t n_independent; /* steps, if all are independent (verify/parts.h); else 0 */
    bool is_at_least;    /* it was enough to see that: steps that follow are not counted */
    const char *items;   /* what is counted where it is no messages, or NULL */
    const char *instead; /* for whom asked: what takes less; NULL: nothing is known */
};

/* `enough`: seconds beyond which it does not matter how many. Few ranks are not looked at: 0. Time
 * O(operations of the ranks of a server, and two more). */
struct estimate estimate_verification(const struct binding *binding, double enough);
/* The same of measuring them for a prediction, and playing them once if they are played. */
struct estimate estimate_prediction(const struct binding *binding, bool is_played, double enough);
/* And of measuring what expand_alike made, on that topology. O(1) */
struct estimate estimate_alike(const struct schedule *alike, const struct topology *topology, double enough);

#endif
