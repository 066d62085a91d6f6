/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads networks in DOT. In a `graph` each edge is a full-duplex cable. In a `digraph`
 * each edge is one channel: the k-th from a to b and the k-th from b to a are the two
 * directions of a cable, and their `comment` may list the destinations routed over it
 * (dot_routes.c). `dir=both` and `dir=none` make an edge of a digraph a cable too.
 */
#include "network/formats/dot/dot.h"
#include "network/graph_topology.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAME_BYTES = 255 };
#define DOT_MAX_RATE UINT64_C(1000000000000000) /* 1000 TB/s, as of a single cable */

/* ---- machines and routers ---- */

static bool set_type(struct dot_network *network, struct dot_node *node)
{
    static const struct {
        const char *word;
        bool is_router, is_relay;
    } types[] = {{"host", false, false},
                 {"machine", false, false},
                 {"switch", true, false},
                 {"router", true, false},
                 {"relay", false, true}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(node->type, types[i].word) == 0) {
            node->is_router = types[i].is_router;
            node->is_relay = types[i].is_relay;
            return true;
        }
    dot_report(network, CODE_T019, dot_find_value(network->source, "type", node->type),
               "'%.80s': not the type of a node", node->type)
        ->help = "write type=host or type=switch; type=relay is a host that forwards";
    return false;
}

/* True for a name of ORCS, which writes H-GUID and S-GUID, or H12 and S3. */
static bool is_orcs_name(const char *name)
{
    return (*name == 'H' || *name == 'S') && strchr("-_0123456789", name[1]) && name[1];
}

/* Returns [node]: it has more than one neighbour. */
static bool *find_forks(const struct dot_network *network)
{
    uint32_t *neighbour = mem_alloc(network->n_nodes, sizeof *neighbour);
    bool *is_fork = mem_alloc(network->n_nodes, sizeof *is_fork);
    memset(neighbour, 0xff, network->n_nodes * sizeof *neighbour);
    for (uint32_t i = 0; i < network->n_channels; i++) {
        uint32_t ends[2] = {network->channels[i].tail, network->channels[i].head};
        for (int end = 0; end < 2 && ends[0] != ends[1]; end++) {
            uint32_t *known = &neighbour[ends[end]], other = ends[1 - end];
            is_fork[ends[end]] |= *known != GRAPH_NONE && *known != other;
            *known = other;
        }
    }
    free(neighbour);
    return is_fork;
}

/* Decides the types by `type` if given; else by the names, if all are of ORCS; else leaves are machines. */
static void decide_types(struct dot_network *network)
{
    bool by_name = true, *is_fork = find_forks(network);
    for (uint32_t i = 0; i < network->n_nodes; i++)
        by_name = by_name && (*network->nodes[i].type || is_orcs_name(network->nodes[i].name));
    for (uint32_t i = 0; i < network->n_nodes; i++) {
        struct dot_node *node = &network->nodes[i];
        bool is_repeated = i && node->type == node[-1].type; /* a default: one mistake */
        if (*node->type && is_repeated) {
            node->is_router = node[-1].is_router;
            node->is_relay = node[-1].is_relay;
        } else if (*node->type)
            set_type(network, node);
        else
            node->is_router = by_name ? *node->name == 'S' : is_fork[i];
    }
    free(is_fork);
}

/* Adds the router of a host that forwards. */
static void dot_add_relay(struct dot_network *network, struct graph *graph, struct dot_node *node)
{
    struct text name = {0};
    text_printf(&name, "%s.relay", node->name);
    node->graph_node = graph_add_node(graph, true, name.data, name.length);
    if (node->graph_node == GRAPH_NONE || name.length > MAX_NAME_BYTES)
        dot_report(network, CODE_T004, dot_find_name(network->source, node->name),
                   "'%.80s' forwards, so it has a router '%.80s', and no other node may be called so",
                   node->name, name.data)
            ->help = "give the node another, or a shorter, name";
    text_free(&name);
}

