/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an MPI runs, as algorithms of the library: for times of its own algorithms (collc tune), and of its
 * collectives as they are.
 */
#ifndef COLLC_COSTS_OF_TARGETS_H
#define COLLC_COSTS_OF_TARGETS_H

#include "costs/points.h"
#include "tuning/measurements.h"

/* The point's algorithm and settings become what the target takes for the collective without a table.
 * False: it is not known, or the library has no counterpart. */
bool point_of_default(const struct table_loader *loader, enum collective collective,
                      struct timed_point *point, struct arena *arena);

/* A point for each algorithm, size and number of ranks that was measured: the median over launches.
 * *n_left: of so many the library has no counterpart. */
void points_of_measurements(struct timed_points *points, const struct measurements *measurements,
                            const struct source *source, size_t *n_left, struct arena *arena);

#endif
