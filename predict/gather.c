/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes loads of steps: one pass over the schedule. The messages of a step between two servers are a flow
 * (measure/flows.h), which is routed once; what lies on a link, in a server or at a rank is counted in arrays
 * that are zero between steps that are not the same. Where the messages of a step are those of the one
 * before, or it is said to be like an earlier one, nothing is routed again.
 */
#include "ir/counts.h"
#include "base/codes.h"
#include "measure/flows.h"
#include "measure/hol.h"
#include "network/load.h"
#include "predict/load_list.h"
#include "measure/route_latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Messages at a port of a server in a step. */
struct port {
    uint32_t sent, received, fan_in;
};

/* Within a server, in chunks. */
struct inside {
    uint64_t messages, local;
};

/* Messages that a rank sends and receives. */
struct rank_counts {
    uint32_t sent, received;
};

/* The step that was measured last, as long as it may come again. */
struct last_step {
    uint64_t n_times;   /* it came; 0: what it puts on links and servers is counted already */
    struct op first;    /* its first operation */
    struct step step;   /* the arrays are valid unless n_times is 0: then only their lengths are */
    struct op *ops;     /* room for these arrays */
    size_t capacity;
    struct step_load load;
    uint64_t n_crossings;
};

/* A step that others are like. */
struct measured {
    struct step_load load;
    uint64_t n_messages, n_operations, n_crossings;
    bool is_local;
};

struct gatherer {
    const struct schedule *schedule;
    const struct topology *topology;
    const struct placement *placement;
    struct diagnostics *diagnostics;
    struct predict_loads *loads;
    struct flows flows;
    bool has_networks;
    struct flow_networks networks;
    uint32_t n_ports;          /* of a server */
    struct hop *hops;
    struct link_loads links;   /* chunks; none between steps */
    uint32_t *first_link;      /* [flow] */
    double *slowdown;          /* [flow] of its source */
    size_t first_capacity, slowdown_capacity;
    bool is_uniform;           /* every link has the latency of the topology */
    struct port *ports;        /* [server * n_ports + port], zero between steps */
    struct rank_counts *ranks; /* [rank], the same */
    struct inside *inside;     /* [server], the same */
    struct inside *inside_total; /* [server], of all steps */
    uint32_t n_servers;
    struct hol *hol;
    struct last_step last;
    struct measured *measured; /* in their order */
    size_t n_measured, measured_capacity;
    struct op *sent;           /* messages that are sent, where some are not */
    size_t sent_capacity;
    bool failed;
};

static uint32_t gather_server_of(const struct gatherer *gatherer, uint32_t rank)
{
    return gatherer->placement ? gatherer->placement->server[rank] : rank;
}

static uint32_t machine_of_server(const struct gatherer *gatherer, uint32_t server)
{
    return gatherer->placement ? gatherer->placement->server_machine[server] : server;
}

static struct port *port_out(const struct gatherer *gatherer, const struct flow *flow)
{
    return &gatherer->ports[(size_t)flow->source * gatherer->n_ports + flow->out];
}

static struct port *port_in(const struct gatherer *gatherer, const struct flow *flow)
{
    return &gatherer->ports[(size_t)flow->destination * gatherer->n_ports + flow->in];
}

static inline void gather_raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

static inline void raise_wide(uint64_t *maximum, uint64_t value)
{
    if (value > *maximum)
        *maximum = value;
}

/* ---- links ---- */

static void gather_report_no_route(struct gatherer *gatherer, const struct flow *flow, uint64_t step)
{
    char from[256], to[256];
    uint32_t source = machine_of_server(gatherer, flow->source);
    uint32_t destination = machine_of_server(gatherer, flow->destination);
    bool is_joined = !gatherer->has_networks || topology_is_joined(gatherer->topology, flow->network,
                                                                   source, destination);
    gatherer->failed = true;
    topology_node_name(gatherer->topology, source, from, sizeof from);
    topology_node_name(gatherer->topology, destination, to, sizeof to);
    struct diagnostic *found =
        report(gatherer->diagnostics, is_joined ? CODE_L002 : CODE_L003,
               (struct position){.source = gatherer->schedule->source},
               "no %s from host '%s' to '%s', which communicate in step %llu",
               is_joined ? "route" : "such network", from, to, (unsigned long long)step);
    found->help = "no time can be predicted: place the ranks on hosts that have routes to each "
                  "other";
    if (is_joined)
        placement_note_unrouted(gatherer->topology, gatherer->placement, gatherer->diagnostics, found);
}

