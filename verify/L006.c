/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L006: the busiest links of all steps together carry more times what some link must than the limit given.
 */
#include "verify/rule.h"

static bool l006_applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_bound_ratio.is_set;
}

/* True if the routes, not the schedule, are in the way. */
static bool is_near_on_routes(const struct verifier *verifier)
{
    const double near = 1.05;
    const struct least_load *least = &verifier->request->least;
    return least->routes_kind && least->routes_units > least->units * near &&
           verify_sum_units(verifier->report) < least->routes_units * near;
}

static bool l006_judge_excess(const struct judge *judge, const struct fact_excess *fact)
{
    if (fact->gauge != GAUGE_BOUND)
        return false;
    finding_of_excess(judge, fact, "x bound",
                      "the busiest links of all steps together carry %.4g times what some link must (%s), the "
                      "limit is %.4g",
                      fact->value, judge->verifier->request->least.kind, fact->limit)
        ->help = is_near_on_routes(judge->verifier)
                     ? "on these routes no schedule carries much less: other forwarding tables may spread it better"
                 : is_near_bound(judge)
                     ? "1 is the least that any schedule has, and few have it to the last block: set the limit higher"
                     : "'collc best' compares other algorithms; another placement, order of ranks (collc map) or of "
                       "steps may do";
    return false;
}

const struct rule rule_L006 = {.applies = l006_applies, .excess = l006_judge_excess};
