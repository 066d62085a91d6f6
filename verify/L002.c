/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L002: a message between machines that the network does not connect.
 */
#include "ir/flows.h"
#include "verify/internal.h"

void rule_L002(struct verifier *verifier, const struct flow *flow, uint64_t step)
{
    verifier->report->n_unrouted += flow->n_messages;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_L002))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_L002, whole_schedule(verifier),
               "no route from machine '%s' to '%s', which communicate in step %llu",
               machine_name(verifier, flow->source), machine_name(verifier, flow->destination),
               (unsigned long long)step);
    finding->place.machine = server_machine(verifier, flow->source);
    finding->place.step = (int64_t)step;
    finding->help = "place the ranks on machines that have routes to each other, leave out machines "
                    "that failures cut off, or give complete forwarding tables";
}
