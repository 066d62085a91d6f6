/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures a map: what its routes share, and the load of each step on the busiest link. See mapping.h.
 */
#include "mapping/search.h"

#include "ir/counts.h"
#include "network/load.h"

#include <stdlib.h>

/* ---- pairs ---- */

void measure_layout(struct layout *layout, struct mapping_figures *figures)
{
    const struct pairs *pairs = layout->pairs;
    const uint32_t n_link_ids = layout->topology->n_link_ids;
    uint32_t *on_link = mem_alloc(n_link_ids, sizeof *on_link);
    uint32_t *on_cable = mem_alloc(layout->n_cables, sizeof *on_cable);
    for (uint32_t i = 0; i < pairs->n; i++) {
        const struct pair *pair = &pairs->list[i];
        const uint32_t from = layout->rank[pair->from], to = layout->rank[pair->to];
        const uint32_t n = layout_route(layout, from, to);
        figures->n_pairs += layout->placement->machine[from] != layout->placement->machine[to];
        figures->max_hops = n > figures->max_hops ? n : figures->max_hops;
        figures->sum_hops += n;
        for (uint32_t hop = 0; hop < n; hop++) {
            const uint32_t link = layout->hops[hop].link;
            figures->shared_links += layout->slowness[link] && on_link[link]++ == 1;
            figures->shared_cables += layout->slowness[link] && on_cable[layout->cable[link]]++ == 1;
        }
    }
    figures->cost = layout->cost;
    figures->is_weighed = layout->is_weighed;
    free(on_link);
    free(on_cable);
}

/* ---- steps ---- */

struct meter {
    struct layout *layout;
    const struct schedule_header *header;
    const uint32_t *map;
    struct link_loads loads; /* chunks in this step, and in all; bytes with counts */
    uint64_t most;           /* in this step */
};

/* False if there is not enough work left for it. */
static bool mapping_measure_add_send(struct meter *meter, const struct op *send, uint64_t *work)
{
    struct layout *layout = meter->layout;
    const uint32_t n = layout_route(layout, meter->map[send->rank], meter->map[send->peer]);
    if (*work < n + 1)
        return false;
    *work -= n + 1;
    const uint64_t units = send->n_chunks ? schedule_carried_units(meter->header, send) : 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t link = layout->hops[i].link;
        uint64_t *load = link_loads_at(&meter->loads, link);
        *load = units_sum(*load, units_product(units, layout->slowness[link]));
        meter->most = *load > meter->most ? *load : meter->most;
    }
    return true;
}

static void mapping_measure_end_step(struct meter *meter, struct mapping_figures *figures)
{
    link_loads_count(&meter->loads, UINT64_MAX);
    figures->step_load += meter->most;
    meter->most = 0;
}

bool measure_steps(struct schedule *schedule, struct layout *layout, const uint32_t *map,
                   uint64_t *work, struct mapping_figures *figures)
{
    struct meter meter = {.layout = layout,
                          .header = &schedule->header,
                          .map = map,
                          .loads = link_loads_new(layout->topology, true)};
    struct step step;
    bool is_enough = true;
    figures->step_load = figures->total_load = 0;
    schedule->rewind(schedule);
    while (is_enough && schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_sends && is_enough; i++)
            is_enough = mapping_measure_add_send(&meter, &step.sends[i], work);
        mapping_measure_end_step(&meter, figures);
    }
    for (uint32_t link = 0; link < layout->topology->n_link_ids; link++)
        if (meter.loads.total[link] > figures->total_load)
            figures->total_load = meter.loads.total[link];
    link_loads_free(&meter.loads);
    return is_enough && !schedule->failed;
}
