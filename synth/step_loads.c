/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See step_loads.h.
 */
#include "synth/step_loads.h"

#include "synth/price.h"

#include <stdlib.h>

struct step_loads step_loads_new(uint32_t n_links, uint32_t n_steps, const double *cost, double most)
{
    struct step_loads loads = {.n_links = n_links, .n_steps = n_steps, .cost = cost};
    loads.share = most > 0 ? most / n_steps : 1;
    loads.load = mem_alloc((size_t)n_links * n_steps, sizeof *loads.load);
    loads.price = mem_alloc(n_steps, sizeof *loads.price);
    return loads;
}

void step_loads_free(struct step_loads *loads)
{
    free(loads->load);
    free(loads->price);
    *loads = (struct step_loads){0};
}

void step_loads_add(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t step,
                    double weight)
{
    for (uint32_t i = 0; i < n_hops; i++)
        loads->load[(size_t)hops[i].link * loads->n_steps + step] += weight * loads->cost[hops[i].link];
}

uint32_t step_loads_choose(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t first,
                           uint32_t last, double weight)
{
    uint32_t best = first;
    for (uint32_t step = first; step <= last; step++)
        loads->price[step] = 0;
    for (uint32_t i = 0; i < n_hops; i++) {
        const double *load = &loads->load[(size_t)hops[i].link * loads->n_steps];
        const double own = weight * loads->cost[hops[i].link];
        for (uint32_t step = first; step <= last; step++)
            loads->price[step] += price_of_load((load[step] + own) / loads->share);
    }
    for (uint32_t step = first; step <= last; step++)
        best = loads->price[step] < loads->price[best] ? step : best;
    return best;
}

double step_loads_sum(const struct step_loads *loads)
{
    double sum = 0;
    for (uint32_t step = 0; step < loads->n_steps; step++) {
        double most = 0;
        for (uint32_t link = 0; link < loads->n_links; link++) {
            const double load = loads->load[(size_t)link * loads->n_steps + step];
            most = load > most ? load : most;
        }
        sum += most;
    }
    return sum;
}
