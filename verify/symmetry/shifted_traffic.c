/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shifted_traffic.h.
 */
#include "verify/symmetry/shifted_internal.h"

#include "ir/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how to measure ---- */

static enum measured_by choose_way(struct shifted_traffic *traffic)
{
    const struct verify_request *request = &traffic->request;
    struct alike_meter *meter = &traffic->meter;
    if (!server_shifts_find(traffic->symmetry, request->placement, &meter->shifts.servers) ||
        !alike_meter_init(meter, request->topology, request->placement, &traffic->symmetry->schedule->header,
                          false, METER_MESSAGES))
        return MEASURED_FLOWS;
    return request->topology ? MEASURED_CLASSES : MEASURED_NOTHING;
}

struct shifted_traffic *shifted_traffic_new(const struct symmetry *symmetry,
                                            const struct verify_request *request,
                                            struct verify_report *report)
{
    struct shifted_traffic *traffic = mem_alloc(1, sizeof *traffic);
    traffic->symmetry = symmetry;
    traffic->report = report;
    report->n_stripes = placement_stripes(request->placement);
    traffic->request = *request;
    /* None that is passed; but with one no flows of steps are remembered, as like steps are known here. */
    traffic->request.limits = (struct verify_limits){.max_steps = limit_of(HUGE_VAL)};
    traffic->measured_by = choose_way(traffic);
    if (traffic->measured_by == MEASURED_FLOWS) {
        traffic->deaf = (struct verifier){.schedule = symmetry->schedule,
                                          .request = &traffic->request,
                                          .report = &traffic->unread,
                                          .n_ranks = symmetry->shifts.n_ranks};
        traffic->traffic = traffic_new(&traffic->deaf);
    }
    return traffic;
}

void shifted_traffic_free(struct shifted_traffic *traffic)
{
    alike_meter_free(&traffic->meter);
    free(traffic->own.items);
    free(traffic->worst.items);
    free(traffic->lines);
    if (traffic->traffic)
        traffic_free(traffic->traffic);
    if (traffic->each)
        traffic_free(traffic->each);
    verify_report_free(&traffic->of_each);
    free(traffic->sends);
    free(traffic->times);
    free(traffic->unlike);
    free(traffic->table);
    free(traffic->kept.items);
    free(traffic);
}

/* ---- sends ---- */

static struct shifted_send *room_for(struct shifted_sends *sends, size_t n)
{
    sends->items = mem_grow(sends->items, &sends->capacity, sends->n + n + 1, sizeof *sends->items);
    return sends->items + sends->n;
}

void shifted_append_sends(struct shifted_sends *to, const struct shifted_sends *sends)
{
    struct shifted_send *room = room_for(to, sends->n);
    if (sends->n)
        memcpy(room, sends->items, sends->n * sizeof *room);
    to->n += sends->n;
}

/* Gathers the sends of a step, equal neighbours as one: a schedule that sends each chunk in its own message
 * has many. */
static void gather_sends(struct shifted_traffic *traffic, const struct step *own)
{
    struct shifted_sends *sends = &traffic->own;
    sends->n = 0;
    for (size_t i = 0; i < own->n_sends; i++) {
        const struct op *op = &own->sends[i];
        struct shifted_send *last = sends->n ? &sends->items[sends->n - 1] : NULL;
        if (last && last->rank == op->rank && last->peer == op->peer && last->n_chunks == op->n_chunks &&
            last->line == op->line) {
            last->times++;
        } else {
            *room_for(sends, 1) = (struct shifted_send){op->rank, op->peer, op->n_chunks, op->line, 1};
            sends->n++;
        }
    }
}

bool shifted_is_same(const struct shifted_send *kept, size_t n, const struct shifted_sends *own)
{
    bool is_same = n == own->n;
    for (size_t i = 0; is_same && i < n; i++)
        is_same = kept[i].rank == own->items[i].rank && kept[i].peer == own->items[i].peer &&
                  kept[i].n_chunks == own->items[i].n_chunks && kept[i].times == own->items[i].times;
    return is_same;
}

