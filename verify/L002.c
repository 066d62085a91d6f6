/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L002: messages between machines that the network does not connect.
 */
#include "verify/rule.h"

/* A network that is split leaves thousands of pairs without a route: one cause, one finding, which counts
 * the others. */
static bool is_told(const struct judge *judge)
{
    struct diagnostics *list = judge->verifier->diagnostics;
    struct diagnostic *told = list->n_of_code[judge->code] ? list->first : NULL;
    while (told && told->code != judge->code)
        told = told->next;
    if (!told)
        return false;
    told->n_more++;
    list->n_of_code[judge->code]++;
    list->n_of_severity[told->severity]++;
    return true;
}

static bool judge_unrouted(const struct judge *judge, const struct fact_unrouted *fact)
{
    const struct flow *flow = fact->flow;
    if (is_told(judge) || finding_is_counted(judge))
        return true;
    struct text who = {0};
    placement_say_unrouted(judge->verifier->request->topology, judge->verifier->request->placement, &who);
    struct diagnostic *finding =
        finding_of(judge, "no route from host '%s' to '%s', which communicate in step %llu%s",
                   words_of_machine(judge, flow->source), words_of_machine(judge, flow->destination),
                   (unsigned long long)fact->step, who.data ? who.data : "");
    text_free(&who);
    finding->place.machine = server_machine(judge->verifier, flow->source);
    finding->place.step = (int64_t)fact->step;
    finding->counted = (struct counted){"messages", flow->n_messages, NO_LIMIT};
    finding->help = "place the ranks on hosts that have routes to each other, leave out hosts that failures cut off, "
                    "or give complete forwarding tables; collc route --unrouted lists who has none";
    return true;
}

const struct rule rule_L002 = {.unrouted = judge_unrouted};
