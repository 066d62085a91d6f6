/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the steps put on the network. The messages that move in a step (moves.h) are gathered
 * into flows (flows.h), which are routed once each. Where ranks are only locally synchronised,
 * messages of neighbouring steps meet as well: with a drift window of d steps the flows of the
 * last d steps are measured together. Time O(messages + d * flows * hops) per step, memory
 * O(servers + links + flows of d steps + messages that wait for a later step).
 */
#include "ir/counts.h"
#include "ir/flows.h"
#include "ir/hol.h"
#include "network/load.h"
#include "verify/execution.h"
#include "verify/moves.h"
#include "verify/seen.h"

#include <stdlib.h>
#include <string.h>

/* The state of a link while steps are measured: messages on it in the low half,
 * above them the first server whose messages cross it. Zero between
 * measurements. */
typedef uint64_t link_state;

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
    struct link_loads units;       /* what these carry, where that is asked for and they are unlike */
    struct hop *hops;
    struct some_routes {           /* those of some flows */
        uint32_t most;             /* so many flows at most; 1: one by one, into `hops` first */
        struct topology_pair *pairs;
        uint32_t *links, *n_links; /* as of topology_route_pairs; without fat pipes */
    } routes;
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
    struct moves *moves;           /* NULL as long as all messages move when they are sent */
    struct op *sent;               /* those with data, where some have none */
    size_t sent_capacity;
    struct excess *excess;
    bool is_new_link, is_new_port; /* a step is the worst so far: its lines are looked for */
    struct line_count *lines;
    size_t line_capacity;
    struct seen seen;              /* steps that repeat */
    bool is_again;                 /* measured once more, for the `excess` of another: judge_limits */
};

/* Where the network is quick with many pairs at once, as many as take little room. */
static struct some_routes some_routes_new(const struct topology *topology, bool has_networks)
{
    enum { FLOWS = 128, LINKS = 1 << 16 };
    const uint32_t max_hops = topology->max_hops ? topology->max_hops : 1;
    struct some_routes routes = {.most = 1};
    if (!has_networks && !topology->has_fat_pipes && topology_route_pairs(topology, NULL, 0, NULL, NULL))
        routes.most = max_hops > LINKS / FLOWS ? LINKS / max_hops + 1 : FLOWS;
    routes.pairs = mem_alloc(routes.most, sizeof *routes.pairs);
    routes.n_links = mem_alloc(routes.most, sizeof *routes.n_links);
    routes.links = mem_alloc((size_t)routes.most * max_hops, sizeof *routes.links);
    return routes;
}

static void some_routes_free(struct some_routes *routes)
{
    free(routes->pairs);
    free(routes->n_links);
    free(routes->links);
}

/* excess NULL: a new one, for the first time. */
static struct traffic *make_traffic(struct verifier *verifier, struct excess *excess)
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
        traffic->routes = some_routes_new(request->topology, traffic->has_networks);
        if (traffic->has_networks) {
            verifier->report->n_networks = topology_n_networks(request->topology);
            traffic->n_networks = verifier->report->n_networks + 1; /* the last for no network */
        }
    }
    size_t n_ports = (size_t)traffic->n_servers * traffic->n_networks;
    traffic->servers = mem_alloc(traffic->n_servers, sizeof *traffic->servers);
    traffic->ports = mem_alloc(n_ports, sizeof *traffic->ports);
    traffic->hol = hol_new(traffic->n_servers, traffic->n_networks);
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
    some_routes_free(&traffic->routes);
    free(traffic->servers);
    free(traffic->ports);
    hol_free(traffic->hol);
    if (!traffic->is_again)
        excess_free(traffic->excess);
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

/* Routes one flow, which may have no route. */
static void route_one(struct traffic *traffic, const struct span *span, const struct flow *flow)
{
    const struct topology *topology = traffic->verifier->request->topology;
    struct some_routes *routes = &traffic->routes;
    const uint32_t n_hops = route_flow(traffic, flow);
    routes->n_links[0] = link_loads_drop_fat_pipes(topology, traffic->hops, n_hops);
    for (uint32_t hop = 0; hop < routes->n_links[0]; hop++)
        routes->links[hop] = traffic->hops[hop].link;
    if (n_hops || span->is_window || !is_joined(traffic, flow))
        return;
    traffic->verifier->report->n_unrouted += flow->n_messages;
    offer_unrouted(traffic->verifier, &(struct fact_unrouted){flow, span->last});
}

