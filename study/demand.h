/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The demand of a pattern: what each rank has for each other one. It is that of an alltoallv, so bounds,
 * synthesis and the choice of an algorithm are those of this alltoallv.
 */
#ifndef COLLC_STUDY_DEMAND_H
#define COLLC_STUDY_DEMAND_H

#include "ir/counts.h"
#include "network/placement/placement.h"

/* Returns the demand, `unit` for each unit of the schedule, to be destroyed; NULL if producing a step failed,
 * or if it is not known; *problem is the reason then, in words, else NULL. Where the pattern says what ranks
 * need, the demand is that; else it is what they send, unless a rank sends a chunk of `in` twice, sends on
 * what it got or combines it. Reads the schedule. O(messages + needs), a few times.
 *
 * Data that several ranks need, and data that are combined, are no demand of pairs. is_least: a part of it is
 * returned, which every schedule of the pattern must move: a datum counts for one of the ranks that need it,
 * as the others may have it from there; a result counts for one of those that contribute, as contributions
 * may be combined on their way, but never those of two results. So every bound of that alltoallv is one of
 * the pattern. Pairs of ranks on two servers of the placement, which may be NULL, are taken before others. */
struct counts *demand_of(struct schedule *schedule, const struct placement *placement, bool is_least,
                         uint64_t unit, const char **problem);

#endif
