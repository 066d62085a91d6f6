/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the blocks of a network by one depth-first search (Tarjan 1972), and the demands of each. See
 * blocks.h.
 */
#include "bound/flow/blocks.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* State of the search, and the tree of blocks that it leaves: a block hangs at its `top`, and every node
 * but the root is below the top of exactly one block. */
struct search {
    const struct flow_network *network;
    uint32_t *first, *neighbour; /* whatever way the arcs go */
    uint32_t *number, *low;      /* [node] from 1, 0: not seen yet */
    uint32_t *parent, *next;     /* [node] of the search; the next neighbour to look at */
    uint32_t *order, n_seen;     /* nodes as they were seen */
    uint32_t *open, n_open;      /* nodes that have no block yet */
    uint32_t *own;               /* [node] its block */
    uint32_t *top, n_blocks;     /* [block] */
    uint32_t *depth;             /* [node] blocks above it */
};

/* ---- the search ---- */

static void blocks_list_neighbours(struct search *search)
{
    const struct flow_network *network = search->network;
    uint32_t *end = mem_alloc(network->n_nodes, sizeof *end);
    search->first = mem_alloc((size_t)network->n_nodes + 1, sizeof *search->first);
    search->neighbour = mem_alloc((size_t)2 * network->n_arcs + 1, sizeof *search->neighbour);
    for (uint32_t i = 0; i < network->n_arcs; i++) {
        search->first[network->arcs[i].from + 1]++;
        search->first[network->arcs[i].to + 1]++;
    }
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        search->first[node + 1] += search->first[node];
        end[node] = search->first[node];
    }
    for (uint32_t i = 0; i < network->n_arcs; i++) {
        search->neighbour[end[network->arcs[i].from]++] = network->arcs[i].to;
        search->neighbour[end[network->arcs[i].to]++] = network->arcs[i].from;
    }
    free(end);
}

static struct search search_new(const struct flow_network *network)
{
    struct search search = {.network = network};
    uint32_t **all[] = {&search.number, &search.low, &search.parent, &search.next, &search.order,
                        &search.open, &search.own, &search.top, &search.depth};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = mem_alloc((size_t)network->n_nodes + 1, sizeof **all[i]);
    blocks_list_neighbours(&search);
    return search;
}

