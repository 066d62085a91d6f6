/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of the steps on the network. The messages that move in a step (moves.h) are gathered into flows
 * (flows.h), which are routed once each. Where ranks are only locally synchronised, messages of
 * neighbouring steps meet as well: with a drift window of d steps the flows of the last d steps are
 * measured together. Time O(messages + d * flows * hops) per step, memory O(servers + links + flows of d
 * steps + messages that wait for a later step).
 */
#include "verify/traffic_internal.h"

#include "ir/counts.h"
#include "verify/execution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* excess NULL: a new one, for the first time. */
static struct traffic *make_traffic(struct verifier *verifier, struct excess *excess)
{
    const struct verify_request *request = verifier->request;
    struct traffic *traffic = mem_alloc(1, sizeof *traffic);
    traffic->verifier = verifier;
    traffic->n_servers = request->placement ? request->placement->n_servers : verifier->n_ranks;
    traffic->n_ports = topology_n_host_ports(request->topology);
    traffic->has_machine_ports =
        !request->topology || request->topology->has_machine_ports;
    traffic->drift = request->drift ? request->drift : 1;
    if (request->topology) {
        traffic->links = link_loads_new(request->topology, true);
        traffic->hops = mem_alloc(request->topology->max_hops, sizeof *traffic->hops);
        traffic->has_networks = schedule_networks(&verifier->schedule->header, request->topology,
                                                  traffic->networks.of_label);
        traffic->networks.topology = request->topology;
        traffic->routes = traffic_routes_new(request->topology, traffic->has_networks);
        if (traffic->has_networks)
            verifier->report->n_networks = topology_n_networks(request->topology);
    }
    size_t n_ports = (size_t)traffic->n_servers * traffic->n_ports;
    traffic->servers = mem_alloc(traffic->n_servers, sizeof *traffic->servers);
    traffic->ports = mem_alloc(n_ports, sizeof *traffic->ports);
    traffic->hol = hol_new(traffic->n_servers, traffic->n_ports);
    traffic->is_again = excess;
    traffic->seen.is_off = excess || traffic->drift > 1 || traffic->has_networks ||
                           verify_has_limits(&request->limits);
    traffic->excess = excess ? excess : excess_new(verifier);
    return traffic;
}

struct traffic *traffic_new(struct verifier *verifier)
{
    return make_traffic(verifier, NULL);
}

void traffic_free(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->n_recent; i++)
        flows_free(&traffic->recent[i]);
    flows_free(&traffic->window);
    if (traffic->moves)
        moves_free(traffic->moves);
    free(traffic->sent);
    free(traffic->lines);
    free(traffic->recent);
    link_loads_free(&traffic->links);
    link_loads_free(&traffic->units);
    seen_free(&traffic->seen);
    free(traffic->hops);
    traffic_routes_free(&traffic->routes);
    free(traffic->servers);
    free(traffic->ports);
    hol_free(traffic->hol);
    if (!traffic->is_again)
        excess_free(traffic->excess);
    free(traffic);
}

/* ---- networks ---- */

/* Counts the messages and the amount on each of several networks; a message within a machine counts too. */
static void measure_networks(struct traffic *traffic, const struct step *step)
{
    const struct verifier *verifier = traffic->verifier;
    const struct topology *topology = verifier->request->topology;
    const uint32_t *machine =
        verifier->request->placement ? verifier->request->placement->machine : NULL;
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        uint32_t source = machine ? machine[send->rank] : send->rank;
        uint32_t destination = machine ? machine[send->peer] : send->peer;
        uint32_t network = flow_network(&traffic->networks, send, source, destination);
        if (!topology_is_joined(topology, network, source, destination)) {
            verifier->report->n_unrouted++;
            offer_unjoined(verifier, &(struct fact_unjoined){send, network, step->index});
            continue;
        }
        verifier->report->network_load[network].messages++;
        verifier->report->network_load[network].chunks +=
            schedule_units(&traffic->verifier->schedule->header, send);
    }
}

/* ---- servers ---- */

static inline void traffic_raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

/* Does the same for plain flows, which are few at a server: none sends more than one, and as many as come to
 * it are received. */
