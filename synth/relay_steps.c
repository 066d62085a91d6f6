/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of legs. A leg goes where its links are busiest the least, by the sum over them of y^8, y being the
 * load of a link in a step beside an equal share of the busiest. Those with most legs choose first, straight
 * ones last: they fill the first and last steps, where relays have nothing yet or nothing any more. Then
 * each chooses again, some times over. See relays.h.
 */
#include "synth/relays.h"

#include <stdlib.h>

enum { CHOICES = 6 };

struct table {
    const struct relays *relays;
    struct relay_steps *steps;
    double *load;       /* [link * n_steps + step] */
    double share;       /* of the busiest link in a step */
    double *price;      /* [step] */
};

static double eighth_power(double y)
{
    y *= y;
    y *= y;
    return y * y;
}

/* ---- one leg ---- */

static void add_load(struct table *table, uint32_t n_hops, uint32_t step, double chunks)
{
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = table->relays->hops[i].link;
        table->load[(size_t)link * table->steps->n_steps + step] += chunks * table->relays->cost[link];
    }
}

/* The step among first .. last where it costs least. */
static uint32_t choose(struct table *table, uint32_t n_hops, uint32_t first, uint32_t last, double chunks)
{
    uint32_t best = first;
    for (uint32_t step = first; step <= last; step++)
        table->price[step] = 0;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = table->relays->hops[i].link;
        const double *load = &table->load[(size_t)link * table->steps->n_steps];
        const double own = chunks * table->relays->cost[link];
        for (uint32_t step = first; step <= last; step++)
            table->price[step] += eighth_power((load[step] + own) / table->share);
    }
    for (uint32_t step = first; step <= last; step++)
        best = table->price[step] < table->price[best] ? step : best;
    return best;
}

/* ---- all ---- */

/* Legs of a parcel one after the other; `again`: they have steps already. */
static void place(struct table *table, const struct relay_parcel *parcel, bool again)
{
    const struct relays *relays = table->relays;
    const struct relay_way *way = &relays->ways[parcel->way];
    uint32_t *step = &table->steps->steps[parcel->first_leg];
    uint32_t from = relays->placement->server[parcel->from], first = 0;
    for (uint32_t leg = 0; leg < parcel->n_legs; leg++) {
        const uint32_t to = relays_stop(relays, way, leg, relays->placement->server[parcel->to]);
        const uint32_t n_hops = relays_leg(relays, from, to), left = parcel->n_legs - 1 - leg;
        uint32_t last = table->steps->n_steps - 1 - left;
        if (again && left)
            last = step[leg + 1] - 1;
        if (again)
            add_load(table, n_hops, step[leg], -parcel->weight);
        step[leg] = choose(table, n_hops, first, last, parcel->weight);
        add_load(table, n_hops, step[leg], parcel->weight);
        first = step[leg] + 1;
        from = to;
    }
}

static double sum_of_steps(const struct table *table)
{
    const uint32_t n_links = table->relays->topology->n_link_ids, n_steps = table->steps->n_steps;
    double sum = 0;
    for (uint32_t step = 0; step < n_steps; step++) {
        double most = 0;
        for (uint32_t link = 0; link < n_links; link++) {
            const double load = table->load[(size_t)link * n_steps + step];
            most = load > most ? load : most;
        }
        sum += most;
    }
    return sum;
}

double relays_place(const struct relays *relays, struct relay_steps *steps, uint32_t n_steps)
{
    struct table table = {.relays = relays, .steps = steps};
    const double most = relays_most(relays);
    steps->n_steps = n_steps;
    table.share = most > 0 ? most / n_steps : 1;
    table.load = mem_alloc((size_t)relays->topology->n_link_ids * n_steps, sizeof *table.load);
    table.price = mem_alloc(n_steps, sizeof *table.price);
    for (uint32_t n_legs = steps->most_legs; n_legs > 0; n_legs--)
        for (size_t i = 0; i < steps->n; i++)
            if (steps->parcels[i].n_legs == n_legs)
                place(&table, &steps->parcels[i], false);
    for (uint32_t choice = 1; choice < CHOICES; choice++)
        for (size_t i = 0; i < steps->n; i++)
            place(&table, &steps->parcels[i], true);
    const double sum = sum_of_steps(&table);
    free(table.load);
    free(table.price);
    return sum;
}
