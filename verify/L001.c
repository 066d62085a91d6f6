/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L001: more messages of one step on a link than the limit given.
 */
#include "verify/rule.h"

static bool applies(const struct verifier *verifier)
{
    return verifier->request->limits.max_link_load > 0;
}

static void report_load(const struct judge *judge, const struct fact_loads *loads, uint32_t link)
{
    const struct topology *topology = judge->verifier->request->topology;
    const uint32_t limit = judge->verifier->request->limits.max_link_load;
    const uint32_t load = loads_of_link(loads, link);
    char from_name[128], to_name[128];
    uint32_t from, to;
    if (finding_is_joined(judge, loads->last))
        return;
    topology_link_ends(topology, link, &from, &to);
    topology_node_name(topology, from, from_name, sizeof from_name);
    topology_node_name(topology, to, to_name, sizeof to_name);
    struct diagnostic *finding =
        finding_of(judge, "link '%s' -> '%s' carries %u messages in %s, the limit is %u", from_name,
                   to_name, load, words_of_steps(judge, loads->first, loads->last), limit);
    finding->place.link = link;
    finding_set_span(judge, finding, loads->first, loads->last);
    finding->counted = (struct counted){"messages", load, limit};
    finding->help = "another algorithm, placement or step order may keep these messages apart";
}

static bool judge_loads(const struct judge *judge, const struct fact_loads *loads)
{
    const uint32_t limit = judge->verifier->request->limits.max_link_load;
    if (!loads->is_widest || loads->record->max_link_load <= limit)
        return false;
    for (uint32_t link = 0; link < judge->verifier->request->topology->n_link_ids; link++)
        if (loads_of_link(loads, link) > limit)
            report_load(judge, loads, link);
    return false;
}

const struct rule rule_L001 = {.applies = applies, .loads = judge_loads};
