/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data in shares, each along a spanning tree of its own, on the routes of the network. An edge of a tree
 * carries its share: outwards in an allgather or bcast, inwards in a reduction, both in an allreduce. Trees
 * are chosen such that all links are busy alike.
 */
#ifndef COLLC_SYNTH_SHARES_H
#define COLLC_SYNTH_SHARES_H

#include "synth/method.h"
#include "synth/packing.h"

/* Trees of all servers, copies 1 each: packing->k for each block, and weight[server] blocks have their root
 * there; of an allreduce 128 in all, with their roots where they are flat. In *ns_per_byte how long the
 * busiest link is busy for a byte of a block. False after adding to `problem` why there are none. Time
 * O(trees * rounds * (links between neighbours + servers * log servers)). */
bool shares_find(const struct synth_request *request, const uint64_t *weight, struct packing *packing,
                 double *ns_per_byte, struct text *problem);

#endif
