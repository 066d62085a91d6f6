/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The actions of a schedule that is played: ranks end and begin turns, hosts and memories serve,
 * messages enter networks and leave them. When it happens is player.c's.
 *
 * A path, struct time_parts, is the time at which something happened, in its parts: those of the
 * event that it waited for last.
 */
#include "simulate/internal.h"

#include "base/codes.h"

#include <assert.h>
#include <string.h>

enum moment_kind {
    HOST_ENDS,
    LOCAL_ENDS,
    PORT_SENDS,
    PORT_RECEIVES,
    MEMORY_LEFT,
    MEMORY_ARRIVED,
    HOST_CROSSED
};

static uint64_t sum_of(const struct time_parts *parts)
{
    return parts->latency + parts->bandwidth + parts->waiting + parts->host + parts->local +
           parts->memory;
}

static void actions_plan(struct player *player, uint64_t time, enum moment_kind kind, uint32_t what)
{
    timetable_add(&player->table, (struct moment){time, player->n_moments++, kind, what});
}

static struct player_rank *rank_of(struct player *player, const struct player_op *op)
{
    return &player->ranks[op->turn->rank];
}

static uint32_t actions_server_of(const struct player *player, uint32_t rank)
{
    return player->settings->placement->server[rank];
}

static bool is_waiting_mode(const struct player *player)
{
    return player->settings->window == 0 && player->settings->synchronisation != SYNC_NONE;
}

/* The rank may be able to go on; now is the end of the path. */
void player_move(struct player *player, uint32_t number, const struct time_parts *path)
{
    struct player_rank *rank = &player->ranks[number];
    assert(sum_of(path) == player->now);
    rank->parts = *path;
    if (rank->is_moved)
        return;
    rank->is_moved = true;
    player->moved[player->n_moved++] = number;
}

static void actions_observe(struct player *player, const struct player_op *op)
{
    const struct player_settings *settings = player->settings;
    if (settings->observe)
        settings->observe(settings->context,
                          &(struct played_op){.rank = op->turn->rank,
                                              .peer = op->peer,
                                              .kind = (enum op_kind)op->kind,
                                              .step = op->turn->step,
                                              .number = op->number,
                                              .bytes = op->bytes,
                                              .start = op->start,
                                              .end = player->now});
}

/* The operation, which has been done by the end of the path, is the last event on it from now on. */
static void keep_event(struct player *player, const struct player_op *op, enum op_kind kind,
                       struct time_parts *path)
{
    struct played *played = player->played;
    if (played->n_events >= player->settings->max_events)
        return;
    if (++played->n_events == player->settings->max_events) { /* too many */
        free(played->events);
        played->events = NULL;
        return;
    }
    played->events = mem_grow(played->events, &player->event_capacity, played->n_events + 1,
                              sizeof *played->events);
    played->events[played->n_events] = (struct played_event){.cause = path->event,
                                                             .rank = op->turn->rank,
                                                             .peer = op->peer,
                                                             .kind = kind,
                                                             .step = op->turn->step,
                                                             .time = player->now,
                                                             .waiting = path->waiting};
    path->event = (uint32_t)played->n_events;
}

static void actions_end_op(struct player *player, struct player_op *op, struct time_parts *path)
{
    op->is_over = true;
    op->turn->n_open--;
    keep_event(player, op, op->kind == OP_SEND ? OP_SEND : OP_RECV, path);
    if (op->kind == OP_SEND || (op->kind == OP_RECV && !op->is_packed))
        actions_observe(player, op);
    player_move(player, op->turn->rank, path);
}

/* A rank wants to be served: for a message, or (send NULL) its next local operation. */
static void actions_request(struct player *player, uint32_t rank, const struct player_op *send)
{
    requests_add(&player->requests, player->settings, player->now, rank,
                 send ? ((uint64_t)send->turn->step << 32 | send->number) + 1 : 0,
                 send ? send->message : REQUEST_LOCAL);
}

/* ---- messages ---- */

static uint32_t message_new(struct player *player)
{
    uint32_t message = player->free_message;
    if (message == NO_MESSAGE) {
        player->messages = mem_grow(player->messages, &player->message_capacity,
                                    player->n_messages + 1, sizeof *player->messages);
        message = (uint32_t)player->n_messages++;
    } else {
        player->free_message = player->messages[message].next;
    }
    return message;
}

static void message_free(struct player *player, uint32_t message)
{
    player->messages[message].next = player->free_message;
    player->free_message = message;
}

static void host_takes(struct player *player, struct player_op *op, struct time_parts *path);

