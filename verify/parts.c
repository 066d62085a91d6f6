/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of a part are its report as it is in memory, and behind it the arrays: ranges of steps with
 * head-of-line blocking, or with the most on a link or a port, their number and the records of its steps if
 * they are kept, and messages on each link. All processes run the same executable. See parts.h.
 */
#include "verify/parts.h"

#include "ir/counts.h"
#include "verify/internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

uint32_t verify_n_parts(const struct verify_request *request, uint32_t n)
{
    return request->drift > 1 && n > 2 ? 2 : n;
}

/* ---- which steps are whose ---- */

static bool is_of(uint64_t step, uint32_t part, uint32_t n)
{
    return part && step % (n - 1) == part - 1;
}

/* A part has come to a step. */
static void move_front(struct verify_claims *claims, uint64_t step)
{
    uint64_t front = atomic_load_explicit(&claims->front, memory_order_relaxed);
    while (front <= step && !atomic_compare_exchange_weak(&claims->front, &front, step + 1))
        continue;
}

/* Whether the part is to measure the step, of which it asks once. */
static bool claim(struct verify_claims *claims, uint64_t step, uint32_t part, uint32_t n)
{
    const uint64_t bit = UINT64_C(1) << step % CLAIM_BITS;
    if (!claims || step >= CLAIMED_STEPS)
        return is_of(step, part, n);
    if (part)
        move_front(claims, step);
    else if (step < atomic_load_explicit(&claims->front, memory_order_relaxed))
        return false;
    return !(atomic_fetch_or(&claims->taken[step / CLAIM_BITS], bit) & bit);
}

/* ---- a part ---- */

/* What is kept of a step. */
struct kept {
    uint64_t step;
    struct step_record record;
};

struct part {
    uint32_t number, n;
    struct verify_claims *claims;
    uint64_t n_asked; /* steps before this one were asked for */
    bool is_own;      /* the last of them */
    struct verify_request request;
    struct verify_report report;
    struct verifier verifier;
    struct traffic *traffic;
    struct kept *kept;
    size_t n_kept, capacity;
};

static bool part_takes(void *context, uint64_t step)
{
    struct part *part = context;
    if (step >= part->n_asked) {
        part->is_own = claim(part->claims, step, part->number, part->n);
        part->n_asked = step + 1;
    }
    return part->is_own;
}

struct part *part_new(struct schedule *schedule, const struct verify_request *request,
                      struct verify_claims *claims, uint32_t number, uint32_t n)
{
    struct part *part = mem_alloc(1, sizeof *part);
    *part = (struct part){.number = number, .n = n, .claims = claims, .request = *request,
                          .report = {.max_hol_slowdown = 1}};
    part->request.limits = (struct verify_limits){.max_link_load = {false, 0}}; /* compared at the end */
    part->request.keep_link_load = true;
    part->verifier = (struct verifier){.schedule = schedule, .request = &part->request,
                                       .report = &part->report, .n_ranks = schedule->header.n_ranks};
    part->traffic = traffic_new(&part->verifier);
    return part;
}

void part_free(struct part *part)
{
    if (!part)
        return;
    traffic_free(part->traffic);
    verify_report_free(&part->report);
    free(part->kept);
    free(part);
}

bool part_step(struct part *part, const struct step *step)
{
    struct step_record record;
    if (!part_takes(part, step->index))
        return true;
    traffic_step(part->traffic, step, NULL, true, &record);
    verify_add_step(&part->report, step, &record);
    if (part->request.keep_per_step) {
        part->kept = mem_grow(part->kept, &part->capacity, part->n_kept + 1, sizeof *part->kept);
        part->kept[part->n_kept++] = (struct kept){step->index, record};
    }
    return !part->report.n_unrouted;
}

static void append(struct text *out, const void *data, size_t n, size_t size)
{
    if (n)
        text_append(out, data, n * size);
}

static void append_ranges(const struct step_ranges *ranges, struct text *out)
{
    append(out, ranges->items, ranges->n, sizeof *ranges->items);
}

