/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives in which all ranks need the same, step by step: in each step every link passes as many
 * blocks as it can, of those that its end lacks. The method is that of Won et al., "TACOS: topology-aware
 * collective algorithm synthesizer for distributed machine learning" (MICRO 2024).
 */
#ifndef COLLC_SYNTH_GREEDY_H
#define COLLC_SYNTH_GREEDY_H

#include "synth/method.h"
#include "synth/packing.h"

/* Makes a tree for each block, weight[server] of them with their root there, whose depths are steps; arcs
 * are reversed if `is_backwards`. Returns false after adding to `problem` why there are none. Time O(steps
 * * arcs * blocks / 64), memory O(servers * blocks). */
bool greedy_find(const struct synth_request *request, const uint64_t *weight, bool is_backwards,
                 struct packing *packing, struct text *problem);

#endif