static uint32_t count_plain(struct traffic *traffic, const struct flows *flows, struct step_record *record)
{
    struct server_counts *const servers = traffic->servers;
    struct port_counts *const ports = traffic->ports;
    uint32_t most = 0;
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t source = flows->flows[i].source, destination = flows->flows[i].destination;
        const uint32_t fan_in = ++ports[destination].fan_in;
        servers[destination].received = fan_in;
        ports[source].fan_out = servers[source].sent = 1;
        most = fan_in > most ? fan_in : most;
    }
    record->max_fan_in = most;
    record->max_fan_out = record->max_sends = flows->n > 0;
    return most;
}

/* Ports and servers of a step; the most messages that a server receives. */
static uint32_t count_servers(struct traffic *traffic, const struct flows *flows,
                              struct step_record *record)
{
    uint32_t max_received = 0;
    if (flows->is_plain && traffic->n_ports == 1)
        return count_plain(traffic, flows, record);
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        traffic_raise(&record->max_fan_out, ++traffic->ports[traffic_port_out(traffic, flow)].fan_out);
        traffic_raise(&record->max_fan_in, ++traffic->ports[traffic_port_in(traffic, flow)].fan_in);
        traffic_raise(&record->max_sends, traffic->servers[flow->source].sent += flow->n_messages);
        traffic_raise(&max_received, traffic->servers[flow->destination].received += flow->n_messages);
    }
    return max_received;
}

/* Clears the servers that have flows. If they are many, clears all: one after the other, which is faster. */
static void clear_servers(struct traffic *traffic, const struct flows *flows)
{
    if (flows->n >= traffic->n_servers / 4) {
        const size_t n_ports = (size_t)traffic->n_servers * traffic->n_ports;
        memset(traffic->servers, 0, traffic->n_servers * sizeof *traffic->servers);
        memset(traffic->ports, 0, n_ports * sizeof *traffic->ports);
        return;
    }
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        traffic->servers[flow->source] = (struct server_counts){0, 0};
        traffic->servers[flow->destination] = (struct server_counts){0, 0};
        traffic->ports[traffic_port_out(traffic, flow)] = (struct port_counts){0, 0};
        traffic->ports[traffic_port_in(traffic, flow)] = (struct port_counts){0, 0};
    }
}

/* ---- steps ---- */

static void traffic_measure(struct traffic *traffic, const struct span *span, struct step_record *record)
{
    if (traffic->links.load)
        record->max_link_load = traffic_load_links(traffic, span, &record->is_contended);
    const struct loads loads = {.first = span->first,
                                .last = span->last,
                                .is_window = span->is_window,
                                .is_widest = span->is_window || traffic->drift == 1,
                                .record = record,
                                .max_received = count_servers(traffic, span->flows, record),
                                .links = traffic->links.load ? &traffic->links : NULL,
                                .servers = traffic->servers,
                                .ports = traffic->ports,
                                .n_servers = traffic->n_servers,
                                .n_ports = traffic->n_ports};
    excess_measure(traffic->excess, &loads);
    if (!span->is_window && !traffic->is_again)
        traffic_find_worst(traffic, span->last, record);
    if (!span->is_window)
        traffic_raise(&traffic->verifier->report->max_received, loads.max_received);
    if (span->is_window)
        link_loads_clear(&traffic->links);
    else
        link_loads_count(&traffic->links, UINT32_MAX);
    clear_servers(traffic, span->flows);
}

/* The recent steps together; `step` is the last of them. */
static void measure_window(struct traffic *traffic, uint64_t step)
{
    struct verify_report *report = traffic->verifier->report;
    struct step_record record = {0};
    size_t n = 0;
    for (size_t i = 0; i < traffic->n_recent; i++)
        n += traffic->recent[i].n;
    flows_clear(&traffic->window, n + 1);
    for (size_t i = 0; i < traffic->n_recent; i++)
        for (size_t k = 0; k < traffic->recent[i].n; k++)
            flows_add(&traffic->window, &traffic->recent[i].flows[k]);
    struct span span = {step + 1 - traffic->n_recent, step, &traffic->window, true};
    traffic_measure(traffic, &span, &record);
    traffic_raise(&report->drift_link_load, record.max_link_load);
    traffic_raise(&report->drift_fan_in, record.max_fan_in);
}

