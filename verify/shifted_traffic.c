/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shifted_traffic.h.
 */
#include "verify/shifted_internal.h"

#include "ir/counts.h"
#include "ir/hol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- are servers shifted? ---- */

/* Ranks in a row on each server, as many on each. */
static bool is_in_rows(const struct placement *placement, uint32_t slots)
{
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        if (placement->server[rank] != rank / slots)
            return false;
    return true;
}

/* One coordinate over all ranks, which goes over servers; or each over servers or slots only. The group
 * must take each server to each other one: no period of more than the slots, and none of servers. */
static bool find_server_shifts(const struct symmetry *symmetry, uint32_t slots, struct server_shifts *servers)
{
    const struct shifts *ranks = &symmetry->shifts;
    struct shifts *shifts = &servers->shifts;
    *servers = (struct server_shifts){.slots = slots,
                                      .per_orbit = slots / symmetry->n_orbits,
                                      .is_split = ranks->n == 1 && slots > 1};
    shifts->n_ranks = ranks->n_ranks / slots;
    if (slots % symmetry->n_orbits || (ranks->is_mirrored && slots > 1))
        return false;
    shifts->is_mirrored = ranks->is_mirrored;
    if (servers->is_split) {
        shifts->n = shifts->stride[0] = 1;
        shifts->extent[0] = shifts->n_ranks;
        return true;
    }
    for (uint32_t i = 0; i < ranks->n; i++) {
        if (ranks->stride[i] % slots == 0) {
            shifts->extent[shifts->n] = ranks->extent[i];
            shifts->stride[shifts->n++] = ranks->stride[i] / slots;
            if (symmetry->period[i] > 1)
                return false;
        } else if (slots % ((uint64_t)ranks->stride[i] * ranks->extent[i])) {
            return false;
        }
    }
    return true;
}

/* Whether the shifts of servers are those of the topology's machines: by digits, the first the
 * fastest. */
static bool has_machine_shifts(struct shifted_traffic *traffic)
{
    const struct verify_request *request = &traffic->request;
    const struct topology *topology = request->topology;
    const struct shifts *shifts = &traffic->servers.shifts;
    uint32_t stride = 1, n = 0, *extent = traffic->machine_extent;
    while (n < shifts->n) {
        uint32_t i = 0;
        while (i < shifts->n && (shifts->stride[i] != stride || shifts->extent[i] == 1))
            i++;
        if (i == shifts->n)
            break;
        extent[n++] = shifts->extent[i];
        stride *= shifts->extent[i];
    }
    traffic->machines = (struct machine_shifts){n, extent, traffic->symmetry->shifts.is_xor,
                                                shifts->is_mirrored};
    if (!topology_has_shifts(topology, &traffic->machines, &traffic->is_free))
        return false;
    if (traffic->is_free)
        return true;
    bool is_same = shifts->n_ranks == topology->n_machines && stride == shifts->n_ranks;
    for (uint32_t server = 0; request->placement && is_same && server < shifts->n_ranks; server++)
        is_same = request->placement->server_machine[server] == server;
    return is_same;
}

static enum measured_by choose_way(struct shifted_traffic *traffic)
{
    const struct placement *placement = traffic->request.placement;
    const uint32_t slots = placement ? placement->slots : 1;
    if (!slots || (placement && !is_in_rows(placement, slots)) ||
        !find_server_shifts(traffic->symmetry, slots, &traffic->servers))
        return MEASURED_FLOWS;
    if (!traffic->request.topology)
        return MEASURED_NOTHING;
    return has_machine_shifts(traffic) ? MEASURED_CLASSES : MEASURED_FLOWS;
}

static void classes_init(struct shifted_traffic *traffic)
{
    const struct topology *topology = traffic->request.topology;
    size_t n_positions = 0;
    traffic->n_classes = topology_n_classes(topology);
    traffic->classes = mem_alloc(traffic->n_classes, sizeof *traffic->classes);
    traffic->touched = mem_alloc(traffic->n_classes, sizeof *traffic->touched);
    traffic->hops = mem_alloc(topology_max_class_hops(topology), sizeof *traffic->hops);
    for (uint32_t i = 0; i < traffic->n_classes; i++) {
        traffic->classes[i].totals = n_positions;
        n_positions += topology_n_positions(topology, &traffic->machines, i) + 1;
    }
    traffic->n_totals = n_positions;
    traffic->totals = mem_alloc(n_positions, sizeof *traffic->totals);
}

