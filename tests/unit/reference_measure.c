/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The measuring half of the reference verifier (reference.h): a table of
 * messages from server to server and a count per link for the messages that move in each step, all
 * ranks in lockstep by step index. Messages within a server are counted as messages
 * and otherwise left out. Without a topology there are no links, but servers
 * still meet at servers.
 */
#include "tests/unit/reference.h"
#include "network/full.h"
#include "network/grid.h"
#include "network/networks.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

struct meter {
    const struct verify_request *request;
    struct reference *result;
    const struct schedule_header *header;
};

/* One step in lockstep: messages from server to server, and on links. */
struct traffic {
    uint32_t n_servers, n_networks;
    uint32_t *messages;     /* [network][source * n_servers + destination], own server left out;
                               the last network stands for none */
    uint32_t *out, *in;     /* the same: port by which they leave the source, and arrive */
    uint32_t n_ports;       /* of a server: the most cables of a machine, 1 on a shape */
    uint32_t n_hops;        /* of the route followed last */
    uint32_t *link;         /* [link] messages */
    uint32_t *link_source;  /* [link] 1 + server of the first message, 0 none */
    struct hop *hops;
    bool is_contended;
    bool is_direct; /* grid or full mesh: no port at which servers meet */
};

static uint32_t server_of(const struct meter *meter, uint32_t rank)
{
    return meter->request->placement ? meter->request->placement->server[rank] : rank;
}

static uint32_t machine_of(const struct meter *meter, uint32_t rank)
{
    return meter->request->placement ? meter->request->placement->machine[rank] : rank;
}

/* The network of a send by its label; NO_NETWORK if the topology lacks it. */
static uint32_t network_of(const struct meter *meter, const struct op *send)
{
    const struct topology *topology = meter->request->topology;
    const struct schedule_header *header = meter->header;
    if (send->network >= header->n_networks)
        return topology_network(topology, machine_of(meter, send->rank),
                                machine_of(meter, send->peer));
    return topology_find_network(topology, header->networks[send->network]);
}

/* Several networks only: does this one join the two? */
static bool is_carried(const struct meter *meter, const struct op *send, uint32_t network)
{
    const struct topology *topology = meter->request->topology;
    uint32_t source = machine_of(meter, send->rank), destination = machine_of(meter, send->peer);
    if (network == NO_NETWORK)
        return false;
    if (network == NETWORK_MEMORY)
        return source == destination;
    return topology_is_on_network(topology, source, network) &&
           topology_is_on_network(topology, destination, network);
}

/* The message does not arrive. A network that is split is one finding, at the first step that shows it. */
static void add_unrouted(struct meter *meter, const struct op *send, uint32_t code, int64_t step)
{
    if (code != CODE_L002 || !has_code(meter->result, code))
        reference_add(meter->result, (struct reference_finding){code, send->rank, send->peer, step});
    meter->result->report.n_unrouted++;
    meter->result->report.is_complete = false;
    meter->result->report.waiting = WAITING_CERTAIN; /* its receiver */
    meter->result->report.agreement = AGREEMENT_UNKNOWN;
}

/* Cables are told apart where the network is a list of them. */
static bool has_cables(const struct topology *topology)
{
    return topology && !topology_is_implicit(topology_whole(topology)) && topology->has_machine_ports &&
           !topology->has_loose_links;
}

/* The cables of a machine are numbered by their links; counts those before this link that begin, or end, at
 * the same machine. */
static uint32_t port_of(const struct topology *topology, uint32_t link, bool is_in)
{
    uint32_t ends[2], other[2], n = 0;
    if (!has_cables(topology))
        return 0;
    topology_link_ends(topology, link, &ends[0], &ends[1]);
    for (uint32_t i = 0; i < link; i++) {
        topology_link_ends(topology, i, &other[0], &other[1]);
        n += topology_has_link(topology, i) && other[is_in] == ends[is_in];
    }
    return n;
}