/* The message has met its receive, and all of it is there. */
static void receive_message(struct player *player, uint32_t number, struct time_parts *path)
{
    const struct message *message = &player->messages[number];
    struct player_op *receive = message->receive;
    struct player_rank *rank = rank_of(player, receive);
    struct played *played = player->played;
    if (rank->idle_since < player->now) {
        const struct played_wait wait = {receive->turn->rank, receive->peer, receive->turn->step,
                                         player->now - rank->idle_since};
        played->waited = time_sum(played->waited, wait.time);
        rank->wait.time += wait.time;
        if (wait.time > rank->wait.longest.time)
            rank->wait.longest = wait;
        if (wait.time > played->longest.time)
            played->longest = wait;
    }
    rank->idle_since = UINT64_MAX;
    message_free(player, number);
    receive->message = NO_MESSAGE;
    host_takes(player, receive, path);
}

static void actions_arrive(struct player *player, uint32_t number)
{
    struct message *message = &player->messages[number];
    message->has_arrived = true;
    if (message->receive)
        receive_message(player, number, &message->parts);
}

/* A send that the host has dealt with: its message leaves, or waits for its receive. */
static void actions_post_message(struct player *player, struct player_op *send, const struct time_parts *path)
{
    const struct player_settings *settings = player->settings;
    const uint32_t from = send->turn->rank, number = message_new(player);
    const uint32_t *machine = settings->placement->machine;
    struct message *message = &player->messages[number];
    const struct op as_op = {.rank = from, .peer = send->peer, .network = send->network};
    const uint8_t network = player->has_networks
                                ? flow_network(&player->networks, &as_op, machine[from], machine[send->peer])
                                : NO_NETWORK;
    *message = (struct message){.transit = {.id = number,
                                            .from = from,
                                            .to = send->peer,
                                            .source = machine[from],
                                            .destination = machine[send->peer],
                                            .network = network,
                                            .bytes = send->bytes},
                                .send = send,
                                .step = send->turn->step,
                                .parts = *path};
    send->message = number;
    message->receive = pairs_post_message(player, number);
    if (message->receive)
        message->receive->message = number;
    if (message->receive || send->bytes <= settings->eager_limit)
        actions_request(player, from, send);
}

static void actions_post_receive(struct player *player, struct player_op *receive)
{
    const uint32_t number = pairs_post_receive(player, receive);
    struct player_rank *rank = rank_of(player, receive);
    receive->start = player->now;
    if (number == NO_MESSAGE)
        return;
    struct message *message = &player->messages[number];
    receive->message = number;
    message->receive = receive;
    if (message->has_arrived) {
        receive_message(player, number, &rank->parts);
    } else if (message->transit.bytes > player->settings->eager_limit) {
        message->parts = rank->parts;
        actions_request(player, message->transit.from, message->send);
    }
}

/* ---- what a rank does by itself ---- */

/* The host is done with the operation. */
static void host_has_done(struct player *player, struct player_op *op, struct time_parts *path)
{
    if (op->kind == OP_SEND)
        actions_post_message(player, op, path);
    else
        actions_end_op(player, op, path);
}

/* The host does the next of what it has to do; it begins at the end of the path. */
static void host_goes_on(struct player *player, struct player_rank *rank,
                         const struct time_parts *path)
{
    const uint64_t overhead = player->settings->costs.overhead;
    struct player_op *op = rank->to_do;
    if (rank->doing || !op)
        return;
    rank->to_do = op->next;
    rank->doing = op;
    rank->doing_parts = *path;
    rank->doing_parts.host += overhead;
    actions_plan(player, time_sum(player->now, overhead), HOST_ENDS, op->turn->rank);
}

static void host_takes(struct player *player, struct player_op *op, struct time_parts *path)
{
    struct player_rank *rank = rank_of(player, op);
    if (!player->settings->costs.overhead) {
        host_has_done(player, op, path);
        return;
    }
    op->next = NULL;
    if (rank->to_do)
        rank->last_to_do->next = op;
    else
        rank->to_do = op;
    rank->last_to_do = op;
    host_goes_on(player, rank, path);
}

static void host_ends(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    struct player_op *op = rank->doing;
    struct time_parts path = rank->doing_parts;
    rank->doing = NULL;
    host_has_done(player, op, &path);
    host_goes_on(player, rank, &path);
    player_move(player, number, &path);
}

/* Returns the next operation that the turn does by itself: its copies, what is packed, and, once the turn is
 * posted, what is combined or unpacked. NULL: it has done that. */
