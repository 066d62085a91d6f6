/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The demand of a pattern: what each rank has for each other one. It is that of an alltoallv, so bounds, synthesis
 * and the choice of an algorithm are those of this alltoallv.
 */
#ifndef COLLC_STUDY_DEMAND_H
#define COLLC_STUDY_DEMAND_H

#include "ir/counts.h"

/* Returns the demand in units of the schedule, to be destroyed; NULL if producing a step failed, or if it is not
 * said by the messages: a rank sends a chunk of `in` twice, sends on what it got or combines it, or the pattern says what
 * ranks need; *problem is the reason then, in words, else NULL. Reads the schedule. O(messages), a few times */
struct counts *demand_of(struct schedule *schedule, const char **problem);

#endif
