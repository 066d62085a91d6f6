/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network whose routes are those of a tree, divided at its centre: a node whose removal leaves no part
 * with more than half of all ranks. The centre is that of Faraj & Yuan, "Message scheduling for
 * all-to-all personalized communication on Ethernet switched clusters" (IPDPS 2005), with any number of
 * ranks on a machine: if the centre is a machine itself, each of its ranks is a branch.
 */
#ifndef COLLC_SYNTH_BRANCHES_H
#define COLLC_SYNTH_BRANCHES_H

#include "bound/bound.h"

struct branches {
    uint32_t n;
    uint32_t *first; /* [n + 1] into `ranks` */
    uint32_t *ranks; /* by branch, those with most ranks first */
};

/* Finds the branches of all links that routes between the servers use. Returns false after adding to
 * `problem` why they are no tree. Time O(pairs of servers * hops + links + nodes). */
bool branches_find(const struct bound_request *request, struct branches *branches, struct text *problem);
void branches_free(struct branches *branches);

static inline uint32_t branch_size(const struct branches *branches, uint32_t branch)
{
    return branches->first[branch + 1] - branches->first[branch];
}

#endif
