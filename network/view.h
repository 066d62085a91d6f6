/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The logical view of a grid: another grid, of fewer axes, that the machines form
 * if only some of the links are used. The Tofu interconnect is a grid of six
 * dimensions X Y Z A B C; programs see a torus of three (Ajima et al. 2012).
 *
 * An axis of the view folds two dimensions, `along` of extent L and `across` of
 * extent W, into one ring of L * W places whose neighbours are neighbours in the
 * grid: a Hamiltonian cycle of the plane. Place 0 is (0, 0); from there rows 1 to
 * W-1 of `across` are taken there in a snake, and row 0 leads back:
 *
 *   L = 4, W = 2             L = 4, W = 3
 *   row 1   1  2  3  4       row 2   2  3  6  7      (0, 0)      is place 0
 *   row 0   0  7  6  5       row 1   1  4  5  8      (y, row)    are places 1 .. (W-1)L,
 *      y    0  1  2  3       row 0   0 11 10  9                  W-1 for every y
 *                               y    0  1  2  3      (y, row 0)  is place W * L - y
 *
 * The snake ends at y = L-1 in row 1 if L is even, else in row W-1, next to row 0 if
 * W = 2, L is even, or `across` wraps: one of these is required. `along` need not wrap.
 * A ring of two (L = 1, W = 2) is one cable: its + and - links are the same.
 *
 * An axis may also be one dimension as it is (across == VIEW_ALONE). A grid without
 * view is its own logical view, with all of these functions.
 */
#ifndef COLLC_NETWORK_VIEW_H
#define COLLC_NETWORK_VIEW_H

#include "network/topology.h"

#define VIEW_ALONE UINT32_MAX

struct view_axis {
    uint32_t along, across; /* dimensions of the grid; across may be VIEW_ALONE */
};

struct view {
    uint32_t n_axes;
    struct view_axis axis[TOPOLOGY_MAX_DIMENSIONS];
};

/* Returns the grid whose nodes are just the machines of this topology, in the same order: itself, or its base
 * if only links have failed. NULL: there is none. */
const struct topology *topology_grid(const struct topology *topology);

/* The functions below require a topology that topology_grid returned.
 *
 * Returns the number of axes; the number of places on an axis; and true if its last place is a neighbour of
 * the first. O(1). */
uint32_t view_n_axes(const struct topology *grid);
uint32_t view_extent(const struct topology *grid, uint32_t axis);
bool view_wraps(const struct topology *grid, uint32_t axis);
/* True if the axes are not the dimensions of the grid itself. */
bool view_is_folded(const struct topology *grid);

/* Convert between machines and their places, at[axis] below view_extent. O(dimensions). */
void view_coordinates(const struct topology *grid, uint32_t machine, uint32_t *at);
uint32_t view_machine(const struct topology *grid, const uint32_t *at);

#endif
