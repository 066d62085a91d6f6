/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --best: the argument is a collective, and the schedule that of its algorithm with the
 * least predicted time.
 */
#ifndef COLLC_DRIVER_CHOOSE_H
#define COLLC_DRIVER_CHOOSE_H

#include "compiler/driver/pipeline.h"

/* Reads topology and placement, predicts every algorithm of the collective named by the
 * argument for --bytes, and leaves the best one in job->program with the parameters that
 * made it so in job->settings; says on standard error which it is and why. Returns a
 * status, with what is wrong on stderr or in job->diagnostics. */
int job_choose(struct job *job, const struct options *options);

#endif