/* After the last step. */
static void append_part(struct part *part, struct text *out)
{
    const struct verify_report *report = &part->report;
    traffic_end(part->traffic);
    append(out, report, 1, sizeof *report);
    append_ranges(&report->hol_ranges, out);
    append_ranges(&report->worst_link.steps, out);
    append_ranges(&report->worst_port.steps, out);
    append(out, &part->n_kept, 1, sizeof part->n_kept);
    append(out, part->kept, part->n_kept, sizeof *part->kept);
    if (part->request.topology)
        append(out, report->link_load, part->request.topology->n_link_ids, sizeof *report->link_load);
}

void verify_measure_part(struct schedule *schedule, const struct verify_request *request,
                         struct verify_claims *claims, uint32_t number, uint32_t n, struct text *out)
{
    struct part *part = part_new(schedule, request, claims, number, n);
    struct verify_report *report = &part->report;
    struct step step;
    struct budget budget = budget_begin(request);
    bool is_whole = true;
    schedule->sends_only = true;
    schedule->is_wanted = part_takes;
    schedule->wanting = part;
    schedule->rewind(schedule);
    while (!report->is_over_budget && is_whole && schedule->next(schedule, &step)) {
        report->is_over_budget = budget_is_over(&budget, 1 + step.n_sends);
        is_whole = part_step(part, &step);
    }
    schedule->sends_only = false;
    schedule->is_wanted = NULL;
    if (!schedule->failed && is_whole)
        append_part(part, out);
    part_free(part);
}

/* ---- all parts ---- */

/* Bytes that are still to be taken. */
struct bytes {
    const char *at;
    size_t left;
};

static bool take(struct bytes *bytes, void *to, size_t n, size_t size)
{
    if (bytes->left / size < n)
        return false;
    if (n)
        memcpy(to, bytes->at, n * size);
    bytes->at += n * size;
    bytes->left -= n * size;
    return true;
}

static void raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

static void add_figures(struct verify_report *report, const struct verify_report *part)
{
    report->n_messages += part->n_messages;
    report->is_over_budget |= part->is_over_budget;
    report->sum_step_load += part->sum_step_load;
    report->sum_step_units = units_sum(report->sum_step_units, part->sum_step_units);
    report->contended_steps += part->contended_steps;
    report->hol_steps += part->hol_steps;
    report->n_networks = part->n_networks;
    raise(&report->max_link_load, part->max_link_load);
    raise(&report->drift_link_load, part->drift_link_load);
    raise(&report->drift_fan_in, part->drift_fan_in);
    raise(&report->max_fan_in, part->max_fan_in);
    raise(&report->max_fan_out, part->max_fan_out);
    raise(&report->max_sends, part->max_sends);
    raise(&report->max_received, part->max_received);
    if (part->max_hol_slowdown > report->max_hol_slowdown)
        report->max_hol_slowdown = part->max_hol_slowdown;
    for (uint32_t i = 0; i < part->n_networks; i++) {
        report->network_load[i].messages += part->network_load[i].messages;
        report->network_load[i].chunks += part->network_load[i].chunks;
    }
}

static bool take_ranges(struct step_ranges *ranges, size_t n, struct bytes *bytes)
{
    if (bytes->left / sizeof *ranges->items < n)
        return false;
    ranges->items = mem_grow(ranges->items, &ranges->capacity, ranges->n + n + 1, sizeof *ranges->items);
    (void)take(bytes, ranges->items + ranges->n, n, sizeof *ranges->items);
    ranges->n += n;
    return true;
}

