/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several jobs, each a schedule with its machines, on one network at the same time: they begin
 * together, know nothing of each other, and meet on links, and on machines where they share some.
 */
#ifndef COLLC_STUDY_BESIDE_H
#define COLLC_STUDY_BESIDE_H

#include "study/simulation.h"

struct beside_job {
    const char *name;                  /* for people */
    struct schedule *schedule;
    const struct placement *placement; /* on machines of the one topology */
};

/* All jobs as one schedule, whose ranks are those of one job after the other, and the machines of these. Both
 * need the jobs, which stay the caller's. Step k of all is step k of each. */
struct schedule *beside_schedule(const struct beside_job *jobs, size_t n);
struct placement *beside_placement(const struct beside_job *jobs, size_t n);

/* Plays that schedule there, and each job alone: simulation->jobs has the times. The request is for a model
 * that is played, without steps and without barriers, which would join the jobs. */
void beside_run(const struct simulation_request *request, const struct beside_job *jobs, size_t n,
                struct schedule *all, struct simulation *simulation, struct diagnostics *diagnostics);

#endif
