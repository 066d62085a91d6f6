/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See demand.h.
 */
#include "study/demand.h"

#include "ir/needs.h"
#include "ir/rank_pairs.h"

#include <stdlib.h>

#define DEMAND_MAX_CHUNKS (UINT64_C(1) << 32)

/* Marks the chunks of a message in `sent`, a bit for each chunk of `in`. Returns why it does not say a
 * demand, or NULL. */
static const char *demand_mark(uint64_t *sent, const struct schedule_header *header, const struct op *send)
{
    enum { BITS = 64 };
    if (send->buffer != BUFFER_IN && send->n_chunks)
        return "ranks send on what they got";
    for (struct op_ranges ranges = op_ranges(header, send); op_ranges_next(&ranges);)
        for (uint32_t i = 0; i < ranges.n; i++) {
            const uint64_t chunk = (uint64_t)send->rank * header->n_in + ranges.chunk + i;
            const uint64_t bit = UINT64_C(1) << chunk % BITS;
            if (sent[chunk / BITS] & bit)
                return "some chunk is sent to several ranks";
            sent[chunk / BITS] |= bit;
        }
    return NULL;
}

/* True if data are combined in the step: then less may move than is sent. */
static bool demand_combines(const struct step *step)
{
    for (size_t i = 0; i < step->n_receives; i++)
        if (step->receives[i].kind == OP_REDUCE)
            return true;
    for (size_t i = 0; i < step->n_copies; i++)
        if (step->copies[i].kind == OP_COMBINE)
            return true;
    return false;
}

/* Returns why the messages do not say a demand, or NULL. */
static const char *demand_problem(struct schedule *schedule)
{
    const struct schedule_header *header = &schedule->header;
    const uint64_t n_chunks = (uint64_t)header->n_ranks * header->n_in;
    if (n_chunks > DEMAND_MAX_CHUNKS)
        return "ranks have more than 2^32 chunks in all";
    uint64_t *sent = mem_alloc(n_chunks / 64 + 1, sizeof *sent);
    const char *problem = NULL;
    struct step step;
    schedule->rewind(schedule);
    while (!problem && schedule->next(schedule, &step)) {
        if (demand_combines(&step))
            problem = "ranks combine what they get";
        for (size_t i = 0; i < step.n_sends && !problem; i++)
            problem = demand_mark(sent, header, &step.sends[i]);
    }
    free(sent);
    return problem;
}

static struct counts *demand_of_pairs(struct rank_pairs *pairs, uint32_t n_ranks, uint64_t unit)
{
    for (size_t i = 0; i < pairs->n; i++)
        pairs->items[i].units = units_product(pairs->items[i].units, unit);
    return rank_pairs_counts(pairs, n_ranks);
}

/* ---- by what ranks need ---- */

/* Pairs, the rank that has and the rank that needs, one for each datum. */
struct demand {
    const struct needs *needs;
    const struct placement *placement; /* a rank of another server is sought; NULL: any other rank */
    struct counts *counts; /* bytes of data; NULL: each is one unit */
    uint64_t unit;
    bool *is_taken; /* [datum] */
    bool is_partial; /* a datum is needed by several ranks, or combined */
    struct rank_pair *pairs;
    size_t n, capacity;
};

/* Returns another rank that contributes to a sum, where it is sought; n_ranks if there is none. */
static uint32_t demand_giver(const struct demand *demand, uint32_t sum, uint32_t rank)
{
    const struct need_sum *of = &demand->needs->sums[sum];
    const uint32_t *server = demand->placement ? demand->placement->server : NULL;
    for (uint32_t i = 0; i < of->n; i++) {
        const uint32_t giver = demand->needs->ranks[of->first + i];
        if (server ? server[giver] != server[rank] : giver != rank)
            return giver;
    }
    return demand->needs->n_ranks;
}

