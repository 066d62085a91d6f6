/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays the ranks of a schedule: see direct.h. What is computed is what actions.c says, in the rounds of
 * player.c, on the links of asap_links.h.
 */
#include "simulate/direct.h"

#include "base/integer.h"
#include "base/map.h"
#include "simulate/direct_parts.h"

enum { FETCHED_AHEAD = 8 /* messages, from memory */ };
enum rank_moment { HOST_SENDS, CROSSED, PORT_SENDS, AT_HOST, LOCAL_ENDS, TURN_ENDS };

static struct direct_turn *turn_at(struct direct *direct, uint32_t turn)
{
    return direct_turn_at(direct, turn);
}

/* Begins to read the message from memory. */
static inline void fetch_soon(struct direct *direct, uint32_t message)
{
    const char *first = (const char *)direct_message_at(direct, message);
    __builtin_prefetch(first);
    __builtin_prefetch(first + sizeof(struct direct_message) - 1);
}

static void direct_plan(struct direct *direct, uint64_t time, enum rank_moment kind, uint32_t what)
{
    timetable_add(&direct->of_ranks, (struct moment){time, direct->n_moments++, kind, what});
}

static uint32_t direct_server_of(const struct direct *direct, uint32_t rank)
{
    return direct->settings->placement->server[rank];
}

/* Returns the way of a message between the adapters of its ranks; NO_NETWORK: as routes lead. */
static uint8_t direct_way(const struct direct *direct, const struct asap_flight *flight)
{
    const struct placement *placement = direct->settings->placement;
    return placement->adapters ? placement_way(placement, flight->from, flight->to) : NO_NETWORK;
}

/* Returns the port by which a message leaves its machine. */
static uint64_t *direct_port_out(const struct direct *direct, const struct asap_flight *flight)
{
    const uint32_t server = direct_server_of(direct, flight->from);
    const uint32_t port = direct->n_ports > 1
                              ? host_ports_way_out(direct_way(direct, flight))
                              : 0;
    return &direct->port_sends[(size_t)server * direct->n_ports + port];
}

/* Returns the port by which it arrives. */
static uint64_t *direct_port_in(const struct direct *direct, const struct asap_flight *flight)
{
    const uint32_t server = direct_server_of(direct, flight->to);
    const uint32_t port = direct->n_ports > 1
                              ? host_ports_way_in(direct_way(direct, flight))
                              : 0;
    return &direct->port_receives[(size_t)server * direct->n_ports + port];
}

/* True if a message goes to another adapter of its machine first. */
static bool direct_crosses_host(const struct direct *direct, const struct asap_flight *flight)
{
    return placement_crosses_host(direct->settings->placement, flight->from, flight->to);
}

/* Returns the ns of a message inside of a machine. */
static uint64_t direct_inside_lasts(struct direct *direct, uint64_t bytes)
{
    return asap_lasts(&direct->links, bytes, host_costs_inside(&direct->settings->costs));
}

/* ---- what a time is made of ---- */

/* The parts of a time at which the message was on its way, of which that is latency, and what its
 * bytes take. */
static void direct_find_path(struct direct *direct, const struct direct_message *message, uint64_t time,
                             uint64_t latency, uint64_t bandwidth, struct time_parts *parts)
{
    const struct direct_turn *origin = turn_at(direct, message->origin);
    const struct time_parts before = origin->parts;
    *parts = before;
    parts->host += message->enters - origin->begin;
    if (message->flight.n_hops && direct_crosses_host(direct, &message->flight)) {
        const uint64_t crossing = time_sum(direct_inside_lasts(direct, message->flight.bytes),
                                           direct->settings->costs.memory_latency);
        parts->waiting += message->waited;
        parts->memory += crossing;
        parts->host -= message->waited + crossing;
    }
    add_passage(parts, time - message->enters, latency, bandwidth);
    if (message->flight.n_hops)
        return;
    parts->memory += parts->latency - before.latency + parts->bandwidth - before.bandwidth;
    parts->latency = before.latency;
    parts->bandwidth = before.bandwidth;
}

