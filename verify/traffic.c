/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the steps put on the network. The flows of a step (flows.h) are routed
 * once each. Where ranks are only locally synchronised, messages of neighbouring
 * steps meet as well: with a drift window of d steps the flows of the last d
 * steps are measured together, and limits are judged on that. Time O(messages +
 * d * flows * hops) per step, memory O(servers + links + flows of d steps).
 */
#include "ir/counts.h"
#include "ir/flows.h"
#include "ir/hol.h"
#include "network/load.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

/* The state of a link while steps are measured: messages on it in the low half,
 * above them the first server whose messages cross it. Zero between
 * measurements. */
typedef uint64_t link_state;

/* Messages into and out of a server. */
struct server_counts {
    uint32_t received, sent;
};

/* Flows into and out of its port on one network: servers meet at ports. */
struct port_counts {
    uint32_t fan_in, fan_out;
};

/* Steps measured together. */
struct span {
    uint64_t first, last;
    const struct flows *flows;
    bool is_window; /* steps that were measured one by one before */
};

struct traffic {
    struct verifier *verifier;
    uint32_t n_servers;
    struct link_loads links;       /* of link_state; its totals are messages over all steps */
    struct hop *hops;
    bool has_machine_ports;        /* at which servers meet: head-of-line blocking */
    bool has_networks;             /* several: `networks` is used */
    struct flow_networks networks;
    uint32_t n_networks;           /* ports of a server: 1, or one more than there are networks */
    struct server_counts *servers; /* zero between measurements */
    struct port_counts *ports;     /* [server * n_networks + network], the same */
    struct hol *hol;
    uint32_t drift;                /* steps in the window, at least 1 */
    struct flows *recent;          /* the last `drift` steps, step s at s mod drift */
    size_t n_recent, recent_capacity; /* made so far */
    struct flows window;
};

struct traffic *traffic_new(struct verifier *verifier)
{
    const struct verify_request *request = verifier->request;
    struct traffic *traffic = mem_alloc(1, sizeof *traffic);
    traffic->verifier = verifier;
    traffic->n_servers = request->placement ? request->placement->n_servers : verifier->n_ranks;
    traffic->n_networks = 1;
    traffic->has_machine_ports =
        !request->topology || request->topology->has_machine_ports;
    traffic->drift = request->drift ? request->drift : 1;
    if (request->topology) {
        traffic->links = link_loads_new(request->topology, true);
        traffic->hops = mem_alloc(request->topology->max_hops, sizeof *traffic->hops);
        traffic->has_networks = schedule_networks(&verifier->schedule->header, request->topology,
                                                  traffic->networks.of_label);
        traffic->networks.topology = request->topology;
        if (traffic->has_networks) {
            verifier->report->n_networks = topology_n_networks(request->topology);
            traffic->n_networks = verifier->report->n_networks + 1; /* the last for no network */
        }
    }
    size_t n_ports = (size_t)traffic->n_servers * traffic->n_networks;
    traffic->servers = mem_alloc(traffic->n_servers, sizeof *traffic->servers);
    traffic->ports = mem_alloc(n_ports, sizeof *traffic->ports);
    traffic->hol = hol_new(traffic->n_servers, traffic->n_networks);
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->n_recent; i++)
        flows_free(&traffic->recent[i]);
    flows_free(&traffic->window);
    free(traffic->recent);
    link_loads_free(&traffic->links);
    free(traffic->hops);
    free(traffic->servers);
    free(traffic->ports);
    hol_free(traffic->hol);
    free(traffic);
}

/* ---- links ---- */

static uint32_t route_flow(struct traffic *traffic, const struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    const struct placement *placement = traffic->verifier->request->placement;
    uint32_t source = flow->source, destination = flow->destination;
    if (placement) {
        source = placement->server_machine[source];
        destination = placement->server_machine[destination];
    }
    if (!traffic->has_networks)
        return topology_route(topology, source, destination, traffic->hops);
    return topology_route_over(topology, flow->network, source, destination, traffic->hops);
}

/* False: finding L003 says it already. */
static bool is_joined(const struct traffic *traffic, const struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    uint32_t source = server_machine(traffic->verifier, flow->source);
    uint32_t destination = server_machine(traffic->verifier, flow->destination);
    return !traffic->has_networks ||
           topology_is_joined(topology, flow->network, source, destination);
}

/* Loads the links of one flow's route; the largest load. Sets *differ if another
 * server's messages are on one of them. */