static uint32_t most_ports(const struct topology *topology)
{
    uint32_t most = 1;
    for (uint32_t link = 0; has_cables(topology) && link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const uint32_t out = from < topology->n_machines ? port_of(topology, link, false) + 1 : 0;
        const uint32_t in = to < topology->n_machines ? port_of(topology, link, true) + 1 : 0;
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return most;
}

/* True if it is on the network, false if within a machine. */
static bool follow_route(struct meter *meter, struct traffic *traffic, const struct op *send,
                         int64_t step)
{
    uint32_t source = server_of(meter, send->rank);
    bool has_networks = topology_n_networks(meter->request->topology) > 1;
    uint32_t network = has_networks ? network_of(meter, send) : 0;
    bool is_joined = !has_networks || is_carried(meter, send, network);
    if (!is_joined)
        add_unrouted(meter, send, CODE_L003, step);
    if (!is_joined || machine_of(meter, send->rank) == machine_of(meter, send->peer))
        return is_joined;
    uint32_t n_hops =
        topology_route_over(meter->request->topology, network, machine_of(meter, send->rank),
                            machine_of(meter, send->peer), traffic->hops);
    traffic->n_hops = n_hops;
    if (!n_hops)
        add_unrouted(meter, send, CODE_L002, step);
    for (uint32_t i = 0; i < n_hops; i++) {
        uint32_t link = traffic->hops[i].link;
        traffic->link[link]++;
        if (traffic->link_source[link] && traffic->link_source[link] != source + 1)
            traffic->is_contended = true;
        traffic->link_source[link] = source + 1;
    }
    return n_hops > 0;
}

static uint32_t *between(const struct traffic *traffic, uint32_t network, uint32_t source,
                         uint32_t destination)
{
    size_t row = (size_t)network * traffic->n_servers + source;
    return &traffic->messages[row * traffic->n_servers + destination];
}

static void count_message(struct meter *meter, struct traffic *traffic, const struct op *send,
                         int64_t step)
{
    uint32_t source = server_of(meter, send->rank), destination = server_of(meter, send->peer);
    if (source == destination) {
        if (meter->request->topology)
            follow_route(meter, traffic, send, step);
        return;
    }
    uint32_t network = 0;
    if (traffic->n_networks > 1)
        network = network_of(meter, send);
    if (network >= traffic->n_networks)
        network = traffic->n_networks - 1;
    const struct topology *topology = meter->request->topology;
    if (topology && !follow_route(meter, traffic, send, step))
        return;
    const size_t at = (size_t)(between(traffic, network, source, destination) - traffic->messages);
    traffic->messages[at]++;
    traffic->out[at] = topology ? port_of(topology, traffic->hops[0].link, false) : 0;
    traffic->in[at] = topology ? port_of(topology, traffic->hops[traffic->n_hops - 1].link, true) : 0;
}

/* Returns the number of messages from a server, over all networks. */
static uint32_t messages_from(const struct traffic *traffic, uint32_t source)
{
    uint32_t n = 0;
    for (uint32_t network = 0; network < traffic->n_networks; network++)
        for (uint32_t destination = 0; destination < traffic->n_servers; destination++)
            n += *between(traffic, network, source, destination);
    return n;
}

static uint32_t messages_to(const struct traffic *traffic, uint32_t destination)
{
    uint32_t n = 0;
    for (uint32_t network = 0; network < traffic->n_networks; network++)
        for (uint32_t source = 0; source < traffic->n_servers; source++)
            n += *between(traffic, network, source, destination);
    return n;
}

/* Messages of a server to, or from, another over one network. */
struct passage {
    uint32_t n, port; /* messages, and the port at the server in question */
};

/* Number `i` of the passages from a server: over each network to each other one. */
static struct passage passage_from(const struct traffic *traffic, uint32_t server, uint32_t i)
{
    const uint32_t n = traffic->n_servers;
    const size_t at = (size_t)(between(traffic, i / n, server, i % n) - traffic->messages);
    return (struct passage){traffic->messages[at], traffic->out[at]};
}

static struct passage passage_to(const struct traffic *traffic, uint32_t server, uint32_t i)
{
    const uint32_t n = traffic->n_servers;
    const size_t at = (size_t)(between(traffic, i / n, i % n, server) - traffic->messages);
    return (struct passage){traffic->messages[at], traffic->in[at]};
}

static uint32_t servers_at(const struct traffic *traffic, uint32_t server, uint32_t port, bool is_in)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < traffic->n_networks * traffic->n_servers; i++) {
        const struct passage passage =
            is_in ? passage_to(traffic, server, i) : passage_from(traffic, server, i);
        n += passage.n && passage.port == port;
    }
    return n;
}

