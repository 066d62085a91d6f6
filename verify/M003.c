/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M003: a send and the receive it meets differ in size. MPI allows a receive that
 * is larger than the message (MPI 4.0, section 3.2.4); a schedule that needs that
 * leaves chunks of the receive without data, so it is an error here.
 */
#include "verify/internal.h"

bool rule_M003(struct verifier *verifier, const struct op *send, uint64_t send_step,
               const struct op *receive, uint64_t step)
{
    if (send->n_chunks == receive->n_chunks)
        return true;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_M003))
        return false;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_M003, schedule_position(verifier->schedule, receive),
               "rank %u receives %u chunk%s from rank %u in step %llu, but %u %s sent", receive->rank,
               receive->n_chunks, plural(receive->n_chunks), send->rank, (unsigned long long)step,
               send->n_chunks, send->n_chunks == 1 ? "is" : "are");
    finding->place.rank = receive->rank;
    finding->place.peer = send->rank;
    finding->place.step = (int64_t)step;
    finding->related = schedule_position(verifier->schedule, send);
    finding->related_text = diagnostics_text(
        verifier->diagnostics, "rank %u sends them in step %llu", send->rank,
        (unsigned long long)send_step);
    finding->help = "make both sides name the same number of chunks";
    return false;
}
