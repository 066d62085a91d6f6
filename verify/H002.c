/* SPDX-License-Identifier: BSD-3-Clause
 *
 * H002: a server sends to more servers in a step than the limit given. Its messages leave by one port
 * one after the other, and what waits for a busy receiver holds up the others.
 */
#include "verify/rule.h"

static bool h002_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_fan_out.is_set;
}

static bool h002_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_FAN_OUT)
        return false;
    const uint32_t server = server_of_port(judge, fact->subject);
    struct diagnostic *finding = finding_of_excess(
        judge, fact, words_of_parties(judge), "machine '%s' sends to %s%.0f %s%s %s, the limit is %.0f%s",
        words_of_machine(judge, server), words_up_to(fact), fact->value, words_of_parties(judge),
        words_of_port(judge, fact->subject, false), words_of_excess_steps(judge, fact), fact->limit,
        words_of_senders(judge, fact));
    finding->place.machine = server_machine(judge->verifier, server);
    finding->help = words_are_adapters(judge)
                        ? "let the ranks of a rail talk to one rank at a time, or let messages cross the host first "
                          "(--between-rails host)"
                        : "let all ranks of a server talk to one server at a time, as alltoall/two_level_ring does";
    return false;
}

const struct rule rule_H002 = {.applies = h002_applies, .excess = h002_judge_excess};