/* Returns in ns the latency of the way of a message that has arrived, and *bandwidth, the time of its bytes
 * on the slowest link. */
static uint64_t direct_find_way(struct direct *direct, const struct direct_message *message,
                                uint64_t *bandwidth)
{
    const struct host_costs *costs = &direct->settings->costs;
    if (message->flight.n_hops)
        return asap_links_find_way(&direct->links, &message->flight, bandwidth);
    *bandwidth = direct_inside_lasts(direct, message->flight.bytes);
    return costs->memory_latency;
}

/* The parts of the end of the rank's turn, which has sent or received; they are those of its beginning. */
static void find_parts_of_end(struct direct *direct, struct direct_rank *rank)
{
    if (rank->over_message == DIRECT_NONE) {
        rank->parts.host += rank->over - turn_at(direct, rank->first)->begin;
        return;
    }
    const struct direct_message *message = direct_message_at(direct, rank->over_message);
    if (rank->over_is_send) {
        direct_find_path(direct, message, rank->over, 0, rank->over_since, &rank->parts);
        return;
    }
    uint64_t bandwidth;
    const uint64_t latency = direct_find_way(direct, message, &bandwidth);
    direct_find_path(direct, message, message->flight.tail, latency, bandwidth, &rank->parts);
    rank->parts.host += rank->over - message->flight.tail;
}

/* ---- turns go on ---- */

/* A rank wants to be served for a message, or its next local operation; never for both. */
static void simulate_direct_request(struct direct *direct, uint32_t rank, uint32_t message)
{
    requests_add(&direct->requests, direct->settings, direct->now, rank, message, message);
}

/* The end of one more operation of the rank's turn is known: `time`, and what that comes from. */
static void direct_end_op(struct direct_rank *rank, uint64_t time, uint32_t message, bool is_send,
                          uint64_t since)
{
    rank->n_open--;
    if (time < rank->over)
        return;
    rank->over = time;
    rank->over_message = message;
    rank->over_is_send = is_send;
    rank->over_since = since;
}

/* Once all ends of the turn are known. What has left at this time is heard of when the network goes on. */
static void end_when_over(struct direct *direct, uint32_t number)
{
    const struct direct_rank *rank = &direct->ranks[number];
    if (rank->n_open)
        return;
    const struct direct_message *sent =
        rank->over_is_send ? direct_message_at(direct, rank->over_message) : NULL;
    if (rank->over <= direct->now && (!sent || direct->is_in_network))
        direct->moved[direct->n_moved++] = number;
    else if (sent && sent->flight.n_hops)
        asap_links_plan_left(&direct->links, &sent->flight, rank->over, number);
    else
        direct_plan(direct, rank->over, TURN_ENDS, number);
}

/* Notes when a message will have left, of which its bytes take `since`: its sender may end a turn then. */
static void direct_end_send(void *owner, const struct asap_flight *flight, uint32_t number, uint64_t time,
                            uint64_t since)
{
    struct direct *direct = owner;
    direct_end_op(&direct->ranks[flight->from], time, number, true, since);
    end_when_over(direct, flight->from);
}

/* The message is at the host of the rank, which has posted its receive. */
static void host_receives(struct direct *direct, struct direct_rank *rank, uint32_t message)
{
    const uint64_t overhead = direct->settings->costs.overhead;
    if (!overhead || direct->now >= rank->host_free) {
        rank->busy_from = message;
        rank->host_free = direct->now;
    }
    rank->host_free = time_sum(rank->host_free, overhead);
    direct_end_op(rank, rank->host_free, rank->busy_from, false, 0);
}

/* True if the receive of the message is posted. */
static bool is_awaited(const struct direct *direct, const struct direct_message *message)
{
    const struct direct_rank *rank = &direct->ranks[message->flight.to];
    return rank->first == message->turn && rank->is_posted;
}

