/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays the links of the model `asap`: see asap_links.h.
 *
 * The order of messages that come to a link matters, and the order of links does not. So a head
 * that comes to a link at some time is dealt with sooner, by the least latency from any machine to where the
 * link begins: by then every message that can come there before is in flight. A message that meets nobody
 * then goes over many links at once, all of them in a star. (These latencies are potentials, as Johnson 1977
 * has them for shortest paths: from one link of a route to the next they grow by no more than the link takes,
 * so time does not go back.) It takes links that have some latency; where a machine is at every node, as on a
 * grid, nothing is known sooner.
 */
#include "simulate/asap_links.h"

#include "network/networks.h"

enum {
    CACHE_LINE = 64,
    FEW_WAITING = 4 /* messages that wait behind fewer are in the timetable at once */
};

static void asap_links_plan(struct asap_links *links, uint64_t time, const struct asap_flight *flight,
                            enum asap_moment kind, uint32_t what)
{
    timetable_add(&links->table, (struct moment){time, flight->number * N_ASAP_MOMENTS + kind, kind, what});
}

void asap_links_plan_left(struct asap_links *links, const struct asap_flight *flight, uint64_t time,
                          uint32_t what)
{
    asap_links_plan(links, time, flight, ASAP_HAS_LEFT, what);
}

/* ---- links ---- */

/* Asks the topology for a link that is used for the first time. */
static void learn_link(struct asap_links *links, struct asap_link *link)
{
    const struct topology *topology = links->topology;
    const uint32_t number = (uint32_t)(link - links->links);
    uint32_t from, to = 0;
    if (links->sooner)
        topology_link_ends(topology, number, &from, &to);
    *link = (struct asap_link){.bandwidth = topology_link_bandwidth(topology, number),
                               .latency = topology_link_latency(topology, number),
                               .sooner = links->sooner ? links->sooner[to] : 0,
                               .first = ASAP_NONE,
                               .is_shared = !topology_link_contends(topology, number)};
    if (!links->known)
        links->known = link;
    links->is_alike = links->is_alike && link->bandwidth == links->known->bandwidth &&
                      link->latency == links->known->latency;
}

static struct asap_link *asap_links_at(const struct asap_links *links, const struct asap_flight *flight,
                                       uint32_t at)
{
    const void *route = (const char *)flight + links->route_at;
    return &links->links[links->route_size == sizeof(uint16_t) ? ((const uint16_t *)route)[at]
                                                               : ((const uint32_t *)route)[at]];
}

static void keep_route(struct asap_links *links, struct asap_flight *flight, uint32_t n_hops)
{
    void *route = (char *)flight + links->route_at;
    flight->n_hops = n_hops;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = links->hops[i].link;
        if (links->route_size == sizeof(uint16_t))
            ((uint16_t *)route)[i] = (uint16_t)link;
        else
            ((uint32_t *)route)[i] = link;
    }
}

uint64_t asap_links_find_way(struct asap_links *links, const struct asap_flight *flight, uint64_t *bandwidth)
{
    uint64_t slowest = links->process_bandwidth ? links->process_bandwidth : UINT64_MAX;
    uint64_t latency = 0;
    const uint32_t n_unlike = links->is_alike ? 1 : flight->n_hops;
    for (uint32_t i = 0; i < n_unlike; i++) {
        const struct asap_link *link = asap_links_at(links, flight, i);
        latency += link->latency;
        slowest = link->bandwidth < slowest ? link->bandwidth : slowest;
    }
    *bandwidth = asap_lasts(links, flight->bytes, slowest);
    return latency + (flight->n_hops - n_unlike) * latency;
}

/* The message goes over a link or a port; its head comes at `head`. Returns when it begins. */
static inline uint64_t asap_links_cross(struct asap_links *links, struct asap_flight *flight, uint64_t head,
                                        struct asap_link *link)
{
    const uint64_t lasts = asap_lasts(links, flight->bytes, link->bandwidth);
    return asap_serve(&link->free, link->is_shared, link->latency, head, lasts, &flight->tail);
}