/* Any number of messages crosses a fat pipe, each at its full bandwidth. */
static void cross_fat_pipe(struct gatherer *gatherer, const struct flow *flow, uint32_t link,
                           struct step_load *load)
{
    uint64_t message = flow->n_chunks / flow->n_messages + (flow->n_chunks % flow->n_messages != 0);
    transfer_raise(&load->link,
                   (struct transfer){message, topology_link_bandwidth(gatherer->topology, link)});
}

static void load_link(struct gatherer *gatherer, uint32_t link, uint64_t chunks)
{
    uint64_t *load = link_loads_at(&gatherer->links, link);
    *load = units_sum(*load, chunks);
}

static void load_flow(struct gatherer *gatherer, size_t index, struct step_load *load)
{
    const struct topology *topology = gatherer->topology;
    struct flow *flow = &gatherer->flows.flows[index];
    uint32_t source = machine_of_server(gatherer, flow->source);
    uint32_t destination = machine_of_server(gatherer, flow->destination);
    uint32_t n_hops = topology_route_over(topology, flow->network, source, destination, gatherer->hops);
    if (!n_hops) {
        gather_report_no_route(gatherer, flow, load->first);
        return;
    }
    flow_take_ports(flow, topology, gatherer->hops, n_hops);
    uint64_t latency = route_latency(topology, gatherer->is_uniform, gatherer->hops, n_hops);
    gatherer->loads->n_crossings += flow->n_messages * (uint64_t)n_hops;
    if (load->latency == UINT64_MAX || latency > load->latency)
        load->latency = latency;
    gatherer->first_link[index] = gatherer->hops[0].link;
    for (uint32_t hop = 0; hop < n_hops && flow->n_chunks; hop++) {
        uint32_t link = gatherer->hops[hop].link;
        if (topology->has_fat_pipes && !topology_link_contends(topology, link))
            cross_fat_pipe(gatherer, flow, link, load);
        else
            load_link(gatherer, link, flow->n_chunks);
    }
}

static void load_links(struct gatherer *gatherer, struct step_load *load)
{
    size_t n = gatherer->flows.n;
    gatherer->first_link = mem_grow(gatherer->first_link, &gatherer->first_capacity, n + 1,
                                    sizeof *gatherer->first_link);
    for (size_t i = 0; i < n && !gatherer->failed; i++)
        load_flow(gatherer, i, load);
    uint32_t link;
    for (uint64_t at = 0; link_loads_next(&gatherer->links, &at, &link);)
        transfer_raise(&load->link,
                       (struct transfer){gatherer->links.load[link],
                                         topology_link_bandwidth(gatherer->topology, link)});
}

/* ---- head-of-line blocking ---- */

/* The sender that takes longest with its slowdown. Quotients are compared as doubles, which
 * is the same on every machine; what is kept is whole. */
static void find_blocked_sender(struct gatherer *gatherer, uint32_t max_fan_in,
                                struct step_load *load)
{
    const struct flows *flows = &gatherer->flows;
    gatherer->slowdown = mem_grow(gatherer->slowdown, &gatherer->slowdown_capacity, flows->n,
                                  sizeof *gatherer->slowdown);
    hol_slowdown(gatherer->hol, flows, max_fan_in, gatherer->slowdown);
    double longest = 0;
    for (size_t i = 0; i < flows->n; i++) {
        uint32_t link = gatherer->first_link[i];
        uint64_t bandwidth = topology_link_bandwidth(gatherer->topology, link);
        uint64_t slowdown = (uint64_t)llround(gatherer->slowdown[i] * 1e6);
        uint64_t chunks = gatherer->links.load[link];
        double time = (double)chunks / (double)bandwidth * (double)slowdown;
        if (time <= longest)
            continue;
        longest = time;
        load->sender = (struct transfer){chunks, bandwidth};
        load->slowdown = slowdown;
    }
}

static uint32_t gather_count_ports(struct gatherer *gatherer, struct step_load *load)
{
    uint32_t max_fan_in = 0;
    for (size_t i = 0; i < gatherer->flows.n; i++) {
        const struct flow *flow = &gatherer->flows.flows[i];
        struct port *to = port_in(gatherer, flow);
        struct port *from = port_out(gatherer, flow);
        gather_raise(&max_fan_in, ++to->fan_in);
        gather_raise(&load->server_messages, to->received += flow->n_messages);
        gather_raise(&load->server_messages, from->sent += flow->n_messages);
    }
    return max_fan_in;
}

