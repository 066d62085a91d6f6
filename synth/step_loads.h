/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load of each link in each step while messages choose their steps: each takes the step in which its
 * links are least busy, by the sum over them of y^8. y is the load of a link in a step over an equal
 * share of the busiest link's load. Loads are in the caller's unit, over the bandwidth of the link.
 */
#ifndef COLLC_SYNTH_STEP_LOADS_H
#define COLLC_SYNTH_STEP_LOADS_H

#include "network/topology.h"

struct step_loads {
    uint32_t n_links, n_steps;
    double share;        /* load of the busiest link in a step, if all steps were equal */
    const double *cost;  /* [link] owned by the caller: arcs_link_costs */
    double *load;        /* [link * n_steps + step] */
    double *price;       /* [step] scratch */
};

/* Returns empty loads. `most`: load of the busiest link over all steps. */
struct step_loads step_loads_new(uint32_t n_links, uint32_t n_steps, const double *cost, double most);
void step_loads_free(struct step_loads *loads);

void step_loads_add(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t step,
                    double weight);
/* Returns the cheapest step among first .. last, the first of several. O(hops * steps) */
uint32_t step_loads_choose(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t first,
                           uint32_t last, double weight);
/* Returns the sum over steps of the busiest link of each. */
double step_loads_sum(const struct step_loads *loads);

#endif
