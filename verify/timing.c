/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The times of a schedule that has some, compared with what it does. Of a rank: what it reads,
 * other than `in`, is there when the steps before are over, and copies go one after the other. Of a
 * message: the first link takes its time, the route takes its latencies and the time of its slowest
 * link. Of a link: each message is on it somewhen between when its head can be there and when it has
 * to be gone for its receive to end in time, and off the first link when its send ends. Whether all
 * of them have room there is decided by serving them by the earliest deadline first, which meets all
 * deadlines if anything does (Liu & Layland 1973; Horn 1974). This holds whether a link serves one
 * message after the other or shares itself among them, so times of any model pass that are true to
 * its rate.
 *
 * Messages are paired as they are posted. Time O(messages * hops * log), memory O(messages * hops).
 */
#include "verify/internal.h"

#include "base/heap.h"
#include "ir/counts.h"
#include "measure/flows.h"

#include <stdlib.h>

struct timed_op {
    struct op op;
    uint64_t step, order; /* order: in which they were posted */
    struct op_time time;
};
struct timed_ops {
    struct timed_op *ops;
    size_t n, capacity;
};

/* A message on a link: not there before `release`, gone at `deadline`, or `due` ends too early. */
struct job {
    const struct timed_op *due; /* its receive, or its send */
    uint32_t link, receive;
    uint64_t release, deadline, lasts;
};

struct timing {
    struct verifier *verifier;
    uint64_t *ready; /* [rank] when the steps before are over; of what is received or local */
    uint64_t *begun; /* [rank] the same of the step at hand, and of local operations before */
    struct timed_ops sends, receives;
    struct hop *hops;
    struct flow_networks networks;
    struct job *jobs;
    size_t n_jobs, job_capacity;
};

struct timing *timing_new(struct verifier *verifier)
{
    const struct schedule_header *header = &verifier->schedule->header;
    const struct topology *topology = verifier->request->topology;
    if (!header->is_timed)
        return NULL;
    struct timing *timing = mem_alloc(1, sizeof *timing);
    timing->verifier = verifier;
    timing->ready = mem_alloc(verifier->n_ranks, sizeof *timing->ready);
    timing->begun = mem_alloc(verifier->n_ranks, sizeof *timing->begun);
    if (topology) {
        timing->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *timing->hops);
        (void)flow_networks_find(&timing->networks, header, topology, verifier->request->placement);
    }
    return timing;
}

void timing_free(struct timing *timing)
{
    if (!timing)
        return;
    free(timing->ready);
    free(timing->begun);
    free(timing->sends.ops);
    free(timing->receives.ops);
    free(timing->hops);
    free(timing->jobs);
    free(timing);
}

static uint64_t timing_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void offer_needed(const struct timing *timing, const struct timed_op *at,
                         enum mistiming mistiming, uint64_t needed)
{
    offer_mistimed(timing->verifier, &(struct fact_mistimed){.op = &at->op,
                                                             .step = at->step,
                                                             .mistiming = mistiming,
                                                             .time = at->time,
                                                             .needed = needed});
}

/* ---- ranks, step by step ---- */

static void check_direction(const struct timing *timing, const struct timed_op *at)
{
    if (at->time.end < at->time.start)
        offer_needed(timing, at, MISTIMED_BACKWARDS, at->time.start);
}

static void timing_raise(uint64_t *time, uint64_t to)
{
    *time = timing_later(*time, to);
}

static void check_copies(struct timing *timing, const struct step *step)
{
    for (size_t i = 0; i < step->n_copies; i++) {
        const struct op *op = &step->copies[i];
        const struct timed_op at = {*op, step->index, i, step->copy_times[i]};
        const uint64_t needed = timing_later(timing->begun[op->rank], timing->ready[op->rank]);
        check_direction(timing, &at);
        if (at.time.start < needed)
            offer_needed(timing, &at, MISTIMED_READ, needed);
        timing_raise(&timing->begun[op->rank], at.time.end);
    }
}

