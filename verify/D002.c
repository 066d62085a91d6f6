/* SPDX-License-Identifier: BSD-3-Clause
 *
 * D002: ranks so far apart that what they do cannot be judged. Operations that wait for one of
 * a later step are kept until it comes, and a schedule may not use up memory. It may be right,
 * but that is not proved.
 */
#include "verify/internal.h"

void rule_D002(struct verifier *verifier, const struct op *op, uint64_t step, size_t n_waiting)
{
    bool is_send = op->kind == OP_SEND;
    struct diagnostic *finding = report(
        verifier->diagnostics, CODE_D002, schedule_position(verifier->schedule, op),
        "ranks drift too far apart to be judged: %zu operations wait for others of later steps, the first "
        "in step %llu, where rank %u %s rank %u",
        n_waiting, (unsigned long long)step, op->rank, is_send ? "sends to" : "receives from", op->peer);
    place_at_op(finding, op, step);
    finding->help = "post both operations of a message in the same step, or in steps near each other: "
                    "at most 2^21 operations, and 64 for each rank, may wait";
}
