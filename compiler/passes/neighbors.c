/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See neighbors.h.
 */
#include "compiler/passes/neighbors.h"

#include "base/memory.h"
#include "compiler/passes/rank_grid.h"
#include "network/view.h"

#include <stdlib.h>

/* ---- the grid ---- */

static void neighbors_take_grid(struct neighborhood *of, const struct topology *grid, bool *wraps,
                                struct arena *arena)
{
    if (grid)
        of->rank_at = ranks_of_view(grid, arena);
    else
        of->rank_at = arena_alloc(arena, of->n_ranks, sizeof *of->rank_at);
    of->place_of = arena_alloc(arena, of->n_ranks, sizeof *of->place_of);
    of->n_dimensions = grid ? view_n_axes(grid) : 2;
    uint32_t rows = 1;
    for (uint32_t d = 1; d <= of->n_ranks / d; d++)
        rows = of->n_ranks % d ? rows : d;
    for (uint32_t d = 0; d < of->n_dimensions; d++) {
        of->extent[d] = grid ? view_extent(grid, d) : d ? rows : of->n_ranks / rows;
        wraps[d] = !grid || view_wraps(grid, d);
    }
    for (uint32_t place = 0; place < of->n_ranks; place++) {
        /* as MPI_Cart_create numbers them: the last dimension is the fastest */
        if (!grid)
            of->rank_at[place] = place % of->extent[0] * of->extent[1] + place / of->extent[0];
        of->place_of[of->rank_at[place]] = place;
    }
}

static uint32_t neighbors_coordinate(const struct neighborhood *of, uint32_t rank, uint32_t d)
{
    uint32_t above = of->place_of[rank];
    for (uint32_t i = 0; i < d; i++)
        above /= of->extent[i];
    return above % of->extent[d];
}

/* Returns the places to a rank in a dimension, cyclic. */
static uint32_t hop_to(const struct neighborhood *of, uint32_t from, uint32_t to, uint32_t d)
{
    return (neighbors_coordinate(of, to, d) + of->extent[d] - neighbors_coordinate(of, from, d)) %
           of->extent[d];
}

/* Returns the rank by[d] places from another one, -1, 0 or 1; n_ranks: it is beyond a border. */
static uint32_t rank_beside(const struct neighborhood *of, uint32_t rank, const int *by, const bool *wraps)
{
    uint32_t place = 0, stride = 1;
    for (uint32_t d = 0; d < of->n_dimensions; d++) {
        const uint32_t n = of->extent[d], at = neighbors_coordinate(of, rank, d);
        if (!wraps[d] && ((by[d] < 0 && at == 0) || (by[d] > 0 && at == n - 1)))
            return of->n_ranks;
        place += (at + n + (uint32_t)by[d]) % n * stride;
        stride *= n;
    }
    return of->rank_at[place];
}

/* ---- lists ---- */

static const struct neighbor *neighbor_of(const struct neighborhood *of, enum neighbor_side side,
                                          uint32_t rank, int64_t k)
{
    const size_t first = of->first[side][rank], n = of->first[side][rank + 1] - first;
    return k >= 0 && (uint64_t)k < n ? &of->list[side][first + (size_t)k] : NULL;
}

/* True if the k-th neighbours of two ranks lie alike as seen from them. */
static bool lie_alike(const struct neighborhood *of, enum neighbor_side side, uint32_t a, uint32_t b,
                      uint32_t k)
{
    const uint32_t to_a = of->list[side][of->first[side][a] + k].rank;
    const uint32_t to_b = of->list[side][of->first[side][b] + k].rank;
    bool are_alike = to_a < of->n_ranks && to_b < of->n_ranks;
    for (uint32_t d = 0; are_alike && d < of->n_dimensions; d++)
        are_alike = hop_to(of, a, to_a, d) == hop_to(of, b, to_b, d);
    return are_alike;
}

/* True if a rank has as many neighbours as rank 0, and they lie alike. */
static bool has_like_neighbors(const struct neighborhood *of, enum neighbor_side side, uint32_t rank)
{
    const size_t *first = of->first[side], n = first[1] - first[0];
    bool are_alike = first[rank + 1] - first[rank] == n;
    for (uint32_t k = 0; are_alike && k < n; k++)
        are_alike = lie_alike(of, side, 0, rank, k);
    return are_alike;
}

