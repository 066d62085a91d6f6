/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds plans by simulated annealing if arrangements in closed form do not meet the bound. With few steps
 * there is little room, so a change always affects four flows in each of two steps: A and A' swap as
 * sources of B and B', by as many messages in the one step as back in the other. Sums by step and server,
 * and by pair of servers, stay the same. Idle ranks are a flow too, to or from a server "nobody". The
 * cost is the number of sources above the wanted fan-in, and a little for every source. See
 * server_plan.h.
 */
#include "bound/fan_in.h"
#include "bound/server_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SOURCE = 0.05; /* cost of a source; one above the fan-in wanted costs 1 more */
static const double HOT = 0.6, COLD = 0.04;

struct search {
    const struct placement *placement;
    uint32_t n_steps, nobody, fan_in; /* nobody: the number of servers */
    uint32_t *flow;                   /* [(step * (nobody + 1) + from) * (nobody + 1) + to] */
    uint64_t random, excess;          /* excess: sources above fan_in, in all */
};

struct change {
    uint32_t step[2], from[2], to[2], n;
};

static uint32_t random_number(struct search *search, uint32_t n)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return (uint32_t)((search->random >> 32) * n >> 32);
}

static uint32_t *flow_at(const struct search *search, uint32_t step, uint32_t from, uint32_t to)
{
    const size_t n = (size_t)search->nobody + 1;
    return &search->flow[(step * n + from) * n + to];
}

static uint32_t n_sources(const struct search *search, uint32_t step, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t from = 0; from < search->nobody && to < search->nobody; from++)
        n += from != to && *flow_at(search, step, from, to);
    return n;
}

static uint32_t above(const struct search *search, uint32_t n)
{
    return n > search->fan_in ? n - search->fan_in : 0;
}

/* ---- the start: a ring of the ranks, without the step to oneself ---- */

static void add_idle(struct search *search, uint32_t step)
{
    *flow_at(search, step, search->nobody, search->nobody) = search->placement->n_ranks;
    for (uint32_t server = 0; server < search->nobody; server++) {
        uint32_t out = 0, in = 0, n = placement_slots(search->placement, server);
        for (uint32_t other = 0; other < search->nobody; other++) {
            out += *flow_at(search, step, server, other);
            in += *flow_at(search, step, other, server);
        }
        *flow_at(search, step, server, search->nobody) = n - out;
        *flow_at(search, step, search->nobody, server) = n - in;
    }
}

static void start_with_ring(struct search *search)
{
    const struct placement *placement = search->placement;
    const uint32_t p = placement->n_ranks;
    const size_t n = (size_t)search->nobody + 1;
    search->flow = mem_alloc(search->n_steps * n * n, sizeof *search->flow);
    for (uint32_t step = 1; step < p; step++)
        for (uint32_t rank = 0; rank < p; rank++)
            ++*flow_at(search, step - 1, placement->server[placement->ranks[rank]],
                       placement->server[placement->ranks[(rank + step) % p]]);
    for (uint32_t step = 0; step < search->n_steps; step++)
        add_idle(search, step);
}

static uint64_t total_excess(const struct search *search)
{
    uint64_t excess = 0;
    for (uint32_t step = 0; step < search->n_steps; step++)
        for (uint32_t to = 0; to < search->nobody; to++)
            excess += above(search, n_sources(search, step, to));
    return excess;
}

/* ---- changes ---- */

/* Counts the sources, and those above the wanted fan-in, of the four servers and steps of a change. */
static void server_plan_search_count_sources(const struct search *search, const struct change *change,
                                             uint32_t *sources, uint32_t *excess)
{
    *sources = *excess = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t n = n_sources(search, change->step[i % 2], change->to[i / 2]);
        *sources += n;
        *excess += above(search, n);
    }
}

