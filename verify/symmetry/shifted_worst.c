/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Busiest place of a symmetric schedule, measured by classes of links, and the line that most of it comes
 * from.
 */
#include "network/shifts.h"
#include "verify/symmetry/shifted_internal.h"

#include <stdlib.h>

/* A link as its class and its position there. */
struct place_of_link {
    uint32_t link, class, position;
};

/* Returns the lowest link that has the most, where all ways to number the machines are alike: the server on
 * the lowest machine uses it, as the links of a message are one of each of its classes, in their order. */
static struct place_of_link lowest_used(struct shifted_traffic *traffic, uint64_t most)
{
    const struct topology *topology = traffic->request.topology;
    const struct placement *placement = traffic->request.placement;
    const struct shifts *servers = &traffic->meter.shifts.servers.shifts;
    struct place_of_link lowest = {.link = UINT32_MAX};
    struct hop *links = mem_alloc(topology->max_hops + 1, sizeof *links);
    uint32_t first = 0;
    for (uint32_t server = 1; placement && server < servers->n_ranks; server++)
        if (placement->server_machine[server] < placement->server_machine[first])
            first = server;
    for (size_t i = 0; i < traffic->meter.flows.n; i++) {
        const uint32_t offset = traffic->meter.flows.items[i].offset, to = shifts_add(servers, offset, first);
        const uint32_t n = topology_class_hops(topology, &traffic->meter.links.machines, offset, 0,
                                               traffic->meter.links.hops);
        (void)topology_route(topology, placement ? placement->server_machine[first] : first,
                             placement ? placement->server_machine[to] : to, links);
        for (uint32_t k = 0; k < n; k++)
            if (links[k].link < lowest.link &&
                class_loads_total(&traffic->meter.links, traffic->meter.links.hops[k].class, 0) == most)
                lowest = (struct place_of_link){links[k].link, traffic->meter.links.hops[k].class, 0};
    }
    free(links);
    return lowest;
}

/* O(links), and few of them as a rule. */
static struct place_of_link lowest_of_all(const struct shifted_traffic *traffic, uint64_t most)
{
    const struct topology *topology = traffic->request.topology;
    struct place_of_link at = {0, 0, 0};
    for (; at.link < topology->n_link_ids; at.link++) {
        at.class = topology_link_class(topology, &traffic->meter.links.machines, at.link, &at.position);
        if (class_loads_total(&traffic->meter.links, at.class, at.position) == most)
            break;
    }
    return at;
}

/* Returns the lowest link with the most of all steps that are added up. */
static struct place_of_link lowest(struct shifted_traffic *traffic, uint64_t most)
{
    return traffic->meter.shifts.is_free ? lowest_used(traffic, most) : lowest_of_all(traffic, most);
}

static bool have_one_line(const struct shifted_sends *sends)
{
    bool is_one = true;
    for (size_t i = 1; is_one && i < sends->n; i++)
        is_one = sends->items[i].line == sends->items[0].line;
    return is_one && sends->n;
}

/* Returns the number of messages of the flows on a link. */
static uint64_t messages_on(struct shifted_traffic *traffic, const struct place_of_link *at)
{
    class_loads_lay(&traffic->meter.links, &traffic->meter.flows);
    return class_loads_messages(&traffic->meter.links, at->class, at->position);
}

/* Returns the number of messages of the flows to a port. All servers receive as much as one of them sends. */
static uint64_t messages_to(const struct shifted_traffic *traffic, uint32_t port)
{
    const struct server_flows *flows = &traffic->meter.flows;
    uint64_t sum = 0;
    for (size_t i = 0; i < flows->n; i++)
        if ((flows->items[i].way ? host_ports_way_in(flows->items[i].way) : 0) == port)
            sum += flows->items[i].n_messages;
    return sum;
}

/* Returns the line of most of the messages that sends, shifted, put on a link; `at` NULL: on a port. */
static uint32_t shifted_worst_line_of(struct shifted_traffic *traffic, const struct shifted_sends *sends,
                                      const struct place_of_link *at, uint32_t port)
{
    if (have_one_line(sends))
        return sends->items[0].line;
    traffic->lines = mem_grow(traffic->lines, &traffic->line_capacity, sends->n + 1, sizeof *traffic->lines);
    for (size_t i = 0; i < sends->n; i++) {
        shifted_gather_flows(traffic, &sends->items[i], 1);
        const uint64_t n = at ? messages_on(traffic, at) : messages_to(traffic, port);
        traffic->lines[i] = (struct line_count){sends->items[i].line, n};
    }
    return worst_line(traffic->lines, sends->n);
}

/* The busiest link of the step that was remembered, which is put on the links in place of all steps. */
void shifted_name_worst(struct shifted_traffic *traffic)
{
    struct worst *worst = &traffic->report->worst_link;
    if (!worst->value)
        return;
    class_loads_forget(&traffic->meter.links);
    shifted_gather_flows(traffic, traffic->worst.items, traffic->worst.n);
    class_loads_lay(&traffic->meter.links, &traffic->meter.flows);
    class_loads_add_up(&traffic->meter.links);
    const struct place_of_link at = lowest(traffic, worst->value);
    worst->subject = at.link;
    worst->line = shifted_worst_line_of(traffic, &traffic->worst, &at, 0);
}

/* A flow for each class whose links have the most of all steps. */
static void gather_busiest(struct shifted_traffic *traffic, uint64_t most)
{
    server_flows_clear(&traffic->meter.flows);
    for (uint32_t i = 0; i < traffic->meter.links.n_classes; i++)
        if (class_loads_total(&traffic->meter.links, i, 0) == most)
            server_flows_add(&traffic->meter.flows, traffic->meter.links.classes[i].offset, 1, 0);
}

void shifted_report_total(struct shifted_traffic *traffic)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < traffic->meter.links.n_classes; i++) {
        const uint64_t most_of_class = class_loads_most_total(&traffic->meter.links, i);
        most = most_of_class > most ? most_of_class : most;
    }
    if (!most)
        return;
    if (traffic->meter.shifts.is_free)
        gather_busiest(traffic, most);
    worst_raise_total(traffic->report, lowest(traffic, most).link, most);
}

/* Remembers the step if something is worse than before. */
void shifted_find_worst(struct shifted_traffic *traffic, uint64_t step, const struct step_record *record)
{
    struct verify_report *report = traffic->report;
    const bool is_new = record->max_fan_in > report->worst_port.value;
    const uint32_t port = is_new ? alike_meter_busiest_port(&traffic->meter) : 0;
    if (worst_raise(&report->worst_port, step, record->max_fan_in, port))
        report->worst_port.line = shifted_worst_line_of(traffic, &traffic->own, NULL, port);
    if (!worst_raise(&report->worst_link, step, record->max_link_load, 0))
        return;
    traffic->worst.n = 0;
    shifted_append_sends(&traffic->worst, &traffic->own);
}