/* True if the blocks of a rank have the same numbers at these neighbours as those of rank 0. */
static bool has_like_places(const struct neighborhood *of, enum neighbor_side side, uint32_t rank)
{
    const struct neighbor *list = of->list[side];
    const size_t *first = of->first[side];
    bool are_alike = true;
    for (size_t k = 0; are_alike && k < first[1] - first[0]; k++)
        are_alike = list[k].place == list[first[rank] + k].place;
    return are_alike;
}

/* True if blocks come from rank 0 to every rank. */
static bool is_connected(const struct neighborhood *of)
{
    bool *is_seen = mem_alloc(of->n_ranks, sizeof *is_seen);
    uint32_t *queue = mem_alloc(of->n_ranks, sizeof *queue), n = 1;
    is_seen[0] = true;
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = of->first[SIDE_OUT][queue[i]]; k < of->first[SIDE_OUT][queue[i] + 1]; k++) {
            const uint32_t to = of->list[SIDE_OUT][k].rank;
            if (to == of->n_ranks || is_seen[to])
                continue;
            is_seen[to] = true;
            queue[n++] = to;
        }
    free(is_seen);
    free(queue);
    return n == of->n_ranks;
}

static void neighbors_finish(struct neighborhood *of)
{
    of->is_isomorphic = is_connected(of);
    of->is_shifted = true;
    for (uint32_t rank = 0; rank < of->n_ranks; rank++) {
        const bool are_alike =
            (of->is_isomorphic || of->is_shifted) && has_like_neighbors(of, SIDE_OUT, rank);
        of->is_isomorphic = of->is_isomorphic && are_alike;
        of->is_shifted = of->is_shifted && are_alike && has_like_places(of, SIDE_OUT, rank) &&
                         has_like_neighbors(of, SIDE_IN, rank) && has_like_places(of, SIDE_IN, rank);
        for (int side = 0; side < N_SIDES; side++) {
            const uint32_t n = (uint32_t)(of->first[side][rank + 1] - of->first[side][rank]);
            of->most[side] = n > of->most[side] ? n : of->most[side];
        }
    }
}

static void neighbors_make_lists(struct neighborhood *of, size_t n, struct arena *arena)
{
    for (int side = 0; side < N_SIDES; side++) {
        of->first[side] = arena_alloc(arena, (size_t)of->n_ranks + 1, sizeof *of->first[side]);
        of->list[side] = arena_alloc(arena, n + 1, sizeof *of->list[side]);
    }
}

static struct neighborhood *neighbors_new(const struct topology *grid, uint32_t n_ranks, bool *wraps,
                                          struct arena *arena)
{
    struct neighborhood *of = arena_alloc(arena, 1, sizeof *of);
    of->n_ranks = n_ranks;
    neighbors_take_grid(of, grid, wraps, arena);
    return of;
}

static void neighbors_take_edges(struct neighborhood *of, const struct neighbor_edge *edges, size_t n,
                                 struct arena *arena)
{
    size_t *next[N_SIDES];
    neighbors_make_lists(of, n, arena);
    for (size_t i = 0; i < n; i++) {
        of->first[SIDE_OUT][edges[i].from + 1]++;
        of->first[SIDE_IN][edges[i].to + 1]++;
    }
    for (int side = 0; side < N_SIDES; side++) {
        next[side] = mem_alloc(of->n_ranks, sizeof *next[side]);
        for (uint32_t rank = 0; rank < of->n_ranks; rank++)
            next[side][rank] = of->first[side][rank + 1] += of->first[side][rank];
        for (uint32_t rank = of->n_ranks; rank-- > 0;)
            next[side][rank] = of->first[side][rank];
    }
    for (size_t i = 0; i < n; i++) {
        const size_t out = next[SIDE_OUT][edges[i].from]++, in = next[SIDE_IN][edges[i].to]++;
        of->list[SIDE_OUT][out] =
            (struct neighbor){edges[i].to, (uint32_t)(in - of->first[SIDE_IN][edges[i].to])};
        of->list[SIDE_IN][in] =
            (struct neighbor){edges[i].from, (uint32_t)(out - of->first[SIDE_OUT][edges[i].from])};
    }
    free(next[SIDE_OUT]);
    free(next[SIDE_IN]);
    neighbors_finish(of);
}

/* Takes the ranks around each one, of a dimension the one before it first; by[] counts in base 3. Sources
 * come in the order of the blocks that they send, as on all ranks. */
