/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network whose routes are those of a tree, taken apart at its centre: a node without which no
 * part has more than half of all ranks. It is that of Faraj & Yuan, "Message scheduling for
 * all-to-all personalized communication on Ethernet switched clusters" (IPDPS 2005), with any
 * number of ranks on a machine: those on the centre itself, if it is a machine, are branches of one.
 */
#ifndef COLLC_SYNTH_BRANCHES_H
#define COLLC_SYNTH_BRANCHES_H

#include "bound/bound.h"

struct branches {
    uint32_t n;
    uint32_t *first; /* [n + 1] into `ranks` */
    uint32_t *ranks; /* by branches, those with most ranks first */
};

/* Of all links that routes between the servers use. False after adding to `problem` why they are
 * no tree. Time O(pairs of servers * hops + links + nodes). */
bool branches_find(const struct bound_request *request, struct branches *branches, struct text *problem);
void branches_free(struct branches *branches);

static inline uint32_t branch_size(const struct branches *branches, uint32_t branch)
{
    return branches->first[branch + 1] - branches->first[branch];
}

#endif
