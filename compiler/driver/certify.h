/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verification before something is handed out: no C of a schedule that does not do what its
 * collective is to. What is wrong goes to standard error, with the ranks it is wrong for.
 */
#ifndef COLLC_DRIVER_CERTIFY_H
#define COLLC_DRIVER_CERTIFY_H

#include "compiler/driver/pipeline.h"

/* The schedule of the job, whatever it costs. Returns STATUS_CLEAN, STATUS_FINDINGS, or
 * STATUS_FAILED if it could not be produced to its end. */
int certify_schedule(struct job *job);
/* The program of the job, with these parameters ([variable], or NULL: the defaults), for up to 9
 * ranks and for those of the job, if there are any. What would take long is left out, which is
 * said. `is_for_its_grid`: it runs on the grid of the job and nowhere else. Returns a status
 * as above. */
int certify_program(struct job *job, const int64_t *parameters, bool is_for_its_grid);

#endif
