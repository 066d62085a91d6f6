/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Weighs the pairs of ranks that a whole schedule has messages between. See search.h.
 */
#include "mapping/search.h"

#include "base/integer.h"
#include "ir/rank_pairs.h"

#include <stdlib.h>

static uint64_t most_units(const struct rank_pairs *sums)
{
    uint64_t most = 1;
    for (size_t i = 0; i < sums->n; i++)
        if (sums->items[i].from != sums->items[i].to && sums->items[i].units > most)
            most = sums->items[i].units;
    return most;
}

/* Returns the weight of a pair, in proportion to its units: the largest is MAX_WEIGHT, none is 0. If all
 * are equal they are 1. */
static uint32_t mapping_pairs_weight_of(uint64_t units, uint64_t most, bool is_equal)
{
    double share = (double)units / (double)most;
    uint32_t weight = (uint32_t)(share * MAX_WEIGHT + 0.5);
    return is_equal || !weight ? 1 : weight;
}

static void take_pairs(struct pairs *pairs, const struct rank_pairs *sums)
{
    const uint64_t most = most_units(sums);
    bool is_equal = true;
    for (size_t i = 0; i < sums->n; i++)
        is_equal = is_equal && (sums->items[i].from == sums->items[i].to || sums->items[i].units == most);
    pairs->list = mem_alloc(sums->n, sizeof *pairs->list);
    for (size_t i = 0; i < sums->n; i++) {
        const struct rank_pair *sum = &sums->items[i];
        if (sum->from != sum->to)
            pairs->list[pairs->n++] =
                (struct pair){sum->from, sum->to, mapping_pairs_weight_of(sum->units, most, is_equal)};
    }
}

static void index_pairs(struct pairs *pairs)
{
    uint32_t *first = mem_alloc((size_t)pairs->n_ranks + 1, sizeof *first);
    uint32_t *next = mem_alloc(pairs->n_ranks, sizeof *next);
    for (uint32_t i = 0; i < pairs->n; i++) {
        first[pairs->list[i].from + 1]++;
        first[pairs->list[i].to + 1]++;
    }
    for (uint32_t v = 0; v < pairs->n_ranks; v++) {
        first[v + 1] += first[v];
        next[v] = first[v];
    }
    pairs->of = mem_alloc(2 * (size_t)pairs->n, sizeof *pairs->of);
    for (uint32_t i = 0; i < pairs->n; i++) {
        pairs->of[next[pairs->list[i].from]++] = i;
        pairs->of[next[pairs->list[i].to]++] = i;
    }
    pairs->first = first;
    free(next);
}

static int mapping_pairs_compare(const void *a, const void *b)
{
    const struct rank_pair *x = a, *y = b;
    return x->from != y->from ? compare_numbers(x->from, y->from) : compare_numbers(x->to, y->to);
}

/* Sums the pairs of ranks to pairs of servers. */
static void sum_by_servers(struct rank_pairs *sums, const uint32_t *server)
{
    size_t n = 0;
    for (size_t i = 0; i < sums->n; i++) {
        sums->items[i].from = server[sums->items[i].from];
        sums->items[i].to = server[sums->items[i].to];
    }
    qsort(sums->items, sums->n, sizeof *sums->items, mapping_pairs_compare);
    for (size_t i = 0; i < sums->n; i++) {
        if (n && mapping_pairs_compare(&sums->items[n - 1], &sums->items[i]) == 0)
            sums->items[n - 1].units += sums->items[i].units;
        else
            sums->items[n++] = sums->items[i];
    }
    sums->n = n;
}

bool pairs_gather(struct pairs *pairs, struct schedule *schedule, const struct placement *by_servers)
{
    struct rank_pairs sums;
    *pairs = (struct pairs){.n_ranks = by_servers ? by_servers->n_servers : schedule->header.n_ranks};
    const bool is_gathered = rank_pairs_gather(&sums, schedule, 1, MAPPING_MAX_PAIRS);
    if (is_gathered && by_servers && sums.n)
        sum_by_servers(&sums, by_servers->server);
    pairs->is_too_dense = sums.is_too_many;
    if (is_gathered && !sums.is_too_many) {
        take_pairs(pairs, &sums);
        index_pairs(pairs);
    }
    rank_pairs_free(&sums);
    return is_gathered;
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->list);
    free(pairs->first);
    free(pairs->of);
}
