/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regular shapes that a network may have been meant to be, though some of its cables are wrong.
 */
#ifndef COLLC_NETWORK_GUESS_H
#define COLLC_NETWORK_GUESS_H

#include "network/wiring.h"

/* A guess may differ in one cable of so many. */
enum { GUESS_TOLERANCE = 8, GUESS_MAX_GRIDS = 6 };

/* True of a single explicit network with links: of others nothing can be guessed. */
bool guess_is_possible(const struct topology *topology);

/* Returns the tree with the children and parents that most switches of each level have, to be released with
 * topology_free; or NULL. O(cables log cables) */
struct topology *guess_tree(const struct wiring *wiring);

/* Finds meshes and tori that have as many switches, or machines where there are none, and nearly as many
 * neighbours at each; none for networks of more than 16,384 nodes. Returns their
 * number, at most GUESS_MAX_GRIDS; they are to be released with topology_free. O(ways to factor the number of
 * nodes * cables) */
uint32_t guess_grids(const struct wiring *wiring, struct topology *found[GUESS_MAX_GRIDS]);

#endif
