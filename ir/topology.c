/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of ir/topology.h: one switch per question, answered by the file
 * of the kind. `full`, whose answers are one line each, is answered here.
 */
#include "ir/forwarding.h"
#include "ir/topology_kinds.h"

#include <stdlib.h>
#include <string.h>

struct divider divider_of(uint32_t value)
{
    if (value <= 1)
        return (struct divider){0, 1};
    return (struct divider){UINT64_MAX / value + 1, value};
}

/* ---- making and freeing ---- */

struct topology *topology_allocate(enum topology_kind kind,
                                   const struct topology_settings *settings)
{
    struct arena *arena = mem_alloc(1, sizeof *arena);
    struct topology *topology = arena_alloc(arena, 1, sizeof *topology);
    topology->arena = arena;
    topology->kind = kind;
    topology->bandwidth = settings->bandwidth ? settings->bandwidth : TOPOLOGY_DEFAULT_BANDWIDTH;
    topology->latency = settings->latency;
    topology->ports = settings->ports;
    if (settings->name)
        topology->name = arena_strndup(arena, settings->name, strlen(settings->name));
    return topology;
}

struct topology *topology_new_full(const struct topology_settings *settings, uint32_t n_machines,
                                   const char **problem)
{
    *problem = NULL;
    if (n_machines < 1 || n_machines > 65536) {
        *problem = "a full mesh has 1 to 65536 machines";
        return NULL;
    }
    struct topology *topology = topology_allocate(TOPOLOGY_FULL, settings);
    topology->n_machines = n_machines;
    topology->n_links = topology->n_link_ids = n_machines * (n_machines - 1);
    topology->max_hops = n_machines > 1;
    return topology_finish(topology);
}

struct topology *topology_new_graph(const struct topology_settings *settings, struct graph *graph)
{
    struct topology *topology = topology_allocate(TOPOLOGY_GRAPH, settings);
    topology->graph = graph;
    topology->n_machines = graph->n_machines;
    topology->n_routers = graph->n_nodes - graph->n_machines;
    topology->n_links = topology->n_link_ids = 2 * graph->n_cables;
    topology->max_hops = graph_max_hops(graph);
    return topology_finish(topology);
}

void topology_set_forwarding(struct topology *topology, struct forwarding *forwarding)
{
    forwarding_finish(forwarding, topology->graph);
    forwarding_free(topology->graph->forwarding);
    topology->graph->forwarding = forwarding;
    topology->max_hops = forwarding->max_hops;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    graph_free(topology->graph);
    struct arena *arena = topology->arena;
    arena_free(arena);
    free(arena);
}

/* ---- fingerprint ---- */

uint64_t fingerprint_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t fingerprint_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return fingerprint_number(hash, length);
}

static uint64_t graph_fingerprint(const struct graph *graph, uint64_t hash)
{
    hash = fingerprint_number(hash, graph->n_machines);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        hash = fingerprint_text(hash, graph_name(graph, node), graph->nodes[node].name_length);
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        const struct graph_cable *cable = &graph->cables[i];
        hash = fingerprint_number(hash, (uint64_t)cable->end[0] << 32 | cable->end[1]);
        hash = fingerprint_number(hash, cable->bandwidth);
        hash = fingerprint_number(hash, cable->latency);
    }
    return hash;
}

static uint64_t implicit_fingerprint(const struct topology *topology, uint64_t hash)
{
    hash = fingerprint_number(hash, topology->n_machines);
    hash = fingerprint_number(hash, topology->bandwidth);
    hash = fingerprint_number(hash, topology->latency);
    for (uint32_t i = 0; i < topology->n_dimensions; i++)
        hash = fingerprint_number(hash, (uint64_t)topology->extent[i].value << 1 |
                                            topology->wraps[i]);
    for (uint32_t i = 0; i < topology->n_levels; i++)
        hash = fingerprint_number(hash, (uint64_t)topology->down[i].value << 32 |
                                            topology->up[i].value);
    return hash;
}

struct topology *topology_finish(struct topology *topology)
{
    uint64_t hash = fingerprint_number(FINGERPRINT_START, topology->kind);
    hash = fingerprint_number(hash, topology->ports);
    topology->fingerprint = topology->graph ? graph_fingerprint(topology->graph, hash)
                                            : implicit_fingerprint(topology, hash);
    if (!topology->name) {
        struct text shape = {0};
        topology_shape(topology, &shape);
        topology->name = arena_strndup(topology->arena, shape.data ? shape.data : "", shape.length);
        text_free(&shape);
    }
    return topology;
}

/* ---- routes and links ---- */

static uint32_t full_route(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct hop *hops)
{
    uint32_t port = destination > source ? destination - 1 : destination;
    hops[0] = (struct hop){source * (topology->n_machines - 1) + port, 0};
    return 1;
}

uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        struct hop *hops)
{
    if (source == destination)
        return 0;
    switch (topology->kind) {
    case TOPOLOGY_TREE: return tree_route(topology, source, destination, hops);
    case TOPOLOGY_GRID: return grid_route(topology, source, destination, hops);
    case TOPOLOGY_FULL: return full_route(topology, source, destination, hops);
    case TOPOLOGY_GRAPH: return graph_route(topology->graph, source, destination, hops);
    }
    return 0;
}

bool topology_has_link(const struct topology *topology, uint32_t link)
{
    if (link >= topology->n_link_ids)
        return false;
    return topology->kind != TOPOLOGY_GRID || grid_has_link(topology, link);
}

static void full_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                           uint32_t *to)
{
    *from = link / (topology->n_machines - 1);
    uint32_t port = link % (topology->n_machines - 1);
    *to = port >= *from ? port + 1 : port;
}

