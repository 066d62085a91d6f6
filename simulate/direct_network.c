/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays the links: see direct_parts.h. What is computed is what asap.c says.
 *
 * The order of messages that come to a link matters, and the order of links does not. So a head
 * that comes to a link at some time is dealt with sooner, by the least latency from any machine to where the
 * link begins: by then every message that can come there before is in flight. A message that meets nobody
 * then goes over many links at once, all of them in a star. (These latencies are potentials, as Johnson 1977
 * has them for shortest paths: from one link of a route to the next they grow by no more than the link takes,
 * so time does not go back.) It takes links that have some latency; where a machine is at every node, as on a
 * grid, nothing is known sooner.
 */
#include "simulate/direct_parts.h"

#include <string.h>

/* Events on the network. Those of one message at one time happen in this order; asap.c has one more. */
enum network_moment { HEAD_COMES, HAS_LEFT, TAIL_ARRIVES, N_NETWORK_MOMENTS };
enum {
    CACHE_LINE = 64,
    FEW_WAITING = 4 /* messages that wait behind fewer are in the timetable at once */
};

static struct direct_message *direct_network_message_at(struct direct *direct, uint32_t message)
{
    return direct_message_at(direct, message);
}

static void direct_network_plan(struct direct *direct, uint64_t time, uint64_t number,
                                enum network_moment kind, uint32_t what)
{
    timetable_add(&direct->of_network,
                  (struct moment){time, number * N_NETWORK_MOMENTS + kind, kind, what});
}

void direct_plan_has_left(struct direct *direct, uint64_t time, const struct direct_message *message,
                          uint32_t rank)
{
    direct_network_plan(direct, time, message->number, HAS_LEFT, rank);
}

/* ---- links ---- */

static void direct_network_find_links(struct direct *direct)
{
    const struct topology *topology = direct->topology;
    const struct direct_link *first = NULL;
    direct->is_alike = true;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        direct->served[link] = (struct direct_link){.bandwidth = topology_link_bandwidth(topology, link),
                                                    .latency = topology_link_latency(topology, link),
                                                    .sooner = direct->sooner ? direct->sooner[to] : 0,
                                                    .first = DIRECT_NONE,
                                                    .is_shared = !topology_link_contends(topology, link)};
        const struct direct_link *found = &direct->served[link];
        first = first ? first : found;
        direct->is_alike = direct->is_alike && found->bandwidth == first->bandwidth &&
                           found->latency == first->latency;
    }
}

static struct direct_link *direct_network_link_at(const struct direct *direct,
                                                  const struct direct_message *message, uint32_t at)
{
    if (direct->link_size == sizeof(uint16_t))
        return &direct->served[((const uint16_t *)(const void *)message->route)[at]];
    return &direct->served[((const uint32_t *)(const void *)message->route)[at]];
}

static void keep_route(struct direct *direct, struct direct_message *message, uint32_t n_hops)
{
    message->n_hops = (uint16_t)n_hops;
    for (uint32_t i = 0; i < n_hops; i++) {
        const uint32_t link = direct->hops[i].link;
        if (direct->link_size == sizeof(uint16_t))
            ((uint16_t *)(void *)message->route)[i] = (uint16_t)link;
        else
            ((uint32_t *)(void *)message->route)[i] = link;
    }
}

void direct_find_way(struct direct *direct, const struct direct_message *message, uint64_t *latency,
                     uint64_t *bandwidth)
{
    const struct host_costs *costs = &direct->settings->costs;
    const uint64_t of_process = costs->process_bandwidth ? costs->process_bandwidth : UINT64_MAX;
    uint64_t slowest = message->n_hops ? of_process : costs->memory_bandwidth;
    *latency = message->n_hops ? 0 : costs->memory_latency;
    const uint32_t n_unlike = direct->is_alike ? message->n_hops != 0 : message->n_hops;
    for (uint32_t i = 0; i < n_unlike; i++) {
        const struct direct_link *link = direct_network_link_at(direct, message, i);
        *latency += link->latency;
        slowest = link->bandwidth < slowest ? link->bandwidth : slowest;
    }
    if (direct->is_alike)
        *latency += (message->n_hops - n_unlike) * *latency;
    *bandwidth = direct_lasts(direct, message->bytes, slowest);
}

/* The message goes over a link or a port; its head comes at `head`. Returns when it begins. */
static inline uint64_t direct_network_cross(struct direct *direct, struct direct_message *message,
                                            uint64_t head, struct direct_link *link)
{
    const uint64_t begin = !link->is_shared && link->free > head ? link->free : head;
    const uint64_t end = time_sum(begin, direct_lasts(direct, message->bytes, link->bandwidth));
    link->free = end;
    message->tail = time_sum(end > message->tail ? end : message->tail, link->latency);
    return begin;
}

/* ---- those that wait for a link ---- */

static void prefetch(struct direct *direct, uint32_t number)
{
    const char *message = (const char *)direct_network_message_at(direct, number);
    for (size_t line = 0; line < direct->message_size; line += CACHE_LINE)
        __builtin_prefetch(message + line);
}

/* The next one of those that are far behind comes into the timetable, sooner than it is dealt with: each
 * begins later than the one before. So the timetable stays small, and the message is fetched from memory in
 * time. */
static void take_next(struct direct *direct, struct direct_link *link)
{
    const uint32_t number = link->first;
    link->has_first = number != DIRECT_NONE;
    if (!link->has_first)
        return;
    struct direct_message *message = direct_network_message_at(direct, number);
    link->first = message->next;
    if (link->first != DIRECT_NONE)
        prefetch(direct, link->first);
    message->is_first_waiting = true;
    direct_network_plan(direct, message->head - link->sooner, message->number, HEAD_COMES, number);
}

