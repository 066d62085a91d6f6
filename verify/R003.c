/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R003: a reduction that combines a contribution a second time, which is wrong for
 * every operator that is not idempotent (MPI 4.0, section 6.9). What a barrier knows may
 * come twice.
 */
#include "verify/rule.h"

static bool r003_applies(const struct verifier *verifier)
{
    return collective_has_data(verifier->schedule->header.collective);
}

static bool r003_judge_mixed(const struct judge *judge, const struct fact_mixed *mixed)
{
    const struct fact_combined *fact = mixed->combined;
    const struct op *op = fact->op;
    if (!fact->is_shared || finding_is_counted(judge))
        return fact->is_shared;
    const uint32_t rank = rank_set_common(&judge->verifier->data->sets, fact->held->set,
                                          fact->incoming->set);
    struct diagnostic *finding =
        finding_at(judge, op, fact->step,
                   "rank %u reduces %s[%u]%s in step %llu, but the contribution of rank %u is already in it",
                   op->rank, buffer_name[op->buffer], fact->held->first, words_from(judge, op),
                   (unsigned long long)fact->step, rank);
    finding->help = "remove this reduce, or use recv if the data replaces what is there";
    if (op_is_local(op))
        finding_trace_step(judge, finding, op, fact->step);
    return true;
}

const struct rule rule_R003 = {
    .applies = r003_applies, .by_representatives = true, .mixed = r003_judge_mixed};