static void timing_keep(struct timed_ops *list, const struct timed_op *at)
{
    list->ops = mem_grow(list->ops, &list->capacity, list->n + 1, sizeof *list->ops);
    list->ops[list->n] = *at;
    list->ops[list->n].order = list->n;
    list->n++;
}

static void check_sends(struct timing *timing, const struct step *step)
{
    const struct schedule_header *header = &timing->verifier->schedule->header;
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *op = &step->sends[i];
        const struct timed_op at = {*op, step->index, i, step->send_times[i]};
        const bool reads_input = op->n_chunks && op->buffer == BUFFER_IN;
        const uint64_t needed = timing_later(timing->begun[op->rank], timing->ready[op->rank]);
        if (!schedule_is_sent(header, op))
            continue;
        check_direction(timing, &at);
        if (!reads_input && at.time.start < needed)
            offer_needed(timing, &at, MISTIMED_READ, needed);
        timing_keep(&timing->sends, &at);
    }
}

/* After copies and sends: what is received is there for the next step. */
static void check_receives(struct timing *timing, const struct step *step)
{
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        const struct timed_op at = {*op, step->index, i, step->receive_times[i]};
        if (!schedule_is_sent(&timing->verifier->schedule->header, op))
            continue;
        check_direction(timing, &at);
        timing_keep(&timing->receives, &at);
        timing_raise(&timing->ready[op->rank], at.time.end);
    }
    for (size_t i = 0; i < step->n_copies; i++)
        timing_raise(&timing->ready[step->copies[i].rank], step->copy_times[i].end);
}

void timing_step(struct timing *timing, const struct step *step)
{
    if (!timing)
        return;
    check_copies(timing, step);
    check_sends(timing, step);
    check_receives(timing, step);
}

/* ---- messages, at the end ---- */

/* Compares by pair of ranks, source first, then by the order in which they were posted. */
static int timing_compare_posted(uint64_t a, uint64_t a_order, uint64_t b, uint64_t b_order)
{
    if (a != b)
        return a < b ? -1 : 1;
    return (a_order > b_order) - (a_order < b_order);
}

static uint64_t timing_pair_of(const struct op *op)
{
    const uint32_t from = op->kind == OP_SEND ? op->rank : op->peer;
    const uint32_t to = op->kind == OP_SEND ? op->peer : op->rank;
    return (uint64_t)from << 32 | to;
}

static int timing_compare_pairs(const void *a, const void *b)
{
    const struct timed_op *left = a, *right = b;
    return timing_compare_posted(timing_pair_of(&left->op), left->order, timing_pair_of(&right->op),
                                 right->order);
}

/* ns that are full, and ns that are begun. */
static uint64_t whole_time(uint64_t bytes, uint64_t bandwidth)
{
    const divider_product ns = (divider_product)bytes * 1000000000 / bandwidth;
    return ns > OP_TIME_MAX ? OP_TIME_MAX : (uint64_t)ns;
}

static uint64_t timing_transfer_time(uint64_t bytes, uint64_t bandwidth)
{
    const divider_product rest = (divider_product)bytes * 1000000000 % bandwidth;
    return whole_time(bytes, bandwidth) + (rest != 0);
}

static uint64_t timing_bytes_of(const struct timing *timing, const struct op *op)
{
    const struct schedule_header *header = &timing->verifier->schedule->header;
    uint64_t bytes;
    return mem_multiply(schedule_carried_units(header, op), schedule_unit_bytes(header), &bytes) ? bytes
                                                                                         : UINT64_MAX;
}

/* Returns the number of links of a message, or of one of its stripes, from one machine to another; 0 within
 * one, without a route and without a topology. */
