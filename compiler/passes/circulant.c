/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast schedules on circulant graphs. See circulant.h.
 *
 * In round k rank r hears of the block of some rank t that has it early enough, n + r - t
 * being at least skip[k]: t is reached from the root by a path of falling skips, and the block
 * is the last of them. A search from large skips to small ones meets these ranks from high to
 * low, so the blocks of the rounds 0, 1, ... come one after the other; one that was found, or
 * is the base block, is not found again. Skip n stands for the root of this phase: all
 * that is behind it is new, which is the base block alone.
 */
#include "compiler/passes/circulant.h"

enum { MAX_ROUNDS = 32 };

struct search {
    int64_t skip[MAX_ROUNDS + 1]; /* [round]; the last one is the number of ranks */
    int64_t goal;                 /* the rank, a phase further */
    int64_t below;                /* ranks from here on are taken */
    uint64_t is_taken;            /* bit of each skip that is the last one to such a rank */
    int64_t round, last_round;    /* to find next; to find at all */
    int64_t block;                /* of the round before */
};

static int64_t make_skips(int64_t n, int64_t skip[MAX_ROUNDS + 1])
{
    int64_t n_rounds = 0;
    while (INT64_C(1) << n_rounds < n)
        n_rounds++;
    skip[n_rounds] = n;
    for (int64_t k = n_rounds; k-- > 0;)
        skip[k] = (skip[k + 1] + 1) / 2;
    return n_rounds;
}

/* The last skip of the greedy path from 0 to r; n_rounds if r is 0. */
static int64_t base_block(const int64_t skip[], int64_t n_rounds, int64_t r)
{
    int64_t last = n_rounds;
    for (int64_t k = n_rounds; k-- > 0 && r > 0;)
        if (skip[k] <= r) {
            r -= skip[k];
            last = k;
        }
    return last;
}

/* Finds blocks along the paths that go on from rank `from` with skips e, e - 1, ... */
static void find_blocks(struct search *search, int64_t from, int64_t e)
{
    for (; e >= 0 && search->round <= search->last_round; e--) {
        const int64_t rank = from + search->skip[e];
        if (search->is_taken >> e & 1 || rank >= search->below ||
            rank > search->goal - search->skip[search->round])
            continue;
        if (rank <= search->goal - search->skip[search->round + 1])
            find_blocks(search, rank, e);
        if (search->round > search->last_round ||
            from > search->goal - search->skip[search->round + 1])
            return;
        search->below = rank;
        search->is_taken |= UINT64_C(1) << e;
        search->block = e;
        search->round++;
    }
}

bool circulant_block(int64_t n, int64_t r, int64_t k, int64_t *result)
{
    struct search search = {.below = INT64_MAX, .last_round = k};
    if (n < 1 || n > UINT32_MAX)
        return false;
    const int64_t n_rounds = make_skips(n, search.skip);
    if (k < 0 || k >= n_rounds)
        return false;
    r = r % n < 0 ? r % n + n : r % n;
    const int64_t base = base_block(search.skip, n_rounds, r);
    search.goal = n + r;
    search.is_taken = UINT64_C(1) << base;
    find_blocks(&search, 0, n_rounds);
    *result = search.block == n_rounds ? base : search.block - n_rounds;
    return true;
}
