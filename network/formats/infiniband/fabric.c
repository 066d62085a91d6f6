/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network of the statements of a subnet's dump. See fabric.h. Machines and routers are numbered
 * in the order of their names and cables in the order of the ports they are in, so that the two layouts
 * of one fabric, and dumps taken from different hosts, give the same topology.
 */
#include "network/formats/infiniband/fabric.h"
#include "network/graph_topology.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* ---- the store ---- */

static uint32_t fabric_hash_of_node(const void *items, uint32_t index)
{
    const struct fabric_node *node = &((const struct fabric *)items)->nodes[index];
    return map_hash_text((uint32_t)node->kind + 1, node->guid.text, node->guid.length);
}

/* True if the node has the kind and GUID of the key, which is a node. */
static bool fabric_is_node(const void *items, uint32_t index, const void *key)
{
    const struct fabric_node *node = &((const struct fabric *)items)->nodes[index], *wanted = key;
    return node->kind == wanted->kind && node->guid.length == wanted->guid.length &&
           memcmp(node->guid.text, wanted->guid.text, wanted->guid.length) == 0;
}

uint32_t fabric_node(struct fabric *fabric, enum fabric_kind kind, struct slice guid)
{
    const struct fabric_node node = {.guid = guid, .kind = kind};
    const uint32_t hash = map_hash_text((uint32_t)kind + 1, guid.text, guid.length);
    map_reserve(&fabric->by_guid, fabric_hash_of_node, fabric);
    uint32_t *slot = map_slot(&fabric->by_guid, hash, fabric_is_node, fabric, &node);
    if (*slot != MAP_NONE)
        return *slot;
    uint32_t index = map_fill(&fabric->by_guid, slot);
    fabric->nodes = mem_grow(fabric->nodes, &fabric->nodes_capacity, ++fabric->n_nodes,
                             sizeof *fabric->nodes);
    fabric->nodes[index] = node;
    return index;
}

uint32_t fabric_find_node(const struct fabric *fabric, enum fabric_kind kind, struct slice guid)
{
    const struct fabric_node node = {.guid = guid, .kind = kind};
    return map_find(&fabric->by_guid, map_hash_text((uint32_t)kind + 1, guid.text, guid.length),
                    fabric_is_node, fabric, &node);
}

void fabric_add_port(struct fabric *fabric, struct fabric_port port)
{
    fabric->ports = mem_grow(fabric->ports, &fabric->ports_capacity, (size_t)fabric->n_ports + 1,
                             sizeof *fabric->ports);
    fabric->ports[fabric->n_ports++] = port;
}

void fabric_free(struct fabric *fabric)
{
    free(fabric->nodes);
    free(fabric->ports);
    map_free(&fabric->by_guid);
}

/* ---- reports ---- */

static struct position line_position(const struct fabric *fabric, uint32_t line, uint32_t column,
                                     size_t length)
{
    return (struct position){fabric->source, line, column, length ? (uint32_t)length : 1};
}

struct diagnostic *fabric_report(const struct fabric *fabric, uint32_t code, uint32_t line,
                                 struct slice slice, const char *message)
{
    const char *start = slice.text;
    while (start > fabric->source->text && start[-1] != '\n')
        start--;
    struct position position =
        line_position(fabric, line, (uint32_t)(slice.text - start) + 1, slice.length);
    const char *tab = memchr(slice.text, '\t', slice.length);
    size_t length = tab ? (size_t)(tab - slice.text) : slice.length;
    int shown = length < 80 ? (int)length : 80;
    if (!shown) /* the end of a line */
        return report(fabric->diagnostics, code, position, "%s", message);
    return report(fabric->diagnostics, code, position, "'%.*s': %s", shown, slice.text, message);
}

static const char *node_label(const struct fabric *fabric, uint32_t index)
{
    const struct fabric_node *node = &fabric->nodes[index];
    struct slice label = node->description.length ? node->description : node->guid;
    int shown = label.length < 60 ? (int)label.length : 60;
    return diagnostics_text(fabric->diagnostics, "%.*s", shown, label.text);
}