static uint32_t timing_route_of(const struct timing *timing, const struct op *send, uint32_t stripe)
{
    const struct topology *topology = timing->verifier->request->topology;
    const struct placement *placement = timing->verifier->request->placement;
    const uint32_t from = placement ? placement->machine[send->rank] : send->rank;
    const uint32_t to = placement ? placement->machine[send->peer] : send->peer;
    if (!topology || from == to)
        return 0;
    const uint8_t network = flow_network(&timing->networks, send, from, to);
    const uint8_t way = flow_stripe_network(&timing->networks, send->rank, send->peer, network, stripe);
    return topology_route_over(topology, way, from, to, timing->hops);
}

static void timing_add_job(struct timing *timing, const struct job *job)
{
    timing->jobs = mem_grow(timing->jobs, &timing->job_capacity, timing->n_jobs + 1,
                            sizeof *timing->jobs);
    timing->jobs[timing->n_jobs++] = *job;
}

/* A message, or a stripe of it, on its route, which is in timing->hops. */
struct timed_route {
    uint64_t bytes, latency, first, longest; /* ns on the first and on the slowest link */
    uint32_t n_hops;
};

/* Finds the route of a stripe. Its bytes are rounded down: how a message is cut is not known to the byte. */
static struct timed_route timing_find_route(struct timing *timing, const struct op *send, uint32_t stripe)
{
    const struct topology *topology = timing->verifier->request->topology;
    const uint32_t n_stripes = flow_stripes(&timing->networks);
    struct timed_route route = {.n_hops = timing_route_of(timing, send, stripe)};
    route.bytes = route.n_hops ? timing_bytes_of(timing, send) / n_stripes : 0;
    for (uint32_t i = 0; i < route.n_hops; i++) {
        const uint32_t link = timing->hops[i].link;
        const uint64_t lasts = timing_transfer_time(route.bytes, topology_link_bandwidth(topology, link));
        route.latency += topology_link_latency(topology, link);
        route.longest = timing_later(route.longest, lasts);
        route.first = i ? route.first : lasts;
    }
    return route;
}

/* Adds the work of links for a send: `tail` is the latency from a link to the end. A message that a model
 * lets begin or end between two ns has its part of one: the time on a link is rounded down. */
static void add_jobs(struct timing *timing, const struct timed_op *send, const struct timed_route *route,
                     uint32_t receive)
{
    const struct topology *topology = timing->verifier->request->topology;
    const uint64_t bytes = route->bytes, latency = route->latency;
    const uint32_t n_hops = route->n_hops;
    const struct timed_op *at = &timing->receives.ops[receive];
    uint64_t head = send->time.start, tail = latency;
    for (uint32_t i = 0; i < n_hops && bytes; i++) {
        const uint32_t link = timing->hops[i].link;
        const uint64_t lasts = whole_time(bytes, topology_link_bandwidth(topology, link));
        const bool must_leave = i == 0 && send->time.end < at->time.end - tail &&
                                send->time.end - send->time.start >= lasts; /* else said already */
        if (topology_link_contends(topology, link))
            timing_add_job(timing, &(struct job){must_leave ? send : at, link, receive, head,
                                                 must_leave ? send->time.end : at->time.end - tail, lasts});
        head += topology_link_latency(topology, link);
        tail -= topology_link_latency(topology, link);
    }
}

static void check_route(struct timing *timing, const struct timed_op *send, uint32_t receive,
                        uint32_t stripe)
{
    const struct timed_op *at = &timing->receives.ops[receive];
    const struct timed_route route = timing_find_route(timing, &send->op, stripe);
    const uint64_t needed = send->time.start + route.latency + route.longest;
    if (send->time.end - send->time.start < route.first)
        offer_needed(timing, send, MISTIMED_LEFT, send->time.start + route.first);
    if (at->time.end >= needed)
        add_jobs(timing, send, &route, receive);
    else
        offer_mistimed(timing->verifier, &(struct fact_mistimed){.op = &at->op,
                                                                 .step = at->step,
                                                                 .mistiming = MISTIMED_RECEIVED,
                                                                 .time = at->time,
                                                                 .needed = needed,
                                                                 .send = &send->op,
                                                                 .send_step = send->step});
}

