/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between ranks and coordinates, for vectors of ranks. See coordinates.h.
 */
#include "compiler/passes/coordinates.h"

#include "ir/clusters.h"
#include "ir/schedule.h"

/* Which named value an extent is, or N_NAMED if it is another expression. */
static uint32_t named_extent(const struct program *program, uint32_t i)
{
    const struct expr *extent = program->extent[i];
    if (extent->kind != EXPR_VARIABLE)
        return N_NAMED;
    const struct variable *variable = &program->variables[extent->variable];
    return variable->kind == VARIABLE_NAMED ? variable->index : N_NAMED;
}

/* Orders the coordinates from the fastest to the slowest. */
static void order_coordinates(const struct program *program, uint32_t order[],
                              bool *is_over_servers, bool *is_over_grid)
{
    uint32_t n = program->n_coordinates, named[PROGRAM_MAX_COORDINATES];
    bool over_grid = true, over_servers = true;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = n - 1 - i;
        named[i] = named_extent(program, i);
        over_grid = over_grid && named[i] >= NAMED_nx && named[i] <= NAMED_nz;
        over_servers = over_servers && (named[i] == NAMED_servers || named[i] == NAMED_slots);
    }
    *is_over_servers = over_servers;
    *is_over_grid = over_grid;
    if (!over_grid && !over_servers)
        return;
    /* slots and nx are fastest: sort by what the extent names */
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0; j--) {
            bool is_wrong = over_grid ? named[order[j - 1]] > named[order[j]]
                                      : named[order[j - 1]] < named[order[j]];
            uint32_t swap = order[j];
            if (is_wrong) {
                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        }
}

/* Over clusters: from the slowest to the fastest; 0 for another name. */
static uint32_t depth_in_cluster(uint32_t named)
{
    switch (named) {
    case NAMED_clusters: return 1;
    case NAMED_cluster_servers:
    case NAMED_cluster_ranks: return 2;
    case NAMED_slots: return 3;
    default: return 0;
    }
}

/* Whether the coordinates are over clusters; then they are put in order. */
static bool order_in_clusters(const struct program *program, uint32_t order[])
{
    uint32_t n = program->n_coordinates, depth[PROGRAM_MAX_COORDINATES];
    bool has_clusters = false;
    for (uint32_t i = 0; i < n; i++) {
        depth[i] = depth_in_cluster(named_extent(program, i));
        has_clusters = has_clusters || depth[i] == 1;
    }
    for (uint32_t i = 0; i < n; i++)
        has_clusters = has_clusters && depth[i] > 0;
    for (uint32_t i = 1; i < n && has_clusters; i++)
        for (uint32_t j = i; j > 0 && depth[order[j - 1]] < depth[order[j]]; j--) {
            uint32_t swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    return has_clusters;
}

static const uint32_t *ranks_of_clusters(const struct binding *binding, struct arena *arena)
{
    struct clusters clusters;
    clusters_find(binding->topology, binding->placement, &clusters, arena);
    return clusters.ranks; /* found when it was bound */
}

/* number[i] + by, modulo `modulus`; both are below it. */
static void turn(uint32_t *number, uint32_t n, uint32_t by, uint32_t modulus)
{
    for (uint32_t i = 0; by && i < n; i++) {
        uint32_t sum = number[i] + by;
        number[i] = sum >= modulus ? sum - modulus : sum;
    }
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
        coordinates_to_ranks(coordinates, 1, &rank);
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
        turn(coordinates->of_rank[i], coordinates->n_ranks, at ? extent - at : 0, extent);
    }
}

void coordinates_make(struct coordinates *coordinates, const struct binding *binding,
                      struct arena *arena)
{
    const struct program *program = binding->program;
    uint32_t order[PROGRAM_MAX_COORDINATES], stride = 1;
    bool is_over_servers, is_over_grid;
    *coordinates = (struct coordinates){.n = program->n_coordinates, .n_ranks = binding->n_ranks};
    order_coordinates(program, order, &is_over_servers, &is_over_grid);
    const bool is_over_clusters = order_in_clusters(program, order);
    for (uint32_t i = 0; i < coordinates->n; i++) {
        coordinates->extent[order[i]] = binding->extent[order[i]];
        coordinates->stride[order[i]] = stride;
        stride *= binding->extent[order[i]];
    }
    coordinates->ranks = is_over_servers ? binding->placement->ranks : NULL;
    if (is_over_clusters)
        coordinates->ranks = ranks_of_clusters(binding, arena);
    const struct topology *grid = is_over_grid && program->n_coordinates
                                      ? topology_grid(binding->topology)
                                      : NULL;
    if (grid && grid->view)
        coordinates->ranks = ranks_of_view(grid, arena);
    fill_of_rank(coordinates, arena);
    if (program->from_root)
        count_from(coordinates, binding->root);
}

