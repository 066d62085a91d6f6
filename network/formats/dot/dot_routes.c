/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the routes in a DOT file, by the convention of ORCS: the `comment` of a channel lists the
 * destinations routed over it; "*" stands for all that no other channel of the node lists. They become
 * forwarding tables: machines get the LIDs 1, 2 ... in their order, and a port is the number in the `key`
 * of the channel that leaves by it, or the lowest free one.
 */
#include "network/formats/dot/dot.h"
#include "network/forwarding.h"
#include "network/graph.h"
#include "network/unrouted.h"

#include "base/codes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TABLE_BYTES (UINT64_C(1) << 30)

bool dot_has_routes(const struct dot_network *network)
{
    for (uint32_t i = 0; network->is_directed && i < network->n_channels; i++)
        if (*network->channels[i].comment)
            return true;
    return false;
}

/* Makes tables of channels. */
struct router_maker {
    struct dot_network *network;
    const struct dot_cable *cables;
    struct graph *graph;
    struct forwarding *forwarding;
    uint32_t *link_of; /* [channel] its link; GRAPH_NONE: left out */
};

static const struct dot_node *dot_routes_node_of(const struct router_maker *maker, uint32_t node)
{
    return &maker->network->nodes[node];
}

static struct slice name_slice(const struct router_maker *maker, uint32_t node)
{
    return dot_find_name(maker->network->source, dot_routes_node_of(maker, node)->name);
}

/* Finds the link of each channel. An edge that is a cable is given once and has no way back of its own. */
static void dot_routes_find_links(struct router_maker *maker)
{
    uint32_t n = maker->network->n_channels;
    maker->link_of = mem_alloc(n, sizeof *maker->link_of);
    memset(maker->link_of, 0xff, n * sizeof *maker->link_of);
    for (uint32_t i = 0; i < maker->graph->n_cables; i++)
        for (uint32_t way = 2; way-- > 0;)
            maker->link_of[maker->cables[i].channel[way]] = 2 * i + way;
}

/* ---- limits ---- */

static bool dot_routes_check_limits(struct router_maker *maker)
{
    const struct graph *graph = maker->graph;
    struct slice start = {maker->network->source->text, 1};
    uint64_t bytes;
    if (graph->n_machines >= SUBNET_LIDS) {
        dot_report(maker->network, CODE_T006, start,
                   "routes to %u machines; tables hold %d destinations", graph->n_machines,
                   SUBNET_LIDS - 1);
        return false;
    }
    if (mem_multiply(graph->n_machines, graph->n_nodes - graph->n_machines, &bytes) &&
        bytes <= MAX_TABLE_BYTES)
        return true;
    dot_report(maker->network, CODE_T006, start,
               "tables of %u switches for %u machines; together they hold %" PRIu64 " entries",
               graph->n_nodes - graph->n_machines, graph->n_machines, MAX_TABLE_BYTES);
    return false;
}

/* ---- ports ---- */

/* Returns the number in a key; 0 if it is not a port's. */
static uint8_t port_of_key(const char *key)
{
    uint32_t number;
    if (parse_count((struct slice){key, strlen(key)}, &number) != VALUE_OK)
        return 0;
    return (uint8_t)(number <= SUBNET_MAX_PORT ? number : 0);
}

static void number_by_keys(struct router_maker *maker)
{
    for (uint32_t i = 0; i < maker->network->n_channels; i++)
        if (maker->link_of[i] != GRAPH_NONE)
            maker->graph->subnet->numbers[maker->link_of[i]] =
                port_of_key(maker->network->channels[i].key);
}

/* Gives the links of a node that have no number, or one taken already, the lowest free. */
static bool number_rest(struct router_maker *maker, uint32_t node)
{
    const struct graph *graph = maker->graph;
    bool is_taken[SUBNET_MAX_PORT + 1] = {true};
    uint32_t next = 1;
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint8_t *number = &graph->subnet->numbers[graph->out[i]];
        *number = is_taken[*number] ? 0 : *number;
        is_taken[*number] = true;
    }
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint8_t *number = &graph->subnet->numbers[graph->out[i]];
        while (!*number && next <= SUBNET_MAX_PORT && is_taken[next])
            next++;
        if (!*number && next > SUBNET_MAX_PORT)
            return false;
        if (!*number)
            is_taken[*number = (uint8_t)next] = true;
    }
    return true;
}

static bool number_ports(struct router_maker *maker)
{
    const struct graph *graph = maker->graph;
    number_by_keys(maker);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        if (!number_rest(maker, node)) {
            dot_report(maker->network, CODE_T006,
                       dot_find_name(maker->network->source, graph_name(graph, node)),
                       "'%.80s' has %u cables; tables hold %d ports a switch",
                       graph_name(graph, node), graph->first[node + 1] - graph->first[node],
                       SUBNET_MAX_PORT);
            return false;
        }
    return true;
}