static void direct_arrive(struct direct *direct, struct direct_message *message, uint32_t number)
{
    message->flight.state = MESSAGE_THERE;
    if (!is_awaited(direct, message))
        return;
    host_receives(direct, &direct->ranks[message->flight.to], number);
    end_when_over(direct, message->flight.to);
}

/* The host has dealt with the send. */
static void direct_post_message(struct direct *direct, uint32_t number)
{
    struct direct_message *message = direct_message_at(direct, number);
    if (message->flight.bytes <= direct->settings->eager_limit || is_awaited(direct, message))
        simulate_direct_request(direct, message->flight.from, number);
    else
        message->flight.state = MESSAGE_READY;
}

static void post_receives(struct direct *direct, struct direct_rank *rank, const struct direct_turn *turn)
{
    for (uint32_t i = turn->first_receive; i != turn->first_receive + turn->n_receives; i++) {
        const uint32_t number = direct->incoming[i & direct->links.message_mask];
        const uint32_t soon = direct->incoming[(i + FETCHED_AHEAD) & direct->links.message_mask];
        fetch_soon(direct, soon);
        struct direct_message *message = direct_message_at(direct, number);
        if (message->flight.state == MESSAGE_THERE) {
            host_receives(direct, rank, DIRECT_NONE);
        } else if (message->flight.state == MESSAGE_READY) {
            message->origin = rank->first;
            simulate_direct_request(direct, message->flight.from, number);
        }
    }
}

/* All that the rank sends and receives in its turn. */
static void direct_post_turn(struct direct *direct, uint32_t number, struct direct_turn *turn)
{
    const uint64_t overhead = direct->settings->costs.overhead;
    struct direct_rank *rank = &direct->ranks[number];
    turn->begin = direct->now;
    turn->parts = rank->parts;
    rank->is_posted = true;
    rank->n_open = turn->n_sends + turn->n_receives;
    rank->over = 0;
    rank->over_is_send = false;
    rank->over_message = rank->busy_from = DIRECT_NONE;
    rank->host_free = direct->now;
    rank->n_sent = 0;
    post_receives(direct, rank, turn);
    if (overhead && turn->n_sends) {
        direct_plan(direct, time_sum(rank->host_free, overhead), HOST_SENDS, number);
        for (uint32_t i = 0; i < turn->n_sends; i++)
            rank->host_free = time_sum(rank->host_free, overhead);
    }
    for (; !overhead && rank->n_sent < turn->n_sends; rank->n_sent++)
        direct_post_message(direct, turn->first_send + rank->n_sent);
}

static void host_sends(struct direct *direct, uint32_t number)
{
    struct direct_rank *rank = &direct->ranks[number];
    const struct direct_turn *turn = turn_at(direct, rank->first);
    direct_post_message(direct, turn->first_send + rank->n_sent++);
    if (rank->n_sent == turn->n_sends)
        return;
    fetch_soon(direct, turn->first_send + rank->n_sent); /* others act before it is sent */
    direct_plan(direct, time_sum(direct->now, direct->settings->costs.overhead), HOST_SENDS, number);
}

static void simulate_direct_end_turn(struct direct *direct, struct direct_rank *rank,
                                     const struct direct_turn *turn)
{
    if (direct->now >= direct->time) {
        direct->time = direct->now;
        direct->parts = rank->parts;
    }
    rank->first = turn->next;
    rank->is_posted = false;
    rank->n_local = 0;
    direct_end_turn(direct, turn->step);
}

