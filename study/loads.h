/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What messages of a schedule do on a network: those on each link, and which network they take.
 */
#ifndef COLLC_STUDY_LOADS_H
#define COLLC_STUDY_LOADS_H

#include "ir/schedule.h"

/* Messages of one step by link, [n_link_ids]; those without a route are left out. Release with
 * free. */
uint64_t *loads_of_step(const struct schedule_header *header, const struct topology *topology,
                        const struct placement *placement, const struct step *step);

/* Whether a send names (`via`) another network than the topology would choose; without a topology,
 * whether one names any. Produces the steps. */
bool loads_choose_networks(struct schedule *schedule, const struct topology *topology,
                           const struct placement *placement);

#endif
