/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graph files (NCCL_GRAPH_DUMP_FILE, NCCL_GRAPH_FILE): what NCCL's search has
 * found for the GPUs of a host.
 *
 *   graphs  = <graphs version="1"> graph* </graphs>
 *   graph   = <graph id pattern crossnic nchannels speedintra speedinter ...>
 * channel* </graph> channel = <channel> [<net dev/>] <gpu dev [rank]/>* [<net
 * dev/>] </channel>
 *
 * With several hosts that have the same graph, rings go through one after the
 * other: from the last GPU of a host to the first one of the next, leaving by
 * the second adapter and arriving by the first (connectRings of
 * src/graph/connect.cc). With crossnic="2" hosts with odd numbers take channels
 * in pairs exchanged (ncclTopoPostset). Trees join hosts as two binary trees
 * whose inner hosts are leaves of the other (src/graph/trees.cc): channel c has
 * the first one, channel c + nchannels the second.
 */
#include "schedules/nccl/graph.h"

#include "base/codes.h"
#include "schedules/nccl/channels.h"

#include <stdlib.h>

/* ---- the file ---- */

struct graph_reader {
    struct xml_reader xml;
    struct nccl_graph *graph;
    size_t channels_capacity, devices_capacity;
};

/* Reads a number as NCCL does: 10, or 0xa. False after reporting. */
static bool graph_read_device(struct graph_reader *reader, const xmlNode *element, const char *name,
                              uint64_t *device)
{
    const char *text = xml_find_attribute(element, name);
    char *end = NULL;
    *device = text ? strtoull(text, &end, 0) : 0;
    if (text && *text && strchr("0123456789", *text) && !*end && *device <= NCCL_GRAPH_MAX_DEVICE)
        return true;
    xml_report(&reader->xml, CODE_S009,
               text ? xml_attribute_slice(&reader->xml, element, name, true)
                    : xml_element_slice(&reader->xml, element),
               text ? text : (const char *)element->name,
               text ? "no number of a device" : "attribute 'dev' missing");
    return false;
}

/* Reads the devices of a channel. */
static void graph_read_channel(struct graph_reader *reader, const xmlNode *element)
{
    struct nccl_graph *graph = reader->graph;
    struct nccl_graph_channel channel = {
        .element = element, .first = graph->n_devices, .net = {NCCL_NONE, NCCL_NONE}};
    for (const xmlNode *node = element->children; node; node = node->next) {
        uint64_t device;
        const bool is_gpu = xml_is(node, "gpu"), is_net = xml_is(node, "net");
        if (!is_gpu && !is_net)
            continue;
        if (!graph_read_device(reader, node, "dev", &device))
            return;
        if (is_net && channel.n_nets < 2)
            channel.net[channel.n_nets] = (uint32_t)device;
        channel.n_nets += is_net;
        if (!is_gpu)
            continue;
        graph->devices = mem_grow(graph->devices, &reader->devices_capacity, (size_t)graph->n_devices + 1,
                                  sizeof *graph->devices);
        graph->devices[graph->n_devices++] = (struct nccl_graph_device){(uint32_t)device, node};
        channel.n++;
    }
    graph->channels = mem_grow(graph->channels, &reader->channels_capacity, (size_t)graph->n_channels + 1,
                               sizeof *graph->channels);
    graph->channels[graph->n_channels++] = channel;
}

static uint32_t graph_number(const xmlNode *element, const char *name)
{
    const char *text = xml_find_attribute(element, name);
    uint32_t number;
    return text && parse_count(slice_of(text), &number) == VALUE_OK ? number : NCCL_NONE;
}

const xmlNode *nccl_graph_next(xmlDoc *document, const xmlNode *before)
{
    const xmlNode *root = libxml2()->xmlDocGetRootElement(document);
    const xmlNode *node = before ? before->next : root->children;
    while (node && !xml_is(node, "graph"))
        node = node->next;
    return node;
}

