/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verifier's loop: every step once through execution and traffic, then the
 * judgement of what is left. See verify.h and internal.h.
 */
#include "verify/internal.h"

#include <stdlib.h>

static void add_record(struct verify_report *report, const struct step_record *record)
{
    report->n_messages += record->n_messages;
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

static void keep_record(struct verify_report *report, size_t *capacity,
                        const struct step_record *record)
{
    report->per_step = mem_grow(report->per_step, capacity, report->n_steps + 1,
                                sizeof *report->per_step);
    report->per_step[report->n_steps] = *record;
}

bool verify_schedule(struct schedule *schedule, const struct verify_request *request,
                     struct verify_report *report, struct diagnostics *diagnostics)
{
    struct verifier verifier = {schedule, request, report, diagnostics, schedule->header.n_ranks,
                                NULL};
    *report = (struct verify_report){.max_hol_slowdown = 1};
    struct execution *execution = execution_new(&verifier);
    struct traffic *traffic = traffic_new(&verifier);
    size_t capacity = 0;
    bool ends_locally = false;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        struct step_record record;
        execution_step(execution, &step);
        traffic_step(traffic, &step, &record);
        add_record(report, &record);
        if (request->keep_per_step)
            keep_record(report, &capacity, &record);
        report->n_steps++;
        report->n_idle += step_is_idle(&step);
        ends_locally = step_is_local(&step);
    }
    report->n_steps -= ends_locally;
    if (!schedule->failed) {
        execution_end(execution);
        traffic_end(traffic);
        report->is_complete = report->is_complete && !report->n_unrouted;
    }
    execution_free(execution);
    traffic_free(traffic);
    return !schedule->failed;
}

void verify_report_free(struct verify_report *report)
{
    free(report->per_step);
    free(report->link_load);
    report->per_step = NULL;
    report->link_load = NULL;
}

bool verify_next_hol_range(const struct verify_report *report, struct step_range *range)
{
    uint64_t step = range->end;
    while (step < report->n_steps && report->per_step[step].hol_slowdown <= 1)
        step++;
    range->first = step;
    while (step < report->n_steps && report->per_step[step].hol_slowdown > 1)
        step++;
    range->end = step;
    return range->end > range->first;
}
