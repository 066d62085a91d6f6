/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the exact quotient of lengths by shortest paths from each source (Dijkstra). See lengths.h.
 */
#include "bound/flow/lengths.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Shortest paths from one node. */
struct ways {
    const struct flow_block *block;
    const uint64_t *length;
    uint64_t *distance; /* [node] UINT64_MAX: not reached */
    uint32_t *heap, *place, n; /* nodes on the way; [node] its place in the heap, from 1 */
};

static struct ways ways_new(const struct flow_block *block, const uint64_t *length)
{
    return (struct ways){block, length, mem_alloc(block->n_nodes, sizeof(uint64_t)),
                         mem_alloc((size_t)block->n_nodes + 1, sizeof(uint32_t)),
                         mem_alloc(block->n_nodes, sizeof(uint32_t)), 0};
}

static void ways_free(struct ways *ways)
{
    free(ways->distance);
    free(ways->heap);
    free(ways->place);
}

static void lengths_put(struct ways *ways, uint32_t place, uint32_t node)
{
    ways->heap[place] = node;
    ways->place[node] = place;
}

static void rise(struct ways *ways, uint32_t node)
{
    uint32_t place = ways->place[node] ? ways->place[node] : ++ways->n;
    for (; place > 1; place /= 2) {
        const uint32_t above = ways->heap[place / 2];
        if (ways->distance[above] <= ways->distance[node])
            break;
        lengths_put(ways, place, above);
    }
    lengths_put(ways, place, node);
}

static uint32_t take_nearest(struct ways *ways)
{
    const uint32_t nearest = ways->heap[1], last = ways->heap[ways->n--];
    uint32_t place = 1;
    for (uint32_t below = 2; below <= ways->n; below = place * 2) {
        if (below < ways->n &&
            ways->distance[ways->heap[below + 1]] < ways->distance[ways->heap[below]])
            below++;
        if (ways->distance[ways->heap[below]] >= ways->distance[last])
            break;
        lengths_put(ways, place, ways->heap[below]);
        place = below;
    }
    if (ways->n)
        lengths_put(ways, place, last);
    return nearest;
}

static void lengths_find_ways(struct ways *ways, uint32_t source)
{
    const struct flow_block *block = ways->block;
    memset(ways->distance, 0xff, block->n_nodes * sizeof *ways->distance);
    memset(ways->place, 0, block->n_nodes * sizeof *ways->place);
    ways->distance[source] = 0;
    rise(ways, source);
    while (ways->n) {
        const uint32_t node = take_nearest(ways);
        for (uint32_t i = block->first[node]; i < block->first[node + 1]; i++) {
            const uint32_t to = block->arcs[i].to;
            const uint64_t distance = ways->distance[node] + ways->length[i];
            if (distance < ways->distance[to]) {
                ways->distance[to] = distance;
                rise(ways, to);
            }
        }
    }
}

static bool has_demand(const struct flow_block *block, uint32_t from)
{
    bool has_any = false;
    if (block->weight)
        return block->weight[from] > 0;
    for (uint32_t to = 0; to < block->n_nodes && !has_any; to++)
        has_any = flow_block_demand(block, from, to) > 0;
    return has_any;
}

struct fraction flow_quotient(const struct flow_block *block, enum flow_measure measure,
                              const uint64_t *length)
{
    const struct fraction none = {0, 0};
    wide top = 0, bottom = 0;
    for (uint32_t i = 0; i < block->n_arcs; i++) {
        const uint64_t capacity = flow_capacity(&block->arcs[i], measure);
        assert(length[i] >> LENGTH_BITS == 0 && (capacity || length[i] == 0));
        bottom += (wide)capacity * length[i];
    }
    if (bottom == 0)
        return none;
    struct ways ways = ways_new(block, length);
    bool reaches = true;
    for (uint32_t from = 0; from < block->n_nodes && reaches; from++) {
        if (!has_demand(block, from))
            continue;
        lengths_find_ways(&ways, from);
        for (uint32_t to = 0; to < block->n_nodes; to++) {
            const uint64_t demand = flow_block_demand(block, from, to);
            reaches &= !demand || ways.distance[to] < UINT64_MAX;
            top += (wide)demand * (demand ? ways.distance[to] : 0);
        }
    }
    ways_free(&ways);
    return reaches ? fraction_of(top, bottom) : none;
}

bool flow_reaches(const struct flow_block *block, uint32_t *from, uint32_t *to)
{
    uint64_t *length = mem_alloc(block->n_arcs, sizeof *length);
    struct ways ways = ways_new(block, length);
    bool reaches = true;
    for (uint32_t i = 0; i < block->n_nodes && reaches; i++) {
        if (!has_demand(block, i))
            continue;
        lengths_find_ways(&ways, i);
        for (uint32_t j = 0; j < block->n_nodes && reaches; j++)
            if (flow_block_demand(block, i, j) && ways.distance[j] == UINT64_MAX) {
                *from = block->node[i];
                *to = block->node[j];
                reaches = false;
            }
    }
    ways_free(&ways);
    free(length);
    return reaches;
}
