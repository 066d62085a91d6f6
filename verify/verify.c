/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verifier's loop: every step once through execution and traffic, then the
 * judgement of what is left. See verify.h and internal.h.
 */
#include "verify/parts.h"

#include "base/codes.h"
#include "verify/internal.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static void add_record(struct verify_report *report, const struct step_record *record)
{
    report->sum_step_load += record->max_link_load;
    report->contended_steps += record->is_contended;
    report->hol_steps += record->hol_slowdown > 1;
    if (record->max_link_load > report->max_link_load)
        report->max_link_load = record->max_link_load;
    if (record->max_fan_in > report->max_fan_in)
        report->max_fan_in = record->max_fan_in;
    if (record->max_fan_out > report->max_fan_out)
        report->max_fan_out = record->max_fan_out;
    if (record->max_sends > report->max_sends)
        report->max_sends = record->max_sends;
    if (record->hol_slowdown > report->max_hol_slowdown)
        report->max_hol_slowdown = record->hol_slowdown;
}

void verify_keep_record(struct verify_report *report, size_t *capacity, uint64_t step,
                        const struct step_record *record)
{
    report->per_step =
        mem_grow(report->per_step, capacity, step + 1, sizeof *report->per_step);
    report->per_step[step] = *record;
}

/* A step in which ranks only copy and combine is none of communication. */
static void verify_count_step(struct verify_report *report, const struct step *step)
{
    if (step_is_local(step))
        return;
    report->n_steps++;
    report->n_idle += step_is_idle(step);
    report->n_records = step->index + 1;
}

static void add_to_ranges(struct step_ranges *ranges, uint64_t step)
{
    if (ranges->n && ranges->items[ranges->n - 1].end == step) {
        ranges->items[ranges->n - 1].end++;
        return;
    }
    ranges->items = mem_grow(ranges->items, &ranges->capacity, ranges->n + 1, sizeof *ranges->items);
    ranges->items[ranges->n++] = (struct step_range){step, step + 1};
}

/* `worst` has been told already of what this step has. */
static void add_worst_step(struct worst *worst, uint64_t step, uint32_t value)
{
    if (!value || value != worst->value)
        return;
    if (step == worst->step)
        worst->steps.n = 0;
    add_to_ranges(&worst->steps, step);
}

void verify_add_step(struct verify_report *report, const struct step *step,
                     const struct step_record *record)
{
    add_record(report, record);
    if (record->hol_slowdown > 1)
        add_to_ranges(&report->hol_ranges, step->index);
    add_worst_step(&report->worst_link, step->index, record->max_link_load);
    add_worst_step(&report->worst_port, step->index, record->max_fan_in);
    verify_count_step(report, step);
}

