/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up the messages of a whole schedule by ordered pair of ranks, in a hash table. See search.h.
 */
#include "mapping/search.h"

#include <stdlib.h>

struct sum {
    uint32_t from, to;
    uint64_t chunks; /* 0: free */
};

struct sums {
    struct sum *table;
    unsigned bits;   /* 2^bits entries, at most half of them taken */
    uint32_t n;
};

static size_t table_size(const struct sums *sums)
{
    return (size_t)1 << sums->bits;
}

static struct sum *mapping_pairs_find(struct sums *sums, uint32_t from, uint32_t to)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(hash >> (64 - sums->bits));
    while (sums->table[i].chunks && (sums->table[i].from != from || sums->table[i].to != to))
        i = (i + 1) % table_size(sums);
    return &sums->table[i];
}

static void sums_grow(struct sums *sums)
{
    struct sums larger = {.bits = sums->bits + 1, .n = sums->n};
    larger.table = mem_alloc(table_size(&larger), sizeof *larger.table);
    for (size_t i = 0; i < table_size(sums); i++)
        if (sums->table[i].chunks)
            *mapping_pairs_find(&larger, sums->table[i].from, sums->table[i].to) = sums->table[i];
    free(sums->table);
    *sums = larger;
}

/* Adds a send; a message without data counts as one chunk. Returns false if there are too many pairs. */
static bool mapping_pairs_add_send(struct sums *sums, const struct op *send)
{
    if (send->rank == send->peer)
        return true;
    if (2 * (size_t)sums->n >= table_size(sums))
        sums_grow(sums);
    struct sum *sum = mapping_pairs_find(sums, send->rank, send->peer);
    sums->n += !sum->chunks;
    sum->from = send->rank;
    sum->to = send->peer;
    sum->chunks += send->n_chunks ? send->n_chunks : 1;
    return sums->n <= MAPPING_MAX_PAIRS;
}

static int by_pair(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static uint64_t most_chunks(const struct sums *sums)
{
    uint64_t most = 1;
    for (size_t i = 0; i < table_size(sums); i++)
        most = sums->table[i].chunks > most ? sums->table[i].chunks : most;
    return most;
}

/* Returns the weight of a pair, in proportion to its chunks: the largest is MAX_WEIGHT, none is 0. If all
 * are equal they are 1. */
static uint32_t mapping_pairs_weight_of(uint64_t chunks, uint64_t most, bool is_equal)
{
    double share = (double)chunks / (double)most;
    uint32_t weight = (uint32_t)(share * MAX_WEIGHT + 0.5);
    return is_equal || !weight ? 1 : weight;
}

static void take_pairs(struct pairs *pairs, const struct sums *sums)
{
    const uint64_t most = most_chunks(sums);
    bool is_equal = true;
    for (size_t i = 0; i < table_size(sums); i++)
        is_equal = is_equal && (!sums->table[i].chunks || sums->table[i].chunks == most);
    pairs->list = mem_alloc(sums->n, sizeof *pairs->list);
    for (size_t i = 0; i < table_size(sums); i++) {
        const struct sum *sum = &sums->table[i];
        if (sum->chunks)
            pairs->list[pairs->n++] =
                (struct pair){sum->from, sum->to, mapping_pairs_weight_of(sum->chunks, most, is_equal)};
    }
    qsort(pairs->list, pairs->n, sizeof *pairs->list, by_pair);
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

bool pairs_gather(struct pairs *pairs, struct schedule *schedule)
{
    struct sums sums = {.bits = 8};
    sums.table = mem_alloc(table_size(&sums), sizeof *sums.table);
    struct step step;
    bool is_sparse = true;
    *pairs = (struct pairs){.n_ranks = schedule->header.n_ranks};
    schedule->rewind(schedule);
    while (is_sparse && schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends && is_sparse; i++)
            is_sparse = mapping_pairs_add_send(&sums, &step.sends[i]);
    pairs->is_too_dense = !is_sparse;
    if (is_sparse && !schedule->failed) {
        take_pairs(pairs, &sums);
        index_pairs(pairs);
    }
    free(sums.table);
    return !schedule->failed;
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->list);
    free(pairs->first);
    free(pairs->of);
}
