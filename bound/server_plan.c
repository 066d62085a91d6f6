/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans by servers. See server_plan.h.
 */
#include "bound/server_plan.h"

#include <stdlib.h>
#include <string.h>

uint32_t *server_plan_flow(struct server_plan *plan, uint32_t step, uint32_t from, uint32_t to)
{
    const size_t n_servers = plan->placement->n_servers, size = n_servers * n_servers;
    if (step >= plan->n_steps) {
        plan->flow = mem_grow(plan->flow, &plan->capacity, (step + 1) * size, sizeof *plan->flow);
        memset(plan->flow + plan->n_steps * size, 0,
               (step + 1 - plan->n_steps) * size * sizeof *plan->flow);
        plan->n_steps = step + 1;
    }
    return &plan->flow[step * size + from * n_servers + to];
}

void server_plan_free(struct server_plan *plan)
{
    free(plan->flow);
}
