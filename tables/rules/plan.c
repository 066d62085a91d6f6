/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the writers of all targets. See plan.h.
 */
#include "tables/rules/plan.h"

const char *call_words(unsigned call)
{
    return call == CALL_ORDERED ? "an operation that does not commute"
                                : "unlike datatypes for the same data on different ranks";
}

const char *call_outcome(unsigned call)
{
    return call == CALL_ORDERED ? "get wrong data" : "hang or end in MPI_ERR_TRUNCATE";
}

bool plan_is_safe(const struct table_loader *loader, uint32_t collective, const struct table_choice *choice,
                  unsigned unmade)
{
    const struct table_writer *writer = loader->writer;
    return !choice->algorithm || !writer->broken_calls ||
           !(writer->broken_calls(loader, collective, choice) & ~unmade);
}

void plan_say_unmade(unsigned unmade, const char *mark, struct text *out)
{
    for (unsigned call = 1; call <= unmade; call <<= 1)
        if (unmade & call)
            text_printf(out, "%sonly for programs that make no call with %s\n", mark, call_words(call));
}

size_t plan_like_end(const struct table_plan *plan, size_t first)
{
    const struct plan_rule *like = &plan->rules[first], *rule = like;
    const struct plan_rule *end = plan->rules + plan->n_rules;
    while (rule < end && rule->collective == like->collective && rule->ranks.first == like->ranks.first &&
           rule->nodes.first == like->nodes.first)
        rule++;
    return (size_t)(rule - plan->rules);
}