/* The rank goes as far as it can: until its memory or other ranks have to act. */
static void direct_go_on(struct direct *direct, uint32_t number)
{
    struct direct_rank *rank = &direct->ranks[number];
    while (rank->first != DIRECT_NONE) {
        struct direct_turn *turn = turn_at(direct, rank->first);
        if (!rank->is_posted && rank->n_local == turn->n_copies)
            direct_post_turn(direct, number, turn);
        if (rank->is_posted && rank->n_open)
            return;
        if (rank->is_posted && rank->over > direct->now) {
            end_when_over(direct, number);
            return;
        }
        if (rank->is_posted && rank->n_local == turn->n_copies && turn->n_sends + turn->n_receives)
            find_parts_of_end(direct, rank);
        if (rank->n_local < turn->n_copies + turn->n_combines) {
            simulate_direct_request(direct, number, REQUEST_LOCAL);
            return;
        }
        simulate_direct_end_turn(direct, rank, turn);
    }
    if ((!direct->is_counted || rank->n_unread) && !direct->is_all_read && !direct->has_barrier) {
        rank->is_hungry = true;
        direct->n_hungry++;
    }
}

static void simulate_direct_read_step(struct direct *direct)
{
    direct_read_step(direct);
    for (uint32_t i = 0; i < direct->n_touched; i++) {
        struct direct_rank *rank = &direct->ranks[direct->touched[i]];
        if (!direct->has_barrier && !rank->is_hungry)
            continue;
        if (direct->has_barrier)
            rank->parts = direct->parts;
        direct->n_hungry -= rank->is_hungry;
        rank->is_hungry = false;
        direct->moved[direct->n_moved++] = direct->touched[i];
    }
}

static void direct_go_on_all(struct direct *direct)
{
    while (!direct->is_given_up) {
        while (direct->n_moved)
            direct_go_on(direct, direct->moved[--direct->n_moved]);
        if (direct->is_all_read || (direct->has_barrier ? direct->n_active : !direct->n_hungry))
            return;
        simulate_direct_read_step(direct);
    }
}

/* Goes on with a rank whose turn is over: its last message has left. */
static void direct_has_left(void *owner, uint32_t rank)
{
    struct direct *direct = owner;
    direct->moved[direct->n_moved++] = rank;
}

/* ---- machines ---- */

/* Takes a message that is at the machine of its receiver, whose port lets messages pass g apart. */
static void direct_reach_port(void *owner, uint32_t number)
{
    struct direct *direct = owner;
    struct direct_message *message = direct_message_at(direct, number);
    const uint64_t start = serve_in_turn(direct_port_in(direct, &message->flight), direct->now,
                                         direct->settings->costs.gap);
    if (start > direct->now)
        direct_plan(direct, start, AT_HOST, number);
    else
        direct_arrive(direct, message, number);
}

/* The way inside of a machine serves a message from now on, or when it is free again: *start. Returns when it
 * ends. */
static uint64_t direct_inside_serves(struct direct *direct, const struct asap_flight *flight, uint64_t *start)
{
    uint64_t *free_at = &direct->inside_free[direct_server_of(direct, flight->from)];
    *start = serve_in_turn(free_at, direct->now, direct_inside_lasts(direct, flight->bytes));
    return *free_at;
}

/* The memory of a machine serves from now on, or when it is free again. Returns when it begins. */
static uint64_t direct_memory_serves(struct direct *direct, uint32_t server, uint64_t bytes)
{
    return serve_in_turn(&direct->memory_free[server], direct->now,
                         asap_lasts(&direct->links, bytes, direct->settings->costs.memory_bandwidth));
}

/* Does what a rank does next by itself: all of it up to its messages, where nobody else is on its machine. */
static void direct_serve_local(struct direct *direct, uint32_t number)
{
    const uint32_t server = direct_server_of(direct, number);
    const bool is_alone = placement_slots(direct->settings->placement, server) == 1;
    struct direct_rank *rank = &direct->ranks[number];
    const struct direct_turn *turn = turn_at(direct, rank->first);
    const uint32_t end = turn->n_copies + (rank->n_local < turn->n_copies ? 0 : turn->n_combines);
    uint64_t bytes, start;
    do {
        bytes = direct->locals[(turn->first_local + rank->n_local++) & direct->local_mask];
        start = direct_memory_serves(direct, server, bytes);
    } while (is_alone && bytes && rank->n_local < end &&
             direct->locals[(turn->first_local + rank->n_local) & direct->local_mask]);
    rank->parts.waiting += (is_alone ? direct->now : start) - direct->now;
    rank->parts.local += direct->memory_free[server] - (is_alone ? direct->now : start);
    direct_plan(direct, direct->memory_free[server], LOCAL_ENDS, number);
}

