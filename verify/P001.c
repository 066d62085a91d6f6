/* SPDX-License-Identifier: BSD-3-Clause
 *
 * P001: a machine sends or receives more messages of a step over the network than
 * it has ports (NCT of Takaue et al. 2010, section 2.1).
 */
#include "verify/rule.h"

static bool applies(const struct verifier *verifier)
{
    return verifier->request->limits.ports > 0;
}

static void judge_count(const struct judge *judge, const struct fact_loads *loads, uint32_t server,
                        const char *verb, uint32_t n)
{
    const uint32_t ports = judge->verifier->request->limits.ports;
    if (n <= ports || finding_is_joined(judge, loads->last))
        return;
    struct diagnostic *finding =
        finding_of(judge, "machine '%s' %s %u messages in step %llu, more than its %u ports",
                   words_of_machine(judge, server), verb, n, (unsigned long long)loads->last, ports);
    finding->place.machine = server_machine(judge->verifier, server);
    finding->place.step = (int64_t)loads->last;
    finding->counted = (struct counted){"messages", n, ports};
    finding->help = "spread the messages over more steps, or use a smaller window";
}

static bool judge_loads(const struct judge *judge, const struct fact_loads *loads)
{
    const uint32_t ports = judge->verifier->request->limits.ports;
    if (loads->is_window || (loads->record->max_sends <= ports && loads->max_received <= ports))
        return false;
    for (uint32_t server = 0; server < loads->n_servers; server++) {
        judge_count(judge, loads, server, "sends", loads->servers[server].sent);
        judge_count(judge, loads, server, "receives", loads->servers[server].received);
    }
    return false;
}

const struct rule rule_P001 = {.applies = applies, .loads = judge_loads};