static struct diagnostic *report_cable(const struct fabric *fabric, enum code code,
                                       const struct fabric_port *port, const char *what)
{
    struct position position = line_position(fabric, port->line, 1, 1);
    if (diagnostics_is_full(fabric->diagnostics, code)) /* labels need not be made */
        return report(fabric->diagnostics, code, position, "%s", what);
    return report(fabric->diagnostics, code, position,
                  "cable from port %u of '%s' to port %u of '%s': %s", port->port,
                  node_label(fabric, port->node), port->peer_port, node_label(fabric, port->peer),
                  what);
}

static struct diagnostic *fabric_report_port(const struct fabric *fabric, const struct fabric_port *port,
                                             const char *what)
{
    return report_cable(fabric, CODE_T004, port, what);
}

/* ---- both ends agree ---- */

/* Ports by (node, port): open addressing, GRAPH_NONE = free. */
struct port_table {
    const struct fabric *fabric;
    uint32_t *slots;
    uint32_t mask;
};

static uint32_t *port_slot(const struct port_table *table, uint32_t node, uint32_t port)
{
    uint64_t hash = ((uint64_t)node << 32 | port) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 32) & table->mask;; i = (i + 1) & table->mask) {
        uint32_t index = table->slots[i];
        if (index == GRAPH_NONE || (table->fabric->ports[index].node == node &&
                                    table->fabric->ports[index].port == port))
            return &table->slots[i];
    }
}

static bool port_table_make(struct port_table *table, const struct fabric *fabric)
{
    bool good = true;
    uint32_t n_slots = 64;
    while (n_slots < 2 * fabric->n_ports)
        n_slots *= 2;
    *table = (struct port_table){fabric, mem_alloc(n_slots, sizeof(uint32_t)), n_slots - 1};
    memset(table->slots, 0xff, n_slots * sizeof(uint32_t));
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct fabric_port *port = &fabric->ports[i];
        uint32_t *slot = port_slot(table, port->node, port->port);
        if (*slot == GRAPH_NONE) {
            *slot = i;
            continue;
        }
        struct diagnostic *diagnostic = fabric_report_port(fabric, port, "the port is listed twice");
        diagnostic->related = line_position(fabric, fabric->ports[*slot].line, 1, 1);
        diagnostic->related_text = "first here";
        diagnostic->help = "if the file holds two dumps, give each a file of its own";
        good = false;
    }
    return good;
}

/* True for a node without entry that nobody misses: dumps are often cut after the hosts, and aggregation
 * nodes are left out anyway. */
static bool is_spared(const struct fabric_node *node)
{
    return !node->is_declared && node->is_aggregation;
}

/* True if the other end says the same; else reports, once per pair. */
static bool check_port(const struct port_table *table, uint32_t index)
{
    const struct fabric *fabric = table->fabric;
    const struct fabric_port *port = &fabric->ports[index];
    uint32_t other_index = *port_slot(table, port->peer, port->peer_port);
    const struct fabric_port *other =
        other_index == GRAPH_NONE ? NULL : &fabric->ports[other_index];
    bool points_back = other && other->peer == port->node && other->peer_port == port->port;
    if (points_back || is_spared(&fabric->nodes[port->peer]))
        return true;
    struct diagnostic *diagnostic = fabric_report_port(
        fabric, port, other ? "the other end states another cable" : "the other end does not list it");
    if (other) {
        diagnostic->related = line_position(fabric, other->line, 1, 1);
        diagnostic->related_text = "the other end is here";
    } else {
        diagnostic->help = "a cable is stated at both its ends; a dump without one is truncated, or "
                           "the fabric changed while it was taken";
    }
    return false;
}

/* Reports peers without a block of their own, all in one report with their number. */
static bool check_declared(const struct fabric *fabric)
{
    uint32_t n_missing = 0;
    for (uint32_t i = 0; i < fabric->n_nodes; i++)
        n_missing += !fabric->nodes[i].is_declared && !is_spared(&fabric->nodes[i]);
    if (!n_missing)
        return true;
    uint32_t first = 0;
    while (fabric->nodes[fabric->ports[first].peer].is_declared ||
           is_spared(&fabric->nodes[fabric->ports[first].peer]))
        first++;
    const struct fabric_port *port = &fabric->ports[first];
    struct text others = {0};
    if (n_missing > 1)
        text_printf(&others, n_missing == 2 ? "; so is %u other" : "; so are %u others", n_missing - 1);
    report(fabric->diagnostics, CODE_T004, line_position(fabric, port->line, 1, 1),
           "'%s' is named here but has no entry of its own%s", node_label(fabric, port->peer),
           others.data ? others.data : "")
        ->help = "the output is truncated: take it again";
    text_free(&others);
    return false;
}

