/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule with the times of its operations, found by playing it.
 */
#ifndef COLLC_STUDY_TIMED_H
#define COLLC_STUDY_TIMED_H

#include "study/simulation.h"

/* The steps of the schedule, which it stands on and does not own, each operation with its times.
 * NULL if it could not be played to its end: *problem, a heap string, or the diagnostics say why.
 * Memory: 16 bytes for each operation. */
struct schedule *timed_new(struct schedule *schedule, const struct simulation_request *request,
                           char **problem, struct diagnostics *diagnostics);

#endif
