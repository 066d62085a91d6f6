/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict for programs. Keys are stable; what was not measured is null.
 */
#include "reports/json.h"
#include "reports/reproducible.h"
#include "reports/verdict.h"
#include "study/symmetric.h"

#include "ir/counts.h"
#include "mapping/mapping.h"

#include <stdio.h>

enum { NAME_BYTES = 256 };

static const char *const severity_name[] = {"note", "warning", "error"};

static void write_subject(struct json *json, const struct verdict *verdict)
{
    const struct schedule_header *header = verdict->header;
    json_put_string(json, "collective", collective_name(header->collective, header->form));
    json_put_string(json, "algorithm", header->algorithm);
    json_put_string(json, "topology", verdict->topology ? verdict->topology->name : NULL);
    json_put_string(json, "routing", verdict->topology ? topology_routing_rule(verdict->topology) : NULL);
    if (verdict->topology)
        json_put_bool(json, "routes_assumed", topology_assumes_routes(verdict->topology));
    else
        json_put_null(json, "routes_assumed");
    json_put_unsigned(json, "ranks", header->n_ranks);
    json_put_unsigned(json, "servers", verdict->placement ? verdict->placement->n_servers : header->n_ranks);
}

/* A figure of the network: null where there is none. */
static void write_measured(struct json *json, const struct verify_report *report, const char *key,
                           uint64_t value)
{
    if (report->has_network)
        json_put_unsigned(json, key, value);
    else
        json_put_null(json, key);
}

/* The order of hosts that would be better; null where none is known. */
static void write_host_order(struct json *json, const struct mapping_result *order)
{
    if (!order) {
        json_put_null(json, "host_order");
        return;
    }
    json_open(json, "host_order", '{');
    json_put_string(json, "order", order->order);
    json_put_unsigned(json, "sum_step_chunks", order->after.step_load);
    json_put_unsigned(json, "sum_step_chunks_placed", order->before.step_load);
    json_close(json, '}');
}

