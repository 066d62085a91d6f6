/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the steps of legs by the load of links in each (step_loads.h). Parcels with most legs choose
 * first, straight ones last: they fill the first and last steps, in which relays have nothing to send.
 * Then each chooses again, several times. See relays.h.
 */
#include "synth/relays.h"
#include "synth/step_loads.h"

enum { CHOICES = 6 };

struct table {
    const struct relays *relays;
    struct relay_steps *steps;
    struct step_loads loads;
};

/* Places the legs of a parcel one after the other; `again`: they have steps already. Returns true if any
 * step changed. */
static bool relay_steps_place(struct table *table, const struct relay_parcel *parcel, bool again)
{
    const struct relays *relays = table->relays;
    const struct relay_way *way = &relays->ways[parcel->way];
    uint32_t *step = &table->steps->steps[parcel->first_leg];
    uint32_t from = relays->placement->server[parcel->from], first = 0;
    bool is_moved = false;
    for (uint32_t leg = 0; leg < parcel->n_legs; leg++) {
        const uint32_t to = relays_stop(relays, way, leg, relays->placement->server[parcel->to]);
        const uint32_t n_hops = relays_leg(relays, from, to), left = parcel->n_legs - 1 - leg;
        uint32_t last = table->steps->n_steps - 1 - left;
        if (again && left)
            last = step[leg + 1] - 1;
        if (again)
            step_loads_add(&table->loads, relays->hops, n_hops, step[leg], -parcel->weight);
        const uint32_t before = step[leg];
        step[leg] = step_loads_choose(&table->loads, relays->hops, n_hops, first, last, parcel->weight);
        is_moved |= step[leg] != before;
        step_loads_add(&table->loads, relays->hops, n_hops, step[leg], parcel->weight);
        first = step[leg] + 1;
        from = to;
    }
    return is_moved;
}

double relays_place(const struct relays *relays, struct relay_steps *steps, uint32_t n_steps)
{
    struct table table = {.relays = relays, .steps = steps};
    steps->n_steps = n_steps;
    table.loads = step_loads_new(relays->topology->n_link_ids, n_steps, relays->cost, relays_most(relays));
    for (uint32_t n_legs = steps->most_legs; n_legs > 0; n_legs--)
        for (size_t i = 0; i < steps->n; i++)
            if (steps->parcels[i].n_legs == n_legs)
                relay_steps_place(&table, &steps->parcels[i], false);
    bool is_moved = true;
    for (uint32_t choice = 1; choice < CHOICES && is_moved; choice++) {
        is_moved = false;
        for (size_t i = 0; i < steps->n; i++)
            is_moved |= relay_steps_place(&table, &steps->parcels[i], true);
    }
    const double sum = step_loads_sum(&table.loads);
    step_loads_free(&table.loads);
    return sum;
}
