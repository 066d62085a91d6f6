/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regular shapes that a network may have been meant to be, though some of its cables are wrong.
 */
#ifndef COLLC_NETWORK_GUESS_H
#define COLLC_NETWORK_GUESS_H

#include "network/wiring.h"

/* A guess may differ in one cable of so many. */
enum { GUESS_TOLERANCE = 8, GUESS_MAX_GRIDS = 6 };

/* Returns the tree with the children and parents that most switches of each level have, to be released with
 * topology_free; or NULL, also where the network is no graph. O(cables log cables) */
struct topology *guess_tree(const struct wiring *wiring);

/* Finds meshes and tori that have as many switches, or machines where there are none, and nearly as many
 * neighbours at each; none for networks of more than 16,384 nodes, or that are no graph. Returns their
 * number, at most GUESS_MAX_GRIDS; they are to be released with topology_free. O(ways to factor the number of
 * nodes * cables) */
uint32_t guess_grids(const struct wiring *wiring, struct topology *found[GUESS_MAX_GRIDS]);

#endif