static struct player_op *local_op(struct turn *turn)
{
    const uint32_t n_before = turn->n_copies + turn->n_sends;
    const uint32_t end = n_before + (turn->is_begun ? turn->n_receives : 0);
    for (; turn->local < end; turn->local++) {
        if (turn->local < turn->n_copies)
            return &turn->ops[turn->n_sends + turn->n_receives + turn->local];
        struct player_op *op = &turn->ops[turn->local - turn->n_copies]; /* sends, then receives */
        if (op->is_packed || op->kind == OP_REDUCE)
            return op;
    }
    return NULL;
}

static void begin_local(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    rank->is_local = true;
    actions_request(player, number, NULL);
}

/* The memory of a machine serves from now on, or when it is free again: *start. Returns when it
 * ends. */
static uint64_t actions_memory_serves(struct player *player, uint32_t rank, uint64_t bytes, uint64_t *start)
{
    uint64_t *free_at = &player->memory_free[actions_server_of(player, rank)];
    *start =
        serve_in_turn(free_at, player->now, transfer_ns(bytes, player->settings->costs.memory_bandwidth));
    return *free_at;
}

/* The same of the way of messages inside of the machine, which is the memory unless it has a rate. */
static uint64_t actions_inside_serves(struct player *player, const struct transit *transit, uint64_t *start)
{
    uint64_t *free_at = &player->inside_free[actions_server_of(player, transit->from)];
    *start = serve_in_turn(free_at, player->now,
                           transfer_ns(transit->bytes, host_costs_inside(&player->settings->costs)));
    return *free_at;
}

static void actions_serve_local(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    struct player_op *op = local_op(rank->first);
    uint64_t start;
    const uint64_t end = actions_memory_serves(player, number, op->bytes, &start);
    if (op->kind >= OP_COPY)
        op->start = start;
    rank->parts.waiting += start - player->now;
    rank->parts.local += end - start;
    actions_plan(player, end, LOCAL_ENDS, number);
}

static void local_ends(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    struct time_parts path = rank->parts;
    const struct player_op *op = local_op(rank->first);
    keep_event(player, op, op->is_packed ? OP_COPY : (enum op_kind)op->kind, &path);
    if (op->kind != OP_SEND)
        actions_observe(player, op);
    rank->first->local++;
    rank->is_local = false;
    player_move(player, number, &path);
}

/* ---- turns ---- */

/* True if operation `number` of the kind is over, if it is in a turn before `end`. Numbers are asked for in
 * their order, so each turn is passed once. */
static bool is_over(struct player_rank *rank, int kind, uint64_t number, const struct turn *end)
{
    struct turn_cursor *at = &rank->asked[kind];
    if (number < at->n_before)
        return true;
    while (at->turn != end) {
        const struct turn *turn = at->turn;
        const uint32_t n = turn_n_ops(turn, kind);
        if (number - at->n_before < n)
            return turn->ops[(kind == SENDS ? 0 : turn->n_sends) + number - at->n_before].is_over;
        turn_cursor_pass(at, kind);
    }
    return true;
}

/* True if the next send of the turn may be posted. */
static bool window_is_open(const struct player *player, struct player_rank *rank,
                           const struct turn *turn)
{
    const uint32_t window = player->settings->window;
    const uint64_t number = rank->n_posted;
    if (!window || !turn->is_free || number < window)
        return true;
    return is_over(rank, SENDS, number - window, turn->next) &&
           (player->settings->synchronisation == SYNC_NONE ||
            is_over(rank, RECEIVES, number - window, turn));
}

/* All turns before are over, or this one and the one before may be in flight together. */
static bool may_begin(const struct player *player, const struct player_rank *rank)
{
    if (rank->posting == rank->first)
        return true;
    if (is_waiting_mode(player) || !rank->posting->is_free || !rank->is_behind_free)
        return false;
    return player->settings->window || rank->n_sending == 0;
}

static void post_operations(struct player *player, struct player_rank *rank, struct turn *turn)
{
    while (turn->n_receives_posted < turn->n_receives)
        actions_post_receive(player, &turn->ops[turn->n_sends + turn->n_receives_posted++]);
    while (turn->n_sends_posted < turn->n_sends && window_is_open(player, rank, turn)) {
        struct player_op *send = &turn->ops[turn->n_sends_posted++];
        send->start = player->now;
        rank->n_posted++;
        rank->n_sending++;
        host_takes(player, send, &rank->parts);
    }
}

