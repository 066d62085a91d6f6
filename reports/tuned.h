/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what was decided from measured times.
 */
#ifndef COLLC_REPORTS_TUNED_H
#define COLLC_REPORTS_TUNED_H

#include "tuning/tune.h"

/* A line for each point: what stands, the times of the default and of what was tested, and how sure
 * that is. */
void tuned_text(const struct table_loader *loader, const struct tuned *tuned, struct text *out);
/* A chart of the sampled times: the default, the least of each algorithm whatever its segments, and what
 * stands. The points have to be of one collective on one number of ranks. */
void tuned_svg(const struct measurements *measurements, const struct tuned *tuned, struct text *out);

/* Prints what the rules of a table are worth, a line for each point that they act on; returns how many do not
 * hold. */
size_t checked_text(const struct table_loader *loader, const struct tuned *tuned, struct text *out);

#endif
