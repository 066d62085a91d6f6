/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the rails of the cables of each host with those of their switches. See rail_order.h.
 */
#include "network/forwarding.h"
#include "network/graph.h"
#include "network/host_ports.h"
#include "network/machine_names.h"
#include "network/rail_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct disorder_finder {
    const struct topology *topology;
    const struct graph *graph;
    const uint32_t *rail;
    struct rail_disorders found;
    struct hash_map by_words;
};

/* Returns the rail that the switch at a port of a machine has; GRAPH_NONE: there is no cable. */
static uint32_t rail_at(const struct disorder_finder *finder, uint32_t machine, uint32_t port)
{
    const struct host_ports *ports = finder->topology->host_ports;
    const uint32_t link = host_ports_at(ports, ports->leaves, machine, port);
    return link == NO_NEXT_LINK ? GRAPH_NONE : finder->rail[graph_link_to(finder->graph, link)];
}

/* True if a machine, whose adapters have names, has its cables on other rails than by these: the same ones
 * in another order, or some where most are right. */
static bool has_other_rails(const struct disorder_finder *finder, uint32_t machine)
{
    const struct host_ports *ports = finder->topology->host_ports;
    const uint32_t n_ports = ports->first[machine + 1] - ports->first[machine];
    uint64_t by_names = 0, by_switches = 0;
    uint32_t n = 0, n_right = 0;
    for (uint32_t port = 0; port < n_ports; port++) {
        const uint32_t rail = rail_at(finder, machine, port);
        if (rail == GRAPH_NONE)
            continue;
        if (!graph_adapter_name(finder->graph, host_ports_at(ports, ports->leaves, machine, port)))
            return false;
        n++;
        n_right += rail == port;
        by_names |= UINT64_C(1) << port;
        by_switches |= UINT64_C(1) << rail;
    }
    return n_right < n && (by_names == by_switches || 2 * n_right > n);
}

/* Returns the number of the port of an adapter by which a link leaves, where several cables of the machine
 * are at an adapter of that name; else 0. */
static uint32_t disorder_port(const struct graph *graph, uint32_t link, const char *name)
{
    const uint32_t machine = graph_link_from(graph, link);
    uint32_t n = 0;
    for (uint32_t i = graph->first[machine]; graph->subnet && i < graph->first[machine + 1]; i++) {
        const char *other = graph_adapter_name(graph, graph->out[i]);
        n += other && strcmp(other, name) == 0;
    }
    return n > 1 ? graph->subnet->numbers[link] : 0;
}

/* Appends the name of the adapter at a port: that of the machine, or else the first of all. */
static void print_adapter(const struct disorder_finder *finder, uint32_t machine, uint32_t port,
                          struct text *out)
{
    const struct host_ports *ports = finder->topology->host_ports;
    uint32_t link = host_ports_at(ports, ports->leaves, machine, port);
    for (uint32_t other = 0; link == NO_NEXT_LINK && other < finder->graph->n_machines; other++)
        link = host_ports_at(ports, ports->leaves, other, port);
    const char *name = link == NO_NEXT_LINK ? NULL : graph_adapter_name(finder->graph, link);
    if (name)
        text_append_safe(out, name);
    else
        text_printf(out, "cable %" PRIu32, port);
    if (name && disorder_port(finder->graph, link, name))
        text_printf(out, ":%" PRIu32, disorder_port(finder->graph, link, name));
}

/* Appends "mlx5_1 and mlx5_3 are swapped; mlx5_0 is where others have mlx5_2". */
static void print_disorder(const struct disorder_finder *finder, uint32_t machine, struct text *out)
{
    const struct host_ports *ports = finder->topology->host_ports;
    const uint32_t n_ports = ports->first[machine + 1] - ports->first[machine];
    uint32_t n_swaps = 0, n_others = 0;
    for (uint32_t port = 0; port < n_ports; port++) {
        const uint32_t rail = rail_at(finder, machine, port);
        if (rail == GRAPH_NONE || rail <= port || rail_at(finder, machine, rail) != port)
            continue;
        text_printf(out, "%s", n_swaps++ ? ", " : "");
        print_adapter(finder, machine, port, out);
        text_printf(out, " and ");
        print_adapter(finder, machine, rail, out);
    }
    text_printf(out, "%s", n_swaps ? " are swapped" : "");
    for (uint32_t port = 0; port < n_ports; port++) {
        const uint32_t rail = rail_at(finder, machine, port);
        if (rail == GRAPH_NONE || rail == port || rail_at(finder, machine, rail) == port)
            continue;
        text_printf(out, "%s", n_others ? ", " : n_swaps ? "; " : "");
        print_adapter(finder, machine, port, out);
        text_printf(out, "%s", n_others++ ? " where " : " is where others have ");
        print_adapter(finder, machine, rail, out);
    }
}

static uint32_t hash_words(const void *items, uint32_t item)
{
    const struct rail_disorders *found = items;
    return map_hash_text(0, found->items[item].words, strlen(found->items[item].words));
}

static bool are_words(const void *items, uint32_t item, const void *key)
{
    return strcmp(((const struct rail_disorders *)items)->items[item].words, key) == 0;
}

/* Adds a machine to those of the same words. */
static void add_disorder(struct disorder_finder *finder, uint32_t machine)
{
    struct rail_disorders *found = &finder->found;
    struct text words = {0};
    print_disorder(finder, machine, &words);
    map_reserve(&finder->by_words, hash_words, found);
    uint32_t *slot = map_slot(&finder->by_words, map_hash_text(0, words.data, words.length), are_words, found,
                              words.data);
    if (*slot == MAP_NONE) {
        found->items = mem_grow(found->items, &found->capacity, found->n + 1, sizeof *found->items);
        found->items[found->n++] = (struct rail_disorder){.words = words.data};
        map_fill(&finder->by_words, slot);
    } else {
        text_free(&words);
    }
    struct rail_disorder *item = &found->items[*slot];
    item->machines = mem_grow(item->machines, &item->capacity, item->n_machines + 1, sizeof *item->machines);
    item->machines[item->n_machines++] = machine;
    found->n_machines++;
}

struct rail_disorders rail_disorders_find(const struct topology *topology, const uint32_t *rail)
{
    struct disorder_finder finder = {
        .topology = topology, .graph = topology_as_graph(topology), .rail = rail};
    for (uint32_t machine = 0; rail && machine < finder.graph->n_machines; machine++) {
        const uint32_t n = finder.graph->first[machine + 1] - finder.graph->first[machine];
        finder.found.n_all += n > 1;
        if (n > 1 && has_other_rails(&finder, machine))
            add_disorder(&finder, machine);
    }
    map_free(&finder.by_words);
    return finder.found;
}

void rail_disorders_free(struct rail_disorders *disorders)
{
    for (size_t i = 0; i < disorders->n; i++) {
        free(disorders->items[i].machines);
        free(disorders->items[i].words);
    }
    free(disorders->items);
}

void rail_disorder_print(const struct topology *topology, const struct rail_disorder *disorder,
                         struct text *out)
{
    struct text names = {0};
    if (topology_write_names(topology, disorder->machines, disorder->n_machines, ',', true, &names)) {
        text_append(out, names.data, names.length);
    } else {
        char name[256];
        topology_node_name(topology, disorder->machines[0], name, sizeof name);
        text_append_safe(out, name);
        if (disorder->n_machines > 1)
            text_printf(out, " and %" PRIu32 " others", disorder->n_machines - 1);
    }
    text_printf(out, ": %s", disorder->words);
    text_free(&names);
}