/* Posts what it may of the next turn. False: there is none, or something of it has to wait. */
static bool actions_post_turn(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    struct turn *turn = rank->posting;
    if (!turn || (!turn->is_begun && !may_begin(player, rank)))
        return false;
    if (!turn->is_begun && local_op(turn)) {
        begin_local(player, number);
        return false;
    }
    turn->is_begun = true;
    post_operations(player, rank, turn);
    if (!turn_is_posted(turn))
        return false;
    rank->posting = turn->next;
    rank->is_behind_free = turn->is_free;
    return true;
}

static void actions_end_turn(struct player *player, struct player_rank *rank)
{
    struct turn *turn = rank->first;
    struct played *played = player->played;
    for (int kind = SENDS; kind <= RECEIVES; kind++)
        if (rank->asked[kind].turn == turn)
            turn_cursor_pass(&rank->asked[kind], kind);
    rank->first = turn->next;
    if (!rank->first)
        rank->last = NULL;
    if (player->now >= played->time) {
        played->time = player->now;
        played->parts = rank->parts;
        played->last_rank = turn->rank;
    }
    player->n_active--;
    turn_free(player, turn);
}

/* Says what a rank is to do next, or waits for, once nothing more moves it. */
static void actions_settle(struct player *player, struct player_rank *rank)
{
    const bool is_ended = !rank->first && !rank->n_unread;
    const bool is_idle = !is_ended && !rank->doing && !rank->to_do && !rank->n_sending &&
                         !rank->is_local;
    const bool is_hungry = player->settings->synchronisation != SYNC_BARRIER && !rank->posting &&
                           rank->n_unread && (!rank->first || !is_waiting_mode(player));
    if (!is_idle)
        rank->idle_since = UINT64_MAX;
    else if (rank->idle_since == UINT64_MAX)
        rank->idle_since = player->now;
    player->n_hungry += (uint32_t)is_hungry;
    player->n_hungry -= (uint32_t)rank->is_hungry;
    rank->is_hungry = is_hungry;
}

/* Ends turns that are over, and posts what may be. */
void player_go_on(struct player *player, uint32_t number)
{
    struct player_rank *rank = &player->ranks[number];
    while (!rank->is_local) {
        struct turn *turn = rank->first;
        if (turn && turn->is_begun && turn_is_posted(turn) && !turn->n_open) {
            if (local_op(turn))
                begin_local(player, number);
            else
                actions_end_turn(player, rank);
        } else if (!actions_post_turn(player, number)) {
            break;
        }
    }
    actions_settle(player, rank);
}

/* ---- machines and the network ---- */

/* Returns the port by which a message leaves its machine, or, where `is_in`, arrives: a way has one of the
 * machine, else each network is one. */
static uint64_t *actions_port_of(const struct player *player, const struct transit *transit, bool is_in)
{
    const uint32_t server = actions_server_of(player, is_in ? transit->to : transit->from);
    uint32_t port = player->has_networks ? transit->network : 0;
    if (player->networks.placement)
        port = is_in ? host_ports_way_in(transit->network)
                     : host_ports_way_out(transit->network);
    return &(is_in ? player->port_receives : player->port_sends)[(size_t)server * player->n_ports + port];
}

/* True if the topology has the network of a message. */
static bool has_such_network(const struct player *player, const struct transit *transit)
{
    return !player->has_networks || player->networks.placement ||
           transit->network < topology_n_networks(player->settings->topology);
}

void player_break_off(struct player *player, const char *problem)
{
    player->played->outcome = PLAYED_BROKEN;
    if (problem && !player->played->problem)
        player->played->problem = strdup(problem);
}

static void actions_report_no_route(struct player *player, const struct message *message)
{
    const struct topology *topology = player->settings->topology;
    const struct transit *transit = &message->transit;
    char from[256], to[256];
    const bool is_joined =
        has_such_network(player, transit) &&
        topology_is_joined(topology, transit->network, transit->source, transit->destination);
    topology_node_name(topology, transit->source, from, sizeof from);
    topology_node_name(topology, transit->destination, to, sizeof to);
    struct diagnostic *found =
        report(player->diagnostics, is_joined ? CODE_L002 : CODE_L003,
               (struct position){.source = player->schedule->source},
               "no %s from host '%s' to '%s', which communicate in step %llu",
               is_joined ? "route" : "such network", from, to, (unsigned long long)message->step);
    found->help = "nothing can be simulated: place the ranks on hosts that have routes to each "
                  "other";
    if (is_joined)
        placement_note_unrouted(topology, player->settings->placement, player->diagnostics, found);
    player_break_off(player, NULL);
}

