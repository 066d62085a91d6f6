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

#include "base/memory.h"

#include <stdlib.h>

enum { MAX_ROUNDS = 32, MOST_KEPT = 1 << 25 /* bytes */ };

struct search {
    int64_t skip[MAX_ROUNDS + 1]; /* [round]; the last one is the number of ranks */
    int64_t goal;                 /* the rank, a phase further */
    int64_t below;                /* ranks from here on are taken */
    uint64_t is_taken;            /* bit of each skip that is the last one to such a rank */
    int64_t round, last_round;    /* to find next; to find at all */
    int64_t last_skip[MAX_ROUNDS]; /* [round] of the path to the rank whose block it is */
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

/* Returns the last skip of the greedy path from 0 to r; n_rounds if r is 0. */
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
        search->last_skip[search->round++] = e;
    }
}

/* The values of rank r in the rounds up to one; search->skip is made. */
static void find_values(struct search *search, int64_t n_rounds, int64_t r, int64_t last_round,
                        int64_t value[MAX_ROUNDS])
{
    const int64_t base = base_block(search->skip, n_rounds, r);
    search->below = INT64_MAX;
    search->goal = search->skip[n_rounds] + r;
    search->is_taken = UINT64_C(1) << base;
    search->round = 0;
    search->last_round = last_round;
    find_blocks(search, 0, n_rounds);
    for (int64_t k = 0; k <= last_round; k++)
        value[k] = search->last_skip[k] == n_rounds ? base : search->last_skip[k] - n_rounds;
}

static int64_t modulo(int64_t r, int64_t n)
{
    return r % n < 0 ? r % n + n : r % n;
}

bool circulant_block(int64_t n, int64_t r, int64_t k, int64_t *result)
{
    struct search search;
    int64_t value[MAX_ROUNDS];
    if (n < 1 || n > UINT32_MAX)
        return false;
    const int64_t n_rounds = make_skips(n, search.skip);
    if (k < 0 || k >= n_rounds)
        return false;
    find_values(&search, n_rounds, modulo(r, n), k, value);
    *result = value[k];
    return true;
}

/* Keeps the values of all rounds of rank r. */
static void keep_rank(struct circulant *kept, int64_t r)
{
    struct search search;
    int64_t value[MAX_ROUNDS];
    const int64_t n_rounds = make_skips(kept->n, search.skip);
    find_values(&search, n_rounds, r, n_rounds - 1, value);
    for (int64_t k = 0; k < n_rounds; k++)
        kept->value[k * kept->n + r] = (int8_t)(value[k] + CIRCULANT_SHIFT);
}

/* True if values of n ranks are kept; begins to keep them if none are. */
static bool keeps(struct circulant *kept, int64_t n)
{
    int64_t skip[MAX_ROUNDS + 1];
    if (kept->n)
        return kept->n == n;
    if (n < 1 || n > MOST_KEPT / MAX_ROUNDS)
        return false;
    kept->n = n;
    kept->n_rounds = make_skips(n, skip);
    kept->value = mem_alloc((size_t)(n * kept->n_rounds) + 1, 1);
    return true;
}

bool circulant_blocks(struct circulant *kept, int64_t n, const struct value *r, int64_t k,
                      uint32_t n_lanes, int64_t *result)
{
    bool done = true;
    if (!keeps(kept, n) || k < 0 || k >= kept->n_rounds) {
        for (uint32_t i = 0; i < n_lanes && done; i++)
            done = circulant_block(n, value_at(r, i), k, &result[i]);
        return done;
    }
    const int8_t *const value = kept->value + k * n;
    for (uint32_t i = 0; i < n_lanes; i++) {
        const int64_t rank = value_at(r, i), own = rank >= 0 && rank < n ? rank : modulo(rank, n);
        if (!value[own])
            keep_rank(kept, own);
        result[i] = value[own] - CIRCULANT_SHIFT;
    }
    return true;
}

void circulant_free(struct circulant *kept)
{
    free(kept->value);
}
