/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict in one line: is the schedule right, do its messages meet, how far is it from the least.
 */
#include "reports/verdict.h"

#include "base/codes.h"
#include "measure/ranges.h"

#include <inttypes.h>

static const char *waiting_words(const struct verify_report *report)
{
    if (report->waiting == WAITING_UNKNOWN)
        return "deadlock not judged";
    if (report->waiting == WAITING_NONE)
        return report->is_matched ? "no deadlock" : "messages do not match";
    return report->waiting == WAITING_CERTAIN ? "a deadlock is certain" : "a deadlock is possible";
}

const char *verdict_flaw(const struct verdict *verdict)
{
    const struct diagnostics *findings = verdict->findings;
    if (verdict->report->is_complete || verdict->report->n_unrouted)
        return NULL;
    for (uint32_t code = 0; code < n_codes; code++)
        if (findings->n_of_code[code] && code_table[code].refutes != CLAIM_NOTHING &&
            code_table[code].severity == SEVERITY_ERROR && code != CODE_R002 && code != CODE_R010)
            return NULL;
    return findings->n_of_code[CODE_R002]   ? "all data arrive, some twice"
           : findings->n_of_code[CODE_R010] ? "all data arrive"
                                            : NULL;
}

/* "complete", or, of a pattern that promises nothing, if its data are safe. */
static const char *right_words(const struct verdict *verdict)
{
    if (schedule_promises(verdict->header))
        return verdict->report->is_complete ? "complete"
               : verdict_flaw(verdict)      ? verdict_flaw(verdict)
                                            : "not complete";
    if (verdict->report->waiting != WAITING_NONE)
        return "data not judged";
    return diagnostics_refute(verdict->findings, CLAIM_COMPLETE) ? "data are lost or undefined"
                                                                 : "no data lost";
}

static void print_right(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    text_printf(out, "%s, %s", right_words(verdict), waiting_words(report));
    if (report->agreement == AGREEMENT_NO)
        text_printf(out, ", ranks get different floats");
}

/* "; above a limit: L001, P001", of what fails a run whose schedule is right. */
static void print_limits(const struct diagnostics *findings, struct text *out)
{
    bool is_passed[MAX_CODES] = {false};
    for (const struct diagnostic *d = findings ? findings->first : NULL; d; d = d->next)
        is_passed[d->code] |= d->is_measured && d->severity == SEVERITY_ERROR;
    const char *separator = "; above a limit: ";
    for (uint32_t code = 0; code < n_codes; code++)
        if (is_passed[code]) {
            text_printf(out, "%s%s", separator, code_table[code].id);
            separator = ", ";
        }
}

static void print_meetings(const struct verify_report *report, struct text *out)
{
    if (!report->has_network)
        return;
    if (report->n_unrouted)
        text_printf(out, "; %" PRIu64 " message%s without a route", report->n_unrouted,
                    plural(report->n_unrouted));
    if (report->contended_steps)
        text_printf(out, "; %" PRIu64 " of %" PRIu64 " steps contended", report->contended_steps,
                    report->n_steps);
    else
        text_printf(out, "; no step contended");
}

/* On adaptive routes it may depend on what switches choose. */
static void print_possible_meetings(const struct verdict *verdict, struct text *out)
{
    const struct load_ranges *ranges = verdict->ranges;
    if (!ranges)
        return;
    if (ranges->n_possible)
        text_printf(out,
                    "; %" PRIu64 " of %" PRIu64 " steps contended for certain, %" PRIu64 " by some choices",
                    ranges->n_certain, verdict->report->n_steps, ranges->n_possible);
    else
        text_printf(out, "; no step contended, whatever switches choose");
}

static void print_hol(const struct verify_report *report, struct text *out)
{
    if (report->hol_steps)
        text_printf(out, "; %" PRIu64 " with head-of-line blocking, up to %.2f times as long",
                    report->hol_steps, report->max_hol_slowdown);
}

/* The ratio is that of the busiest links of all steps together; where it is 1, they are one link. */
static void print_distance(const struct verdict *verdict, struct text *out)
{
    const double as_low = 1.005; /* printed as 1.00 */
    const struct verify_report *report = verdict->report;
    if (!(report->bound_ratio > 0) || !report->is_complete)
        return;
    const bool is_low = report->bound_ratio < as_low;
    if (is_low)
        text_printf(out, "; load as low as this network allows");
    else
        text_printf(out, "; load summed over steps %.2f times the least of this network",
                    report->bound_ratio);
    if (report->heaviest_bytes || report->max_total_load > 1) {
        text_printf(out, is_low ? ", most on " : "; most in all on ");
        verdict_print_link(verdict->topology,
                           report->heaviest_bytes ? report->heaviest_link : report->total_link, out);
    }
}

void verdict_line(const struct verdict *verdict, struct text *out)
{
    print_right(verdict, out);
    print_limits(verdict->findings, out);
    print_meetings(verdict->report, out);
    print_possible_meetings(verdict, out);
    print_hol(verdict->report, out);
    print_distance(verdict, out);
    text_printf(out, "\n");
}