static void wait_for_link(struct direct *direct, struct direct_message *message, uint32_t number,
                          struct direct_link *link)
{
    message->next = DIRECT_NONE;
    if (link->first == DIRECT_NONE)
        link->first = number;
    else
        direct_network_message_at(direct, link->last)->next = number;
    link->last = number;
    if (!link->has_first)
        take_next(direct, link);
}

/* ---- messages ---- */

/* True if a message that came at `head` and has the link from `begin` to `end` is behind many others. Those
 * of no length are not: they would not begin one after the other. */
static bool is_far_behind(uint64_t head, uint64_t begin, uint64_t end)
{
    return end > begin && (begin - head) / FEW_WAITING > end - begin;
}

/* The message goes on from where it is, as far as that can be told now. */
static void direct_network_go_on(struct direct *direct, struct direct_message *message, uint32_t number)
{
    const uint32_t n_hops = message->n_hops;
    uint32_t at = message->at;
    uint64_t head = message->head;
    while (at < n_hops) {
        struct direct_link *link = direct_network_link_at(direct, message, at);
        const uint64_t begin = direct_network_cross(direct, message, head, link);
        const bool is_late = is_far_behind(head, begin, link->free);
        head = time_sum(begin, link->latency);
        if (at++ == 0) {
            const uint64_t rate = direct->settings->costs.process_bandwidth;
            const uint64_t slowest = rate && rate < link->bandwidth ? rate : link->bandwidth;
            direct_end_send(direct, message, number, message->tail - link->latency,
                            direct_lasts(direct, message->bytes, slowest));
        }
        if (at == n_hops && !is_late && !direct->rank_receives)
            break;
        if (is_late || head - link->sooner != direct->now || !direct->sooner) {
            message->at = (uint16_t)at;
            message->head = head;
            if (is_late)
                wait_for_link(direct, message, number, link);
            else
                direct_network_plan(direct, head - link->sooner, message->number, HEAD_COMES, number);
            return;
        }
    }
    if (direct->rank_receives)
        direct_network_cross(direct, message, head, &direct->rank_receives[message->to]);
    direct_network_plan(direct, message->tail, message->number, TAIL_ARRIVES, number);
}

static void take_head(struct direct *direct, uint32_t number)
{
    struct direct_message *message = direct_network_message_at(direct, number);
    if (message->is_first_waiting) {
        message->is_first_waiting = false;
        take_next(direct, direct_network_link_at(direct, message, message->at - 1U));
    }
    direct_network_go_on(direct, message, number);
}

void direct_enter_network(struct direct *direct, struct direct_message *message, uint32_t number)
{
    const uint32_t *machine = direct->settings->placement->machine;
    const uint32_t n_hops = topology_route(direct->topology, machine[message->from], machine[message->to],
                                           direct->hops);
    if (!n_hops) {
        direct->is_given_up = true;
        return;
    }
    keep_route(direct, message, n_hops);
    message->number = direct->n_sent++;
    message->enters = message->head = message->tail = direct->now;
    if (direct->rank_sends)
        message->head =
            direct_network_cross(direct, message, direct->now, &direct->rank_sends[message->from]);
    if (message->head > direct->now)
        direct_network_plan(direct, message->head, message->number, HEAD_COMES, number);
    else
        direct_network_go_on(direct, message, number);
}

void direct_advance_network(struct direct *direct)
{
    direct->is_in_network = true;
    while (timetable_next(&direct->of_network) == direct->now) {
        const struct moment moment = timetable_take(&direct->of_network);
        switch ((enum network_moment)moment.kind) {
        case HEAD_COMES: take_head(direct, moment.what); break;
        case HAS_LEFT: direct->moved[direct->n_moved++] = moment.what; break;
        case TAIL_ARRIVES: direct_reach_port(direct, moment.what); break;
        case N_NETWORK_MOMENTS: break;
        }
    }
    direct->is_in_network = false;
}

/* ---- beginning and end ---- */

static struct direct_link *direct_network_ports_new(uint32_t n_ranks, uint64_t bandwidth)
{
    struct direct_link *ports = mem_alloc(n_ranks, sizeof *ports);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        ports[rank].bandwidth = bandwidth;
    return ports;
}

/* False: some links have no latency, so that all that happens at one time has to be looked at link by
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

/* O(links x links from a machine to the node that is farthest from all). */
static void look_ahead(struct direct *direct)
{
    const struct topology *topology = direct->topology;
    if (topology->n_nodes == topology->n_machines || topology->has_loose_links || direct->rank_sends)
        return;
    direct->sooner = mem_alloc(topology->n_nodes, sizeof *direct->sooner);
    if (find_latencies(topology, direct->sooner))
        return;
    free(direct->sooner);
    direct->sooner = NULL;
}

void direct_network_init(struct direct *direct)
{
    const struct topology *topology = direct->topology;
    const uint64_t rate = direct->settings->costs.process_bandwidth;
    direct->served = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *direct->served);
    direct->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *direct->hops);
    direct->link_size = topology->n_link_ids <= UINT16_MAX ? sizeof(uint16_t) : sizeof(uint32_t);
    direct->message_size = (sizeof(struct direct_message) + topology->max_hops * direct->link_size +
                            sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    if (rate) {
        direct->rank_sends = direct_network_ports_new(direct->n_ranks, rate);
        direct->rank_receives = direct_network_ports_new(direct->n_ranks, rate);
    }
    look_ahead(direct);
    direct_network_find_links(direct);
}

void direct_network_free(struct direct *direct)
{
    timetable_free(&direct->of_network);
    free(direct->served);
    free(direct->rank_sends);
    free(direct->rank_receives);
    free(direct->hops);
    free(direct->sooner);
}
