/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C001: more steps of communication than the limit given.
 */
#include "verify/rule.h"

static bool c001_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_steps.is_set;
}

static bool c001_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_STEPS)
        return false;
    finding_of_excess(judge, fact, "steps", "there are %.0f steps, the limit is %.0f", fact->value,
                      fact->limit)
        ->help = "'collc algorithms COLLECTIVE' shows the steps of others";
    return false;
}

const struct rule rule_C001 = {.applies = c001_applies, .excess = c001_judge_excess};