static const struct neighborhood *neighbors_around(struct neighborhood *of, const bool *wraps,
                                                   struct arena *arena)
{
    uint32_t n_around = 1;
    size_t n = 0;
    for (uint32_t d = 0; d < of->n_dimensions; d++)
        n_around *= 3;
    struct neighbor_edge *edges = mem_alloc((size_t)n_around * of->n_ranks, sizeof *edges);
    for (uint32_t i = 0; i < n_around; i++) {
        int by[TOPOLOGY_MAX_DIMENSIONS] = {0};
        for (uint32_t d = 0, rest = i; d < of->n_dimensions; d++, rest /= 3)
            by[d] = (int)(rest % 3) - 1;
        for (uint32_t rank = 0; rank < of->n_ranks; rank++) {
            const uint32_t to = rank_beside(of, rank, by, wraps);
            if (i != n_around / 2 && to < of->n_ranks)
                edges[n++] = (struct neighbor_edge){rank, to};
        }
    }
    neighbors_take_edges(of, edges, n, arena);
    free(edges);
    return of;
}

const struct neighborhood *neighborhood_of_grid(const struct topology *grid, uint32_t n_ranks,
                                                enum neighborhood_kind kind, struct arena *arena)
{
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    struct neighborhood *of = neighbors_new(grid, n_ranks, wraps, arena);
    for (uint32_t d = 0; d < of->n_dimensions; d++)
        wraps[d] = wraps[d] && kind != NEIGHBORS_OPEN;
    if (kind == NEIGHBORS_STENCIL)
        return neighbors_around(of, wraps, arena);
    const uint32_t degree = 2 * of->n_dimensions;
    of->is_cartesian = true;
    neighbors_make_lists(of, (size_t)degree * n_ranks, arena);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        for (uint32_t k = 0; k < degree; k++) {
            int by[TOPOLOGY_MAX_DIMENSIONS] = {0};
            by[k / 2] = k % 2 ? 1 : -1;
            for (int side = 0; side < N_SIDES; side++) {
                of->list[side][(size_t)rank * degree + k] =
                    (struct neighbor){rank_beside(of, rank, by, wraps), k ^ 1};
                of->first[side][rank + 1] = (size_t)(rank + 1) * degree;
            }
        }
    neighbors_finish(of);
    return of;
}

const struct neighborhood *neighborhood_of_edges(const struct topology *grid, uint32_t n_ranks,
                                                 const struct neighbor_edge *edges, size_t n,
                                                 struct arena *arena)
{
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    struct neighborhood *of = neighbors_new(grid, n_ranks, wraps, arena);
    neighbors_take_edges(of, edges, n, arena);
    return of;
}

/* ---- functions ---- */

/* Returns the rank from which `rank` lies as the k-th neighbour of rank 0 from that; n_ranks: none. */
static uint32_t rank_opposite(const struct neighborhood *of, uint32_t rank, uint32_t k)
{
    const struct neighbor *neighbor = neighbor_of(of, SIDE_OUT, 0, k);
    uint32_t place = 0, stride = 1;
    for (uint32_t d = 0; d < of->n_dimensions; d++) {
        const uint32_t n = of->extent[d], hop = hop_to(of, 0, neighbor->rank, d);
        place += (neighbors_coordinate(of, rank, d) + n - hop) % n * stride;
        stride *= n;
    }
    return of->rank_at[place];
}

/* Returns how many neighbours are `hop` places away in a dimension. */
static int64_t count_hops(const struct neighborhood *of, uint32_t rank, uint32_t d, int64_t hop)
{
    int64_t n = 0;
    for (size_t k = of->first[SIDE_OUT][rank]; k < of->first[SIDE_OUT][rank + 1]; k++)
        n += of->list[SIDE_OUT][k].rank < of->n_ranks &&
             hop_to(of, rank, of->list[SIDE_OUT][k].rank, d) == hop;
    return n;
}

/* Returns the first neighbour of a rank that is as far as the k-th one in the dimensions up to d. */
static int64_t first_like(const struct neighborhood *of, uint32_t rank, uint32_t k, int64_t last)
{
    const struct neighbor *list = &of->list[SIDE_OUT][of->first[SIDE_OUT][rank]];
    uint32_t i = 0;
    for (bool is_like = false; i < k && !is_like; i += !is_like) {
        is_like = list[i].rank < of->n_ranks;
        for (uint32_t d = 0; is_like && d < of->n_dimensions && d <= last; d++)
            is_like = hop_to(of, rank, list[i].rank, d) == hop_to(of, rank, list[k].rank, d);
    }
    return i;
}

