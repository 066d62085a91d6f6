/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the algorithms of the library that an MPI runs, for times of its own algorithms (collc tune) and
 * of its plain collectives.
 */
#ifndef COLLC_COSTS_OF_TARGETS_H
#define COLLC_COSTS_OF_TARGETS_H

#include "costs/points.h"
#include "tuning/measurements.h"

/* Sets the point's algorithm and settings to the target's choice for the collective by its table. `each`:
 * ranks of a host; 0: not known. Returns false if it is unknown, or the library has no counterpart. */
bool point_of_table(const struct table *table, uint32_t each, enum collective collective,
                    struct timed_point *point, struct arena *arena);

/* Adds a point for each measured algorithm, size and number of ranks: the median over launches. *n_left:
 * number of those without a counterpart in the library. */
void points_of_measurements(struct timed_points *points, const struct measurements *measurements,
                            const struct source *source, size_t *n_left, struct arena *arena);

#endif