/* Returns the header if bytes are to be counted: with counts, and if the lower bound needs them. Else
 * NULL. */
static const struct schedule_header *header_of_units(const struct traffic *traffic)
{
    const struct schedule_header *header = &traffic->verifier->schedule->header;
    return traffic->verifier->request->least.kind && header->counts ? header : NULL;
}

/* Returns the flows that a step is to use: the place of the oldest step of a full window. */
static struct flows *recent_flows(struct traffic *traffic, uint64_t step)
{
    if (traffic->n_recent < traffic->drift) {
        traffic->recent = mem_grow(traffic->recent, &traffic->recent_capacity,
                                   traffic->n_recent + 1, sizeof *traffic->recent);
        traffic->recent[traffic->n_recent++] = (struct flows){.header = header_of_units(traffic)};
    }
    return &traffic->recent[step % traffic->drift];
}

/* Returns the number of messages that are sent: with counts, data of no bytes are not. */
static uint64_t count_sent(const struct schedule_header *header, const struct step *step)
{
    uint64_t n = 0;
    for (size_t i = 0; header->counts && i < step->n_sends; i++)
        n += schedule_is_sent(header, &step->sends[i]);
    return header->counts ? n : step->n_sends;
}

/* Leaves those. */
static void drop_unsent(struct traffic *traffic, struct step *moving)
{
    const struct schedule_header *header = &traffic->verifier->schedule->header;
    size_t n = 0;
    if (!header->counts)
        return;
    traffic->sent = mem_grow(traffic->sent, &traffic->sent_capacity, moving->n_sends + 1,
                             sizeof *traffic->sent);
    for (size_t i = 0; i < moving->n_sends; i++)
        if (schedule_is_sent(header, &moving->sends[i]))
            traffic->sent[n++] = moving->sends[i];
    moving->sends = traffic->sent;
    moving->n_sends = n;
}

/* Returns the sends of the messages that are on the network in this step. */
static struct step moving_in(struct traffic *traffic, const struct step *step, bool is_closed)
{
    struct step moving = {.index = step->index, .sends = step->sends, .n_sends = step->n_sends};
    if (!is_closed && !traffic->moves)
        traffic->moves = moves_new(backlog_limit(traffic->verifier));
    if (!is_closed)
        moving.n_sends = moves_step(traffic->moves, step, &moving.sends);
    drop_unsent(traffic, &moving);
    return moving;
}

void traffic_repeat(struct traffic *traffic, const struct step *step, const uint32_t *times,
                    uint64_t n_steps)
{
    struct flows *flows = recent_flows(traffic, 0);
    flows_gather(flows, step, times, traffic->verifier->request->placement, NULL);
    traffic_add_totals(traffic, flows->flows, flows->n, n_steps);
}

void traffic_multiply(struct traffic *traffic, uint64_t times)
{
    const struct topology *topology = traffic->verifier->request->topology;
    assert(traffic->seen.is_off); /* else loads may be kept there */
    for (uint32_t link = 0; topology && link < topology->n_link_ids; link++)
        if (traffic->links.total[link]) /* the rest of the memory is left untouched */
            traffic->links.total[link] *= times;
}

/* Measures the flows of a step into the record; what the busiest link carries, where that is asked
 * for. */
static uint64_t measure_step(struct traffic *traffic, uint64_t step, struct flows *flows,
                             struct step_record *record)
{
    const struct span span = {step, step, flows, false};
    uint64_t units = 0;
    traffic_measure(traffic, &span, record);
    if (traffic->verifier->request->least.kind && traffic->links.load && !traffic->is_again)
        units = traffic_units(traffic, flows, record->max_link_load);
    if (record->max_fan_in > 1 && traffic->has_machine_ports && !traffic->is_again)
        record->hol_slowdown = hol_slowdown(traffic->hol, flows, record->max_fan_in, NULL);
    return units;
}

/* Does the same, but for flows that an earlier step had: takes its record and units; its loads are added to
 * those of all steps when it is forgotten. */