/* Writes what each of several networks carries; null where there is one. */
static void verdict_json_write_networks(struct json *json, const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    uint64_t chunk_bytes = schedule_unit_bytes(verdict->header), bytes;
    if (!report->n_networks) {
        json_put_null(json, "networks");
        return;
    }
    json_open(json, "networks", '[');
    for (uint32_t i = 0; i < report->n_networks; i++) {
        const struct network_load *load = &report->network_load[i];
        json_open(json, NULL, '{');
        json_put_string(json, "label", topology_network_info(verdict->topology, i)->label);
        json_put_unsigned(json, "messages", load->messages);
        json_put_unsigned(json, "chunks", load->chunks);
        if (chunk_bytes && mem_multiply(load->chunks, chunk_bytes, &bytes))
            json_put_unsigned(json, "bytes", bytes);
        else
            json_put_null(json, "bytes");
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The load compared with what no schedule can beat on the given routes. */
static void write_bound_on_routes(struct json *json, const struct verdict *verdict, bool is_complete)
{
    const struct least_load *least = &verdict->least;
    const bool is_known = is_complete && least->routes_kind;
    json_put_string(json, "routes_bound_kind", is_known ? least->routes_kind : NULL);
    if (!is_known) {
        json_put_null(json, "routes_bound_load");
        json_put_null(json, "routes_bound_ratio");
        return;
    }
    json_put_real(json, "routes_bound_load", least->routes_units / schedule_block_units(verdict->header));
    json_put_real(json, "routes_bound_ratio", (double)verdict->report->sum_step_units / least->routes_units);
}

/* The load compared with what no schedule can beat. */
static void write_bound(struct json *json, const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    const double block = schedule_block_units(verdict->header);
    const bool is_known = report->bound_ratio > 0 && report->is_complete;
    write_bound_on_routes(json, verdict, is_known);
    json_put_string(json, "bound_kind", is_known ? verdict->least.kind : NULL);
    if (!is_known) {
        json_put_null(json, "bound_load");
        json_put_null(json, "sum_step_blocks");
        json_put_null(json, "bound_ratio");
        return;
    }
    json_put_real(json, "bound_load", verdict->least.units / block);
    json_put_real(json, "sum_step_blocks", (double)report->sum_step_units / block);
    json_put_real(json, "bound_ratio", report->bound_ratio);
}

static void write_decided(struct json *json, const struct symmetric_verdict *symmetric)
{
    const bool is_decided = symmetric && symmetric->is_decided;
    json_put_string(json, "decided_by", is_decided ? "symmetry" : "expansion");
    json_open(json, "shifts", '[');
    for (uint32_t i = 0; is_decided && i < symmetric->symmetry.shifts.n; i++) {
        const uint32_t n = symmetric->symmetry.shifts.extent[i] / symmetric->symmetry.period[i];
        if (n > 1)
            json_put_unsigned(json, NULL, n);
    }
    json_close(json, ']');
    json_put_string(json, "why_expanded", symmetric ? symmetric->argument.reason : NULL);
}

static void verdict_json_node_name(const struct topology *topology, int64_t node, char *name)
{
    name[0] = '\0';
    if (topology && node >= 0)
        topology_node_name(topology, (uint32_t)node, name, NAME_BYTES);
}

static void verdict_json_write_link(struct json *json, const struct topology *topology, uint32_t link)
{
    char name[NAME_BYTES];
    uint32_t from, to;
    topology_link_ends(topology, link, &from, &to);
    verdict_json_node_name(topology, from, name);
    json_put_string(json, "link_from", name);
    verdict_json_node_name(topology, to, name);
    json_put_string(json, "link_to", name);
}

static void write_machine(struct json *json, const struct topology *topology, int64_t machine)
{
    char name[NAME_BYTES];
    json_put_index(json, "machine", machine);
    verdict_json_node_name(topology, machine, name);
    json_put_string(json, "machine_name", *name ? name : NULL);
}

static void write_span(struct json *json, uint64_t first, uint64_t last)
{
    json_open(json, NULL, '[');
    json_put_unsigned(json, NULL, first);
    json_put_unsigned(json, NULL, last);
    json_close(json, ']');
}

/* Steps as pairs [first, last]. */
static void verdict_json_write_ranges(struct json *json, const char *key, const struct step_ranges *ranges)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < ranges->n; i++)
        write_span(json, ranges->items[i].first, ranges->items[i].end - 1);
    json_close(json, ']');
}

/* Writes how much, when and from where; closes what was opened for it. */
static void write_worst(struct json *json, const struct verdict *verdict, const struct worst *worst,
                        const char *unit)
{
    const struct position position = schedule_line(verdict->source, worst->line);
    json_put_unsigned(json, "value", worst->value);
    json_put_string(json, "unit", unit);
    json_put_unsigned(json, "step", worst->step);
    verdict_json_write_ranges(json, "steps", &worst->steps);
    json_put_string(json, "file", position.line ? position.source->path : NULL);
    json_put_index(json, "line", position.line ? (int64_t)position.line : -1);
    json_put_index(json, "column", position.line ? (int64_t)position.column : -1);
    json_close(json, '}');
}

static void write_most_in_all(struct json *json, const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    if (!report->has_network || !report->max_total_load) {
        json_put_null(json, "busiest_link_in_all");
        return;
    }
    json_open(json, "busiest_link_in_all", '{');
    json_put_unsigned(json, "link", report->total_link);
    verdict_json_write_link(json, verdict->topology, report->total_link);
    json_put_unsigned(json, "value", report->max_total_load);
    json_put_string(json, "unit", "messages");
    json_close(json, '}');
}

static void write_busiest(struct json *json, const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    const struct worst *link = &report->worst_link, *port = &report->worst_port;
    const char *network;
    if (report->has_network && link->value) {
        json_open(json, "busiest_link", '{');
        json_put_unsigned(json, "link", link->subject);
        verdict_json_write_link(json, verdict->topology, link->subject);
        write_worst(json, verdict, link, "messages");
    } else {
        json_put_null(json, "busiest_link");
    }
    write_most_in_all(json, verdict);
    if (!port->value) {
        json_put_null(json, "busiest_port");
        return;
    }
    json_open(json, "busiest_port", '{');
    write_machine(json, verdict->topology, verdict_port(verdict, &network));
    json_put_string(json, "network", network);
    write_worst(json, verdict, port, "servers");
}