static inline uint32_t load_route(struct traffic *traffic, const struct flow *flow, uint32_t n_hops,
                                  uint32_t *differ)
{
    const struct hop *const hops = traffic->hops;
    const uint32_t source = flow->source, n_messages = flow->n_messages;
    uint32_t most = 0, others = 0;
    for (uint32_t hop = 0; hop < n_hops; hop++) {
        link_state *const link = link_loads_at(&traffic->links, hops[hop].link);
        const link_state state = *link;
        const uint32_t before = (uint32_t)state;
        uint32_t owner = (uint32_t)(state >> 32);
        owner = before ? owner : source;
        const uint32_t load = before + n_messages;
        *link = (uint64_t)owner << 32 | load;
        others |= owner ^ source;
        most = load > most ? load : most;
    }
    *differ |= others;
    return most;
}

static uint32_t load_links(struct traffic *traffic, const struct span *span, bool *is_shared)
{
    const struct topology *topology = traffic->verifier->request->topology;
    uint32_t differ = 0, most = 0;
    for (size_t i = 0; i < span->flows->n; i++) {
        const struct flow *flow = &span->flows->flows[i];
        uint32_t n_hops = route_flow(traffic, flow);
        uint32_t n_loaded = link_loads_drop_fat_pipes(topology, traffic->hops, n_hops);
        uint32_t load = load_route(traffic, flow, n_loaded, &differ);
        most = load > most ? load : most;
        if (n_hops == 0 && !span->is_window && is_joined(traffic, flow))
            rule_L002(traffic->verifier, flow, span->last);
    }
    *is_shared = differ != 0;
    return most;
}

static void judge_links(struct traffic *traffic, const struct span *span)
{
    uint32_t limit = traffic->verifier->request->limits.max_link_load;
    for (uint32_t id = 0; id < traffic->verifier->request->topology->n_link_ids; id++) {
        uint32_t load = (uint32_t)traffic->links.load[id];
        if (load > limit)
            rule_L001(traffic->verifier, id, load, span->first, span->last);
    }
}

/* Limits hold for windows, where there are any. */
static bool is_judged(const struct traffic *traffic, const struct span *span)
{
    return span->is_window || traffic->drift == 1;
}

static void measure_links(struct traffic *traffic, const struct span *span,
                          struct step_record *record)
{
    uint32_t limit = traffic->verifier->request->limits.max_link_load;
    record->max_link_load = load_links(traffic, span, &record->is_contended);
    if (is_judged(traffic, span) && limit && record->max_link_load > limit)
        judge_links(traffic, span);
    if (!span->is_window)
        link_loads_count(&traffic->links, UINT32_MAX);
    link_loads_clear(&traffic->links);
}

/* ---- networks ---- */

/* What each of several networks carries; a message within a machine counts too. */
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
            rule_L003(traffic->verifier, send, network, step->index);
            continue;
        }
        verifier->report->network_load[network].messages++;
        verifier->report->network_load[network].chunks +=
            schedule_units(&traffic->verifier->schedule->header, send);
    }
}

/* ---- servers ---- */

static inline void raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

static struct port_counts *port_of(const struct traffic *traffic, uint32_t server,
                                   const struct flow *flow)
{
    uint32_t network = flow->network < traffic->n_networks ? flow->network : traffic->n_networks - 1;
    return &traffic->ports[(size_t)server * traffic->n_networks + network];
}

static uint32_t count_servers(struct traffic *traffic, const struct flows *flows,
                              struct step_record *record)
{
    uint32_t max_received = 0;
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        raise(&record->max_fan_out, ++port_of(traffic, flow->source, flow)->fan_out);
        raise(&record->max_fan_in, ++port_of(traffic, flow->destination, flow)->fan_in);
        raise(&record->max_sends, traffic->servers[flow->source].sent += flow->n_messages);
        raise(&max_received, traffic->servers[flow->destination].received += flow->n_messages);
    }
    return max_received;
}

/* Where many servers have flows, all are cleared: one after the other, which is faster. */
static void clear_servers(struct traffic *traffic, const struct flows *flows)
{
    if (flows->n >= traffic->n_servers / 4) {
        size_t n_ports = (size_t)traffic->n_servers * traffic->n_networks;
        memset(traffic->servers, 0, traffic->n_servers * sizeof *traffic->servers);
        memset(traffic->ports, 0, n_ports * sizeof *traffic->ports);
        return;
    }
    for (size_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->flows[i];
        traffic->servers[flow->source] = (struct server_counts){0, 0};
        traffic->servers[flow->destination] = (struct server_counts){0, 0};
        *port_of(traffic, flow->source, flow) = (struct port_counts){0, 0};
        *port_of(traffic, flow->destination, flow) = (struct port_counts){0, 0};
    }
}

