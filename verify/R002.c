/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R002: a message whose data is already where it belongs. Every required chunk is
 * to arrive once: a second arrival costs time and, while the user reads the result,
 * is a race.
 */
#include "verify/rule.h"

static void report_twice(const struct judge *judge, const struct fact_arrival *fact, uint32_t chunk)
{
    const struct op *op = fact->op;
    if (finding_is_counted(judge))
        return;
    struct diagnostic *finding =
        finding_at(judge, op, fact->step,
                   "rank %u receives %s[%u] from rank %u in step %llu, but it is already there", op->rank,
                   buffer_name[op->buffer], chunk, op->peer, (unsigned long long)fact->step);
    finding->help = "remove this message or the one before that brought the same chunk";
    finding_trace_step(judge, finding, op, fact->step);
}

/* True if a chunk of `held` already holds what it must hold at the end; then *chunk is the first such. */
static bool r002_is_there(const struct data *data, const struct op *op, const struct run *held,
                          uint32_t *chunk)
{
    const uint64_t end = (uint64_t)held->first + held->n;
    struct run required, part;
    for (uint64_t next = held->first; next < end; next += part.n) {
        const bool is_required =
            data_required(data, op->rank, (enum buffer)op->buffer, (uint32_t)next, &required);
        part = run_cut(held, (uint32_t)next, required.n);
        required.n = part.n;
        if (is_required && run_meets(&part, &required, chunk))
            return true;
    }
    return false;
}

/* The data is right all the same. */
static bool judge_arrival(const struct judge *judge, const struct fact_arrival *fact)
{
    const struct run *incoming = fact->incoming;
    const uint64_t end = (uint64_t)incoming->first + incoming->n;
    struct run_at at = fact->at;
    uint32_t chunk;
    for (const struct run *run = chunk_map_run(fact->map, at); run && run->first < end;
         run = chunk_map_next(fact->map, &at)) {
        const struct run held = run_cut(run, incoming->first, incoming->n);
        if (!r002_is_there(judge->verifier->data, fact->op, &held, &chunk))
            continue;
        report_twice(judge, fact, chunk);
        return false;
    }
    return false;
}

const struct rule rule_R002 = {.by_representatives = true, .arrival = judge_arrival};
