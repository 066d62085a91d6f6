/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R004: a chunk is sent, copied or combined into before anything is in it.
 */
#include "verify/internal.h"

void rule_R004(struct data *data, const struct op *op, uint64_t step, uint32_t chunk)
{
    static const char *const verb[] = {"sends", "receives into", "combines into", "copies",
                                       "combines"};
    struct verifier *verifier = data->verifier;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R004))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R004, schedule_position(verifier->schedule, op),
               "rank %u %s %s[%u] in step %llu, but nothing is in it yet", op->rank, verb[op->kind],
               buffer_name[op->buffer], chunk, (unsigned long long)step);
    place_at_op(finding, op, step);
    finding->help = "receive or copy the chunk in an earlier step";
}
