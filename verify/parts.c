/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One part: the steps that it takes, and what it found, in bytes. These are its report as it is in memory,
 * and behind it the arrays: ranges of steps with head-of-line blocking, or with the most on a link or a port,
 * their number and the records of its steps if they are kept, messages on each link, and of independent steps
 * the chunks that they filled. All processes run the same executable. See parts.h.
 */
#include "verify/parts.h"

#include "verify/internal.h"

#include <stdlib.h>

uint32_t verify_n_parts(const struct verify_request *request, uint32_t n)
{
    return request->drift > 1 && n > 2 ? 2 : n;
}

struct part {
    struct verify_share share;
    struct claimed claimed;
    struct verify_request request; /* with no limits: */
    struct verify_limits limits;   /* what a part passes, all pass; their sum is compared at the end */
    struct verify_report report;
    struct verifier verifier;
    struct traffic *traffic;
    struct execution *execution; /* of independent steps; NULL: the first part has it, of all steps */
    struct diagnostics findings;
    uint64_t n_steps; /* of the schedule, so far */
    struct kept *kept;
    size_t n_kept, capacity;
};

bool verify_may_be_independent(struct schedule *schedule, const struct verify_request *request)
{
    const struct schedule_header *header = &schedule->header;
    uint32_t in, out;
    return !collective_table[header->collective].reduces && !header->needs &&
           schedule_chunks(header, BUFFER_IN) && schedule_chunks(header, BUFFER_OUT) &&
           !schedule_chunks(header, BUFFER_TMP) && !schedule_in_place(header, header->root, &in, &out) &&
           !header->is_timed && request->drift <= 1 && !rules_need_all(schedule, request);
}

static bool part_takes(void *context, uint64_t step)
{
    struct part *part = context;
    return claims_take(&part->share, &part->claimed, step);
}

struct part *part_new(struct schedule *schedule, const struct verify_request *request,
                      const struct verify_share *share)
{
    struct part *part = mem_alloc(1, sizeof *part);
    *part = (struct part){.share = *share, .request = *request, .report = {.max_hol_slowdown = 1}};
    part->limits = request->limits;
    part->request.limits = (struct verify_limits){.max_link_load = {false, 0}};
    part->request.keep_link_load = true;
    part->verifier = (struct verifier){.schedule = schedule, .request = &part->request,
                                       .report = &part->report, .diagnostics = &part->findings,
                                       .n_ranks = schedule->header.n_ranks};
    rules_start(&part->verifier);
    part->traffic = traffic_new(&part->verifier);
    if (share->n_independent) {
        part->execution = execution_new(&part->verifier);
    } else { /* sends do not tell which steps are of copies */
        part->limits.max_steps = part->limits.max_idle_steps = (struct limit){false, 0};
    }
    return part;
}

const struct data *part_data(const struct part *part)
{
    return part->verifier.data;
}

uint64_t part_n_steps(const struct part *part)
{
    return part->n_steps;
}

void part_free(struct part *part)
{
    if (!part)
        return;
    traffic_free(part->traffic);
    if (part->execution)
        execution_free(part->execution);
    rules_end(&part->verifier);
    trace_free(&part->verifier);
    diagnostics_free(&part->findings);
    verify_report_free(&part->report);
    free(part->kept);
    free(part);
}

/* Carries out a step. False: it is not independent. */
static bool parts_carry_out(struct part *part, const struct step *step)
{
    events_step(&part->verifier, step);
    return execution_step(part->execution, step);
}

bool part_step(struct part *part, const struct step *step)
{
    struct step_record record;
    if (!part_takes(part, step->index))
        return true;
    if (part->execution && !parts_carry_out(part, step))
        return false;
    traffic_step(part->traffic, step, NULL, true, &record);
    verify_add_step(&part->report, step, &record);
    if (part->request.keep_per_step) {
        part->kept = mem_grow(part->kept, &part->capacity, part->n_kept + 1, sizeof *part->kept);
        part->kept[part->n_kept++] = (struct kept){step->index, record};
    }
    return !part->findings.first && !part->report.n_unrouted &&
           verify_is_within(&part->limits, &part->report);
}

static void parts_append(struct text *out, const void *data, size_t n, size_t size)
{
    if (n)
        text_append(out, data, n * size);
}

static void append_ranges(const struct step_ranges *ranges, struct text *out)
{
    parts_append(out, ranges->items, ranges->n, sizeof *ranges->items);
}

/* Each in 4 bytes, where that is enough for all. */
static void append_loads(const struct verify_report *report, uint32_t n_links, struct text *out)
{
    if (report->max_total_load > UINT32_MAX) {
        parts_append(out, report->link_load, n_links, sizeof *report->link_load);
        return;
    }
    uint32_t *loads = mem_alloc(n_links, sizeof *loads);
    for (uint32_t link = 0; link < n_links; link++)
        loads[link] = (uint32_t)report->link_load[link];
    parts_append(out, loads, n_links, sizeof *loads);
    free(loads);
}

bool part_give(struct part *part, struct text *out)
{
    const struct verify_report *report = &part->report;
    traffic_end(part->traffic);
    parts_append(out, report, 1, sizeof *report);
    append_ranges(&report->hol_ranges, out);
    append_ranges(&report->worst_link.steps, out);
    append_ranges(&report->worst_port.steps, out);
    parts_append(out, &part->n_kept, 1, sizeof part->n_kept);
    parts_append(out, part->kept, part->n_kept, sizeof *part->kept);
    if (part->request.topology)
        append_loads(report, part->request.topology->n_link_ids, out);
    if (report->link_units)
        parts_append(out, report->link_units, part->request.topology->n_link_ids, sizeof *report->link_units);
    return !part->execution || data_give(part->verifier.data, out);
}

bool part_run(struct part *part, const struct verify_others *others)
{
    struct schedule *schedule = part->verifier.schedule;
    struct verify_report *report = &part->report;
    struct budget budget = budget_begin(&part->request);
    struct step step;
    bool is_whole = true;
    schedule->use.sends_only = !part->execution;
    schedule->use.n_sharing = part->execution ? part->share.n : 0;
    schedule->use.is_wanted = part_takes;
    schedule->use.wanting = part;
    schedule->rewind(schedule);
    while (!report->is_over_budget && is_whole && schedule->next(schedule, &step)) {
        report->is_over_budget =
            budget_is_over(&budget, 1 + step.n_sends + step.n_receives + step.n_copies);
        is_whole = part_step(part, &step);
        part->n_steps++;
        if (others && part->claimed.is_own && part->n_steps % LOOK == 0)
            is_whole = is_whole && !others->are_lost(others->context);
    }
    schedule->use.sends_only = false;
    schedule->use.n_sharing = 0;
    schedule->use.is_wanted = NULL;
    return is_whole && !schedule->failed;
}

void verify_measure_part(struct schedule *schedule, const struct verify_request *request,
                         const struct verify_share *share, struct text *out)
{
    struct part *part = part_new(schedule, request, share);
    if (!part_run(part, NULL) || !part_give(part, out))
        out->length = 0;
    part_free(part);
}
