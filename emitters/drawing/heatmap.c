/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A heat map as SVG of a schedule with times on a network: a row for each link that carries messages,
 * time from left to right, and as colour the number of messages that share the link. By its times a
 * message is in flight from its post to the end of its receive; or, if the receive is posted only after
 * the message must have arrived, up to that arrival. With many links the chart shows those that carry the
 * most.
 */
#include "base/integer.h"
#include "emitters/drawing/draw.h"
#include "emitters/drawing/time_axis.h"
#include "emitters/emit.h"
#include "ir/counts.h"
#include "measure/flows.h"
#include "measure/in_flight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_LEFT = 200, MOST_LEFT = 600, NAME_SIZE = 260, TOP = 72, ROW = 16, MAX_ROWS = 128, N_SHADES = 4 };
enum { FINE = 1000 }; /* loads are means; colours have this many levels per message */

/* One end of a message: paired with the other end first, later one side of it in time. */
struct message_end {
    uint32_t rank, peer; /* sender, receiver */
    uint8_t network;
    uint64_t order;      /* position in the order of posting */
    struct op_time time;
};
struct message_ends {
    struct message_end *items;
    size_t n, capacity;
};

/* An event at which a message enters the network or leaves it. */
struct turn {
    uint64_t time, order;
    struct passage passage;
    bool leaves;
};

struct heatmap {
    const struct emit_request *request;
    struct message_ends sends, receives;
    struct turn *turns;
    size_t n_turns;
    uint64_t end;
    struct flow_networks networks;
    bool has_networks;
};

static void heatmap_keep(struct heatmap *map, struct message_ends *list, const struct op *op,
                         const struct op_time *time, bool is_send)
{
    if (!schedule_is_sent(&map->request->schedule->header, op))
        return;
    const uint32_t *machine = map->request->placement ? map->request->placement->machine : NULL;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n] = (struct message_end){
        .rank = is_send ? op->rank : op->peer,
        .peer = is_send ? op->peer : op->rank,
        .network = is_send && map->has_networks
                       ? flow_network(&map->networks, op, machine ? machine[op->rank] : op->rank,
                                      machine ? machine[op->peer] : op->peer)
                       : NO_NETWORK,
        .order = list->n,
        .time = *time};
    list->n++;
    map->end = time->end > map->end ? time->end : map->end;
}

static bool heatmap_gather(struct heatmap *map)
{
    struct schedule *schedule = map->request->schedule;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_sends; i++)
            heatmap_keep(map, &map->sends, &step.sends[i], &step.send_times[i], true);
        for (size_t i = 0; i < step.n_receives; i++)
            heatmap_keep(map, &map->receives, &step.receives[i], &step.receive_times[i], false);
    }
    return !schedule->failed;
}

static int heatmap_compare_ends(const void *a, const void *b)
{
    const struct message_end *x = a, *y = b;
    const int by_rank = compare_numbers(x->rank, y->rank),
              by_peer = compare_numbers(x->peer, y->peer);
    return by_rank ? by_rank : by_peer ? by_peer : compare_numbers(x->order, y->order);
}

/* Orders messages that leave before those that come at the same time. */
static int heatmap_compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->time != y->time)
        return compare_numbers(x->time, y->time);
    return x->leaves != y->leaves ? (x->leaves ? -1 : 1) : compare_numbers(x->order, y->order);
}

/* Returns the latency of the route, the least time from leaving to arrival. */
static uint64_t latency_of(const struct heatmap *map, const struct passage *passage, struct hop *hops)
{
    const struct topology *topology = map->request->topology;
    const uint32_t n =
        topology_route_over(topology, passage->network, passage->source, passage->destination, hops);
    uint64_t latency = 0;
    for (uint32_t i = 0; i < n; i++)
        latency += topology_link_latency(topology, hops[i].link);
    return latency;
}

/* Adds when message i, or a stripe of it, enters the network and leaves it. */
static void heatmap_add_turns(struct heatmap *map, size_t i, const struct passage *passage, struct hop *hops)
{
    const struct message_end *send = &map->sends.items[i], *receive = &map->receives.items[i];
    const uint64_t there = send->time.end + latency_of(map, passage, hops);
    const uint64_t until = receive->time.start > there ? there : receive->time.end;
    if (until <= send->time.start)
        return;
    map->turns[map->n_turns++] = (struct turn){send->time.start, i, *passage, false};
    map->turns[map->n_turns++] = (struct turn){until, i, *passage, true};
}