static void search_free(struct search *search)
{
    uint32_t *all[] = {search->number, search->low, search->parent, search->next, search->order,
                       search->open, search->own, search->top, search->depth,
                       search->first, search->neighbour};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void blocks_see(struct search *search, uint32_t node, uint32_t parent)
{
    search->order[search->n_seen++] = node;
    search->number[node] = search->low[node] = search->n_seen;
    search->parent[node] = parent;
    search->next[node] = search->first[node];
    search->own[node] = NONE;
    search->open[search->n_open++] = node;
}

/* Leaves a node after its search. If nothing in it leads above its parent, everything open from it on is a
 * block. */
static void blocks_leave(struct search *search, uint32_t node)
{
    const uint32_t parent = search->parent[node];
    if (parent == NONE)
        return;
    if (search->low[node] < search->number[parent]) {
        if (search->low[node] < search->low[parent])
            search->low[parent] = search->low[node];
        return;
    }
    const uint32_t block = search->n_blocks++;
    uint32_t member;
    search->top[block] = parent;
    do {
        member = search->open[--search->n_open];
        search->own[member] = block;
    } while (member != node);
}

static void blocks_search_from(struct search *search, uint32_t root)
{
    blocks_see(search, root, NONE);
    for (uint32_t node = root; node != NONE;) {
        if (search->next[node] == search->first[node + 1]) {
            blocks_leave(search, node);
            node = search->parent[node];
            continue;
        }
        const uint32_t other = search->neighbour[search->next[node]++];
        if (!search->number[other]) {
            blocks_see(search, other, node);
            node = other;
        } else if (search->number[other] < search->low[node]) {
            search->low[node] = search->number[other];
        }
    }
    for (uint32_t i = 1; i < search->n_seen; i++) {
        const uint32_t node = search->order[i];
        search->depth[node] = search->depth[search->top[search->own[node]]] + 1;
    }
}

/* ---- the blocks ---- */

static uint32_t block_of_arc(const struct search *search, const struct flow_arc *arc)
{
    const uint32_t from = search->own[arc->from], to = search->own[arc->to];
    if (from == NONE || (to != NONE && search->top[to] == arc->from))
        return to;
    return from;
}

/* Returns the number of a node in a block. */
static uint32_t place_in(const struct flow_block *block, uint32_t node)
{
    uint32_t low = 0, high = block->n_nodes;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (block->node[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fill_nodes(const struct search *search, struct flow_blocks *blocks)
{
    for (uint32_t i = 1; i < search->n_seen; i++)
        blocks->all[search->own[search->order[i]]].n_nodes++;
    for (uint32_t i = 0; i < blocks->n; i++) {
        struct flow_block *block = &blocks->all[i];
        block->node = mem_alloc((size_t)block->n_nodes + 1, sizeof *block->node);
        block->node[0] = search->top[i];
        block->n_nodes = 1;
    }
    for (uint32_t i = 1; i < search->n_seen; i++) {
        struct flow_block *block = &blocks->all[search->own[search->order[i]]];
        block->node[block->n_nodes++] = search->order[i];
    }
    for (uint32_t i = 0; i < blocks->n; i++)
        qsort(blocks->all[i].node, blocks->all[i].n_nodes, sizeof(uint32_t), compare_uint32);
}

/* Fills the arcs; nodes keep their order, so arcs do. */
static void fill_arcs(const struct search *search, struct flow_blocks *blocks)
{
    const struct flow_network *network = search->network;
    for (uint32_t i = 0; i < network->n_arcs; i++)
        if (search->number[network->arcs[i].from])
            blocks->all[block_of_arc(search, &network->arcs[i])].n_arcs++;
    for (uint32_t i = 0; i < blocks->n; i++) {
        struct flow_block *block = &blocks->all[i];
        block->arc = mem_alloc(block->n_arcs, sizeof *block->arc);
        block->arcs = mem_alloc(block->n_arcs, sizeof *block->arcs);
        block->first = mem_alloc((size_t)block->n_nodes + 1, sizeof *block->first);
        block->n_arcs = 0;
    }
    for (uint32_t i = 0; i < network->n_arcs; i++) {
        struct flow_arc arc = network->arcs[i];
        if (!search->number[arc.from])
            continue;
        struct flow_block *block = &blocks->all[block_of_arc(search, &arc)];
        arc.from = place_in(block, arc.from);
        arc.to = place_in(block, arc.to);
        block->first[arc.from + 1]++;
        block->arc[block->n_arcs] = i;
        block->arcs[block->n_arcs++] = arc;
    }
    for (uint32_t i = 0; i < blocks->n; i++)
        for (uint32_t node = 0; node < blocks->all[i].n_nodes; node++)
            blocks->all[i].first[node + 1] += blocks->all[i].first[node];
}

/* ---- what they carry ---- */

/* Fills the weights of products: the ranks behind each node. */
static void fill_weights(const struct search *search, uint64_t n_ranks, struct flow_blocks *blocks)
{
    uint64_t *below = mem_alloc(search->network->n_nodes, sizeof *below);
    for (uint32_t i = search->n_seen; i-- > 0;) {
        const uint32_t node = search->order[i];
        below[node] += search->network->ranks[node];
        if (i)
            below[search->top[search->own[node]]] += below[node];
    }
    for (uint32_t i = 0; i < blocks->n; i++) {
        struct flow_block *block = &blocks->all[i];
        uint64_t rest = n_ranks;
        block->weight = mem_alloc(block->n_nodes, sizeof *block->weight);
        for (uint32_t node = 0; node < block->n_nodes; node++)
            if (block->node[node] != search->top[i])
                rest -= block->weight[node] = below[block->node[node]];
        block->weight[place_in(block, search->top[i])] = rest;
    }
    free(below);
}

struct listing {
    const struct search *search;
    struct flow_blocks *blocks;
};

static void blocks_pass(const struct listing *listing, uint32_t block, uint32_t from, uint32_t to,
                        uint64_t amount)
{
    struct flow_block *own = &listing->blocks->all[block];
    own->demand[(size_t)place_in(own, from) * own->n_nodes + place_in(own, to)] += amount;
}

/* Goes up the tree from both ends until they meet. */
static void blocks_add_demand(void *data, uint32_t from, uint32_t to, uint64_t amount)
{
    const struct listing *listing = data;
    const struct search *search = listing->search;
    while (from != to) {
        const uint32_t a = search->own[from], b = search->own[to];
        const uint32_t depth_a = search->depth[from], depth_b = search->depth[to];
        if (depth_a == depth_b && a == b) {
            blocks_pass(listing, a, from, to, amount);
            return;
        }
        if (depth_a >= depth_b) {
            blocks_pass(listing, a, from, search->top[a], amount);
            from = search->top[a];
        }
        if (depth_b >= depth_a) {
            blocks_pass(listing, b, search->top[b], to, amount);
            to = search->top[b];
        }
    }
}

static void fill_demands(const struct bound_request *request, const struct search *search,
                         struct flow_blocks *blocks)
{
    struct listing listing = {search, blocks};
    for (uint32_t i = 0; i < blocks->n; i++)
        if (blocks->all[i].n_nodes > FLOW_MAX_LISTED)
            blocks->is_too_large = true;
    for (uint32_t i = 0; i < blocks->n && !blocks->is_too_large; i++)
        blocks->all[i].demand = mem_alloc((size_t)blocks->all[i].n_nodes * blocks->all[i].n_nodes,
                                          sizeof(uint64_t));
    if (!blocks->is_too_large)
        flow_each_demand(request, blocks_add_demand, &listing);
}

/* ---- all of it ---- */

struct flow_blocks flow_blocks_of(const struct bound_request *request,
                                  const struct flow_network *network)
{
    const struct placement *placement = request->placement;
    struct search search = search_new(network);
    struct flow_blocks blocks = {.is_whole = true};
    blocks_search_from(&search, placement->server_machine[0]);
    for (uint32_t i = 0; i < placement->n_servers; i++)
        if (!search.number[placement->server_machine[i]]) {
            blocks.is_whole = false;
            blocks.apart = placement->server_machine[i];
        }
    if (blocks.is_whole) {
        blocks.n = search.n_blocks;
        blocks.all = mem_alloc(blocks.n, sizeof *blocks.all);
        fill_nodes(&search, &blocks);
        fill_arcs(&search, &blocks);
        if (flow_is_product(request))
            fill_weights(&search, placement->n_ranks, &blocks);
        else
            fill_demands(request, &search, &blocks);
    }
    search_free(&search);
    return blocks;
}

void flow_blocks_free(struct flow_blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->n; i++) {
        struct flow_block *block = &blocks->all[i];
        free(block->node);
        free(block->arc);
        free(block->arcs);
        free(block->first);
        free(block->weight);
        free(block->demand);
    }
    free(blocks->all);
    *blocks = (struct flow_blocks){0};
}
