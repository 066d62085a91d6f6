/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the steps in which blocks cross the edges of trees. By depth alone many trees want the same
 * links in the same steps, and a step takes as long as its busiest link: so an edge may wait, and its
 * subtree after it.
 */
#ifndef COLLC_SYNTH_SPREAD_H
#define COLLC_SYNTH_SPREAD_H

#include "synth/packing.h"
#include "synth/synth.h"

/* Converts depths to steps: an edge is crossed in step depth - 1, after the step in which its block
 * arrived. Steps stay the same or become later, such that the busiest links of all steps together are busy
 * for less time. A tree carries `bytes`, and each step takes `step_ns` more. `is_backwards`: data goes from
 * the leaves to the root, in the reverse order of steps. Time O(trees * servers * steps * hops), a few
 * times. */
void spread_trees(const struct synth_request *request, struct packing *packing, bool is_backwards,
                  double bytes, double step_ns);

#endif
