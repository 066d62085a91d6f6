/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rails of hosts, and what is odd about them. See adapters.h.
 */
#include "network/adapters.h"

#include "base/codes.h"
#include "network/graph.h"
#include "network/host_ports.h"
#include "network/networks.h"
#include "network/rail_order.h"

#include <stdlib.h>

/* Adds up the cables of rail number `number`; rails[link] is that of a link from a host to a switch. `seen`
 * is [node], which rail was met there last, + 1. */
static struct host_rail find_rail(const struct graph *graph, const uint32_t *rails, uint32_t number,
                             uint32_t *seen)
{
    struct host_rail rail = {.number = number, .lowest = UINT64_MAX};
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
        if (rails[link] != number)
            continue;
        const uint32_t host = graph_link_from(graph, link), router = graph_link_to(graph, link);
        const uint64_t bandwidth = graph->cables[link / 2].bandwidth;
        if (!rail.n_hosts) {
            rail.router = graph_name(graph, router);
            rail.adapter = graph_adapter_name(graph, link);
        }
        rail.n_hosts += seen[host] != number + 1;
        rail.n_switches += seen[router] != number + 1;
        seen[host] = seen[router] = number + 1;
        rail.lowest = bandwidth < rail.lowest ? bandwidth : rail.lowest;
        rail.highest = bandwidth > rail.highest ? bandwidth : rail.highest;
    }
    return rail;
}

const char *topology_adapter_name(const struct topology *topology, uint32_t link)
{
    const struct graph *graph = topology_as_graph(topology);
    return graph ? graph_adapter_name(graph, link) : NULL;
}

bool topology_tells_adapters(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology);
    return graph && topology->host_ports && (graph->subnet || graph->adapter_at);
}

/* Finds rails by the numbers of cables, or by those of switches: [node], unless NULL. */
static struct host_rail *find_rails(const struct topology *topology, const uint32_t *rail_of_switch,
                                    uint32_t *n)
{
    const struct graph *graph = topology_as_graph(topology);
    *n = 0;
    if (!topology_tells_adapters(topology))
        return NULL;
    const uint32_t most = topology->host_ports->n;
    uint32_t *rails = mem_alloc(2 * (size_t)graph->n_cables, sizeof *rails);
    uint32_t *seen = mem_alloc(graph->n_nodes, sizeof *seen);
    struct host_rail *found = mem_alloc(most, sizeof *found);
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
        rails[link] = !graph_is_host_cable(graph, link) ? GRAPH_NONE
                      : rail_of_switch            ? rail_of_switch[graph_link_to(graph, link)]
                                                  : topology->host_ports->out[link];
        if (rails[link] != GRAPH_NONE && rails[link] < most && rails[link] >= *n)
            *n = rails[link] + 1;
    }
    for (uint32_t i = 0; i < *n; i++)
        found[i] = find_rail(graph, rails, i, seen);
    free(rails);
    free(seen);
    return found;
}

struct host_rail *topology_find_rails(const struct topology *topology, uint32_t *n)
{
    return find_rails(topology, NULL, n);
}

static bool are_unlike(const struct host_rail *a, const struct host_rail *b)
{
    return a->n_hosts != b->n_hosts || a->n_switches != b->n_switches || a->lowest != b->lowest ||
           a->highest != b->highest;
}

void host_rail_print(const struct host_rail *rail, struct text *text)
{
    if (rail->adapter)
        text_append_safe(text, rail->adapter);
    else
        text_printf(text, "cable %u", rail->number);
    text_printf(text, ": %u host%s on %u switch%s, '", rail->n_hosts, rail->n_hosts == 1 ? "" : "s",
                rail->n_switches, rail->n_switches == 1 ? "" : "es");
    text_append_safe(text, rail->router);
    text_printf(text, "'%s, ", rail->n_switches > 1 ? " first" : "");
    topology_print_bandwidth(rail->lowest, text);
    if (rail->highest != rail->lowest) {
        text_printf(text, " to ");
        topology_print_bandwidth(rail->highest, text);
    }
}

/* Reports T030. `of` says of which network hosts are. */
static void warn_of_order(const struct topology *topology, const struct rail_disorders *disorders,
                          const char *of, struct diagnostics *diagnostics)
{
    enum { SHOWN = 4 };
    const uint32_t n = disorders->n_machines, n_others = disorders->n_all - n;
    struct text text = {0};
    for (size_t i = 0; i < disorders->n && i < SHOWN; i++) {
        text_printf(&text, "%s", i ? "; " : "");
        rail_disorder_print(topology, &disorders->items[i], &text);
    }
    report(diagnostics, CODE_T030, (struct position){.source = NULL},
           "%u of %u hosts%s %s adapters in another order than the other%s, by their switches (%s%s)", n,
           disorders->n_all, of, n == 1 ? "has" : "have",
           n_others == 1   ? ""
           : n_others == n ? " half"
                           : "s",
           text.data, disorders->n > SHOWN ? "; ..." : "")
        ->help = "rails go by the names of adapters, as in programs; --adapters rails-by-switch lets them go "
                 "by switches";
    text_free(&text);
}

/* Reports T028 where rails are unlike. */
static void warn_of_unlike(const struct host_rail *rails, uint32_t n, const char *of,
                           struct diagnostics *diagnostics)
{
    enum { SHOWN = 8 };
    uint32_t i = 1;
    if (n > 1 && 2 * rails[1].n_hosts < rails[0].n_hosts)
        n = 1; /* a few servers have a second cable */
    while (i < n && !are_unlike(&rails[i], &rails[0]))
        i++;
    if (i >= n)
        return;
    struct text text = {0};
    for (i = 0; i < n && i < SHOWN; i++) {
        text_printf(&text, "%s", i ? "; " : "");
        host_rail_print(&rails[i], &text);
    }
    report(diagnostics, CODE_T028, (struct position){.source = NULL},
           "the adapters of hosts%s are unlike (%s%s); messages take any of them", of, text.data,
           n > SHOWN ? "; ..." : "")
        ->help = "name those that the program uses by adapter, switch or rate: --adapters mlx5_0, "
                 "--adapters ^switch:stor*, --adapters rate:200Gb/s";
    text_free(&text);
}

static void warn_of_adapters(const struct topology *topology, bool are_all, const char *of,
                             struct diagnostics *diagnostics)
{
    uint32_t n, *rail_of_switch = topology_tells_adapters(topology) ? rail_order_find(topology) : NULL;
    struct rail_disorders disorders = rail_disorders_find(topology, rail_of_switch);
    if (disorders.n)
        warn_of_order(topology, &disorders, of, diagnostics);
    struct host_rail *rails = find_rails(topology, disorders.n ? rail_of_switch : NULL, &n);
    if (are_all)
        warn_of_unlike(rails, n, of, diagnostics);
    free(rails);
    free(rail_of_switch);
    rail_disorders_free(&disorders);
}

void topology_warn_of_adapters(const struct topology *topology, bool are_all,
                               struct diagnostics *diagnostics)
{
    struct text of = {0};
    if (topology_n_networks(topology) == 1)
        warn_of_adapters(topology, are_all, "", diagnostics);
    for (uint32_t i = 1; i < topology_n_networks(topology); i++) {
        of.length = 0;
        text_printf(&of, " of network '%s'", topology_network_info(topology, i)->label);
        warn_of_adapters(topology_network_member(topology, i), are_all, of.data, diagnostics);
    }
    text_free(&of);
}
