/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the load of a schedule's messages on links, and the networks they take.
 */
#ifndef COLLC_STUDY_LOADS_H
#define COLLC_STUDY_LOADS_H

#include "ir/schedule.h"

/* Returns messages of one step by link, [n_link_ids]; left out are messages without a route, and links that
 * do not contend. Release with
 * free. */
uint64_t *loads_of_step(const struct schedule_header *header, const struct topology *topology,
                        const struct placement *placement, const struct step *step);

/* True if a send names (`via`) another network than the topology would choose; without a topology, if one
 * names any. Produces the steps. */
bool loads_choose_networks(struct schedule *schedule, const struct topology *topology,
                           const struct placement *placement);

#endif