/* Sets both ends of a link to the lower rate, in case it came down between the looks at its two ends. */
static void settle_rates(struct fabric *fabric, const struct port_table *table)
{
    const struct fabric_port *first = NULL, *other_end = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct fabric_port *port = &fabric->ports[i];
        if (is_spared(&fabric->nodes[port->peer]))
            continue;
        struct fabric_port *other = &fabric->ports[*port_slot(table, port->peer, port->peer_port)];
        if (port->bandwidth == other->bandwidth)
            continue;
        if (!n++)
            first = port, other_end = other;
        uint64_t lower = port->bandwidth < other->bandwidth ? port->bandwidth : other->bandwidth;
        port->bandwidth = other->bandwidth = lower;
    }
    if (!n)
        return;
    const char *what = "its two ends state different rates, and the lower one counts";
    struct diagnostic *diagnostic =
        report_cable(fabric, CODE_T025, first,
                     n == 1 ? what
                            : diagnostics_text(fabric->diagnostics, "%s; so it is with %u other cable%s",
                                               what, n - 1, plural(n - 1)));
    diagnostic->related = line_position(fabric, other_end->line, 1, 1);
    diagnostic->related_text = "the other end is here";
    diagnostic->help = "the rate changed while the output was taken: take it again to be sure";
}

static bool check_cables(struct fabric *fabric)
{
    struct port_table table;
    for (uint32_t i = 0; i < fabric->n_nodes; i++)
        fabric->nodes[i].is_aggregation = fabric_is_aggregation_node(&fabric->nodes[i]);
    if (!check_declared(fabric))
        return false;
    bool good = port_table_make(&table, fabric);
    uint32_t n_checked = good ? fabric->n_ports : 0;
    for (uint32_t i = 0; i < n_checked; i++)
        good = check_port(&table, i) && good;
    if (good)
        settle_rates(fabric, &table);
    free(table.slots);
    return good;
}

/* ---- machines and routers ---- */

/* A node with the name it is sorted by. */
struct named_node {
    struct slice name;
    uint32_t index;
    struct slice description, guid;
    uint32_t first_port;
};

static int fabric_compare_named(const void *a, const void *b)
{
    const struct named_node *x = a, *y = b;
    int order = slice_compare_names(x->name, y->name);
    if (!order)
        order = slice_compare(x->description, y->description);
    if (!order)
        order = (x->first_port > y->first_port) - (x->first_port < y->first_port);
    return order ? order : slice_compare_names(x->guid, y->guid);
}

/* Marks pseudo-hosts inside switches, and hosts that no cable reaches. */
static void mark_left_out(struct fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct fabric_node *node = &fabric->nodes[fabric->ports[i].node];
        if (!node->n_cables++ || fabric->ports[i].port < node->first_port)
            node->first_port = fabric->ports[i].port;
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        struct fabric_node *node = &fabric->nodes[i];
        node->is_left_out = node->is_aggregation || (node->kind == FABRIC_HOST && !node->n_cables);
    }
}

/* Returns the hosts, or all other nodes, by name; release with free. */
static struct named_node *sorted_nodes(const struct fabric *fabric, bool hosts, uint32_t *n)
{
    struct named_node *sorted = mem_alloc(fabric->n_nodes, sizeof *sorted);
    *n = 0;
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        if ((node->kind == FABRIC_HOST) != hosts || node->is_left_out)
            continue;
        struct slice name = hosts ? fabric_host_name(node->description) : node->description;
        sorted[(*n)++] = (struct named_node){name.length ? name : node->guid, i, node->description,
                                             node->guid, node->first_port};
    }
    qsort(sorted, *n, sizeof *sorted, fabric_compare_named);
    return sorted;
}

