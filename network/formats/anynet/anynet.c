/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the network file of BookSim's topology anynet: a line for each router, or node,
 *
 *   router 0 node 0 node 1 router 1 4 router 2
 *   node 2 router 1
 *
 * with its neighbours, each optionally followed by the latency of the channel in cycles (default 1).
 * Numbers are indices of the simulator's arrays, so none may be left out. A channel between two routers
 * leads both ways and counts once, however often it is listed. Nodes are the machines.
 */
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include <stdlib.h>

/* A cycle counts as a nanosecond. */
enum { CYCLE = 1, MAX_CYCLES = 100000000, SHORTEST = 6 /* "node 0" */ };

struct channel {
    uint32_t router, other; /* the lower one first */
    uint64_t latency;       /* ns */
};

/* Nodes or routers, by number; the numbers are limited by the count of words. */
struct ends {
    uint32_t *router; /* [number] 1 + that of a node; of a router: 1 if it was named */
    uint64_t *latency;
    uint32_t n, n_named;
    size_t router_capacity, latency_capacity;
};

struct reader {
    struct lines lines;
    struct ends nodes, routers;
    struct channel *channels;
    size_t n_channels, capacity;
};

struct end {
    bool is_router;
    uint32_t number;
    const char *at; /* its word, and its length with the number */
    size_t length;
};

static const char *const HELP =
    "a line is 'router N' or 'node N' and what that is joined to, each perhaps with a latency: "
    "router 0 node 0 router 1 4";

static bool anynet_is_number(const struct lines *lines)
{
    return lines->at < lines->end && text_is_digit(*lines->at);
}

/* Takes "router 3". */
static bool anynet_take_end(struct reader *reader, struct end *end)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    end->at = lines->at;
    const struct slice word = lines_take_word(lines);
    end->is_router = slice_is(word, "router");
    const bool is_known = end->is_router || slice_is(word, "node");
    lines_skip_blanks(lines);
    if (!is_known || !lines_take_decimal(lines, &end->number)) {
        lines_fail(lines, CODE_T026, end->at, word.length,
                   "'%.*s': expected a router or a node, and its number",
                   word.length < 80 ? (int)word.length : 80, word.text)
            ->help = HELP;
        return false;
    }
    end->length = (size_t)(lines->at - end->at);
    if (end->number < lines->source->length / SHORTEST) /* each number up to the highest is in the file */
        return true;
    lines_fail(lines, CODE_T026, end->at, end->length, "'%.*s': numbers begin with 0 and leave none out",
               (int)end->length, end->at);
    return false;
}

/* Makes room for the number. True if it is new. */
static bool name_end(struct ends *ends, uint32_t number)
{
    if (number >= ends->n) {
        ends->router =
            mem_grow(ends->router, &ends->router_capacity, (size_t)number + 1, sizeof *ends->router);
        ends->latency =
            mem_grow(ends->latency, &ends->latency_capacity, (size_t)number + 1, sizeof *ends->latency);
        for (; ends->n <= number; ends->n++) {
            ends->router[ends->n] = 0;
            ends->latency[ends->n] = 0;
        }
    }
    if (ends->router[number])
        return false;
    ends->n_named++;
    return true;
}

static bool join_node(struct reader *reader, const struct end *node, const struct end *router,
                      uint64_t latency)
{
    struct ends *nodes = &reader->nodes;
    if (name_end(nodes, node->number))
        nodes->router[node->number] = router->number + 1;
    if (latency > nodes->latency[node->number])
        nodes->latency[node->number] = latency;
    if (nodes->router[node->number] == router->number + 1)
        return true;
    lines_fail(&reader->lines, CODE_T004, router->at, router->length,
               "node %u is on router %u, and was on router %u before", node->number, router->number,
               nodes->router[node->number] - 1);
    return false;
}

static bool anynet_join(struct reader *reader, const struct end *head, const struct end *end,
                        uint64_t latency)
{
    if (!head->is_router && !end->is_router) {
        lines_fail(&reader->lines, CODE_T004, end->at, end->length,
                   "a node is joined to a router, not to a node");
        return false;
    }
    if (head->is_router != end->is_router)
        return join_node(reader, head->is_router ? end : head, head->is_router ? head : end, latency);
    if (head->number == end->number) {
        lines_fail(&reader->lines, CODE_T004, end->at, end->length, "router %u is joined to itself", end->number);
        return false;
    }
    reader->channels =
        mem_grow(reader->channels, &reader->capacity, reader->n_channels + 1, sizeof *reader->channels);
    reader->channels[reader->n_channels++] =
        head->number < end->number ? (struct channel){head->number, end->number, latency}
                                   : (struct channel){end->number, head->number, latency};
    return true;
}

static bool take_latency(struct reader *reader, uint64_t *latency)
{
    struct lines *lines = &reader->lines;
    uint32_t cycles = 1;
    const char *start = lines->at;
    if (anynet_is_number(lines) && (!lines_take_decimal(lines, &cycles) || cycles > MAX_CYCLES)) {
        lines_fail(lines, CODE_T006, start, (size_t)(lines->end - start), "a latency of more than %d cycles",
                   MAX_CYCLES);
        return false;
    }
    *latency = (uint64_t)cycles * CYCLE;
    return true;
}

