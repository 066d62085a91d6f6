/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the measured times that are the arguments of a command, and names the algorithms that ran.
 */
#ifndef COLLC_DRIVER_TIMES_H
#define COLLC_DRIVER_TIMES_H

#include "compiler/driver/job.h"
#include "costs/points.h"

#define TIMES_SAY_WHAT "say what ran: --as MPI, such as '--as ompi-4.1', or --algorithm NAME"
#define TIMES_SAY_RANKS "; for output of OSU also --ranks"

struct times {
    const struct table *table; /* that an MPI decides by; NULL: its algorithms are not known. The caller's */
    uint32_t each;             /* ranks of a host, where the decision goes by it; 0: it does not */
    struct timed_points points;
    size_t n_without_counterpart;
    struct job *job; /* set by times_read */
};

/* Reads all arguments, and says what is left out. Algorithms are those of --algorithm, or of the table.
 * Collectives without data are left out, which mostly send nothing.
 * Returns false after saying or reporting why not. Release times->points with points_free. */
bool times_read(struct job *job, struct times *times);

#endif
