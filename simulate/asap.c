/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model `asap`: as soon as possible. Every link serves messages one after the other, in the
 * order in which their heads come; of those that come at the same time the one that was sent first.
 * Virtual cut-through (Kermani & Kleinrock 1979) with buffers without limit:
 *
 *   begin_l  = max(head_l, when link l is free)
 *   free_l   = begin_l + bytes / bandwidth_l
 *   head_l+1 = begin_l + latency_l
 *   tail_l+1 = max(tail_l, free_l) + latency_l      its last byte; at the end, it has arrived
 *
 * If a process has a rate of its own, each rank has a port at that rate before the first link,
 * and one behind the last: links without latency of their own. A message has left when its last
 * byte is on the first link. The first link is taken when the message is sent; what comes to a link
 * at that time from another link has come before it.
 */
#include "simulate/models.h"

#include "simulate/timetable.h"

/* A message on its way. */
struct flight {
    uint64_t number;      /* messages sent before it */
    uint64_t tail;        /* when its last byte is at the link where it is next */
    uint64_t latency, bandwidth; /* of the links so far */
    uint64_t leaves_in;   /* what of `bandwidth` the first link has */
    uint64_t bytes;
    uint64_t rate, lasts; /* what bytes / rate was when it was last computed; rate 0: never */
    uint32_t id, to;      /* of the transit */
    uint32_t n_hops, at;  /* links on its route, and which is next */
    uint32_t next_free;
};

/* A server of messages: it serves them one after the other, or (is_shared) any number at once. */
struct server {
    uint64_t free;        /* when it is */
    uint64_t bandwidth;   /* 0: not yet asked for */
    uint64_t latency;
    bool is_shared;
};

/* Events of one message at one time happen in this order. */
enum flight_moment { HEAD_COMES, TAIL_LEAVES, TAIL_ARRIVES, N_FLIGHT_MOMENTS };

struct asap {
    struct network_model model;
    struct network_model_settings settings;
    struct timetable table;
    struct flight *flights;
    uint32_t *links;      /* [flight][max_hops] */
    size_t n_flights, flight_capacity, link_capacity;
    uint32_t free_flight, n_in_flight, max_hops;
    uint64_t n_sent;
    struct server *served; /* [link] */
    struct server *rank_sends, *rank_receives; /* [rank] its ports; NULL: it has none */
    struct hop *hops;
};

static struct asap *asap_of(struct network_model *model)
{
    return (struct asap *)model;
}

static uint32_t flight_new(struct asap *asap)
{
    uint32_t flight = asap->free_flight;
    asap->n_in_flight++;
    if (flight != UINT32_MAX) {
        asap->free_flight = asap->flights[flight].next_free;
        return flight;
    }
    flight = (uint32_t)asap->n_flights++;
    asap->flights = mem_grow(asap->flights, &asap->flight_capacity, asap->n_flights,
                             sizeof *asap->flights);
    asap->links = mem_grow(asap->links, &asap->link_capacity, asap->n_flights * asap->max_hops,
                           sizeof *asap->links);
    return flight;
}

static void asap_plan(struct asap *asap, uint64_t time, enum flight_moment kind, uint32_t flight)
{
    const uint64_t number = asap->flights[flight].number * N_FLIGHT_MOMENTS + kind;
    timetable_add(&asap->table, (struct moment){time, number, kind, flight});
}

/* The flight goes over a link or a port; its head comes at `head`. Returns when it begins. */
static uint64_t asap_cross(struct flight *flight, uint64_t head, struct server *server)
{
    if (flight->rate != server->bandwidth) {
        flight->rate = server->bandwidth;
        flight->lasts = transfer_ns(flight->bytes, server->bandwidth);
    }
    const uint64_t lasts = flight->lasts;
    const uint64_t begin = !server->is_shared && server->free > head ? server->free : head;
    const uint64_t end = time_sum(begin, lasts);
    server->free = end;
    if (lasts > flight->bandwidth)
        flight->bandwidth = lasts;
    flight->tail = time_sum(end > flight->tail ? end : flight->tail, server->latency);
    flight->latency += server->latency;
    return begin;
}

static struct server *asap_link_at(struct asap *asap, uint32_t link)
{
    const struct topology *topology = asap->settings.topology;
    struct server *server = &asap->served[link];
    if (!server->bandwidth)
        *server = (struct server){.bandwidth = topology_link_bandwidth(topology, link),
                                  .latency = topology_link_latency(topology, link),
                                  .is_shared = !topology_link_contends(topology, link)};
    return server;
}

/* The head is at the last port. */
static void end_route(struct asap *asap, uint32_t number, uint64_t head)
{
    struct flight *flight = &asap->flights[number];
    if (asap->rank_receives)
        asap_cross(flight, head, &asap->rank_receives[flight->to]);
    asap_plan(asap, flight->tail, TAIL_ARRIVES, number);
}