static bool same_name(const struct named_node *a, const struct named_node *b)
{
    return a->name.length == b->name.length &&
           memcmp(a->name.text, b->name.text, a->name.length) == 0;
}

/* True for two adapters, not for two ports of one: a report of ports has a node for each. */
static bool is_namesake(const struct named_node *a, const struct named_node *b)
{
    return same_name(a, b) && a->first_port == b->first_port &&
           slice_compare(a->description, b->description) == 0;
}

static void report_namesakes(const struct fabric *fabric, const struct named_node *first,
                             uint32_t n, bool is_one_host)
{
    const struct fabric_node *node = &fabric->nodes[first->index];
    struct position position = line_position(fabric, node->line, 1, 1);
    report(fabric->diagnostics, CODE_T025, position,
           is_one_host ? "%u adapters are called '%s': they are taken for one machine"
                       : "%u adapters are called '%s', which no host has twice: every adapter of "
                         "that host name is a machine of its own, named by its GUID",
           n, node_label(fabric, first->index))
        ->help = "give every host a node description of its own, such as 'node7 HCA-1'";
}

/* Tells namesakes apart by their GUIDs. "localhost HCA-1" twice is on two hosts, and the host of "localhost
 * HCA-2" is unknown, so then all nodes of that host name get their GUID. A description without the adapter
 * may be that of several adapters. */
static void tell_namesakes(const struct fabric *fabric, struct named_node *sorted, uint32_t n)
{
    bool is_renamed = false;
    for (uint32_t first = 0, end; first < n; first = end) {
        uint32_t n_namesakes = 0, namesake = first; /* those of the first description */
        bool is_one_host = true;
        for (end = first + 1; end < n && same_name(&sorted[first], &sorted[end]); end++) {
            if (!is_namesake(&sorted[end - 1], &sorted[end]))
                continue;
            if (!n_namesakes)
                namesake = end;
            n_namesakes += is_namesake(&sorted[namesake], &sorted[end]);
            is_one_host = is_one_host && slice_trim(sorted[end].description).length ==
                                             sorted[end].name.length;
        }
        if (!n_namesakes)
            continue;
        report_namesakes(fabric, &sorted[namesake], n_namesakes + 1, is_one_host);
        for (uint32_t i = first; i < end && !is_one_host; i++)
            sorted[i].name = sorted[i].guid;
        is_renamed |= !is_one_host;
    }
    if (is_renamed)
        qsort(sorted, n, sizeof *sorted, fabric_compare_named);
}

/* Adds a machine for all adapters of one name. */
static void fabric_add_machines(struct fabric *fabric, struct graph *graph)
{
    uint32_t n;
    struct named_node *sorted = sorted_nodes(fabric, true, &n);
    tell_namesakes(fabric, sorted, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = graph_find(graph, sorted[i].name.text, sorted[i].name.length);
        fabric->nodes[sorted[i].index].graph_node =
            known != GRAPH_NONE
                ? known
                : graph_add_node(graph, false, sorted[i].name.text, sorted[i].name.length);
    }
    free(sorted);
}

/* Adds a router, as "NAME 0xGUID" if the name alone is ambiguous. */
static uint32_t fabric_add_router(struct graph *graph, const struct named_node *router, bool is_shared)
{
    uint32_t node = GRAPH_NONE;
    if (!is_shared)
        node = graph_add_node(graph, true, router->name.text, router->name.length);
    struct text name = {0};
    text_append(&name, router->name.text, router->name.length);
    text_printf(&name, " 0x%.*s", (int)router->guid.length, router->guid.text);
    while (node == GRAPH_NONE) {
        node = graph_add_node(graph, true, name.data, name.length);
        text_append(&name, "'", 1);
    }
    text_free(&name);
    return node;
}

static void add_routers(struct fabric *fabric, struct graph *graph)
{
    uint32_t n;
    struct named_node *sorted = sorted_nodes(fabric, false, &n);
    for (uint32_t i = 0; i < n; i++) {
        bool is_shared = (i && same_name(&sorted[i], &sorted[i - 1])) ||
                         (i + 1 < n && same_name(&sorted[i], &sorted[i + 1]));
        fabric->nodes[sorted[i].index].graph_node = fabric_add_router(graph, &sorted[i], is_shared);
    }
    free(sorted);
}

