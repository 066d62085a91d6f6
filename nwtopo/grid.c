/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mesh and torus: the smallest box round the machines of a topology, and the functions of A.1.5. Places
 * are arithmetic on machine numbers, without any search.
 */
#include "nwtopo/internal.h"

#include "network/grid.h"
#include "network/view.h"

#include <errno.h>
#include <string.h>

static bool is_physical(const struct nwtopo_topology *topology)
{
    return topology->flags & NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW;
}

/* ---- places: coordinates in the box ---- */

static void grid_place_of(const struct nwtopo_topology *topology, uint32_t number, uint32_t *place)
{
    const struct box *box = &topology->box;
    uint32_t node = model_place(topology->model, number);
    if (is_physical(topology))
        grid_coordinates(topology_as_grid(topology->model->shape), node, place);
    else
        view_coordinates(topology->model->shape, node, place);
    for (uint32_t i = 0; i < box->n; i++)
        place[i] = (place[i] + box->whole[i] - box->first[i]) % box->whole[i];
}

/* Returns the machine there, NOBODY if the network has none. */
static uint32_t grid_number_at(const struct nwtopo_topology *topology, const uint32_t *place)
{
    const struct box *box = &topology->box;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < box->n; i++)
        at[i] = (place[i] + box->first[i]) % box->whole[i];
    const struct topology *shape = topology->model->shape;
    return model_machine_at(topology->model, is_physical(topology) ? grid_machine(topology_as_grid(shape), at)
                                                                   : view_machine(shape, at));
}

/* ---- the box ---- */

static void box_of_all(struct nwtopo_topology *topology)
{
    const struct topology *shape = topology->model->shape;
    const struct grid *grid = topology_as_grid(shape);
    struct box *box = &topology->box;
    bool physical = is_physical(topology);
    box->n = physical ? grid->n_dimensions : view_n_axes(shape);
    box->n_places = shape->n_machines;
    for (uint32_t i = 0; i < box->n; i++) {
        box->whole[i] = physical ? grid->extent[i].value : view_extent(shape, i);
        box->wraps[i] = physical ? grid->wraps[i] : view_wraps(shape, i);
        box->extent[i] = box->whole[i];
    }
}

/* Cuts one dimension down to the shortest interval that holds all coordinates in use; on a
 * ring it may lead across the end. Of equally short ones the lowest is taken. */
static void nwtopo_grid_cut(struct box *box, uint32_t i, const bool *is_used)
{
    const uint32_t whole = box->whole[i];
    uint32_t lowest = 0, highest = whole - 1, gap = 0, gap_end = 0;
    while (!is_used[lowest])
        lowest++;
    while (!is_used[highest])
        highest--;
    for (uint32_t at = lowest + 1, last = lowest; at <= highest; at++)
        if (is_used[at]) {
            if (at - last - 1 > gap) {
                gap = at - last - 1;
                gap_end = at;
            }
            last = at;
        }
    uint32_t outer = whole - 1 - (highest - lowest); /* the gap across the end */
    bool across = box->wraps[i] && gap > outer;
    box->first[i] = across ? gap_end : lowest;
    box->extent[i] = whole - (across ? gap : outer);
    box->wraps[i] = box->wraps[i] && box->extent[i] == whole;
    if (box->extent[i] == whole)
        box->first[i] = 0;
}