/* The most servers that one port of it sends to. */
static uint32_t fan_out_of(const struct traffic *traffic, uint32_t source)
{
    uint32_t most = 0;
    for (uint32_t port = 0; port < traffic->n_ports; port++) {
        const uint32_t n = servers_at(traffic, source, port, false);
        most = n > most ? n : most;
    }
    return most;
}

static uint32_t fan_in_of(const struct traffic *traffic, uint32_t destination)
{
    uint32_t most = 0;
    for (uint32_t port = 0; port < traffic->n_ports; port++) {
        const uint32_t n = servers_at(traffic, destination, port, true);
        most = n > most ? n : most;
    }
    return most;
}

/* Share of the messages that leave by the port of a passage that are its own. */
static double share(const struct traffic *traffic, uint32_t source, uint32_t i)
{
    const struct passage passage = passage_from(traffic, source, i);
    uint32_t all = 0;
    for (uint32_t k = 0; k < traffic->n_networks * traffic->n_servers; k++) {
        const struct passage other = passage_from(traffic, source, k);
        all += other.port == passage.port ? other.n : 0;
    }
    return passage.n ? (double)passage.n / all : 0;
}

/* E[K/(K+1)] with K the number of other passages that arrive at the port of this one at the same moment, each
 * with the probability of its share. */
static double expected_blocking(const struct traffic *traffic, uint32_t source, uint32_t i)
{
    const uint32_t n_servers = traffic->n_servers, destination = i % n_servers;
    const uint32_t own = i / n_servers * n_servers + source;
    const uint32_t port = passage_to(traffic, destination, own).port;
    double probability[REFERENCE_MAX_RANKS + 1] = {1}, expected = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < traffic->n_networks * n_servers; k++) {
        const struct passage other = passage_to(traffic, destination, k);
        if (k == own || !other.n || other.port != port)
            continue;
        const double a = share(traffic, k % n_servers, k / n_servers * n_servers + destination);
        n++;
        for (uint32_t m = n; m > 0; m--)
            probability[m] = probability[m] * (1 - a) + probability[m - 1] * a;
        probability[0] *= 1 - a;
    }
    for (uint32_t k = 1; k <= n; k++)
        expected += probability[k] * k / (k + 1);
    return expected;
}

/* Paper 000, section 3.6: a queue whose head is blocked with probability B takes 1/(1-B) as long. A server
 * has a queue at each of its ports. */
static double slowdown_of(const struct traffic *traffic, uint32_t source, uint32_t port)
{
    double blocking = 0;
    for (uint32_t i = 0; i < traffic->n_networks * traffic->n_servers; i++)
        if (passage_from(traffic, source, i).n && passage_from(traffic, source, i).port == port)
            blocking += share(traffic, source, i) * expected_blocking(traffic, source, i);
    return 1 / (1 - blocking);
}

static void raise_to(uint32_t *highest, uint32_t value)
{
    if (value > *highest)
        *highest = value;
}

static void summarise_servers(const struct traffic *traffic, struct step_record *record,
                              uint32_t *max_receives)
{
    const uint32_t n_queues = traffic->is_direct ? 0 : traffic->n_ports;
    record->hol_slowdown = 1;
    for (uint32_t server = 0; server < traffic->n_servers; server++) {
        raise_to(&record->max_fan_in, fan_in_of(traffic, server));
        raise_to(&record->max_fan_out, fan_out_of(traffic, server));
        raise_to(&record->max_sends, messages_from(traffic, server));
        raise_to(max_receives, messages_to(traffic, server));
        for (uint32_t port = 0; port < n_queues; port++) {
            double slowdown = slowdown_of(traffic, server, port);
            if (slowdown > record->hol_slowdown)
                record->hol_slowdown = slowdown;
        }
    }
}

