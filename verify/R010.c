/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R010: ranks of an allreduce get different results. MPI requires that all ranks receive identical
 * results (MPI 4.0, section 6.9: "MPI requires that all processes from the same group participating
 * in these operations receive identical results"). For floats that holds only if all ranks combine
 * the contributions in the same brackets. `exact` says that the schedule is for other operations.
 */
#include "verify/rule.h"

static bool r010_applies(const struct verifier *verifier)
{
    return !verifier->schedule->header.is_exact;
}

static const char *words_of_expression(const struct judge *judge, const struct fact_disagreed *fact, int i)
{
    struct text text = {0};
    brackets_print(fact->brackets, fact->found->expression[i], &text);
    const char *printed = words(judge, "%s", text.data);
    text_free(&text);
    return printed;
}

static bool judge_disagreed(const struct judge *judge, const struct fact_disagreed *fact)
{
    const struct disagreement *found = fact->found;
    if (finding_is_counted(judge))
        return false;
    struct diagnostic *finding =
        finding_of(judge, "rank %u has buf[%u] as %s, rank %u as %s: their floats differ", found->rank[0],
                   found->chunk, words_of_expression(judge, fact, 0), found->rank[1],
                   words_of_expression(judge, fact, 1));
    finding->place.rank = found->rank[1];
    finding->place.peer = found->rank[0];
    finding->help = "combine each chunk at one rank, or in the same brackets everywhere; or write 'exact', "
                    "which leaves floats to the MPI";
    finding_trace(judge, finding, BUFFER_BUF, found->chunk, NULL);
    return false;
}

const struct rule rule_R010 = {.applies = r010_applies, .disagreed = judge_disagreed};