bool neighborhood_apply(const struct neighborhood *of, enum expr_kind kind, const int64_t operand[3],
                        int64_t *result)
{
    const bool is_of_sources = kind == EXPR_IN_DEGREE || kind == EXPR_IN_NEIGHBOR || kind == EXPR_IN_TURN;
    const enum neighbor_side side = is_of_sources ? SIDE_IN : SIDE_OUT;
    const bool is_dimension = operand[kind == EXPR_OUT_HOPS ? 1 : 2] < of->n_dimensions;
    const uint32_t rank = (uint32_t)operand[0];
    if (operand[0] < 0 || operand[0] >= of->n_ranks || operand[1] < 0 || operand[2] < 0)
        return false;
    const struct neighbor *neighbor = neighbor_of(of, side, rank, operand[1]);
    if (kind == EXPR_OUT_DEGREE || kind == EXPR_IN_DEGREE)
        *result = (int64_t)(of->first[side][rank + 1] - of->first[side][rank]);
    else if (kind == EXPR_OUT_HOPS)
        *result = is_dimension ? count_hops(of, rank, (uint32_t)operand[1], operand[2]) : 0;
    else if (!neighbor)
        return false;
    else if (kind == EXPR_IN_TURN)
        *result = of->is_cartesian ? operand[1] ^ 1 : operand[1];
    else if (kind == EXPR_OUT_HOP)
        *result = is_dimension ? hop_to(of, rank, neighbor->rank, (uint32_t)operand[2]) : 0;
    else if (kind == EXPR_OUT_LIKE)
        *result = neighbor->rank < of->n_ranks ? first_like(of, rank, (uint32_t)operand[1], operand[2])
                                               : operand[1];
    else if (kind == EXPR_IN_PLACE && of->is_isomorphic)
        *result = neighbor_of(of, SIDE_OUT, rank_opposite(of, rank, (uint32_t)operand[1]), operand[1])->place;
    else if (kind == EXPR_IN_PLACE)
        return false;
    else
        *result = neighbor->rank;
    return kind != EXPR_OUT_HOP || neighbor->rank < of->n_ranks;
}

/* ---- what ranks need ---- */

struct needs *neighborhood_needs(const struct neighborhood *of, bool is_spread)
{
    const size_t n = of->first[SIDE_IN][of->n_ranks];
    const uint32_t n_in = is_spread ? 1 : of->most[SIDE_OUT];
    struct need_term *terms = mem_alloc(n + 1, sizeof *terms);
    bool *has = is_spread ? NULL : mem_alloc((size_t)of->n_ranks * n_in + 1, sizeof *has);
    struct need_fault fault;
    size_t n_terms = 0;
    for (uint32_t rank = 0; rank < of->n_ranks; rank++) {
        for (size_t i = of->first[SIDE_IN][rank]; i < of->first[SIDE_IN][rank + 1]; i++) {
            const struct neighbor *from = &of->list[SIDE_IN][i];
            if (from->rank < of->n_ranks)
                terms[n_terms++] = (struct need_term){.rank = rank,
                                                      .chunk = (uint32_t)(i - of->first[SIDE_IN][rank]),
                                                      .n = 1,
                                                      .from = from->rank,
                                                      .last = from->rank,
                                                      .from_chunk = is_spread ? 0 : from->place};
        }
        for (size_t i = of->first[SIDE_OUT][rank]; has && i < of->first[SIDE_OUT][rank + 1]; i++)
            has[(size_t)rank * n_in + (i - of->first[SIDE_OUT][rank])] = true;
    }
    return needs_new(of->n_ranks, n_in, terms, n_terms, has, &fault);
}

uint64_t neighborhood_n_data(const struct neighborhood *neighborhood, bool is_spread)
{
    return (uint64_t)neighborhood->n_ranks * (is_spread ? 1 : neighborhood->most[SIDE_OUT]);
}

uint32_t neighborhood_receiver(const struct neighborhood *neighborhood, uint64_t datum)
{
    const uint32_t most = neighborhood->most[SIDE_OUT];
    const size_t *first = &neighborhood->first[SIDE_OUT][datum / most];
    const size_t at = first[0] + datum % most;
    return at < first[1] ? neighborhood->list[SIDE_OUT][at].rank : neighborhood->n_ranks;
}
