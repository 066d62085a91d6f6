/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See placed.h.
 */
#include "study/project/placed.h"

#include "base/codes.h"

struct placement *placed_by_header(const struct schedule *schedule, const struct topology *topology,
                                   struct diagnostics *diagnostics)
{
    const struct schedule_header *header = &schedule->header;
    for (uint32_t rank = 0; topology && rank < header->n_ranks; rank++) {
        if (header->machine[rank] < topology->n_machines)
            continue;
        report(diagnostics, CODE_S004, (struct position){.source = schedule->source},
               "rank %u is on machine %u, but topology '%s' has %u machines", rank,
               header->machine[rank], topology->name, topology->n_machines);
        return NULL;
    }
    return placement_of_machines(header->machine, header->n_ranks, "schedule");
}
