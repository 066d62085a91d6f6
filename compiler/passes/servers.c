/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over servers. See servers.h.
 */
#include "compiler/passes/servers.h"

#include "compiler/passes/expand.h"

#include <stdlib.h>

static void sum_up(struct servers *servers, int64_t k)
{
    const struct placement *placement = servers->placement;
    if (!servers->before)
        servers->before = mem_alloc((size_t)placement->n_servers + 1, sizeof *servers->before);
    for (uint32_t s = 0; s < placement->n_servers; s++)
        servers->before[s + 1] =
            servers->before[s] +
            (uint32_t)(placement_slots(placement, (s + servers->origin) % placement->n_servers) /
                       (uint64_t)k);
    servers->k = k;
}

void servers_begin(struct servers *servers, const struct binding *binding)
{
    *servers = (struct servers){.placement = binding->placement};
    if (binding->program->from_root)
        servers->origin = binding->placement->server[binding->root];
}

bool servers_groups_before(struct servers *servers, int64_t s, int64_t k, int64_t *result)
{
    if (s < 0 || s > servers->placement->n_servers || k < 1)
        return false;
    if (servers->k != k)
        sum_up(servers, k);
    *result = servers->before[s];
    return true;
}

void servers_free(struct servers *servers)
{
    free(servers->before);
}
