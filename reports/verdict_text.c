/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict for people.
 */
#include "reports/verdict.h"

#include "base/quantity.h"
#include "bound/bound.h"
#include "ir/counts.h"
#include "mapping/mapping.h"
#include "measure/channel_hops.h"
#include "measure/ranges.h"
#include "network/host_ports.h"
#include "network/wiring.h"
#include "reports/rank_adapters.h"
#include "reports/reproducible.h"
#include "reports/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void verdict_text_print_head(const struct verdict *verdict, struct text *out)
{
    const struct schedule_header *header = verdict->header;
    text_printf(out, "%s/", collective_name(header->collective, header->form));
    text_append_safe(out, header->algorithm);
    text_printf(out, ": %u rank%s", header->n_ranks, plural(header->n_ranks));
    if (verdict->placement)
        text_printf(out, " on %u server%s", verdict->placement->n_servers,
                    plural(verdict->placement->n_servers));
    if (verdict->topology) {
        text_append(out, ", ", 2);
        text_append_safe(out, verdict->topology->name);
    }
    text_append(out, "\n", 1);
}

static const char *yes_or_no(bool value)
{
    return value ? "yes" : "no";
}

/* Prints what is enough in every order, and, where there is a gap, what is not. */
static void verdict_text_print_buffers(const struct verify_report *report, struct text *out)
{
    text_printf(out, " (unless a rank can buffer %" PRIu64 " chunk%s", report->eager_chunks,
                plural(report->eager_chunks));
    if (report->eager_chunks_least < report->eager_chunks)
        text_printf(out, "; fewer than %" PRIu64 " are too few", report->eager_chunks_least);
    text_printf(out, ")");
}

static void print_proofs(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    if (schedule_promises(verdict->header))
        text_printf(out, "  complete    %s", yes_or_no(report->is_complete));
    else
        text_printf(out, "  complete    not judged: the pattern does not say what ranks need in the end");
    if (report->n_unrouted)
        text_printf(out, ": %" PRIu64 " of %" PRIu64 " messages %s no route, so what %s does not arrive",
                    report->n_unrouted, report->n_messages, report->n_unrouted == 1 ? "has" : "have",
                    report->n_unrouted == 1 ? "it brings" : "they bring");
    if (verdict_flaw(verdict))
        text_printf(out, ": %s%s", verdict_flaw(verdict),
                    report->agreement == AGREEMENT_NO ? ", but floats differ between ranks" : "");
    text_printf(out, "\n");
    if (report->agreement != AGREEMENT_UNKNOWN)
        text_printf(out, "  agree       %s\n",
                    report->agreement == AGREEMENT_YES
                        ? "yes"
                        : "no: ranks get different floats, so for exact operations only");
    if (verdict->is_verbose || !report->is_matched)
        text_printf(out, "  matched     %s\n", yes_or_no(report->is_matched));
    text_printf(out, "  deadlock    %s", waiting_word(report->waiting));
    if (report->waiting_reason)
        text_printf(out, ": %s", report->waiting_reason);
    else if (report->eager_chunks)
        verdict_text_print_buffers(report, out);
    text_printf(out, "\n  steps       %" PRIu64, report->n_steps);
    if (report->n_idle)
        text_printf(out, " (%" PRIu64 " idle)", report->n_idle);
    if (report->is_cut_short)
        text_printf(out, " before ranks wait for ever");
    text_printf(out, ", messages %" PRIu64 "\n", report->n_messages);
}

enum { MAX_SHOWN_RANGES = 4 };

/* "9..15, 17..23 ..." */
static void verdict_text_print_ranges(const struct step_ranges *ranges, struct text *out)
{
    for (size_t i = 0; i < ranges->n && i <= MAX_SHOWN_RANGES; i++) {
        const struct step_range *range = &ranges->items[i];
        if (i == MAX_SHOWN_RANGES) {
            text_printf(out, " ...");
            break;
        }
        text_printf(out, "%s%" PRIu64, i ? ", " : "", range->first);
        if (range->end - range->first > 1)
            text_printf(out, "..%" PRIu64, range->end - 1);
    }
}

/* "in step 52, sent by ring.coll:23", and in which steps something has as much. */
static void print_when(const struct verdict *verdict, const struct worst *worst, struct text *out)
{
    const struct position position = schedule_line(verdict->source, worst->line);
    text_printf(out, " in step %" PRIu64, worst->step);
    if (position.line)
        text_printf(out, ", sent by %s:%u", position.source->path, position.line);
    if (worst->steps.n > 1 || worst->steps.items[0].end > worst->step + 1) {
        text_printf(out, "; as much in steps ");
        verdict_text_print_ranges(&worst->steps, out);
    }
    text_printf(out, "\n");
}