/* Sends a message between machines. Gives up where there is no way. */
static void direct_enter_network(struct direct *direct, uint32_t number)
{
    const uint32_t *machine = direct->settings->placement->machine;
    struct direct_message *message = direct_message_at(direct, number);
    message->enters = direct->now;
    if (!asap_links_send(&direct->links, number, machine[message->flight.from], machine[message->flight.to],
                         direct_way(direct, &message->flight), direct->now))
        direct->is_given_up = true;
}

/* A message is at the port by which it leaves its machine. */
static void direct_serve_at_port(struct direct *direct, uint32_t number)
{
    const struct direct_message *message = direct_message_at(direct, number);
    const uint64_t start = serve_in_turn(direct_port_out(direct, &message->flight), direct->now,
                                         direct->settings->costs.gap);
    if (start > direct->now)
        direct_plan(direct, start, PORT_SENDS, number);
    else
        direct_enter_network(direct, number);
}

static void direct_serve_message(struct direct *direct, uint32_t number)
{
    const uint64_t latency = direct->settings->costs.memory_latency;
    const uint32_t *servers = direct->settings->placement->server;
    struct direct_message *message = direct_message_at(direct, number);
    uint64_t start;
    if (servers[message->flight.from] == servers[message->flight.to]) {
        const uint64_t end = direct_inside_serves(direct, &message->flight, &start);
        message->enters = direct->now;
        message->flight.tail = time_sum(end, latency);
        direct_end_send(direct, &message->flight, number, end, end - start);
        direct_plan(direct, message->flight.tail, AT_HOST, number);
        return;
    }
    if (!direct_crosses_host(direct, &message->flight)) {
        direct_serve_at_port(direct, number);
        return;
    }
    const uint64_t end = time_sum(direct_inside_serves(direct, &message->flight, &start), latency);
    message->waited = start - direct->now;
    direct_plan(direct, end, CROSSED, number);
}

static void serve_requests(struct direct *direct)
{
    struct requests *requests = &direct->requests;
    requests_order(requests);
    for (size_t i = 0; i < requests->n; i++) {
        const struct request *at = &requests->items[requests->order.items[i].index];
        if (at->message == REQUEST_LOCAL)
            direct_serve_local(direct, at->rank);
        else
            direct_serve_message(direct, at->message);
    }
    requests->n = 0;
}

/* ---- time goes on ---- */

static void happen(struct direct *direct, const struct moment *moment)
{
    switch ((enum rank_moment)moment->kind) {
    case HOST_SENDS: host_sends(direct, moment->what); break;
    case CROSSED: direct_serve_at_port(direct, moment->what); break;
    case PORT_SENDS: direct_enter_network(direct, moment->what); break;
    case AT_HOST:
        direct_arrive(direct, direct_message_at(direct, moment->what), moment->what);
        break;
    case LOCAL_ENDS:
    case TURN_ENDS: direct->moved[direct->n_moved++] = moment->what; break;
    }
}

/* False: nothing happens any more, or not soon enough. */
static bool direct_go_to_next_time(struct direct *direct)
{
    const uint64_t limit = direct->settings->max_time ? direct->settings->max_time : SIMULATE_TIME_MAX;
    const uint64_t of_network = timetable_next(&direct->links.table);
    const uint64_t of_ranks = timetable_next(&direct->of_ranks);
    const uint64_t next = of_network < of_ranks ? of_network : of_ranks;
    if (next >= limit)
        return false;
    direct->now = next;
    direct->is_in_network = true;
    asap_links_advance(&direct->links, next);
    direct->is_in_network = false;
    while (timetable_next(&direct->of_ranks) == next) {
        const struct moment moment = timetable_take(&direct->of_ranks);
        happen(direct, &moment);
    }
    return true;
}