static void dot_add_nodes(struct dot_network *network, struct graph *graph)
{
    for (uint32_t i = 0; i < network->n_nodes; i++) {
        struct dot_node *node = &network->nodes[i];
        size_t length = strlen(node->name);
        if (length < 1 || length > MAX_NAME_BYTES)
            dot_report(network, CODE_T006, dot_find_name(network->source, node->name),
                       "a name of %zu bytes", length)
                ->help = "names have 1 to 255 bytes";
        node->graph_node = graph_add_node(graph, node->is_router, node->name, length);
        if (node->graph_node == GRAPH_NONE)
            dot_report(network, CODE_T004, dot_find_name(network->source, node->name),
                       "'%.80s' is the router of a host that forwards, too", node->name)
                ->help = "give the node another name";
        else if (node->is_relay)
            dot_add_relay(network, graph, node);
    }
}

/* ---- cables ---- */

/* Orders channels of the same two nodes side by side, the two directions apart, each in its order. */
static int dot_compare_channels(const void *a, const void *b)
{
    const struct dot_channel *x = *(const struct dot_channel *const *)a;
    const struct dot_channel *y = *(const struct dot_channel *const *)b;
    bool x_up = x->tail < x->head, y_up = y->tail < y->head;
    const uint32_t key[4][2] = {{x_up ? x->tail : x->head, y_up ? y->tail : y->head},
                                {x_up ? x->head : x->tail, y_up ? y->head : y->tail},
                                {y_up, x_up},
                                {x->sequence, y->sequence}};
    for (int i = 0; i < 4; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

static int dot_compare_cables(const void *a, const void *b)
{
    const struct dot_cable *x = a, *y = b;
    return (x->channel[0] > y->channel[0]) - (x->channel[0] < y->channel[0]);
}

struct cables {
    struct dot_cable *items; /* the earlier channel first; by that channel */
    uint32_t n, n_loops;
};

static bool is_cable(const struct dot_network *network, const struct dot_channel *channel)
{
    return !network->is_directed || strcmp(channel->direction, "both") == 0 ||
           strcmp(channel->direction, "none") == 0;
}

/* Returns the channels that need a partner; adds edges that are cables at once. */
static const struct dot_channel **sort_out(const struct dot_network *network,
                                           struct cables *cables, uint32_t *n)
{
    const struct dot_channel **single = mem_alloc(network->n_channels, sizeof *single);
    *n = 0;
    for (uint32_t i = 0; i < network->n_channels; i++) {
        const struct dot_channel *channel = &network->channels[i];
        if (channel->tail == channel->head)
            cables->n_loops++;
        else if (is_cable(network, channel))
            cables->items[cables->n++] = (struct dot_cable){{i, i}};
        else
            single[(*n)++] = channel;
    }
    qsort(single, *n, sizeof *single, dot_compare_channels);
    return single;
}

static bool joins_same(const struct dot_channel *a, const struct dot_channel *b)
{
    return (a->tail == b->tail && a->head == b->head) ||
           (a->tail == b->head && a->head == b->tail);
}

static void dot_report_odd(struct dot_network *network, const struct dot_channel *channel, uint32_t n_there,
                           uint32_t n_back)
{
    const char *tail = network->nodes[channel->tail].name;
    dot_report(network, CODE_T004, dot_find_name(network->source, tail),
               "%u channel%s from '%.80s' to '%.80s', but %u back", n_there, plural(n_there), tail,
               network->nodes[channel->head].name, n_back)
        ->help = "in a digraph each direction of a cable is an edge; write both, or dir=both, or "
                 "an undirected graph";
}

/* Pairs the n channels between two nodes; the first `n_up` of them go in one direction. */
static void pair(struct dot_network *network, const struct dot_channel **group, uint32_t n,
                 struct cables *cables)
{
    uint32_t n_there = 0;
    while (n_there < n && group[n_there]->tail == group[0]->tail)
        n_there++;
    if (n != 2 * n_there) {
        dot_report_odd(network, group[0], n_there, n - n_there);
        return;
    }
    for (uint32_t i = 0; i < n_there; i++) {
        uint32_t a = (uint32_t)(group[i] - network->channels);
        uint32_t b = (uint32_t)(group[n_there + i] - network->channels);
        cables->items[cables->n++] = a < b ? (struct dot_cable){{a, b}}
                                           : (struct dot_cable){{b, a}};
    }
}

static struct cables make_cables(struct dot_network *network)
{
    struct cables cables = {mem_alloc(network->n_channels, sizeof *cables.items), 0, 0};
    uint32_t n_single;
    const struct dot_channel **single = sort_out(network, &cables, &n_single);
    for (uint32_t i = 0, n; i < n_single; i += n) {
        for (n = 1; i + n < n_single && joins_same(single[i], single[i + n]);)
            n++;
        pair(network, single + i, n, &cables);
    }
    free(single);
    qsort(cables.items, cables.n, sizeof *cables.items, dot_compare_cables);
    return cables;
}

/* ---- numbers ---- */

/* Reads an attribute; the default if it is not given. */
static uint64_t dot_read_value(struct dot_network *network, const char *name, const char *text,
                               uint64_t otherwise)
{
    bool is_bandwidth = *name == 'b';
    uint64_t value = otherwise;
    if (!*text)
        return otherwise;
    struct slice slice = {text, strlen(text)};
    enum value_result result =
        is_bandwidth ? parse_bandwidth(slice, &value) : parse_latency(slice, &value);
    if (result != VALUE_OK)
        dot_report(network, result == VALUE_RANGE ? CODE_T006 : CODE_T019,
                   dot_find_value(network->source, name, text), "'%.80s': not a %s%s", text, name,
                   result == VALUE_RANGE ? " within the limits" : "")
            ->help = is_bandwidth ? BANDWIDTH_HELP : LATENCY_HELP;
    return result == VALUE_OK ? value : otherwise;
}

static struct topology_settings dot_read_settings(struct dot_network *network)
{
    struct topology_settings settings = {.name = network->name};
    struct slice ports = {network->ports, strlen(network->ports)};
    settings.bandwidth = dot_read_value(network, "bandwidth", network->bandwidth, TOPOLOGY_DEFAULT_BANDWIDTH);
    settings.latency = dot_read_value(network, "latency", network->latency, TOPOLOGY_DEFAULT_LATENCY);
    if (ports.length && (parse_count(ports, &settings.ports) != VALUE_OK || !settings.ports))
        dot_report(network, CODE_T006, dot_find_value(network->source, "ports", network->ports),
                   "'%.80s': not a number of ports", network->ports)
            ->help = "write the number of messages a machine can inject at once";
    return settings;
}

static uint64_t read_both(struct dot_network *network, const char *name, const char *const text[2],
                          uint64_t otherwise)
{
    uint64_t value = dot_read_value(network, name, text[0], otherwise);
    if (text[0] == text[1] || strcmp(text[0], text[1]) == 0)
        return value;
    if (dot_read_value(network, name, text[1], otherwise) != value && !network->failed)
        dot_report(network, CODE_T004,
                   dot_find_value(network->source, name, *text[1] ? text[1] : text[0]),
                   "the two directions of a cable differ in %s", name);
    return value;
}

static void dot_add_cables(struct dot_network *network, const struct cables *cables,
                           const struct topology_settings *settings, struct graph *graph)
{
    for (uint32_t i = 0; i < cables->n; i++) {
        const struct dot_channel *there = &network->channels[cables->items[i].channel[0]];
        const struct dot_channel *back = &network->channels[cables->items[i].channel[1]];
        const char *const bandwidth[2] = {there->bandwidth, back->bandwidth};
        const char *const latency[2] = {there->latency, back->latency};
        graph_add_cable(graph, network->nodes[there->tail].graph_node,
                        network->nodes[there->head].graph_node,
                        read_both(network, "bandwidth", bandwidth, settings->bandwidth),
                        read_both(network, "latency", latency, settings->latency));
    }
}

/* Names the ports at both ends of cables; in a digraph the key of an edge is the port by which it leaves. */
static void dot_name_ports(const struct dot_network *network, const struct cables *cables,
                           struct graph *graph)
{
    for (uint32_t i = 0; i < cables->n; i++)
        for (uint32_t end = 0; end < 2; end++) {
            const struct dot_channel *there = &network->channels[cables->items[i].channel[0]];
            const struct dot_channel *back = &network->channels[cables->items[i].channel[1]];
            struct slice name = there->port[end];
            if (!name.length && there != back)
                name = back->port[1 - end];
            if (!name.length && network->is_directed && (!end || there != back))
                name = slice_of((end ? back : there)->key);
            if (name.length)
                graph_name_port(graph, 2 * i + end, name.text, name.length);
        }
}

/* Adds the cables between hosts that forward and their routers, as wide as all that the router has. */
static void dot_add_relay_cables(struct dot_network *network, struct graph *graph)
{
    uint64_t *rate = mem_alloc(2 * (size_t)network->n_nodes + 1, sizeof *rate);
    for (uint32_t i = 0; i < graph->n_cables; i++)
        for (int end = 0; end < 2; end++) {
            uint64_t *of_end = &rate[graph->cables[i].end[end]];
            *of_end += graph->cables[i].bandwidth;
            *of_end = *of_end < DOT_MAX_RATE ? *of_end : DOT_MAX_RATE;
        }
    for (uint32_t i = 0; i < network->n_nodes; i++) {
        const struct dot_node *node = &network->nodes[i];
        const uint32_t host = graph_find(graph, node->name, strlen(node->name));
        if (node->is_relay && rate[node->graph_node])
            graph_add_cable(graph, host, node->graph_node, rate[node->graph_node], 0);
    }
    free(rate);
}

static bool dot_has_relays(const struct dot_network *network)
{
    for (uint32_t i = 0; i < network->n_nodes; i++)
        if (network->nodes[i].is_relay)
            return true;
    return false;
}

/* ---- all of it ---- */

/* Renumbers the nodes with machines before routers. */
static void dot_renumber(struct dot_network *network, const struct graph *graph)
{
    for (uint32_t i = 0; i < network->n_nodes; i++)
        network->nodes[i].graph_node =
            graph_find(graph, network->nodes[i].name, strlen(network->nodes[i].name));
}

static struct topology *dot_make_topology(struct dot_network *network, struct cables *cables,
                                          struct graph *graph)
{
    struct topology_settings settings = dot_read_settings(network);
    struct position start = {network->source, 1, 1, 1};
    dot_add_nodes(network, graph);
    if (!network->failed && !graph->n_machines)
        dot_report(network, CODE_T004, (struct slice){network->source->text, 1},
                   "the network has no machines")
            ->help = "machines are the nodes with type=host; without types, those with one "
                     "neighbour";
    if (!network->failed)
        dot_add_cables(network, cables, &settings, graph);
    if (!network->failed && dot_has_relays(network))
        dot_add_relay_cables(network, graph);
    if (!network->failed)
        dot_name_ports(network, cables, graph);
    if (dot_has_relays(network) && dot_has_routes(network))
        dot_report(network, CODE_T010, (struct slice){network->source->text, 1},
                   "routes in comments do not fit hosts that forward")
            ->help = "leave the comments out, or write such a host as a switch with a host";
    if (network->failed) {
        graph_free(graph);
        return NULL;
    }
    if (cables->n_loops)
        report(network->diagnostics, CODE_T008, start, "'%s': left out %u edge%s from a node to itself",
               network->source->path, cables->n_loops, plural(cables->n_loops));
    struct topology *topology = graph_topology(&settings, graph, start, network->diagnostics);
    if (!topology || !dot_has_routes(network))
        return topology;
    dot_renumber(network, graph);
    if (dot_apply_routes(network, cables->items, topology))
        return topology;
    topology_free(topology);
    return NULL;
}

static struct topology *dot_read_network(struct dot_network *network)
{
    if (!dot_check_extent(network->source, network->diagnostics) || !dot_parse(network))
        return NULL;
    decide_types(network);
    struct cables cables = make_cables(network);
    struct topology *topology = dot_make_topology(network, &cables, graph_new());
    free(cables.items);
    return topology;
}

static struct topology *read_dot(const struct source *source, struct diagnostics *diagnostics)
{
    struct dot_network network = {.source = source, .diagnostics = diagnostics};
    struct topology *topology = dot_read_network(&network);
    dot_network_free(&network);
    return topology;
}

const struct topology_format dot_format = {.is = dot_is, .read = read_dot, .write = dot_write};
