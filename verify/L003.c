/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L003: a message over a network that does not join the two machines.
 */
#include "verify/rule.h"

#include "network/networks.h"

/* "have no network in common" or "are not both on network 'MY'" */
static const char *words_why(const struct judge *judge, const struct fact_unjoined *fact)
{
    const struct topology *topology = judge->verifier->request->topology;
    const struct schedule_header *header = &judge->verifier->schedule->header;
    if (fact->network == NO_NETWORK)
        return "have no network in common";
    if (fact->network == NETWORK_UNKNOWN)
        return words(judge, "have no network '%s': the topology has none",
                     header->networks[fact->send->network]);
    if (fact->network == NETWORK_MEMORY)
        return words(judge, "are two, '%s' is the memory of one",
                     topology_network_info(topology, fact->network)->label);
    return words(judge, "are not both on network '%s'",
                 topology_network_info(topology, fact->network)->label);
}

static bool judge_unjoined(const struct judge *judge, const struct fact_unjoined *fact)
{
    const struct placement *placement = judge->verifier->request->placement;
    const struct op *send = fact->send;
    if (finding_is_counted(judge))
        return true;
    uint32_t source = placement ? placement->server[send->rank] : send->rank;
    uint32_t destination = placement ? placement->server[send->peer] : send->peer;
    struct diagnostic *finding = finding_at(
        judge, send, fact->step, "rank %u sends to rank %u in step %llu, but machines '%s' and '%s' %s",
        send->rank, send->peer, (unsigned long long)fact->step, words_of_machine(judge, source),
        words_of_machine(judge, destination), words_why(judge, fact));
    finding->place.machine = server_machine(judge->verifier, source);
    finding->help = fact->network == NO_NETWORK
                        ? "place the ranks on machines that share a network"
                        : "leave 'via' out for the fastest network that both are on, or place the "
                          "ranks on machines that share this one";
    return true;
}

const struct rule rule_L003 = {.unjoined = judge_unjoined};
