/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of all routes by several processes (study/parallel/crew.h), as one finds them.
 */
#ifndef COLLC_STUDY_PARALLEL_ROUTE_FIGURES_H
#define COLLC_STUDY_PARALLEL_ROUTE_FIGURES_H

#include "routes/metrics.h"

/* As metrics_measure, by n processes, of which two have something to do. Of a process that was launched
 * and does not report, nothing is measured. */
struct metrics metrics_shared(const struct topology *topology, const struct metrics_request *request,
                              uint32_t n);

#endif
