/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lower bounds of steps and fan-in. See fan_in.h.
 */
#include "bound/fan_in.h"

#include "base/integer.h"

/* Returns (3x + 2y - 1) / 2 for three servers of x >= y >= z ranks with fan-in 1. */
static uint64_t steps_of_three(const struct placement *placement)
{
    uint32_t x = 0, y = 0;
    for (uint32_t server = 0; server < 3; server++) {
        const uint32_t n = placement_slots(placement, server);
        y = n > x ? x : n > y ? n : y;
        x = n > x ? n : x;
    }
    return divide_up((uint64_t)3 * x + 2 * y - 1, 2);
}

uint64_t bound_steps(const struct placement *placement, uint32_t fan_in)
{
    /* pairs of a step and a server that the largest server receives from in it */
    const uint64_t receptions = (uint64_t)(placement->n_servers - 1) * placement->max_slots;
    const uint64_t of_servers = divide_up(receptions, fan_in);
    const uint64_t steps = larger(of_servers, placement->n_ranks - 1);
    return placement->n_servers == 3 && fan_in == 1 ? larger(steps, steps_of_three(placement)) : steps;
}
