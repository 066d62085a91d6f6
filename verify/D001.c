/* SPDX-License-Identifier: BSD-3-Clause
 *
 * D001: ranks that wait for each other in a cycle. Sends are taken to be
 * rendezvous: the standard lets an MPI buffer them but never promises it (MPI 4.0,
 * section 3.5), so a schedule that needs buffering is wrong.
 */
#include "verify/rule.h"

#include "ir/counts.h"

#include <stdlib.h>

enum { MAX_SHOWN_WAITS = 8 };

static const char *d001_describe(const struct judge *judge, const struct fact_cycle *cycle)
{
    struct text text = {0};
    for (size_t k = 0; k < cycle->n && k < MAX_SHOWN_WAITS; k++) {
        const struct wait *wait = &cycle->waits[k];
        const bool is_send = wait->op->kind == OP_SEND;
        text_printf(&text, "%srank %u in step %llu %s rank %u, which %s it only in step %llu",
                    k ? "; " : "", wait->op->rank, (unsigned long long)wait->step,
                    is_send ? "sends to" : "receives from", wait->op->peer,
                    is_send ? "receives" : "sends", (unsigned long long)wait->reach);
    }
    if (cycle->n > MAX_SHOWN_WAITS)
        text_printf(&text, "; and %zu more ranks", cycle->n - MAX_SHOWN_WAITS);
    const char *result = words(judge, "%s", text.data);
    text_free(&text);
    return result;
}

/* Describes what the MPI must do so that the schedule does not deadlock. */
static const char *describe_buffers(const struct judge *judge)
{
    const uint64_t chunks = judge->verifier->report->eager_chunks;
    if (!chunks)
        return "it needs an MPI that ends sends without data before they are received";
    return words(judge, "it is safe where the MPI buffers up to %llu %s%s at one rank",
                 (unsigned long long)chunks,
                 judge->verifier->schedule->header.counts ? "byte" : "chunk", plural(chunks));
}

static const char *d001_help(const struct judge *judge, const struct fact_cycle *cycle)
{
    bool has_send = false;
    for (size_t k = 0; k < cycle->n; k++)
        has_send |= cycle->waits[k].op->kind == OP_SEND;
    switch (judge->verifier->report->eager) {
    case EAGER_UNKNOWN: return "post both operations of each pair in the same step";
    case EAGER_HELPS:
        return words(judge,
                     "post both operations of each pair in the same step; as it is, %s, which MPI "
                     "does not promise (MPI 4.0, section 3.5)",
                     describe_buffers(judge));
    case EAGER_IN_VAIN: break;
    }
    return has_send ? "post both operations of each pair in the same step; buffers for sends end this wait, but "
                      "then ranks wait in a cycle of receives"
                    : "post both operations of each pair in the same step, and check the peers: no "
                      "buffering of sends helps";
}

static void say_who_and_when(const struct judge *judge, struct diagnostic *finding,
                             const struct fact_cycle *cycle)
{
    uint32_t *ranks = mem_alloc(cycle->n, sizeof *ranks);
    uint64_t *steps = mem_alloc(cycle->n, sizeof *steps);
    for (size_t k = 0; k < cycle->n; k++) {
        ranks[k] = cycle->waits[k].op->rank;
        steps[k] = cycle->waits[k].step;
    }
    finding_set_ranks(judge, finding, ranks, cycle->n);
    finding_set_steps(judge, finding, steps, cycle->n);
    free(ranks);
    free(steps);
}

static bool judge_cycle(const struct judge *judge, const struct fact_cycle *cycle)
{
    const struct wait *first = &cycle->waits[0];
    if (finding_is_counted(judge))
        return true;
    struct diagnostic *finding = finding_at(judge, first->op, first->step,
                                            cycle->n == 1 ? "rank %u waits for itself: %s"
                                                          : "ranks wait for each other, from rank %u: %s",
                                            first->op->rank, d001_describe(judge, cycle));
    say_who_and_when(judge, finding, cycle);
    finding->help = d001_help(judge, cycle);
    return true;
}

const struct rule rule_D001 = {.cycle = judge_cycle};