static void clear_ports(struct gatherer *gatherer)
{
    for (size_t i = 0; i < gatherer->flows.n; i++) {
        const struct flow *flow = &gatherer->flows.flows[i];
        *port_in(gatherer, flow) = (struct port){0};
        *port_out(gatherer, flow) = (struct port){0};
    }
}

/* ---- ranks and memory ---- */

static void count_sends(struct gatherer *gatherer, const struct step *step, struct step_load *load)
{
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        uint32_t server = gather_server_of(gatherer, send->rank);
        gather_raise(&load->rank_messages, ++gatherer->ranks[send->rank].sent);
        if (server != gather_server_of(gatherer, send->peer))
            continue;
        load->has_memory = true;
        uint64_t *messages = &gatherer->inside[server].messages;
        *messages = units_sum(*messages, schedule_units(&gatherer->schedule->header, send));
        raise_wide(&load->memory_chunks, *messages);
    }
}

static void count_local(struct gatherer *gatherer, const struct op *op, struct step_load *load)
{
    uint64_t *local = &gatherer->inside[gather_server_of(gatherer, op->rank)].local;
    *local = units_sum(*local, schedule_units(&gatherer->schedule->header, op));
    raise_wide(&load->local_chunks, *local);
}

static void count_receives(struct gatherer *gatherer, const struct step *step,
                           struct step_load *load)
{
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *receive = &step->receives[i];
        gather_raise(&load->rank_messages, ++gatherer->ranks[receive->rank].received);
        if (receive->kind == OP_REDUCE)
            count_local(gatherer, receive, load);
    }
    for (size_t i = 0; i < step->n_copies; i++)
        count_local(gatherer, &step->copies[i], load);
}

static void clear_rank(struct gatherer *gatherer, uint32_t rank, uint64_t n_times)
{
    const uint32_t server = gather_server_of(gatherer, rank);
    struct inside *inside = &gatherer->inside[server], *total = &gatherer->inside_total[server];
    gatherer->ranks[rank] = (struct rank_counts){0, 0};
    total->messages = units_sum(total->messages, units_product(inside->messages, n_times));
    total->local = units_sum(total->local, units_product(inside->local, n_times));
    *inside = (struct inside){0, 0};
}

/* A step that came so often. */
static void clear_ranks(struct gatherer *gatherer, const struct step *step, uint64_t n_times)
{
    for (size_t i = 0; i < step->n_sends; i++)
        clear_rank(gatherer, step->sends[i].rank, n_times);
    for (size_t i = 0; i < step->n_receives; i++)
        clear_rank(gatherer, step->receives[i].rank, n_times);
    for (size_t i = 0; i < step->n_copies; i++)
        clear_rank(gatherer, step->copies[i].rank, n_times);
}

/* ---- steps that repeat ---- */

/* True if two operations are measured alike, whatever their chunks are. */
static inline bool gather_is_alike(const struct op *a, const struct op *b)
{
    return a->rank == b->rank && a->n_chunks == b->n_chunks && a->kind == b->kind &&
           a->network == b->network && (op_is_local(a) || a->peer == b->peer);
}

static bool gather_are_alike(const struct op *a, const struct op *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!gather_is_alike(&a[i], &b[i]))
            return false;
    return true;
}

static bool gather_is_as_large(const struct step *a, const struct step *b)
{
    return a->n_sends == b->n_sends && a->n_receives == b->n_receives && a->n_copies == b->n_copies;
}

/* True if the step is the one that was measured last. O(operations) */
static bool is_last_step(const struct gatherer *gatherer, const struct step *step)
{
    const struct step *last = &gatherer->last.step;
    return gatherer->last.n_times && gather_is_as_large(last, step) &&
           gather_are_alike(last->sends, step->sends, step->n_sends) &&
           gather_are_alike(last->receives, step->receives, step->n_receives) &&
           gather_are_alike(last->copies, step->copies, step->n_copies);
}

/* Adds the load of the last step on links and servers, as often as it came. */
static void count_last_step(struct gatherer *gatherer)
{
    if (!gatherer->last.n_times)
        return;
    link_loads_count_times(&gatherer->links, gatherer->last.n_times);
    clear_ranks(gatherer, &gatherer->last.step, gatherer->last.n_times);
    gatherer->last.n_times = 0;
}

