/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L004: more messages of all steps together on a link than the limit given.
 */
#include "verify/rule.h"

static bool l004_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_total_load.is_set;
}

static bool l004_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_TOTAL)
        return false;
    struct diagnostic *finding = finding_of_excess(
        judge, fact, words_of_loads(judge), "link %s carries %.0f %s in all, %s, the limit is %.0f%s",
        words_of_link(judge, fact->subject), fact->value, words_of_loads(judge),
        words_of_excess_steps(judge, fact),
        fact->limit, words_of_senders(judge, fact));
    finding->place.link = fact->subject;
    finding->help =
        is_near_bound(judge)
            ? words(judge, "no schedule carries much less (x bound %.2f): fewer messages have to be larger, or the "
                           "placement or the network another", judge->verifier->report->bound_ratio)
            : "an algorithm that sends less, or over shorter routes, spares the link; so may another placement";
    return false;
}

const struct rule rule_L004 = {.applies = l004_applies, .excess = l004_judge_excess};
