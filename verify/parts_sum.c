/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All parts: what they found, taken out of their bytes and added up. See parts.h; the bytes are those of
 * part_give (parts.c).
 */
#include "verify/parts.h"

#include "ir/counts.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that are still to be taken. */
struct bytes {
    const char *at;
    size_t left;
};

static bool parts_sum_take(struct bytes *bytes, void *to, size_t n, size_t size)
{
    if (bytes->left / size < n)
        return false;
    if (n)
        memcpy(to, bytes->at, n * size);
    bytes->at += n * size;
    bytes->left -= n * size;
    return true;
}

static void parts_sum_raise(uint32_t *maximum, uint32_t value)
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
    report->n_stripes = part->n_stripes;
    parts_sum_raise(&report->max_link_load, part->max_link_load);
    parts_sum_raise(&report->drift_link_load, part->drift_link_load);
    parts_sum_raise(&report->drift_fan_in, part->drift_fan_in);
    parts_sum_raise(&report->max_fan_in, part->max_fan_in);
    parts_sum_raise(&report->max_fan_out, part->max_fan_out);
    parts_sum_raise(&report->max_sends, part->max_sends);
    parts_sum_raise(&report->max_received, part->max_received);
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
    (void)parts_sum_take(bytes, ranges->items + ranges->n, n, sizeof *ranges->items);
    ranges->n += n;
    return true;
}

/* The worst of two, and where equally bad the steps of both. */
static bool parts_sum_take_worst(struct worst *worst, const struct worst *part, struct bytes *bytes)
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

/* 4 bytes each or 8, as part_give has them. */
static bool parts_sum_take_loads(const struct verify_report *part, uint64_t *link_load, uint32_t n_links,
                                 struct bytes *bytes)
{
    const bool are_small = part->max_total_load <= UINT32_MAX;
    for (uint32_t link = 0; link < n_links; link++) {
        uint64_t load = 0;
        uint32_t small = 0;
        if (are_small ? !parts_sum_take(bytes, &small, 1, sizeof small)
                      : !parts_sum_take(bytes, &load, 1, sizeof load))
            return false;
        link_load[link] += load + small;
    }
    return true;
}

/* Takes the units on links that a part with counts gives. */
static bool parts_sum_take_units(const struct verify_report *part, uint64_t *link_units, uint32_t n_links,
                                 struct bytes *bytes)
{
    for (uint32_t link = 0; part->link_units && link < n_links; link++) {
        uint64_t load;
        if (!parts_sum_take(bytes, &load, 1, sizeof load))
            return false;
        link_units[link] = units_sum(link_units[link], load);
    }
    return true;
}

/* All that is left. */
static bool parts_sum_take_held(struct held_list *held, struct bytes *bytes)
{
    *held = (struct held_list){(const struct held *)(const void *)bytes->at,
                               bytes->left / sizeof *held->items};
    return bytes->left % sizeof *held->items == 0;
}

static int parts_sum_compare_ranges(const void *a, const void *b)
{
    const struct step_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Ascending, neighbours together. */
static void order_ranges(struct step_ranges *ranges)
{
    size_t n = 0;
    if (ranges->n)
        qsort(ranges->items, ranges->n, sizeof *ranges->items, parts_sum_compare_ranges);
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
    if (!parts_sum_take(bytes, &n, 1, sizeof n))
        return false;
    for (; n > 0; n--) {
        if (!parts_sum_take(bytes, &kept, 1, sizeof kept) ||
            (kept.step >= n_steps && !report->is_over_budget))
            return false;
        if (kept.step < n_steps)
            report->per_step[kept.step] = kept.record;
    }
    return true;
}

/* Adds the counts of a part, where each step is done by one of them. */
static void add_counts(struct verify_report *report, const struct verify_report *part)
{
    report->n_steps += part->n_steps;
    report->n_idle += part->n_idle;
    if (part->n_records > report->n_records)
        report->n_records = part->n_records;
}

/* The sum so far. */
struct sum {
    struct verify_report *report;
    const struct verify_request *request;
    bool is_independent;
    uint64_t n_steps;
    uint64_t *link_load, *link_units;
    struct held_list *held; /* [part] */
};

static bool parts_sum_add_part(struct sum *sum, uint32_t part, struct bytes bytes)
{
    struct verify_report *report = sum->report;
    const uint32_t n_links = sum->request->topology ? sum->request->topology->n_link_ids : 0;
    struct verify_report figures;
    if (!parts_sum_take(&bytes, &figures, 1, sizeof figures))
        return false;
    add_figures(report, &figures);
    if (sum->is_independent)
        add_counts(report, &figures);
    return take_ranges(&report->hol_ranges, figures.hol_ranges.n, &bytes) &&
           parts_sum_take_worst(&report->worst_link, &figures.worst_link, &bytes) &&
           parts_sum_take_worst(&report->worst_port, &figures.worst_port, &bytes) &&
           take_records(report, sum->n_steps, &bytes) &&
           parts_sum_take_loads(&figures, sum->link_load, n_links, &bytes) &&
           parts_sum_take_units(&figures, sum->link_units, n_links, &bytes) &&
           parts_sum_take_held(&sum->held[part], &bytes) && (sum->is_independent || !sum->held[part].n);
}

static bool add_others(struct sum *sum, const struct verify_others *others)
{
    bool is_whole = true;
    for (uint32_t part = 1; is_whole && part < others->share.n; part++) {
        struct bytes bytes = {NULL, 0};
        bytes.at = others->bytes(others->context, part, &bytes.left);
        is_whole = bytes.at && parts_sum_add_part(sum, part, bytes);
    }
    return is_whole;
}

/* own NULL: part 0 did nothing. */
static bool add_all(struct sum *sum, const struct verify_others *others, struct part *own)
{
    struct text text = {0};
    const bool is_whole =
        !own || (part_give(own, &text) && parts_sum_add_part(sum, 0, (struct bytes){text.data, text.length}));
    const bool is_all = is_whole && add_others(sum, others) &&
                        (!sum->is_independent || sum->report->is_over_budget ||
                         data_is_complete(part_data(own), sum->held, others->share.n));
    text_free(&text);
    return is_all;
}

bool verify_add_parts(struct verify_report *report, const struct verify_request *request,
                      const struct verify_others *others, struct part *own, uint64_t n_steps)
{
    const uint32_t n_links = request->topology ? request->topology->n_link_ids : 0;
    struct sum sum = {report, request, others->share.n_independent, n_steps,
                      mem_alloc(n_links + 1, sizeof *sum.link_load),
                      mem_alloc(n_links + 1, sizeof *sum.link_units),
                      mem_alloc(others->share.n, sizeof *sum.held)};
    const bool is_all = add_all(&sum, others, own);
    order_ranges(&report->hol_ranges);
    order_ranges(&report->worst_link.steps);
    order_ranges(&report->worst_port.steps);
    for (uint32_t link = 0; link < n_links; link++)
        worst_raise_total(report, link, sum.link_load[link]);
    for (uint32_t link = 0; link < n_links; link++)
        worst_raise_bytes(report, request->topology, link, sum.link_units[link]);
    free(sum.link_load);
    free(sum.link_units);
    free(sum.held);
    report->has_network = request->topology;
    if (request->topology)
        verify_compare_least(report, &request->least);
    return is_all && (report->is_over_budget || verify_is_within(&request->limits, report));
}
