/* SPDX-License-Identifier: BSD-3-Clause
 *
 * H001: more servers send to one server in a step than the limit given. Two or
 * more meet at the port of the switch, where the packets of one block those of the
 * others and what waits behind them (head-of-line blocking; Naruse et al. 2010, section 3.5).
 */
#include "verify/internal.h"

void rule_H001(struct verifier *verifier, uint32_t server, uint32_t fan_in, uint64_t first_step,
               uint64_t step)
{
    if (diagnostics_join(verifier->diagnostics, CODE_H001, step) ||
        diagnostics_only_counts(verifier->diagnostics, CODE_H001))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_H001, whole_schedule(verifier),
               "%u servers send to machine '%s' in %s, the limit is %u", fan_in,
               machine_name(verifier, server), steps_text(verifier, first_step, step),
               verifier->request->limits.max_fan_in);
    finding->place.machine = server_machine(verifier, server);
    finding->place.step = (int64_t)step;
    finding->help = "let all ranks of a server talk to one server at a time, as "
                    "alltoall/two_level_ring does";
}
