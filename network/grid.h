/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meshes, tori and mixtures of them; machine and router are one (Takaue et al. 2010). How
 * programs see the machines is the view (network/view.h), which may have fewer axes.
 */
#ifndef COLLC_NETWORK_GRID_H
#define COLLC_NETWORK_GRID_H

#include "network/topology.h"

struct view; /* network/view.h */

struct grid {
    uint32_t n_dimensions;
    struct divider extent[TOPOLOGY_MAX_DIMENSIONS]; /* machine = x + extent_x * (y + ...) */
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];            /* torus in this dimension */
    const struct view *view;                        /* NULL: as it is */
};

enum { GRID_PLUS = 0, GRID_MINUS = 1 };

/* A route along one dimension. */
struct grid_leg {
    uint32_t stride;    /* of the node index along the dimension */
    uint32_t dimension; /* its number */
    uint32_t extent;
    uint32_t from;      /* coordinate at the start */
    uint32_t turned;    /* bit i: the longer way round in dimension i */
    uint32_t length;    /* links */
    uint32_t sign;      /* GRID_PLUS or GRID_MINUS */
};

/* Shorter way round, unless turned; + on a tie. A mesh has only one way. */
static inline void grid_leg_plan(struct grid_leg *leg, uint32_t to, bool wraps)
{
    const uint32_t ahead = to >= leg->from ? to - leg->from : to + leg->extent - leg->from;
    const uint32_t behind = leg->extent - ahead;
    const bool is_turned = leg->turned >> leg->dimension & 1;
    const bool plus = wraps ? (ahead <= behind) != is_turned : to > leg->from;
    leg->sign = plus ? GRID_PLUS : GRID_MINUS;
    leg->length = plus ? ahead : behind;
}

/* NULL: the topology is of another kind. */
const struct grid *topology_as_grid(const struct topology *topology);

/* Arrays are copied, index 0 is the lowest dimension. On numbers out of range NULL, and
 * *problem is a sentence without full stop. */
struct topology *topology_new_grid(const struct topology_settings *settings, uint32_t n_dimensions,
                                   const uint32_t *extent, const bool *wraps,
                                   const char **problem);
/* Tofu (Ajima et al. 2012): a grid X x Y x Z x 2 x 3 x 2, of which X, Y, Z and the 3 wrap,
 * that programs see as a torus 2X x 3Y x 2Z; extent is { X, Y, Z }. */
struct topology *topology_new_tofu(const struct topology_settings *settings,
                                   const uint32_t *extent, const char **problem);

/* The coordinates of a machine, at[dimension], whatever the view; and back. */
void grid_coordinates(const struct grid *grid, uint32_t machine, uint32_t *at);
uint32_t grid_machine(const struct grid *grid, const uint32_t *at);

#endif