/* True: the schedule has come to its end. */
static bool simulate_direct_play(struct direct *direct)
{
    do {
        direct_go_on_all(direct);
        serve_requests(direct);
    } while (!direct->is_given_up && direct_go_to_next_time(direct));
    return !direct->is_given_up && !direct->n_active && !direct->schedule->failed;
}

static void direct_init(struct direct *direct)
{
    static const struct asap_owner_methods methods = {direct_end_send, direct_has_left, direct_reach_port};
    const struct player_settings *settings = direct->settings;
    const uint32_t n_ranks = direct->n_ranks, n_servers = settings->placement->n_servers;
    direct->ranks = mem_alloc(n_ranks, sizeof *direct->ranks);
    direct->counts = mem_alloc(n_ranks, sizeof *direct->counts);
    direct->touched = mem_alloc(n_ranks, sizeof *direct->touched);
    direct->balance = mem_alloc(n_ranks, sizeof *direct->balance);
    direct->moved = mem_alloc((size_t)n_ranks + 1, sizeof *direct->moved);
    direct->memory_free = mem_alloc(n_servers, sizeof *direct->memory_free);
    direct->inside_free = settings->costs.inside_bandwidth
                              ? mem_alloc(n_servers, sizeof *direct->inside_free)
                              : direct->memory_free;
    direct->n_ports = settings->placement->adapters ? settings->placement->adapters->n_ports : 1;
    direct->port_sends = mem_alloc((size_t)n_servers * direct->n_ports, sizeof *direct->port_sends);
    direct->port_receives = mem_alloc((size_t)n_servers * direct->n_ports, sizeof *direct->port_receives);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        direct->ranks[rank].first = DIRECT_NONE;
        direct->counts[rank].turn = DIRECT_NONE;
    }
    direct->links = (struct asap_links){.topology = settings->topology,
                                        .process_bandwidth = settings->costs.process_bandwidth,
                                        .methods = &methods,
                                        .owner = direct};
    asap_links_init(&direct->links, n_ranks, sizeof(struct direct_message));
    asap_links_look_ahead(&direct->links);
}

static void direct_free(struct direct *direct)
{
    timetable_free(&direct->of_ranks);
    asap_links_free(&direct->links);
    direct_free_steps(direct);
    free(direct->ranks);
    free(direct->counts);
    free(direct->touched);
    free(direct->balance);
    free(direct->moved);
    requests_free(&direct->requests);
    if (direct->inside_free != direct->memory_free)
        free(direct->inside_free);
    free(direct->memory_free);
    free(direct->port_sends);
    free(direct->port_receives);
}

bool direct_play(struct schedule *schedule, const struct player_settings *settings, uint64_t *time,
                 struct time_parts *parts)
{
    struct direct direct = {.schedule = schedule,
                            .settings = settings,
                            .n_ranks = schedule->header.n_ranks,
                            .has_barrier = settings->synchronisation == SYNC_BARRIER,
                            .units = UINT64_MAX};
    if (settings->window || settings->synchronisation == SYNC_NONE || settings->unit_bytes ||
        schedule->header.counts || topology_n_networks(settings->topology) > 1 ||
        placement_stripes(settings->placement) > 1 ||
        (settings->placement->adapters && settings->placement->adapters->ways))
        return false;
    direct_init(&direct);
    schedule->rewind(schedule);
    for (uint32_t rank = direct.n_ranks; rank-- > 0;)
        direct.moved[direct.n_moved++] = rank;
    const bool is_played = simulate_direct_play(&direct);
    *time = direct.time;
    *parts = direct.parts;
    direct_free(&direct);
    return is_played;
}
