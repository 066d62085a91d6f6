/* SPDX-License-Identifier: BSD-3-Clause
 *
 * H003: head-of-line blocking makes a step take more times as long than the limit given (the model of
 * Naruse et al. 2010, section 3.6).
 */
#include "verify/rule.h"

static bool h003_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_hol_slowdown.is_set;
}

static bool h003_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_HOL)
        return false;
    finding_of_excess(judge, fact, "times",
                      "head-of-line blocking makes a step take %s%.2f times as long %s, the limit is "
                      "%.4g%s",
                      words_up_to(fact), fact->value, words_of_excess_steps(judge, fact), fact->limit,
                      words_of_senders(judge, fact))
        ->help = "--max-fan-in 1 names the machines at which messages wait";
    return false;
}

const struct rule rule_H003 = {.applies = h003_applies, .excess = h003_judge_excess};