double verify_seconds(const struct topology *topology, double n_messages)
{
    const double hops = topology ? topology->max_hops / 2.0 : 0;
    return n_messages * (25 + 4 * hops) * 1e-9;
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct budget budget_begin(const struct verify_request *request)
{
    const double now = cpu_seconds();
    return (struct budget){request, now, now, 0};
}

bool budget_is_over(struct budget *budget, uint64_t work)
{
    enum { WORK = 1 << 18 }; /* some milliseconds */
    const struct verify_request *request = budget->request;
    budget->work += work;
    if (request->budget <= 0 || budget->work < WORK)
        return false;
    const double now = cpu_seconds(), more = now - budget->seen;
    budget->work = 0;
    budget->seen = now;
    if (!request->common)
        return now - budget->begin > request->budget;
    const uint64_t spent = (uint64_t)(more * 1e6);
    return (double)(atomic_fetch_add(&request->common->spent, spent) + spent) > request->budget * 1e6;
}

bool verify_has_limits(const struct verify_limits *limits)
{
#define LIMIT(field, option, kind, needs_network, measured, help) \
    if (limits->field.is_set)                            \
        return true;
#include "verify/limits.def"
    return false;
}

/* A slowdown and a ratio are sums, of which the order decides the last digits. */
static bool is_nearly_above(double value, double most)
{
    return value > most || (value > most * (1 - 1e-9) && value != floor(value));
}

bool verify_is_within(const struct verify_limits *limits, const struct verify_report *report)
{
#define LIMIT(field, option, kind, needs_network, measured, help)                            \
    if (limits->field.is_set && is_nearly_above((double)(measured), limits->field.most)) \
        return false;
#include "verify/limits.def"
    return true;
}

void verify_compare_least(struct verify_report *report, const struct least_load *least)
{
    if (least->kind && !report->n_unrouted)
        report->bound_ratio = verify_sum_units(report) / least->units;
}

/* The engines. */
struct engines {
    struct execution *execution;
    struct timing *timing;
    struct traffic *traffic;            /* or, where other processes measure: */
    const struct verify_others *others;
    struct part *part;                  /* and what is measured of it here; NULL: nothing */
    uint64_t n_steps;
    bool is_lost; /* of what these measure */
};

/* Measures a step, unless others do. */
static struct step_record verify_measure(struct engines *engines, const struct step *step, bool is_closed)
{
    struct step_record record = {.hol_slowdown = 1};
    if (engines->traffic)
        traffic_step(engines->traffic, step, NULL, is_closed, &record);
    else
        engines->is_lost = !is_closed || (engines->part && !part_step(engines->part, step));
    return record;
}

/* True if it is to be done again, each copy by itself: rows of copies are for schedules without findings. */
static bool is_beyond_rows(const struct verifier *verifier)
{
    return verifier->has_rows && (verifier->is_beyond_rows || verifier->diagnostics->first);
}

/* Each step through the engines. */
static void verify_run_steps(struct verifier *verifier, struct engines *engines)
{
    struct schedule *schedule = verifier->schedule;
    struct verify_report *report = verifier->report;
    size_t capacity = 0;
    struct step step;
    struct budget budget = budget_begin(verifier->request);
    schedule->rewind(schedule);
    while (!report->is_over_budget && !engines->is_lost && !is_beyond_rows(verifier) &&
           schedule->next(schedule, &step)) {
        events_step(verifier, &step);
        const bool is_closed = execution_step(engines->execution, &step);
        const struct step_record record = verify_measure(engines, &step, is_closed);
        timing_step(engines->timing, &step);
        verify_add_step(report, &step, &record);
        if (verifier->request->keep_per_step)
            verify_keep_record(report, &capacity, step.index, &record);
        engines->n_steps++;
        report->is_over_budget =
            budget_is_over(&budget, 1 + step.n_sends + step.n_receives + step.n_copies);
        if (engines->others && engines->n_steps % LOOK == 0)
            engines->is_lost |= engines->others->are_lost(engines->others->context);
    }
}

const char *waiting_word(enum waiting waiting)
{
    static const char *const word[] = {[WAITING_UNKNOWN] = "unknown",
                                       [WAITING_NONE] = "none",
                                       [WAITING_POSSIBLE] = "possible",
                                       [WAITING_CERTAIN] = "certain"};
    return word[waiting];
}

static void set_waiting(struct verify_report *report, enum waiting waiting, const char *reason)
{
    report->waiting = waiting;
    report->waiting_reason = reason;
}

/* Reports whether a rank waits forever; the worst finding decides. Sends of MSCCL, whose order alone is cut
 * short, never wait. */
static void judge_waiting(const struct verifier *verifier)
{
    struct verify_report *report = verifier->report;
    const uint64_t *found = verifier->diagnostics->n_of_code;
    if (found[CODE_M002])
        set_waiting(report, WAITING_CERTAIN, "a rank waits for a message that is never sent");
    else if (report->n_unrouted)
        set_waiting(report, WAITING_CERTAIN, "a rank waits for a message that has no route");
    else if (report->eager == EAGER_IN_VAIN || (found[CODE_D001] && report->is_cut_short))
        set_waiting(report, WAITING_CERTAIN, "ranks wait for each other however much is buffered");
    else if (found[CODE_M001])
        set_waiting(report, WAITING_POSSIBLE, "a send that nobody receives ends only if it is buffered");
    else if (found[CODE_D001])
        set_waiting(report, WAITING_POSSIBLE, NULL);
    else if (!report->is_matched)
        set_waiting(report, WAITING_UNKNOWN, "sends and receives differ in size");
    else if (diagnostics_refute(verifier->diagnostics, CLAIM_DEADLOCK_FREE))
        set_waiting(report, WAITING_UNKNOWN, "ranks drift too far apart to be judged");
    else
        set_waiting(report, WAITING_NONE, NULL);
}

/* Derives the claims from the findings. Where messages do not match or ranks wait for each other, missing or
 * wrong data are a consequence and are withdrawn. */
static void conclude(struct verifier *verifier)
{
    struct verify_report *report = verifier->report;
    struct diagnostics *findings = verifier->diagnostics;
    if (verifier->schedule->found)
        diagnostics_append(findings, verifier->schedule->found);
    report->is_cut_short = verifier->schedule->is_cut_short;
    report->is_matched = !diagnostics_refute(findings, CLAIM_MATCHED);
    judge_waiting(verifier);
    if (!report->is_matched || diagnostics_refute(findings, CLAIM_DEADLOCK_FREE))
        diagnostics_withdraw(findings, CLAIM_COMPLETE);
    if (report->is_cut_short || report->n_unrouted || verifier->schedule->found)
        report->agreement = AGREEMENT_UNKNOWN;
    report->is_complete = report->waiting == WAITING_NONE &&
                          !diagnostics_refute(findings, CLAIM_COMPLETE);
}

/* After the last step. */
static void end_run(struct verifier *verifier, struct engines *engines)
{
    execution_end(engines->execution);
    if (is_beyond_rows(verifier)) {
        engines->is_lost = true;
        return;
    }
    if (engines->traffic)
        traffic_end(engines->traffic);
    else
        engines->is_lost = !verify_add_parts(verifier->report, verifier->request, engines->others,
                                             engines->part, engines->n_steps);
    timing_end(engines->timing);
    conclude(verifier);
    if (!engines->is_lost)
        trace_run(verifier);
}

/* others NULL: there are none. *is_lost: others are, or rows of copies were taken and do not do. */
static bool verify(struct schedule *schedule, const struct verify_request *request,
                   const struct verify_others *others, struct verify_report *report,
                   struct diagnostics *diagnostics, bool *is_lost)
{
    struct verifier verifier = {.schedule = schedule,
                                .request = request,
                                .report = report,
                                .diagnostics = diagnostics,
                                .n_ranks = schedule->header.n_ranks};
    *report = (struct verify_report){.max_hol_slowdown = 1};
    struct engines engines = {.execution = execution_new(&verifier),
                      .traffic = others ? NULL : traffic_new(&verifier),
                      .timing = timing_new(&verifier),
                      .others = others};
    if (others && others->share.claims)
        engines.part = part_new(schedule, request, &others->share);
    rules_start(&verifier);
    verify_run_steps(&verifier, &engines);
    engines.is_lost |= is_beyond_rows(&verifier);
    if (!schedule->failed && !report->is_over_budget && !engines.is_lost)
        end_run(&verifier, &engines);
    execution_free(engines.execution);
    if (engines.traffic)
        traffic_free(engines.traffic);
    part_free(engines.part);
    timing_free(engines.timing);
    rules_end(&verifier);
    trace_free(&verifier);
    *is_lost = engines.is_lost && !schedule->failed;
    return !schedule->failed && !report->is_over_budget;
}

/* Does the same with rows of copies where the schedule has them, if nobody watches, no rule has to see every
 * copy, and nothing was reported yet: what is reported with rows may have to be taken back. */
static bool verify_by_rows(struct schedule *schedule, const struct verify_request *request,
                           const struct verify_others *others, struct verify_report *report,
                           struct diagnostics *diagnostics, bool *is_lost)
{
    schedule->use.takes_rows = !request->watch && !diagnostics->first &&
                               !diagnostics->arena.blocks && !rules_need_all(schedule, request);
    const bool is_done = verify(schedule, request, others, report, diagnostics, is_lost);
    schedule->use.takes_rows = false;
    return is_done;
}

bool verify_schedule(struct schedule *schedule, const struct verify_request *request,
                     struct verify_report *report, struct diagnostics *diagnostics)
{
    const struct diagnostics empty = *diagnostics;
    bool is_lost;
    const bool is_done = verify_by_rows(schedule, request, NULL, report, diagnostics, &is_lost);
    if (!is_lost || report->is_over_budget)
        return is_done;
    verify_report_free(report);
    diagnostics_free(diagnostics);
    *diagnostics = empty;
    return verify(schedule, request, NULL, report, diagnostics, &is_lost);
}

/* Verifies a schedule of independent steps: each part checks its own steps completely. */
static bool verify_independent(struct schedule *schedule, const struct verify_request *request,
                               const struct verify_others *others, struct verify_report *report,
                               struct diagnostics *diagnostics, bool *is_lost)
{
    struct verifier verifier = {
        .schedule = schedule, .request = request, .report = report, .diagnostics = diagnostics};
    struct part *part = part_new(schedule, request, &others->share);
    *report = (struct verify_report){.max_hol_slowdown = 1};
    *is_lost = !part_run(part, others);
    if (!*is_lost && request->keep_per_step)
        report->per_step = mem_alloc(part_n_steps(part) + 1, sizeof *report->per_step);
    *is_lost = *is_lost || !verify_add_parts(report, request, others, part, part_n_steps(part));
    part_free(part);
    if (!*is_lost)
        conclude(&verifier);
    return !*is_lost && !report->is_over_budget;
}

bool verify_with_others(struct schedule *schedule, const struct verify_request *request,
                        const struct verify_others *others, struct verify_report *report,
                        struct diagnostics *diagnostics, bool *is_lost)
{
    if (others->share.n_independent)
        return verify_independent(schedule, request, others, report, diagnostics, is_lost);
    return verify_by_rows(schedule, request, others, report, diagnostics, is_lost);
}

void verify_report_free(struct verify_report *report)
{
    free(report->per_step);
    free(report->link_load);
    free(report->link_units);
    struct step_ranges *const ranges[] = {&report->hol_ranges, &report->worst_link.steps,
                                          &report->worst_port.steps};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        free(ranges[i]->items);
        *ranges[i] = (struct step_ranges){0};
    }
    report->per_step = NULL;
    report->link_load = NULL;
}
