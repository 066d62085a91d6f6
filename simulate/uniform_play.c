/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays one rank for all: see uniform.h. What is computed is what player.h, rules.h and asap_links.h say. As
 * all ranks are equally far, the message that a rank gets as number i took the way that its own number i
 * takes.
 */
#include "simulate/uniform_parts.h"

#include "simulate/asap_links.h"
#include "simulate/rules.h"

#include <stdlib.h>

/* A time and what it is made of. */
struct instant {
    uint64_t time;
    struct time_parts parts;
};

/* A link of a class. */
struct link_state {
    uint64_t free;
    uint64_t after;       /* the next head comes at this time or later, or the order is open */
};

struct replay {
    const struct uniform *uniform;
    const struct player_settings *settings;
    struct link_state *links; /* [class] */
    struct instant *arrivals, *unsorted; /* room for those of a step */
    struct key_order order;
    uint64_t port_sends, port_receives, memory_free;
    struct instant now;
    uint64_t units, bandwidth, lasts; /* the transfer that was computed last */
};

static uint64_t uniform_play_transfer(struct replay *replay, uint64_t units, uint64_t bandwidth)
{
    if (replay->units != units || replay->bandwidth != bandwidth) {
        uint64_t bytes;
        if (!mem_multiply(units, replay->settings->chunk_bytes, &bytes))
            bytes = UINT64_MAX;
        replay->units = units;
        replay->bandwidth = bandwidth;
        replay->lasts = transfer_ns(bytes, bandwidth);
    }
    return replay->lasts;
}

/* Local operations, one after the other. */
static void run_locally(struct replay *replay, size_t first, size_t n)
{
    const uint64_t bandwidth = replay->settings->costs.memory_bandwidth;
    for (size_t i = first; i < first + n; i++) {
        const struct uniform_run *run = &replay->uniform->runs[i];
        uint64_t lasts;
        if (!mem_multiply(uniform_play_transfer(replay, run->units, bandwidth), run->times, &lasts))
            lasts = SIMULATE_TIME_MAX;
        replay->now.time = time_sum(replay->now.time, lasts);
        replay->now.parts.local += lasts;
    }
}

/* Something that was on a network since `start` is at `time`: its parts from there on. */
static struct instant uniform_play_pass(const struct instant *start, uint64_t time, uint64_t latency,
                                        uint64_t bandwidth)
{
    struct instant at = {time, start->parts};
    add_passage(&at.parts, time - start->time, latency, bandwidth);
    return at;
}

/* A message goes over the network from `start` on. False: the order at a link is open. */
static bool cross_network(struct replay *replay, const struct uniform_message *message,
                          const struct instant *start, struct instant *left, struct instant *arrived)
{
    uint64_t head = start->time, tail = head, latency = 0, bandwidth = 0;
    for (uint32_t k = 0; k < message->n_hops; k++) {
        const uint32_t number = replay->uniform->hops[message->first_hop + k];
        const struct uniform_class *class = &replay->uniform->classes[number];
        struct link_state *link = &replay->links[number];
        const uint64_t lasts = uniform_play_transfer(replay, message->units, class->bandwidth);
        if (!class->is_shared && head < link->after)
            return false;
        link->after = head + 1;
        const uint64_t begin = asap_serve(&link->free, class->is_shared, class->latency, head, lasts, &tail);
        bandwidth = lasts > bandwidth ? lasts : bandwidth;
        if (k == 0)
            *left = uniform_play_pass(start, link->free, 0, bandwidth);
        latency += class->latency;
        head = time_sum(begin, class->latency);
    }
    *arrived = uniform_play_pass(start, tail, latency, bandwidth);
    return true;
}

/* A message inside of the machine, which its host has dealt with at `start`. */
static void cross_memory(struct replay *replay, const struct uniform_message *message,
                         const struct instant *start, struct instant *left, struct instant *arrived)
{
    const struct host_costs *costs = &replay->settings->costs;
    const uint64_t lasts = uniform_play_transfer(replay, message->units, host_costs_inside(costs));
    const uint64_t begin = serve_in_turn(&replay->memory_free, start->time, lasts);
    const uint64_t end = replay->memory_free;
    *left = (struct instant){end, start->parts};
    left->parts.waiting += begin - start->time;
    left->parts.memory += end - begin;
    *arrived = *left;
    arrived->time = time_sum(end, costs->memory_latency);
    arrived->parts.memory += costs->memory_latency;
}

/* One of the rank's sends, which its host has dealt with at `start`. */
static bool uniform_play_send(struct replay *replay, const struct uniform_message *message,
                              struct instant start, struct instant *left, struct instant *arrived)
{
    if (!message->n_hops) {
        cross_memory(replay, message, &start, left, arrived);
        return true;
    }
    const uint64_t enters = serve_in_turn(&replay->port_sends, start.time, replay->settings->costs.gap);
    start.parts.host += enters - start.time;
    start.time = enters;
    return cross_network(replay, message, &start, left, arrived);
}

