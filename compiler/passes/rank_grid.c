/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks by their place in a grid. See rank_grid.h.
 */
#include "compiler/passes/rank_grid.h"

#include "compiler/passes/cyclic.h"
#include "ir/schedule.h"
#include "network/view.h"

const struct topology *grid_of_ranks(const struct topology *topology, const struct placement *placement)
{
    bool in_order = topology && topology_grid(topology) && placement->n_ranks == topology->n_machines;
    for (uint32_t rank = 0; in_order && rank < placement->n_ranks; rank++)
        in_order = placement->machine[rank] == rank;
    return in_order ? topology_grid(topology) : NULL;
}

uint32_t *ranks_of_view(const struct topology *view, struct arena *arena)
{
    uint32_t *ranks = arena_alloc(arena, view->n_machines, sizeof *ranks);
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t place = 0; place < view->n_machines; place++) {
        ranks[place] = view_machine(view, at);
        for (uint32_t i = 0; i < view_n_axes(view) && ++at[i] == view_extent(view, i); i++)
            at[i] = 0;
    }
    return ranks;
}

/* Finds the steps between the numbers of ranks, and checks them at all places. */
static void rank_grid_find_steps(struct rank_grid *grid)
{
    grid->is_even = !grid->rank_at || grid->rank_at[0] == 0;
    for (uint32_t d = 0; d < grid->n_dimensions; d++) {
        const uint32_t stride = grid->stride[d].value;
        grid->step[d] = grid->rank_at && grid->extent[d].value > 1 ? grid->rank_at[stride] : stride;
    }
    for (uint32_t place = 0; grid->rank_at && grid->is_even && place < grid->n_ranks; place++) {
        uint32_t number = 0;
        for (uint32_t d = 0; d < grid->n_dimensions; d++)
            number += place / grid->stride[d].value % grid->extent[d].value * grid->step[d];
        grid->is_even = number == grid->rank_at[place];
    }
}

void rank_grid_of_extents(struct rank_grid *grid, uint32_t n_ranks, uint32_t n_dimensions,
                          const uint32_t *extent, const uint32_t *place_of, const uint32_t *rank_at)
{
    uint32_t stride = 1;
    *grid = (struct rank_grid){.n_ranks = n_ranks,
                               .n_dimensions = n_dimensions,
                               .place_of = place_of,
                               .rank_at = rank_at};
    for (uint32_t d = 0; d < n_dimensions; d++) {
        grid->extent[d] = divider_of(extent[d]);
        grid->stride[d] = divider_of(stride);
        stride *= extent[d];
    }
    rank_grid_find_steps(grid);
}

void rank_grid_make(struct rank_grid *grid, const struct topology *view, uint32_t root, struct arena *arena)
{
    uint32_t extent[TOPOLOGY_MAX_DIMENSIONS], *place_of = NULL, *rank_at = NULL;
    for (uint32_t d = 0; d < view_n_axes(view); d++)
        extent[d] = view_extent(view, d);
    if (view_is_folded(view)) {
        place_of = arena_alloc(arena, view->n_machines, sizeof *place_of);
        rank_at = ranks_of_view(view, arena);
        for (uint32_t place = 0; place < view->n_machines; place++)
            place_of[rank_at[place]] = place;
    }
    rank_grid_of_extents(grid, view->n_machines, view_n_axes(view), extent, place_of, rank_at);
    grid->root = root;
}

/* a modulo n, of any sign; mostly a is below n already. */
static uint32_t cyclic(int64_t a, uint32_t n)
{
    const int64_t rest = a >= 0 && a < (int64_t)n ? a : a % (int64_t)n;
    return (uint32_t)(rest < 0 ? rest + n : rest);
}

/* a + b modulo n, both below it. */
static inline uint32_t rank_grid_add(uint32_t a, uint32_t b, uint32_t n)
{
    return a >= n - b ? a - (n - b) : a + b;
}

static uint32_t place_of_number(const struct rank_grid *grid, int64_t number)
{
    const uint32_t rank = rank_grid_add(cyclic(number, grid->n_ranks), grid->root, grid->n_ranks);
    return grid->place_of ? grid->place_of[rank] : rank;
}

static uint32_t rank_grid_number_at(const struct rank_grid *grid, uint32_t place)
{
    const uint32_t rank = grid->rank_at ? grid->rank_at[place] : place;
    return rank >= grid->root ? rank - grid->root : rank + (grid->n_ranks - grid->root);
}

static uint32_t at_dimension(const struct rank_grid *grid, uint32_t place, uint32_t d)
{
    const uint32_t above = divide(place, &grid->stride[d]);
    return above - divide(above, &grid->extent[d]) * grid->extent[d].value;
}

static int64_t coordinate(const struct rank_grid *grid, int64_t number, uint32_t d)
{
    const uint32_t own = at_dimension(grid, place_of_number(grid, number), d);
    const uint32_t origin = at_dimension(grid, place_of_number(grid, 0), d);
    return own >= origin ? own - origin : own + (grid->extent[d].value - origin);
}

