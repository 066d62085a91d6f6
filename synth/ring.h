/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders all servers in a ring whose neighbours share as few links as possible: a chain along it from
 * each root is a tree (packing.h), and together they load each link by the number of ring neighbours
 * across it.
 */
#ifndef COLLC_SYNTH_RING_H
#define COLLC_SYNTH_RING_H

#include "synth/method.h"
#include "synth/packing.h"

/* Makes one chain for each server with blocks, weight[server] of them. Starts with the nearest server that
 * is left, and moves servers while that takes load off busy links. O(servers^2 * hops) for the start and,
 * up to 1024 servers, for each of at most 16 rounds. */
void ring_find(const struct synth_request *request, const uint64_t *weight, struct packing *packing);

#endif
