/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L001: more messages of one step on a link than the limit given.
 */
#include "verify/rule.h"

static bool applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_link_load.is_set;
}

static bool judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_LINK)
        return false;
    struct diagnostic *finding = finding_of_excess(
        judge, fact, "messages", "link %s carries %s%.0f messages %s, the limit is %.0f%s",
        words_of_link(judge, fact->subject), words_up_to(fact), fact->value,
        words_of_excess_steps(judge, fact), fact->limit, words_of_senders(judge, fact));
    finding->place.link = fact->subject;
    finding->help = "another algorithm, placement or step order may keep these messages apart";
    return false;
}

const struct rule rule_L001 = {.applies = applies, .excess = judge_excess};
