/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends data in shares, each along a spanning tree of its own, on the routes of the network. An edge of a
 * tree carries its share: outwards in an allgather or bcast, inwards in a reduction, both in an
 * allreduce. Trees are chosen such that all links are equally busy.
 */
#ifndef COLLC_SYNTH_SHARES_H
#define COLLC_SYNTH_SHARES_H

#include "synth/method.h"
#include "synth/packing.h"

/* Finds trees of all servers, copies 1 each: packing->k for each block, with the root of weight[server]
 * blocks at each server; for an allreduce 128 in all, with roots that make them flat. *ns_per_byte: time of
 * the busiest link for a byte of a block. Returns false after adding to `problem` why there are none. Time
 * O(trees * rounds * (links between neighbours + servers * log servers)). */
bool shares_find(const struct synth_request *request, const uint64_t *weight, struct packing *packing,
                 double *ns_per_byte, struct text *problem);

#endif