static void add_limit(struct meter *meter, uint32_t code, int64_t step)
{
    reference_add(meter->result, (struct reference_finding){code, -1, -1, step});
}

static bool is_above(const struct limit *limit, double value)
{
    return limit->is_set && value > limit->most;
}

static void check_limits(struct meter *meter, const struct step_record *record, uint32_t max_receives,
                         int64_t step)
{
    const struct verify_limits *limits = &meter->request->limits;
    if (is_above(&limits->max_link_load, record->max_link_load))
        add_limit(meter, CODE_L001, step);
    if (is_above(&limits->max_fan_in, record->max_fan_in))
        add_limit(meter, CODE_H001, step);
    if (is_above(&limits->max_fan_out, record->max_fan_out))
        add_limit(meter, CODE_H002, step);
    if (is_above(&limits->max_hol_slowdown, record->hol_slowdown))
        add_limit(meter, CODE_H003, step);
    if (is_above(&limits->ports, record->max_sends) || is_above(&limits->ports, max_receives))
        add_limit(meter, CODE_P001, step);
}

/* Limits of the whole schedule; each of its steps that counts is a finding here. */
static void check_sums(struct meter *meter)
{
    const struct verify_limits *limits = &meter->request->limits;
    const struct verify_report *report = &meter->result->report;
    if (meter->request->topology && is_above(&limits->max_total_load, (double)report->max_total_load))
        add_limit(meter, CODE_L004, -1);
    for (uint64_t step = 0; step < report->n_records; step++)
        if (report->per_step[step].is_contended &&
            is_above(&limits->max_contended_steps, (double)report->contended_steps))
            add_limit(meter, CODE_L005, (int64_t)step);
    if (is_above(&limits->max_steps, (double)report->n_steps))
        add_limit(meter, CODE_C001, -1);
    if (is_above(&limits->max_idle_steps, (double)report->n_idle))
        add_limit(meter, CODE_C002, -1);
}

static void sum_up(struct verify_report *report, const struct step_record *record)
{
    raise_to(&report->max_link_load, record->max_link_load);
    report->sum_step_load += record->max_link_load;
    report->contended_steps += record->is_contended;
    raise_to(&report->max_fan_in, record->max_fan_in);
    raise_to(&report->max_fan_out, record->max_fan_out);
    raise_to(&report->max_sends, record->max_sends);
    report->hol_steps += record->hol_slowdown > 1;
    if (record->hol_slowdown > report->max_hol_slowdown)
        report->max_hol_slowdown = record->hol_slowdown;
}

static uint32_t n_links_of(const struct meter *meter)
{
    return meter->request->topology ? meter->request->topology->n_link_ids : 0;
}

static void clear_traffic(const struct meter *meter, struct traffic *traffic)
{
    uint32_t n_links = n_links_of(meter);
    memset(traffic->messages, 0,
           (size_t)traffic->n_networks * traffic->n_servers * traffic->n_servers *
               sizeof *traffic->messages);
    memset(traffic->link, 0, n_links * sizeof *traffic->link);
    memset(traffic->link_source, 0, n_links * sizeof *traffic->link_source);
    traffic->is_contended = false;
}

/* The messages that move in the steps first .. first + n - 1. */
static void count_steps(struct meter *meter, struct traffic *traffic, uint64_t first, uint64_t n)
{
    for (size_t i = 0; i < meter->result->n_moves; i++) {
        const struct reference_move *move = &meter->result->moves[i];
        if (move->step >= first && move->step - first < n)
            count_message(meter, traffic, &move->send, (int64_t)move->step);
    }
}

