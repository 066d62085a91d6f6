/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule with the times of its operations, found by simulation.
 */
#ifndef COLLC_STUDY_TIMED_H
#define COLLC_STUDY_TIMED_H

#include "study/simulation.h"

/* Returns a schedule with the steps of `schedule`, which it uses but does not own, and the time of each
 * operation. NULL if it could not be simulated to its end: *problem, a heap string, or the diagnostics say
 * why. Memory: 16 bytes for each operation. */
struct schedule *timed_new(struct schedule *schedule, const struct simulation_request *request,
                           char **problem, struct diagnostics *diagnostics);

#endif
