/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses among the cables of hosts. See adapters.h.
 */
#include "network/adapters.h"

#include "base/codes.h"
#include "base/text/units.h"
#include "network/forwarding.h"
#include "network/graph_topology.h"
#include "network/host_costs.h"
#include "network/host_ports.h"
#include "network/rail_order.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

enum adapter_word { WORD_NAME, WORD_PREFIX, WORD_RAIL, WORD_SWITCH, WORD_RATE };

struct wanted {
    enum adapter_word kind;
    const char *text;       /* of a name, a prefix or a switch; in the arena of the diagnostics */
    uint32_t first, last;   /* rails */
    const char *whole;      /* of a name or prefix, with its port */
    uint32_t port;          /* 0: any */
    uint64_t bandwidth;
    struct slice place;     /* in the list */
    bool is_met;
};

struct adapter_list_words {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct wanted *words;
    size_t n, capacity;
    bool is_of_others;      /* '^': all but these */
    bool is_by_switch;      /* rails have the numbers of their switches */
    enum adapter_word plain; /* kind of a word that says none */
};

static struct diagnostic *adapters_refuse(const struct adapter_list_words *list, struct slice place,
                                          const char *message)
{
    const size_t offset = (size_t)(place.text - list->source->text);
    return report(list->diagnostics, CODE_T027, source_position(list->source, offset, place.length),
                  "'%.*s' %s", (int)place.length, place.text, message);
}

/* "0" or "0-3" */
static bool read_rails(struct slice text, struct wanted *word)
{
    const char *dash = memchr(text.text, '-', text.length);
    const size_t n = dash ? (size_t)(dash - text.text) : text.length;
    const struct slice first = {text.text, n};
    const struct slice last = dash ? (struct slice){dash + 1, text.length - n - 1} : first;
    return parse_count(first, &word->first) == VALUE_OK && parse_count(last, &word->last) == VALUE_OK &&
           word->first <= word->last;
}

static struct slice behind(struct slice text, const char *prefix)
{
    return (struct slice){text.text + strlen(prefix), text.length - strlen(prefix)};
}

/* Reads a word; false after reporting. */
static bool adapters_read_word(struct adapter_list_words *list, struct slice text)
{
    struct wanted word = {.kind = list->plain, .place = text};
    struct slice name = text;
    const char *problem = NULL;
    if (slice_starts(text, "rail:")) {
        word.kind = WORD_RAIL;
        problem = read_rails(behind(text, "rail:"), &word) ? NULL : "names no rails";
    } else if (slice_starts(text, "rate:")) {
        word.kind = WORD_RATE;
        problem = parse_bandwidth(behind(text, "rate:"), &word.bandwidth) == VALUE_OK ? NULL : "is no rate";
    } else if (slice_starts(text, "switch:")) {
        word.kind = WORD_SWITCH;
        name = behind(text, "switch:");
    } else {
        word.whole = arena_strndup(&list->diagnostics->arena, name.text, name.length);
        word.port = adapter_take_port(name.text, &name.length);
    }
    if (!problem && !name.length)
        problem = "names no adapter";
    if (problem) {
        adapters_refuse(list, text, problem)->help =
            "words are mlx5_0, mlx5_*, mlx5_0:1, rail:0-3, switch:leaf*, rate:200Gb/s, and rails-by-switch "
            "first";
        return false;
    }
    word.text = arena_strndup(&list->diagnostics->arena, name.text, name.length);
    list->words = mem_grow(list->words, &list->capacity, list->n + 1, sizeof *list->words);
    list->words[list->n++] = word;
    return true;
}

