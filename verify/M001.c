/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M001: a send that no receive at its destination meets. Messages between two
 * ranks meet in the order in which they are posted (MPI 4.0, section 3.5), so the
 * last sends of the pair are the ones left over.
 */
#include "verify/rule.h"

static bool m001_judge_unmatched(const struct judge *judge, const struct fact_unmatched *fact)
{
    const struct op *send = fact->op;
    if (send->kind != OP_SEND || finding_is_counted(judge))
        return true;
    finding_at(judge, send, fact->step,
               "rank %u sends to rank %u in step %llu, but rank %u posts no receive for it",
               send->rank, send->peer, (unsigned long long)fact->step, send->peer)
        ->help = words(judge, "add '%s ... from %u' at rank %u, or remove the send",
                       collective_table[judge->verifier->schedule->header.collective].reduces ? "reduce' or 'recv"
                                                                                              : "recv",
                       send->rank, send->peer);
    return true;
}

const struct rule rule_M001 = {.unmatched = m001_judge_unmatched};
