/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M002: a receive that no send meets: its rank waits for ever (MPI 4.0, section
 * 3.5).
 */
#include "verify/rule.h"

static bool m002_judge_unmatched(const struct judge *judge, const struct fact_unmatched *fact)
{
    const struct op *receive = fact->op;
    if (receive->kind == OP_SEND || finding_is_counted(judge))
        return true;
    finding_at(judge, receive, fact->step,
               "rank %u waits in step %llu for a message from rank %u, which sends none",
               receive->rank, (unsigned long long)fact->step, receive->peer)
        ->help = words(judge, "add 'send ... to %u' at rank %u, or remove the %s", receive->rank, receive->peer,
                       receive->kind == OP_REDUCE ? "reduce" : "receive");
    return true;
}

const struct rule rule_M002 = {.unmatched = m002_judge_unmatched};