/* Routes flows from the first on; how many. */
static uint32_t route_some(struct traffic *traffic, const struct span *span, size_t first)
{
    const struct placement *placement = traffic->verifier->request->placement;
    const struct flow *flows = span->flows->flows + first;
    struct some_routes *routes = &traffic->routes;
    const size_t left = span->flows->n - first;
    const uint32_t n = left < routes->most ? (uint32_t)left : routes->most;
    if (routes->most == 1) {
        route_one(traffic, span, flows);
        return 1;
    }
    for (uint32_t i = 0; i < n; i++)
        routes->pairs[i] =
            placement ? (struct topology_pair){placement->server_machine[flows[i].source],
                                               placement->server_machine[flows[i].destination]}
                      : (struct topology_pair){flows[i].source, flows[i].destination};
    topology_route_pairs(traffic->verifier->request->topology, routes->pairs, n, routes->links,
                         routes->n_links);
    return n;
}

/* Loads the links of one flow's route; the largest load. Adds to *differ if another server's messages
 * are on one of them. */
static inline uint32_t load_route(struct link_loads *loads, bool is_dense, const struct flow *flow,
                                  const uint32_t *links, uint32_t n_links, uint32_t *differ)
{
    const uint32_t source = flow->source, n_messages = flow->n_messages;
    uint32_t most = 0, others = 0;
    for (uint32_t i = 0; i < n_links; i++) {
        link_state *const link = is_dense ? &loads->load[links[i]] : link_loads_at(loads, links[i]);
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

static inline uint32_t load_routes(struct traffic *traffic, bool is_dense, const struct flow *flows,
                                   uint32_t n, uint32_t *differ)
{
    struct link_loads loads = traffic->links; /* a copy, which nothing else is known to change */
    const uint32_t *links = traffic->routes.links, *n_links = traffic->routes.n_links;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; links += n_links[i++]) {
        const uint32_t load = load_route(&loads, is_dense, &flows[i], links, n_links[i], differ);
        most = load > most ? load : most;
    }
    traffic->links.n_touched = loads.n_touched;
    return most;
}

static uint32_t load_links(struct traffic *traffic, const struct span *span, bool *is_shared)
{
    const size_t n_flows = span->flows->n;
    const bool is_dense = n_flows >= traffic->links.n_blocks; /* most links have a load then */
    uint32_t differ = 0, most = 0;
    if (is_dense)
        link_loads_touch_all(&traffic->links);
    for (size_t first = 0, n; first < n_flows; first += n) {
        n = route_some(traffic, span, first);
        const struct flow *flows = span->flows->flows + first;
        const uint32_t load = is_dense ? load_routes(traffic, true, flows, (uint32_t)n, &differ)
                                       : load_routes(traffic, false, flows, (uint32_t)n, &differ);
        most = load > most ? load : most;
    }
    *is_shared = differ != 0;
    return most;
}

/* Whether all messages carry as much as the first one does; n_chunks are units. */
static bool are_alike(const struct flows *flows)
{
    const uint64_t units = flows->n ? flows->flows[0].n_chunks / flows->flows[0].n_messages : 0;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_chunks != units * flows->flows[i].n_messages)
            return false;
    return true;
}

/* What the busiest link carries in a step, of messages that are unlike. O(flows * hops) */
static uint64_t weigh_links(struct traffic *traffic, const struct flows *flows)
{
    const struct topology *topology = traffic->verifier->request->topology;
    struct link_loads *units = &traffic->units;
    uint64_t most = 0;
    if (!units->load)
        *units = link_loads_new(topology, false);
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t n_hops = link_loads_drop_fat_pipes(topology, traffic->hops,
                                                          route_flow(traffic, &flows->flows[i]));
        for (uint32_t hop = 0; hop < n_hops; hop++) {
            uint64_t *load = link_loads_at(units, traffic->hops[hop].link);
            *load = units_sum(*load, flows->flows[i].n_chunks);
            most = *load > most ? *load : most;
        }
    }
    link_loads_clear(units);
    return most;
}