/* ---- machines ---- */

/* Chooses for [machine] the channel that leaves it with a comment, else the first. */
static bool choose_channel(struct router_maker *maker, uint32_t *chosen, uint32_t index)
{
    const struct dot_channel *channel = &maker->network->channels[index];
    uint32_t *known = &chosen[dot_routes_node_of(maker, channel->tail)->graph_node];
    bool is_stated = *channel->comment != '\0';
    if (*known == GRAPH_NONE || (is_stated && !*maker->network->channels[*known].comment)) {
        *known = index;
    } else if (is_stated) {
        dot_report(maker->network, CODE_T004, name_slice(maker, channel->tail),
                   "'%.80s' sends by two channels", dot_routes_node_of(maker, channel->tail)->name)
            ->help = "a machine sends and is addressed by one port: give only one of its channels "
                     "a comment";
        return false;
    }
    return true;
}

/* Returns the first link of a machine, whose edges are cables. */
static uint32_t dot_routes_first_link(const struct graph *graph, uint32_t node)
{
    return graph->first[node] < graph->first[node + 1] ? graph->out[graph->first[node]]
                                                       : (uint32_t)GRAPH_NONE;
}

static bool dot_routes_add_machines(struct router_maker *maker, struct subnet *subnet)
{
    uint32_t n_machines = maker->graph->n_machines;
    uint32_t *chosen = mem_alloc(n_machines, sizeof *chosen);
    bool good = true;
    memset(chosen, 0xff, n_machines * sizeof *chosen);
    for (uint32_t i = 0; i < maker->network->n_channels && good; i++) {
        bool leaves_machine = !dot_routes_node_of(maker, maker->network->channels[i].tail)->is_router;
        if (leaves_machine && maker->link_of[i] != GRAPH_NONE)
            good = choose_channel(maker, chosen, i);
    }
    subnet->n_ports = 0;
    for (uint32_t machine = 0; machine < n_machines && good; machine++) {
        uint32_t link = chosen[machine] == GRAPH_NONE ? dot_routes_first_link(maker->graph, machine)
                                                      : maker->link_of[chosen[machine]];
        if (link != GRAPH_NONE)
            subnet->ports[subnet->n_ports++] =
                (struct subnet_port){0, 0, link, (uint16_t)(machine + 1), 0};
    }
    free(chosen);
    return good;
}

/* ---- tables ---- */

static bool set_entry(struct router_maker *maker, uint32_t index, uint32_t machine,
                      struct slice name)
{
    struct forwarding *forwarding = maker->forwarding;
    const struct dot_channel *channel = &maker->network->channels[index];
    uint32_t router = dot_routes_node_of(maker, channel->tail)->graph_node - maker->graph->n_machines;
    uint8_t port = maker->graph->subnet->numbers[maker->link_of[index]];
    uint8_t known = forwarding_port(forwarding, router, machine + 1);
    if (known != FORWARDING_NONE && known != port) {
        dot_report(maker->network, CODE_T004,
                   dot_find_value(maker->network->source, "comment", channel->comment),
                   "'%.*s' is routed over two channels of '%.80s'", (int)name.length, name.text,
                   dot_routes_node_of(maker, channel->tail)->name)
            ->help = "a node sends all messages for one destination the same way";
        return false;
    }
    return forwarding_set(forwarding, router, machine + 1, port);
}

/* Takes the next name of a list, without the blanks around it; length 0 for an empty one. */
static bool next_name(const char **at, struct slice *name)
{
    if (!*at)
        return false;
    size_t length = strcspn(*at, ",");
    *name = (struct slice){*at, length};
    *at = (*at)[length] ? *at + length + 1 : NULL;
    for (; name->length && strchr(" \t\r\n", *name->text); name->length--)
        name->text++;
    while (name->length && strchr(" \t\r\n", name->text[name->length - 1]))
        name->length--;
    return true;
}

static bool dot_routes_is_star(struct slice name)
{
    return name.length == 1 && *name.text == '*';
}

static bool set_name(struct router_maker *maker, uint32_t index, struct slice name)
{
    uint32_t machine = graph_find(maker->graph, name.text, name.length);
    if (machine < maker->graph->n_machines)
        return set_entry(maker, index, machine, name);
    const char *comment = maker->network->channels[index].comment;
    dot_report(maker->network, CODE_T010,
               dot_find_value(maker->network->source, "comment", comment),
               "'%.*s': no machine of that name", name.length < 80 ? (int)name.length : 80,
               name.text)
        ->help = "the comment of a channel lists the machines routed over it, with commas between "
                 "them, or is \"*\"";
    return false;
}

