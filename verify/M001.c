/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M001: a send that no receive at its destination meets. Messages between two
 * ranks meet in the order in which they are posted (MPI 4.0, section 3.5), so the
 * last sends of the pair are the ones left over.
 */
#include "verify/internal.h"

void rule_M001(struct verifier *verifier, const struct op *send, uint64_t step)
{
    if (diagnostics_only_counts(verifier->diagnostics, CODE_M001))
        return;
    struct diagnostic *finding = report(
        verifier->diagnostics, CODE_M001, schedule_position(verifier->schedule, send),
        "rank %u sends to rank %u in step %llu, but rank %u posts no receive for it", send->rank,
        send->peer, (unsigned long long)step, send->peer);
    place_at_op(finding, send, step);
    finding->help = diagnostics_text(verifier->diagnostics,
                                     "add 'recv ... from %u' at rank %u, or remove the send",
                                     send->rank, send->peer);
}
