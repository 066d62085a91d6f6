/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R002: a message whose data is already where it belongs. Every required chunk is
 * to arrive once: a second arrival costs time and, while the user reads the result,
 * is a race.
 */
#include "verify/internal.h"

void rule_R002(struct data *data, const struct op *op, uint64_t step, uint32_t chunk)
{
    struct verifier *verifier = data->verifier;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R002))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R002, schedule_position(verifier->schedule, op),
               "rank %u receives %s[%u] from rank %u in step %llu, but it is already there",
               op->rank, buffer_name[op->buffer], chunk, op->peer, (unsigned long long)step);
    place_at_op(finding, op, step);
    finding->help = "remove this message or the one before that brought the same chunk";
}
