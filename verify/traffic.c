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

/* A message that misses several stripes, which come one after the other, is counted once. */
static void traffic_miss(void *context, const struct flow *flow)
{
    struct traffic *traffic = context;
    if (!meter_is_joined(&traffic->meter, flow)) /* finding L003 says it already */
        return;
    if (traffic->meter.n_stripes == 1 || traffic->missed_step != traffic->step ||
        traffic->missed.source != flow->source || traffic->missed.destination != flow->destination)
        traffic->verifier->report->n_unrouted += flow_messages(flow);
    traffic->missed = *flow;
    traffic->missed_step = traffic->step;
    offer_unrouted(traffic->verifier, &(struct fact_unrouted){flow, traffic->step});
}

/* excess NULL: a new one, for the first time. */
static struct traffic *make_traffic(struct verifier *verifier, struct excess *excess)
{
    const struct verify_request *request = verifier->request;
    struct traffic *traffic = mem_alloc(1, sizeof *traffic);
    traffic->verifier = verifier;
    traffic->drift = request->drift ? request->drift : 1;
    traffic->missed_step = UINT64_MAX;
    verifier->report->n_stripes = placement_stripes(request->placement);
    const bool has_units = (verifier->schedule->header.counts || request->keep_link_units) && !excess;
    meter_init(&traffic->meter, request->topology, request->placement, &verifier->schedule->header,
               METER_MESSAGES | (has_units ? METER_TIMES : 0));
    traffic->meter.miss = traffic_miss;
    traffic->meter.context = traffic;
    traffic->meter.seen.is_off |= excess || traffic->drift > 1 || verify_has_limits(&request->limits);
    if (request->topology && topology_n_networks(request->topology) > 1)
        verifier->report->n_networks = topology_n_networks(request->topology);
    traffic->is_again = excess;
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
    meter_free(&traffic->meter);
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
        uint32_t network = flow_network(&traffic->meter.networks, send, source, destination);
        if (!topology_is_joined(topology, network, source, destination)) {
            verifier->report->n_unrouted++;
            offer_unjoined(verifier, &(struct fact_unjoined){send, network, step->index});
            continue;
        }
        verifier->report->network_load[network].messages++;
        verifier->report->network_load[network].chunks +=
            schedule_carried_units(&traffic->verifier->schedule->header, send);
    }
}

/* ---- steps ---- */

static inline void traffic_raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

/* Returns the figures that are asked for besides those of hosts. */
static unsigned asked_of(const struct traffic *traffic, bool is_window)
{
    if (is_window || traffic->is_again)
        return METER_MESSAGES;
    const bool has_units = traffic->verifier->request->least.kind || traffic->meter.units.total;
    return METER_MESSAGES | METER_HOL | (has_units ? METER_UNITS : 0);
}

/* Measures steps first .. last together; a window if each was measured by itself. Nothing is worse in a step
 * with the flows of an earlier one. */
static void traffic_measure(struct traffic *traffic, uint64_t first, uint64_t last, struct flows *flows,
                            bool is_window, struct step_figures *figures)
{
    struct meter *meter = &traffic->meter;
    traffic->step = last;
    if (meter_measure(meter, flows, asked_of(traffic, is_window), figures)) {
        excess_measure(traffic->excess, &(struct loads){.first = first,
                                                        .last = last,
                                                        .is_window = is_window,
                                                        .is_widest = is_window || traffic->drift == 1,
                                                        .figures = figures,
                                                        .meter = meter});
        if (!is_window && !traffic->is_again)
            traffic_find_worst(traffic, last, figures);
        meter_clear_hosts(meter, flows);
    }
    meter_take_off(meter, !is_window);
}

