/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M002: a receive that no send meets: its rank waits for ever (MPI 4.0, section
 * 3.5).
 */
#include "verify/internal.h"

void rule_M002(struct verifier *verifier, const struct op *receive, uint64_t step)
{
    if (diagnostics_only_counts(verifier->diagnostics, CODE_M002))
        return;
    struct diagnostic *finding = report(
        verifier->diagnostics, CODE_M002, schedule_position(verifier->schedule, receive),
        "rank %u waits in step %llu for a message from rank %u, which sends none", receive->rank,
        (unsigned long long)step, receive->peer);
    place_at_op(finding, receive, step);
    finding->help = diagnostics_text(verifier->diagnostics,
                                     "add 'send ... to %u' at rank %u, or remove the receive",
                                     receive->rank, receive->peer);
}
