/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-to-alls on the routes of any network with any links: every message goes straight, in a step in
 * which its links and ranks have a place for it. The number of steps is at least the number that the
 * busiest link needs, counted in places, and a table of that many steps is filled: messages over busy
 * links first, as they have the least choice. With unequal counts large messages come first, and the
 * number of steps follows. See fit.h and docs/synthesis.md.
 */
#include "synth/fit.h"

#include "base/integer.h"
#include "network/load.h"

#include <stdlib.h>

#define MOST_NEEDS (UINT64_C(1) << 28) /* limit for all messages, 1 GiB */
enum { WORK = 1 << 26, MOST_STEPS = 64 }; /* a fraction of a second */

/* State of listing the messages. */
struct listing {
    struct fit *fit;
    const struct topology *topology;
    const struct placement *placement;
    struct link_loads loads; /* messages on each link */
    struct hop *hops;
    struct urgency {
        uint64_t bytes;          /* with unequal counts; else 0 */
        uint32_t need, from, to; /* steps that the busiest of its links needs */
    } *order;
};

/* Finds the route from machine to machine and returns its hops, without fat pipes. */
static uint32_t fit_route(const struct listing *listing, uint32_t from, uint32_t to)
{
    const uint32_t n = topology_route(listing->topology, from, to, listing->hops);
    return link_loads_drop_fat_pipes(listing->topology, listing->hops, n);
}

/* ---- rooms ---- */

/* Loads of all links; ports[server] links by which its messages leave. */
static void fit_add_loads(struct listing *listing, uint32_t *ports)
{
    const struct placement *placement = listing->placement;
    uint32_t *last_of = mem_alloc(listing->topology->n_link_ids, sizeof *last_of); /* 1 + server */
    for (uint32_t s = 0; s < placement->n_servers; s++)
        for (uint32_t d = 0; d < placement->n_servers; d++) {
            const uint32_t n = fit_route(listing, placement->server_machine[s], placement->server_machine[d]);
            if (n && last_of[listing->hops[0].link] != s + 1) {
                last_of[listing->hops[0].link] = s + 1;
                ports[s]++;
            }
            link_loads_add(&listing->loads, listing->hops, n,
                           (uint64_t)placement_slots(placement, s) * placement_slots(placement, d));
        }
    free(last_of);
}

static void find_link_rooms(struct listing *listing)
{
    struct fit *fit = listing->fit;
    uint64_t slowest = UINT64_MAX, at = 0;
    const uint32_t limit = fit->request->max_link_load;
    uint32_t link;
    while (link_loads_next(&listing->loads, &at, &link)) {
        const uint64_t bandwidth = topology_link_bandwidth(listing->topology, link);
        slowest = bandwidth < slowest ? bandwidth : slowest;
    }
    for (at = 0; link_loads_next(&listing->loads, &at, &link);) {
        const uint64_t load = listing->loads.load[link];
        uint64_t room = topology_link_bandwidth(listing->topology, link) / slowest;
        room = room > load ? load : room;
        room = limit && room > limit ? limit : room;
        fit->room[link] = (uint32_t)room;
        const uint32_t need = (uint32_t)divide_up(load, room);
        fit->least = need > fit->least ? need : fit->least;
    }
}

static void find_rank_rooms(struct listing *listing, const uint32_t *ports)
{
    struct fit *fit = listing->fit;
    const struct placement *placement = listing->placement;
    const uint32_t p = placement->n_ranks, limit = listing->topology->ports;
    for (uint32_t rank = 0; rank < p; rank++) {
        const uint32_t server = placement->server[rank];
        const uint32_t all = limit && limit < ports[server] ? limit : ports[server];
        uint32_t room = all / placement_slots(placement, server);
        room = room ? room : 1;
        fit->room[listing->topology->n_link_ids + rank] = room;
        fit->room[listing->topology->n_link_ids + p + rank] = room;
        const uint32_t need = (uint32_t)divide_up(p - 1, room);
        fit->least = need > fit->least ? need : fit->least;
    }
}

static void find_rooms(struct listing *listing)
{
    uint32_t *ports = mem_alloc(listing->placement->n_servers, sizeof *ports);
    struct fit *fit = listing->fit;
    fit->n_resources = listing->topology->n_link_ids + 2 * listing->placement->n_ranks;
    fit->room = mem_alloc(fit->n_resources, sizeof *fit->room);
    fit_add_loads(listing, ports);
    find_link_rooms(listing);
    find_rank_rooms(listing, ports);
    free(ports);
}

/* ---- messages ---- */

/* Orders large messages first, so that messages of a step have similar sizes and no step is long for one of
 * them. */
static int by_urgency(const void *a, const void *b)
{
    const struct urgency *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->need != y->need)
        return x->need > y->need ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static uint32_t need_of(const struct listing *listing, uint32_t n_hops)
{
    uint32_t need = 0;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = listing->hops[i].link;
        const uint32_t steps = (uint32_t)divide_up(listing->loads.load[link], listing->fit->room[link]);
        need = steps > need ? steps : need;
    }
    return need;
}

