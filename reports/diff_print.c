/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what has become worse or better, for people and for programs. See diff.h.
 */
#include "reports/diff.h"
#include "reports/record.h"

#include <string.h>

static const char *diff_print_word_of(double old, double new)
{
    return new > old ? "worse" : "better";
}

static void diff_print_figures(const struct diff_report *report, struct text *out)
{
    for (size_t i = 0; i < report->n_figures; i++) {
        const struct diff_figure *figure = &report->figures[i];
        text_printf(out, "  %-20s %12.8g -> %-12.8g %s\n", figure->name, figure->old, figure->new,
                    diff_print_word_of(figure->old, figure->new));
    }
}

static const char *change_of(const struct diff_finding *finding)
{
    return !finding->is_old   ? "new"
           : !finding->is_new ? "gone"
                              : diff_print_word_of(finding->old, finding->new);
}

/* Prints a value, or "-" for a side that does not list the link or host: it may not have it. */
static void diff_print_value(bool is_there, double value, bool is_right, struct text *out)
{
    if (is_there)
        text_printf(out, is_right ? "%8.6g" : "%-8.6g", value);
    else
        text_printf(out, is_right ? "%8s" : "%-8s", "-");
}

/* "worse   L001  27 -> 31  a -> b"; without a value the message. */
static void print_finding(const struct diff_finding *finding, struct text *out)
{
    text_printf(out, "  %-7s %s  ", change_of(finding), finding->code);
    if (finding->is_measured) {
        diff_print_value(finding->is_old, finding->old, true, out);
        text_printf(out, " -> ");
        diff_print_value(finding->is_new, finding->new, false, out);
        text_printf(out, " ");
    }
    text_append_safe(out, finding->is_measured && *finding->subject ? finding->subject : finding->message);
    text_append(out, "\n", 1);
}

static void diff_print_report(const struct diff_report *report, uint32_t max_shown, struct text *out)
{
    text_append_safe(out, report->old_name);
    if (strcmp(report->old_name, report->new_name) != 0) {
        text_printf(out, "\n-> ");
        text_append_safe(out, report->new_name);
    }
    text_append(out, "\n", 1);
    if (*report->old_verdict)
        text_printf(out, "  %-20s %12s -> %-12s%s\n", "verdict", report->old_verdict, report->new_verdict,
                    report->is_lost ? " worse" : "");
    diff_print_figures(report, out);
    for (size_t i = 0; i < report->n_findings; i++) {
        if (max_shown && i == max_shown) {
            text_printf(out, "  and %zu more changes; --max-findings lists more\n", report->n_findings - i);
            break;
        }
        print_finding(&report->findings[i], out);
    }
    if (!report->n_figures && !report->n_findings && !*report->old_verdict)
        text_printf(out, "  nothing has changed\n");
}

static void diff_print_names(const char *word, const char *const *names, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        text_printf(out, "%s: ", word);
        text_append_safe(out, names[i]);
        text_append(out, "\n", 1);
    }
}

void diff_text(const struct diff *diff, uint32_t max_shown, struct text *out)
{
    size_t n_worse = 0, n_new = 0, n_changed = 0;
    for (size_t i = 0; i < diff->n_reports; i++) {
        const struct diff_report *report = &diff->reports[i];
        const bool is_changed = report->n_figures || report->n_findings || *report->old_verdict;
        n_worse += report->n_worse > report->n_new;
        n_new += report->n_worse && report->n_worse == report->n_new;
        n_changed += is_changed;
        if (is_changed || diff->n_reports == 1)
            diff_print_report(report, max_shown, out);
    }
    diff_print_names("only in the old one", diff->gone, diff->n_gone, out);
    diff_print_names("only in the new one", diff->added, diff->n_added, out);
    text_printf(out, "%zu compared: %zu worse, ", diff->n_reports, n_worse);
    if (n_new)
        text_printf(out, "%zu with new findings, ", n_new);
    text_printf(out, "%zu only better, %zu as before", n_changed - n_worse - n_new,
                diff->n_reports - n_changed);
    if (diff->n_lost)
        text_printf(out, "; %zu lost, or new and refused", diff->n_lost);
    text_append(out, "\n", 1);
}

/* ---- JSON ---- */

#include "reports/diff.def"

void diff_json(const struct diff *diff, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    diff_write(&json, diff);
    json_close(&json, '}');
}
