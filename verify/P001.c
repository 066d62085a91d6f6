/* SPDX-License-Identifier: BSD-3-Clause
 *
 * P001: a machine sends or receives more messages of a step over the network than
 * it has ports (NCT of Takaue et al. 2010, section 2.1).
 */
#include "verify/rule.h"

static bool p001_applies(const struct verifier *verifier)
{
    return verifier->request->limits.ports.is_set;
}

static bool p001_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_PORTS)
        return false;
    const uint32_t server = fact->subject / 2;
    struct diagnostic *finding = finding_of_excess(
        judge, fact, "messages", "machine '%s' %s %s%.0f messages %s, more than its %.0f port%s%s",
        words_of_machine(judge, server), fact->subject % 2 ? "receives" : "sends", words_up_to(fact),
        fact->value, words_of_excess_steps(judge, fact), fact->limit, plural((uint64_t)fact->limit),
        words_of_senders(judge, fact));
    finding->place.machine = server_machine(judge->verifier, server);
    finding->help = "spread the messages over more steps, or use a smaller window";
    return false;
}

const struct rule rule_P001 = {.applies = p001_applies, .excess = p001_judge_excess};