/* ---- by classes ---- */

void shifted_add_units(struct shifted_traffic *traffic, uint64_t chunks)
{
    if (traffic->request.least.kind)
        traffic->report->sum_step_units = units_sum(traffic->report->sum_step_units, chunks);
}

void shifted_gather_flows(struct shifted_traffic *traffic, const struct shifted_send *sends, size_t n)
{
    server_flows_clear(&traffic->meter.flows);
    for (size_t i = 0; i < n; i++)
        alike_meter_add(&traffic->meter, sends[i].rank, sends[i].peer, sends[i].times, sends[i].n_chunks);
}

/* One server is measured for all. */
static void measure_server(struct shifted_traffic *traffic, uint64_t step, struct step_record *record)
{
    struct alike_meter *meter = &traffic->meter;
    shifted_gather_flows(traffic, traffic->own.items, traffic->own.n);
    traffic->is_above |= !alike_meter_measure(meter, METER_MESSAGES | METER_HOL);
    if (meter->n_times == 1)
        traffic->n_routed += meter->links.n_pieces;
    *record = step_record_of(&meter->figures, record->n_messages);
    shifted_find_worst(traffic, step, record);
    if (traffic->measured_by == MEASURED_CLASSES)
        shifted_add_units(traffic, meter->figures.units);
}

/* ---- steps ---- */

bool shifted_traffic_step(struct shifted_traffic *traffic, const struct step *own)
{
    struct verify_report *report = traffic->report;
    struct step_record record = {.hol_slowdown = 1};
    record.n_messages =
        (uint64_t)own->n_sends * (traffic->symmetry->shifts.n_ranks / traffic->symmetry->n_orbits);
    gather_sends(traffic, own);
    if (traffic->measured_by == MEASURED_FLOWS)
        shifted_measure_flows(traffic, own->index, &record);
    else
        measure_server(traffic, own->index, &record);
    report->n_messages += record.n_messages;
    verify_add_step(report, own, &record);
    if (traffic->request.keep_per_step)
        verify_keep_record(report, &traffic->records_capacity, own->index, &record);
    return traffic->unread.n_unrouted == 0 && !traffic->is_above &&
           !shifted_is_over_budget(traffic, traffic->n_foreseen, 2 * traffic->request.budget);
}

void shifted_traffic_end(struct shifted_traffic *traffic, struct symmetric_argument *argument)
{
    struct verify_report *report = traffic->report;
    const struct placement *placement = traffic->request.placement;
    const struct shifts *servers = &traffic->meter.shifts.servers.shifts;
    report->has_network = traffic->request.topology;
    report->drift_link_load = report->max_link_load;
    report->drift_fan_in = report->max_fan_in;
    if (traffic->measured_by == MEASURED_FLOWS && report->has_network) {
        shifted_repeat_flows(traffic);
        traffic_report_total(traffic->traffic, report);
    } else if (traffic->measured_by == MEASURED_CLASSES) {
        alike_meter_end(&traffic->meter);
        shifted_report_total(traffic);
        shifted_name_worst(traffic);
    }
    if (report->has_network)
        verify_compare_least(report, &traffic->request.least);
    argument->measured_by = traffic->measured_by;
    argument->n_unlike = traffic->n_measured;
    argument->n_server_shifts = traffic->measured_by == MEASURED_FLOWS ? 0 : servers->n;
    for (uint32_t i = 0; i < argument->n_server_shifts; i++)
        argument->server_extent[i] = servers->extent[i];
    const bool is_known = traffic->measured_by != MEASURED_FLOWS ||
                          (traffic->symmetry->n_orbits == 1 && (!placement || placement->slots == 1));
    report->max_received = is_known ? report->max_sends : UINT32_MAX; /* as many as it sends */
}
