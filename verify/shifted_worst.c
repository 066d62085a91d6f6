/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a schedule that is shifted has most to carry, measured by classes of links, and from which line.
 */
#include "verify/shifted_internal.h"

#include <stdlib.h>
#include <string.h>

/* What the step with the busiest link puts on each position of each class, on the heap. */
static int64_t *worst_loads(struct shifted_traffic *traffic)
{
    int64_t *loads = mem_alloc(traffic->loads.n_totals + 1, sizeof *loads);
    shifted_gather_flows(traffic, &traffic->worst);
    for (size_t i = 0; i < traffic->flows.n; i++) {
        const struct offset_flow *flow = &traffic->flows.items[i];
        const uint32_t n = topology_class_hops(traffic->request.topology, &traffic->loads.machines,
                                               flow->offset, traffic->loads.hops);
        for (uint32_t k = 0; k < n; k++) {
            const struct class_hops *hops = &traffic->loads.hops[k];
            int64_t *of_class = loads + traffic->loads.classes[hops->class].totals;
            of_class[hops->begin] += (int64_t)hops->n * flow->n_messages;
            of_class[hops->end] -= (int64_t)hops->n * flow->n_messages;
        }
    }
    class_loads_add_up(&traffic->loads, loads);
    return loads;
}

/* A link as its class and its position there. */
struct place_of_link {
    uint32_t link, class, position;
};

/* Where all ways to number the machines are alike, the lowest link is one that the server on the lowest
 * machine uses: the links of a message are one of each of its classes, in their order. */
static struct place_of_link lowest_used(struct shifted_traffic *traffic, const int64_t *loads, int64_t most)
{
    const struct topology *topology = traffic->request.topology;
    const struct placement *placement = traffic->request.placement;
    const struct shifts *servers = &traffic->servers.shifts;
    struct place_of_link lowest = {.link = UINT32_MAX};
    struct hop *links = mem_alloc(topology->max_hops + 1, sizeof *links);
    uint32_t first = 0;
    for (uint32_t server = 1; placement && server < servers->n_ranks; server++)
        if (placement->server_machine[server] < placement->server_machine[first])
            first = server;
    for (size_t i = 0; i < traffic->flows.n; i++) {
        const uint32_t offset = traffic->flows.items[i].offset, to = shifts_add(servers, offset, first);
        const uint32_t n =
            topology_class_hops(topology, &traffic->loads.machines, offset, traffic->loads.hops);
        (void)topology_route(topology, placement ? placement->server_machine[first] : first,
                             placement ? placement->server_machine[to] : to, links);
        for (uint32_t k = 0; k < n; k++)
            if (links[k].link < lowest.link &&
                loads[traffic->loads.classes[traffic->loads.hops[k].class].totals] == most)
                lowest = (struct place_of_link){links[k].link, traffic->loads.hops[k].class, 0};
    }
    free(links);
    return lowest;
}

/* O(links), and few of them as a rule. */
static struct place_of_link lowest_of_all(const struct shifted_traffic *traffic, const int64_t *loads,
                                          int64_t most)
{
    const struct topology *topology = traffic->request.topology;
    struct place_of_link at = {0, 0, 0};
    for (; at.link < topology->n_link_ids; at.link++) {
        at.class = topology_link_class(topology, &traffic->loads.machines, at.link, &at.position);
        if (loads[traffic->loads.classes[at.class].totals + at.position] == most)
            break;
    }
    return at;
}

static struct place_of_link lowest(struct shifted_traffic *traffic, const int64_t *loads, int64_t most)
{
    return traffic->is_free ? lowest_used(traffic, loads, most) : lowest_of_all(traffic, loads, most);
}