static void verdict_text_print_node(const struct topology *topology, uint32_t node, struct text *out)
{
    char name[128];
    snprintf(name, sizeof name, "m%u", node);
    if (topology)
        topology_node_name(topology, node, name, sizeof name);
    text_printf(out, "'");
    text_append_safe(out, name);
    text_printf(out, "'");
}

void verdict_print_link(const struct topology *topology, uint32_t link, struct text *out)
{
    uint32_t from, to;
    topology_link_ends(topology, link, &from, &to);
    verdict_text_print_node(topology, from, out);
    text_printf(out, " -> ");
    verdict_text_print_node(topology, to, out);
    if (link_is_one_of_several(topology, link))
        text_printf(out, " (link %" PRIu32 ")", link);
}

const char *verdict_unit(const struct verdict *verdict)
{
    return placement_stripes(verdict->placement) > 1 ? "stripes" : "messages";
}

uint64_t verdict_heaviest_time(const struct verdict *verdict)
{
    const struct verify_report *report = verdict->report;
    const struct bound transfer = {
        .blocks = report->heaviest_bytes,
        .bandwidth = topology_link_bandwidth(verdict->topology, report->heaviest_link)};
    return bound_time(&transfer, 1);
}

/* The links with most in a step, and in all steps. One message harms nobody. */
static void print_busiest(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    if (report->worst_link.value > 1) {
        text_printf(out, "  busiest     ");
        verdict_print_link(verdict->topology, report->worst_link.subject, out);
        text_printf(out, ": %u %s", report->worst_link.value, verdict_unit(verdict));
        print_when(verdict, &report->worst_link, out);
    }
    if (report->max_total_load > 1) {
        text_printf(out, "  most in all ");
        verdict_print_link(verdict->topology, report->total_link, out);
        text_printf(out, ": %" PRIu64 " %s over all steps\n", report->max_total_load, verdict_unit(verdict));
    }
    if (report->heaviest_bytes) {
        text_printf(out, "  heaviest    ");
        verdict_print_link(verdict->topology, report->heaviest_link, out);
        text_printf(out, ": %" PRIu64 " bytes over all steps, ", report->heaviest_bytes);
        print_time(verdict_heaviest_time(verdict), out);
        text_printf(out, " at its bandwidth\n");
    }
}

const char *verdict_party(const struct verdict *verdict)
{
    return verdict->placement && verdict->placement->adapters ? "adapter" : "server";
}

uint32_t verdict_port(const struct verdict *verdict, uint32_t *link)
{
    const uint32_t subject = verdict->report->worst_port.subject;
    const uint32_t n_ports = topology_n_host_ports(verdict->topology), server = subject / n_ports;
    const uint32_t machine = verdict->placement ? verdict->placement->server_machine[server] : server;
    const bool has_links = verdict->topology && verdict->topology->host_ports;
    *link = has_links ? host_ports_link(verdict->topology, machine, subject % n_ports, true) : NO_NEXT_LINK;
    return machine;
}

static void print_worst_port(const struct verdict *verdict, struct text *out)
{
    const struct worst *worst = &verdict->report->worst_port;
    uint32_t link;
    if (worst->value < 2)
        return;
    const uint32_t machine = verdict_port(verdict, &link);
    text_printf(out, "  busy port   ");
    if (link == NO_NEXT_LINK)
        verdict_text_print_node(verdict->topology, machine, out);
    else
        verdict_print_link(verdict->topology, link, out);
    text_printf(out, ": %u %ss send to it", worst->value, verdict_party(verdict));
    print_when(verdict, worst, out);
}

/* "block, machines by switch", or the name of a file. */
static void print_placement(const struct placement *placement, struct text *out)
{
    text_printf(out, "  placement   ");
    text_append_safe(out, placement->name);
    text_printf(out, "\n");
}

/* "hosts sorted by switch: 63 instead of 197 chunks summed over steps" */
static void print_host_order(const struct mapping_result *order, const char *unit, struct text *out)
{
    text_printf(out,
                "  better      hosts %s: %" PRIu64 " instead of %" PRIu64 " %s summed over steps%s; "
                     "'collc map' writes it, with --to as a file of hosts\n",
                order->order, order->after.step_load, order->before.step_load, unit,
                order->before.is_weighed ? ", on a slower link as many times more" : "");
}

static void print_servers(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    text_printf(out, "  fan-in      at most %u, fan-out %u %s%s; %u message%s sent at once\n",
                report->max_fan_in, report->max_fan_out, verdict_party(verdict), plural(report->max_fan_out),
                report->max_sends, plural(report->max_sends));
    print_worst_port(verdict, out);
    text_printf(out, "  hol         %" PRIu64 " of %" PRIu64 " steps", report->hol_steps,
                report->n_steps);
    if (report->hol_steps) {
        text_printf(out, " (");
        verdict_text_print_ranges(&report->hol_ranges, out);
        text_printf(out, "), slowed down %.2f times at worst", report->max_hol_slowdown);
    }
    text_printf(out, "\n");
}

