/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Improves a map by swaps, with threshold accepting (Dueck and Scheuer, "Threshold accepting: a general
 * purpose optimization algorithm", J. Comput. Phys. 90, 1990): a swap is kept unless it costs more than a
 * threshold, which falls to zero, in several rounds. Each ends with swaps that help, as long as there are
 * any. Half of the swaps move a virtual rank next to one that it communicates with, found by a short walk
 * over the network's cables. All numbers are whole, random ones too, so the result is the same on every
 * machine. See search.h.
 */
#include "mapping/search.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 4,
    THRESHOLD = 8,         /* at the start of a round, in units of the mean square of weights */
    WALK = 6,              /* links of a walk at most */
    ALL_PAIRS_RANKS = 256  /* limit of ranks up to which all pairs are tried at the end */
};

struct search {
    struct layout *layout;
    const struct map_network *network;
    uint32_t root;         /* a virtual rank that stays where it is, or NOWHERE */
    uint64_t limit;        /* limit of layout->work */
    uint64_t random;       /* state of the generator, never 0 */
    uint32_t *inhabitant;  /* [rank] virtual rank */
    uint32_t *best;        /* the map of the least cost so far */
    uint64_t least;
};

/* Returns a random number below n: xorshift64 (Marsaglia 2003). */
static uint32_t below(struct search *search, uint32_t n)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return (uint32_t)((search->random >> 32) * n >> 32);
}

static void swap(struct search *search, uint32_t u, uint32_t v)
{
    layout_swap(search->layout, u, v);
    search->inhabitant[search->layout->rank[u]] = u;
    search->inhabitant[search->layout->rank[v]] = v;
}

/* Changes places unless that costs `threshold` or more. */
static bool try_swap(struct search *search, uint32_t u, uint32_t v, uint64_t threshold)
{
    const uint64_t before = search->layout->cost;
    search->layout->work++;
    if (u == v || u == search->root || v == search->root)
        return false;
    swap(search, u, v);
    if (search->layout->cost < before + threshold)
        return true;
    swap(search, u, v);
    return false;
}

/* Returns a virtual rank that is placed near another: at the end of a walk. */
static uint32_t find_near(struct search *search, uint32_t v)
{
    const struct map_network *network = search->network;
    const struct placement *placement = search->layout->placement;
    const uint32_t rank = search->layout->rank[v];
    uint32_t node = placement->machine[rank], server = placement->server[rank];
    for (int i = 0; i < WALK; i++) {
        const uint32_t n = network->first[node + 1] - network->first[node];
        bool is_server = node < network->n_machines && network->server[node] != NOWHERE;
        if (is_server)
            server = network->server[node];
        if (n == 0 || (is_server && i > 0 && below(search, 2)))
            break;
        node = network->neighbour[network->first[node] + below(search, n)];
    }
    const uint32_t first = placement->first[server];
    return search->inhabitant[placement->ranks[first + below(search, placement->first[server + 1] -
                                                                        first)]];
}

/* Chooses a partner of u for a swap: any rank, or one near a rank it communicates with. */
static uint32_t improve_choose(struct search *search, uint32_t u)
{
    const struct pairs *pairs = search->layout->pairs;
    const uint32_t n = pairs->first[u + 1] - pairs->first[u];
    if (n == 0 || below(search, 2))
        return below(search, pairs->n_ranks);
    const struct pair *pair = &pairs->list[pairs->of[pairs->first[u] + below(search, n)]];
    return find_near(search, pair->from == u ? pair->to : pair->from);
}

static bool has_work(const struct search *search, uint64_t limit)
{
    return search->layout->work < limit;
}

/* Swaps until nothing helps; with many ranks makes one pass over all of them. */
static void improve_descend(struct search *search)
{
    const uint32_t p = search->layout->pairs->n_ranks;
    bool is_better = p <= ALL_PAIRS_RANKS;
    while (is_better && has_work(search, search->limit)) {
        is_better = false;
        for (uint32_t u = 0; u < p && has_work(search, search->limit); u++)
            for (uint32_t v = u + 1; v < p; v++)
                is_better = try_swap(search, u, v, 0) || is_better;
    }
}

static void keep_best(struct search *search)
{
    if (search->layout->cost >= search->least)
        return;
    search->least = search->layout->cost;
    memcpy(search->best, search->layout->rank,
           search->layout->pairs->n_ranks * sizeof *search->best);
}

static void go_to_best(struct search *search)
{
    const uint64_t work = search->layout->work;
    layout_set(search->layout, search->best);
    search->layout->work = work + search->layout->pairs->n;
    for (uint32_t v = 0; v < search->layout->pairs->n_ranks; v++)
        search->inhabitant[search->best[v]] = v;
}

/* Runs a round; the threshold falls in proportion to the round's remaining work. */
static void run_round(struct search *search, uint64_t start, uint64_t limit)
{
    const uint32_t p = search->layout->pairs->n_ranks;
    const uint64_t begin = search->layout->work;
    while (has_work(search, limit)) {
        const double left =
            (double)(limit - search->layout->work) / (double)(limit - begin);
        const uint64_t threshold = (uint64_t)((double)start * left * left);
        const uint32_t u = below(search, p);
        try_swap(search, u, improve_choose(search, u), threshold);
    }
    improve_descend(search);
    keep_best(search);
}

static uint64_t start_threshold(const struct pairs *pairs)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pairs->n; i++)
        sum += (uint64_t)pairs->list[i].weight * pairs->list[i].weight;
    return pairs->n ? THRESHOLD * sum / pairs->n + 1 : 0;
}

void improve(struct layout *layout, const struct map_network *network, uint32_t root, uint64_t limit)
{
    const uint32_t p = layout->pairs->n_ranks;
    struct search search = {.layout = layout,
                            .network = network,
                            .root = root,
                            .limit = limit,
                            .random = UINT64_C(0x2545F4914F6CDD1D),
                            .inhabitant = mem_alloc(p, sizeof(uint32_t)),
                            .best = mem_alloc(p, sizeof(uint32_t)),
                            .least = UINT64_MAX};
    const uint64_t begin = layout->work, start = start_threshold(layout->pairs);
    keep_best(&search);
    go_to_best(&search);
    improve_descend(&search);
    keep_best(&search);
    for (uint64_t i = 1; i <= ROUNDS && p > 1 && begin < limit; i++) {
        run_round(&search, start, begin + (limit - begin) / ROUNDS * i);
        go_to_best(&search);
    }
    free(search.inhabitant);
    free(search.best);
}
