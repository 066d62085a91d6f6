/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See demand.h.
 */
#include "study/demand.h"

#include "ir/rank_pairs.h"

#include <stdlib.h>

#define DEMAND_MAX_CHUNKS (UINT64_C(1) << 32)

/* Chunks of `in` that were sent: a bit for each. */
struct demand_sent {
    uint64_t *bits;
    uint32_t n_in;
};

/* Marks the chunks of a message. Returns why it does not say a demand, or NULL. */
static const char *demand_mark(struct demand_sent *sent, const struct op *send)
{
    enum { BITS = 64 };
    if (send->buffer != BUFFER_IN && send->n_chunks)
        return "ranks send on what they got";
    for (uint32_t i = 0; i < send->n_chunks; i++) {
        const uint64_t chunk = (uint64_t)send->rank * sent->n_in + send->chunk + i;
        const uint64_t bit = UINT64_C(1) << chunk % BITS;
        if (sent->bits[chunk / BITS] & bit)
            return "some chunk is sent to several ranks";
        sent->bits[chunk / BITS] |= bit;
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
    if (header->needs)
        return "it says what ranks need in the end, which may be less than they send";
    if (n_chunks > DEMAND_MAX_CHUNKS)
        return "ranks have more than 2^32 chunks in all";
    struct demand_sent sent = {mem_alloc(n_chunks / 64 + 1, sizeof *sent.bits), header->n_in};
    const char *problem = NULL;
    struct step step;
    schedule->rewind(schedule);
    while (!problem && schedule->next(schedule, &step)) {
        if (demand_combines(&step))
            problem = "ranks combine what they get";
        for (size_t i = 0; i < step.n_sends && !problem; i++)
            problem = demand_mark(&sent, &step.sends[i]);
    }
    free(sent.bits);
    return problem;
}

struct counts *demand_of(struct schedule *schedule, const char **problem)
{
    struct rank_pairs pairs = {0};
    struct counts *counts = NULL;
    *problem = collective_is_pattern(schedule->header.collective) ? demand_problem(schedule) : "it is no pattern";
    if (!*problem && !schedule->failed && rank_pairs_gather(&pairs, schedule, 0, SCHEDULE_MAX_STEP_OPS)) {
        if (pairs.is_too_many)
            *problem = "more than 2^26 pairs of ranks exchange messages";
        else
            counts = rank_pairs_counts(&pairs, schedule->header.n_ranks);
    }
    rank_pairs_free(&pairs);
    schedule->rewind(schedule);
    return counts;
}