/* Takes the name of a setting off, and what it says of all words. */
static void adapters_read_setting(struct adapter_list_words *list, struct slice *rest)
{
    static const struct {
        const char *name;
        enum adapter_word plain;
    } settings[] = {{"NCCL_IB_HCA=", WORD_PREFIX},
                    {"UCX_NET_DEVICES=", WORD_NAME},
                    {"btl_openib_if_include=", WORD_NAME}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (slice_starts(*rest, settings[i].name)) {
            *rest = behind(*rest, settings[i].name);
            list->plain = settings[i].plain;
        }
    if (slice_starts(*rest, "^")) {
        list->is_of_others = true;
        *rest = behind(*rest, "^");
    }
    if (slice_starts(*rest, "=")) {
        list->plain = WORD_NAME;
        *rest = behind(*rest, "=");
    }
}

static bool read_words_of_list(struct adapter_list_words *list)
{
    static const char by_switch[] = "rails-by-switch";
    struct slice rest = {list->source->text, list->source->length};
    bool is_read = true;
    list->is_by_switch = slice_starts(rest, by_switch) && (rest.length == strlen(by_switch) ||
                                                           rest.text[strlen(by_switch)] == ',');
    if (list->is_by_switch && rest.length == strlen(by_switch))
        return true;
    if (list->is_by_switch)
        rest = behind(rest, "rails-by-switch,");
    adapters_read_setting(list, &rest);
    for (bool is_more = true; is_more && is_read;) {
        const char *comma = memchr(rest.text, ',', rest.length);
        const size_t n = comma ? (size_t)(comma - rest.text) : rest.length;
        is_read = adapters_read_word(list, slice_trim((struct slice){rest.text, n}));
        is_more = comma;
        rest = (struct slice){rest.text + n + (comma != NULL), rest.length - n - (comma != NULL)};
    }
    return is_read;
}

/* ---- cables ---- */

/* A cable of a host, seen from it. */
struct host_cable {
    uint32_t link;      /* that leaves the host */
    uint32_t rail;
    uint32_t port;      /* of the adapter; 0: not known */
    const char *adapter; /* as the file names it; NULL: not known */
    char name[256];      /* that without a port */
    const char *router;
    uint64_t bandwidth;
};

/* Returns the number of a cable among those of its host. */
static uint32_t rail_of(const struct topology *topology, uint32_t link)
{
    return topology->host_ports ? topology->host_ports->out[link] : 0;
}

static struct host_cable host_cable_of_link(const struct topology *topology, uint32_t link)
{
    const struct graph *graph = topology_as_graph(topology);
    struct host_cable cable = {.link = link,
                               .rail = rail_of(topology, link),
                               .port = graph->subnet ? graph->subnet->numbers[link] : 0,
                               .adapter = graph_adapter_name(graph, link),
                               .router = graph_name(graph, graph_link_to(graph, link)),
                               .bandwidth = graph->cables[link / 2].bandwidth};
    size_t length = cable.adapter ? strlen(cable.adapter) : 0;
    const uint32_t port = adapter_take_port(cable.adapter, &length);
    cable.port = port ? port : cable.port;
    snprintf(cable.name, sizeof cable.name, "%.*s", (int)length, cable.adapter ? cable.adapter : "");
    return cable;
}

static bool fits_word(const struct host_cable *cable, const struct wanted *word)
{
    const bool is_port = !word->port || !cable->port || word->port == cable->port;
    switch (word->kind) {
    case WORD_NAME:
        return cable->adapter && (fnmatch(word->whole, cable->adapter, 0) == 0 ||
                                  (is_port && fnmatch(word->text, cable->name, 0) == 0));
    case WORD_PREFIX:
        return cable->adapter && is_port && strncmp(cable->adapter, word->text, strlen(word->text)) == 0;
    case WORD_RAIL: return word->first <= cable->rail && cable->rail <= word->last;
    case WORD_SWITCH: return fnmatch(word->text, cable->router, 0) == 0;
    case WORD_RATE: return cable->bandwidth == word->bandwidth;
    }
    return false;
}

/* True if the list keeps the cable; marks the words that fit. */
static bool is_wanted(struct adapter_list_words *list, const struct host_cable *cable)
{
    bool fits = false;
    for (size_t i = 0; i < list->n; i++) {
        const bool fits_this = fits_word(cable, &list->words[i]);
        list->words[i].is_met |= fits_this;
        fits |= fits_this;
    }
    return fits != list->is_of_others;
}

/* True for a name that a kernel gives a network interface, such as ib0 or ens1f0. */
static bool adapters_is_interface(struct slice word)
{
    static const char *const beginnings[] = {"ib", "eth", "en", "hsn", "bond"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is_one = is_one || slice_starts(word, beginnings[i]);
    return is_one && word.length && memchr("0123456789*", word.text[word.length - 1], 11);
}

const char *topology_tell_adapters(const struct topology *topology, struct slice word, struct arena *arena)
{
    enum { SHOWN = 8 };
    const struct graph *graph = topology_as_graph(topology);
    const char *names[SHOWN];
    struct text text = {0};
    size_t n = 0;
    for (uint32_t link = 0; link < topology->n_link_ids && n < SHOWN; link++) {
        const char *name = graph_is_host_cable(graph, link) ? graph_adapter_name(graph, link) : NULL;
        size_t i = 0;
        while (name && i < n && strcmp(names[i], name) != 0)
            i++;
        if (name && i == n)
            names[n++] = name;
    }
    if (!n)
        return "the file names no adapters: say rail:0-3, switch:leaf* or rate:200Gb/s";
    if (adapters_is_interface(word))
        text_printf(&text, "if it is an interface of the kernel, 'ibdev2netdev' on a host says whose; ");
    text_printf(&text, "hosts have");
    for (size_t i = 0; i < n; i++) {
        text_printf(&text, "%s '", i ? "," : "");
        text_append_safe(&text, names[i]);
        text_printf(&text, "'");
    }
    const char *help = arena_printf(arena, "%s%s", text.data, n == SHOWN ? " ..." : "");
    text_free(&text);
    return help;
}

/* "the cables of hosts have 25GB/s to 50GB/s"; in the arena. */
static const char *rates_help(const struct topology *topology, struct arena *arena)
{
    const struct graph *graph = topology_as_graph(topology);
    uint64_t lowest = UINT64_MAX, highest = 0;
    struct text text = {0};
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const uint64_t bandwidth = graph->cables[link / 2].bandwidth;
        if (!graph_is_host_cable(graph, link))
            continue;
        lowest = bandwidth < lowest ? bandwidth : lowest;
        highest = bandwidth > highest ? bandwidth : highest;
    }
    if (highest)
        topology_print_bandwidth(lowest, &text);
    if (highest > lowest) {
        text_printf(&text, " to ");
        topology_print_bandwidth(highest, &text);
    }
    const char *help =
        arena_printf(arena, "the cables of hosts have %s", text.data ? text.data : "no switch");
    text_free(&text);
    return help;
}

/* Marks the cables to keep; false after reporting a word that nothing fits. */
static bool mark_cables(struct adapter_list_words *list, const struct topology *topology, bool *is_kept)
{
    const struct graph *graph = topology_as_graph(topology);
    uint32_t n_kept = 0;
    for (uint32_t cable = 0; cable < graph->n_cables; cable++)
        is_kept[cable] = true;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (graph_is_host_cable(graph, link)) {
            const struct host_cable cable = host_cable_of_link(topology, link);
            is_kept[link / 2] = is_wanted(list, &cable);
            n_kept += is_kept[link / 2];
        }
    for (size_t i = 0; i < list->n; i++)
        if (!list->words[i].is_met) {
            adapters_refuse(list, list->words[i].place, "fits no cable of a host")->help =
                list->words[i].kind == WORD_RATE
                    ? rates_help(topology, &list->diagnostics->arena)
                    : topology_tell_adapters(topology, list->words[i].place, &list->diagnostics->arena);
            return false;
        }
    if (!n_kept)
        adapters_refuse(list, (struct slice){list->source->text, list->source->length},
                        "leaves no cable of a host")->help =
            topology_tell_adapters(topology, slice_of(""), &list->diagnostics->arena);
    return n_kept;
}

/* ---- the rest of the network ---- */

/* Part of a graph that is kept, and the numbers there. */
struct remnant {
    const struct graph *whole;
    const bool *is_kept;    /* [cable] */
    uint32_t *node, *cable; /* [node], [cable] number in the rest, or GRAPH_NONE */
    struct graph *graph;
    uint32_t n_hosts_gone;
    const char *first_gone;
};

/* Adds the nodes that still have a cable, in their order. */
static void adapters_keep_nodes(struct remnant *rest)
{
    const struct graph *whole = rest->whole;
    memset(rest->node, 0xff, whole->n_nodes * sizeof *rest->node);
    for (uint32_t cable = 0; cable < whole->n_cables; cable++)
        for (int end = 0; end < 2 && rest->is_kept[cable]; end++)
            rest->node[whole->cables[cable].end[end]] = 0;
    for (uint32_t node = 0; node < whole->n_nodes; node++) {
        const bool is_host = node < whole->n_machines;
        if (rest->node[node] != GRAPH_NONE) {
            rest->node[node] = graph_add_node(rest->graph, !is_host, graph_name(whole, node),
                                              whole->nodes[node].name_length);
        } else if (is_host && !rest->n_hosts_gone++) {
            rest->first_gone = graph_name(whole, node);
        }
    }
}

static void keep_cables(struct remnant *rest)
{
    const struct graph *whole = rest->whole;
    uint32_t n = 0;
    for (uint32_t cable = 0; cable < whole->n_cables; cable++) {
        const struct graph_cable *from = &whole->cables[cable];
        rest->cable[cable] = rest->is_kept[cable] ? n++ : GRAPH_NONE;
        if (rest->is_kept[cable])
            graph_add_cable(rest->graph, rest->node[from->end[0]], rest->node[from->end[1]], from->bandwidth,
                            from->latency);
    }
    for (uint32_t link = 0; link < 2 * whole->n_cables; link++) {
        const char *name = rest->is_kept[link / 2] ? graph_adapter_name(whole, link) : NULL;
        const char *port = rest->is_kept[link / 2] ? graph_port_name(whole, link) : NULL;
        if (name)
            graph_name_adapter(rest->graph, 2 * rest->cable[link / 2] + link % 2, name, strlen(name));
        if (port)
            graph_name_port(rest->graph, 2 * rest->cable[link / 2] + link % 2, port, strlen(port));
    }
}

/* Keeps rails by switches, numbered anew from 0. */
static void keep_rails(struct remnant *rest)
{
    const struct graph *whole = rest->whole;
    uint8_t new_number[UINT8_MAX + 1] = {0}, n = 0;
    if (!whole->rail_at)
        return;
    for (uint32_t link = 0; link < 2 * whole->n_cables; link++)
        if (rest->is_kept[link / 2] && graph_is_host_cable(whole, link))
            new_number[whole->rail_at[link]] = 1;
    for (uint32_t i = 0; i <= UINT8_MAX; i++)
        new_number[i] = new_number[i] ? n++ : 0;
    rest->graph->rail_at = mem_alloc(2 * (size_t)rest->graph->n_cables, 1);
    for (uint32_t link = 0; link < 2 * whole->n_cables; link++)
        if (rest->is_kept[link / 2])
            rest->graph->rail_at[2 * rest->cable[link / 2] + link % 2] = new_number[whole->rail_at[link]];
}

/* Keeps the numbers of ports, LIDs and GUIDs that a dump of a subnet has. */
static void keep_subnet(struct remnant *rest)
{
    const struct subnet *whole = rest->whole->subnet;
    const uint32_t n_machines = rest->whole->n_machines;
    if (!whole)
        return;
    struct subnet *subnet = subnet_new(whole->n_ports, rest->graph->n_nodes - rest->graph->n_machines,
                                       rest->graph->n_cables);
    subnet->n_ports = 0;
    for (uint32_t i = 0; i < whole->n_ports; i++) {
        struct subnet_port port = whole->ports[i];
        if (!rest->is_kept[port.link / 2])
            continue;
        port.link = 2 * rest->cable[port.link / 2] + port.link % 2;
        subnet->ports[subnet->n_ports++] = port;
    }
    for (uint32_t node = n_machines; node < rest->whole->n_nodes; node++)
        if (rest->node[node] != GRAPH_NONE)
            subnet->routers[rest->node[node] - rest->graph->n_machines] = whole->routers[node - n_machines];
    for (uint32_t link = 0; link < 2 * rest->whole->n_cables; link++)
        if (rest->is_kept[link / 2])
            subnet->numbers[2 * rest->cable[link / 2] + link % 2] = whole->numbers[link];
    rest->graph->subnet = subnet;
}

/* Takes over what the reader knew besides the graph. */
static void keep_facts(const struct topology *whole, struct topology *topology)
{
    topology->is_outline = whole->is_outline;
    if (!whole->hosts)
        return;
    struct host_costs *costs = arena_alloc(topology->arena, 1, sizeof *costs);
    *costs = *whole->hosts;
    topology->hosts = costs;
}

static struct topology *keep_the_rest(const struct topology *whole, const bool *is_kept,
                                      const struct adapter_list_words *list)
{
    const struct graph *graph = topology_as_graph(whole);
    struct remnant rest = {.whole = graph,
                           .is_kept = is_kept,
                           .node = mem_alloc(graph->n_nodes, sizeof(uint32_t)),
                           .cable = mem_alloc(graph->n_cables, sizeof(uint32_t)),
                           .graph = graph_new()};
    const struct position position = {.source = list->source, .line = 1, .column = 1, .length = 1};
    const struct topology_settings settings = {
        .name = whole->name, .bandwidth = whole->bandwidth, .latency = whole->latency, .ports = whole->ports};
    rest.graph->may_be_apart = graph->may_be_apart;
    adapters_keep_nodes(&rest);
    keep_cables(&rest);
    keep_subnet(&rest);
    keep_rails(&rest);
    if (rest.n_hosts_gone)
        report(list->diagnostics, CODE_T008, position,
               "%u host%s without such an adapter %s left out, '%s' first", rest.n_hosts_gone,
               rest.n_hosts_gone == 1 ? "" : "s", rest.n_hosts_gone == 1 ? "is" : "are", rest.first_gone);
    struct topology *topology = graph_topology(&settings, rest.graph, position, list->diagnostics);
    if (topology)
        keep_facts(whole, topology);
    free(rest.node);
    free(rest.cable);
    return topology;
}

/* Numbers the rails of a topology by switches; false after reporting that they cannot be. */
static bool adapters_number_by_switches(struct adapter_list_words *list, struct topology *topology)
{
    struct graph *graph = topology_as_graph(topology);
    uint32_t *rail = rail_order_find(topology);
    if (!rail) {
        const struct slice place = {list->source->text, list->source->length};
        adapters_refuse(list, place, "numbers rails by switches, but a switch is on no one rail")->help =
            "a host has two cables to one switch, or hosts are cabled to switches in no order; '--adapters "
            "switch:leaf*' chooses cables without rails";
        return false;
    }
    free(graph->rail_at);
    graph->rail_at = mem_alloc(2 * (size_t)graph->n_cables, 1);
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        if (graph_is_host_cable(graph, link))
            graph->rail_at[link] = (uint8_t)rail[graph_link_to(graph, link)];
    topology->host_ports = host_ports_new(topology);
    free(rail);
    return true;
}

struct topology *topology_choose_adapters(struct topology *topology, const char *text,
                                          struct diagnostics *diagnostics)
{
    struct adapter_list_words list = {
        .source = source_of_text("<adapters>", text, strlen(text), &diagnostics->arena),
        .diagnostics = diagnostics};
    const struct graph *graph = topology_as_graph(topology);
    struct topology *rest = NULL;
    if (!graph) {
        adapters_refuse(&list, (struct slice){list.source->text, list.source->length},
                        "chooses among cables, but no host of this network has several")
            ->help = "leave --adapters out, or give the network as a file with every cable";
    } else if (source_check_utf8(list.source, diagnostics) && read_words_of_list(&list) &&
               (!list.is_by_switch || adapters_number_by_switches(&list, topology))) {
        bool *is_kept = mem_alloc(graph->n_cables, sizeof *is_kept);
        if (!list.n)
            rest = topology;
        else if (mark_cables(&list, topology, is_kept))
            rest = keep_the_rest(topology, is_kept, &list);
        free(is_kept);
    }
    free(list.words);
    if (rest != topology)
        topology_free(topology);
    return rest;
}

struct topology *topology_take_adapters(struct topology *topology, const char *list,
                                        struct diagnostics *diagnostics)
{
    topology = list ? topology_choose_adapters(topology, list, diagnostics) : topology;
    if (topology)
        topology_warn_of_adapters(topology, list == NULL, diagnostics);
    return topology;
}
