/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the load of a schedule's messages on links, and the networks they take.
 */
#ifndef COLLC_STUDY_LOADS_H
#define COLLC_STUDY_LOADS_H

#include "study/scene.h"

/* Returns messages, or with counts bytes, of one step by link, [n_link_ids]; left out are messages without a
 * route, and links that do not contend. Release with free. */
uint64_t *loads_of_step(const struct schedule_header *header, const struct topology *topology,
                        const struct placement *placement, const struct step *step);

/* The same over all steps. */
struct total_loads {
    uint64_t *load; /* [link] chunks, or bytes with counts, of all stripes (placement_stripes); NULL: a step
                       could not be produced */
    double least;   /* what machines' own links carry at least, of any schedule; 0: not known */
    uint64_t n_messages, n_unrouted; /* those without a route, which the diagnostics name, are on no link */
};
/* Finds the loads of the scene's schedule on its topology, and their bound; release .load with free. */
struct total_loads loads_of_schedule(const struct scene *scene, struct diagnostics *findings);

/* True if a send names (`via`) another network than the topology would choose; without a topology, if one
 * names any. Produces the steps. */
bool loads_choose_networks(struct schedule *schedule, const struct topology *topology,
                           const struct placement *placement);

#endif