static void judge_ports(struct traffic *traffic, uint64_t step)
{
    uint32_t ports = traffic->verifier->request->limits.ports;
    for (uint32_t server = 0; server < traffic->n_servers; server++) {
        const struct server_counts *counts = &traffic->servers[server];
        if (counts->sent > ports)
            rule_P001(traffic->verifier, server, true, counts->sent, step);
        if (counts->received > ports)
            rule_P001(traffic->verifier, server, false, counts->received, step);
    }
}

static void judge_fan_in(struct traffic *traffic, const struct span *span)
{
    uint32_t limit = traffic->verifier->request->limits.max_fan_in;
    size_t n_ports = (size_t)traffic->n_servers * traffic->n_networks;
    for (size_t port = 0; port < n_ports; port++)
        if (traffic->ports[port].fan_in > limit)
            rule_H001(traffic->verifier, (uint32_t)(port / traffic->n_networks),
                      traffic->ports[port].fan_in, span->first, span->last);
}

/* ---- steps ---- */

static void measure(struct traffic *traffic, const struct span *span, struct step_record *record)
{
    const struct verify_limits *limits = &traffic->verifier->request->limits;
    if (traffic->links.load)
        measure_links(traffic, span, record);
    uint32_t max_received = count_servers(traffic, span->flows, record);
    bool is_over = record->max_sends > limits->ports || max_received > limits->ports;
    if (!span->is_window && limits->ports && is_over)
        judge_ports(traffic, span->last);
    if (is_judged(traffic, span) && limits->max_fan_in && record->max_fan_in > limits->max_fan_in)
        judge_fan_in(traffic, span);
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
    measure(traffic, &span, &record);
    raise(&report->drift_link_load, record.max_link_load);
    raise(&report->drift_fan_in, record.max_fan_in);
}

/* Where the flows of a step go: the place of the oldest one of a full window. */
static struct flows *recent_flows(struct traffic *traffic, uint64_t step)
{
    if (traffic->n_recent < traffic->drift) {
        traffic->recent = mem_grow(traffic->recent, &traffic->recent_capacity,
                                   traffic->n_recent + 1, sizeof *traffic->recent);
        traffic->recent[traffic->n_recent++] = (struct flows){0};
    }
    return &traffic->recent[step % traffic->drift];
}

void traffic_step(struct traffic *traffic, const struct step *step, struct step_record *record)
{
    struct verify_report *report = traffic->verifier->report;
    struct flows *flows = recent_flows(traffic, step->index);
    *record = (struct step_record){.n_messages = step->n_sends, .hol_slowdown = 1};
    flows_gather(flows, step, traffic->verifier->request->placement,
                 traffic->has_networks ? &traffic->networks : NULL);
    if (traffic->has_networks)
        measure_networks(traffic, step);
    struct span span = {step->index, step->index, flows, false};
    measure(traffic, &span, record);
    if (record->max_fan_in > 1 && traffic->has_machine_ports)
        record->hol_slowdown = hol_slowdown(traffic->hol, flows, record->max_fan_in, NULL);
    raise(&report->drift_link_load, record->max_link_load);
    raise(&report->drift_fan_in, record->max_fan_in);
    if (traffic->drift > 1 && step->index + 1 >= traffic->drift)
        measure_window(traffic, step->index);
}

void traffic_end(struct traffic *traffic)
{
    struct verify_report *report = traffic->verifier->report;
    if (traffic->n_recent && traffic->n_recent < traffic->drift) /* no window was ever full */
        measure_window(traffic, traffic->n_recent - 1);
    if (!traffic->links.load)
        return;
    report->has_network = true;
    uint32_t n_ids = traffic->verifier->request->topology->n_link_ids;
    for (uint32_t id = 0; id < n_ids; id++)
        if (traffic->links.total[id] > report->max_total_load)
            report->max_total_load = traffic->links.total[id];
    if (traffic->verifier->request->keep_link_load) {
        report->link_load = traffic->links.total;
        traffic->links.total = NULL;
    }
}