static uint32_t busiest_link(const struct meter *meter, const struct traffic *traffic)
{
    uint32_t most = 0;
    for (uint32_t link = 0; link < n_links_of(meter); link++)
        raise_to(&most, traffic->link[link]);
    return most;
}

/* ---- the worst ---- */

/* True if a message of the step goes over a link, or to a port. */
static bool is_at(const struct meter *meter, const struct traffic *traffic, const struct op *send,
                  bool is_port, uint32_t subject)
{
    const struct topology *topology = meter->request->topology;
    const uint32_t from = machine_of(meter, send->rank), to = machine_of(meter, send->peer);
    uint32_t network = traffic->n_networks > 1 ? network_of(meter, send) : 0;
    if (server_of(meter, send->rank) == server_of(meter, send->peer))
        return false;
    if (!is_port) {
        if (traffic->n_networks > 1 && !is_carried(meter, send, network))
            return false;
        uint32_t n = topology_route_over(topology, network, from, to, traffic->hops);
        while (n && traffic->hops[n - 1].link != subject)
            n--;
        return n;
    }
    if (traffic->n_networks > 1 && topology && !is_carried(meter, send, network))
        return false;
    const uint32_t n = topology ? topology_route_over(topology, network, from, to, traffic->hops) : 0;
    if (topology && !n)
        return false;
    const uint32_t port = n ? port_of(topology, traffic->hops[n - 1].link, true) : 0;
    return server_of(meter, send->peer) * traffic->n_ports + port == subject;
}

static uint32_t messages_of_line(const struct meter *meter, const struct traffic *traffic, uint64_t step,
                                 bool is_port, const struct worst *worst, uint32_t line)
{
    uint32_t n = 0;
    for (size_t i = 0; i < meter->result->n_moves; i++) {
        const struct reference_move *move = &meter->result->moves[i];
        n += move->step == step && move->send.line == line &&
             is_at(meter, traffic, &move->send, is_port, worst->subject);
    }
    return n;
}

/* The line that most of it comes from. */
static void find_line(const struct meter *meter, const struct traffic *traffic, uint64_t step, bool is_port,
                      struct worst *worst)
{
    uint32_t most = 0;
    for (size_t i = 0; i < meter->result->n_moves; i++) {
        const uint32_t line = meter->result->moves[i].send.line;
        if (meter->result->moves[i].step != step)
            continue;
        const uint32_t n = messages_of_line(meter, traffic, step, is_port, worst, line);
        if (n > most || (n == most && n && line < worst->line)) {
            most = n;
            worst->line = line;
        }
    }
}

static void see(struct worst *worst, uint64_t step, uint32_t value, uint32_t subject)
{
    if (value <= worst->value)
        return;
    *worst = (struct worst){.value = value, .subject = subject, .step = step};
}

static void find_worst(struct meter *meter, const struct traffic *traffic, uint64_t step)
{
    struct worst *link = &meter->result->report.worst_link, *port = &meter->result->report.worst_port;
    const uint32_t link_before = link->value, port_before = port->value;
    for (uint32_t i = 0; i < n_links_of(meter); i++)
        see(link, step, traffic->link[i], i);
    for (uint32_t i = 0; i < traffic->n_servers * traffic->n_ports; i++)
        see(port, step, servers_at(traffic, i / traffic->n_ports, i % traffic->n_ports, true), i);
    if (link->value > link_before)
        find_line(meter, traffic, step, false, link);
    if (port->value > port_before)
        find_line(meter, traffic, step, true, port);
}

static void measure_step(struct meter *meter, struct traffic *traffic, uint64_t step)
{
    struct step_record *record = &meter->result->report.per_step[step];
    uint32_t max_receives = 0;
    clear_traffic(meter, traffic);
    count_steps(meter, traffic, step, 1);
    for (uint32_t link = 0; link < n_links_of(meter); link++)
        meter->result->report.link_load[link] += traffic->link[link];
    record->max_link_load = busiest_link(meter, traffic);
    record->is_contended = traffic->is_contended;
    find_worst(meter, traffic, step);
    summarise_servers(traffic, record, &max_receives);
    check_limits(meter, record, max_receives, (int64_t)step);
}

