/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See ranges.h.
 */
#include "measure/ranges.h"

#include "network/placement/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct load_ranges load_ranges_new(const struct topology *topology, const struct placement *placement)
{
    return (struct load_ranges){
        .topology = topology, .placement = placement, .spread = spread_new(topology, false)};
}

void load_ranges_free(struct load_ranges *ranges)
{
    spread_free(ranges->spread);
    free(ranges->last);
    free(ranges->flows);
}

void ranges_take_flows(const struct flows *flows, const struct placement *placement, bool by_chunks,
                       struct spread_flow *taken)
{
    const uint32_t *machine = placement ? placement->server_machine : NULL;
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        taken[i] = (struct spread_flow){machine ? machine[flow->source] : flow->source,
                                        machine ? machine[flow->destination] : flow->destination,
                                        by_chunks ? (double)flow->n_chunks : flow->n_messages,
                                        placement && placement->adapters ? flow->network : 0};
    }
}

static bool ranges_is_last(const struct load_ranges *ranges, const struct flows *flows)
{
    bool is_last = ranges->n_steps && flows->n == ranges->n_last;
    for (size_t i = 0; is_last && i < flows->n; i++)
        is_last = flows->flows[i].source == ranges->last[i].source &&
                  flows->flows[i].destination == ranges->last[i].destination &&
                  flows->flows[i].network == ranges->last[i].network &&
                  flows->flows[i].n_messages == ranges->last[i].n_messages;
    return is_last;
}

static void ranges_measure(struct load_ranges *ranges, const struct flows *flows)
{
    ranges->last = mem_grow(ranges->last, &ranges->last_capacity, flows->n + 1, sizeof *ranges->last);
    ranges->flows = mem_grow(ranges->flows, &ranges->flow_capacity, flows->n + 1, sizeof *ranges->flows);
    if (flows->n)
        memcpy(ranges->last, flows->flows, flows->n * sizeof *flows->flows);
    ranges->n_last = flows->n;
    ranges_take_flows(flows, ranges->placement, false, ranges->flows);
    ranges->last_loads = spread_measure(ranges->spread, ranges->flows, flows->n);
}

void load_ranges_see(void *context, uint64_t step, const struct flows *flows)
{
    struct load_ranges *ranges = context;
    struct spread_loads *worst = &ranges->worst;
    if (!ranges_is_last(ranges, flows))
        ranges_measure(ranges, flows);
    const struct spread_loads *loads = &ranges->last_loads;
    if (loads->most > worst->most) {
        worst->most = loads->most;
        worst->most_link = loads->most_link;
        ranges->worst_step = step;
    }
    if (loads->balanced > worst->balanced) {
        worst->balanced = loads->balanced;
        ranges->balanced_step = step;
    }
    worst->least = loads->least > worst->least ? loads->least : worst->least;
    worst->contention = loads->contention > worst->contention ? loads->contention : worst->contention;
    ranges->n_certain += loads->contention == CONTENTION_CERTAIN;
    ranges->n_possible += loads->contention != CONTENTION_NONE;
    ranges->sum_balanced += loads->balanced;
    ranges->sum_least += loads->least;
    ranges->n_steps++;
}

uint32_t load_ranges_least(const struct spread_loads *loads)
{
    return (uint32_t)ceil(loads->least - 1e-6);
}
