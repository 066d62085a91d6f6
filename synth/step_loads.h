/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each link carries in each step, while messages choose their steps: each goes where its links are
 * busiest the least, by the sum over them of y^8, y being the load of a link in a step beside an equal share
 * of the busiest. Loads are in whatever the caller counts, over the bandwidth of the link.
 */
#ifndef COLLC_SYNTH_STEP_LOADS_H
#define COLLC_SYNTH_STEP_LOADS_H

#include "network/topology.h"

struct step_loads {
    uint32_t n_links, n_steps;
    double share;        /* of the busiest link in a step, if all steps were alike */
    const double *cost;  /* [link] the caller's: arcs_link_costs */
    double *load;        /* [link * n_steps + step] */
    double *price;       /* [step] scratch */
};

/* `most`: what the busiest link carries in all. */
struct step_loads step_loads_new(uint32_t n_links, uint32_t n_steps, const double *cost, double most);
void step_loads_free(struct step_loads *loads);

void step_loads_add(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t step,
                    double weight);
/* The step among first .. last where it costs least, the first of several. O(hops * steps) */
uint32_t step_loads_choose(struct step_loads *loads, const struct hop *hops, uint32_t n_hops, uint32_t first,
                           uint32_t last, double weight);
/* Sum over steps of the busiest link of each. */
double step_loads_sum(const struct step_loads *loads);

#endif
