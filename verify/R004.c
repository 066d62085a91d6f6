/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R004: a chunk is sent, copied or combined into before anything is in it.
 */
#include "verify/rule.h"

/* Returns help with a chunk in which nothing is. Rank 0 in the place of another root is a frequent slip. */
static const char *help_with_absent(const struct judge *judge, const struct op *op)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    const bool is_at_root = collective_table[header->collective].before == HELD_ROOT;
    if (is_at_root && header->root && op->rank == 0)
        return words(judge, "the data are at the root, rank %u: 'ranks r: p from root' counts from there",
                     header->root);
    return op->buffer == BUFFER_IN ? "the clause 'has' says which chunks of 'in' a rank has"
                                   : "receive or copy the chunk in an earlier step";
}

static bool judge_absent(const struct judge *judge, const struct fact_absent *fact)
{
    static const char *const verb[] = {"sends", "receives into", "combines into", "copies",
                                       "combines"};
    const struct op *op = fact->op;
    if (finding_is_counted(judge))
        return true;
    struct diagnostic *finding =
        finding_at(judge, op, fact->step, "rank %u %s %s[%u] in step %llu, but nothing is in it yet", op->rank,
                   verb[op->kind], buffer_name[op->buffer], fact->chunk, (unsigned long long)fact->step);
    finding->help = help_with_absent(judge, op);
    if (op_is_local(op) || op->kind == OP_SEND)
        finding_trace_step(judge, finding, op, fact->step);
    return true;
}

const struct rule rule_R004 = {.by_representatives = true, .absent = judge_absent};
