/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a map from scratch: breadth first over communicating ranks, from the root outwards, each virtual
 * rank goes to the cheapest free rank among the nearest to the one from which it was reached. Another
 * breadth-first search over the network's cables finds these, so ranks of the same machine come first.
 * See search.h.
 */
#include "mapping/search.h"

#include <stdlib.h>

enum {
    MAX_CANDIDATES = 64, /* free ranks tried for a virtual rank */
    MAX_VISITED = 1 << 14 /* limit of nodes visited to find them */
};

struct greedy {
    struct layout *layout;
    const struct pairs *pairs;
    uint32_t root;          /* or NOWHERE */
    const struct map_network *network;
    /* free ranks of each machine, chained */
    uint32_t *free_rank, *next_free;
    bool *is_used;          /* [rank] */
    uint32_t lowest;        /* no rank below is free */
    uint32_t *seen, stamp;  /* [node] the last search that saw it */
    uint32_t *queue;        /* [node] of a search */
    /* virtual ranks */
    uint32_t *order, *reached_from;
};

static void chain_ranks(struct greedy *greedy)
{
    const struct placement *placement = greedy->layout->placement;
    const struct topology *topology = greedy->layout->topology;
    greedy->free_rank = mem_alloc(topology->n_machines, sizeof *greedy->free_rank);
    greedy->next_free = mem_alloc(placement->n_ranks, sizeof *greedy->next_free);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        greedy->free_rank[machine] = NOWHERE;
    for (uint32_t rank = placement->n_ranks; rank-- > 0;) {
        greedy->next_free[rank] = greedy->free_rank[placement->machine[rank]];
        greedy->free_rank[placement->machine[rank]] = rank;
    }
}

static void use_rank(struct greedy *greedy, uint32_t rank)
{
    uint32_t *link = &greedy->free_rank[greedy->layout->placement->machine[rank]];
    while (*link != rank)
        link = &greedy->next_free[*link];
    *link = greedy->next_free[rank];
    greedy->is_used[rank] = true;
    while (greedy->lowest < greedy->layout->placement->n_ranks && greedy->is_used[greedy->lowest])
        greedy->lowest++;
}

/* Finds the first free ranks of machines around a rank, at most one of each machine, as those of a machine
 * are equivalent. Returns their number, at least one while a rank is free. */
static uint32_t greedy_find_candidates(struct greedy *greedy, uint32_t around,
                                       uint32_t candidates[MAX_CANDIDATES])
{
    const struct map_network *network = greedy->network;
    uint32_t n = 0, head = 0, tail = 0;
    greedy->stamp++;
    greedy->queue[tail++] = greedy->layout->placement->machine[around];
    greedy->seen[greedy->queue[0]] = greedy->stamp;
    while (head < tail && head < MAX_VISITED && n < MAX_CANDIDATES) {
        const uint32_t node = greedy->queue[head++];
        if (node < network->n_machines && greedy->free_rank[node] != NOWHERE)
            candidates[n++] = greedy->free_rank[node];
        for (uint32_t i = network->first[node]; i < network->first[node + 1]; i++) {
            const uint32_t next = network->neighbour[i];
            if (greedy->seen[next] != greedy->stamp)
                greedy->queue[tail++] = next;
            greedy->seen[next] = greedy->stamp;
        }
    }
    if (n == 0)
        candidates[n++] = greedy->lowest;
    return n;
}

static void mapping_greedy_place(struct greedy *greedy, uint32_t v, uint32_t rank)
{
    greedy->layout->rank[v] = rank;
    layout_add(greedy->layout, v);
    use_rank(greedy, rank);
}

/* Places v at the cheapest candidate, the nearest of equal ones. */
static void place_near(struct greedy *greedy, uint32_t v, uint32_t around)
{
    struct layout *layout = greedy->layout;
    uint32_t candidates[MAX_CANDIDATES], best = NOWHERE;
    const uint32_t n = greedy_find_candidates(greedy, around, candidates);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        layout->rank[v] = candidates[i];
        layout_add(layout, v);
        if (layout->cost < least) {
            least = layout->cost;
            best = candidates[i];
        }
        layout_remove(layout, v);
        layout->rank[v] = NOWHERE;
    }
    mapping_greedy_place(greedy, v, best);
}

/* Appends those that communicate with v and were not yet reached. */
static uint32_t greedy_reach(struct greedy *greedy, uint32_t v, uint32_t n_reached, bool *is_reached)
{
    const struct pairs *pairs = greedy->pairs;
    for (uint32_t i = pairs->first[v]; i < pairs->first[v + 1]; i++) {
        const struct pair *pair = &pairs->list[pairs->of[i]];
        const uint32_t other = pair->from == v ? pair->to : pair->from;
        if (is_reached[other])
            continue;
        is_reached[other] = true;
        greedy->reached_from[other] = v;
        greedy->order[n_reached++] = other;
    }
    return n_reached;
}

/* Orders all virtual ranks breadth first; those without communication are searches of their own. */
static void greedy_order_ranks(struct greedy *greedy)
{
    const uint32_t p = greedy->pairs->n_ranks;
    bool *is_reached = mem_alloc(p, sizeof *is_reached);
    uint32_t n_reached = 0, head = 0;
    for (uint32_t i = 0; i <= p; i++) {
        const uint32_t start = i > 0 ? i - 1 : greedy->root != NOWHERE ? greedy->root : 0;
        if (is_reached[start])
            continue;
        is_reached[start] = true;
        greedy->reached_from[start] = NOWHERE;
        greedy->order[n_reached++] = start;
        for (; head < n_reached; head++)
            n_reached = greedy_reach(greedy, greedy->order[head], n_reached, is_reached);
    }
    free(is_reached);
}

static void greedy_open(struct greedy *greedy, struct layout *layout,
                        const struct map_network *network, uint32_t root)
{
    const uint32_t p = layout->pairs->n_ranks, n_nodes = layout->topology->n_nodes;
    *greedy = (struct greedy){.layout = layout,
                              .network = network,
                              .pairs = layout->pairs,
                              .root = root,
                              .is_used = mem_alloc(p, sizeof(bool)),
                              .seen = mem_alloc(n_nodes, sizeof(uint32_t)),
                              .queue = mem_alloc(n_nodes, sizeof(uint32_t)),
                              .order = mem_alloc(p, sizeof(uint32_t)),
                              .reached_from = mem_alloc(p, sizeof(uint32_t))};
    chain_ranks(greedy);
    greedy_order_ranks(greedy);
}

static void greedy_close(struct greedy *greedy)
{
    free(greedy->free_rank);
    free(greedy->next_free);
    free(greedy->is_used);
    free(greedy->seen);
    free(greedy->queue);
    free(greedy->order);
    free(greedy->reached_from);
}

void greedy_place(struct layout *layout, const struct map_network *network, uint32_t root)
{
    struct greedy greedy;
    greedy_open(&greedy, layout, network, root);
    if (root != NOWHERE)
        mapping_greedy_place(&greedy, root, root);
    for (uint32_t i = 0; i < layout->pairs->n_ranks; i++) {
        const uint32_t v = greedy.order[i], from = greedy.reached_from[v];
        if (layout->rank[v] != NOWHERE)
            continue;
        if (from == NOWHERE)
            mapping_greedy_place(&greedy, v, greedy.lowest);
        else
            place_near(&greedy, v, layout->rank[from]);
    }
    greedy_close(&greedy);
}
