/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See greedy.h. A server takes blocks from those neighbours first that have the fewest for it, and a
 * random one of these blocks, so that servers get different ones to pass on.
 */
#include "synth/greedy.h"

#include "synth/arcs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRIVALS = 1 << 24, WORD = 64 };
#define MOST_LOOKS (UINT64_C(1) << 31) /* words of blocks */

struct arrival {
    uint32_t block, to, from, step;
};

struct greedy {
    const struct synth_request *request;
    uint32_t n_servers, n_blocks, n_words;
    bool is_backwards;
    struct arcs arcs;
    uint64_t *room;          /* [link] blocks in a step */
    uint64_t *used;          /* [link] in this step */
    uint64_t *has, *comes;   /* [server * n_words + word] blocks; those of this step, too */
    uint32_t *lacks;         /* [server] blocks */
    uint64_t random;
    struct arrival *arrivals;
    size_t n_arrivals;
};

struct offer {
    uint32_t from;
    uint64_t n_blocks, chance; /* n_blocks: blocks that it has for the taker; chance: random key */
};

static uint64_t greedy_next_random(struct greedy *greedy)
{
    greedy->random = greedy->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return greedy->random >> 33;
}

static uint64_t offered(const struct greedy *greedy, uint32_t from, uint32_t to, uint32_t word)
{
    return greedy->has[(size_t)from * greedy->n_words + word] &
           ~greedy->comes[(size_t)to * greedy->n_words + word];
}

static uint64_t count_offered(const struct greedy *greedy, uint32_t from, uint32_t to)
{
    uint64_t n = 0;
    for (uint32_t word = 0; word < greedy->n_words; word++)
        n += (uint64_t)__builtin_popcountll(offered(greedy, from, to, word));
    return n;
}

/* Returns a block that `from` has for `to`, or n_blocks if there is none. */
static uint32_t choose_block(struct greedy *greedy, uint32_t from, uint32_t to)
{
    const uint32_t start = (uint32_t)(greedy_next_random(greedy) % greedy->n_blocks);
    for (uint32_t i = 0; i <= greedy->n_words; i++) {
        const uint32_t word = (start / WORD + i) % greedy->n_words;
        uint64_t blocks = offered(greedy, from, to, word);
        if (i == 0)
            blocks &= ~UINT64_C(0) << start % WORD;
        if (blocks)
            return word * WORD + (uint32_t)__builtin_ctzll(blocks);
    }
    return greedy->n_blocks;
}

/* Returns the arc of the data in the direction of the collective. */
static size_t arc_of(const struct greedy *greedy, uint32_t from, uint32_t to)
{
    return greedy->is_backwards ? arcs_find(&greedy->arcs, to, from) : arcs_find(&greedy->arcs, from, to);
}

static bool greedy_has_room(const struct greedy *greedy, size_t arc)
{
    for (size_t i = greedy->arcs.all[arc].links; i < greedy->arcs.all[arc + 1].links; i++)
        if (greedy->used[greedy->arcs.links[i]] >= greedy->room[greedy->arcs.links[i]])
            return false;
    return true;
}

/* Takes as many blocks as there is room for. */
static void greedy_take(struct greedy *greedy, uint32_t from, uint32_t to, uint32_t step)
{
    const size_t arc = arc_of(greedy, from, to);
    while (arc != SEARCH_NONE && greedy_has_room(greedy, arc)) {
        const uint32_t block = choose_block(greedy, from, to);
        if (block == greedy->n_blocks)
            return;
        for (size_t i = greedy->arcs.all[arc].links; i < greedy->arcs.all[arc + 1].links; i++)
            greedy->used[greedy->arcs.links[i]]++;
        greedy->comes[(size_t)to * greedy->n_words + block / WORD] |= UINT64_C(1) << block % WORD;
        greedy->arrivals[greedy->n_arrivals++] = (struct arrival){block, to, from, step};
        greedy->lacks[to]--;
    }
}

static int by_blocks(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    if (x->n_blocks != y->n_blocks)
        return x->n_blocks < y->n_blocks ? -1 : 1;
    return (x->chance > y->chance) - (x->chance < y->chance);
}

static void greedy_serve(struct greedy *greedy, uint32_t to, uint32_t step, struct offer *offers)
{
    const size_t first = greedy->arcs.first[to], end = greedy->arcs.first[to + 1];
    size_t n = 0;
    for (size_t arc = first; arc < end; arc++) { /* neighbours in one direction are in the other */
        const uint32_t from = greedy->arcs.all[arc].to;
        const uint64_t n_blocks = count_offered(greedy, from, to);
        if (n_blocks)
            offers[n++] = (struct offer){from, n_blocks, greedy_next_random(greedy)};
    }
    if (n)
        qsort(offers, n, sizeof *offers, by_blocks);
    for (size_t i = 0; i < n; i++)
        greedy_take(greedy, offers[i].from, to, step);
}