/* Pairs sends with receives in their order, and puts their messages in the order of time. */
static void make_turns(struct heatmap *map)
{
    const struct placement *placement = map->request->placement;
    struct hop *hops = mem_alloc((size_t)map->request->topology->max_hops + 1, sizeof *hops);
    const size_t n = map->sends.n < map->receives.n ? map->sends.n : map->receives.n;
    if (n) {
        qsort(map->sends.items, map->sends.n, sizeof *map->sends.items, heatmap_compare_ends);
        qsort(map->receives.items, map->receives.n, sizeof *map->receives.items, heatmap_compare_ends);
    }
    map->turns = mem_alloc(2 * n * flow_stripes(&map->networks) + 1, sizeof *map->turns);
    for (size_t i = 0; i < n; i++) {
        const struct message_end *send = &map->sends.items[i];
        struct passage passage = {placement ? placement->machine[send->rank] : send->rank,
                                  placement ? placement->machine[send->peer] : send->peer, send->network};
        if (passage.source == passage.destination)
            continue;
        for (uint32_t stripe = 0; stripe < flow_stripes(&map->networks); stripe++) {
            passage.network =
                flow_stripe_network(&map->networks, send->rank, send->peer, send->network, stripe);
            heatmap_add_turns(map, i, &passage, hops);
        }
    }
    if (map->n_turns)
        qsort(map->turns, map->n_turns, sizeof *map->turns, heatmap_compare_turns);
    free(hops);
}

/* ---- the picture ---- */

struct link_row {
    uint32_t link;
    double heat; /* sum over all intervals */
};

static int compare_heat(const void *a, const void *b)
{
    const struct link_row *x = a, *y = b;
    return x->heat != y->heat ? (x->heat < y->heat ? 1 : -1) : compare_numbers(x->link, y->link);
}

static int heatmap_compare_links(const void *a, const void *b)
{
    return compare_numbers(((const struct link_row *)a)->link, ((const struct link_row *)b)->link);
}

/* Returns the links that carry messages, or the `most` that carry the most, in their order. *n_all: their
 * number without the limit. */
static struct link_row *choose_rows(const struct topology *topology, const struct in_flight *in_flight,
                                    uint32_t n_intervals, uint32_t most, uint32_t *n, uint32_t *n_all)
{
    struct link_row *rows = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *rows);
    *n_all = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        double heat = 0;
        for (uint32_t i = 0; i < n_intervals; i++)
            heat += in_flight_heat(in_flight, link, i);
        if (heat > 0)
            rows[(*n_all)++] = (struct link_row){link, heat};
    }
    *n = *n_all < most ? *n_all : most;
    qsort(rows, *n_all, sizeof *rows, compare_heat);
    qsort(rows, *n, sizeof *rows, heatmap_compare_links);
    return rows;
}

static uint64_t fine(double load)
{
    return (uint64_t)(load * FINE + 0.5);
}

static void heatmap_name_link(const struct topology *topology, uint32_t link, char name[NAME_SIZE])
{
    uint32_t from, to;
    char ends[2][100];
    topology_link_ends(topology, link, &from, &to);
    topology_node_name(topology, from, ends[0], sizeof ends[0]);
    topology_node_name(topology, to, ends[1], sizeof ends[1]);
    snprintf(name, NAME_SIZE, "%s to %s", ends[0], ends[1]);
}

static void heatmap_put_row(const struct time_axis *axis, const struct heatmap *map,
                            const struct in_flight *in_flight, const struct over_time *all, uint32_t row,
                            uint32_t link)
{
    const struct topology *topology = map->request->topology;
    char name[NAME_SIZE], colour[8];
    heatmap_name_link(topology, link, name);
    time_axis_name(axis, row, name);
    for (uint32_t i = 0, next; i < all->n_intervals; i = next) {
        const double load = in_flight_heat(in_flight, link, i);
        next = i + 1;
        while (next < all->n_intervals && fine(in_flight_heat(in_flight, link, next)) == fine(load))
            next++;
        if (!fine(load))
            continue;
        const uint64_t end = next * all->width < axis->end ? next * all->width : axis->end;
        const double x = time_axis_place(axis, i * all->width);
        load_colour(load, 1, all->most.link_load, colour);
        text_printf(axis->out,
                    "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>",
                    x, axis->top + row * axis->row + 1, time_axis_place(axis, end) - x, ROW - 2, colour);
        drawing_escape(name, axis->out);
        text_printf(axis->out, ", %" PRIu64 " to %" PRIu64 " ns: %.2f messages</title></rect>\n",
                    i * all->width, end, load);
    }
}

