/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine of the player. At each time, in this order, until nothing more happens at it:
 *
 *   the network goes on to it; hosts and memories end what they do
 *   ranks that may go on end turns and post operations; steps are read as far as ranks need them
 *   what wants a memory or a port is served, in its order
 *
 * The actions of each of these are in actions.c.
 */
#include "simulate/internal.h"

#include <stdio.h>
#include <stdlib.h>

static void player_read_step(struct player *player)
{
    const uint64_t limit = player->settings->max_ahead ? player->settings->max_ahead
                                                       : PLAYER_MAX_AHEAD;
    const bool has_barrier = player->settings->synchronisation == SYNC_BARRIER;
    const uint32_t n = turns_read(player);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = player->touched[i];
        struct player_rank *rank = &player->ranks[number];
        if (has_barrier) {
            rank->idle_since = UINT64_MAX;
            player_move(player, number, &player->played->parts);
        } else if (rank->is_hungry) {
            player_move(player, number, &rank->parts);
        }
    }
    if (player->n_ahead <= limit)
        return;
    char problem[200];
    snprintf(problem, sizeof problem,
             "some ranks are far ahead of others: more than %llu operations wait to be simulated; "
             "take fewer ranks or smaller steps", (unsigned long long)limit);
    player_break_off(player, problem);
}

/* Ranks that are not listed as moved cannot go on, whatever is read. */
static void player_go_on_all(struct player *player)
{
    const bool has_barrier = player->settings->synchronisation == SYNC_BARRIER;
    while (player->played->outcome == PLAYED_WHOLE) {
        while (player->n_moved) {
            const uint32_t number = player->moved[--player->n_moved];
            player->ranks[number].is_moved = false;
            player_go_on(player, number);
        }
        if (player->is_all_read || (has_barrier ? player->n_active : !player->n_hungry))
            return;
        player_read_step(player);
    }
}

static bool player_is_broken(const struct player *player)
{
    return player->played->outcome != PLAYED_WHOLE;
}

/* The time at which something happens next: it, and all that happens at it. False: nothing will,
 * or not soon enough. */
static bool player_go_to_next_time(struct player *player)
{
    const uint64_t limit = player->settings->max_time ? player->settings->max_time
                                                      : SIMULATE_TIME_MAX;
    const struct network_model_methods *methods = player->model->methods;
    const uint64_t of_network = methods->next(player->model);
    const uint64_t own = timetable_next(&player->table);
    const uint64_t next = of_network < own ? of_network : own;
    if (next == SIMULATE_NEVER)
        return false;
    if (next >= limit) {
        player_break_off(player, player->settings->max_time
                              ? "it takes longer than the limit of time"
                              : "it takes too long to be counted, 2^62 ns (146 years) or more");
        return false;
    }
    player->now = next;
    player->events.n = 0;
    methods->advance(player->model, next, &player->events);
    for (size_t i = 0; i < player->events.n; i++)
        player_take_event(player, &player->events.items[i]);
    while (timetable_next(&player->table) == next) {
        const struct moment moment = timetable_take(&player->table);
        player_happen(player, &moment);
    }
    return true;
}

static void player_play(struct player *player)
{
    do {
        player_go_on_all(player);
        if (player_is_broken(player))
            return;
        player_serve_requests(player);
    } while (!player_is_broken(player) && player_go_to_next_time(player));
    if (player_is_broken(player) || !player->n_active)
        return;
    player->played->outcome = PLAYED_STUCK;
    player->played->problem = player_describe_stuck(player);
}

static void player_init(struct player *player)
{
    const struct player_settings *settings = player->settings;
    const struct schedule_header *header = &player->schedule->header;
    const uint32_t n_ranks = header->n_ranks, n_servers = settings->placement->n_servers;
    player->n_ranks = n_ranks;
    player->ranks = mem_alloc(n_ranks, sizeof *player->ranks);
    player->step_counts = mem_alloc((size_t)n_ranks * 3, sizeof *player->step_counts);
    player->step_turns = mem_alloc(n_ranks, sizeof *player->step_turns);
    player->touched = mem_alloc(n_ranks, sizeof *player->touched);
    player->moved = mem_alloc(n_ranks, sizeof *player->moved);
    player->memory_free = mem_alloc(n_servers, sizeof *player->memory_free);
    player->inside_free = settings->costs.inside_bandwidth ? mem_alloc(n_servers, sizeof *player->inside_free)
                                                           : player->memory_free;
    player->has_networks =
        flow_networks_find(&player->networks, header, settings->topology, settings->placement);
    player->n_ports = player->networks.placement ? topology_n_host_ports(settings->topology)
                                                 : topology_n_networks(settings->topology);
    player->port_sends = mem_alloc((size_t)n_servers * player->n_ports, sizeof(uint64_t));
    player->port_receives = mem_alloc((size_t)n_servers * player->n_ports, sizeof(uint64_t));
    player->free_message = NO_MESSAGE;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        player->ranks[rank].idle_since = UINT64_MAX;
}

/* Keeps those that wait most, most first, the lower rank first of equal ones. */
static void player_find_waits(const struct player *player)
{
    struct played *played = player->played;
    for (uint32_t rank = 0; rank < player->n_ranks; rank++) {
        const struct played_rank_wait *wait = &player->ranks[rank].wait;
        uint32_t at = played->n_waits;
        for (; at > 0 && played->waits[at - 1].time < wait->time; at--)
            if (at < PLAYED_WAITS)
                played->waits[at] = played->waits[at - 1];
        if (!wait->time || at == PLAYED_WAITS)
            continue;
        played->waits[at] = *wait;
        played->n_waits += played->n_waits < PLAYED_WAITS;
    }
}

static void player_end(struct player *player)
{
    player_find_waits(player);
    turns_free_all(player);
    player_pairs_free(&player->pairs);
    timetable_free(&player->table);
    free(player->ranks);
    free(player->step_counts);
    free(player->step_turns);
    free(player->touched);
    free(player->moved);
    free(player->messages);
    requests_free(&player->requests);
    if (player->inside_free != player->memory_free)
        free(player->inside_free);
    free(player->memory_free);
    free(player->port_sends);
    free(player->port_receives);
    free(player->events.items);
}

void player_run(struct schedule *schedule, struct network_model *model,
                const struct player_settings *settings, struct played *played,
                struct diagnostics *diagnostics)
{
    struct player player = {.schedule = schedule,
                            .model = model,
                            .settings = settings,
                            .played = played,
                            .diagnostics = diagnostics};
    const struct time_parts nothing = {0};
    *played = (struct played){.outcome = PLAYED_WHOLE};
    player_init(&player);
    if (turns_count(&player)) {
        schedule->rewind(schedule);
        if (model->methods->expect)
            model->methods->expect(model, played->n_messages);
        for (uint32_t rank = player.n_ranks; rank-- > 0;)
            player_move(&player, rank, &nothing);
        player_play(&player);
    }
    if (schedule->failed)
        player_break_off(&player, NULL);
    player_end(&player);
}

uint32_t *played_critical_path(const struct played *played, size_t *n)
{
    size_t length = 0;
    if (!played->events)
        return NULL;
    for (uint32_t at = played->parts.event; at; at = played->events[at].cause)
        length++;
    uint32_t *path = mem_alloc(length + 1, sizeof *path);
    *n = length;
    for (uint32_t at = played->parts.event; at; at = played->events[at].cause)
        path[--length] = at;
    return path;
}

void played_free(struct played *played)
{
    free(played->events);
    free(played->problem);
    *played = (struct played){0};
}