/* The same of any step, in which `max_load` messages are on the busiest link. */
static uint64_t units_of_step(struct traffic *traffic, const struct flows *flows, uint32_t max_load)
{
    if (!flows->n || !max_load)
        return 0;
    return are_alike(flows) ? flows->flows[0].n_chunks / flows->flows[0].n_messages * max_load
                            : weigh_links(traffic, flows);
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

static inline void raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

static size_t port_number(const struct traffic *traffic, uint32_t server, const struct flow *flow)
{
    uint32_t network = flow->network < traffic->n_networks ? flow->network : traffic->n_networks - 1;
    return (size_t)server * traffic->n_networks + network;
}

static struct port_counts *port_of(const struct traffic *traffic, uint32_t server,
                                   const struct flow *flow)
{
    return &traffic->ports[port_number(traffic, server, flow)];
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

/* ---- the worst ---- */

/* Only called where it is worse than in all steps before. O(links with a load) */
static uint32_t busiest_link(const struct link_loads *links, uint32_t load)
{
    uint32_t lowest = UINT32_MAX, link;
    uint64_t at = 0;
    while (link_loads_next(links, &at, &link))
        if (link < lowest && (uint32_t)links->load[link] == load)
            lowest = link;
    return lowest;
}

static uint32_t busiest_port(const struct traffic *traffic, uint32_t fan_in)
{
    uint32_t port = 0;
    while (traffic->ports[port].fan_in != fan_in)
        port++;
    return port;
}

static void find_worst(struct traffic *traffic, uint64_t step, const struct step_record *record)
{
    struct verify_report *report = traffic->verifier->report;
    if (record->max_link_load > report->worst_link.value)
        traffic->is_new_link = worst_raise(&report->worst_link, step, record->max_link_load,
                                           busiest_link(&traffic->links, record->max_link_load));
    if (record->max_fan_in > report->worst_port.value)
        traffic->is_new_port = worst_raise(&report->worst_port, step, record->max_fan_in,
                                           busiest_port(traffic, record->max_fan_in));
}

/* ---- steps ---- */

static void measure(struct traffic *traffic, const struct span *span, struct step_record *record)
{
    if (traffic->links.load)
        record->max_link_load = load_links(traffic, span, &record->is_contended);
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
                                .n_networks = traffic->n_networks};
    excess_measure(traffic->excess, &loads);
    if (!span->is_window && !traffic->is_again)
        find_worst(traffic, span->last, record);
    if (!span->is_window)
        raise(&traffic->verifier->report->max_received, loads.max_received);
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
    measure(traffic, &span, &record);
    raise(&report->drift_link_load, record.max_link_load);
    raise(&report->drift_fan_in, record.max_fan_in);
}

/* With counts, bytes are only counted where somebody asks. */
static const struct schedule_header *header_of_units(const struct traffic *traffic)
{
    const struct schedule_header *header = &traffic->verifier->schedule->header;
    return traffic->verifier->request->least.kind && header->counts ? header : NULL;
}

/* Where the flows of a step go: the place of the oldest one of a full window. */
static struct flows *recent_flows(struct traffic *traffic, uint64_t step)
{
    if (traffic->n_recent < traffic->drift) {
        traffic->recent = mem_grow(traffic->recent, &traffic->recent_capacity,
                                   traffic->n_recent + 1, sizeof *traffic->recent);
        traffic->recent[traffic->n_recent++] = (struct flows){.header = header_of_units(traffic)};
    }
    return &traffic->recent[step % traffic->drift];
}

/* Messages that are sent: with counts, data of no bytes are not. */
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

/* The sends of the messages that are on the network in this step. */
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

/* Where a message goes. False: within a server, where it touches no link and no port. */
static bool route_send(struct traffic *traffic, const struct op *send, struct route_of *route)
{
    const struct topology *topology = traffic->verifier->request->topology;
    const struct placement *placement = traffic->verifier->request->placement;
    struct flow flow = {.source = placement ? placement->server[send->rank] : send->rank,
                        .destination = placement ? placement->server[send->peer] : send->peer};
    if (flow.source == flow.destination)
        return false;
    if (traffic->has_networks)
        flow.network = flow_network(&traffic->networks, send,
                                    server_machine(traffic->verifier, flow.source),
                                    server_machine(traffic->verifier, flow.destination));
    uint32_t n_hops = topology ? route_flow(traffic, &flow) : 0;
    n_hops = topology ? link_loads_drop_fat_pipes(topology, traffic->hops, n_hops) : 0;
    *route = (struct route_of){flow.source, flow.destination, port_number(traffic, flow.source, &flow),
                               port_number(traffic, flow.destination, &flow), traffic->hops, n_hops};
    return true;
}

/* Tells who sends what to where. */
static void name_sends(struct traffic *traffic, const struct step *moving)
{
    struct route_of route;
    for (size_t i = 0; i < moving->n_sends; i++)
        if (route_send(traffic, &moving->sends[i], &route))
            excess_send(traffic->excess, &moving->sends[i], &route);
}

static bool is_on(const struct route_of *route, uint32_t link)
{
    uint32_t hop = 0;
    while (hop < route->n_hops && route->hops[hop].link != link)
        hop++;
    return hop < route->n_hops;
}

/* The line that sends most over a link; or to a port, where `is_port`. O(messages * hops) */
static uint32_t line_of_subject(struct traffic *traffic, const struct step *moving, bool is_port,
                                uint32_t subject)
{
    size_t n = 0;
    struct route_of route;
    for (size_t i = 0; i < moving->n_sends; i++) {
        if (!route_send(traffic, &moving->sends[i], &route) ||
            !(is_port ? route.destination_port == subject : is_on(&route, subject)))
            continue;
        traffic->lines = mem_grow(traffic->lines, &traffic->line_capacity, n + 1, sizeof *traffic->lines);
        traffic->lines[n++] = (struct line_count){moving->sends[i].line, 1};
    }
    return worst_line(traffic->lines, n);
}

/* From which lines the worst comes, where this step has it. Most steps have one. */
static void name_worst(struct traffic *traffic, const struct step *moving)
{
    struct verify_report *report = traffic->verifier->report;
    bool is_one;
    if (!traffic->is_new_link && !traffic->is_new_port)
        return;
    const uint32_t line = worst_only_line(moving->sends, moving->n_sends, &is_one);
    if (traffic->is_new_link)
        report->worst_link.line =
            is_one ? line : line_of_subject(traffic, moving, false, report->worst_link.subject);
    if (traffic->is_new_port)
        report->worst_port.line =
            is_one ? line : line_of_subject(traffic, moving, true, report->worst_port.subject);
    traffic->is_new_link = traffic->is_new_port = false;
}

/* Adds the loads of flows to those over all steps, so many times. */
static void add_totals(struct traffic *traffic, const struct flow *flows, size_t n, uint64_t times)
{
    const struct topology *topology = traffic->verifier->request->topology;
    for (size_t i = 0; topology && times && i < n; i++) {
        const uint32_t n_hops =
            link_loads_drop_fat_pipes(topology, traffic->hops, route_flow(traffic, &flows[i]));
        for (uint32_t hop = 0; hop < n_hops; hop++)
            traffic->links.total[traffic->hops[hop].link] += flows[i].n_messages * times;
    }
}

void traffic_repeat(struct traffic *traffic, const struct step *step, uint64_t times)
{
    struct flows *flows = recent_flows(traffic, 0);
    flows_gather(flows, step, traffic->verifier->request->placement, NULL);
    add_totals(traffic, flows->flows, flows->n, times);
}

/* Measures the flows of a step into the record; what the busiest link carries, where that is asked
 * for. */
static uint64_t measure_step(struct traffic *traffic, uint64_t step, struct flows *flows,
                             struct step_record *record)
{
    const struct span span = {step, step, flows, false};
    uint64_t units = 0;
    measure(traffic, &span, record);
    if (traffic->verifier->request->least.kind && traffic->links.load && !traffic->is_again)
        units = units_of_step(traffic, flows, record->max_link_load);
    if (record->max_fan_in > 1 && traffic->has_machine_ports && !traffic->is_again)
        record->hol_slowdown = hol_slowdown(traffic->hol, flows, record->max_fan_in, NULL);
    return units;
}

/* The same, but for flows that an earlier step had: its record and units, and its loads are added to
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
    add_totals(traffic, seen->flows, seen->n, seen->n_more);
    seen_keep(&traffic->seen, seen, flows, record, units);
    return units;
}

void traffic_step(struct traffic *traffic, const struct step *step, bool is_closed,
                  struct step_record *record)
{
    struct verify_report *report = traffic->verifier->report;
    struct flows *flows = recent_flows(traffic, step->index);
    const struct step moving = moving_in(traffic, step, is_closed);
    report->n_messages += count_sent(&traffic->verifier->schedule->header, step);
    *record = (struct step_record){.n_messages = moving.n_sends, .hol_slowdown = 1};
    flows_gather(flows, &moving, traffic->verifier->request->placement,
                 traffic->has_networks ? &traffic->networks : NULL);
    if (traffic->verifier->request->watch && !traffic->is_again)
        traffic->verifier->request->watch(traffic->verifier->request->watch_context, step->index, flows);
    if (traffic->has_networks)
        measure_networks(traffic, &moving);
    if (traffic->is_again && excess_wants_sends(traffic->excess, step->index))
        name_sends(traffic, &moving);
    report->sum_step_units =
        units_sum(report->sum_step_units, measure_once(traffic, step->index, flows, record));
    name_worst(traffic, &moving);
    raise(&report->drift_link_load, record->max_link_load);
    raise(&report->drift_fan_in, record->max_fan_in);
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
        traffic_step(again, &step, !traffic->moves, &record);
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
        add_totals(traffic, seen->flows, seen->n, seen->n_more);
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
