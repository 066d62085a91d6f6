/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several jobs, each a schedule with its machines, on one network at the same time: they begin together,
 * are not synchronised, and meet on links, and on machines that they share.
 */
#ifndef COLLC_STUDY_BESIDE_H
#define COLLC_STUDY_BESIDE_H

#include "study/simulation.h"

struct beside_job {
    const char *name;                  /* for messages */
    struct schedule *schedule;
    const struct placement *placement; /* on machines of the common topology */
};

/* Return all jobs as one schedule, with the ranks of one job after the other, and its placement. Both need
 * the jobs, which the caller owns. Step k of the whole is step k of each. */
struct schedule *beside_schedule(const struct beside_job *jobs, size_t n);
struct placement *beside_placement(const struct beside_job *jobs, size_t n);

/* Simulates that schedule, and each job alone: simulation->jobs has the times. The request must be for a
 * simulated model, without steps and without barriers, which would synchronise the jobs. */
void beside_run(const struct simulation_request *request, const struct beside_job *jobs, size_t n,
                struct schedule *all, struct simulation *simulation, struct diagnostics *diagnostics);

#endif