static void write_verdict(struct json *json, const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    json_put_unsigned(json, "steps", report->n_steps);
    json_put_unsigned(json, "idle_steps", report->n_idle);
    json_put_unsigned(json, "messages", report->n_messages);
    json_put_bool(json, "matched", report->is_matched);
    json_put_bool(json, "complete", report->is_complete);
    if (report->agreement == AGREEMENT_UNKNOWN)
        json_put_null(json, "agrees");
    else
        json_put_bool(json, "agrees", report->agreement == AGREEMENT_YES);
    json_put_bool(json, "deadlock_free", report->waiting == WAITING_NONE);
    json_put_string(json, "deadlock", waiting_word(report->waiting));
    json_put_unsigned(json, "eager_chunks", report->eager_chunks);
    json_put_unsigned(json, "eager_chunks_least", report->eager_chunks_least);
    json_put_unsigned(json, "eager_bytes", report->eager_bytes);
    write_measured(json, report, "max_link_load", report->max_link_load);
    write_measured(json, report, "max_total_load", report->max_total_load);
    write_measured(json, report, "sum_step_load", report->sum_step_load);
    write_measured(json, report, "contended_steps", report->contended_steps);
    json_put_unsigned(json, "max_fan_in", report->max_fan_in);
    json_put_unsigned(json, "max_fan_out", report->max_fan_out);
    write_measured(json, report, "drift_link_load", report->drift_link_load);
    json_put_unsigned(json, "drift_fan_in", report->drift_fan_in);
    json_put_unsigned(json, "max_sends", report->max_sends);
    json_put_unsigned(json, "messages_unrouted", report->n_unrouted);
    json_put_unsigned(json, "hol_steps", report->hol_steps);
    json_put_real(json, "max_hol_slowdown", report->max_hol_slowdown);
    verdict_json_write_ranges(json, "hol_step_ranges", &report->hol_ranges);
    write_busiest(json, verdict);
}

static void write_place(struct json *json, const struct topology *topology,
                        const struct place *place)
{
    json_put_index(json, "rank", place->rank);
    json_put_index(json, "peer", place->peer);
    json_put_index(json, "step", place->step);
    json_put_index(json, "link", place->link);
    if (topology && place->link >= 0)
        verdict_json_write_link(json, topology, (uint32_t)place->link);
    write_machine(json, topology, place->machine);
}

/* The names of all machines that it speaks of beside the one of its place. */
static void verdict_json_write_machines(struct json *json, const struct topology *topology,
                                        const struct diagnostic *finding)
{
    char name[NAME_BYTES];
    json_open(json, "machines", '[');
    for (size_t i = 0; i < finding->n_machines; i++) {
        snprintf(name, sizeof name, "m%u", finding->machines[i]);
        if (topology)
            verdict_json_node_name(topology, finding->machines[i], name);
        json_put_string(json, NULL, name);
    }
    json_close(json, ']');
}

/* All ranks that a finding speaks of. */
static void verdict_json_write_ranks(struct json *json, const struct diagnostic *finding)
{
    const struct place *place = &finding->place;
    json_open(json, "ranks", '[');
    for (size_t i = 0; i < finding->n_ranks; i++)
        json_put_unsigned(json, NULL, finding->ranks[i]);
    if (!finding->n_ranks && place->rank >= 0)
        json_put_index(json, NULL, place->rank);
    if (!finding->n_ranks && place->peer >= 0 && place->peer != place->rank)
        json_put_index(json, NULL, place->peer);
    json_close(json, ']');
}

/* All steps, as pairs [first, last]. */
static void write_spans(struct json *json, const struct diagnostic *finding)
{
    const int64_t step = finding->place.step;
    json_open(json, "steps", '[');
    for (size_t i = 0; i < finding->n_steps; i++)
        write_span(json, finding->steps[i].first, finding->steps[i].last);
    if (!finding->n_steps && step >= 0)
        write_span(json, (uint64_t)step, (uint64_t)step);
    json_close(json, ']');
}

