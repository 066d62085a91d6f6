/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R007: a schedule that claims to combine in rank order does not. MPI lets the order of
 * the operands change only where the operation commutes (MPI 4.0, section 6.9.1). What
 * comes in is the left operand, so its ranks must end where those of the chunk begin.
 * Only ranks in a row are judged: others were when they came together.
 */
#include "verify/internal.h"

void rule_R007(struct data *data, const struct op *op, uint64_t step, const struct run *held,
               const struct run *incoming)
{
    struct verifier *verifier = data->verifier;
    if (!rank_set_is_out_of_order(&data->sets, incoming->set, held->set) ||
        diagnostics_only_counts(verifier->diagnostics, CODE_R007))
        return;
    uint32_t first = (uint32_t)incoming->set, n = (uint32_t)(incoming->set >> 32);
    const char *ranks = n > 1 ? diagnostics_text(verifier->diagnostics, "ranks %u..%u", first, first + n - 1)
                              : diagnostics_text(verifier->diagnostics, "rank %u", first);
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R007, schedule_position(verifier->schedule, op),
               "rank %u reduces the data of %s%s in step %llu into %s[%u], which begins with rank %u",
               op->rank, ranks, from_text(verifier, op), (unsigned long long)step,
               buffer_name[op->buffer], held->first, (uint32_t)held->set);
    place_at_op(finding, op, step);
    finding->help = "combine lower ranks into higher ones, neighbours first; or drop 'ordered'";
}