/* ---- messages that wait for a link ---- */

static void prefetch(const struct asap_links *links, uint32_t number)
{
    const char *message = (const char *)asap_flight_at(links, number);
    for (size_t line = 0; line < links->message_size; line += CACHE_LINE)
        __builtin_prefetch(message + line);
}

/* The next one of those that are far behind comes into the timetable, sooner than it is dealt with: each
 * begins later than the one before. So the timetable stays small, and the message is fetched from memory in
 * time. */
static void take_next(struct asap_links *links, struct asap_link *link)
{
    const uint32_t number = link->first;
    link->has_first = number != ASAP_NONE;
    if (!link->has_first)
        return;
    struct asap_flight *flight = asap_flight_at(links, number);
    link->first = flight->next;
    if (link->first != ASAP_NONE)
        prefetch(links, link->first);
    flight->is_first_waiting = true;
    asap_links_plan(links, flight->head - link->sooner, flight, ASAP_HEAD_COMES, number);
}

static void wait_for_link(struct asap_links *links, struct asap_flight *flight, uint32_t number,
                          struct asap_link *link)
{
    flight->next = ASAP_NONE;
    if (link->first == ASAP_NONE)
        link->first = number;
    else
        asap_flight_at(links, link->last)->next = number;
    link->last = number;
    if (!link->has_first)
        take_next(links, link);
}

/* ---- messages ---- */

/* True if a message that came at `head` and has the link from `begin` to `end` is behind many others. Those
 * of no length are not: they would not begin one after the other. */
static bool is_far_behind(uint64_t head, uint64_t begin, uint64_t end)
{
    return end > begin && (begin - head) / FEW_WAITING > end - begin;
}

/* Tells the owner when the message will have left, once it has its first link. */
static void tell_leaving(struct asap_links *links, const struct asap_flight *flight, uint32_t number,
                         const struct asap_link *link)
{
    const uint64_t rate = links->process_bandwidth;
    const uint64_t slowest = rate && rate < link->bandwidth ? rate : link->bandwidth;
    links->methods->leaves(links->owner, flight, number, flight->tail - link->latency,
                           asap_lasts(links, flight->bytes, slowest));
}

/* The message goes on from where it is, as far as that can be told now. */
static void asap_links_go_on(struct asap_links *links, struct asap_flight *flight, uint32_t number)
{
    const uint32_t n_hops = flight->n_hops;
    uint32_t at = flight->at;
    uint64_t head = flight->head;
    while (at < n_hops) {
        struct asap_link *link = asap_links_at(links, flight, at);
        if (!link->bandwidth)
            learn_link(links, link);
        const uint64_t begin = asap_links_cross(links, flight, head, link);
        const bool is_late = is_far_behind(head, begin, link->free);
        head = time_sum(begin, link->latency);
        if (at++ == 0)
            tell_leaving(links, flight, number, link);
        if (at == n_hops && !is_late && !links->rank_receives)
            break;
        if (is_late || head - link->sooner != links->now || !links->sooner) {
            flight->at = at;
            flight->head = head;
            if (is_late)
                wait_for_link(links, flight, number, link);
            else
                asap_links_plan(links, head - link->sooner, flight, ASAP_HEAD_COMES, number);
            return;
        }
    }
    if (links->rank_receives)
        asap_links_cross(links, flight, head, &links->rank_receives[flight->to]);
    asap_links_plan(links, flight->tail, flight, ASAP_ARRIVES, number);
}

static void take_head(struct asap_links *links, uint32_t number)
{
    struct asap_flight *flight = asap_flight_at(links, number);
    if (flight->is_first_waiting) {
        flight->is_first_waiting = false;
        take_next(links, asap_links_at(links, flight, flight->at - 1U));
    }
    asap_links_go_on(links, flight, number);
}

