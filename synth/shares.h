/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An allreduce in shares of the data: each is combined up a spanning tree of its own and comes down again. So
 * an edge of a tree carries its share once each way, and trees are chosen such that all links are busy
 * alike.
 */
#ifndef COLLC_SYNTH_SHARES_H
#define COLLC_SYNTH_SHARES_H

#include "synth/method.h"
#include "synth/packing.h"

/* Trees of all servers, copies 1 each; in *ns_per_byte how long the busiest link is busy for a byte of the
 * data. False after adding to `problem` why there are none. Time O(trees * rounds * (links between neighbours
 * + servers * log servers)). */
bool shares_find(const struct synth_request *request, struct packing *packing, double *ns_per_byte,
                 struct text *problem);

#endif