static void make_change(struct search *search, const struct change *change)
{
    for (int i = 0; i < 8; i++) {
        uint32_t *flow = flow_at(search, change->step[i % 2], change->from[i / 2 % 2],
                                 change->to[i / 4]);
        *flow = (i % 2 + i / 2 % 2 + i / 4) % 2 ? *flow + change->n : *flow - change->n;
    }
}

static void undo_change(struct search *search, struct change *change)
{
    const uint32_t step = change->step[0];
    change->step[0] = change->step[1];
    change->step[1] = step;
    make_change(search, change);
}

/* Proposes a random possible change; half of them of as many messages as possible. */
static bool propose(struct search *search, struct change *change)
{
    const uint32_t n = search->nobody + 1;
    change->step[0] = random_number(search, search->n_steps);
    change->step[1] = random_number(search, search->n_steps);
    for (int i = 0; i < 2; i++) {
        change->from[i] = random_number(search, n);
        change->to[i] = random_number(search, n);
    }
    if (change->step[0] == change->step[1] || change->from[0] == change->from[1] ||
        change->to[0] == change->to[1])
        return false;
    change->n = UINT32_MAX;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t step = change->step[i / 2], from = change->from[i % 2];
        const uint32_t flow = *flow_at(search, step, from, change->to[(i / 2 + i % 2) % 2]);
        change->n = flow < change->n ? flow : change->n;
    }
    if (change->n > 1 && random_number(search, 2))
        change->n = 1;
    return change->n > 0;
}

static void try_change(struct search *search, double temperature)
{
    struct change change;
    uint32_t sources, excess, new_sources, new_excess;
    if (!propose(search, &change))
        return;
    server_plan_search_count_sources(search, &change, &sources, &excess);
    make_change(search, &change);
    server_plan_search_count_sources(search, &change, &new_sources, &new_excess);
    const double more = SOURCE * ((double)new_sources - sources) + ((double)new_excess - excess);
    const double chance = (random_number(search, 1 << 20) + 1.0) / (1 << 20);
    if (more > 0 && more > -temperature * log(chance))
        undo_change(search, &change);
    else
        search->excess = search->excess + new_excess - excess;
}

static bool anneal(struct search *search, uint64_t effort)
{
    double temperature = HOT;
    const double slower = pow(COLD / HOT, 1000.0 / (double)effort);
    search->excess = total_excess(search);
    for (uint64_t i = 0; i < effort && search->excess; i++) {
        try_change(search, temperature);
        if (i % 1000 == 0)
            temperature *= slower;
    }
    return search->excess == 0;
}

static struct server_plan plan_of(const struct search *search)
{
    struct server_plan plan = {.placement = search->placement};
    for (uint32_t step = 0; step < search->n_steps; step++)
        for (uint32_t from = 0; from < search->nobody; from++)
            for (uint32_t to = 0; to < search->nobody; to++)
                *server_plan_flow(&plan, step, from, to) = *flow_at(search, step, from, to);
    return plan;
}

/* Searches a plan. Returns false, and no plan, if it found none. */
static bool search_plan(const struct placement *placement, uint32_t steps, uint32_t fan_in,
                        uint64_t effort, struct server_plan *plan)
{
    struct search search = {.placement = placement, .n_steps = steps, .fan_in = fan_in,
                            .nobody = placement->n_servers, .random = 2010};
    start_with_ring(&search);
    const bool is_found = anneal(&search, effort);
    if (is_found)
        *plan = plan_of(&search);
    free(search.flow);
    return is_found;
}

struct server_plan server_plan_find(const struct placement *placement, uint32_t fan_in, uint64_t effort)
{
    struct server_plan plan = server_plan_fan_in_1(placement), better;
    uint32_t steps = (uint32_t)bound_steps(placement, fan_in);
    if (plan.n_steps == steps)
        return plan;
    for (; steps < plan.n_steps; steps += 1 + (steps - (uint32_t)bound_steps(placement, fan_in)))
        if (search_plan(placement, steps, fan_in, effort, &better)) {
            server_plan_free(&plan);
            return better;
        }
    return plan;
}
