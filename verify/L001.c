/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L001: more messages of one step on a link than the limit given.
 */
#include "verify/rule.h"

#include <math.h>

static bool l001_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_link_load.is_set;
}

/* At the bound nobody carries less: what is left is to spread it over more steps, each of which takes `limit`
 * blocks off what some link must carry. */
static const char *l001_help(const struct judge *judge, double limit)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    const struct verify_report *report = judge->verifier->report;
    const double blocks = judge->verifier->request->least.units / header->segments;
    if (!is_near_bound(judge))
        return "another algorithm, placement or step order may keep these messages apart";
    if (header->counts || limit < 1 || (double)report->n_steps * limit >= blocks)
        return words(judge, "in all no schedule carries much less (x bound %.2f); another order of steps may "
                            "spread it more evenly", report->bound_ratio);
    return words(judge, "in all no schedule carries much less (x bound %.2f): within the limit it takes %.0f steps or "
                        "more, of one block a message, or another placement or network",
                 report->bound_ratio, ceil(blocks / limit));
}

static bool l001_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_LINK)
        return false;
    struct diagnostic *finding = finding_of_excess(
        judge, fact, words_of_loads(judge), "link %s carries %s%.0f %s %s, the limit is %.0f%s",
        words_of_link(judge, fact->subject), words_up_to(fact), fact->value, words_of_loads(judge),
        words_of_excess_steps(judge, fact), fact->limit, words_of_senders(judge, fact));
    finding->place.link = fact->subject;
    finding->help = l001_help(judge, fact->limit);
    return false;
}

const struct rule rule_L001 = {.applies = l001_applies, .excess = l001_judge_excess};