static void box_of_chosen(struct nwtopo_topology *topology)
{
    struct box *box = &topology->box;
    bool *is_used[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t place[TOPOLOGY_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < box->n; i++)
        is_used[i] = arena_alloc(&topology->scratch, box->whole[i], sizeof(bool));
    for (uint32_t index = 0; index < topology->n_machines; index++) {
        grid_place_of(topology, nwtopo_machine_at(topology, index), place);
        for (uint32_t i = 0; i < box->n; i++)
            is_used[i][place[i]] = true;
    }
    box->n_places = 1;
    for (uint32_t i = 0; i < box->n; i++) {
        nwtopo_grid_cut(box, i, is_used[i]);
        box->n_places *= box->extent[i];
    }
}

/* ---- the object ---- */

static void fill_attributes(struct nwtopo_topology *topology, nwtopo_obj_t grid)
{
    const struct box *box = &topology->box;
    struct arena *arena = &topology->arena;
    grid->attr->grid.dense = box->n_places == topology->n_machines;
    grid->attr->grid.num_dimensions = box->n;
    grid->attr->grid.dimensions = arena_alloc(arena, box->n, sizeof(unsigned));
    grid->attr->grid.reference_coordinates = arena_alloc(arena, box->n, sizeof(unsigned));
    grid->attr->grid.periodicities = arena_alloc(arena, box->n, sizeof(bool));
    for (uint32_t i = 0; i < box->n; i++) {
        grid->attr->grid.dimensions[i] = box->extent[i];
        grid->attr->grid.reference_coordinates[i] = box->first[i];
        grid->attr->grid.periodicities[i] = box->wraps[i];
    }
}

static void grid_next_place(const struct box *box, uint32_t *place)
{
    for (uint32_t i = 0; i < box->n && ++place[i] == box->extent[i]; i++)
        place[i] = 0;
}

static void fill_children(struct nwtopo_topology *topology, nwtopo_obj_t grid)
{
    const struct box *box = &topology->box;
    uint32_t place[TOPOLOGY_MAX_DIMENSIONS] = {0}, n = 0;
    nwtopo_obj_t *map = arena_alloc(&topology->arena, box->n_places, sizeof *map);
    nwtopo_obj_t *children = map;
    if (box->n_places != topology->n_machines)
        children = arena_alloc(&topology->arena, topology->n_machines, sizeof *children);
    for (uint64_t i = 0; i < box->n_places; i++) {
        map[i] = machine_object(topology, grid_number_at(topology, place));
        if (map[i])
            children[n++] = map[i];
        grid_next_place(box, place);
    }
    grid->attr->grid.map = map;
    grid->children = children;
}

void grid_make(struct nwtopo_topology *topology)
{
    box_of_all(topology);
    if (topology->n_machines < topology->box.n_places)
        box_of_chosen(topology);
    upper_allocate(topology, 1);
    nwtopo_obj_t grid = &topology->upper[0];
    grid->id = topology->model->network->n_nodes;
    grid->type = NWTOPO_OBJ_GRID;
    grid->height = 1;
    fill_attributes(topology, grid);
    set_only_parent(topology, grid);
    machines_make(topology);
    if (topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES)
        return;
    grid->num_children = topology->n_machines;
    if (machines_are_made(topology))
        fill_children(topology, grid);
}

/* ---- A.1.5 ---- */

static bool is_grid_of(nwtopo_topology_t topology, nwtopo_obj_t grid)
{
    return topology && topology->box.n && grid == topology->upper;
}

/* Reduces coordinate i, given as any number, to the box. Returns false if it is outside. */
static bool grid_reduce(const struct box *box, uint32_t i, int64_t value, uint32_t *at)
{
    const int64_t extent = box->extent[i];
    if (box->wraps[i])
        value = (value % extent + extent) % extent;
    *at = (uint32_t)value;
    return value >= 0 && value < extent;
}

static int object_at(nwtopo_topology_t topology, const uint32_t *place, nwtopo_obj_t *objp)
{
    *objp = machine_object_safe(topology, grid_number_at(topology, place));
    return *objp ? 0 : -1;
}

int nwtopo_grid_get_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, int *coords,
                        nwtopo_obj_t *objp)
{
    uint32_t place[TOPOLOGY_MAX_DIMENSIONS];
    if (!is_grid_of(topology, grid) || !coords || !objp)
        return nwtopo_fail(EINVAL);
    for (uint32_t i = 0; i < topology->box.n; i++)
        if (!grid_reduce(&topology->box, i, coords[i], &place[i]))
            return nwtopo_fail(EINVAL);
    return object_at(topology, place, objp);
}

static int shifted(nwtopo_topology_t topology, nwtopo_obj_t base, const int64_t *shifts,
                   nwtopo_obj_t *objp)
{
    uint32_t place[TOPOLOGY_MAX_DIMENSIONS];
    grid_place_of(topology, (uint32_t)base->id, place);
    *objp = NULL;
    for (uint32_t i = 0; i < topology->box.n; i++)
        if (!grid_reduce(&topology->box, i, place[i] + shifts[i], &place[i]))
            return nwtopo_fail(ENOENT);
    return object_at(topology, place, objp);
}

int nwtopo_grid_get_shifted_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base,
                                int *shifts, nwtopo_obj_t *objp)
{
    int64_t wide[TOPOLOGY_MAX_DIMENSIONS];
    if (!is_grid_of(topology, grid) || !is_machine_of(topology, base) || !shifts || !objp)
        return nwtopo_fail(EINVAL);
    for (uint32_t i = 0; i < topology->box.n; i++)
        wide[i] = shifts[i];
    return shifted(topology, base, wide, objp);
}

int nwtopo_grid_get_neighbor_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base,
                                 unsigned direction, int shift, nwtopo_obj_t *objp)
{
    int64_t shifts[TOPOLOGY_MAX_DIMENSIONS] = {0};
    if (!is_grid_of(topology, grid) || !is_machine_of(topology, base) || !objp ||
        direction >= topology->box.n)
        return nwtopo_fail(EINVAL);
    shifts[direction] = shift;
    return shifted(topology, base, shifts, objp);
}

int nwtopo_grid_get_coords(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t obj,
                           int *coords)
{
    uint32_t place[TOPOLOGY_MAX_DIMENSIONS];
    if (!is_grid_of(topology, grid) || !is_machine_of(topology, obj) || !coords)
        return nwtopo_fail(EINVAL);
    grid_place_of(topology, (uint32_t)obj->id, place);
    for (uint32_t i = 0; i < topology->box.n; i++)
        coords[i] = (int)place[i];
    return 0;
}
