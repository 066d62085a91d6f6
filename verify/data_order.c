/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of ranks, and the grid of them, by which sets of contributions stay intervals or boxes (rank_sets
 * of values.h).
 */
#include "verify/rule.h"

#include "network/view.h"

#include <stdlib.h>

/* True if some ranks hand their data on, and all of them to a rank one bit away. */
static bool goes_by_bits(const uint32_t *next, uint32_t n_ranks)
{
    bool is_some = false;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const uint32_t bits = next[rank] < n_ranks ? rank ^ next[rank] : 0;
        if (bits & (bits - 1))
            return false;
        is_some = is_some || bits;
    }
    return is_some && n_ranks > 2 && !(n_ranks & (n_ranks - 1));
}

/* True if all ranks that hand data on do it to a neighbour in one dimension of a grid. */
static bool goes_by_grid(const uint32_t *next, uint32_t n_ranks, const uint32_t *extent, uint32_t n)
{
    uint32_t along = n;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t a = rank, b = next[rank] < n_ranks ? next[rank] : rank;
        for (uint32_t d = 0; d < n; a /= extent[d], b /= extent[d], d++) {
            const uint32_t at = a % extent[d], to = b % extent[d];
            const bool is_next = to == (at + 1) % extent[d] || at == (to + 1) % extent[d];
            if (at != to && (!is_next || (along < n && along != d)))
                return false;
            along = at != to ? d : along;
        }
    }
    return true;
}

/* Finds the extents of the grid whose points the ranks are in their order, those in a row first; 0: there is
 * none. */
static uint32_t data_find_grid(const struct data *data, uint32_t extent[TOPOLOGY_MAX_DIMENSIONS])
{
    const struct verify_request *request = data->verifier->request;
    const struct topology *grid = request->topology ? topology_grid(request->topology) : NULL;
    const uint32_t n_ranks = data->header->n_ranks, n = grid ? view_n_axes(grid) : 0;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
    if (!grid || grid->n_machines != n_ranks || view_is_folded(grid))
        return 0;
    for (uint32_t rank = 0; request->placement && rank < n_ranks; rank++)
        if (request->placement->machine[rank] != rank)
            return 0;
    if (n_ranks > 1)
        view_coordinates(grid, 1, at);
    for (uint32_t d = 0; d < n; d++)
        extent[d] = view_extent(grid, at[n - 1] ? n - 1 - d : d);
    return n;
}

/* Takes ranks as points of a grid, where the first step goes along one of its dimensions, or bits of the
 * numbers of ranks: then partial sums are boxes. */
static bool find_boxes(struct data *data, const uint32_t *next)
{
    static const uint32_t twos[RANK_BOXES_MAX] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                  2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const uint32_t n_ranks = data->header->n_ranks;
    uint32_t extent[TOPOLOGY_MAX_DIMENSIONS];
    const uint32_t n = data_find_grid(data, extent);
    if (n > 1 && goes_by_grid(next, n_ranks, extent, n))
        rank_sets_grid(&data->sets, extent, n);
    else if (goes_by_bits(next, n_ranks))
        rank_sets_grid(&data->sets, twos, (uint32_t)__builtin_ctz(n_ranks));
    return data->sets.boxes.n;
}

/* Orders the ranks for sets of contributions by the first step: by the ranks that hand their data to each
 * other. Any order, and any grid, is right; these make intervals or boxes of partial sums. */
void data_order_ranks(struct data *data, const struct step *step)
{
    uint32_t n_ranks = data->header->n_ranks;
    uint32_t *next = mem_alloc(n_ranks, sizeof *next);
    bool *follows = mem_alloc(n_ranks, sizeof *follows);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        next[rank] = n_ranks;
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        bool combines = data->is_barrier || op->kind == OP_REDUCE;
        if (!combines || next[op->peer] != n_ranks || follows[op->rank])
            continue;
        next[op->peer] = op->rank;
        follows[op->rank] = true;
    }
    if (!find_boxes(data, next))
        rank_sets_order(&data->sets, next);
    free(next);
    free(follows);
}
