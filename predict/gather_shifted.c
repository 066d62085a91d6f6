/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes loads of the steps of a symmetric schedule: the operations of representatives tell what one server
 * sends, receives and copies, and all do the same; their messages are put on classes of links instead of
 * links, or on the links of a network that has no such classes. It gives the loads that gather.c gives.
 */
#include "ir/counts.h"
#include "ir/shifted_steps.h"
#include "measure/alike_meter.h"
#include "predict/load_list.h"

enum { MAX_ROUTES = 1 << 27 }; /* that are looked at: some seconds */

struct shifted {
    const struct symmetry *symmetry;
    struct predict_loads *loads;
    struct alike_meter meter;
    struct shifted_steps steps;
    uint64_t n_chunks; /* that were sent: no link can have more */
};

/* ---- what ranks and servers do ---- */

/* Returns the most operations of a representative in a list. */
static uint32_t most_of_rank(const struct shifted *shifted, const size_t *begin)
{
    size_t most = 0;
    for (uint32_t orbit = 0; orbit < shifted->symmetry->n_orbits; orbit++)
        most = begin[orbit + 1] - begin[orbit] > most ? begin[orbit + 1] - begin[orbit] : most;
    return (uint32_t)most;
}

static void gather_shifted_add_chunks(const struct shifted *shifted, const struct op *op, uint64_t *sum)
{
    *sum = units_sum(*sum, units_product(op->n_chunks, shifted->meter.shifts.servers.per_orbit));
}

/* Adds the chunks that a server packs, or unpacks, of a message. False: ranks of an orbit do not do the
 * same. */
static bool add_packed(const struct shifted *shifted, const struct op *op, uint64_t *sum)
{
    const enum packed_on on = shifted_packed_on(shifted->symmetry, op);
    if (on == PACKED_ON_ALL)
        gather_shifted_add_chunks(shifted, op, sum);
    return on != PACKED_ON_SOME;
}

/* Finds the number of chunks that a server copies and combines. False: it is not known. */
static bool find_local_chunks(const struct shifted *shifted, const struct step *own, uint64_t *sum)
{
    bool is_known = true;
    for (size_t i = 0; i < own->n_sends; i++)
        is_known = is_known && add_packed(shifted, &own->sends[i], sum);
    for (size_t i = 0; i < own->n_receives; i++)
        if (own->receives[i].kind == OP_REDUCE)
            gather_shifted_add_chunks(shifted, &own->receives[i], sum);
        else
            is_known = is_known && add_packed(shifted, &own->receives[i], sum);
    for (size_t i = 0; i < own->n_copies; i++)
        gather_shifted_add_chunks(shifted, &own->copies[i], sum);
    return is_known;
}

/* Gathers the flows of a step. False: more on a link than is counted. */
static bool gather_flows(struct shifted *shifted, const struct step *own)
{
    uint64_t n_chunks = 0;
    server_flows_clear(&shifted->meter.flows);
    for (size_t i = 0; i < own->n_sends; i++) {
        alike_meter_add(&shifted->meter, own->sends[i].rank, own->sends[i].peer, 1, own->sends[i].n_chunks);
        gather_shifted_add_chunks(shifted, &own->sends[i], &n_chunks);
    }
    shifted->n_chunks =
        units_sum(shifted->n_chunks, units_product(n_chunks, shifted->meter.shifts.servers.shifts.n_ranks));
    return shifted->n_chunks <= INT64_MAX;
}

static bool gather_shifted_take_step(struct shifted *shifted, const struct step *own)
{
    struct predict_loads *loads = shifted->loads;
    struct alike_meter *meter = &shifted->meter;
    const uint32_t n_alike = shifted->symmetry->shifts.n_ranks / shifted->symmetry->n_orbits;
    struct step_load load = {.first = own->index, .n_steps = 1};
    if (!find_local_chunks(shifted, own, &load.local_chunks) || !gather_flows(shifted, own) ||
        !alike_meter_measure(meter, METER_TIMES))
        return false;
    load_take_figures(&load, &meter->figures);
    load.rank_messages = most_of_rank(shifted, shifted->steps.begin[0]);
    const uint32_t n_received = most_of_rank(shifted, shifted->steps.begin[1]);
    load.rank_messages = n_received > load.rank_messages ? n_received : load.rank_messages;
    load.has_memory = meter->laid.has_inside;
    load.memory_chunks = meter->laid.n_inside;
    loads->n_steps += !step_is_local(own);
    loads->n_messages += (uint64_t)own->n_sends * n_alike;
    loads->n_operations += (uint64_t)(own->n_sends + own->n_receives + own->n_copies) * n_alike;
    loads->n_crossings += meter->figures.n_crossings;
    loads->memory_total = units_sum(loads->memory_total, load.memory_chunks);
    loads->local_total = units_sum(loads->local_total, load.local_chunks);
    load_list_add(loads, &load);
    return true;
}

/* ---- all steps ---- */

static bool gather_shifted_take_steps(struct shifted *shifted)
{
    struct schedule *witnesses = shifted->symmetry->schedule;
    struct step step, own;
    witnesses->rewind(witnesses);
    while (witnesses->next(witnesses, &step))
        if (shifted_steps_take(&shifted->steps, &step, &own) || !gather_shifted_take_step(shifted, &own))
            return false;
    return !witnesses->failed;
}

/* True if routes are few enough to be walked one by one. */
static bool are_few(struct shifted *shifted)
{
    const uint64_t n_servers = shifted->meter.shifts.servers.shifts.n_ranks;
    struct schedule *witnesses = shifted->symmetry->schedule;
    uint64_t n_routes = 0;
    bool is_known = true;
    struct step step, own;
    witnesses->rewind(witnesses);
    while (is_known && n_routes <= MAX_ROUTES && witnesses->next(witnesses, &step)) {
        is_known = !shifted_steps_take(&shifted->steps, &step, &own) && gather_flows(shifted, &own);
        if (is_known && !alike_meter_is_again(&shifted->meter)) {
            n_routes += n_servers * shifted->meter.flows.n;
            alike_meter_keep(&shifted->meter);
        }
    }
    server_flows_clear(&shifted->meter.laid);
    shifted->n_chunks = 0;
    return is_known && n_routes <= MAX_ROUTES;
}

bool predict_gather_shifted(const struct symmetry *symmetry, const struct topology *topology,
                            const struct placement *placement, struct predict_loads *loads)
{
    struct shifted shifted = {.symmetry = symmetry, .loads = loads};
    *loads = (struct predict_loads){0};
    if (topology->is_adaptive ||
        !server_shifts_find_on(symmetry, topology, placement, &shifted.meter.shifts.servers))
        return false;
    alike_meter_init(&shifted.meter, topology, placement, &symmetry->schedule->header, true, METER_TIMES);
    shifted_steps_init(&shifted.steps, symmetry);
    const bool is_known =
        (shifted.meter.has_classes || are_few(&shifted)) && gather_shifted_take_steps(&shifted);
    if (is_known) {
        alike_meter_end(&shifted.meter);
        loads->link_total = alike_meter_longest_total(&shifted.meter);
        load_list_merge(loads);
    }
    shifted_steps_free(&shifted.steps);
    alike_meter_free(&shifted.meter);
    if (!is_known)
        predict_loads_free(loads);
    return is_known;
}
