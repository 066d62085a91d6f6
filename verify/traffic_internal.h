/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and functions that the files of the engine `traffic` (internal.h) share.
 */
#ifndef COLLC_VERIFY_TRAFFIC_INTERNAL_H
#define COLLC_VERIFY_TRAFFIC_INTERNAL_H

#include "measure/meter.h"
#include "verify/internal.h"
#include "verify/moves.h"

/* Steps measured together. */
struct span {
    uint64_t first, last;
    struct flows *flows;
    bool is_window; /* steps that were measured one by one before */
};

struct traffic {
    struct verifier *verifier;
    struct meter meter;
    uint64_t step;                 /* that is measured, or the last of a window */
    struct flow missed;            /* the last flow without a route, */
    uint64_t missed_step;          /* and its step; UINT64_MAX: none so far */
    uint32_t drift;                /* steps in the window, at least 1 */
    struct flows *recent;          /* the last `drift` steps, step s at s mod drift */
    size_t n_recent, recent_capacity; /* number that exist so far */
    struct flows window;
    struct moves *moves;           /* NULL as long as all messages move when they are sent */
    struct op *sent;               /* sends with data, where some have none */
    size_t sent_capacity;
    struct excess *excess;
    bool is_new_link, is_new_port; /* a step is the worst so far: its lines are to be found */
    struct line_count *lines;
    size_t line_capacity;
    bool is_again;                 /* measured once more, for the `excess` of another: judge_limits */
};

/* ---- traffic_worst.c ---- */

/* Looks for the busiest link and port of a measured step, if they are busier than in all steps before. */
void traffic_find_worst(struct traffic *traffic, uint64_t step, const struct step_figures *figures);
/* Names the lines of the worst link and port, where the step has them. `moving` are the messages that move in
 * it; times as of traffic_step. */
void traffic_name_worst(struct traffic *traffic, const struct step *moving, const uint32_t *times);
/* Tells traffic->excess who sends what, and where to. */
void traffic_name_sends(struct traffic *traffic, const struct step *moving);

#endif
