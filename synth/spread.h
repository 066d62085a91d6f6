/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When blocks cross the edges of trees. By depth alone many trees want the same links in the same steps, and
 * a step takes as long as its busiest link: an edge may wait, and its subtree after it.
 */
#ifndef COLLC_SYNTH_SPREAD_H
#define COLLC_SYNTH_SPREAD_H

#include "synth/packing.h"
#include "synth/synth.h"

/* Depths become steps: an edge is crossed in step depth - 1, after that by which its block came. They are as
 * they were, or later, such that the busiest links of all steps together are busy for less time, a tree
 * carrying `bytes`, and each step taking `step_ns` beside that. `is_backwards`: data goes from the ends to
 * the root, in the order of steps backwards. Time O(trees * servers * steps * hops), a few times. */
void spread_trees(const struct synth_request *request, struct packing *packing, bool is_backwards,
                  double bytes, double step_ns);

#endif