/* Sets the names that a channel lists. */
static bool set_names(struct router_maker *maker, uint32_t index, uint32_t *star)
{
    const struct dot_channel *channel = &maker->network->channels[index];
    uint32_t router = dot_routes_node_of(maker, channel->tail)->graph_node - maker->graph->n_machines;
    const char *at = *channel->comment ? channel->comment : NULL;
    bool good = true;
    maker->forwarding->has_table[router] |= at != NULL;
    for (struct slice name; good && next_name(&at, &name);) {
        if (dot_routes_is_star(name) && star[router] != GRAPH_NONE && star[router] != index) {
            dot_report(maker->network, CODE_T004, name_slice(maker, channel->tail),
                       "two channels of '%.80s' are for all other destinations",
                       dot_routes_node_of(maker, channel->tail)->name)
                ->help = "give only one of them the comment \"*\"";
            good = false;
        } else if (dot_routes_is_star(name)) {
            star[router] = index;
        } else if (name.length) {
            good = set_name(maker, index, name);
        }
    }
    return good;
}

static void fill_rest(struct router_maker *maker, uint32_t router, uint32_t index)
{
    uint8_t port = maker->graph->subnet->numbers[maker->link_of[index]];
    for (uint32_t machine = 0; machine < maker->graph->n_machines; machine++)
        if (forwarding_port(maker->forwarding, router, machine + 1) == FORWARDING_NONE)
            forwarding_set(maker->forwarding, router, machine + 1, port);
}

static bool fill_tables(struct router_maker *maker)
{
    uint32_t n_routers = maker->graph->n_nodes - maker->graph->n_machines;
    uint32_t *star = mem_alloc(n_routers, sizeof *star);
    bool good = true;
    memset(star, 0xff, n_routers * sizeof *star);
    for (uint32_t i = 0; i < maker->network->n_channels && good; i++)
        if (maker->link_of[i] != GRAPH_NONE &&
            dot_routes_node_of(maker, maker->network->channels[i].tail)->is_router)
            good = set_names(maker, i, star);
    for (uint32_t router = 0; router < n_routers && good; router++)
        if (star[router] != GRAPH_NONE)
            fill_rest(maker, router, star[router]);
    free(star);
    return good;
}

/* ---- all of it ---- */

static void dot_routes_report_holes(const struct router_maker *maker, const struct topology *topology)
{
    struct text who = {0};
    const struct forwarding *forwarding = maker->forwarding;
    struct dot_network *network = maker->network;
    struct position start = {network->source, 1, 1, 1};
    uint64_t n_pairs = 0, n_arrive = forwarding->pairs[FATE_ARRIVES];
    for (int fate = 0; fate < N_FATES; fate++)
        n_pairs += forwarding->pairs[fate];
    if (n_arrive < n_pairs)
        unrouted_say(topology, NULL, 0, ": ", &who);
    if (forwarding->pairs[FATE_LOOPS])
        report(network->diagnostics, CODE_T012, start,
               "messages for '%s' come back to '%s'; %" PRIu64 " pairs of machines meet such a loop",
               graph_name(maker->graph, forwarding->loop_lid - 1),
               graph_name(maker->graph, maker->graph->n_machines + forwarding->loop_router),
               forwarding->pairs[FATE_LOOPS])
            ->help = "follow the comments of the channels from there";
    else if (n_arrive < n_pairs)
        report(network->diagnostics, CODE_T011, start,
               "'%s': %" PRIu64 " of %" PRIu64 " pairs of hosts have no route%s",
               network->source->path, n_pairs - n_arrive, n_pairs, who.data ? who.data : "")
            ->help = "every switch on the way needs a channel whose comment has the destination "
                     "or is \"*\"";
    text_free(&who);
}

static bool make_tables(struct router_maker *maker, struct topology *topology)
{
    maker->forwarding = forwarding_new(maker->graph);
    if (!fill_tables(maker)) {
        forwarding_free(maker->forwarding);
        return false;
    }
    topology_set_forwarding(topology, maker->forwarding);
    dot_routes_report_holes(maker, topology);
    return !maker->forwarding->pairs[FATE_LOOPS];
}

bool dot_apply_routes(struct dot_network *network, const struct dot_cable *cables,
                      struct topology *topology)
{
    struct graph *graph = topology_as_graph(topology);
    struct router_maker maker = {.network = network, .cables = cables, .graph = graph};
    if (!dot_routes_check_limits(&maker))
        return false;
    graph->subnet = subnet_new(graph->n_machines, graph->n_nodes - graph->n_machines,
                               graph->n_cables);
    dot_routes_find_links(&maker);
    bool good = number_ports(&maker) && dot_routes_add_machines(&maker, graph->subnet) &&
                make_tables(&maker, topology);
    free(maker.link_of);
    return good;
}
