/* SPDX-License-Identifier: BSD-3-Clause
 *
 * H001: more servers send to one server in a step than the limit given. Two or
 * more meet at the port of the switch, where the packets of one block those of the
 * others and what waits behind them (head-of-line blocking; Naruse et al. 2010, section 3.5).
 */
#include "verify/rule.h"

static bool h001_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_fan_in.is_set;
}

static bool h001_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_FAN_IN)
        return false;
    const uint32_t server = server_of_port(judge, fact->subject);
    struct diagnostic *finding = finding_of_excess(
        judge, fact, words_of_parties(judge), "%s%.0f %s send to machine '%s'%s %s, the limit is %.0f%s",
        words_up_to(fact), fact->value, words_of_parties(judge), words_of_machine(judge, server),
        words_of_port(judge, fact->subject, true), words_of_excess_steps(judge, fact), fact->limit,
        words_of_senders(judge, fact));
    finding->place.machine = server_machine(judge->verifier, server);
    finding->help = words_are_adapters(judge)
                        ? "let the ranks of a rail talk to one rank at a time, or let messages cross the host first "
                          "(--between-rails host)"
                        : "let all ranks of a server talk to one server at a time, as alltoall/two_level_ring does";
    return false;
}

const struct rule rule_H001 = {.applies = h001_applies, .excess = h001_judge_excess};
