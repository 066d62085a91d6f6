/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps that repeat: what was measured of the last few unlike ones, so that a step with the same flows
 * need not be routed again. A ring has the same flows in all its steps.
 */
#ifndef COLLC_MEASURE_SEEN_H
#define COLLC_MEASURE_SEEN_H

#include "measure/figures.h"
#include "measure/flows.h"

enum { SEEN_STEPS = 4 };

struct seen_step {
    struct flow *flows;   /* copy of its flows, in their order */
    size_t n, capacity;
    uint64_t last;        /* step in which it was met last; 0: this place is empty */
    uint64_t n_more;      /* times that its loads are not in the totals yet (meter_take_off) */
    struct step_figures figures;
};

/* Zero-initialise; seen_free when done. */
struct seen {
    struct seen_step steps[SEEN_STEPS];
    uint64_t n_looked, n_met;
    bool is_off; /* nothing repeats: steps are not looked for any more */
};

/* Returns the remembered step of the same flows; or NULL. O(flows). */
struct seen_step *seen_find(struct seen *seen, const struct flows *flows);
/* Returns the place to remember the step that was not found, after it is measured: that of the step not met
 * for longest, whose loads must be added before; NULL: not to be remembered. */
struct seen_step *seen_place(struct seen *seen);
void seen_keep(struct seen *seen, struct seen_step *place, const struct flows *flows,
               const struct step_figures *figures);
void seen_free(struct seen *seen);

#endif
