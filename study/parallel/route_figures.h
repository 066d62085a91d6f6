/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures all routes with several processes (study/parallel/pool.h), with the same figures as one
 * process.
 */
#ifndef COLLC_STUDY_PARALLEL_ROUTE_FIGURES_H
#define COLLC_STUDY_PARALLEL_ROUTE_FIGURES_H

#include "routes/metrics.h"

/* Does the same as metrics_measure, with n processes, of which two have work. A launched process that does
 * not report returns no measurements. */
struct metrics metrics_shared(const struct topology *topology, const struct metrics_request *request,
                              uint32_t n);

#endif
