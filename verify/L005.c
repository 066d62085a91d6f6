/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L005: in more steps than the limit given a link carries messages of two or more servers. A schedule
 * that is free of contention passes with the limit 0.
 */
#include "verify/rule.h"

static bool l005_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_contended_steps.is_set;
}

static bool l005_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_CONTENDED)
        return false;
    finding_of_excess(judge, fact, "steps",
                      "messages of two or more servers share a link %s, the limit is %.0f step%s%s",
                      words_of_excess_steps(judge, fact), fact->limit, plural((uint64_t)fact->limit),
                      words_of_senders(judge, fact))
        ->help = "--max-link-load 1 names the links; another algorithm, placement or step order may "
                 "keep these messages apart";
    return false;
}

const struct rule rule_L005 = {.applies = l005_applies, .excess = l005_judge_excess};
