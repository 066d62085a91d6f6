/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts what the hops of a channel, a ring or tree of ranks, cross.
 */
#ifndef COLLC_MEASURE_CHANNEL_HOPS_H
#define COLLC_MEASURE_CHANNEL_HOPS_H

#include "measure/flows.h"

struct channel_hops {
    uint32_t n;          /* hops between hosts */
    uint32_t n_away;     /* of these: the last switch is another than the first */
    uint32_t n_rails;    /* the adapter by which it arrives has another number than
                            that by which it leaves */
    uint32_t link, most; /* link with the most hops of the channel, and how many;
                            0: none has two */
};
/* Counts them. Requires a topology. O(hops * links on a route) */
void channel_hops_count(const struct schedule_header *header, uint32_t channel,
                        const struct topology *topology, const struct placement *placement,
                        struct channel_hops *hops);

#endif