void topology_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                        uint32_t *to)
{
    switch (topology->kind) {
    case TOPOLOGY_TREE: tree_link_ends(topology, link, from, to); break;
    case TOPOLOGY_FULL: full_link_ends(topology, link, from, to); break;
    case TOPOLOGY_GRID:
        *from = link / (2 * topology->n_dimensions);
        *to = grid_link_end(topology, link);
        break;
    case TOPOLOGY_GRAPH:
        *from = graph_link_from(topology->graph, link);
        *to = graph_link_to(topology->graph, link);
        break;
    }
}

uint64_t topology_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return topology->graph ? topology->graph->cables[link / 2].bandwidth : topology->bandwidth;
}

uint64_t topology_link_latency(const struct topology *topology, uint32_t link)
{
    return topology->graph ? topology->graph->cables[link / 2].latency : topology->latency;
}

/* ---- names ---- */

static void implicit_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    if (topology->kind == TOPOLOGY_GRID)
        grid_node_name(topology, node, out);
    else if (node < topology->n_machines)
        text_printf(out, "m%u", node);
    else
        text_printf(out, "sw%u", node - topology->n_machines);
}

static void copy_name(char *name, size_t size, const char *text, size_t length)
{
    if (!size)
        return;
    size_t n = length < size - 1 ? length : size - 1;
    memcpy(name, text, n);
    name[n] = '\0';
}

void topology_node_name(const struct topology *topology, uint32_t node, char *name, size_t size)
{
    if (topology->graph) {
        copy_name(name, size, graph_name(topology->graph, node),
                  topology->graph->nodes[node].name_length);
        return;
    }
    struct text text = {0};
    implicit_node_name(topology, node, &text);
    copy_name(name, size, text.data, text.length);
    text_free(&text);
}

bool topology_scan_number(const char **cursor, const char *end, uint32_t *value)
{
    const char *start = *cursor;
    uint64_t number = 0;
    for (; *cursor != end && **cursor >= '0' && **cursor <= '9'; ++*cursor) {
        number = number * 10 + (uint64_t)(**cursor - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *value = (uint32_t)number;
    return *cursor != start;
}

/* "m7". */
static uint32_t find_numbered(const struct topology *topology, const char *name, size_t length)
{
    const char *cursor = name + 1, *end = name + length;
    uint32_t machine;
    if (length < 2 || name[0] != 'm' || !topology_scan_number(&cursor, end, &machine) ||
        cursor != end || machine > topology->n_machines)
        return topology->n_machines;
    return machine;
}

uint32_t topology_find_machine(const struct topology *topology, const char *name, size_t length)
{
    if (topology->graph) {
        uint32_t node = graph_find(topology->graph, name, length);
        return node < topology->n_machines ? node : topology->n_machines;
    }
    if (topology->kind == TOPOLOGY_GRID && length && name[0] == '(')
        return grid_find_machine(topology, name, length);
    return find_numbered(topology, name, length);
}

/* ---- for people ---- */

bool topology_has_lanes(const struct topology *topology)
{
    bool wraps = false;
    for (uint32_t i = 0; i < topology->n_dimensions; i++)
        wraps = wraps || topology->wraps[i];
    const struct graph *graph = topology->graph;
    return wraps || (graph && graph->forwarding && graph->forwarding->lanes);
}

const char *topology_routing_rule(const struct topology *topology)
{
    switch (topology->kind) {
    case TOPOLOGY_GRID:
        return "dimension order, lowest dimension first, the shorter way round and + on a tie; "
               "lane 1 from the dateline on";
    case TOPOLOGY_TREE:
        return "up to the nearest common ancestor by D-mod-k, then down";
    case TOPOLOGY_FULL:
        return "the direct link";
    case TOPOLOGY_GRAPH:
        if (topology->graph->forwarding)
            return topology->graph->forwarding->rule;
        return "a shortest path; among n equal next links, in the order of their ids, "
               "number (destination mod n)";
    }
    return "";
}

/* The largest unit that leaves a whole number. */
static void print_unit(uint64_t value, const char *const *units, uint32_t n_units,
                       struct text *out)
{
    uint32_t unit = 0;
    for (; unit + 1 < n_units && value && value % 1000 == 0; unit++)
        value /= 1000;
    text_printf(out, "%llu%s", (unsigned long long)value, units[unit]);
}

void topology_print_bandwidth(uint64_t bandwidth, struct text *out)
{
    static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s"};
    print_unit(bandwidth, units, 4, out);
}

void topology_print_latency(uint64_t latency, struct text *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    print_unit(latency, units, 4, out);
}

static void print_numbers(const struct topology *topology, struct text *out)
{
    if (topology->bandwidth != TOPOLOGY_DEFAULT_BANDWIDTH) {
        text_printf(out, ",bw=");
        topology_print_bandwidth(topology->bandwidth, out);
    }
    if (topology->latency != TOPOLOGY_DEFAULT_LATENCY) {
        text_printf(out, ",lat=");
        topology_print_latency(topology->latency, out);
    }
    if (topology->ports)
        text_printf(out, ",ports=%u", topology->ports);
}

void topology_shape(const struct topology *topology, struct text *out)
{
    switch (topology->kind) {
    case TOPOLOGY_GRAPH: text_append(out, "", 0); return;
    case TOPOLOGY_GRID: grid_shape(topology, out); break;
    case TOPOLOGY_TREE: tree_shape(topology, out); break;
    case TOPOLOGY_FULL: text_printf(out, "full:%u", topology->n_machines); break;
    }
    print_numbers(topology, out);
}
