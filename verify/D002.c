/* SPDX-License-Identifier: BSD-3-Clause
 *
 * D002: ranks so far apart that what they do cannot be judged. Operations that wait for one of
 * a later step are kept until it comes, and a schedule may not use up memory. It may be right,
 * but that is not proved.
 */
#include "verify/rule.h"

static bool judge_unjudged(const struct judge *judge, const struct fact_unjudged *fact)
{
    const struct op *op = fact->op;
    struct diagnostic *finding = finding_at(
        judge, op, fact->step,
        "ranks drift too far apart to be judged: %zu operations wait for others of later steps, the first "
        "in step %llu, where rank %u %s rank %u",
        fact->n_waiting, (unsigned long long)fact->step, op->rank,
        op->kind == OP_SEND ? "sends to" : "receives from", op->peer);
    finding->counted = (struct counted){"operations", (double)fact->n_waiting, (double)fact->limit};
    finding->help = "post both operations of a message in the same step, or in steps near each other: "
                    "at most 2^21 operations, and 64 for each rank, may wait";
    return true;
}

const struct rule rule_D002 = {.unjudged = judge_unjudged};
