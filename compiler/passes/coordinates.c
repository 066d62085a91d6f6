/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between ranks and coordinates, for vectors of ranks. See coordinates.h.
 */
#include "compiler/passes/coordinates.h"
#include "compiler/passes/cyclic.h"

#include "network/placement/clusters.h"
#include "ir/schedule.h"
#include "network/view.h"

#include <string.h>

static const uint32_t *ranks_of_clusters(const struct binding *binding, struct arena *arena)
{
    struct clusters clusters;
    clusters_find(binding->topology, binding->placement, &clusters, arena);
    return clusters.ranks; /* found when it was bound */
}

static void ragged_to_ranks(const struct coordinates *coordinates, uint32_t n, uint32_t *index)
{
    const struct placement *placement = coordinates->ragged;
    const uint32_t first_slot = coordinates->first_slot;
    const uint32_t *const first = placement->first, *const ranks = placement->ranks;
    const struct divider max_slots = coordinates->max_slots;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t server = divide(index[i], &max_slots);
        const uint32_t slot = index[i] - server * max_slots.value;
        const uint32_t before = first[server], n_slots = first[server + 1] - before;
        const uint32_t at = first_slot ? (slot + first_slot) % n_slots : slot;
        index[i] = slot < n_slots ? ranks[before + at] : NO_RANK;
    }
}

/* Indices of n points -> ranks, or NO_RANK, in place. */
static void to_ranks(const struct coordinates *coordinates, uint32_t n, uint32_t *index)
{
    if (coordinates->ragged)
        ragged_to_ranks(coordinates, n, index);
    for (uint32_t i = 0; coordinates->ranks && i < n; i++)
        index[i] = coordinates->ranks[index[i]];
}

static void fill_of_rank(struct coordinates *coordinates, struct arena *arena)
{
    uint32_t digit[PROGRAM_MAX_COORDINATES] = {0};
    for (uint32_t i = 0; i < coordinates->n; i++)
        coordinates->of_rank[i] = arena_alloc(arena, coordinates->n_ranks, sizeof(uint32_t));
    for (uint32_t n = 0; n < coordinates->n_ranks; n++) {
        uint32_t rank = 0;
        for (uint32_t i = 0; i < coordinates->n; i++)
            rank += digit[i] * coordinates->stride[i];
        to_ranks(coordinates, 1, &rank);
        for (uint32_t i = 0; i < coordinates->n; i++)
            coordinates->of_rank[i][rank] = digit[i];
        for (uint32_t i = 0; i < coordinates->n && ++digit[i] == coordinates->extent[i]; i++)
            digit[i] = 0;
    }
}

static void count_from(struct coordinates *coordinates, uint32_t root)
{
    coordinates->shift = root;
    for (uint32_t i = 0; i < coordinates->n; i++) {
        const uint32_t extent = coordinates->extent[i], at = coordinates->of_rank[i][root];
        coordinates->origin[i] = at;
        cyclic_turn_lanes(coordinates->of_rank[i], coordinates->n_ranks, at ? extent - at : 0, extent);
    }
}

/* Makes the coordinates of servers with different numbers of ranks. With `from root` those of the root are 0:
 * servers count from its server, and the slots of every server from its slot, modulo the number of ranks
 * there. So the absent slots are the last of a server, whatever the root. */
static void make_ragged(struct coordinates *coordinates, const struct binding *binding,
                        struct arena *arena)
{
    const struct placement *placement = binding->placement;
    const uint32_t over_servers = coordinates->stride[0] == 1, over_slots = 1 - over_servers;
    const uint32_t n_ranks = coordinates->n_ranks;
    coordinates->ragged = placement;
    coordinates->max_slots = divider_of(placement->max_slots);
    for (uint32_t i = 0; i < coordinates->n; i++)
        coordinates->of_rank[i] = arena_alloc(arena, n_ranks, sizeof(uint32_t));
    if (binding->program->from_root) {
        coordinates->shift = binding->root;
        coordinates->origin[over_servers] = placement->server[binding->root];
        coordinates->first_slot = placement->slot[binding->root];
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const uint32_t server = placement->server[rank], n = placement_slots(placement, server);
        const uint32_t from = coordinates->first_slot % n;
        coordinates->of_rank[over_slots][rank] = (placement->slot[rank] + n - from) % n;
        coordinates->of_rank[over_servers][rank] =
            (server + placement->n_servers - coordinates->origin[over_servers]) %
            placement->n_servers;
    }
}

void coordinates_make(struct coordinates *coordinates, const struct binding *binding,
                      struct arena *arena)
{
    const struct program *program = binding->program;
    uint32_t order[PROGRAM_MAX_COORDINATES], stride = 1;
    *coordinates = (struct coordinates){.n = program->n_coordinates, .n_ranks = binding->n_ranks};
    program_order_coordinates(program, order);
    for (uint32_t i = 0; i < coordinates->n; i++) {
        coordinates->extent[order[i]] = binding->extent[order[i]];
        coordinates->stride[order[i]] = stride;
        stride *= binding->extent[order[i]];
    }
    if (program_is_ragged(program) && !binding->placement->slots) {
        make_ragged(coordinates, binding, arena);
        return;
    }
    coordinates->ranks = program_is_over_servers(program) ? binding->placement->ranks : NULL;
    if (program_is_over_clusters(program))
        coordinates->ranks = ranks_of_clusters(binding, arena);
    const struct topology *grid = program_extents_within(program, NAMED_nx, NAMED_nz)
                                      ? topology_grid(binding->topology)
                                      : NULL;
    if (grid && view_is_folded(grid))
        coordinates->ranks = ranks_of_view(grid, arena);
    fill_of_rank(coordinates, arena);
    if (program->from_root)
        count_from(coordinates, binding->root);
}

/* Adds the i-th coordinate, cyclic, of n points to their indices, 0 at first; one that is alone is the
 * index. */
static void add_coordinate(const struct coordinates *coordinates, uint32_t i, const struct value *value,
                           uint32_t n, uint32_t *index)
{
    uint32_t own[BLOCK_LANES], *reduced = coordinates->n == 1 ? index : own;
    const uint32_t stride = coordinates->stride[i], extent = coordinates->extent[i];
    cyclic_reduce_lanes(value, extent, n, reduced);
    cyclic_turn_lanes(reduced, n, coordinates->origin[i], extent);
    for (uint32_t lane = 0; reduced == own && lane < n; lane++)
        index[lane] += stride * reduced[lane];
}

void coordinates_shift(const struct coordinates *coordinates, uint32_t n, uint32_t *number)
{
    cyclic_turn_lanes(number, n, coordinates->shift, coordinates->n_ranks);
}

bool coordinates_find(const struct coordinates *coordinates, struct environment *environment,
                      struct expr *const *point, uint32_t n, const struct lanes *lanes,
                      uint32_t *rank)
{
    const uint32_t n_lanes = lanes->n; /* which no store changes */
    struct value value;
    if (n != coordinates->n) {
        if (!evaluate(environment, point[0], lanes, 0, &value))
            return false;
        cyclic_reduce_lanes(&value, coordinates->n_ranks, n_lanes, rank);
        coordinates_shift(coordinates, n_lanes, rank);
        return true;
    }
    if (n > 1)
        memset(rank, 0, n_lanes * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        if (!evaluate(environment, point[i], lanes, 0, &value))
            return false;
        add_coordinate(coordinates, i, &value, n_lanes, rank);
    }
    to_ranks(coordinates, n_lanes, rank);
    return true;
}