bool nccl_graph_read(struct nccl_graph *graph, struct xml_reader *xml, const xmlNode *element)
{
    struct graph_reader reader = {.xml = *xml, .graph = graph};
    *graph = (struct nccl_graph){.element = element,
                                 .id = graph_number(element, "id"),
                                 .pattern = graph_number(element, "pattern"),
                                 .cross = graph_number(element, "crossnic"),
                                 .n_stated = graph_number(element, "nchannels")};
    for (const xmlNode *node = element->children; node && !reader.xml.failed; node = node->next)
        if (xml_is(node, "channel") && graph->n_channels < NCCL_MAX_CHANNELS)
            graph_read_channel(&reader, node);
    xml->failed |= reader.xml.failed;
    return !reader.xml.failed;
}

void nccl_graph_free(struct nccl_graph *graph)
{
    free(graph->channels);
    free(graph->devices);
}

/* ---- channels of several hosts ---- */

struct graph_maker {
    struct nccl_channels *channels;
    struct xml_reader *xml;
    const struct nccl_graph *graph;
    uint32_t *gpus; /* devices of the host, ascending: GPU k is the rank k of a host */
    uint32_t n_gpus, n_hosts;
};

static bool graph_refuse(struct graph_maker *maker, const xmlNode *element, const char *subject,
                         const char *message, const char *help)
{
    xml_report(maker->xml, CODE_S009, xml_element_slice(maker->xml, element), subject, message)->help = help;
    return !(maker->channels->failed = true);
}

/* Takes the GPUs of the first channel for those of the host, and checks that
 * each channel has these. */
static bool graph_find_gpus(struct graph_maker *maker)
{
    const struct nccl_graph *graph = maker->graph;
    const struct nccl_graph_channel *first = &graph->channels[0];
    uint32_t *sorted = mem_alloc((size_t)graph->n_devices + 1, sizeof *sorted);
    bool is_right = true;
    maker->n_gpus = first->n;
    maker->gpus = arena_alloc(&maker->channels->arena, (size_t)first->n + 1, sizeof *maker->gpus);
    for (uint32_t c = 0; c < graph->n_channels && is_right; c++) {
        const struct nccl_graph_channel *channel = &graph->channels[c];
        for (uint32_t i = 0; i < channel->n; i++)
            sorted[i] = graph->devices[channel->first + i].number;
        qsort(sorted, channel->n, sizeof *sorted, compare_uint32);
        if (c == 0)
            memcpy(maker->gpus, sorted, channel->n * sizeof *sorted);
        for (uint32_t i = 1; i < channel->n && is_right; i++)
            if (sorted[i] == sorted[i - 1])
                is_right = graph_refuse(maker, channel->element, "channel", "a GPU is in it twice",
                                        "a channel has each GPU of the host once");
        if (is_right && !channel->n)
            is_right = graph_refuse(maker, channel->element, "channel", "no GPU is in it",
                                    "a channel has each GPU of the host once");
        if (is_right &&
            (channel->n != maker->n_gpus || memcmp(sorted, maker->gpus, channel->n * sizeof *sorted) != 0))
            is_right =
                graph_refuse(maker, channel->element, "channel", "has other GPUs than the first channel",
                             "NCCL takes the GPUs of a host channel by channel, as many for each");
    }
    free(sorted);
    return is_right;
}

/* Returns the rank of the i-th GPU of a channel on a host. */
static uint32_t graph_rank(const struct graph_maker *maker, uint32_t c, uint32_t i, uint32_t host)
{
    const uint32_t device = maker->graph->devices[maker->graph->channels[c].first + i].number;
    const uint32_t *found = bsearch(&device, maker->gpus, maker->n_gpus, sizeof device, compare_uint32);
    return host * maker->n_gpus + (uint32_t)(found - maker->gpus);
}