/* Measures what meets if the steps first .. first + drift - 1 run at the same time. */
static void measure_window(struct meter *meter, struct traffic *traffic, uint64_t first)
{
    struct verify_report *report = &meter->result->report;
    clear_traffic(meter, traffic);
    count_steps(meter, traffic, first, meter->request->drift ? meter->request->drift : 1);
    raise_to(&report->drift_link_load, busiest_link(meter, traffic));
    for (uint32_t server = 0; server < traffic->n_servers; server++)
        raise_to(&report->drift_fan_in, fan_in_of(traffic, server));
}

static void make_traffic(const struct meter *meter, uint32_t n_ranks, struct traffic *traffic)
{
    const struct topology *topology = meter->request->topology;
    uint32_t n = meter->request->placement ? meter->request->placement->n_servers : n_ranks;
    uint32_t n_hops = topology ? topology->max_hops : 0, n_links = n_links_of(meter);
    uint32_t n_networks = topology ? topology_n_networks(topology) : 1;
    n_networks += n_networks > 1;
    *traffic = (struct traffic){.n_servers = n,
                                .n_networks = n_networks,
                                .is_direct = topology && (topology_as_grid(topology) ||
                                                          topology_is_full(topology)),
                                .n_ports = most_ports(topology),
                                .messages = mem_alloc((size_t)n_networks * n * n, sizeof(uint32_t)),
                                .out = mem_alloc((size_t)n_networks * n * n, sizeof(uint32_t)),
                                .in = mem_alloc((size_t)n_networks * n * n, sizeof(uint32_t)),
                                .link = mem_alloc(n_links + 1, sizeof(uint32_t)),
                                .link_source =
                                    mem_alloc(n_links + 1, sizeof(uint32_t)),
                                .hops = mem_alloc(n_hops + 1, sizeof(struct hop))};
}

static void free_traffic(struct traffic *traffic)
{
    free(traffic->messages);
    free(traffic->out);
    free(traffic->in);
    free(traffic->link);
    free(traffic->link_source);
    free(traffic->hops);
}

static void measure_steps(struct meter *meter, struct schedule *schedule)
{
    uint32_t n_links = n_links_of(meter);
    struct verify_report *report = &meter->result->report;
    struct traffic traffic;
    make_traffic(meter, schedule->header.n_ranks, &traffic);
    report->has_network = meter->request->topology != NULL;
    report->link_load = mem_alloc(n_links + 1, sizeof *report->link_load);
    for (uint64_t step = 0; step < report->n_records; step++)
        measure_step(meter, &traffic, step);
    const uint64_t n_unrouted = report->n_unrouted; /* windows meet the same messages again */
    for (uint64_t first = 0; first < report->n_records; first++)
        measure_window(meter, &traffic, first);
    report->n_unrouted = n_unrouted;
    for (uint32_t link = 0; link < n_links; link++)
        if (report->link_load[link] > report->link_load[report->total_link])
            report->total_link = link;
    if (n_links_of(meter))
        report->max_total_load = report->link_load[report->total_link];
    free_traffic(&traffic);
}

void reference_measure(struct schedule *schedule, const struct verify_request *request,
                       struct reference *result)
{
    struct meter meter = {request, result, &schedule->header};
    struct verify_report *report = &result->report;
    report->per_step = mem_alloc((size_t)report->n_records + 1, sizeof *report->per_step);
    report->max_hol_slowdown = 1;
    for (uint64_t step = 0; step < report->n_records; step++)
        report->per_step[step].hol_slowdown = 1;
    for (size_t i = 0; i < result->n_moves; i++)
        report->per_step[result->moves[i].step].n_messages++;
    measure_steps(&meter, schedule);
    for (uint64_t index = 0; index < report->n_records; index++)
        sum_up(report, &report->per_step[index]);
    check_sums(&meter);
}
