/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of collc route --metrics, printed.
 */
#include "network/tables.h"
#include "reports/record.h"
#include "reports/route_report.h"

#include <inttypes.h>
#include <stdlib.h>

/* Words for what can go wrong with a pair. */
static const char *const fate_labels[N_FATES] = {
    [FATE_ARRIVES] = "failed link", [FATE_NO_LID] = "no LID",   [FATE_NO_TABLE] = "no table",
    [FATE_NO_ENTRY] = "no entry", [FATE_NO_CABLE] = "no cable", [FATE_ASTRAY] = "wrong machine",
    [FATE_LOOPS] = "loop"};

static void print_cycle(const struct topology *topology, const struct channel_cycle *cycle,
                        struct text *out)
{
    enum { SHOWN = 8 };
    char name[END_NAME_SIZE];
    for (uint32_t i = 0; i < cycle->n && i < SHOWN; i++) {
        link_end_name(topology, cycle->channels[i].link, false, name);
        text_printf(out, "%s%s", i ? " -> " : ": ", name);
        if (cycle->channels[i].lane)
            text_printf(out, " lane %u", cycle->channels[i].lane);
    }
    text_printf(out, cycle->n > SHOWN ? " -> ... (%u links)\n" : " -> back\n", cycle->n);
}

static void print_dependencies(const struct topology *topology, const char *label,
                               const struct channel_cycle *cycle, struct text *out)
{
    text_printf(out, "  dependencies  %s%s", cycle->n ? "a cycle " : "no cycle ", label);
    if (cycle->n)
        print_cycle(topology, cycle, out);
    else
        text_append(out, "\n", 1);
}

/* Appends the largest groups of hosts without routes, a line each. */
static void print_who(const struct topology *topology, struct text *out)
{
    enum { SHOWN = 3 };
    struct unrouted unrouted = unrouted_find(topology, NULL, 0, NULL);
    for (size_t i = 0; i < unrouted.n_groups && i < SHOWN; i++) {
        text_printf(out, "  %-13s ", i ? "" : "unrouted");
        unrouted_print_group(&unrouted, &unrouted.groups[i], true, out);
        text_append(out, "\n", 1);
    }
    if (unrouted.n_groups > SHOWN)
        text_printf(out, "  %-13s and %zu more such groups: --unrouted lists all\n", "", unrouted.n_groups - SHOWN);
    unrouted_free(&unrouted);
}

static void print_pairs(const struct topology *topology, const struct metrics *metrics,
                        struct text *out)
{
    uint64_t pairs[N_FATES];
    bool has_tables = tables_are_used(topology);
    if (has_tables)
        tables_count_unrouted(topology, pairs);
    text_printf(out, "  pairs         %" PRIu64 ", %" PRIu64 " without a route", metrics->pairs,
                metrics->pairs_unrouted);
    const char *separator = " (";
    for (int fate = 0; has_tables && fate < N_FATES; fate++) {
        if (!pairs[fate])
            continue;
        text_printf(out, "%s%" PRIu64 " %s", separator, pairs[fate], fate_labels[fate]);
        separator = ", ";
    }
    text_printf(out, "%s\n", *separator == ',' ? ")" : "");
    if (metrics->pairs_unrouted)
        print_who(topology, out);
}

void metrics_text(const struct topology *topology, const struct metrics *metrics,
                  struct text *out)
{
    text_printf(out, "%s\n  hosts         %u\n  switches      %u\n", topology->name,
                topology->n_machines, topology->n_routers);
    print_pairs(topology, metrics, out);
    text_printf(out, "  hops          at most %u switches\n", metrics->hops_max);
    if (metrics->n_channels)
        text_printf(out,
                    "  channels      %" PRIu64 " links between switches, %" PRIu64 " unused; the "
                    "others carry %" PRIu64 " to %" PRIu64 " routes, %.1f on average\n",
                    metrics->n_channels, metrics->n_unused, metrics->efi_min, metrics->efi_max,
                    metrics->efi_mean);
    text_printf(out,
                "  bisection     %.3f of a link's bandwidth for a pair, mean of random "
                "matchings\n",
                metrics->effective_bisection);
    text_printf(out, "  shifts        link load at most %u, %.2f on average\n",
                metrics->worst_shift_load, metrics->mean_shift_load);
    print_dependencies(topology, "if all lanes are one", &metrics->cycle, out);
    if (metrics->has_lanes) {
        struct text label = {0};
        text_printf(&label, "on %u lane%s", metrics->n_lanes, metrics->n_lanes == 1 ? "" : "s");
        print_dependencies(topology, label.data, &metrics->cycle_lanes, out);
        text_free(&label);
    }
    text_printf(out, "  routing       %s\n", topology_routing_rule(topology));
}

#include "reports/metrics.def"

void metrics_json(const struct topology *topology, const struct metrics *metrics,
                  struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    metrics_write(&json, topology, metrics);
    json_close(&json, '}');
}
