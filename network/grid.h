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

/* Plans the shorter way round, unless turned; + on a tie. A mesh has only one way. */
static inline void grid_leg_plan(struct grid_leg *leg, uint32_t to, bool wraps)
{
    const uint32_t ahead = to >= leg->from ? to - leg->from : to + leg->extent - leg->from;
    const uint32_t behind = leg->extent - ahead;
    const bool is_turned = leg->turned >> leg->dimension & 1;
    const bool plus = wraps ? (ahead <= behind) != is_turned : to > leg->from;
    leg->sign = plus ? GRID_PLUS : GRID_MINUS;
    leg->length = plus ? ahead : behind;
}

/* Legs of a route, from the lowest dimension on; grid_next_leg advances along them. */
struct grid_legs {
    struct grid_leg leg; /* the current one */
    uint32_t row;        /* node at place 0 of its line */
    uint32_t node;       /* node at its end; before the first, the source */
    uint32_t rest_from, rest_to, next_dimension, next_stride;
};

static inline struct grid_legs grid_legs_of(uint32_t source, uint32_t destination, uint32_t turned)
{
    return (struct grid_legs){.leg = {.turned = turned},
                              .node = source,
                              .rest_from = source,
                              .rest_to = destination,
                              .next_stride = 1};
}

/* Advances to the next leg. False: there are no more. */
static inline bool grid_next_leg(const struct grid *grid, struct grid_legs *legs)
{
    struct grid_leg *leg = &legs->leg;
    while (legs->rest_from != legs->rest_to) {
        const struct divider *extent = &grid->extent[legs->next_dimension];
        const uint32_t next_from = divide(legs->rest_from, extent), next_to = divide(legs->rest_to, extent);
        const uint32_t to = legs->rest_to - next_to * extent->value;
        leg->dimension = legs->next_dimension++;
        leg->extent = extent->value;
        leg->stride = legs->next_stride;
        leg->from = legs->rest_from - next_from * extent->value;
        legs->next_stride *= extent->value;
        legs->rest_from = next_from;
        legs->rest_to = next_to;
        if (leg->from == to)
            continue;
        grid_leg_plan(leg, to, grid->wraps[leg->dimension]);
        legs->row = legs->node - leg->from * leg->stride;
        legs->node = legs->row + to * leg->stride;
        return true;
    }
    return false;
}

/* Returns the grid; NULL: the topology is of another kind. */
const struct grid *topology_as_grid(const struct topology *topology);

/* Makes a grid; arrays are copied, index 0 is the lowest dimension. NULL if a number is out of range;
 * *problem is a sentence without full stop then. */
struct topology *topology_new_grid(const struct topology_settings *settings, uint32_t n_dimensions,
                                   const uint32_t *extent, const bool *wraps,
                                   const char **problem);
/* Makes a Tofu network (Ajima et al. 2012): a grid X x Y x Z x 2 x 3 x 2, of which X, Y, Z and the 3 wrap,
 * that programs see as a torus 2X x 3Y x 2Z; extent is { X, Y, Z }. */
struct topology *topology_new_tofu(const struct topology_settings *settings,
                                   const uint32_t *extent, const char **problem);

/* Converts between a machine and its coordinates, at[dimension], whatever the view. */
void grid_coordinates(const struct grid *grid, uint32_t machine, uint32_t *at);
uint32_t grid_machine(const struct grid *grid, const uint32_t *at);

#endif
