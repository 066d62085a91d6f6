/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model `flow`: messages are streams of bytes that share links by max-min fairness
 * (simulate/sharing.h) from the time at which they are sent, whatever the lengths of their routes.
 * A message has left when its last byte went, and has arrived when that byte crossed the route: the
 * latencies of its links later. Links that do not contend bound the rate of each message and
 * nothing else. Where a process has a rate of its own, each rank has a port at that rate on both
 * ends of the route. A message leaves at a whole ns, the next one after what its rates say.
 *
 * Messages between the same ends over the same network are one stream. It counts the bytes that
 * each of its messages would have got if it had been there from the beginning: a message leaves
 * when that count has grown by its bytes, so the next one to leave is on top of a heap, and a change
 * of the rate costs the same for one message and for many. The heap is a pairing heap (Fredman et
 * al. 1986), as most have one message.
 *
 * Rates are settled when somebody asks for the next time, so what begins and ends at one time is
 * settled in one go.
 */
#include "simulate/models.h"

#include "base/map.h"
#include "simulate/agenda.h"
#include "simulate/sharing.h"
#include "simulate/timetable.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
enum { FIRST_KEYS = 256 };

/* The next event of a message. */
enum stage { TO_START, TO_LEAVE, TO_ARRIVE };

struct message {
    double target;           /* count of its stream at which it has left */
    uint64_t sent;
    uint64_t latency;        /* of its links */
    uint64_t alone;          /* ns that the bytes take where nobody else sends */
    uint32_t child, sibling; /* in the heap of its stream */
    enum stage stage;
};

/* Its links are those of the stream of `sharing` with the same number. */
struct stream {
    uint32_t from, to;  /* machines, or ranks if these have ports */
    uint32_t next;      /* of the same hash */
    uint32_t top;       /* message that leaves first */
    double rate;        /* since `since` */
    double count;       /* bytes each message had got then */
    uint64_t since;
    double widest;      /* B/ns of a message alone */
    uint64_t latency;
    uint8_t network;
};

struct flow_model {
    struct network_model model; /* first */
    const struct topology *topology;
    double process_rate;        /* B/ns; 0: as the cable */
    uint32_t send_ports, receive_ports; /* links beside those of the topology: [rank] */
    struct sharing sharing;
    struct message *messages;   /* [id] */
    size_t message_capacity;
    struct transit *later;      /* [id] of messages that are not yet to start */
    size_t later_capacity;
    struct stream *streams;     /* [stream of sharing] */
    size_t stream_capacity;
    uint32_t *of_key;           /* [hash] first stream */
    uint32_t n_keys;            /* a power of two */
    uint32_t n_streams;         /* that have messages */
    struct agenda leaving;      /* streams, when their first message has left */
    struct agenda waiting;      /* messages that start, leave without data, or arrive */
    struct hop *hops;           /* [max_hops] */
    uint32_t *links;            /* [max_hops + 2] */
    uint64_t now;
    uint32_t n_taken;           /* messages that have not arrived */
};

static struct flow_model *simulate_flow_of(struct network_model *model)
{
    return (struct flow_model *)(void *)model;
}

/* --- streams by their ends --- */

static uint32_t flow_hash_of(const struct flow_model *flow, uint32_t from, uint32_t to, uint8_t network)
{
    return map_hash_number(((uint64_t)from << 32 | to) * 257 + network) & (flow->n_keys - 1);
}

static uint32_t find_stream(const struct flow_model *flow, uint32_t from, uint32_t to,
                            uint8_t network)
{
    uint32_t i = flow->of_key[flow_hash_of(flow, from, to, network)];
    while (i != NOBODY && (flow->streams[i].from != from || flow->streams[i].to != to ||
                           flow->streams[i].network != network))
        i = flow->streams[i].next;
    return i;
}

static void hang_stream(struct flow_model *flow, uint32_t number)
{
    struct stream *stream = &flow->streams[number];
    uint32_t *first = &flow->of_key[flow_hash_of(flow, stream->from, stream->to, stream->network)];
    stream->next = *first;
    *first = number;
}