/* Points *ops to a copy of them; returns where the copy ends. */
static struct op *copy_ops(const struct op **ops, size_t n, struct op *copy)
{
    if (n)
        memcpy(copy, *ops, n * sizeof *copy);
    *ops = copy;
    return copy + n;
}

static void copy_last_step(struct last_step *last)
{
    struct step *step = &last->step;
    const size_t n = step->n_sends + step->n_receives + step->n_copies;
    last->ops = mem_grow(last->ops, &last->capacity, n + 1, sizeof *last->ops);
    struct op *end = copy_ops(&step->sends, step->n_sends, last->ops);
    end = copy_ops(&step->receives, step->n_receives, end);
    copy_ops(&step->copies, step->n_copies, end);
}

/* Makes a step the last one, which came with those that are like it. It is copied if it is to be expected
 * again: if it begins as the one before. With counts the same messages are of other chunks, so of other
 * bytes. */
static void keep_step(struct gatherer *gatherer, const struct step *step, const struct step_load *load,
                      uint64_t n_crossings)
{
    struct last_step *last = &gatherer->last;
    struct op first = {0};
    if (step->n_sends + step->n_receives + step->n_copies)
        first = step->n_sends ? step->sends[0] : step->n_receives ? step->receives[0] : step->copies[0];
    const bool is_expected = !gatherer->schedule->header.counts && gather_is_as_large(&last->step, step) &&
                             gather_is_alike(&last->first, &first);
    last->step = *step;
    last->first = first;
    last->load = *load;
    last->n_crossings = n_crossings;
    last->n_times = 1 + step->n_more;
    if (is_expected)
        copy_last_step(last);
    else
        count_last_step(gatherer);
}

/* The last step, once more. */
static void gather_repeat_step(struct gatherer *gatherer, uint64_t index)
{
    struct last_step *last = &gatherer->last;
    last->n_times++;
    last->load.first = index;
    gatherer->loads->n_crossings += last->n_crossings;
    load_list_add(gatherer->loads, &last->load);
}

static void count_operations(struct predict_loads *loads, const struct measured *measured)
{
    loads->n_steps += !measured->is_local;
    loads->n_messages += measured->n_messages;
    loads->n_operations += measured->n_operations;
}

/* A step that is like one before, which has counted what that puts on links and servers. */
static void take_like(struct gatherer *gatherer, const struct step *step)
{
    const struct measured *measured = &gatherer->measured[step->like - 1];
    struct step_load load = measured->load;
    load.first = step->index;
    gatherer->loads->n_crossings += measured->n_crossings;
    count_operations(gatherer->loads, measured);
    load_list_add(gatherer->loads, &load);
}

/* ---- steps ---- */

/* Leaves the operations whose messages are sent: with counts, data of no bytes are not. */
static size_t keep_sent(struct gatherer *gatherer, const struct op *ops, size_t n, struct op *kept)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (schedule_is_sent(&gatherer->schedule->header, &ops[i]))
            kept[n_kept++] = ops[i];
    return n_kept;
}

/* Returns the step without messages that are not sent. */
static struct step sent_in(struct gatherer *gatherer, const struct step *step)
{
    struct step sent = *step;
    const size_t n = step->n_sends + step->n_receives;
    if (!gatherer->schedule->header.counts)
        return sent;
    gatherer->sent =
        mem_grow(gatherer->sent, &gatherer->sent_capacity, n + 1, sizeof *gatherer->sent);
    sent.sends = gatherer->sent;
    sent.n_sends = keep_sent(gatherer, step->sends, step->n_sends, gatherer->sent);
    sent.receives = gatherer->sent + sent.n_sends;
    sent.n_receives = keep_sent(gatherer, step->receives, step->n_receives,
                                gatherer->sent + sent.n_sends);
    return sent;
}

static void gather_step(struct gatherer *gatherer, const struct step *step, struct measured *measured)
{
    const uint64_t n_before = gatherer->loads->n_crossings;
    struct step_load load = {
        .first = step->index, .n_steps = 1, .latency = UINT64_MAX, .slowdown = 1000000};
    flows_gather(&gatherer->flows, step, NULL, gatherer->placement,
                 gatherer->has_networks ? &gatherer->networks : NULL);
    count_sends(gatherer, step, &load);
    count_receives(gatherer, step, &load);
    load_links(gatherer, &load);
    uint32_t max_fan_in = gather_count_ports(gatherer, &load);
    bool has_ports = gatherer->topology->has_machine_ports;
    if (max_fan_in > 1 && has_ports && load.link.chunks && !gatherer->failed)
        find_blocked_sender(gatherer, max_fan_in, &load);
    clear_ports(gatherer);
    measured->load = load;
    measured->n_crossings = gatherer->loads->n_crossings - n_before;
    keep_step(gatherer, step, &load, measured->n_crossings);
    load_list_add(gatherer->loads, &load);
}

