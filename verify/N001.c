/* SPDX-License-Identifier: BSD-3-Clause
 *
 * N001: the times of a schedule contradict what it does: something is sent before it is there, a
 * message is faster than its route, or links and ports carry more than they can.
 */
#include "verify/rule.h"

static const char *what_it_does(const struct judge *judge, const struct op *op)
{
    static const char *const verb[] = {"sends to", "receives from", "receives from"};
    if (op_is_local(op))
        return op->kind == OP_COPY ? "copies" : "combines";
    return words(judge, "%s rank %u", verb[op->kind], op->peer);
}

static const char *why(const struct judge *judge, const struct fact_mistimed *fact)
{
    const unsigned long long needed = fact->needed;
    char name[256];
    uint32_t from, to;
    switch (fact->mistiming) {
    case MISTIMED_BACKWARDS:
        return words(judge, "it begins only at %lluns", needed);
    case MISTIMED_READ:
        return words(judge, "what it reads is there from %lluns on, when the step before is over",
                     needed);
    case MISTIMED_LEFT:
        return words(judge, "its bytes are on the first link until %lluns at least", needed);
    case MISTIMED_RECEIVED:
        return words(judge, "the message cannot be there before %lluns", needed);
    case MISTIMED_LINK:
        break;
    }
    topology_link_ends(judge->verifier->request->topology, fact->link, &from, &to);
    topology_node_name(judge->verifier->request->topology, from, name, sizeof name);
    const char *first = words(judge, "%s", name);
    topology_node_name(judge->verifier->request->topology, to, name, sizeof name);
    return words(judge, "with what else is on the link from '%s' to '%s' it takes until %lluns",
                 first, name, needed);
}

static bool judge_mistimed(const struct judge *judge, const struct fact_mistimed *fact)
{
    const bool is_begin = fact->mistiming == MISTIMED_READ;
    if (finding_is_counted(judge))
        return false;
    struct diagnostic *finding = finding_at(
        judge, fact->op, fact->step, "rank %u %s in step %llu %s %lluns, but %s", fact->op->rank,
        what_it_does(judge, fact->op), (unsigned long long)fact->step,
        is_begin ? "from" : "until",
        (unsigned long long)(is_begin ? fact->time.start : fact->time.end), why(judge, fact));
    finding->counted = (struct counted){
        "ns", (double)(is_begin ? fact->time.start : fact->time.end), NO_LIMIT};
    if (fact->mistiming == MISTIMED_LINK)
        finding->place.link = fact->link;
    if (fact->send)
        finding_relate(judge, finding, fact->send,
                       words(judge, "rank %u sends it in step %llu", fact->send->rank,
                             (unsigned long long)fact->send_step));
    finding->help = "'collc compile --timed' computes the times anew";
    return false;
}

const struct rule rule_N001 = {.mistimed = judge_mistimed};