/* Blocks, which messages may carry parts of; bytes with counts. */
static double verdict_text_blocks_of(const struct schedule_header *header, double units)
{
    return units / schedule_block_units(header);
}

/* Prints the same ratio for the bound on the given routes, or why there is none. */
static void print_bound_on_routes(const struct verdict *verdict, struct text *out)
{
    const struct least_load *least = &verdict->least;
    const bool is_new = least->routes_units < least->units || least->routes_units > least->units;
    if (least->routes_kind && (verdict->is_verbose || is_new))
        text_printf(out, "  on routes   %.2f: on these routes some link must carry %.7g (%s)\n",
                    verify_sum_units(verdict->report) / least->routes_units,
                    verdict_text_blocks_of(verdict->header, least->routes_units), least->routes_kind);
    else if (!least->routes_kind && least->routes_missing)
        text_printf(out, "  on routes   not computed: %s\n", least->routes_missing);
}

/* Prints what some link has to carry, and what the busiest links of all steps do. */
static void verdict_text_print_bound(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    const struct schedule_header *header = verdict->header;
    if (!(report->bound_ratio > 0) || !report->is_complete)
        return;
    const double sum = verdict_text_blocks_of(header, verify_sum_units(report));
    text_printf(out, "  x bound     %.2f: %.7g %s%s summed over steps, some link must carry %.7g (%s)",
                report->bound_ratio, sum, header->counts ? "byte" : "block", sum < 1 || sum > 1 ? "s" : "",
                verdict_text_blocks_of(header, verdict->least.units), verdict->least.kind);
    struct text rates = {0};
    if (topology_print_unlike_rates(verdict->topology, &rates))
        text_printf(out, "; links of %s count alike", rates.data);
    text_append(out, "\n", 1);
    text_free(&rates);
    print_bound_on_routes(verdict, out);
}

static void verdict_text_print_links(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    if (report->n_unrouted)
        text_printf(out, "  unrouted    %" PRIu64 " of %" PRIu64
                         " messages, which the loads below do not have\n",
                    report->n_unrouted, report->n_messages);
    text_printf(out,
                "  link load   at most %u in a step, %" PRIu64 " in all; %" PRIu64
                " summed over steps\n",
                report->max_link_load, report->max_total_load, report->sum_step_load);
    print_busiest(verdict, out);
    text_printf(out, "  contended   %" PRIu64 " of %" PRIu64 " steps\n", report->contended_steps,
                report->n_steps);
}

/* Prints "2", "2.25", or, where only bounds are known, "2.25 to 2.3". */
static void print_enclosed(double least, double most, struct text *out)
{
    if (most > least * (1 + 1e-3))
        text_printf(out, "%.4g to ", least);
    text_printf(out, "%.4g", most);
}

/* Prints loads where routes are adaptive, as ranges. */
static void print_ranges(const struct verdict *verdict, struct text *out)
{
    const struct load_ranges *ranges = verdict->ranges;
    text_printf(out, "  link load   adaptive: at most %.10g in a step, balanced ", ranges->worst.most);
    print_enclosed(ranges->worst.least, ranges->worst.balanced, out);
    text_printf(out, "; balanced ");
    print_enclosed(ranges->sum_least, ranges->sum_balanced, out);
    text_printf(out, " summed over steps\n");
    if (ranges->worst.most > 0) {
        text_printf(out, "    most      ");
        verdict_print_link(verdict->topology, ranges->worst.most_link, out);
        text_printf(out, " in step %" PRIu64 ", if all choose it\n", ranges->worst_step);
    }
    text_printf(out,
                "  contended   %" PRIu64 " of %" PRIu64 " steps for certain, %" PRIu64 " by some choices\n",
                ranges->n_certain, verdict->report->n_steps, ranges->n_possible);
}

/* Prints what each of several networks carries, a line each. */
static void verdict_text_print_networks(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    uint64_t chunk_bytes = schedule_unit_bytes(verdict->header), bytes;
    for (uint32_t i = 0; i < report->n_networks; i++) {
        const struct network_load *load = &report->network_load[i];
        text_printf(out, "  %-10s  %s %" PRIu64 " message%s", i ? "" : "networks",
                    topology_network_info(verdict->topology, i)->label, load->messages,
                    plural(load->messages));
        if (chunk_bytes && mem_multiply(load->chunks, chunk_bytes, &bytes))
            text_printf(out, ", %" PRIu64 " bytes", bytes);
        text_printf(out, "\n");
    }
}

