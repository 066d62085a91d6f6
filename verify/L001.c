/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L001: more messages of one step on a link than the limit given.
 */
#include "verify/internal.h"

void rule_L001(struct verifier *verifier, uint32_t link, uint32_t load, uint64_t first_step,
               uint64_t step)
{
    if (diagnostics_join(verifier->diagnostics, CODE_L001, step) ||
        diagnostics_only_counts(verifier->diagnostics, CODE_L001))
        return;
    const struct topology *topology = verifier->request->topology;
    char from_name[128], to_name[128];
    uint32_t from, to;
    topology_link_ends(topology, link, &from, &to);
    topology_node_name(topology, from, from_name, sizeof from_name);
    topology_node_name(topology, to, to_name, sizeof to_name);
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_L001, whole_schedule(verifier),
               "link '%s' -> '%s' carries %u messages in %s, the limit is %u", from_name,
               to_name, load, steps_text(verifier, first_step, step),
               verifier->request->limits.max_link_load);
    finding->place.link = link;
    finding->place.step = (int64_t)step;
    finding->help = "another algorithm, placement or step order may keep these messages apart";
}