/* The recent steps together; `step` is the last of them. */
static void measure_window(struct traffic *traffic, uint64_t step)
{
    struct verify_report *report = traffic->verifier->report;
    struct step_figures figures;
    size_t n = 0;
    for (size_t i = 0; i < traffic->n_recent; i++)
        n += traffic->recent[i].n;
    flows_clear(&traffic->window, n + 1);
    for (size_t i = 0; i < traffic->n_recent; i++)
        for (size_t k = 0; k < traffic->recent[i].n; k++)
            flows_add(&traffic->window, &traffic->recent[i].flows[k]);
    traffic_measure(traffic, step + 1 - traffic->n_recent, step, &traffic->window, true, &figures);
    traffic_raise(&report->drift_link_load, figures.max_link_load);
    traffic_raise(&report->drift_fan_in, figures.max_fan_in);
}

/* Returns the header if bytes are to be counted: with counts, on a network. Else NULL. */
static const struct schedule_header *header_of_units(const struct traffic *traffic)
{
    return traffic->meter.units.total ? &traffic->verifier->schedule->header : NULL;
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

/* Returns the number of messages that are sent: with counts, data of no bytes are not. Of a step that moves
 * its own messages, drop_unsent has counted them. */
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
    while (header->counts && n < moving->n_sends && schedule_is_sent(header, &moving->sends[n]))
        n++;
    if (!header->counts || n == moving->n_sends)
        return;
    n = 0;
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
    flows_gather(flows, step, times, traffic->meter.placement, meter_networks(&traffic->meter));
    meter_add_totals(&traffic->meter, flows->flows, flows->n, n_steps);
}

void traffic_multiply(struct traffic *traffic, uint64_t times)
{
    meter_multiply(&traffic->meter, times);
}

void traffic_step(struct traffic *traffic, const struct step *step, const uint32_t *times, bool is_closed,
                  struct step_record *record)
{
    struct verify_report *report = traffic->verifier->report;
    struct flows *flows = recent_flows(traffic, step->index);
    const struct step moving = moving_in(traffic, step, is_closed);
    struct step_figures figures;
    report->n_messages +=
        traffic->moves ? count_sent(&traffic->verifier->schedule->header, step) : moving.n_sends;
    flows_gather(flows, &moving, times, traffic->meter.placement, meter_networks(&traffic->meter));
    if (traffic->verifier->request->watch && !traffic->is_again)
        traffic->verifier->request->watch(traffic->verifier->request->watch_context, step->index, flows);
    if (report->n_networks > 1)
        measure_networks(traffic, &moving);
    if (traffic->is_again && excess_wants_sends(traffic->excess, step->index))
        traffic_name_sends(traffic, &moving);
    traffic_measure(traffic, step->index, step->index, flows, false, &figures);
    *record = step_record_of(&figures, moving.n_sends);
    report->sum_step_units = units_sum(report->sum_step_units, figures.units);
    traffic_raise(&report->max_received, figures.max_received);
    traffic_raise(&report->drift_link_load, record->max_link_load);
    traffic_raise(&report->drift_fan_in, record->max_fan_in);
    traffic_name_worst(traffic, &moving, times);
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
    if (excess_end(traffic->excess, traffic->meter.messages.total))
        measure_again(traffic);
    excess_report(traffic->excess);
}

void traffic_report_total(struct traffic *traffic, struct verify_report *report)
{
    const struct topology *topology = traffic->verifier->request->topology;
    meter_add_seen(&traffic->meter);
    for (uint32_t link = 0; topology && link < topology->n_link_ids; link++)
        worst_raise_total(report, link, traffic->meter.messages.total[link]);
    const bool has_bytes = traffic->verifier->schedule->header.counts && traffic->meter.units.total;
    for (uint32_t link = 0; has_bytes && link < topology->n_link_ids; link++)
        worst_raise_bytes(report, topology, link, traffic->meter.units.total[link]);
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
    if (traffic->meter.messages.load)
        sum_links(traffic);
    judge_limits(traffic);
    if (traffic->meter.messages.load && traffic->verifier->request->keep_link_load) {
        traffic->verifier->report->link_load = traffic->meter.messages.total;
        traffic->meter.messages.total = NULL;
        traffic->verifier->report->link_units = traffic->meter.units.total;
        traffic->meter.units.total = NULL;
    }
}