/* Returns the points to the left of the rows. */
static double room_for_names(const struct topology *topology, const struct link_row *rows, uint32_t n)
{
    double room = LEAST_LEFT;
    for (uint32_t row = 0; row < n; row++) {
        char name[NAME_SIZE];
        heatmap_name_link(topology, rows[row].link, name);
        const double needed = time_axis_width(name) + 20;
        room = needed > room ? needed : room;
    }
    return room < MOST_LEFT ? room : MOST_LEFT;
}

static void put_legend(const struct time_axis *axis, uint32_t most)
{
    double x = axis->left;
    char colour[8], word[64];
    uint32_t before = 0;
    for (uint32_t i = 1; i <= N_SHADES; i++) {
        const uint32_t load = (most * i + N_SHADES - 1) / N_SHADES;
        if (load == before)
            continue;
        before = load;
        load_colour(load, 1, most, colour);
        snprintf(word, sizeof word, "%" PRIu32, load);
        time_axis_legend(axis, &x, colour, word);
    }
    text_printf(axis->out, "<text x=\"%.1f\" y=\"39\">messages share the link</text>\n", x);
}

static void put_picture(const struct heatmap *map, const struct in_flight *in_flight,
                        const struct over_time *all, struct text *out)
{
    const struct topology *topology = map->request->topology;
    const struct schedule_header *header = &map->request->schedule->header;
    uint32_t n, n_all;
    char title[300], part[80] = "";
    const uint32_t most = map->request->most_rows ? map->request->most_rows : MAX_ROWS;
    struct link_row *rows = choose_rows(topology, in_flight, all->n_intervals, most, &n, &n_all);
    const struct time_axis axis = {.out = out,
                                   .end = all->time,
                                   .n_rows = n,
                                   .left = room_for_names(topology, rows, n),
                                   .top = TOP,
                                   .row = ROW};
    if (n < n_all)
        snprintf(part, sizeof part, ", the %" PRIu32 " busiest of %" PRIu32 " links", n, n_all);
    snprintf(title, sizeof title, "%s, %" PRIu32 " rank%s, %.150s%s",
             collective_name(header->collective, header->form), header->n_ranks,
             header->n_ranks == 1 ? "" : "s", drawing_topology_name(topology), part);
    time_axis_begin(&axis, title);
    put_legend(&axis, all->most.link_load);
    text_printf(out, "<g shape-rendering=\"crispEdges\">\n");
    for (uint32_t row = 0; row < n; row++)
        heatmap_put_row(&axis, map, in_flight, all, row, rows[row].link);
    text_printf(out, "</g>\n");
    time_axis_close(&axis);
    free(rows);
}

const char *emit_heatmap(const struct emit_request *request, struct text *out)
{
    struct heatmap map = {.request = request};
    if (!request->schedule->header.is_timed)
        return "the schedule has no times: write one with 'collc compile --timed'";
    map.has_networks =
        flow_networks_find(&map.networks, &request->schedule->header, request->topology, request->placement);
    const bool is_whole = heatmap_gather(&map);
    if (is_whole) {
        make_turns(&map);
        struct in_flight *in_flight =
            in_flight_new(request->topology, UNDER_WAY_MAX_INTERVALS, map.end, true);
        for (size_t i = 0; i < map.n_turns; i++)
            if (map.turns[i].leaves)
                in_flight_leave(in_flight, &map.turns[i].passage, map.turns[i].time);
            else
                in_flight_enter(in_flight, &map.turns[i].passage, map.turns[i].time);
        const struct over_time all = in_flight_end(in_flight, map.end);
        put_picture(&map, in_flight, &all, out);
        in_flight_free(in_flight);
    }
    free(map.sends.items);
    free(map.receives.items);
    free(map.turns);
    return is_whole ? NULL : "";
}
