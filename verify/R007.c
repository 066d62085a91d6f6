/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R007: a schedule that claims to combine in rank order does not. MPI lets the order of
 * the operands change only where the operation commutes (MPI 4.0, section 6.9.1). What
 * comes in is the left operand, so its ranks must end where those of the chunk begin.
 * Only ranks in a row are judged: others were when they came together.
 */
#include "verify/rule.h"

static bool r007_applies(const struct verifier *verifier)
{
    return verifier->schedule->header.is_ordered;
}

static const char *words_of_ranks(const struct judge *judge, uint64_t set)
{
    const uint32_t first = (uint32_t)set, n = (uint32_t)(set >> 32);
    return n > 1 ? words(judge, "ranks %u..%u", first, first + n - 1) : words(judge, "rank %u", first);
}

/* The contributions are all there, whatever their order. */
static bool judge_combined(const struct judge *judge, const struct fact_combined *fact)
{
    const struct rank_sets *sets = &judge->verifier->data->sets;
    const struct op *op = fact->op;
    if (fact->is_shared || fact->held->datum != fact->incoming->datum ||
        !rank_set_is_out_of_order(sets, fact->incoming->set, fact->held->set) ||
        finding_is_counted(judge))
        return false;
    finding_at(judge, op, fact->step,
               "rank %u reduces the data of %s%s in step %llu into %s[%u], which begins with rank %u",
               op->rank, words_of_ranks(judge, fact->incoming->set), words_from(judge, op),
               (unsigned long long)fact->step, buffer_name[op->buffer], fact->held->first,
               (uint32_t)fact->held->set)
        ->help = "lower ranks come in to higher ones, neighbours first; or receive into 'tmp', and reduce "
                  "what was there to that; or drop 'ordered'";
    return false;
}

const struct rule rule_R007 = {
    .applies = r007_applies, .by_representatives = true, .combined = judge_combined};