/* Returns how many needs the messages have together. */
static uint64_t order_messages(struct listing *listing)
{
    const struct placement *placement = listing->placement;
    const uint32_t p = placement->n_ranks;
    struct counts *counts = listing->fit->request->what.counts;
    uint64_t n_needs = 0;
    size_t n = 0;
    listing->order = mem_alloc((size_t)p * p, sizeof *listing->order);
    for (uint32_t from = 0; from < p; from++)
        for (uint32_t to = 0; to < p; to++) {
            if (from == to)
                continue;
            const uint32_t n_hops = fit_route(listing, placement->machine[from], placement->machine[to]);
            const uint64_t bytes = counts ? counts->bytes(counts, (uint64_t)from * p + to) : 0;
            listing->order[n++] = (struct urgency){bytes, need_of(listing, n_hops), from, to};
            n_needs += n_hops + 2;
        }
    qsort(listing->order, n, sizeof *listing->order, by_urgency);
    listing->fit->n = n;
    return n_needs;
}

static void list_needs(struct listing *listing, uint64_t n_needs)
{
    struct fit *fit = listing->fit;
    const uint32_t *machine = listing->placement->machine;
    const uint32_t senders = listing->topology->n_link_ids, receivers = senders + listing->placement->n_ranks;
    size_t at = 0;
    fit->messages = mem_alloc(fit->n + 1, sizeof *fit->messages);
    fit->needs = mem_alloc(n_needs, sizeof *fit->needs);
    for (size_t i = 0; i < fit->n; i++) {
        const struct urgency *urgency = &listing->order[i];
        const uint32_t n = fit_route(listing, machine[urgency->from], machine[urgency->to]);
        fit->messages[i] = (struct fit_message){urgency->from, urgency->to, FIT_NOWHERE, 0, at};
        if (fit->is_unequal && urgency->bytes == 0)
            continue; /* it is not sent */
        for (uint32_t hop = 0; hop < n; hop++)
            fit->needs[at++] = listing->hops[hop].link;
        fit->needs[at++] = senders + urgency->from;
        fit->needs[at++] = receivers + urgency->to;
    }
    fit->messages[fit->n].needs = at;
}

/* Lists the messages and their needs. Returns false after adding to `problem` why there are none. Time
 * O(messages * hops). */
static bool fit_list(struct fit *fit, const struct synth_request *request, struct text *problem)
{
    struct listing listing = {.fit = fit, .topology = request->what.topology,
                              .placement = request->what.placement};
    *fit = (struct fit){.request = request, .is_unequal = request->what.counts};
    if (listing.topology->n_networks > 1) {
        text_printf(problem, "these are several networks");
        return false;
    }
    listing.loads = link_loads_new(listing.topology, false);
    listing.hops = mem_alloc((size_t)listing.topology->max_hops + 1, sizeof *listing.hops);
    find_rooms(&listing);
    const uint64_t n_needs = order_messages(&listing);
    const bool is_small = n_needs <= MOST_NEEDS;
    if (is_small)
        list_needs(&listing, n_needs);
    else
        text_printf(problem, "routes of all pairs would take more than 1 GiB");
    link_loads_free(&listing.loads);
    free(listing.hops);
    free(listing.order);
    return is_small;
}

static void fit_free(struct fit *fit)
{
    free(fit->room);
    free(fit->messages);
    free(fit->needs);
}

/* ---- the method ---- */

/* Returns the number of messages to place again before there is one more step: as many as there are, but of
 * few more. Only a table without a gap meets the bound, and for few messages there is time to look for it.
 * */
static uint64_t fit_effort(const struct fit *fit)
{
    const uint64_t needs = fit->messages[fit->n].needs / (fit->n + 1) + 1;
    const uint64_t n = WORK / (needs * (fit->least < MOST_STEPS ? fit->least + 1 : MOST_STEPS));
    return n > fit->n ? n : fit->n;
}

static bool fit_make(const struct synth_request *request, struct synth_steps *steps,
                     struct schedule_header *header, struct text *problem)
{
    struct fit fit;
    if (!synth_is_alltoall(request, problem))
        return false;
    header->segments = 1;
    const bool is_done = fit_list(&fit, request, problem) &&
                         fit_place(&fit, fit_effort(&fit), problem);
    for (size_t i = 0; is_done && i < fit.n; i++)
        synth_steps_send_block(steps, fit.messages[i].step, fit.messages[i].from, fit.messages[i].to, 1);
    for (uint32_t rank = 0; is_done && rank < header->n_ranks; rank++)
        synth_steps_send_block(steps, 0, rank, rank, 1);
    fit_free(&fit);
    return is_done;
}

const struct synth_method fit_method = {"fit", fit_make, true};
