/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See topology.h.
 */
#include "reports/topology.h"

#include "network/adapters.h"
#include "network/networks.h"
#include "network/rail_order.h"
#include "network/recognise.h"
#include "reports/fabric_changes.h"
#include "reports/host_costs.h"
#include "reports/networks.h"
#include "reports/record.h"
#include "study/fabric/fabric_nearest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Least and largest value over all links. */
struct range {
    uint64_t least, most;
};

static void range_add(struct range *range, uint64_t value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

/* Finds the least and most of the links of an explicit network. O(links). */
static struct range range_of_links(const struct topology *topology, bool of_bandwidth)
{
    struct range range = {UINT64_MAX, 0};
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link))
            range_add(&range, of_bandwidth ? topology_link_bandwidth(topology, link)
                                           : topology_link_latency(topology, link));
    uint64_t of_all = of_bandwidth ? topology->bandwidth : topology->latency;
    return range.least > range.most ? (struct range){of_all, of_all} : range;
}

/* O(dimensions or levels) for the implicit kinds. */
static struct range topology_range_of(const struct topology *topology, bool of_bandwidth)
{
    const struct topology *whole = topology_whole(topology);
    struct range range = {UINT64_MAX, 0};
    if (!topology_is_implicit(whole))
        return range_of_links(topology, of_bandwidth);
    for (uint32_t i = 0; i < whole->n_classes; i++)
        range_add(&range, of_bandwidth ? whole->classes[i].bandwidth : whole->classes[i].latency);
    return range;
}

static void topology_print_range(struct range range, void (*print)(uint64_t value, struct text *out),
                                 struct text *out)
{
    print(range.least, out);
    if (range.most != range.least) {
        text_append(out, " to ", 4);
        print(range.most, out);
    }
}

static void topology_print_row(struct text *out, const char *what, struct range range,
                               void (*print)(uint64_t value, struct text *out))
{
    text_printf(out, "  %-12s ", what);
    topology_print_range(range, print, out);
    text_append(out, "\n", 1);
}

bool topology_print_unlike_rates(const struct topology *topology, struct text *out)
{
    const struct range range = topology_range_of(topology, true);
    if (range.most != range.least)
        topology_print_range(range, topology_print_bandwidth, out);
    return range.most != range.least;
}

/* The synthetic string of a topology that is regular, "" for others; what an irregular
 * one is nearly, "" if nothing is known. */
struct regularity {
    struct text shape, nearly;
};

/* Says of an irregular network which shape it is but for a few cables, and which these are. */
static void name_nearest(const struct topology *topology, struct text *nearly)
{
    struct topology *shape;
    struct fabric_changes changes;
    if (!fabric_nearest(topology, &shape, &changes))
        return;
    nearly->length = 0;
    topology_shape(shape, nearly);
    text_printf(nearly, " but for: ");
    fabric_changes_sentence(&changes, nearly);
    fabric_changes_free(&changes);
    topology_free(shape);
}

static struct regularity find_regularity(const struct topology *topology)
{
    struct regularity found = {{0}, {0}};
    struct recognition recognition;
    topology_shape(topology, &found.shape);
    if (recognise(topology, &recognition)) {
        found.shape.length = 0; /* its own string may say the same in other words */
        topology_shape(recognition.shape, &found.shape);
    }
    text_append(&found.nearly, recognition.nearly.data, recognition.nearly.length);
    recognition_free(&recognition);
    if (!found.shape.length)
        name_nearest(topology, &found.nearly);
    return found;
}

static void regularity_free(struct regularity *regularity)
{
    text_free(&regularity->shape);
    text_free(&regularity->nearly);
}

/* Prints the cables of hosts with several, a line for each number. */
static void print_rails(const struct topology *topology, struct text *out)
{
    uint32_t n;
    struct host_rail *rails = topology_find_rails(topology, &n);
    for (uint32_t i = 0; i < n; i++) {
        text_printf(out, "  %-13s", i ? "" : "rails");
        host_rail_print(&rails[i], out);
        text_append(out, "\n", 1);
    }
    free(rails);
}

/* Finds hosts whose adapters are in another order than their switches; to be freed. */
static struct rail_disorders topology_disorders(const struct topology *topology)
{
    uint32_t *rail = rail_order_find(topology);
    struct rail_disorders disorders = rail_disorders_find(topology, rail);
    free(rail);
    return disorders;
}

static void print_disorders(const struct topology *topology, struct text *out)
{
    struct rail_disorders disorders = topology_disorders(topology);
    for (size_t i = 0; i < disorders.n; i++) {
        text_printf(out, "  %-13s", i ? "" : "out of order");
        rail_disorder_print(topology, &disorders.items[i], out);
        text_append(out, "\n", 1);
    }
    rail_disorders_free(&disorders);
}

void topology_text(const struct topology *topology, const struct adapter_list *adapters,
                   struct text *out)
{
    struct regularity regularity = find_regularity(topology);
    bool is_exact;
    text_append_safe(out, topology->name);
    text_append(out, "\n", 1);
    text_printf(out, "  machines     %u\n  routers      %u\n", topology->n_machines,
                topology->n_routers);
    text_printf(out, "  links        %u, one per direction\n", topology->n_links);
    networks_text(topology, out);
    topology_print_row(out, "bandwidth", topology_range_of(topology, true), topology_print_bandwidth);
    topology_print_row(out, "latency", topology_range_of(topology, false), topology_print_latency);
    if (topology->ports)
        text_printf(out, "  ports        %u messages at once per machine\n", topology->ports);
    if (topology_whole(topology)->hosts) {
        text_printf(out, "  hosts        ");
        host_costs_said_text(topology_whole(topology)->hosts, out);
        text_append(out, "\n", 1);
    }
    print_rails(topology, out);
    print_disorders(topology, out);
    uint32_t longest = topology_longest_route(topology, &is_exact);
    text_printf(out, "  routes       at most %u links%s\n", longest,
                is_exact ? "" : ", perhaps fewer: not all were walked");
    if (regularity.shape.length)
        text_printf(out, "  shape        %s\n", regularity.shape.data);
    if (regularity.nearly.length)
        text_printf(out, "  nearly       %s\n", regularity.nearly.data);
    text_printf(out, "  routing      %s\n", topology_routing_rule(topology));
    text_printf(out, "  fingerprint  %016" PRIx64 "\n", topology->fingerprint);
    if (adapters)
        adapters_text(topology, adapters, out);
    regularity_free(&regularity);
}

#include "reports/topology.def"

void topology_json(const struct topology *topology, const struct adapter_list *adapters,
                   struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    topology_write(&json, topology, adapters);
    json_close(&json, '}');
}