/* ---- cables ---- */

/* A cable, stated at both its ends; the lower node first. */
struct fabric_cable {
    uint32_t node[2], port[2];
    uint32_t statement; /* index in fabric->ports */
    bool is_upper;      /* stated at the end of the higher node */
};

static int fabric_compare_cables(const void *a, const void *b)
{
    const struct fabric_cable *x = a, *y = b;
    const uint32_t key[5][2] = {{x->node[0], y->node[0]},
                                {x->port[0], y->port[0]},
                                {x->node[1], y->node[1]},
                                {x->port[1], y->port[1]},
                                {x->is_upper, y->is_upper}};
    for (int i = 0; i < 5; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return (x->statement > y->statement) - (x->statement < y->statement);
}

/* Counts of what was left out, by reason. */
struct left_out {
    uint32_t aggregation_nodes, self_loops, idle_hosts;
};

/* True if the port states a cable that belongs to the network. */
static bool take_cable(const struct fabric *fabric, uint32_t statement,
                       struct fabric_cable *cable, struct left_out *left_out)
{
    const struct fabric_port *port = &fabric->ports[statement];
    const struct fabric_node *node = &fabric->nodes[port->node], *peer = &fabric->nodes[port->peer];
    if (node->is_left_out || peer->is_left_out)
        return false;
    if (node->graph_node == peer->graph_node) {
        left_out->self_loops += port->node < port->peer ||
                                (port->node == port->peer && port->port <= port->peer_port);
        return false;
    }
    if (node->graph_node < peer->graph_node)
        *cable = (struct fabric_cable){{node->graph_node, peer->graph_node},
                                       {port->port, port->peer_port}, statement, false};
    else
        *cable = (struct fabric_cable){{peer->graph_node, node->graph_node},
                                       {port->peer_port, port->port}, statement, true};
    return true;
}

/* Returns all statements of cables, both of a cable side by side; release with free. */
static struct fabric_cable *sorted_cables(const struct fabric *fabric, size_t *n,
                                          struct left_out *left_out)
{
    struct fabric_cable *cables = mem_alloc(fabric->n_ports, sizeof *cables);
    *n = 0;
    for (uint32_t i = 0; i < fabric->n_ports; i++)
        *n += take_cable(fabric, i, &cables[*n], left_out);
    qsort(cables, *n, sizeof *cables, fabric_compare_cables);
    return cables;
}

static void fabric_add_cables(const struct fabric_cable *cables, size_t n, const struct fabric *fabric,
                              struct graph *graph)
{
    for (size_t i = 0; i < n; i += 2)
        graph_add_cable(graph, cables[i].node[0], cables[i].node[1],
                        fabric->ports[cables[i].statement].bandwidth, TOPOLOGY_DEFAULT_LATENCY);
    for (size_t i = 0; i < n; i++) {
        const struct fabric_node *node = &fabric->nodes[fabric->ports[cables[i].statement].node];
        const struct slice adapter = fabric_adapter_name(node->description);
        if (node->kind == FABRIC_HOST && adapter.length)
            graph_name_adapter(graph, (uint32_t)i, adapter.text, adapter.length);
    }
}

/* ---- names in the subnet ---- */

struct fabric_cable_port {
    uint32_t machine;
    struct subnet_port port;
};

/* Returns 0 if the text is not hexadecimal, as in dumps made anonymous. */
static uint64_t guid_value(struct slice guid)
{
    uint64_t value = 0;
    for (size_t i = 0; i < guid.length; i++) {
        int digit = hexadecimal_digit(guid.text[i]);
        if (digit < 0 || value >> 60)
            return 0;
        value = value << 4 | (unsigned)digit;
    }
    return value;
}

static uint64_t guid_or(struct slice guid, struct slice other)
{
    return guid_value(guid.length ? guid : other);
}

static struct subnet_port named_port(const struct fabric *fabric, const struct fabric_port *port,
                                     uint32_t link)
{
    struct slice node = fabric->nodes[port->node].guid;
    return (struct subnet_port){guid_value(node), guid_or(port->guid, node), link, port->lid,
                                port->lmc};
}

static int fabric_compare_ports(const void *a, const void *b)
{
    const struct fabric_cable_port *x = a, *y = b;
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    return (x->port.link > y->port.link) - (x->port.link < y->port.link);
}

/* Names the ports of hosts. Statement i of the sorted ones is about cable i/2 and made at its end i%2. */
static uint32_t name_ports(const struct fabric *fabric, const struct fabric_cable *cables,
                           size_t n, struct fabric_cable_port *ports)
{
    uint32_t n_ports = 0;
    for (size_t i = 0; i < n; i++) {
        const struct fabric_port *port = &fabric->ports[cables[i].statement];
        const struct fabric_node *node = &fabric->nodes[port->node];
        if (node->kind == FABRIC_HOST)
            ports[n_ports++] = (struct fabric_cable_port){
                node->graph_node, named_port(fabric, port, (uint32_t)i)};
    }
    qsort(ports, n_ports, sizeof *ports, fabric_compare_ports);
    return n_ports;
}

static void name_routers(const struct fabric *fabric, const struct graph *graph,
                         struct subnet *subnet)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        if (node->kind != FABRIC_HOST && !node->is_left_out)
            subnet->routers[node->graph_node - graph->n_machines] =
                (struct subnet_router){guid_value(node->guid), node->lid};
    }
}