static void grow_keys(struct flow_model *flow)
{
    uint32_t *old = flow->of_key;
    const uint32_t n_old = flow->n_keys;
    flow->n_keys = old ? 2 * n_old : FIRST_KEYS;
    flow->of_key = mem_alloc(flow->n_keys, sizeof *flow->of_key);
    for (uint32_t i = 0; i < flow->n_keys; i++)
        flow->of_key[i] = NOBODY;
    for (uint32_t i = 0; i < n_old; i++)
        for (uint32_t at = old[i], next; at != NOBODY; at = next) {
            next = flow->streams[at].next;
            hang_stream(flow, at);
        }
    free(old);
}

static void unhang_stream(struct flow_model *flow, uint32_t number)
{
    const struct stream *stream = &flow->streams[number];
    uint32_t *at = &flow->of_key[flow_hash_of(flow, stream->from, stream->to, stream->network)];
    while (*at != number)
        at = &flow->streams[*at].next;
    *at = stream->next;
}

/* --- routes --- */

static uint32_t flow_route(struct flow_model *flow, const struct transit *message)
{
    return topology_route_over(flow->topology, message->network, message->source, message->destination,
                               flow->hops);
}

static double flow_capacity_of(struct flow_model *flow, uint32_t link)
{
    double *capacity = &flow->sharing.links[link].capacity;
    if (!(*capacity > 0))
        *capacity = (double)topology_link_bandwidth(flow->topology, link) * 1e-9;
    return *capacity;
}

static double at_most(double a, double b)
{
    return b < a ? b : a;
}

/* A stream for a message over the n hops that were found for it. */
static uint32_t open_stream(struct flow_model *flow, const struct transit *message, uint32_t from,
                            uint32_t to, uint32_t n)
{
    const struct topology *topology = flow->topology;
    struct stream new = {.from = from,
                         .to = to,
                         .top = NOBODY,
                         .since = flow->now,
                         .widest = INFINITY,
                         .network = message->network};
    double limit = INFINITY;
    uint32_t n_links = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t link = flow->hops[i].link;
        const double capacity = flow_capacity_of(flow, link);
        new.latency += topology_link_latency(topology, link);
        new.widest = at_most(new.widest, capacity);
        if (!topology->has_fat_pipes || topology_link_contends(topology, link))
            flow->links[n_links++] = link;
        else
            limit = at_most(limit, capacity);
    }
    if (flow->process_rate > 0) {
        new.widest = at_most(new.widest, flow->process_rate);
        flow->links[n_links++] = flow->send_ports + from;
        flow->links[n_links++] = flow->receive_ports + to;
    }
    const uint32_t number = sharing_open(&flow->sharing, flow->links, n_links, limit);
    flow->streams = mem_grow(flow->streams, &flow->stream_capacity, (size_t)number + 1,
                             sizeof *flow->streams);
    flow->streams[number] = new;
    if (++flow->n_streams > flow->n_keys)
        grow_keys(flow);
    hang_stream(flow, number);
    return number;
}

/* --- messages of a stream, the first to leave on top --- */

static uint32_t meld(struct message *messages, uint32_t a, uint32_t b)
{
    if (a == NOBODY || b == NOBODY)
        return a == NOBODY ? b : a;
    const uint32_t top = messages[b].target < messages[a].target ? b : a;
    const uint32_t below = top == a ? b : a;
    messages[below].sibling = messages[top].child;
    messages[top].child = below;
    return top;
}

/* The heap without its top: children in pairs, then the pairs from the last on. */
static uint32_t without_top(struct message *messages, uint32_t top)
{
    uint32_t pairs = NOBODY, rest = NOBODY;
    for (uint32_t a = messages[top].child, b, next; a != NOBODY; a = next) {
        b = messages[a].sibling;
        next = b == NOBODY ? NOBODY : messages[b].sibling;
        a = meld(messages, a, b);
        messages[a].sibling = pairs;
        pairs = a;
    }
    for (uint32_t next; pairs != NOBODY; pairs = next) {
        next = messages[pairs].sibling;
        rest = meld(messages, rest, pairs);
    }
    return rest;
}

/* Whole ns, rounded up; what numbers with 53 bits add is not meant. */
static const double TOO_MUCH = 1e-3;
static uint64_t whole_ns(double ns)
{
    if (ns > (double)SIMULATE_TIME_MAX)
        return SIMULATE_TIME_MAX;
    const int64_t whole = (int64_t)ns;
    return (uint64_t)(whole + (ns - (double)whole > TOO_MUCH));
}