/* Returns the pair of adapters of a message from a host to another one. */
static uint8_t graph_via(const struct graph_maker *maker, uint32_t from_channel, bool by_last,
                         uint32_t to_channel)
{
    const struct nccl_graph_channel *from = &maker->graph->channels[from_channel],
                                    *to = &maker->graph->channels[to_channel];
    if (!from->n_nets || !to->n_nets)
        return 0;
    return nccl_channels_via(maker->channels,
                             &(struct schedule_via){.out_number = from->net[by_last && from->n_nets > 1],
                                                    .in_number = to->net[0]});
}

/* Returns the channel that a host uses in the place of channel c. */
static uint32_t graph_swapped(const struct graph_maker *maker, uint32_t c, uint32_t host)
{
    const bool is_swapped = maker->graph->cross == 2 && maker->graph->n_channels % 2 == 0 && host % 2;
    return is_swapped ? c ^ 1 : c;
}

static void graph_add_ring(struct graph_maker *maker, uint32_t c)
{
    struct nccl_channels *channels = maker->channels;
    const uint32_t n = maker->n_gpus;
    struct nccl_channel *channel = nccl_channels_add(channels, c);
    uint32_t *ring = arena_alloc(&channels->arena, channels->n_ranks, sizeof *ring);
    uint8_t *via = arena_alloc(&channels->arena, channels->n_ranks, 1);
    for (uint32_t host = 0; host < maker->n_hosts; host++) {
        const uint32_t own = graph_swapped(maker, c, host);
        for (uint32_t i = 0; i < n; i++)
            ring[host * n + i] = graph_rank(maker, own, i, host);
        if (maker->n_hosts > 1)
            via[host * n + n - 1] =
                graph_via(maker, own, true, graph_swapped(maker, c, (host + 1) % maker->n_hosts));
    }
    channel->ring = ring;
    channel->via = via;
}

/* ---- trees ---- */

/* The host above in a binary tree whose leaves are the odd numbers; NCCL_NONE:
 * this is the root. And which child it is of that. */
static uint32_t graph_host_above(uint32_t n, uint32_t host, bool *is_second)
{
    uint32_t bit = 1;
    if (host == 0)
        return NCCL_NONE;
    while (!(host & bit))
        bit <<= 1;
    const uint32_t above = ((host ^ bit) | bit << 1) < n ? (host ^ bit) | bit << 1 : host ^ bit;
    *is_second = host > above;
    return above;
}

/* The same in the second tree, which mirrors the first, or is shifted by one
 * where hosts are odd in number. */
static uint32_t graph_host_above_second(uint32_t n, uint32_t host, bool *is_second)
{
    const uint32_t as = n % 2 == 0 ? n - 1 - host : (host + n - 1) % n;
    const uint32_t above = graph_host_above(n, as, is_second);
    if (above == NCCL_NONE)
        return above;
    return n % 2 == 0 ? n - 1 - above : (above + 1) % n;
}

/* Adds the tree of channel c: on each host a chain of its GPUs from the first
 * one; the host above is joined to the GPU that the pattern says. */
static void graph_add_tree(struct graph_maker *maker, uint32_t c, bool is_second_tree)
{
    struct nccl_channels *channels = maker->channels;
    const uint32_t n = maker->n_gpus, pattern = maker->graph->pattern;
    struct nccl_channel *channel =
        nccl_channels_add(channels, is_second_tree ? c + maker->graph->n_channels : c);
    uint32_t *up = arena_alloc(&channels->arena, channels->n_ranks, sizeof *up);
    uint8_t *via = arena_alloc(&channels->arena, channels->n_ranks, 1);
    for (uint32_t host = 0; host < maker->n_hosts; host++) {
        bool is_second = false;
        const uint32_t above = is_second_tree ? graph_host_above_second(maker->n_hosts, host, &is_second)
                                              : graph_host_above(maker->n_hosts, host, &is_second);
        const uint32_t child[] = {pattern == NCCL_PATTERN_TREE || n < 2 ? 0 : 1,
                                  pattern == NCCL_PATTERN_SPLIT_TREE && n > 1 ? 1 : 0};
        for (uint32_t i = 1; i < n; i++)
            up[graph_rank(maker, c, i, host)] = graph_rank(maker, c, i - 1, host);
        up[graph_rank(maker, c, 0, host)] =
            above == NCCL_NONE ? NCCL_NONE : graph_rank(maker, c, child[is_second], above);
        if (above != NCCL_NONE)
            via[graph_rank(maker, c, 0, host)] = graph_via(maker, c, false, c);
    }
    channel->up = channel->down = up;
    channel->via = channel->via_down = via;
}

