/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M003: a send and the receive it meets differ in size. MPI allows a receive that
 * is larger than the message (MPI 4.0, section 3.2.4); a schedule that needs that
 * leaves chunks of the receive without data, so it is an error here.
 */
#include "verify/rule.h"

static bool judge_unequal(const struct judge *judge, const struct fact_unequal *fact)
{
    const struct op *send = fact->send, *receive = fact->receive;
    uint64_t steps[] = {fact->send_step, fact->step};
    if (finding_is_counted(judge))
        return true;
    struct diagnostic *finding = finding_at(
        judge, receive, fact->step,
        "rank %u receives %u chunk%s from rank %u in step %llu, but %u %s sent", receive->rank,
        receive->n_chunks, plural(receive->n_chunks), send->rank, (unsigned long long)fact->step,
        send->n_chunks, send->n_chunks == 1 ? "is" : "are");
    finding_set_steps(judge, finding, steps, 2);
    finding->counted = (struct counted){"chunks", send->n_chunks, receive->n_chunks};
    finding_relate(judge, finding, send,
                   words(judge, "rank %u sends them in step %llu", send->rank,
                         (unsigned long long)fact->send_step));
    finding->help = "make both sides name the same number of chunks";
    return true;
}

const struct rule rule_M003 = {.unequal = judge_unequal};