static void catch_up(struct flow_model *flow, struct stream *stream)
{
    stream->count += stream->rate * (double)(flow->now - stream->since);
    stream->since = flow->now;
}

static void plan_leaving(struct flow_model *flow, uint32_t number)
{
    const struct stream *stream = &flow->streams[number];
    const double bytes = flow->messages[stream->top].target - stream->count;
    agenda_put(&flow->leaving, number, time_sum(flow->now, whole_ns(bytes / stream->rate)));
}

static void flow_settle(struct flow_model *flow)
{
    const struct sharing_list *settled = &flow->sharing.settled;
    if (sharing_is_settled(&flow->sharing))
        return;
    sharing_settle(&flow->sharing);
    for (size_t i = 0; i < settled->n; i++) {
        const uint32_t number = settled->items[i];
        catch_up(flow, &flow->streams[number]);
        flow->streams[number].rate = flow->sharing.streams[number].rate;
        plan_leaving(flow, number);
    }
}

/* --- events --- */

static void flow_tell(struct flow_model *flow, struct transit_events *events, uint32_t id,
                      enum transit_event_kind kind)
{
    struct transit_event event = {.time = flow->now, .id = id, .kind = kind};
    if (kind == TRANSIT_ARRIVED) {
        const struct message *message = &flow->messages[id];
        const uint64_t moving = flow->now - message->sent - message->latency;
        event.latency = message->latency;
        event.bandwidth = message->alone < moving ? message->alone : moving;
        flow->n_taken--;
    }
    if (events->n == events->capacity)
        events->items = mem_grow(events->items, &events->capacity, events->n + 1,
                                 sizeof *events->items);
    events->items[events->n++] = event;
}

static void flow_leave(struct flow_model *flow, struct transit_events *events, uint32_t id)
{
    struct message *message = &flow->messages[id];
    flow_tell(flow, events, id, TRANSIT_LEFT);
    message->stage = TO_ARRIVE;
    if (message->latency)
        agenda_put(&flow->waiting, id, time_sum(flow->now, message->latency));
    else
        flow_tell(flow, events, id, TRANSIT_ARRIVED);
}

/* The message is on its links from now on; n hops were found for it. */
static void flow_start(struct flow_model *flow, const struct transit *transit, uint32_t n)
{
    struct message *message = &flow->messages[transit->id];
    const uint32_t from = flow->process_rate > 0 ? transit->from : transit->source;
    const uint32_t to = flow->process_rate > 0 ? transit->to : transit->destination;
    uint32_t number = find_stream(flow, from, to, transit->network);
    if (number == NOBODY)
        number = open_stream(flow, transit, from, to, n);
    else
        sharing_begin(&flow->sharing, number);
    struct stream *stream = &flow->streams[number];
    catch_up(flow, stream);
    *message = (struct message){.target = stream->count + (double)transit->bytes,
                                .sent = flow->now,
                                .latency = stream->latency,
                                .alone = whole_ns((double)transit->bytes / stream->widest),
                                .child = NOBODY,
                                .sibling = NOBODY,
                                .stage = TO_LEAVE};
    stream->top = meld(flow->messages, stream->top, transit->id);
}

/* The first messages of a stream have left: all that are as near to their end. */
static void let_leave(struct flow_model *flow, struct transit_events *events, uint32_t number)
{
    struct stream *stream = &flow->streams[number];
    catch_up(flow, stream);
    const double first = flow->messages[stream->top].target;
    const double reached = stream->count + stream->rate * TOO_MUCH;
    const double end = first > reached ? first : reached;
    while (stream->top != NOBODY && flow->messages[stream->top].target <= end) {
        const uint32_t id = stream->top;
        stream->top = without_top(flow->messages, id);
        sharing_end(&flow->sharing, number);
        flow_leave(flow, events, id);
    }
    if (stream->top != NOBODY) {
        plan_leaving(flow, number);
        return;
    }
    unhang_stream(flow, number);
    flow->n_streams--;
}

static void flow_go_on(struct flow_model *flow, struct transit_events *events, uint32_t id)
{
    switch (flow->messages[id].stage) {
    case TO_START:
        flow_start(flow, &flow->later[id], flow_route(flow, &flow->later[id]));
        break;
    case TO_LEAVE:
        flow_leave(flow, events, id);
        break;
    case TO_ARRIVE:
        flow_tell(flow, events, id, TRANSIT_ARRIVED);
        break;
    }
}

