/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes loads of the steps of a symmetric schedule: the operations of representatives tell what one server
 * sends, receives and copies, and all do the same; their messages are put on classes of links instead of
 * links, or on the links of a network that has no such classes. It gives the loads that gather.c gives.
 */
#include "measure/class_loads.h"
#include "ir/counts.h"
#include "measure/hol.h"
#include "ir/shifted_steps.h"
#include "network/shifts.h"
#include "predict/load_list.h"
#include "predict/server_routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUTES = 1 << 27 }; /* that are looked at: some seconds */

struct shifted {
    const struct symmetry *symmetry;
    const struct topology *topology;
    struct predict_loads *loads;
    struct link_shifts shifts;
    bool has_classes;          /* of links: */
    struct class_loads links;  /* chunks */
    struct server_routes routes; /* or else */
    struct shifted_steps steps;
    struct server_flows flows; /* of the step that is looked at */
    struct server_flows laid;  /* those on the links, */
    struct step_load load;     /* what they put there, */
    uint64_t n_crossings;      /* and links that they cross */
    struct hol *hol;
    uint64_t n_chunks;         /* that were sent: no link can have more */
};

/* ---- what a server puts on the network ---- */

/* Returns the number of links of a class that messages of the step cross, counted for each of these. */
static uint64_t crossings_of(const struct shifted *shifted, uint32_t class)
{
    const struct class_loads *links = &shifted->links;
    const uint64_t n_links = shifted->shifts.is_free
                                 ? shifted->shifts.servers.shifts.n_ranks
                                 : topology_links_at(shifted->topology, &links->machines, class);
    uint64_t n = 0;
    for (uint32_t i = links->classes[class].first; i; i = links->pieces[i - 1].next) {
        const struct class_piece *piece = &links->pieces[i - 1];
        n += piece->messages * (piece->end - piece->begin) * n_links;
    }
    return n;
}

/* The busiest link, and that by which messages leave a server. */
static void gather_shifted_load_classes(struct shifted *shifted, struct step_load *load)
{
    const struct server_flows *flows = &shifted->flows;
    struct class_loads *links = &shifted->links;
    class_loads_lay(links, flows);
    shifted->n_crossings = 0;
    for (uint32_t i = 0; i < links->n_touched; i++) {
        const struct class_most most = class_loads_most(links, i, false);
        const struct transfer busiest = {most.chunks,
                                         topology_links_of(shifted->topology, most.class).bandwidth};
        shifted->n_crossings += crossings_of(shifted, most.class);
        load->sender = i ? load->sender : busiest;
        if (most.chunks)
            transfer_raise(&load->link, busiest);
    }
    for (size_t i = 0; i < flows->n; i++) {
        const uint64_t latency =
            topology_offset_latency(shifted->topology, &links->machines, flows->items[i].offset);
        if (load->latency == UINT64_MAX || latency > load->latency)
            load->latency = latency;
    }
}

/* False: it is not known that way. */
static bool measure_flows(struct shifted *shifted)
{
    const struct server_flows *flows = &shifted->flows;
    struct step_load load = {.latency = UINT64_MAX, .slowdown = 1000000};
    load.server_messages = (uint32_t)server_flows_messages(flows);
    if (shifted->has_classes)
        gather_shifted_load_classes(shifted, &load);
    else if (!server_routes_lay(&shifted->routes, flows, &load, &shifted->n_crossings))
        return false;
    if (flows->n < 2 || !shifted->topology->has_machine_ports || !load.link.chunks)
        load.sender = (struct transfer){0, 0};
    else
        load.slowdown = (uint64_t)llround(hol_slowdown_alike(shifted->hol, flows) * 1e6);
    shifted->load = load;
    return true;
}

static bool is_laid(const struct shifted *shifted)
{
    const struct server_flows *flows = &shifted->flows, *laid = &shifted->laid;
    bool is_same = flows->n == laid->n;
    for (size_t i = 0; is_same && i < flows->n; i++)
        is_same = flows->items[i].offset == laid->items[i].offset &&
                  flows->items[i].n_messages == laid->items[i].n_messages &&
                  flows->items[i].n_chunks == laid->items[i].n_chunks;
    return is_same;
}

static void leave_laid(struct shifted *shifted)
{
    const struct server_flows room = shifted->laid;
    shifted->laid = shifted->flows;
    shifted->flows = room;
}

/* Puts the flows on the links, and leaves them in `laid`. False: it is not known what they do there. */
static bool gather_shifted_lay_flows(struct shifted *shifted)
{
    const bool is_again = is_laid(shifted);
    if (is_again && shifted->has_classes)
        class_loads_repeat(&shifted->links, 1);
    else if (is_again)
        server_routes_repeat(&shifted->routes);
    else if (!measure_flows(shifted))
        return false;
    if (!is_again)
        leave_laid(shifted);
    return true;
}

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
    *sum = units_sum(*sum, units_product(op->n_chunks, shifted->shifts.servers.per_orbit));
}

/* Returns the number of chunks that a server copies and combines. */
static uint64_t local_chunks(const struct shifted *shifted, const struct step *own)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < own->n_receives; i++)
        if (own->receives[i].kind == OP_REDUCE)
            gather_shifted_add_chunks(shifted, &own->receives[i], &sum);
    for (size_t i = 0; i < own->n_copies; i++)
        gather_shifted_add_chunks(shifted, &own->copies[i], &sum);
    return sum;
}