/* A step with operations. */
static void gather_take_step(struct gatherer *gatherer, const struct step *step)
{
    const struct step sent = sent_in(gatherer, step);
    struct measured measured = {.n_messages = sent.n_sends,
                                .n_operations = sent.n_sends + sent.n_receives + sent.n_copies,
                                .is_local = step_is_local(step)};
    count_operations(gatherer->loads, &measured);
    if (is_last_step(gatherer, &sent)) {
        gather_repeat_step(gatherer, sent.index);
        return;
    }
    count_last_step(gatherer);
    gather_step(gatherer, &sent, &measured);
    if (!step->n_more)
        return;
    gatherer->measured = mem_grow(gatherer->measured, &gatherer->measured_capacity, gatherer->n_measured + 1,
                                  sizeof *gatherer->measured);
    gatherer->measured[gatherer->n_measured++] = measured;
}

static void gatherer_init(struct gatherer *gatherer)
{
    const struct topology *topology = gatherer->topology;
    const struct schedule_header *header = &gatherer->schedule->header;
    uint32_t n_servers =
        gatherer->placement ? gatherer->placement->n_servers : header->n_ranks;
    gatherer->has_networks = schedule_networks(header, topology, gatherer->networks.of_label);
    gatherer->networks.topology = topology;
    gatherer->n_ports = topology_n_host_ports(topology);
    gatherer->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *gatherer->hops);
    gatherer->links = link_loads_new(topology, true);
    gatherer->is_uniform = has_uniform_latency(topology);
    gatherer->ports =
        mem_alloc((size_t)n_servers * gatherer->n_ports, sizeof *gatherer->ports);
    gatherer->ranks = mem_alloc(header->n_ranks, sizeof *gatherer->ranks);
    gatherer->inside = mem_alloc(n_servers, sizeof *gatherer->inside);
    gatherer->inside_total = mem_alloc(n_servers, sizeof *gatherer->inside_total);
    gatherer->n_servers = n_servers;
    gatherer->hol = hol_new(n_servers, gatherer->n_ports);
}

static void gatherer_free(struct gatherer *gatherer)
{
    flows_free(&gatherer->flows);
    free(gatherer->hops);
    link_loads_free(&gatherer->links);
    free(gatherer->first_link);
    free(gatherer->slowdown);
    free(gatherer->ports);
    free(gatherer->ranks);
    free(gatherer->inside);
    free(gatherer->inside_total);
    free(gatherer->last.ops);
    free(gatherer->measured);
    free(gatherer->sent);
    hol_free(gatherer->hol);
}

/* The busiest of each over all steps. */
static void find_totals(const struct gatherer *gatherer, struct predict_loads *loads)
{
    const struct topology *topology = gatherer->topology;
    const uint64_t *total = gatherer->links.total;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (total[link])
            transfer_raise(&loads->link_total,
                           (struct transfer){total[link], topology_link_bandwidth(topology, link)});
    for (uint32_t server = 0; server < gatherer->n_servers; server++) {
        raise_wide(&loads->memory_total, gatherer->inside_total[server].messages);
        raise_wide(&loads->local_total, gatherer->inside_total[server].local);
    }
}

bool predict_gather(struct schedule *schedule, const struct topology *topology,
                    const struct placement *placement, struct predict_loads *loads,
                    struct diagnostics *diagnostics)
{
    struct gatherer gatherer = {.schedule = schedule,
                                .topology = topology,
                                .placement = placement,
                                .diagnostics = diagnostics,
                                .loads = loads};
    struct step step;
    *loads = (struct predict_loads){0};
    gatherer.flows.header = &schedule->header;
    gatherer_init(&gatherer);
    schedule->rewind(schedule);
    while (!gatherer.failed && schedule->next(schedule, &step))
        if (step.like)
            take_like(&gatherer, &step);
        else
            gather_take_step(&gatherer, &step);
    count_last_step(&gatherer);
    find_totals(&gatherer, loads);
    gatherer_free(&gatherer);
    load_list_merge(loads);
    return !gatherer.failed && !schedule->failed;
}