/* Prints what each channel crosses, a line each. */
static void print_channels(const struct verdict *verdict, struct text *out)
{
    const struct schedule_header *header = verdict->header;
    for (uint32_t i = 0; verdict->report->has_network && i < header->n_channels; i++) {
        struct channel_hops hops;
        channel_hops_count(header, i, verdict->topology, verdict->placement, &hops);
        text_printf(out, "  %-10s  %s %s: %u of %u hops between hosts, %u to another switch", i ? "" : "channels",
                    header->channels[i].is_tree ? "tree" : "ring", header->channels[i].name, hops.n,
                    header->channels[i].n_hops, hops.n_away);
        if (topology_n_host_ports(verdict->topology) > 1)
            text_printf(out, ", %u to another rail", hops.n_rails);
        if (hops.most > 1) {
            text_printf(out, "; %u over ", hops.most);
            verdict_print_link(verdict->topology, hops.link, out);
        }
        text_printf(out, "\n");
    }
}

static void print_drift(const struct verdict *verdict, struct text *out)
{
    const struct verify_report *report = verdict->report;
    uint32_t drift = verdict->drift;
    if (drift < 2)
        return;
    text_printf(out, "  drift       over %u steps: ", drift);
    if (report->has_network)
        text_printf(out, "link load at most %u, ", report->drift_link_load);
    text_printf(out, "fan-in %u\n", report->drift_fan_in);
}

static bool verdict_text_is_equal(const struct step_record *a, const struct step_record *b)
{
    return a->n_messages == b->n_messages && a->max_link_load == b->max_link_load &&
           a->max_fan_in == b->max_fan_in && a->max_fan_out == b->max_fan_out &&
           a->max_sends == b->max_sends && a->is_contended == b->is_contended &&
           !(a->hol_slowdown < b->hol_slowdown || a->hol_slowdown > b->hol_slowdown);
}

/* Prints a dash for a load that is not known. */
static void verdict_text_print_row(uint64_t first, uint64_t last, const struct step_record *step,
                                   bool has_network, struct text *out)
{
    char steps[48], load[16];
    if (first == last)
        snprintf(steps, sizeof steps, "%" PRIu64, first);
    else
        snprintf(steps, sizeof steps, "%" PRIu64 "..%" PRIu64, first, last);
    snprintf(load, sizeof load, "%u", step->max_link_load);
    text_printf(out, "  %-13s %8" PRIu64 " %9s %6u %7u %5u %9s %8.3f\n", steps, step->n_messages,
                has_network ? load : "-", step->max_fan_in, step->max_fan_out, step->max_sends,
                has_network ? yes_or_no(step->is_contended) : "-", step->hol_slowdown);
}

static void verdict_text_print_steps(const struct verify_report *report, struct text *out)
{
    text_printf(out, "\n  %-13s %8s %9s %6s %7s %5s %9s %8s\n", "step", "messages", "link load",
                "fan-in", "fan-out", "sends", "contended", "slowdown");
    for (uint64_t first = 0, last; first < report->n_records; first = last + 1) {
        last = first;
        while (last + 1 < report->n_records &&
               verdict_text_is_equal(&report->per_step[first], &report->per_step[last + 1]))
            last++;
        verdict_text_print_row(first, last, &report->per_step[first], report->has_network, out);
    }
}

/* Prints only the words before ':' of a rule that fills a line: they say whether routes are known. */
enum { A_LINE = 100 };

static void print_routing(const struct verdict *verdict, struct text *out)
{
    if (!verdict->topology)
        return;
    const char *rule = topology_routing_rule(verdict->topology);
    const size_t all = strlen(rule), length = verdict->is_verbose || all < A_LINE ? all : strcspn(rule, ":");
    text_printf(out, "  routing     %.*s\n", (int)length, rule);
}

void verdict_text(const struct verdict *verdict, struct text *out)
{
    verdict_text_print_head(verdict, out);
    text_printf(out, "  verdict     ");
    verdict_line(verdict, out);
    print_proofs(verdict, out);
    rank_adapters_text(verdict->topology, verdict->placement, out);
    if (verdict->report->has_network)
        verdict_text_print_links(verdict, out);
    if (verdict->ranges)
        print_ranges(verdict, out);
    verdict_text_print_bound(verdict, out);
    verdict_text_print_networks(verdict, out);
    print_channels(verdict, out);
    print_servers(verdict, out);
    print_drift(verdict, out);
    print_routing(verdict, out);
    if (verdict->reproducibility)
        reproducibility_text(verdict->reproducibility, out);
    if (verdict->explains)
        symmetry_text(verdict, out);
    if (verdict->shows_placement)
        print_placement(verdict->placement, out);
    if (verdict->host_order)
        print_host_order(verdict->host_order, verdict->header->counts ? "bytes" : "chunks", out);
    if (verdict->per_step)
        verdict_text_print_steps(verdict->report, out);
}