/* The head is at the next link, or at the end of its route. */
static void take_hop(struct asap *asap, uint32_t number, uint64_t head)
{
    struct flight *flight = &asap->flights[number];
    if (flight->at == flight->n_hops) {
        end_route(asap, number, head);
        return;
    }
    struct server *link = asap_link_at(asap, asap->links[(size_t)number * asap->max_hops + flight->at]);
    const uint64_t begin = asap_cross(flight, head, link);
    const bool is_first = flight->at++ == 0;
    if (is_first) {
        flight->leaves_in = flight->bandwidth;
        asap_plan(asap, flight->tail - link->latency, TAIL_LEAVES, number);
    }
    if (flight->at < flight->n_hops || asap->rank_receives)
        asap_plan(asap, time_sum(begin, link->latency), HEAD_COMES, number);
    else
        end_route(asap, number, time_sum(begin, link->latency));
}

static bool asap_send(struct network_model *model, const struct transit *message, uint64_t time)
{
    struct asap *asap = asap_of(model);
    const struct topology *topology = asap->settings.topology;
    const uint32_t n_hops =
        message->network == NO_NETWORK
            ? topology_route(topology, message->source, message->destination, asap->hops)
            : topology_route_over(topology, message->network, message->source,
                                  message->destination, asap->hops);
    if (!n_hops)
        return false;
    const uint32_t number = flight_new(asap);
    struct flight *flight = &asap->flights[number];
    *flight = (struct flight){.id = message->id,
                              .to = message->to,
                              .bytes = message->bytes,
                              .number = asap->n_sent++,
                              .tail = time,
                              .n_hops = n_hops};
    for (uint32_t i = 0; i < n_hops; i++)
        asap->links[(size_t)number * asap->max_hops + i] = asap->hops[i].link;
    uint64_t head = time;
    if (asap->rank_sends)
        head = asap_cross(flight, time, &asap->rank_sends[message->from]);
    if (head > time)
        asap_plan(asap, head, HEAD_COMES, number);
    else
        take_hop(asap, number, time);
    return true;
}

static uint64_t asap_next(struct network_model *model)
{
    return timetable_next(&asap_of(model)->table);
}

static void asap_tell(struct transit_events *events, const struct moment *moment, const struct flight *flight)
{
    const bool has_left = moment->kind == TAIL_LEAVES;
    events->items = mem_grow(events->items, &events->capacity, events->n + 1, sizeof *events->items);
    events->items[events->n++] =
        (struct transit_event){.time = moment->time,
                               .id = flight->id,
                               .kind = has_left ? TRANSIT_LEFT : TRANSIT_ARRIVED,
                               .latency = has_left ? 0 : flight->latency,
                               .bandwidth = has_left ? flight->leaves_in : flight->bandwidth};
}

static void asap_advance(struct network_model *model, uint64_t time, struct transit_events *events)
{
    struct asap *asap = asap_of(model);
    while (timetable_next(&asap->table) <= time) {
        const struct moment moment = timetable_take(&asap->table);
        struct flight *flight = &asap->flights[moment.what];
        if (moment.kind == HEAD_COMES) {
            take_hop(asap, moment.what, moment.time);
            continue;
        }
        asap_tell(events, &moment, flight);
        if (moment.kind == TAIL_ARRIVES) {
            flight->next_free = asap->free_flight;
            asap->free_flight = moment.what;
            asap->n_in_flight--;
        }
    }
}

static uint32_t asap_stuck(struct network_model *model, char **why)
{
    *why = NULL;
    return asap_of(model)->n_in_flight;
}

static void asap_free(struct network_model *model)
{
    struct asap *asap = asap_of(model);
    timetable_free(&asap->table);
    free(asap->flights);
    free(asap->links);
    free(asap->served);
    free(asap->rank_sends);
    free(asap->rank_receives);
    free(asap->hops);
    free(asap);
}

static struct server *asap_ports_new(uint32_t n_ranks, uint64_t bandwidth)
{
    struct server *ports = mem_alloc(n_ranks, sizeof *ports);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        ports[rank].bandwidth = bandwidth;
    return ports;
}

struct network_model *simulate_asap(const struct network_model_settings *settings)
{
    static const struct network_model_methods methods = {
        .name = "asap", .send = asap_send, .next = asap_next, .advance = asap_advance,
        .stuck = asap_stuck, .free = asap_free};
    const struct topology *topology = settings->topology;
    const uint32_t n_ranks = settings->placement->n_ranks;
    struct asap *asap = mem_alloc(1, sizeof *asap);
    asap->model.methods = &methods;
    asap->settings = *settings;
    asap->free_flight = UINT32_MAX;
    asap->max_hops = topology->max_hops + 1;
    asap->hops = mem_alloc(asap->max_hops, sizeof *asap->hops);
    asap->served = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *asap->served);
    if (settings->process_bandwidth) {
        asap->rank_sends = asap_ports_new(n_ranks, settings->process_bandwidth);
        asap->rank_receives = asap_ports_new(n_ranks, settings->process_bandwidth);
    }
    return &asap->model;
}
