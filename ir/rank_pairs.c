/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up messages by pair of ranks. See rank_pairs.h. Sends are appended; as soon as they are twice as many
 * as the pairs known, they are sorted and joined.
 */
#include "ir/rank_pairs.h"

#include "base/key_order.h"
#include "base/search.h"

#include <stdlib.h>

static uint64_t rank_pairs_key(const struct rank_pair *pair) { return (uint64_t)pair->from << 32 | pair->to; }

static bool rank_pairs_are_sorted(const struct rank_pairs *pairs)
{
    size_t i = 1;
    while (i < pairs->n && rank_pairs_key(&pairs->items[i - 1]) <= rank_pairs_key(&pairs->items[i]))
        i++;
    return i >= pairs->n;
}

static void rank_pairs_sort(struct rank_pairs *pairs)
{
    struct key_order order = {0};
    struct rank_pair *sorted = mem_alloc(pairs->n + 1, sizeof *sorted);
    struct keyed *keyed = key_order_items(&order, pairs->n);
    for (size_t i = 0; i < pairs->n; i++)
        keyed[i] = (struct keyed){rank_pairs_key(&pairs->items[i]), (uint32_t)i};
    key_order_sort(&order, pairs->n);
    for (size_t i = 0; i < pairs->n; i++)
        sorted[i] = pairs->items[order.items[i].index];
    free(pairs->items);
    pairs->items = sorted;
    pairs->capacity = pairs->n + 1;
    key_order_free(&order);
}

/* Sorts what was added and sums each pair. */
static void rank_pairs_join(struct rank_pairs *pairs)
{
    size_t n = 0;
    if (!rank_pairs_are_sorted(pairs))
        rank_pairs_sort(pairs);
    for (size_t i = 0; i < pairs->n; i++) {
        struct rank_pair *last = n ? &pairs->items[n - 1] : NULL;
        if (last && rank_pairs_key(last) == rank_pairs_key(&pairs->items[i]))
            last->units = units_sum(last->units, pairs->items[i].units);
        else
            pairs->items[n++] = pairs->items[i];
    }
    pairs->n = pairs->n_joined = n;
}

static void rank_pairs_add(struct rank_pairs *pairs, const struct schedule_header *header,
                           const struct op *send, uint64_t empty)
{
    enum { FEW = 1 << 16 };
    if (pairs->n >= FEW && pairs->n >= 2 * pairs->n_joined)
        rank_pairs_join(pairs);
    pairs->items = mem_grow(pairs->items, &pairs->capacity, pairs->n + 1, sizeof *pairs->items);
    const uint64_t units = send->n_chunks ? schedule_carried_units(header, send) : empty;
    pairs->items[pairs->n++] = (struct rank_pair){send->rank, send->peer, units};
}

bool rank_pairs_gather(struct rank_pairs *pairs, struct schedule *schedule, uint64_t empty, size_t most)
{
    struct step step;
    *pairs = (struct rank_pairs){0};
    schedule->rewind(schedule);
    while (!pairs->is_too_many && schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends && !pairs->is_too_many; i++) {
            if (schedule_is_sent(&schedule->header, &step.sends[i]))
                rank_pairs_add(pairs, &schedule->header, &step.sends[i], empty);
            pairs->is_too_many = pairs->n_joined > most;
        }
    rank_pairs_join(pairs);
    pairs->is_too_many = pairs->n > most;
    return !schedule->failed;
}

void rank_pairs_free(struct rank_pairs *pairs) { free(pairs->items); }

/* ---- as counts ---- */

struct pair_counts {
    struct counts counts; /* first */
    uint32_t n_ranks;
    struct rank_pair *items; /* by sender, then receiver; units are the sum of all up to this one */
    size_t *first;           /* [n_ranks + 1] first item of a sender */
};

/* Returns the number of the first item at that datum or behind it. */
static size_t pair_counts_find(const struct pair_counts *of, uint64_t datum)
{
    const uint64_t from = datum / of->n_ranks, to = datum % of->n_ranks;
    if (from >= of->n_ranks)
        return of->first[of->n_ranks];
    size_t low = of->first[from], high = of->first[from + 1];
    SEARCH_FIRST(low, high, middle, of->items[middle].to < to);
    return low;
}

static uint64_t pair_counts_before(const struct pair_counts *of, size_t item)
{
    return item ? of->items[item - 1].units : 0;
}

static uint64_t pair_counts_bytes(struct counts *counts, uint64_t datum)
{
    const struct pair_counts *of = (const struct pair_counts *)counts;
    const size_t item = pair_counts_find(of, datum);
    if (item == of->first[datum / of->n_ranks + 1] || of->items[item].to != datum % of->n_ranks)
        return 0;
    return of->items[item].units - pair_counts_before(of, item);
}

static uint64_t pair_counts_sum(struct counts *counts, uint64_t datum, uint32_t n)
{
    const struct pair_counts *of = (const struct pair_counts *)counts;
    return pair_counts_before(of, pair_counts_find(of, datum + n)) -
           pair_counts_before(of, pair_counts_find(of, datum));
}

static void pair_counts_destroy(struct counts *counts)
{
    struct pair_counts *of = (struct pair_counts *)counts;
    free(of->items);
    free(of->first);
    free(of);
}

struct counts *rank_pairs_counts(struct rank_pairs *pairs, uint32_t n_ranks)
{
    struct pair_counts *of = mem_alloc(1, sizeof *of);
    *of = (struct pair_counts){.counts = {pair_counts_bytes, pair_counts_sum, pair_counts_destroy},
                               .n_ranks = n_ranks,
                               .items = pairs->items,
                               .first = mem_alloc((size_t)n_ranks + 1, sizeof *of->first)};
    for (size_t i = 0; i < pairs->n; i++) {
        of->first[pairs->items[i].from + 1]++;
        of->items[i].units = units_sum(of->items[i].units, pair_counts_before(of, i));
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        of->first[rank + 1] += of->first[rank];
    *pairs = (struct rank_pairs){0};
    return &of->counts;
}