/* Messages of a send of rank 0, shifted, on a link. */
static uint64_t messages_on(struct shifted_traffic *traffic, const struct shifted_send *send,
                            const struct place_of_link *at)
{
    uint64_t sum = 0;
    server_flows_clear(&traffic->flows);
    shifted_add_send(traffic, send);
    for (size_t i = 0; i < traffic->flows.n; i++) {
        const uint32_t n = topology_class_hops(traffic->request.topology, &traffic->loads.machines,
                                               traffic->flows.items[i].offset, traffic->loads.hops);
        for (uint32_t k = 0; k < n; k++)
            if (traffic->loads.hops[k].class == at->class && traffic->loads.hops[k].begin <= at->position &&
                at->position < traffic->loads.hops[k].end)
                sum += (uint64_t)traffic->loads.hops[k].n * traffic->flows.items[i].n_messages;
    }
    return sum;
}

static void count_line(struct shifted_traffic *traffic, size_t i, const struct shifted_send *send, uint64_t n)
{
    traffic->lines = mem_grow(traffic->lines, &traffic->line_capacity, i + 1, sizeof *traffic->lines);
    traffic->lines[i] = (struct line_count){send->line, n};
}

/* The line of all sends, if they have one. */
static uint32_t only_line(const struct shifted_sends *sends, bool *is_one)
{
    *is_one = true;
    for (size_t i = 1; *is_one && i < sends->n; i++)
        *is_one = sends->items[i].line == sends->items[0].line;
    return *is_one && sends->n ? sends->items[0].line : 0;
}

/* The busiest link of the step that was remembered. */
void shifted_name_worst(struct shifted_traffic *traffic)
{
    struct worst *worst = &traffic->report->worst_link;
    bool is_one;
    if (!worst->value)
        return;
    int64_t *loads = worst_loads(traffic);
    const struct place_of_link at = lowest(traffic, loads, worst->value);
    free(loads);
    worst->subject = at.link;
    const struct shifted_sends *sends = &traffic->worst;
    worst->line = only_line(sends, &is_one);
    for (size_t i = 0; !is_one && i < sends->n; i++)
        count_line(traffic, i, &sends->items[i], messages_on(traffic, &sends->items[i], &at));
    if (!is_one)
        worst->line = worst_line(traffic->lines, sends->n);
}

/* A flow for each class in which some link has the most of all steps. */
static void gather_busiest(struct shifted_traffic *traffic, int64_t most)
{
    server_flows_clear(&traffic->flows);
    for (uint32_t i = 0; i < traffic->loads.n_classes; i++)
        if (traffic->loads.totals[traffic->loads.classes[i].totals] == most)
            server_flows_add(&traffic->flows, traffic->loads.classes[i].offset, 1, 0);
}

void shifted_report_total(struct shifted_traffic *traffic)
{
    int64_t most = 0;
    class_loads_add_up(&traffic->loads, traffic->loads.totals);
    for (size_t at = 0; at < traffic->loads.n_totals; at++)
        most = traffic->loads.totals[at] > most ? traffic->loads.totals[at] : most;
    if (!most)
        return;
    if (traffic->is_free)
        gather_busiest(traffic, most);
    worst_raise_total(traffic->report, lowest(traffic, traffic->loads.totals, most).link, (uint64_t)most);
}

/* All servers receive alike: as much from a line as one of them sends. */
static uint32_t line_of_ports(struct shifted_traffic *traffic)
{
    const struct shifted_sends *own = &traffic->own;
    for (size_t i = 0; i < own->n; i++) {
        uint64_t n = 0;
        server_flows_clear(&traffic->flows);
        shifted_add_send(traffic, &own->items[i]);
        for (size_t k = 0; k < traffic->flows.n; k++)
            n += traffic->flows.items[k].n_messages;
        count_line(traffic, i, &own->items[i], n);
    }
    return worst_line(traffic->lines, own->n);
}

/* Remembers the step if something is worse than before. */
void shifted_find_worst(struct shifted_traffic *traffic, uint64_t step, const struct step_record *record)
{
    struct verify_report *report = traffic->report;
    if (worst_raise(&report->worst_port, step, record->max_fan_in, 0))
        report->worst_port.line = line_of_ports(traffic);
    if (!worst_raise(&report->worst_link, step, record->max_link_load, 0))
        return;
    traffic->worst.n = 0;
    shifted_append_sends(&traffic->worst, &traffic->own);
}
