/* SPDX-License-Identifier: BSD-3-Clause
 *
 * P001: a machine sends or receives more messages of a step over the network than
 * it has ports (NCT of Takaue et al. 2010, section 2.1).
 */
#include "verify/internal.h"

void rule_P001(struct verifier *verifier, uint32_t server, bool sends, uint32_t n, uint64_t step)
{
    if (diagnostics_join(verifier->diagnostics, CODE_P001, step) ||
        diagnostics_only_counts(verifier->diagnostics, CODE_P001))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_P001, whole_schedule(verifier),
               "machine '%s' %s %u messages in step %llu, more than its %u ports",
               machine_name(verifier, server), sends ? "sends" : "receives", n,
               (unsigned long long)step, verifier->request->limits.ports);
    finding->place.machine = server_machine(verifier, server);
    finding->place.step = (int64_t)step;
    finding->help = "spread the messages over more steps, or use a smaller window";
}