static int64_t rank_grid_shift(const struct rank_grid *grid, int64_t number, uint32_t d, uint32_t k)
{
    const uint32_t place = place_of_number(grid, number), from = at_dimension(grid, place, d);
    const uint32_t to = rank_grid_add(from, k, grid->extent[d].value);
    return rank_grid_number_at(grid, place + to * grid->stride[d].value - from * grid->stride[d].value);
}

/* The hops of k times a way, modulo the extents. */
static void hops_of(const struct rank_grid *grid, int64_t way, int64_t k, uint32_t *hops)
{
    const uint32_t origin = place_of_number(grid, 0), to = place_of_number(grid, way);
    for (uint32_t d = 0; d < grid->n_dimensions; d++) {
        const uint32_t n = grid->extent[d].value;
        const int64_t hop = (int64_t)at_dimension(grid, to, d) - at_dimension(grid, origin, d);
        hops[d] = cyclic(hop * cyclic(k, n), n);
    }
}

static int64_t displace(const struct rank_grid *grid, int64_t number, int64_t way, int64_t k)
{
    uint32_t hops[TOPOLOGY_MAX_DIMENSIONS], rest = place_of_number(grid, number), place = 0;
    hops_of(grid, way, k, hops);
    for (uint32_t d = 0; d < grid->n_dimensions; d++) {
        const uint32_t n = grid->extent[d].value, above = divide(rest, &grid->extent[d]);
        place += rank_grid_add(rest - above * n, hops[d], n) * grid->stride[d].value;
        rest = above;
    }
    return rank_grid_number_at(grid, place);
}

/* Returns the displacement with the hop of every dimension in that k after it, or the number of ranks. Where
 * the two have different extents, the hop must be below half of both, so that it is a hop of its own there,
 * and so is its opposite. */
static int64_t turn_by(const struct rank_grid *grid, int64_t way, uint32_t k)
{
    int64_t turned = 0;
    for (uint32_t d = 0; d < grid->n_dimensions; d++) {
        const uint32_t other = (d + k) % grid->n_dimensions;
        const int64_t from = grid->extent[d].value, to = grid->extent[other].value;
        const int64_t at = coordinate(grid, way, d), hop = 2 * at <= from ? at : at - from;
        const int64_t twice = 2 * (hop < 0 ? -hop : hop);
        if (from != to && (twice >= from || twice >= to))
            return grid->n_ranks;
        turned = rank_grid_shift(grid, turned, other, cyclic(hop, (uint32_t)to));
    }
    return turned;
}

/* Returns the same, or the number of ranks if it is a turn of a smaller k. */
static int64_t turn(const struct rank_grid *grid, int64_t way, uint32_t k)
{
    const int64_t turned = turn_by(grid, way, k);
    for (uint32_t before = 0; before < k; before++)
        if (turn_by(grid, way, before) == turned)
            return grid->n_ranks;
    return turned;
}

/* EXTENT, COORDINATE and SHIFT in dimension `d`. */
static int64_t in_dimension(const struct rank_grid *grid, enum expr_kind kind,
                            const int64_t operand[3], int64_t d)
{
    if (d >= grid->n_dimensions)
        return kind == EXPR_EXTENT  ? 1
               : kind == EXPR_SHIFT ? cyclic(operand[0], grid->n_ranks)
                                    : 0;
    const uint32_t extent = grid->extent[d].value;
    if (kind == EXPR_EXTENT)
        return extent;
    return kind == EXPR_COORDINATE
               ? coordinate(grid, operand[0], (uint32_t)d)
               : rank_grid_shift(grid, operand[0], (uint32_t)d, cyclic(operand[2], extent));
}

bool rank_grid_apply(const struct rank_grid *grid, enum expr_kind kind, const int64_t operand[3],
                     int64_t *result)
{
    const int64_t dimension = operand[kind == EXPR_EXTENT ? 0 : 1];
    if (grid->n_ranks == 0)
        return false;
    if (kind == EXPR_DISPLACE)
        *result = displace(grid, operand[0], operand[1], operand[2]);
    else if (kind == EXPR_ROTATE)
        *result = turn(grid, operand[0], cyclic(operand[1], grid->n_dimensions));
    else if (dimension >= 0)
        *result = in_dimension(grid, kind, operand, dimension);
    return kind == EXPR_DISPLACE || kind == EXPR_ROTATE || dimension >= 0;
}

/* Numbers of a dimension that the vectors below need; a dimension beyond the last has extent 1. */
struct axis {
    uint32_t extent, stride;
    double in_extent, in_stride; /* 1 / extent, 1 / stride */
};

