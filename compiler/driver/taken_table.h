/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of what an MPI takes size by size: `verify --as` and `predict --as` for more than one size.
 */
#ifndef COLLC_DRIVER_TAKEN_TABLE_H
#define COLLC_DRIVER_TAKEN_TABLE_H

#include "compiler/driver/job.h"
#include "study/forecast/taken_table.h"

/* True if --as is asked for a collective with data and not for one size. */
bool wants_taken_table(const struct options *options);
/* Prints the table and returns the exit status: STATUS_FINDINGS if an algorithm is wrong, STATUS_FAILED if
 * none can be judged. */
int write_taken_table(const struct options *options);
/* Fills the place of calls of a job that is located. False after saying why not. */
bool taken_place_of(struct job *job, enum collective collective, enum collective_form form,
                    struct taken_place *place);

#endif