/* Reduces values in [-extent, 2 extent), as r + i and r - i are: one conditional
 * addition and one conditional subtraction without branches. The sign bit of the
 * result says that a value was farther away; wrapping is harmless, since such a
 * value has one of the two signs set. */
static inline uint64_t reduce_near(const int64_t *lane, uint32_t extent, uint32_t n, uint32_t *out)
{
    const int32_t size = (int32_t)extent;
    uint64_t outside = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t value = (uint64_t)lane[i];
        int32_t x = (int32_t)lane[i];
        outside |= (value + extent) | (2 * (uint64_t)extent - 1 - value);
        x += x >> 31 & size;
        x -= size;
        out[i] = (uint32_t)(x + (x >> 31 & size));
    }
    return outside;
}

_Static_assert(SCHEDULE_MAX_RANKS < 1 << 30, "reduce_near doubles an extent in 31 bits");

static void reduce_scalar(int64_t scalar, uint32_t extent, uint32_t n, uint32_t *out)
{
    int64_t reduced = 0;
    arithmetic_apply(EXPR_MOD, scalar, extent, &reduced);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint32_t)reduced;
}

void coordinates_reduce(const struct value *value, uint32_t extent, uint32_t n, uint32_t *out)
{
    if (!value->lane) {
        reduce_scalar(value->scalar, extent, n, out);
        return;
    }
    /* a fixed number of lanes at a time, so that the compiler uses vectors */
    enum { GROUP = 16 };
    uint64_t outside = 0;
    uint32_t i = 0;
    for (; i + GROUP <= n; i += GROUP)
        outside |= reduce_near(value->lane + i, extent, GROUP, out + i);
    outside |= reduce_near(value->lane + i, extent, n - i, out + i);
    for (i = 0; outside >> 63 && i < n; i++)
        reduce_scalar(value->lane[i], extent, 1, &out[i]);
}

void coordinates_add(const struct coordinates *coordinates, uint32_t i, const struct value *value,
                     uint32_t n, uint32_t *index)
{
    uint32_t own[BLOCK_LANES], *reduced = coordinates->n == 1 ? index : own;
    const uint32_t stride = coordinates->stride[i], extent = coordinates->extent[i];
    coordinates_reduce(value, extent, n, reduced);
    turn(reduced, n, coordinates->origin[i], extent);
    for (uint32_t lane = 0; reduced == own && lane < n; lane++)
        index[lane] += stride * reduced[lane];
}

void coordinates_shift(const struct coordinates *coordinates, uint32_t n, uint32_t *number)
{
    turn(number, n, coordinates->shift, coordinates->n_ranks);
}

void coordinates_to_ranks(const struct coordinates *coordinates, uint32_t n, uint32_t *index)
{
    for (uint32_t i = 0; coordinates->ranks && i < n; i++)
        index[i] = coordinates->ranks[index[i]];
}

bool coordinates_find(const struct coordinates *coordinates, struct environment *environment,
                      struct expr *const *point, uint32_t n, const struct lanes *lanes,
                      uint32_t *rank)
{
    struct value value;
    if (n != coordinates->n) {
        if (!evaluate(environment, point[0], lanes, 0, &value))
            return false;
        coordinates_reduce(&value, coordinates->n_ranks, lanes->n, rank);
        coordinates_shift(coordinates, lanes->n, rank);
        return true;
    }
    for (uint32_t i = 0; i < lanes->n; i++)
        rank[i] = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!evaluate(environment, point[i], lanes, 0, &value))
            return false;
        coordinates_add(coordinates, i, &value, lanes->n, rank);
    }
    coordinates_to_ranks(coordinates, lanes->n, rank);
    return true;
}