static void check_message(struct timing *timing, const struct timed_op *send, uint32_t receive)
{
    const struct timed_op *at = &timing->receives.ops[receive];
    if (send->time.end < send->time.start || at->time.end < at->time.start)
        return; /* said already */
    for (uint32_t stripe = 0; stripe < flow_stripes(&timing->networks); stripe++)
        check_route(timing, send, receive, stripe);
}

/* Checks each pair of send and receive. Other rules report what has no partner. */
static void check_messages(struct timing *timing)
{
    struct timed_ops *sends = &timing->sends, *receives = &timing->receives;
    if (sends->n)
        qsort(sends->ops, sends->n, sizeof *sends->ops, timing_compare_pairs);
    if (receives->n)
        qsort(receives->ops, receives->n, sizeof *receives->ops, timing_compare_pairs);
    for (size_t s = 0, r = 0; s < sends->n && r < receives->n;) {
        const uint64_t from = timing_pair_of(&sends->ops[s].op), to = timing_pair_of(&receives->ops[r].op);
        if (from == to)
            check_message(timing, &sends->ops[s], (uint32_t)r);
        s += from <= to;
        r += to <= from;
    }
}

/* ---- links ---- */

static int compare_releases(const void *a, const void *b)
{
    const struct job *left = a, *right = b;
    if (left->link != right->link)
        return left->link < right->link ? -1 : 1;
    return timing_compare_posted(left->release, left->receive, right->release, right->receive);
}

/* True if job *a, which a link could do now, has an earlier deadline than *b. */
static bool timing_is_more_urgent(const void *a, const void *b)
{
    const struct job *const *left = a, *const *right = b;
    return (*left)->deadline < (*right)->deadline;
}

static void offer_late(const struct timing *timing, const struct job *job, uint64_t end)
{
    offer_mistimed(timing->verifier, &(struct fact_mistimed){.op = &job->due->op,
                                                             .step = job->due->step,
                                                             .mistiming = MISTIMED_LINK,
                                                             .time = job->due->time,
                                                             .needed =
                                                                 job->due->time.end + end - job->deadline,
                                                             .link = job->link});
}

/* Checks the jobs of one link, by release: reports the first that is late. */
static void check_link(struct timing *timing, struct job *jobs, size_t n, struct heap *heap)
{
    uint64_t now = 0;
    heap->n = 0;
    for (size_t i = 0; i < n || heap->n;) {
        if (!heap->n)
            now = timing_later(now, jobs[i].release);
        for (; i < n && jobs[i].release <= now; i++)
            heap_push(heap, &(struct job *){&jobs[i]}, sizeof(struct job *), timing_is_more_urgent);
        struct job *job = *(struct job **)heap->items;
        const uint64_t room = i < n ? jobs[i].release - now : UINT64_MAX;
        const uint64_t served = job->lasts < room ? job->lasts : room;
        now += served;
        job->lasts -= served;
        if (job->lasts)
            continue;
        if (now > job->deadline) {
            offer_late(timing, job, now);
            return;
        }
        heap_drop(heap, sizeof job, timing_is_more_urgent);
    }
}

void timing_end(struct timing *timing)
{
    struct heap heap = {0};
    if (!timing)
        return;
    check_messages(timing);
    if (timing->n_jobs)
        qsort(timing->jobs, timing->n_jobs, sizeof *timing->jobs, compare_releases);
    for (size_t first = 0, end; first < timing->n_jobs; first = end) {
        for (end = first + 1; end < timing->n_jobs && timing->jobs[end].link == timing->jobs[first].link;)
            end++;
        check_link(timing, timing->jobs + first, end - first, &heap);
    }
    free(heap.items);
}