/* Makes the subnet. Machines were added before routers, so sealing the graph changes no number. */
static struct subnet *make_subnet(const struct fabric *fabric, const struct fabric_cable *cables,
                                  size_t n, const struct graph *graph)
{
    struct fabric_cable_port *ports = mem_alloc(n, sizeof *ports);
    uint32_t n_ports = name_ports(fabric, cables, n, ports);
    struct subnet *subnet =
        subnet_new(n_ports, graph->n_nodes - graph->n_machines, graph->n_cables);
    for (uint32_t i = 0; i < n_ports; i++)
        subnet->ports[i] = ports[i].port;
    for (size_t i = 0; i < n; i++) {
        uint32_t number = fabric->ports[cables[i].statement].port;
        subnet->numbers[i] = (uint8_t)(number <= SUBNET_MAX_PORT ? number : 0);
    }
    name_routers(fabric, graph, subnet);
    free(ports);
    return subnet;
}

/* ---- all of it ---- */

static void fabric_report_left_out(const struct fabric *fabric, uint32_t n, const char *what,
                                   const char *rest)
{
    struct position position = {fabric->source, 0, 0, 0};
    if (n)
        report(fabric->diagnostics, CODE_T008, position, "'%s': left out %u %s%s%s",
               fabric->source->path, n, what, plural(n), rest);
}

static void report_all_left_out(const struct fabric *fabric, struct left_out *left_out)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        left_out->aggregation_nodes += node->is_aggregation;
        left_out->idle_hosts += node->is_left_out && !node->is_aggregation;
    }
    fabric_report_left_out(fabric, left_out->aggregation_nodes, "aggregation node", "");
    fabric_report_left_out(fabric, left_out->self_loops, "cable", " with both ends in one node");
    fabric_report_left_out(fabric, left_out->idle_hosts, "host adapter", " without cable");
}

struct topology *fabric_topology(struct fabric *fabric)
{
    if (!check_cables(fabric))
        return NULL;
    struct left_out left_out = {0};
    struct graph *graph = graph_new();
    mark_left_out(fabric);
    fabric_add_machines(fabric, graph);
    add_routers(fabric, graph);
    size_t n;
    struct fabric_cable *cables = sorted_cables(fabric, &n, &left_out);
    fabric_add_cables(cables, n, fabric, graph);
    graph->subnet = make_subnet(fabric, cables, n, graph);
    free(cables);
    report_all_left_out(fabric, &left_out);
    struct topology_settings settings = {.name = fabric->source->path,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    return graph_topology(&settings, graph, (struct position){fabric->source, 0, 0, 0},
                          fabric->diagnostics);
}