/* The flows of a step. False: more on a link, or of a server, than is counted. */
static bool gather_flows(struct shifted *shifted, const struct step *own)
{
    uint64_t n_chunks = 0;
    server_flows_clear(&shifted->flows);
    for (size_t i = 0; i < own->n_sends; i++) {
        const struct op *send = &own->sends[i];
        server_flows_add_sends(&shifted->flows, &shifted->shifts.servers, send->peer, 1, send->n_chunks);
        gather_shifted_add_chunks(shifted, send, &n_chunks);
    }
    server_flows_merge(&shifted->flows);
    shifted->n_chunks =
        units_sum(shifted->n_chunks, units_product(n_chunks, shifted->shifts.servers.shifts.n_ranks));
    return shifted->n_chunks <= INT64_MAX && server_flows_messages(&shifted->flows) <= UINT32_MAX;
}

static bool gather_shifted_take_step(struct shifted *shifted, const struct step *own)
{
    struct predict_loads *loads = shifted->loads;
    const uint32_t n_alike = shifted->symmetry->shifts.n_ranks / shifted->symmetry->n_orbits;
    if (!gather_flows(shifted, own))
        return false;
    const uint64_t n_inside = shifted->flows.n_inside, n_local = local_chunks(shifted, own);
    const bool has_inside = shifted->flows.has_inside;
    if (!gather_shifted_lay_flows(shifted))
        return false;
    struct step_load load = shifted->load;
    load.first = own->index;
    load.n_steps = 1;
    load.rank_messages = most_of_rank(shifted, shifted->steps.begin[0]);
    const uint32_t n_received = most_of_rank(shifted, shifted->steps.begin[1]);
    load.rank_messages = n_received > load.rank_messages ? n_received : load.rank_messages;
    load.has_memory = has_inside;
    load.memory_chunks = n_inside;
    load.local_chunks = n_local;
    loads->n_steps += !step_is_local(own);
    loads->n_messages += (uint64_t)own->n_sends * n_alike;
    loads->n_operations += (uint64_t)(own->n_sends + own->n_receives + own->n_copies) * n_alike;
    loads->n_crossings += shifted->n_crossings;
    loads->memory_total = units_sum(loads->memory_total, n_inside);
    loads->local_total = units_sum(loads->local_total, n_local);
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
    const uint64_t n_servers = shifted->shifts.servers.shifts.n_ranks;
    struct schedule *witnesses = shifted->symmetry->schedule;
    uint64_t n_routes = 0;
    bool is_known = true;
    struct step step, own;
    witnesses->rewind(witnesses);
    while (is_known && n_routes <= MAX_ROUTES && witnesses->next(witnesses, &step)) {
        is_known = !shifted_steps_take(&shifted->steps, &step, &own) && gather_flows(shifted, &own);
        if (is_known && !is_laid(shifted)) {
            n_routes += n_servers * shifted->flows.n;
            leave_laid(shifted);
        }
    }
    server_flows_clear(&shifted->laid);
    shifted->n_chunks = 0;
    return is_known && n_routes <= MAX_ROUTES;
}

/* The busiest link of all steps together. */
static void find_total(struct shifted *shifted)
{
    if (!shifted->has_classes) {
        shifted->loads->link_total = server_routes_total(&shifted->routes);
        return;
    }
    class_loads_add_up(&shifted->links);
    for (uint32_t class = 0; class < shifted->links.n_classes; class++) {
        const uint64_t most = class_loads_most_total(&shifted->links, class);
        if (most)
            transfer_raise(&shifted->loads->link_total,
                           (struct transfer){most, topology_links_of(shifted->topology, class).bandwidth});
    }
}

/* Begins to measure if one server represents all. False: it does not. */
static bool gather_shifted_begin(struct shifted *shifted, const struct placement *placement)
{
    const struct topology *topology = shifted->topology;
    shifted->has_classes = link_shifts_find(shifted->symmetry, topology, placement, &shifted->shifts);
    if (!shifted->has_classes &&
        !server_shifts_find_on(shifted->symmetry, topology, placement, &shifted->shifts.servers))
        return false;
    if (shifted->has_classes)
        class_loads_init(&shifted->links, topology, &shifted->shifts.machines, CLASS_CHUNKS);
    else
        server_routes_init(&shifted->routes, topology, placement, &shifted->shifts.servers.shifts);
    shifted_steps_init(&shifted->steps, shifted->symmetry);
    shifted->load = (struct step_load){.latency = UINT64_MAX, .slowdown = 1000000}; /* of no flows */
    shifted->hol = hol_new(1, 1);
    return true;
}

static void end(struct shifted *shifted)
{
    if (shifted->has_classes)
        class_loads_free(&shifted->links);
    else
        server_routes_free(&shifted->routes);
    shifted_steps_free(&shifted->steps);
    server_flows_free(&shifted->flows);
    server_flows_free(&shifted->laid);
    hol_free(shifted->hol);
}

bool predict_gather_shifted(const struct symmetry *symmetry, const struct topology *topology,
                            const struct placement *placement, struct predict_loads *loads)
{
    struct shifted shifted = {.symmetry = symmetry, .topology = topology, .loads = loads};
    *loads = (struct predict_loads){0};
    if (!gather_shifted_begin(&shifted, placement))
        return false;
    const bool is_known = (shifted.has_classes || are_few(&shifted)) && gather_shifted_take_steps(&shifted);
    if (is_known) {
        find_total(&shifted);
        load_list_merge(loads);
    }
    end(&shifted);
    if (!is_known)
        predict_loads_free(loads);
    return is_known;
}
