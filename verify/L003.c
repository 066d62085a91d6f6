/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L003: a message over a network that does not join the two machines.
 */
#include "network/networks.h"
#include "verify/internal.h"

/* "have no network in common" or "are not both on network 'MY'" */
static const char *words_of(struct verifier *verifier, const struct op *send, uint32_t network)
{
    const struct topology *topology = verifier->request->topology;
    const struct schedule_header *header = &verifier->schedule->header;
    if (network == NO_NETWORK)
        return "have no network in common";
    if (network == NETWORK_UNKNOWN)
        return diagnostics_text(verifier->diagnostics, "have no network '%s': the topology has none",
                                header->networks[send->network]);
    if (network == NETWORK_MEMORY)
        return diagnostics_text(verifier->diagnostics, "are two, '%s' is the memory of one",
                                topology_network_info(topology, network)->label);
    return diagnostics_text(verifier->diagnostics, "are not both on network '%s'",
                            topology_network_info(topology, network)->label);
}

void rule_L003(struct verifier *verifier, const struct op *send, uint32_t network, uint64_t step)
{
    verifier->report->n_unrouted++;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_L003))
        return;
    const struct placement *placement = verifier->request->placement;
    uint32_t source = placement ? placement->server[send->rank] : send->rank;
    uint32_t destination = placement ? placement->server[send->peer] : send->peer;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_L003, schedule_position(verifier->schedule, send),
               "rank %u sends to rank %u in step %llu, but machines '%s' and '%s' %s", send->rank,
               send->peer, (unsigned long long)step, machine_name(verifier, source),
               machine_name(verifier, destination), words_of(verifier, send, network));
    place_at_op(finding, send, step);
    finding->place.machine = server_machine(verifier, source);
    finding->help = network == NO_NETWORK
                        ? "place the ranks on machines that share a network"
                        : "leave 'via' out for the fastest network that both are on, or place the "
                          "ranks on machines that share this one";
}