static struct axis rank_grid_axis_of(const struct rank_grid *grid, int64_t d)
{
    const uint32_t extent = d < grid->n_dimensions ? grid->extent[d].value : 1;
    const uint32_t stride = d < grid->n_dimensions ? grid->stride[d].value : 1;
    return (struct axis){extent, stride, 1.0 / extent, 1.0 / stride};
}

/* place / n, by floating point, for which there are vectors: half a place more, and it is
 * farther from a whole number than a product of such numbers is off. */
static inline uint32_t quotient(uint32_t place, double in_n)
{
    return (uint32_t)(int32_t)(((int32_t)place + 0.5) * in_n);
}

_Static_assert(SCHEDULE_MAX_RANKS <= 1 << 26, "(n + 1/2) / d is exact to 2^-25 and 1/(2 d) apart");

static inline uint32_t at_axis(uint32_t place, const struct axis *axis)
{
    const uint32_t above = quotient(place, axis->in_stride);
    return above - quotient(above, axis->in_extent) * axis->extent;
}

VECTORISED static void coordinate_lanes(const struct axis *axis, uint32_t origin, uint32_t n,
                                        const uint32_t *place, int64_t *out)
{
    const uint32_t from_origin = axis->extent - origin;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t sum = at_axis(place[i], axis) + from_origin;
        out[i] = sum >= axis->extent ? sum - axis->extent : sum;
    }
}

VECTORISED static void shift_lanes(const struct axis *axis, const uint32_t *k, uint32_t n,
                                   uint32_t *place)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = at_axis(place[i], axis), sum = at + k[i];
        const uint32_t to = sum >= axis->extent ? sum - axis->extent : sum;
        place[i] += (to - at) * axis->stride;
    }
}

static void places_of_numbers(const struct rank_grid *grid, const struct value *number, uint32_t n,
                              uint32_t *place)
{
    cyclic_reduce_lanes(number, grid->n_ranks, n, place);
    cyclic_turn_lanes(place, n, grid->root, grid->n_ranks);
    for (uint32_t i = 0; grid->place_of && i < n; i++)
        place[i] = grid->place_of[place[i]];
}

static void numbers_at(const struct rank_grid *grid, uint32_t *place, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; grid->rank_at && i < n; i++)
        place[i] = grid->rank_at[place[i]];
    cyclic_turn_lanes(place, n, grid->root ? grid->n_ranks - grid->root : 0, grid->n_ranks);
    for (uint32_t i = 0; i < n; i++)
        out[i] = place[i];
}

/* COORDINATE and SHIFT in a dimension that is the same on all lanes. */
static void along_dimension(const struct rank_grid *grid, enum expr_kind kind,
                            const struct value operand[3], uint32_t n, int64_t *out)
{
    const struct axis axis = rank_grid_axis_of(grid, operand[1].scalar);
    uint32_t place[BLOCK_LANES], k[BLOCK_LANES];
    places_of_numbers(grid, &operand[0], n, place);
    if (kind == EXPR_COORDINATE) {
        coordinate_lanes(&axis, at_axis(place_of_number(grid, 0), &axis), n, place, out);
        return;
    }
    cyclic_reduce_lanes(&operand[2], axis.extent, n, k);
    shift_lanes(&axis, k, n, place);
    numbers_at(grid, place, n, out);
}

/* DISPLACE by a way that is the same on all lanes. */
static void displace_lanes(const struct rank_grid *grid, const struct value operand[3], uint32_t n,
                           int64_t *out)
{
    uint32_t hops[TOPOLOGY_MAX_DIMENSIONS], place[BLOCK_LANES], k[BLOCK_LANES];
    hops_of(grid, operand[1].scalar, operand[2].scalar, hops);
    places_of_numbers(grid, &operand[0], n, place);
    for (uint32_t d = 0; d < grid->n_dimensions; d++) {
        const struct axis axis = rank_grid_axis_of(grid, d);
        for (uint32_t i = 0; i < n; i++)
            k[i] = hops[d];
        if (hops[d])
            shift_lanes(&axis, k, n, place);
    }
    numbers_at(grid, place, n, out);
}

bool rank_grid_lanes(const struct rank_grid *grid, enum expr_kind kind, const struct value operand[3],
                     uint32_t n, int64_t *out)
{
    const bool is_uniform = grid->n_ranks && !operand[1].lane;
    bool done = true;
    if (is_uniform && kind == EXPR_DISPLACE && !operand[2].lane) {
        displace_lanes(grid, operand, n, out);
        return true;
    }
    if (is_uniform && (kind == EXPR_COORDINATE || kind == EXPR_SHIFT) && operand[1].scalar >= 0) {
        along_dimension(grid, kind, operand, n, out);
        return true;
    }
    for (uint32_t lane = 0; lane < n && done; lane++) {
        const int64_t own[] = {value_at(&operand[0], lane), value_at(&operand[1], lane),
                               value_at(&operand[2], lane)};
        done = rank_grid_apply(grid, kind, own, &out[lane]);
    }
    return done;
}