/* The worst of two, and where equally bad the steps of both. */
static bool take_worst(struct worst *worst, const struct worst *part, struct bytes *bytes)
{
    const size_t n_before = worst->steps.n;
    if (!take_ranges(&worst->steps, part->steps.n, bytes))
        return false;
    if (part->value < worst->value) {
        worst->steps.n = n_before;
        return true;
    }
    if (part->value > worst->value) {
        memmove(worst->steps.items, worst->steps.items + n_before,
                part->steps.n * sizeof *worst->steps.items);
        worst->steps.n = part->steps.n;
    }
    if (part->value > worst->value || part->step < worst->step) {
        const struct step_ranges all = worst->steps;
        *worst = *part;
        worst->steps = all;
    }
    return true;
}

static bool take_loads(uint64_t *link_load, uint32_t n_links, struct bytes *bytes)
{
    uint64_t load;
    for (uint32_t link = 0; link < n_links; link++) {
        if (!take(bytes, &load, 1, sizeof load))
            return false;
        link_load[link] += load;
    }
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct step_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Ascending, neighbours together. */
static void order_ranges(struct step_ranges *ranges)
{
    size_t n = 0;
    if (ranges->n)
        qsort(ranges->items, ranges->n, sizeof *ranges->items, compare_ranges);
    for (size_t i = 0; i < ranges->n; i++) {
        if (n && ranges->items[n - 1].end == ranges->items[i].first)
            ranges->items[n - 1].end = ranges->items[i].end;
        else
            ranges->items[n++] = ranges->items[i];
    }
    ranges->n = n;
}

static bool take_records(struct verify_report *report, uint64_t n_steps, struct bytes *bytes)
{
    size_t n;
    struct kept kept;
    if (!take(bytes, &n, 1, sizeof n))
        return false;
    for (; n > 0; n--) {
        if (!take(bytes, &kept, 1, sizeof kept) || kept.step >= n_steps)
            return false;
        report->per_step[kept.step] = kept.record;
    }
    return true;
}

static bool add_part(struct verify_report *report, const struct verify_request *request, uint64_t *link_load,
                     uint64_t n_steps, struct bytes bytes)
{
    const uint32_t n_links = request->topology ? request->topology->n_link_ids : 0;
    struct verify_report figures;
    if (!take(&bytes, &figures, 1, sizeof figures))
        return false;
    add_figures(report, &figures);
    return take_ranges(&report->hol_ranges, figures.hol_ranges.n, &bytes) &&
           take_worst(&report->worst_link, &figures.worst_link, &bytes) &&
           take_worst(&report->worst_port, &figures.worst_port, &bytes) &&
           take_records(report, n_steps, &bytes) && take_loads(link_load, n_links, &bytes) && bytes.left == 0;
}

/* NULL: part 0 measures nothing. */
static bool add_own(struct verify_report *report, const struct verify_request *request, uint64_t *link_load,
                    uint64_t n_steps, struct part *own)
{
    struct text text = {0};
    if (own)
        append_part(own, &text);
    const bool is_whole =
        !own || add_part(report, request, link_load, n_steps, (struct bytes){text.data, text.length});
    text_free(&text);
    return is_whole;
}

bool verify_add_parts(struct verify_report *report, const struct verify_request *request,
                      const struct verify_others *others, struct part *own, uint64_t n_steps)
{
    const uint32_t n_links = request->topology ? request->topology->n_link_ids : 0;
    uint64_t *link_load = mem_alloc(n_links + 1, sizeof *link_load);
    bool is_whole = add_own(report, request, link_load, n_steps, own);
    for (uint32_t part = 1; is_whole && part < others->n; part++) {
        struct bytes bytes = {NULL, 0};
        bytes.at = others->bytes(others->context, part, &bytes.left);
        is_whole = bytes.at && add_part(report, request, link_load, n_steps, bytes);
    }
    order_ranges(&report->hol_ranges);
    order_ranges(&report->worst_link.steps);
    order_ranges(&report->worst_port.steps);
    for (uint32_t link = 0; link < n_links; link++)
        worst_raise_total(report, link, link_load[link]);
    free(link_load);
    report->has_network = request->topology;
    if (request->topology)
        verify_compare_least(report, &request->least);
    return is_whole && (report->is_over_budget || verify_is_within(&request->limits, report));
}