static struct instant uniform_play_later(const struct instant *a, const struct instant *b)
{
    return b->time >= a->time ? *b : *a;
}

/* The first n arrivals in the order of their times; they mostly are. */
static void sort_arrivals(struct replay *replay, size_t n)
{
    struct instant *items = replay->arrivals;
    bool is_sorted = true;
    for (size_t i = 1; i < n; i++)
        is_sorted = is_sorted && items[i - 1].time <= items[i].time;
    if (is_sorted)
        return;
    struct keyed *keyed = key_order_items(&replay->order, n);
    for (size_t i = 0; i < n; i++) {
        keyed[i] = (struct keyed){items[i].time, (uint32_t)i};
        replay->unsorted[i] = items[i];
    }
    key_order_sort(&replay->order, n);
    for (size_t i = 0; i < n; i++)
        items[i] = replay->unsorted[replay->order.items[i].index];
}

/* The port takes what came over the network, of which there are n; then the host takes all, from when it has
 * dealt with the sends, at `host`. False: something is there before its receive. */
static bool uniform_play_receive(struct replay *replay, size_t n, size_t n_all, struct instant host,
                                 struct instant *end)
{
    const struct host_costs *costs = &replay->settings->costs;
    struct instant *items = replay->arrivals;
    sort_arrivals(replay, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t arrival = items[i].time;
        items[i].time = serve_in_turn(&replay->port_receives, arrival, costs->gap);
        items[i].parts.host += items[i].time - arrival;
    }
    sort_arrivals(replay, n_all);
    if (items[0].time <= replay->now.time)
        return false;
    for (size_t i = 0; i < n_all; i++) {
        if (host.time < items[i].time)
            host = items[i];
        host.time = time_sum(host.time, costs->overhead);
        host.parts.host += costs->overhead;
        *end = uniform_play_later(end, &host);
    }
    return true;
}

/* All of a step that is no copy. False: it cannot be told. */
static bool uniform_play_exchange(struct replay *replay, const struct uniform_step *step)
{
    const uint64_t overhead = replay->settings->costs.overhead;
    const struct uniform_message *messages = &replay->uniform->messages[step->first_message];
    struct instant host = replay->now, end = replay->now;
    size_t n_network = 0, n_inside = 0;
    for (size_t i = 0; i < step->n_messages; i++) {
        struct instant left, arrived;
        host.time = time_sum(host.time, overhead);
        host.parts.host += overhead;
        if (!uniform_play_send(replay, &messages[i], host, &left, &arrived))
            return false;
        end = uniform_play_later(&end, &left);
        /* those over the network from the front, those inside from the back */
        replay->arrivals[messages[i].n_hops ? n_network++ : step->n_messages - ++n_inside] = arrived;
    }
    if (!uniform_play_receive(replay, n_network, step->n_messages, host, &end))
        return false;
    replay->now = end;
    return true;
}

static bool play_all(struct replay *replay)
{
    const struct uniform *uniform = replay->uniform;
    const uint64_t limit = replay->settings->max_time ? replay->settings->max_time : SIMULATE_TIME_MAX;
    for (size_t i = 0; i < uniform->n_steps; i++) {
        const struct uniform_step *step = &uniform->steps[i];
        run_locally(replay, step->first_copy, step->n_copies);
        if (step->n_messages && !uniform_play_exchange(replay, step))
            return false;
        run_locally(replay, step->first_combine, step->n_combines);
        if (replay->now.time >= limit)
            return false;
    }
    return true;
}

bool uniform_play(const struct uniform *uniform, const struct player_settings *settings, uint64_t *time,
                  struct time_parts *parts)
{
    struct replay replay = {.uniform = uniform, .settings = settings};
    if (settings->window || settings->synchronisation == SYNC_NONE || settings->costs.process_bandwidth)
        return false;
    replay.links = mem_alloc(uniform->n_classes + 1, sizeof *replay.links);
    replay.arrivals = mem_alloc(uniform->most_messages + 1, sizeof *replay.arrivals);
    replay.unsorted = mem_alloc(uniform->most_messages + 1, sizeof *replay.unsorted);
    const bool is_played = play_all(&replay);
    *time = replay.now.time;
    *parts = replay.now.parts;
    free(replay.links);
    free(replay.arrivals);
    free(replay.unsorted);
    key_order_free(&replay.order);
    return is_played;
}

uint64_t uniform_work(const struct uniform *uniform)
{
    return uniform->work;
}