struct shifted_traffic *shifted_traffic_new(const struct symmetry *symmetry,
                                            const struct verify_request *request,
                                            struct verify_report *report)
{
    struct shifted_traffic *traffic = mem_alloc(1, sizeof *traffic);
    traffic->symmetry = symmetry;
    traffic->report = report;
    traffic->request = *request;
    /* None that is passed; but with one no flows of steps are remembered, as like steps are known here. */
    traffic->request.limits = (struct verify_limits){.max_steps = limit_of(HUGE_VAL)};
    traffic->measured_by = choose_way(traffic);
    traffic->hol = hol_new(1, 1);
    if (traffic->measured_by == MEASURED_CLASSES) {
        classes_init(traffic);
    } else if (traffic->measured_by == MEASURED_FLOWS) {
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
    free(traffic->flows);
    free(traffic->messages);
    free(traffic->classes);
    free(traffic->touched);
    free(traffic->totals);
    free(traffic->own.items);
    free(traffic->worst.items);
    free(traffic->lines);
    free(traffic->hops);
    free(traffic->pieces);
    free(traffic->last.items);
    free(traffic->edges);
    hol_free(traffic->hol);
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

/* Those of a step, neighbours alike as one: a schedule whose chunks go in messages of their own has many. */
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

void shifted_add_flow(struct shifted_traffic *traffic, uint32_t offset, uint32_t n_messages,
                      uint32_t n_chunks)
{
    if (!offset || !n_messages)
        return;
    traffic->flows = mem_grow(traffic->flows, &traffic->flow_capacity, traffic->n_flows + 1,
                              sizeof *traffic->flows);
    traffic->flows[traffic->n_flows++] =
        (struct offset_flow){offset, n_messages, (uint64_t)n_messages * n_chunks};
}

static int compare_offsets(const void *a, const void *b)
{
    const struct offset_flow *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Adds what the ranks of an orbit on a server send to two others, if their representative sends this:
 * where one coordinate goes over servers and slots, their slots are a period apart, and those of their
 * peers too. */
void shifted_add_send(struct shifted_traffic *traffic, const struct shifted_send *send)
{
    const uint32_t slots = traffic->servers.slots, n_servers = traffic->servers.shifts.n_ranks;
    const uint32_t server = send->peer / slots, slot = send->peer % slots;
    const uint32_t period = traffic->symmetry->n_orbits, n = traffic->servers.per_orbit;
    const uint32_t n_here = traffic->servers.is_split ? (slots - slot + period - 1) / period : n;
    shifted_add_flow(traffic, server, n_here * send->times, send->n_chunks);
    shifted_add_flow(traffic, server + 1 < n_servers ? server + 1 : 0, (n - n_here) * send->times,
                     send->n_chunks);
}

/* What the ranks of a server send to others: one flow for each. */
void shifted_gather_flows(struct shifted_traffic *traffic, const struct shifted_sends *own)
{
    traffic->n_flows = 0;
    for (size_t i = 0; i < own->n; i++)
        shifted_add_send(traffic, &own->items[i]);
    if (traffic->n_flows < 2)
        return;
    size_t n = 0;
    qsort(traffic->flows, traffic->n_flows, sizeof *traffic->flows, compare_offsets);
    for (size_t i = 0; i < traffic->n_flows; i++)
        if (n && traffic->flows[n - 1].offset == traffic->flows[i].offset) {
            traffic->flows[n - 1].n_messages += traffic->flows[i].n_messages;
            traffic->flows[n - 1].n_chunks += traffic->flows[i].n_chunks;
        } else {
            traffic->flows[n++] = traffic->flows[i];
        }
    traffic->n_flows = n;
}

void shifted_add_units(struct shifted_traffic *traffic, uint64_t chunks)
{
    if (traffic->request.least.kind)
        traffic->report->sum_step_units = units_sum(traffic->report->sum_step_units, chunks);
}

static void add_piece(struct shifted_traffic *traffic, const struct offset_flow *flow,
                      const struct class_hops *hops)
{
    struct class_load *class = &traffic->classes[hops->class];
    const size_t totals = class->totals;
    const uint64_t load = (uint64_t)hops->n * flow->n_messages;
    traffic->pieces = mem_grow(traffic->pieces, &traffic->piece_capacity, traffic->n_pieces + 1,
                               sizeof *traffic->pieces);
    traffic->pieces[traffic->n_pieces++] = (struct piece){
        hops->begin, hops->end, 0, hops->start, hops->n > 1, totals, load, hops->n * flow->n_chunks};
    if (class->first) {
        traffic->pieces[class->last - 1].next = (uint32_t)traffic->n_pieces;
    } else {
        class->first = (uint32_t)traffic->n_pieces;
        traffic->touched[traffic->n_touched++] = hops->class;
    }
    class->last = (uint32_t)traffic->n_pieces;
    class->offset = flow->offset;
    traffic->totals[totals + hops->begin] += (int64_t)load;
    traffic->totals[totals + hops->end] -= (int64_t)load;
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

/* The edges of the pieces of a class in the order of positions. */
static size_t sort_edges(struct shifted_traffic *traffic, uint32_t first)
{
    size_t n = 0;
    bool is_sorted = true;
    traffic->edges = mem_grow(traffic->edges, &traffic->edge_capacity, 2 * traffic->n_pieces,
                              sizeof *traffic->edges);
    for (uint32_t i = first; i; i = traffic->pieces[i - 1].next) {
        const struct piece *piece = &traffic->pieces[i - 1];
        is_sorted = is_sorted && (!n || piece->begin >= traffic->edges[n - 1].position);
        traffic->edges[n++] = (struct edge){piece->begin, false, piece};
        traffic->edges[n++] = (struct edge){piece->end, true, piece};
    }
    if (!is_sorted)
        qsort(traffic->edges, n, sizeof *traffic->edges, compare_edges);
    return n;
}

/* Whether messages of different servers meet where a position is in several pieces. */
static bool has_two_sources(const struct shifted_traffic *traffic, uint32_t first, uint32_t position)
{
    const struct piece *other = NULL;
    for (uint32_t i = first; i; i = traffic->pieces[i - 1].next) {
        const struct piece *piece = &traffic->pieces[i - 1];
        if (piece->begin > position || piece->end <= position)
            continue;
        if (other && other->start != piece->start)
            return true;
        other = piece;
    }
    return false;
}

/* A link has messages of two servers if one flow puts several there, or two flows have different
 * sources. O(pieces * log), and pieces^2 until two sources meet. */
static void load_classes(struct shifted_traffic *traffic, struct step_record *record)
{
    uint64_t most_chunks = 0;
    traffic->n_touched = 0;
    traffic->n_pieces = 0;
    for (size_t i = 0; i < traffic->n_flows; i++) {
        const struct offset_flow *flow = &traffic->flows[i];
        const uint32_t n = topology_class_hops(traffic->request.topology, &traffic->machines,
                                               flow->offset, traffic->hops);
        for (uint32_t k = 0; k < n; k++)
            add_piece(traffic, flow, &traffic->hops[k]);
    }
    traffic->n_routed += traffic->n_pieces;
    for (uint32_t i = 0; i < traffic->n_touched; i++) {
        struct class_load *class = &traffic->classes[traffic->touched[i]];
        const size_t n = sort_edges(traffic, class->first);
        uint64_t load = 0, chunks = 0, n_pieces = 0;
        for (size_t k = 0; k < n; k++) {
            const struct edge *edge = &traffic->edges[k];
            const bool is_last = k + 1 == n || traffic->edges[k + 1].position != edge->position;
            load += edge->is_end ? -edge->piece->load : edge->piece->load;
            chunks += edge->is_end ? -edge->piece->chunks : edge->piece->chunks;
            n_pieces += edge->is_end ? -UINT64_C(1) : 1;
            record->is_contended =
                record->is_contended || edge->piece->is_shared ||
                (is_last && n_pieces > 1 && has_two_sources(traffic, class->first, edge->position));
            if (is_last && load > record->max_link_load)
                record->max_link_load = (uint32_t)load;
            traffic->is_above = traffic->is_above || (is_last && load > UINT32_MAX);
            most_chunks = is_last && chunks > most_chunks ? chunks : most_chunks;
        }
        class->first = 0;
    }
    traffic->last_units = most_chunks;
}

/* The loads of the steps that were like the last one measured, added to those of all steps. */
static void add_repeated(struct shifted_traffic *traffic)
{
    for (size_t i = 0; traffic->n_more && i < traffic->n_pieces; i++) {
        const struct piece *piece = &traffic->pieces[i];
        const uint64_t load = piece->load * traffic->n_more;
        traffic->totals[piece->totals + piece->begin] += (int64_t)load;
        traffic->totals[piece->totals + piece->end] -= (int64_t)load;
    }
    traffic->n_more = 0;
}

static void measure_unlike(struct shifted_traffic *traffic, uint64_t step, struct step_record *record)
{
    const struct topology *topology = traffic->request.topology;
    shifted_gather_flows(traffic, &traffic->own);
    record->max_fan_in = record->max_fan_out = (uint32_t)traffic->n_flows;
    traffic->messages = mem_grow(traffic->messages, &traffic->message_capacity, traffic->n_flows + 1,
                                 sizeof *traffic->messages);
    uint64_t n_sent = 0;
    for (size_t i = 0; i < traffic->n_flows; i++) {
        traffic->messages[i] = traffic->flows[i].n_messages;
        n_sent += traffic->flows[i].n_messages;
    }
    record->max_sends = (uint32_t)n_sent;
    traffic->is_above = traffic->is_above || n_sent > UINT32_MAX;
    if (traffic->classes)
        load_classes(traffic, record);
    if (traffic->n_flows > 1 && (!topology || topology->has_machine_ports))
        record->hol_slowdown =
            hol_slowdown_alike(traffic->hol, traffic->messages, (uint32_t)traffic->n_flows);
    shifted_find_worst(traffic, step, record);
}

/* A step in which representatives send to the same ranks as in the one before is not measured again. */
static void measure_server(struct shifted_traffic *traffic, uint64_t step, struct step_record *record)
{
    if (traffic->last.items && shifted_is_same(traffic->last.items, traffic->last.n, &traffic->own)) {
        traffic->n_more++;
        *record = traffic->last_record;
    } else {
        add_repeated(traffic);
        measure_unlike(traffic, step, record);
        traffic->last_record = *record;
        traffic->last.n = 0;
        shifted_append_sends(&traffic->last, &traffic->own);
    }
    if (traffic->classes)
        shifted_add_units(traffic, traffic->last_units);
}

/* ---- steps ---- */

bool shifted_traffic_step(struct shifted_traffic *traffic, const struct step *own)
{
    struct verify_report *report = traffic->report;
    struct step_record record = {.hol_slowdown = 1};
    record.n_messages =
        (uint64_t)own->n_sends * (traffic->symmetry->shifts.n_ranks / traffic->symmetry->n_orbits);
    const uint64_t n_messages = record.n_messages;
    gather_sends(traffic, own);
    if (traffic->measured_by == MEASURED_FLOWS)
        shifted_measure_flows(traffic, own->index, &record);
    else
        measure_server(traffic, own->index, &record);
    record.n_messages = n_messages;
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
    const struct shifts *servers = &traffic->servers.shifts;
    if (traffic->request.topology)
        shifted_repeat_flows(traffic);
    if (traffic->classes)
        shifted_name_worst(traffic);
    report->has_network = traffic->request.topology;
    report->drift_link_load = report->max_link_load;
    report->drift_fan_in = report->max_fan_in;
    if (traffic->traffic)
        traffic_report_total(traffic->traffic, report);
    if (traffic->classes) {
        add_repeated(traffic);
        shifted_report_total(traffic);
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