static uint64_t measure_once(struct traffic *traffic, uint64_t step, struct flows *flows,
                             struct step_record *record)
{
    const uint64_t n_messages = record->n_messages;
    const uint64_t n_unrouted = traffic->verifier->report->n_unrouted;
    struct seen_step *seen = seen_find(&traffic->seen, flows);
    if (seen) {
        *record = seen->record;
        record->n_messages = n_messages; /* those within servers are in no flow */
        return seen->units;
    }
    const uint64_t units = measure_step(traffic, step, flows, record);
    seen = seen_place(&traffic->seen);
    if (!seen || traffic->verifier->report->n_unrouted > n_unrouted)
        return units;
    traffic_add_totals(traffic, seen->flows, seen->n, seen->n_more);
    seen_keep(&traffic->seen, seen, flows, record, units);
    return units;
}

void traffic_step(struct traffic *traffic, const struct step *step, const uint32_t *times, bool is_closed,
                  struct step_record *record)
{
    struct verify_report *report = traffic->verifier->report;
    struct flows *flows = recent_flows(traffic, step->index);
    const struct step moving = moving_in(traffic, step, is_closed);
    report->n_messages += count_sent(&traffic->verifier->schedule->header, step);
    *record = (struct step_record){.n_messages = moving.n_sends, .hol_slowdown = 1};
    flows_gather(flows, &moving, times, traffic->verifier->request->placement,
                 traffic->has_networks ? &traffic->networks : NULL);
    if (traffic->verifier->request->watch && !traffic->is_again)
        traffic->verifier->request->watch(traffic->verifier->request->watch_context, step->index, flows);
    if (traffic->has_networks)
        measure_networks(traffic, &moving);
    if (traffic->is_again && excess_wants_sends(traffic->excess, step->index))
        traffic_name_sends(traffic, &moving);
    report->sum_step_units =
        units_sum(report->sum_step_units, measure_once(traffic, step->index, flows, record));
    traffic_name_worst(traffic, &moving, times);
    traffic_raise(&report->drift_link_load, record->max_link_load);
    traffic_raise(&report->drift_fan_in, record->max_fan_in);
    excess_step(traffic->excess, step, record);
    if (traffic->drift > 1 && step->index + 1 >= traffic->drift)
        measure_window(traffic, step->index);
}

static void end_windows(struct traffic *traffic)
{
    if (traffic->n_recent && traffic->n_recent < traffic->drift) /* no window was ever full */
        measure_window(traffic, traffic->n_recent - 1);
}

/* The steps once more, into a report that nobody reads and with rules that ask for nothing: only
 * `excess` listens. */
static void measure_again(struct traffic *traffic)
{
    struct verify_report unread = {0};
    struct verifier deaf = *traffic->verifier;
    struct schedule *schedule = deaf.schedule;
    struct step step;
    struct step_record record;
    deaf.report = &unread;
    for (size_t fact = 0; fact < N_FACTS; fact++)
        deaf.asked[fact].n = 0;
    struct traffic *again = make_traffic(&deaf, traffic->excess);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        traffic_step(again, &step, NULL, !traffic->moves, &record);
    end_windows(again);
    traffic_free(again);
}

static void judge_limits(struct traffic *traffic)
{
    if (excess_end(traffic->excess, traffic->links.total))
        measure_again(traffic);
    excess_report(traffic->excess);
}

void traffic_report_total(struct traffic *traffic, struct verify_report *report)
{
    const struct topology *topology = traffic->verifier->request->topology;
    for (int i = 0; i < SEEN_STEPS; i++) {
        struct seen_step *seen = &traffic->seen.steps[i];
        traffic_add_totals(traffic, seen->flows, seen->n, seen->n_more);
        seen->n_more = 0;
    }
    for (uint32_t link = 0; topology && link < topology->n_link_ids; link++)
        worst_raise_total(report, link, traffic->links.total[link]);
}

static void sum_links(struct traffic *traffic)
{
    struct verify_report *report = traffic->verifier->report;
    report->has_network = true;
    traffic_report_total(traffic, report);
    verify_compare_least(report, &traffic->verifier->request->least);
}

void traffic_end(struct traffic *traffic)
{
    end_windows(traffic);
    if (traffic->links.load)
        sum_links(traffic);
    judge_limits(traffic);
    if (traffic->links.load && traffic->verifier->request->keep_link_load) {
        traffic->verifier->report->link_load = traffic->links.total;
        traffic->links.total = NULL;
    }
}
