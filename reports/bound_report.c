/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See bound_report.h.
 */
#include "reports/bound_report.h"

#include "base/quantity.h"
#include "bound/fan_in.h"
#include "bound/routes.h"
#include "reports/record.h"
#include "reports/topology.h"
#include "reports/wrap.h"

#include <inttypes.h>

/* The report on its way. */
struct bound_report {
    const struct bound_subject *subject;
    struct text *out;
    struct json *json;
    bool has_rows;
};

static void print_bound_time(uint64_t time, struct text *out)
{
    if (time == UINT64_MAX)
        text_printf(out, "longer");
    else if (time)
        print_time(time, out);
    else
        text_printf(out, "-");
}

/* "414.8571": a load that is no whole number is shown with as many digits as `collc verify` has. */
static void bound_report_print_load(const struct bound *bound, struct text *out)
{
    if (bound->load.bottom > 1)
        text_printf(out, "%16.7g", fraction_real(bound->load));
    else
        text_printf(out, "%16" PRIu64, (uint64_t)bound->load.top);
}

static void bound_report_print_row(const struct bound *bound, void *data)
{
    struct bound_report *report = data;
    struct text *out = report->out;
    struct text time = {0};
    if (!report->has_rows)
        text_printf(out, "\n  %-12s %16s", "kind", "load");
    if (!report->has_rows && report->subject->unit_bytes)
        text_printf(out, " %16s", "time");
    text_printf(out, report->has_rows ? "" : "  because\n");
    report->has_rows = true;
    const size_t start = out->length;
    text_printf(out, "  %-12s ", bound->kind);
    bound_report_print_load(bound, out);
    if (report->subject->unit_bytes) {
        print_bound_time(bound_time(bound, report->subject->unit_bytes), &time);
        text_printf(out, " %16s", time.data);
    }
    text_printf(out, "  ");
    text_wrap(out, bound->reason.data, out->length - start, (unsigned)(out->length - start));
    text_free(&time);
}

/* Writes a load as a whole number where it is one. */
static void json_put_load(struct json *json, const char *key, const struct bound *bound)
{
    if (bound->load.bottom > 1)
        json_put_real(json, key, fraction_real(bound->load));
    else
        json_put_unsigned(json, key, (uint64_t)bound->load.top);
}

/* All bounds, that by flows too. */
static void each_bound(const struct bound_request *request, const struct bound_subject *subject,
                       bound_found *found, void *data)
{
    struct bound bound = {.kind = NULL};
    bound_each(request, found, data);
    if (flow_bound(subject->flow, request, &bound) || cut_bound(subject->cut, request, &bound))
        found(&bound, data);
    text_free(&bound.reason);
    struct bound relayed = {.kind = NULL};
    if (overlay_bound(subject->overlay, request, &relayed))
        found(&relayed, data);
    text_free(&relayed.reason);
}

bool bound_has_steps(const struct bound_request *request)
{
    return collective_has_pairs(request->collective) && !request->counts;
}

/* Steps are of messages of one block each, as an all-to-all without relays has them. */
static void bound_report_print_steps(const struct placement *placement, struct text *out)
{
    text_printf(out,
                "\n  steps, of at most a message from and to each rank, without relays\n"
                "  any          %16" PRIu64 "\n  fan-in 1     %16" PRIu64 "\n",
                bound_steps(placement, UINT32_MAX), bound_steps(placement, 1));
}

/* Says that loads count fast and slow links alike, where there are such, as PCI and NVLink of a host. */
static void bound_report_print_rates(const struct topology *topology, struct text *out)
{
    struct text rates = {0};
    if (topology_print_unlike_rates(topology, &rates))
        text_printf(out, "\n  a load counts links of %s alike; --bytes gives times, which do not\n", rates.data);
    text_free(&rates);
}

void bound_text(const struct bound_request *request, const struct bound_subject *subject,
                struct text *out)
{
    struct bound_report report = {.subject = subject, .out = out};
    text_append_safe(out, subject->demand ? subject->demand : subject->name);
    text_printf(out, "%s%s: %" PRIu32 " rank%s on %" PRIu32 " server%s, ", subject->demand ? ", as " : "",
                subject->demand ? subject->name : "", request->placement->n_ranks,
                plural(request->placement->n_ranks), request->placement->n_servers,
                plural(request->placement->n_servers));
    text_append_safe(out, request->topology->name);
    text_printf(out, "\n");
    each_bound(request, subject, bound_report_print_row, &report);
    if (!report.has_rows)
        text_printf(out, "\n  no bound is known\n");
    else if (!subject->unit_bytes)
        bound_report_print_rates(request->topology, out);
    if (bound_has_steps(request))
        bound_report_print_steps(request->placement, out);
}

static void bound_row_write(struct json *json, const struct bound *bound,
                            const struct bound_subject *subject);

static void write_row(const struct bound *bound, void *data)
{
    struct bound_report *report = data;
    json_open(report->json, NULL, '{');
    bound_row_write(report->json, bound, report->subject);
    json_close(report->json, '}');
}

static void bound_report_write_rows(struct json *json, const struct bound_request *request,
                                    const struct bound_subject *subject)
{
    struct bound_report report = {.subject = subject, .json = json};
    each_bound(request, subject, write_row, &report);
}

#include "reports/bound.def"

void bound_json(const struct bound_request *request, const struct bound_subject *subject,
                struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    bound_write(&json, request, subject);
    json_close(&json, '}');
}
