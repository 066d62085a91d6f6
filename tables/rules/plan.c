/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What writers of all targets ask of a plan. See plan.h.
 */
#include "tables/rules/plan.h"

size_t plan_like_end(const struct table_plan *plan, size_t first)
{
    const struct plan_rule *like = &plan->rules[first], *rule = like;
    const struct plan_rule *end = plan->rules + plan->n_rules;
    while (rule < end && rule->collective == like->collective && rule->ranks.first == like->ranks.first &&
           rule->nodes.first == like->nodes.first)
        rule++;
    return (size_t)(rule - plan->rules);
}