static void enter_network(struct player *player, uint32_t number)
{
    struct message *message = &player->messages[number];
    message->begun = player->now;
    if (!player->model->methods->send(player->model, &message->transit, player->now))
        actions_report_no_route(player, message);
}

/* A message is at the port by which it leaves its machine. */
static void actions_serve_at_port(struct player *player, uint32_t number)
{
    struct message *message = &player->messages[number];
    const uint64_t start = serve_in_turn(actions_port_of(player, &message->transit, false), player->now,
                                         player->settings->costs.gap);
    message->parts.host += start - player->now;
    if (start > player->now)
        actions_plan(player, start, PORT_SENDS, number);
    else
        enter_network(player, number);
}

/* A message goes to another adapter of its machine, inside of it. */
static void actions_cross_host(struct player *player, uint32_t number)
{
    struct message *message = &player->messages[number];
    uint64_t start;
    const uint64_t end =
        time_sum(actions_inside_serves(player, &message->transit, &start),
                 player->settings->costs.memory_latency);
    message->parts.waiting += start - player->now;
    message->parts.memory += end - start;
    actions_plan(player, end, HOST_CROSSED, number);
}

static void actions_serve_message(struct player *player, uint32_t number)
{
    struct message *message = &player->messages[number];
    const struct transit *transit = &message->transit;
    uint64_t start;
    if (transit->source == transit->destination) {
        const uint64_t end = actions_inside_serves(player, transit, &start);
        message->parts.waiting += start - player->now;
        message->parts.memory += end - start;
        message->begun = end;
        actions_plan(player, end, MEMORY_LEFT, number);
        return;
    }
    if (!has_such_network(player, transit)) {
        actions_report_no_route(player, message);
        return;
    }
    if (placement_crosses_host(player->settings->placement, transit->from, transit->to))
        actions_cross_host(player, number);
    else
        actions_serve_at_port(player, number);
}

static void message_has_left(struct player *player, uint32_t number, struct time_parts *path)
{
    struct player_op *send = player->messages[number].send;
    player->messages[number].send = NULL;
    rank_of(player, send)->n_sending--;
    actions_end_op(player, send, path);
}

static void memory_has_passed(struct player *player, uint32_t number)
{
    const uint64_t latency = player->settings->costs.memory_latency;
    struct time_parts path = player->messages[number].parts;
    player->messages[number].parts.memory += latency;
    message_has_left(player, number, &path);
    if (latency)
        actions_plan(player, time_sum(player->now, latency), MEMORY_ARRIVED, number);
    else
        actions_arrive(player, number);
}

void player_serve_requests(struct player *player)
{
    struct requests *requests = &player->requests;
    requests_order(requests);
    for (size_t i = 0; i < requests->n; i++) {
        const struct request *at = &requests->items[requests->order.items[i].index];
        if (at->message == REQUEST_LOCAL)
            actions_serve_local(player, at->rank);
        else
            actions_serve_message(player, at->message);
    }
    requests->n = 0;
}

static void add_network_parts(const struct player *player, const struct transit_event *event,
                              struct time_parts *path)
{
    add_passage(path, player->now - player->messages[event->id].begun, event->latency, event->bandwidth);
}

void player_take_event(struct player *player, const struct transit_event *event)
{
    struct message *message = &player->messages[event->id];
    if (event->kind == TRANSIT_LEFT) {
        struct time_parts path = message->parts;
        add_network_parts(player, event, &path);
        message_has_left(player, event->id, &path);
        return;
    }
    add_network_parts(player, event, &message->parts);
    const uint64_t start = serve_in_turn(actions_port_of(player, &message->transit, true), player->now,
                                         player->settings->costs.gap);
    if (start == player->now) {
        actions_arrive(player, event->id);
        return;
    }
    message->parts.host += start - player->now;
    actions_plan(player, start, PORT_RECEIVES, event->id);
}

void player_happen(struct player *player, const struct moment *moment)
{
    switch ((enum moment_kind)moment->kind) {
    case HOST_ENDS: host_ends(player, moment->what); break;
    case LOCAL_ENDS: local_ends(player, moment->what); break;
    case PORT_SENDS: enter_network(player, moment->what); break;
    case PORT_RECEIVES:
    case MEMORY_ARRIVED:
        actions_arrive(player, moment->what);
        break;
    case MEMORY_LEFT: memory_has_passed(player, moment->what); break;
    case HOST_CROSSED: actions_serve_at_port(player, moment->what); break;
    }
}