/* ---- all of it ---- */

/* Returns the graph that is asked for: rings are pattern 4, trees 1 to 3. NULL:
 * there is none. */
static const xmlNode *graph_find(xmlDoc *document, bool is_tree)
{
    for (const xmlNode *node = nccl_graph_next(document, NULL); node;
         node = nccl_graph_next(document, node)) {
        const uint32_t id = graph_number(node, "id"), pattern = graph_number(node, "pattern");
        if (is_tree ? id == 1 || (id == NCCL_NONE && pattern <= NCCL_PATTERN_TREE)
                    : id == 0 || (id == NCCL_NONE && pattern == NCCL_PATTERN_RING))
            return node;
    }
    return NULL;
}

/* Places the ranks of one host on its GPUs, as topologies of NCCL call them. */
static void graph_name_gpus(const struct graph_maker *maker)
{
    struct nccl_channels *channels = maker->channels;
    channels->hosts = arena_alloc(&channels->arena, maker->n_gpus, sizeof *channels->hosts);
    for (uint32_t i = 0; i < maker->n_gpus; i++) {
        const char *name = arena_printf(&channels->arena, "gpu%u", maker->gpus[i]);
        channels->hosts[i] = (struct schedule_host){name, 1, 1};
    }
}

static void graph_make(struct graph_maker *maker)
{
    struct nccl_channels *channels = maker->channels;
    const struct nccl_request *request = channels->request;
    const struct nccl_graph *graph = maker->graph;
    maker->n_hosts = request->n_hosts;
    if (!graph->n_channels) {
        graph_refuse(maker, graph->element, "graph", "no channel is in it",
                     "NCCL found none for this pattern");
        return;
    }
    if (!graph_find_gpus(maker))
        return;
    if ((uint64_t)maker->n_gpus * maker->n_hosts > 1 << 20) {
        nccl_refuse(channels, 0, "more than %d GPUs", 1 << 20);
        return;
    }
    channels->n_ranks = maker->n_gpus * maker->n_hosts;
    if (maker->n_hosts == 1)
        graph_name_gpus(maker);
    for (uint32_t c = request->first; c < graph->n_channels && c <= request->last; c++) {
        if (request->is_tree)
            graph_add_tree(maker, c, false);
        else
            graph_add_ring(maker, c);
    }
    for (uint32_t c = 0; request->is_tree && maker->n_hosts > 1 && c < graph->n_channels; c++)
        if (c + graph->n_channels >= request->first && c + graph->n_channels <= request->last)
            graph_add_tree(maker, c, true);
    if (!channels->n)
        nccl_refuse(channels, 0, "the graph has channels 0 to %u", graph->n_channels - 1);
}

void nccl_channels_of_graph(struct nccl_channels *channels)
{
    const struct nccl_request *request = channels->request;
    struct xml_reader xml = {.source = request->source, .diagnostics = request->diagnostics};
    struct nccl_graph graph = {.element = NULL};
    struct graph_maker maker = {.channels = channels, .xml = &xml, .graph = &graph};
    xmlDoc *document = xml_parse(&xml);
    channels->failed = !document;
    if (!document)
        return;
    const xmlNode *element = graph_find(document, request->is_tree);
    if (!element)
        nccl_refuse(channels, 0, "the file has no graph of %s",
                    request->is_tree ? "trees (id 1)" : "rings (id 0)");
    else if (nccl_graph_read(&graph, &xml, element))
        graph_make(&maker);
    channels->failed |= xml.failed;
    nccl_graph_free(&graph);
    libxml2()->xmlFreeDoc(document);
}