static void demand_take(struct demand *demand, uint32_t rank, const struct need *need)
{
    const uint32_t giver = demand_giver(demand, need->sum, rank);
    demand->is_partial |= demand->needs->sums[need->sum].n > 1;
    for (uint32_t k = 0; giver < demand->needs->n_ranks && k < need->n; k++) {
        bool *is_taken = &demand->is_taken[need->datum + k];
        demand->is_partial |= *is_taken;
        if (*is_taken)
            continue;
        *is_taken = true;
        demand->pairs = mem_grow(demand->pairs, &demand->capacity, demand->n + 1, sizeof *demand->pairs);
        const uint64_t units = demand->counts ? demand->counts->bytes(demand->counts, need->datum + k) : 1;
        demand->pairs[demand->n++] = (struct rank_pair){giver, rank, units_product(units, demand->unit)};
    }
}

static int demand_compare(const void *left, const void *right)
{
    const struct rank_pair *x = left, *y = right;
    const uint64_t a = (uint64_t)x->from << 32 | x->to, b = (uint64_t)y->from << 32 | y->to;
    return (a > b) - (a < b);
}

static struct counts *demand_counts(struct demand *demand)
{
    struct rank_pairs pairs = {0};
    if (demand->n)
        qsort(demand->pairs, demand->n, sizeof *demand->pairs, demand_compare);
    for (size_t i = 0; i < demand->n; i++) {
        const struct rank_pair *pair = &demand->pairs[i];
        if (i > 0 && demand_compare(pair - 1, pair) == 0) {
            pairs.items[pairs.n - 1].units = units_sum(pairs.items[pairs.n - 1].units, pair->units);
            continue;
        }
        pairs.items = mem_grow(pairs.items, &pairs.capacity, pairs.n + 1, sizeof *pairs.items);
        pairs.items[pairs.n++] = *pair;
    }
    pairs.n_joined = pairs.n;
    struct counts *counts = rank_pairs_counts(&pairs, demand->needs->n_ranks);
    rank_pairs_free(&pairs);
    return counts;
}

static void demand_take_all(struct demand *demand)
{
    const struct needs *needs = demand->needs;
    for (uint32_t rank = 0; rank < needs->n_ranks; rank++)
        for (size_t i = needs->first[rank]; i < needs->first[rank + 1]; i++)
            demand_take(demand, rank, &needs->items[i]);
}

static struct counts *demand_by_needs(const struct schedule_header *header, const struct placement *placement,
                                      bool is_least, uint64_t unit, const char **problem)
{
    const struct needs *needs = header->needs;
    struct demand demand = {.needs = needs, .counts = header->counts, .unit = unit};
    struct counts *counts = NULL;
    *problem = (uint64_t)needs->n_ranks * needs->n_in > DEMAND_MAX_CHUNKS
                   ? "ranks have more than 2^32 chunks in all"
                   : NULL;
    if (*problem)
        return NULL;
    demand.is_taken = mem_alloc((size_t)needs->n_ranks * needs->n_in, sizeof *demand.is_taken);
    if (is_least && placement) {
        demand.placement = placement;
        demand_take_all(&demand);
        demand.placement = NULL;
    }
    demand_take_all(&demand);
    if (demand.is_partial && !is_least)
        *problem = "several ranks need the same, or results are combined";
    else
        counts = demand_counts(&demand);
    free(demand.is_taken);
    free(demand.pairs);
    return counts;
}

struct counts *demand_of(struct schedule *schedule, const struct placement *placement, bool is_least,
                         uint64_t unit, const char **problem)
{
    struct rank_pairs pairs = {0};
    struct counts *counts = NULL;
    if (schedule->header.needs)
        return demand_by_needs(&schedule->header, placement, is_least, unit, problem);
    *problem =
        collective_is_said(schedule->header.collective) ? demand_problem(schedule) : "it is no pattern";
    if (!*problem && !schedule->failed && rank_pairs_gather(&pairs, schedule, 0, SCHEDULE_MAX_STEP_OPS)) {
        if (pairs.is_too_many)
            *problem = "more than 2^26 pairs of ranks exchange messages";
        else
            counts = demand_of_pairs(&pairs, schedule->header.n_ranks, unit);
    }
    rank_pairs_free(&pairs);
    schedule->rewind(schedule);
    return counts;
}
