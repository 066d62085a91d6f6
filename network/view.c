/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logical views of grids: arithmetic only. See view.h for the rings.
 */
#include "network/view.h"

#include "network/grid.h"
#include "network/parts.h"

static uint32_t view_extent_of(const struct grid *grid, uint32_t dimension)
{
    return grid->extent[dimension].value;
}

static struct view_axis view_axis_of(const struct grid *grid, uint32_t axis)
{
    return grid->view ? grid->view->axis[axis] : (struct view_axis){axis, VIEW_ALONE};
}

const struct topology *topology_grid(const struct topology *topology)
{
    while (topology_is_faulty(topology))
        topology = topology->base;
    return topology_as_grid(topology) ? topology : NULL;
}

uint32_t view_n_axes(const struct topology *topology)
{
    const struct grid *grid = topology->self;
    return grid->view ? grid->view->n_axes : grid->n_dimensions;
}

uint32_t view_extent(const struct topology *topology, uint32_t axis)
{
    const struct grid *grid = topology->self;
    struct view_axis of = view_axis_of(grid, axis);
    uint32_t length = view_extent_of(grid, of.along);
    return of.across == VIEW_ALONE ? length : length * view_extent_of(grid, of.across);
}

bool view_wraps(const struct topology *topology, uint32_t axis)
{
    const struct grid *grid = topology->self;
    struct view_axis of = view_axis_of(grid, axis);
    return of.across != VIEW_ALONE || grid->wraps[of.along];
}

bool view_is_folded(const struct topology *topology)
{
    return ((const struct grid *)topology->self)->view != NULL;
}

/* ---- one ring ---- */

static void ring_point(uint32_t place, uint32_t length, uint32_t width, uint32_t *along,
                       uint32_t *across)
{
    if (place == 0 || place > (width - 1) * length) {
        *along = place ? width * length - place : 0;
        *across = 0;
        return;
    }
    uint32_t step = (place - 1) % (width - 1);
    *along = (place - 1) / (width - 1);
    *across = *along % 2 ? width - 1 - step : 1 + step;
}

static uint32_t ring_place(uint32_t along, uint32_t across, uint32_t length, uint32_t width)
{
    if (across == 0)
        return along ? width * length - along : 0;
    uint32_t step = along % 2 ? width - 1 - across : across - 1;
    return 1 + along * (width - 1) + step;
}

/* ---- all axes ---- */

void grid_coordinates(const struct grid *grid, uint32_t machine, uint32_t *at)
{
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        uint32_t rest = divide(machine, &grid->extent[i]);
        at[i] = machine - rest * view_extent_of(grid, i);
        machine = rest;
    }
}

uint32_t grid_machine(const struct grid *grid, const uint32_t *at)
{
    uint32_t machine = 0;
    for (uint32_t i = grid->n_dimensions; i-- > 0;)
        machine = machine * view_extent_of(grid, i) + at[i];
    return machine;
}

void view_coordinates(const struct topology *topology, uint32_t machine, uint32_t *at)
{
    const struct grid *grid = topology->self;
    uint32_t point[TOPOLOGY_MAX_DIMENSIONS];
    grid_coordinates(grid, machine, point);
    for (uint32_t axis = 0; axis < view_n_axes(topology); axis++) {
        struct view_axis of = view_axis_of(grid, axis);
        at[axis] = of.across == VIEW_ALONE
                       ? point[of.along]
                       : ring_place(point[of.along], point[of.across], view_extent_of(grid, of.along),
                                    view_extent_of(grid, of.across));
    }
}

uint32_t view_machine(const struct topology *topology, const uint32_t *at)
{
    const struct grid *grid = topology->self;
    uint32_t point[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t axis = 0; axis < view_n_axes(topology); axis++) {
        struct view_axis of = view_axis_of(grid, axis);
        if (of.across == VIEW_ALONE)
            point[of.along] = at[axis];
        else
            ring_point(at[axis], view_extent_of(grid, of.along), view_extent_of(grid, of.across),
                       &point[of.along], &point[of.across]);
    }
    return grid_machine(grid, point);
}
