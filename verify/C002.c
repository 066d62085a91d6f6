/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C002: in more steps than the limit given nobody does anything. An idle step is mostly a loop that goes
 * too far, or one rank too few.
 */
#include "verify/rule.h"

static bool c002_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_idle_steps.is_set;
}

static bool c002_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_IDLE)
        return false;
    finding_of_excess(judge, fact, "steps", "nobody does anything %s, the limit is %.0f step%s",
                      words_of_excess_steps(judge, fact), fact->limit, plural((uint64_t)fact->limit))
        ->help = "end the loop earlier, or leave the step out";
    return false;
}

const struct rule rule_C002 = {.applies = c002_applies, .excess = c002_judge_excess};
