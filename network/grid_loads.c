/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of the links of a grid from many routes, line by line instead of hop by hop: along a dimension a
 * route loads links in a row, of which the first is that much more than the one before it, and the one
 * behind the last that much less. Of all routes these differences are added up once.
 */
#include "network/grid_loads.h"

#include "network/grid.h"

/* Links in a row, cyclic: the first of the line, how far each is from the one before it. */
static inline void grid_loads_lay_leg(const struct grid_leg *leg, uint64_t amount, uint32_t apart,
                                      uint64_t *line)
{
    const uint32_t lowest = leg->from + leg->extent + 1 - leg->length; /* of those that are left by - */
    const uint32_t first =
        leg->sign == GRID_PLUS ? leg->from : lowest < leg->extent ? lowest : lowest - leg->extent;
    const uint32_t end = first + leg->length;
    const bool is_round = end >= leg->extent;
    line[(size_t)first * apart] += amount;
    line[0] += is_round ? amount : 0;
    line[(size_t)(is_round ? end - leg->extent : end) * apart] -= amount;
}

static inline void grid_loads_lay_route(const struct grid *grid, const struct topology_pair *pair,
                                        uint64_t amount, uint64_t *load)
{
    const uint32_t links_per_node = 2 * grid->n_dimensions;
    struct grid_legs legs = grid_legs_of(pair->source, pair->destination, 0);
    while (grid_next_leg(grid, &legs))
        grid_loads_lay_leg(&legs.leg, amount, legs.leg.stride * links_per_node,
                           load + (size_t)legs.row * links_per_node + 2 * legs.leg.dimension + legs.leg.sign);
}

void grid_lay_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                    const uint64_t *amounts, uint64_t *load)
{
    const struct grid grid = *(const struct grid *)topology->self; /* a copy, which `load` is no part of */
    for (uint32_t i = 0; i < n; i++)
        grid_loads_lay_route(&grid, &pairs[i], amounts[i], load);
}

/* Adds to both links of each node in a row what those of the node so far behind it have. */
static inline void add_behind(uint64_t *load, uint32_t n_nodes, uint32_t links_per_node, size_t behind)
{
    for (uint32_t node = 0; node < n_nodes; node++, load += links_per_node) {
        load[0] += *(load - behind);
        load[1] += *(load + 1 - behind);
    }
}

void grid_sum_loads(const struct topology *topology, uint64_t *load)
{
    const struct grid *grid = topology->self;
    const uint32_t links_per_node = 2 * grid->n_dimensions, in_row = grid->extent[0].value;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t node = 0; node < topology->n_machines; node += in_row) {
        uint64_t *const row = load + (size_t)node * links_per_node;
        size_t behind = links_per_node;
        add_behind(row + links_per_node, in_row - 1, links_per_node, behind);
        for (uint32_t i = 1; i < grid->n_dimensions; i++) {
            behind *= grid->extent[i - 1].value;
            if (at[i])
                add_behind(row + 2 * i, in_row, links_per_node, behind);
        }
        for (uint32_t i = 1; i < grid->n_dimensions && ++at[i] == grid->extent[i].value; i++)
            at[i] = 0;
    }
}