/* Returns false if time is up, or if some block cannot get any further. */
static bool greedy_carry_out(struct greedy *greedy, uint32_t *n_steps)
{
    const size_t n_wanted = (size_t)greedy->n_blocks * (greedy->n_servers - 1);
    struct offer *offers = mem_alloc(greedy->n_servers, sizeof *offers);
    bool goes_on = true;
    *n_steps = 0;
    while (goes_on && greedy->n_arrivals < n_wanted) {
        const struct synth_progress progress = {"greedy", greedy->n_arrivals, n_wanted};
        const size_t before = greedy->n_arrivals;
        memset(greedy->used, 0, greedy->request->what.topology->n_link_ids * sizeof *greedy->used);
        const uint32_t start = (uint32_t)(greedy_next_random(greedy) % greedy->n_servers);
        for (uint32_t i = 0; i < greedy->n_servers; i++) {
            const uint32_t to = (start + i) % greedy->n_servers;
            if (greedy->lacks[to])
                greedy_serve(greedy, to, *n_steps, offers);
        }
        memcpy(greedy->has, greedy->comes, (size_t)greedy->n_servers * greedy->n_words * sizeof *greedy->has);
        ++*n_steps;
        goes_on = greedy->n_arrivals > before && synth_goes_on(greedy->request, &progress);
    }
    free(offers);
    return greedy->n_arrivals == n_wanted;
}

/* ---- trees ---- */

static void make_trees(const struct greedy *greedy, const uint64_t *weight, uint32_t n_steps,
                       struct packing *packing)
{
    uint32_t *n_in = mem_alloc(greedy->n_blocks, sizeof *n_in), block = 0;
    packing->k = 1;
    packing->depth = n_steps;
    packing->n_trees = greedy->n_blocks;
    packing->trees = mem_grow(packing->trees, &packing->capacity, greedy->n_blocks, sizeof *packing->trees);
    for (uint32_t server = 0; server < greedy->n_servers; server++)
        for (uint64_t i = 0; i < weight[server]; i++) {
            struct packed_tree *tree = &packing->trees[block];
            *tree = (struct packed_tree){1, mem_alloc(greedy->n_servers, sizeof *tree->order),
                                         mem_alloc(greedy->n_servers, sizeof *tree->from),
                                         mem_alloc(greedy->n_servers, sizeof *tree->depth)};
            tree->order[n_in[block]++] = server;
            block++;
        }
    for (size_t i = 0; i < greedy->n_arrivals; i++) {
        const struct arrival *arrival = &greedy->arrivals[i];
        struct packed_tree *tree = &packing->trees[arrival->block];
        const uint32_t place = n_in[arrival->block]++;
        tree->order[place] = arrival->to;
        tree->from[place] = arrival->from;
        tree->depth[place] = arrival->step + 1;
    }
    free(n_in);
}

/* ---- the whole ---- */

static void greedy_begin(struct greedy *greedy, const uint64_t *weight)
{
    const struct topology *topology = greedy->request->what.topology;
    const size_t n_words = (size_t)greedy->n_servers * greedy->n_words;
    uint64_t slowest = UINT64_MAX;
    uint32_t block = 0;
    greedy->room = mem_alloc(topology->n_link_ids, sizeof *greedy->room);
    greedy->used = mem_alloc(topology->n_link_ids, sizeof *greedy->used);
    greedy->has = mem_alloc(n_words, sizeof *greedy->has);
    greedy->comes = mem_alloc(n_words, sizeof *greedy->comes);
    greedy->lacks = mem_alloc(greedy->n_servers, sizeof *greedy->lacks);
    greedy->arrivals = mem_alloc((size_t)greedy->n_blocks * greedy->n_servers, sizeof *greedy->arrivals);
    greedy->random = greedy->request->seed;
    for (size_t i = 0; i < greedy->arcs.n_links; i++) {
        const uint64_t bandwidth = topology_link_bandwidth(topology, greedy->arcs.links[i]);
        slowest = bandwidth < slowest ? bandwidth : slowest;
    }
    for (size_t i = 0; i < greedy->arcs.n_links; i++)
        greedy->room[greedy->arcs.links[i]] =
            topology_link_bandwidth(topology, greedy->arcs.links[i]) / slowest;
    for (uint32_t server = 0; server < greedy->n_servers; server++) {
        greedy->lacks[server] = greedy->n_blocks - (uint32_t)weight[server];
        for (uint64_t i = 0; i < weight[server]; i++, block++)
            greedy->has[(size_t)server * greedy->n_words + block / WORD] |= UINT64_C(1) << block % WORD;
    }
    memcpy(greedy->comes, greedy->has, n_words * sizeof *greedy->has);
}

bool greedy_find(const struct synth_request *request, const uint64_t *weight, bool is_backwards,
                 struct packing *packing, struct text *problem)
{
    struct greedy greedy = {.request = request, .n_servers = request->what.placement->n_servers,
                            .n_blocks = request->what.placement->n_ranks, .is_backwards = is_backwards};
    uint32_t n_steps = 0;
    bool is_done = false;
    greedy.n_words = (greedy.n_blocks + WORD - 1) / WORD;
    greedy.arcs = arcs_of(request->what.topology, request->what.placement);
    if (collective_table[request->what.collective].rooted)
        text_printf(problem, "it is for what all ranks have parts of");
    else if ((uint64_t)greedy.n_blocks * greedy.n_servers > MOST_ARRIVALS ||
             greedy.arcs.n * greedy.n_words > MOST_LOOKS / greedy.n_blocks)
        text_printf(problem, "blocks and neighbours are too many for it");
    else {
        greedy_begin(&greedy, weight);
        is_done = greedy_carry_out(&greedy, &n_steps);
        if (is_done)
            make_trees(&greedy, weight, n_steps, packing);
        else
            text_printf(problem, "neighbours cannot pass on all, or the time is over");
    }
    free(greedy.room);
    free(greedy.used);
    free(greedy.has);
    free(greedy.comes);
    free(greedy.lacks);
    free(greedy.arrivals);
    arcs_free(&greedy.arcs);
    return is_done;
}
