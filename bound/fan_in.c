/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lower bounds of steps and fan-in. See fan_in.h.
 */
#include "bound/fan_in.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* (S - 1) * m: pairs of a step and a server that the largest server receives from in it. */
static uint64_t receptions(const struct placement *placement)
{
    return (uint64_t)(placement->n_servers - 1) * placement->max_slots;
}

uint64_t bound_steps(const struct placement *placement, uint32_t fan_in)
{
    const uint64_t of_servers = divide_up(receptions(placement), fan_in);
    const uint64_t of_ranks = placement->n_ranks - 1;
    return of_servers > of_ranks ? of_servers : of_ranks;
}

uint64_t bound_fan_in(const struct placement *placement, uint64_t steps)
{
    if (steps == 0 || steps < placement->n_ranks - 1)
        return 0;
    return divide_up(receptions(placement), steps);
}