/* --- the methods --- */

/* A message without data leaves as it is sent, and whatever is sent later starts later. */
static void wait_to_start(struct flow_model *flow, const struct transit *transit, uint64_t time,
                          uint32_t n)
{
    const uint32_t id = transit->id;
    struct message message = {.sent = time, .stage = transit->bytes ? TO_START : TO_LEAVE};
    for (uint32_t i = 0; i < n; i++)
        message.latency += topology_link_latency(flow->topology, flow->hops[i].link);
    flow->messages[id] = message;
    if (transit->bytes) {
        flow->later = mem_grow(flow->later, &flow->later_capacity, (size_t)id + 1,
                               sizeof *flow->later);
        flow->later[id] = *transit;
    }
    agenda_put(&flow->waiting, id, time);
}

static bool flow_send(struct network_model *model, const struct transit *transit, uint64_t time)
{
    struct flow_model *flow = simulate_flow_of(model);
    const uint32_t n = flow_route(flow, transit);
    assert(time >= flow->now);
    if (!n)
        return false;
    if (transit->id >= flow->message_capacity)
        flow->messages = mem_grow(flow->messages, &flow->message_capacity,
                                  (size_t)transit->id + 1, sizeof *flow->messages);
    flow->n_taken++;
    if (time == flow->now && transit->bytes)
        flow_start(flow, transit, n);
    else
        wait_to_start(flow, transit, time, n);
    return true;
}

static uint64_t flow_next(struct network_model *model)
{
    struct flow_model *flow = simulate_flow_of(model);
    flow_settle(flow);
    const uint64_t leaving = agenda_time(&flow->leaving), waiting = agenda_time(&flow->waiting);
    return leaving < waiting ? leaving : waiting;
}

static void flow_advance(struct network_model *model, uint64_t time, struct transit_events *events)
{
    struct flow_model *flow = simulate_flow_of(model);
    const uint64_t next = flow_next(model);
    assert(time >= flow->now && time <= next);
    (void)next;
    flow->now = time;
    while (agenda_time(&flow->leaving) == time)
        let_leave(flow, events, agenda_take(&flow->leaving));
    while (agenda_time(&flow->waiting) == time)
        flow_go_on(flow, events, agenda_take(&flow->waiting));
}

static uint32_t flow_stuck(struct network_model *model, char **why)
{
    *why = NULL;
    return simulate_flow_of(model)->n_taken;
}

static void simulate_flow_free(struct network_model *model)
{
    struct flow_model *flow = simulate_flow_of(model);
    sharing_free(&flow->sharing);
    agenda_free(&flow->leaving);
    agenda_free(&flow->waiting);
    free(flow->messages);
    free(flow->later);
    free(flow->streams);
    free(flow->of_key);
    free(flow->hops);
    free(flow->links);
    free(flow);
}

static const struct network_model_methods flow_methods = {
    .name = "flow",
    .send = flow_send,
    .next = flow_next,
    .advance = flow_advance,
    .stuck = flow_stuck,
    .free = simulate_flow_free,
};

struct network_model *simulate_flow(const struct network_model_settings *settings)
{
    const struct topology *topology = settings->topology;
    const uint32_t n_ranks = settings->process_bandwidth ? settings->placement->n_ranks : 0;
    if ((uint64_t)topology->n_link_ids + 2 * (uint64_t)n_ranks > UINT32_MAX)
        fatal("links of the network and ports of the ranks together are more than 2^32");
    struct flow_model *flow = mem_alloc(1, sizeof *flow);
    *flow = (struct flow_model){
        .model.methods = &flow_methods,
        .topology = topology,
        .process_rate = (double)settings->process_bandwidth * 1e-9,
        .send_ports = topology->n_link_ids,
        .receive_ports = topology->n_link_ids + n_ranks,
        .sharing = sharing_new(topology->n_link_ids + 2 * n_ranks),
        .leaving = agenda_new(),
        .waiting = agenda_new(),
        .hops = mem_alloc(topology->max_hops, sizeof *flow->hops),
        .links = mem_alloc((size_t)topology->max_hops + 2, sizeof *flow->links),
    };
    for (uint32_t rank = 0; rank < 2 * n_ranks; rank++)
        flow->sharing.links[topology->n_link_ids + rank].capacity = flow->process_rate;
    grow_keys(flow);
    return &flow->model;
}
