/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L002: a message between machines that the network does not connect.
 */
#include "verify/rule.h"

static bool judge_unrouted(const struct judge *judge, const struct fact_unrouted *fact)
{
    const struct flow *flow = fact->flow;
    if (finding_is_counted(judge))
        return true;
    struct diagnostic *finding =
        finding_of(judge, "no route from machine '%s' to '%s', which communicate in step %llu",
                   words_of_machine(judge, flow->source), words_of_machine(judge, flow->destination),
                   (unsigned long long)fact->step);
    finding->place.machine = server_machine(judge->verifier, flow->source);
    finding->place.step = (int64_t)fact->step;
    finding->counted = (struct counted){"messages", flow->n_messages, NO_LIMIT};
    finding->help = "place the ranks on machines that have routes to each other, leave out machines "
                    "that failures cut off, or give complete forwarding tables";
    return true;
}

const struct rule rule_L002 = {.unrouted = judge_unrouted};