static void write_counted(struct json *json, const struct counted *counted)
{
    json_put_string(json, "unit", counted->unit);
    if (counted->unit)
        json_put_real(json, "value", counted->value);
    else
        json_put_null(json, "value");
    if (counted->unit && counted->limit >= 0)
        json_put_real(json, "limit", counted->limit);
    else
        json_put_null(json, "limit");
}

static void write_finding(struct json *json, const struct topology *topology,
                          const struct diagnostic *finding, bool is_brief)
{
    const struct position *position = &finding->position;
    json_open(json, NULL, '{');
    json_put_string(json, "code", code_table[finding->code].id);
    json_put_string(json, "family", code_table[finding->code].family);
    json_put_string(json, "severity", severity_name[finding->severity]);
    json_put_string(json, "message", finding->message);
    write_place(json, topology, &finding->place);
    if (!is_brief) {
        verdict_json_write_machines(json, topology, finding);
        verdict_json_write_ranks(json, finding);
        write_spans(json, finding);
    }
    write_counted(json, &finding->counted);
    json_put_string(json, "file", position->source ? position->source->path : NULL);
    json_put_index(json, "line", position->line ? (int64_t)position->line : -1);
    json_put_index(json, "column", position->line ? (int64_t)position->column : -1);
    json_put_string(json, "help", finding->help);
    json_put_unsigned(json, "more", finding->n_more);
    json_close(json, '}');
}

void finding_json(struct json *json, const struct topology *topology,
                  const struct diagnostic *finding)
{
    write_finding(json, topology, finding, false);
}

void finding_json_brief(struct json *json, const struct topology *topology, const struct diagnostic *finding)
{
    write_finding(json, topology, finding, true);
}

static void verdict_json_write_findings(struct json *json, const struct verdict *verdict)
{
    const struct diagnostics *lists[] = {verdict->warnings, verdict->findings};
    uint64_t n = 0;
    json_open(json, "findings", '[');
    for (size_t i = 0; i < 2; i++) {
        for (const struct diagnostic *f = lists[i]->first; f; f = f->next)
            finding_json(json, verdict->topology, f);
        for (size_t severity = 0; severity <= SEVERITY_ERROR; severity++)
            n += lists[i]->n_of_severity[severity];
    }
    json_close(json, ']');
    json_put_unsigned(json, "findings_total", n);
}

static void verdict_json_write_steps(struct json *json, const struct verify_report *report)
{
    json_open(json, "per_step", '[');
    for (uint64_t i = 0; i < report->n_records; i++) {
        const struct step_record *step = &report->per_step[i];
        json_open(json, NULL, '{');
        json_put_unsigned(json, "step", i);
        json_put_unsigned(json, "messages", step->n_messages);
        write_measured(json, report, "max_link_load", step->max_link_load);
        json_put_unsigned(json, "max_fan_in", step->max_fan_in);
        json_put_unsigned(json, "max_fan_out", step->max_fan_out);
        json_put_unsigned(json, "max_sends", step->max_sends);
        if (report->has_network)
            json_put_bool(json, "contended", step->is_contended);
        else
            json_put_null(json, "contended");
        json_put_real(json, "hol_slowdown", step->hol_slowdown);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void verdict_json(const struct verdict *verdict, const char *key, struct json *json)
{
    json_open(json, key, '{');
    write_subject(json, verdict);
    write_verdict(json, verdict);
    write_bound(json, verdict);
    write_decided(json, verdict->symmetric);
    verdict_json_write_networks(json, verdict);
    write_host_order(json, verdict->host_order);
    reproducibility_json(verdict->reproducibility, json);
    verdict_json_write_findings(json, verdict);
    if (verdict->per_step)
        verdict_json_write_steps(json, verdict->report);
    json_put_real(json, "seconds", verdict->seconds);
    json_close(json, '}');
}
