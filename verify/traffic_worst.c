/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which link and which port have most in a step, and who sends to there from which line.
 * See traffic_internal.h.
 */
#include "verify/traffic_internal.h"

/* ---- where ---- */

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
    while (traffic->meter.ports[port].fan_in != fan_in)
        port++;
    return port;
}

void traffic_find_worst(struct traffic *traffic, uint64_t step, const struct step_figures *figures)
{
    struct verify_report *report = traffic->verifier->report;
    if (figures->max_link_load > report->worst_link.value)
        traffic->is_new_link = worst_raise(&report->worst_link, step, figures->max_link_load,
                                           busiest_link(&traffic->meter.messages, figures->max_link_load));
    if (figures->max_fan_in > report->worst_port.value)
        traffic->is_new_port = worst_raise(&report->worst_port, step, figures->max_fan_in,
                                           busiest_port(traffic, figures->max_fan_in));
}

/* ---- who ---- */

/* Finds the route of a message, or of one of its stripes. False: it is within a server, or has no route; it
 * uses no link and no port. */
static bool route_send(struct traffic *traffic, const struct op *send, uint32_t stripe,
                       struct route_of *route)
{
    struct meter *meter = &traffic->meter;
    const struct topology *topology = meter->topology;
    const struct placement *placement = meter->placement;
    struct flow flow = {.source = placement ? placement->server[send->rank] : send->rank,
                        .destination = placement ? placement->server[send->peer] : send->peer};
    if (flow.source == flow.destination)
        return false;
    if (meter->has_networks)
        flow.network =
            flow_stripe_network(&meter->networks, send->rank, send->peer,
                                flow_network(&meter->networks, send, meter_machine(meter, flow.source),
                                             meter_machine(meter, flow.destination)),
                                stripe);
    uint32_t n_hops = topology ? meter_route(meter, &flow) : 0;
    if (topology && !n_hops)
        return false;
    n_hops = topology ? link_loads_drop_fat_pipes(topology, meter->hops, n_hops) : 0;
    *route = (struct route_of){flow.source, flow.destination, meter_port_out(meter, &flow),
                               meter_port_in(meter, &flow), meter->hops, n_hops};
    return true;
}

void traffic_name_sends(struct traffic *traffic, const struct step *moving)
{
    struct route_of route;
    for (size_t i = 0; i < moving->n_sends; i++)
        for (uint32_t stripe = 0; stripe < traffic->meter.n_stripes; stripe++)
            if (route_send(traffic, &moving->sends[i], stripe, &route))
                excess_send(traffic->excess, &moving->sends[i], &route);
}

static bool traffic_worst_is_on(const struct route_of *route, uint32_t link)
{
    uint32_t hop = 0;
    while (hop < route->n_hops && route->hops[hop].link != link)
        hop++;
    return hop < route->n_hops;
}

/* True if a message, or a stripe of it, crosses the link; or goes to the port, where `is_port`. */
static bool traffic_worst_concerns(struct traffic *traffic, const struct op *send, bool is_port,
                                   uint32_t subject)
{
    const struct placement *placement = traffic->meter.placement;
    const uint32_t server = placement ? placement->server[send->peer] : send->peer;
    struct route_of route;
    if (is_port && subject / traffic->meter.n_ports != server)
        return false;
    for (uint32_t stripe = 0; stripe < traffic->meter.n_stripes; stripe++)
        if (route_send(traffic, send, stripe, &route) &&
            (is_port ? route.destination_port == subject : traffic_worst_is_on(&route, subject)))
            return true;
    return false;
}

/* Returns the line that sends most over a link; or to a port, where `is_port`. O(messages * hops) */
static uint32_t line_of_subject(struct traffic *traffic, const struct step *moving, const uint32_t *times,
                                bool is_port, uint32_t subject)
{
    size_t n = 0;
    for (size_t i = 0; i < moving->n_sends; i++) {
        if (!traffic_worst_concerns(traffic, &moving->sends[i], is_port, subject))
            continue;
        traffic->lines = mem_grow(traffic->lines, &traffic->line_capacity, n + 1, sizeof *traffic->lines);
        traffic->lines[n++] = (struct line_count){moving->sends[i].line, times ? times[i] : 1};
    }
    return worst_line(traffic->lines, n);
}

/* Most steps have one line. */
void traffic_name_worst(struct traffic *traffic, const struct step *moving, const uint32_t *times)
{
    struct verify_report *report = traffic->verifier->report;
    bool is_one;
    if (!traffic->is_new_link && !traffic->is_new_port)
        return;
    const uint32_t line = worst_only_line(moving->sends, moving->n_sends, &is_one);
    if (traffic->is_new_link)
        report->worst_link.line =
            is_one ? line : line_of_subject(traffic, moving, times, false, report->worst_link.subject);
    if (traffic->is_new_port)
        report->worst_port.line =
            is_one ? line : line_of_subject(traffic, moving, times, true, report->worst_port.subject);
    traffic->is_new_link = traffic->is_new_port = false;
}