static void name_router(struct reader *reader, const struct end *end)
{
    if (end->is_router && name_end(&reader->routers, end->number))
        reader->routers.router[end->number] = 1;
}

static bool anynet_read_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    struct end head, end;
    uint64_t latency;
    lines_skip_blanks(lines);
    if (lines_at_end(lines))
        return true;
    if (!anynet_take_end(reader, &head))
        return false;
    name_router(reader, &head);
    for (lines_skip_blanks(lines); !lines_at_end(lines); lines_skip_blanks(lines)) {
        if (!anynet_take_end(reader, &end))
            return false;
        name_router(reader, &end);
        lines_skip_blanks(lines);
        if (!take_latency(reader, &latency) || !anynet_join(reader, &head, &end, latency))
            return false;
    }
    return true;
}

static int anynet_compare_channels(const void *a, const void *b)
{
    const struct channel *x = a, *y = b;
    if (x->router != y->router)
        return x->router < y->router ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return (x->latency < y->latency) - (x->latency > y->latency); /* the longest first */
}

static void anynet_add_nodes(struct graph *graph, bool are_routers, uint32_t n)
{
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        const int length = snprintf(name, sizeof name, "%s%u", are_routers ? "router" : "node", i);
        (void)graph_add_node(graph, are_routers, name, (size_t)length);
    }
}

/* Makes the graph. A cable listed from both sides counts once, with the longer latency. */
static struct graph *anynet_make_graph(struct reader *reader)
{
    struct graph *graph = graph_new();
    anynet_add_nodes(graph, false, reader->nodes.n);
    anynet_add_nodes(graph, true, reader->routers.n);
    const uint32_t routers = reader->nodes.n;
    for (uint32_t node = 0; node < reader->nodes.n; node++)
        graph_add_cable(graph, node, routers + reader->nodes.router[node] - 1, TOPOLOGY_DEFAULT_BANDWIDTH,
                        reader->nodes.latency[node]);
    if (reader->n_channels)
        qsort(reader->channels, reader->n_channels, sizeof *reader->channels, anynet_compare_channels);
    for (size_t i = 0; i < reader->n_channels; i++) {
        const struct channel *channel = &reader->channels[i];
        if (!i || channel->router != channel[-1].router || channel->other != channel[-1].other)
            graph_add_cable(graph, routers + channel->router, routers + channel->other,
                            TOPOLOGY_DEFAULT_BANDWIDTH, channel->latency);
    }
    return graph;
}

static bool leaves_none_out(struct reader *reader, const struct ends *ends, const char *word)
{
    uint32_t missing = 0;
    if (ends->n == ends->n_named)
        return true;
    while (ends->router[missing])
        missing++;
    report(reader->lines.diagnostics, CODE_T004, (struct position){reader->lines.source, 0, 0, 1},
           "there is no %s %u, but a %s %u", word, missing, word, ends->n - 1)
        ->help = "BookSim numbers routers and nodes from 0 on and leaves none out";
    return false;
}

static struct topology *read_anynet(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {0};
    struct topology *topology = NULL;
    lines_open(&reader.lines, source, diagnostics);
    while (lines_next(&reader.lines) && anynet_read_line(&reader))
        ;
    if (!reader.lines.failed && leaves_none_out(&reader, &reader.routers, "router") &&
        leaves_none_out(&reader, &reader.nodes, "node")) {
        const struct topology_settings settings = {.name = source->path, .latency = TOPOLOGY_DEFAULT_LATENCY};
        topology = graph_topology(&settings, anynet_make_graph(&reader), (struct position){source, 0, 0, 1},
                                  diagnostics);
    }
    if (topology)
        report(diagnostics, CODE_T008, (struct position){source, 0, 0, 0},
               "'%s' tells no bandwidths: 100 Gb/s are assumed, and a cycle as 1 ns", source->path)
            ->help = "write it as XML (collc topo FILE --to xml), give its links their bandwidth, and use that";
    free(reader.nodes.router);
    free(reader.nodes.latency);
    free(reader.routers.router);
    free(reader.routers.latency);
    free(reader.channels);
    return topology;
}

/* True for "router 0 node" and "node 0 router", with which no other format begins. */
static bool is_anynet(const struct source *source)
{
    struct slice rest = slice_of(source_start(source));
    const struct slice line = slice_take_until(&rest, '\n');
    rest = line;
    const struct slice word = slice_take_word(&rest), number = slice_take_word(&rest);
    const struct slice next = slice_take_word(&rest);
    return (slice_is(word, "router") || slice_is(word, "node")) && number.length && text_is_digit(*number.text) &&
           (slice_is(next, "router") || slice_is(next, "node"));
}

const struct topology_format anynet_format = {.is = is_anynet, .read = read_anynet};
