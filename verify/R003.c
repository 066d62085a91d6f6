/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R003: a reduction that combines a contribution a second time, which is wrong for
 * every operator that is not idempotent (MPI 4.0, section 6.9).
 */
#include "verify/internal.h"

void rule_R003(struct data *data, const struct op *op, uint64_t step, const struct run *held,
               const struct run *incoming)
{
    struct verifier *verifier = data->verifier;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R003))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R003, schedule_position(verifier->schedule, op),
               "rank %u reduces %s[%u]%s in step %llu, but the contribution of rank %u "
               "is already in it",
               op->rank, buffer_name[op->buffer], held->first, from_text(verifier, op),
               (unsigned long long)step,
               rank_set_common(&data->sets, held->set, incoming->set));
    place_at_op(finding, op, step);
    finding->help = "remove this reduce, or use recv if the data replaces what is there";
}
