/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of the steps of a schedule on a network with adaptive routes, as ranges (network/spread.h): collected
 * from the flows of each step, a message counting one.
 */
#ifndef COLLC_MEASURE_RANGES_H
#define COLLC_MEASURE_RANGES_H

#include "measure/flows.h"
#include "network/spread.h"

struct load_ranges {
    const struct topology *topology;
    const struct placement *placement; /* NULL: one rank per server */
    struct spread *spread;
    struct spread_loads worst;          /* the largest of each over the steps */
    uint64_t worst_step, balanced_step; /* first steps with `most`, and with the largest `balanced` */
    uint64_t n_certain, n_possible;     /* steps with contention, for certain; possible, those included */
    double sum_balanced, sum_least;     /* over the steps */
    uint64_t n_steps;
    /* The last step, which may come again. */
    struct flow *last;
    size_t n_last, last_capacity, flow_capacity;
    struct spread_flow *flows;
    struct spread_loads last_loads;
};

/* Writes flows, none of which has no messages, as those of network/spread.h: by_chunks, or by messages. */
void ranges_take_flows(const struct flows *flows, const struct placement *placement, bool by_chunks,
                       struct spread_flow *taken);

/* Requires an adaptive topology. Release with load_ranges_free. */
struct load_ranges load_ranges_new(const struct topology *topology, const struct placement *placement);
void load_ranges_free(struct load_ranges *ranges);

/* Adds a step; the first argument is a struct load_ranges. For verify_request.watch. Cost as of
 * spread_measure; a step with the flows of the one before is not measured again. */
void load_ranges_see(void *ranges, uint64_t step, const struct flows *flows);

/* Returns the messages that some link carries in a step for certain, whatever is chosen: the least, as a
 * whole number where messages are not divided. */
uint32_t load_ranges_least(const struct spread_loads *loads);

#endif
