/* SPDX-License-Identifier: BSD-3-Clause
 *
 * H001: more servers send to one server in a step than the limit given. Two or
 * more meet at the port of the switch, where the packets of one block those of the
 * others and what waits behind them (head-of-line blocking; Naruse et al. 2010, section 3.5).
 */
#include "verify/rule.h"

static bool applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_fan_in > 0;
}

static void report_fan_in(const struct judge *judge, const struct fact_loads *loads,
                          uint32_t server, uint32_t fan_in)
{
    const uint32_t limit = judge->verifier->request->limits.max_fan_in;
    if (finding_is_joined(judge, loads->last))
        return;
    struct diagnostic *finding =
        finding_of(judge, "%u servers send to machine '%s' in %s, the limit is %u", fan_in,
                   words_of_machine(judge, server),
                   words_of_steps(judge, loads->first, loads->last), limit);
    finding->place.machine = server_machine(judge->verifier, server);
    finding_set_span(judge, finding, loads->first, loads->last);
    finding->counted = (struct counted){"servers", fan_in, limit};
    finding->help = "let all ranks of a server talk to one server at a time, as "
                    "alltoall/two_level_ring does";
}

static bool judge_loads(const struct judge *judge, const struct fact_loads *loads)
{
    const uint32_t limit = judge->verifier->request->limits.max_fan_in;
    const size_t n_ports = (size_t)loads->n_servers * loads->n_networks;
    if (!loads->is_widest || loads->record->max_fan_in <= limit)
        return false;
    for (size_t port = 0; port < n_ports; port++)
        if (loads->ports[port].fan_in > limit)
            report_fan_in(judge, loads, (uint32_t)(port / loads->n_networks),
                          loads->ports[port].fan_in);
    return false;
}

const struct rule rule_H001 = {.applies = applies, .loads = judge_loads};