bool asap_links_send(struct asap_links *links, uint32_t message, uint32_t source, uint32_t destination,
                     uint8_t network, uint64_t time)
{
    struct asap_flight *flight = asap_flight_at(links, message);
    const uint32_t n_hops =
        topology_route_over(links->topology, network, source, destination, links->hops);
    if (!n_hops)
        return false;
    keep_route(links, flight, n_hops);
    links->now = time;
    flight->number = links->n_sent++;
    flight->head = flight->tail = time;
    flight->at = 0;
    flight->is_first_waiting = false;
    if (links->rank_sends)
        flight->head = asap_links_cross(links, flight, time, &links->rank_sends[flight->from]);
    if (flight->head > time)
        asap_links_plan(links, flight->head, flight, ASAP_HEAD_COMES, message);
    else
        asap_links_go_on(links, flight, message);
    return true;
}

void asap_links_advance(struct asap_links *links, uint64_t time)
{
    links->now = time;
    while (timetable_next(&links->table) <= time) {
        const struct moment moment = timetable_take(&links->table);
        switch ((enum asap_moment)moment.kind) {
        case ASAP_HEAD_COMES: take_head(links, moment.what); break;
        case ASAP_HAS_LEFT: links->methods->has_left(links->owner, moment.what); break;
        case ASAP_ARRIVES: links->methods->arrives(links->owner, moment.what); break;
        case N_ASAP_MOMENTS:
            break;
        }
    }
}

/* ---- beginning and end ---- */

static struct asap_link *asap_links_ports_new(uint32_t n_ranks, uint64_t bandwidth)
{
    struct asap_link *ports = mem_alloc(n_ranks, sizeof *ports);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        ports[rank].bandwidth = bandwidth;
    return ports;
}

/* Returns false if a link has no latency: then all that happens at one time has to be looked at link by
 * link. */
static bool find_latencies(const struct topology *topology, uint64_t *sooner)
{
    bool is_changed = true;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        sooner[node] = node < topology->n_machines ? 0 : SIMULATE_TIME_MAX;
    while (is_changed) {
        is_changed = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            const uint64_t latency = topology_link_latency(topology, link);
            const uint64_t by_link = time_sum(sooner[from], latency);
            if (!latency)
                return false;
            is_changed = is_changed || by_link < sooner[to];
            sooner[to] = by_link < sooner[to] ? by_link : sooner[to];
        }
    }
    return true;
}

void asap_links_look_ahead(struct asap_links *links)
{
    const struct topology *topology = links->topology;
    if (topology->n_nodes == topology->n_machines || topology->has_loose_links || links->rank_sends)
        return;
    links->sooner = mem_alloc(topology->n_nodes, sizeof *links->sooner);
    if (find_latencies(topology, links->sooner))
        return;
    free(links->sooner);
    links->sooner = NULL;
}

void asap_links_init(struct asap_links *links, uint32_t n_ranks, size_t own_size)
{
    const struct topology *topology = links->topology;
    const uint64_t rate = links->process_bandwidth;
    links->links = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *links->links);
    links->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *links->hops);
    links->is_alike = true;
    links->route_size = topology->n_link_ids <= UINT16_MAX ? sizeof(uint16_t) : sizeof(uint32_t);
    links->route_at = own_size;
    links->message_size = (own_size + (size_t)topology->max_hops * links->route_size + sizeof(uint64_t) - 1) /
                          sizeof(uint64_t) * sizeof(uint64_t);
    if (rate) {
        links->rank_sends = asap_links_ports_new(n_ranks, rate);
        links->rank_receives = asap_links_ports_new(n_ranks, rate);
    }
}

void asap_links_free(struct asap_links *links)
{
    timetable_free(&links->table);
    free(links->messages);
    free(links->links);
    free(links->rank_sends);
    free(links->rank_receives);
    free(links->hops);
    free(links->sooner);
}
