/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the topology text of the ns-3 simulators HPCC, ASTRA-sim and SimAI,
 *
 *   6 2 5                            nodes, switches, links
 *   4 5                              which nodes are switches
 *   0 4 100Gbps 0.001ms 0            two nodes, rate, delay, and the share of packets that are lost
 *   ...
 *
 * In SimAI's the first line is `9 4 1 2 12 A100`: nodes, GPUs of a server, NVSwitches, switches, links, and
 * the kind of the GPUs; in the second NVSwitches come first. Nodes that are no switches are the machines. A
 * link is full duplex. Line ends mean nothing to the simulators, and little here.
 */
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include <stdlib.h>

enum { MOST_NUMBERS = 5, LEAST_LINK = 8 /* bytes: "0 1 1b 1" */, MAX_WORD = 40 };

enum ns3_kind { NS3_HOST, NS3_SWITCH, NS3_NVSWITCH };

struct ns3_reader {
    struct lines lines;
    uint32_t n_nodes, n_nvswitches, n_switches, n_links; /* as the first line says */
    uint32_t n_read;      /* links */
    uint8_t *kind;        /* [node] enum ns3_kind */
    uint32_t *node;       /* [node] of the graph */
    uint32_t n_lossy;
    struct graph *graph;
};

static const char *const HELP = "the first line has the numbers of nodes, switches and links; the second the nodes that "
                                "are switches; each other one a link: 0 4 100Gbps 1us 0";

static bool ns3_fail(struct ns3_reader *reader, uint32_t code, struct slice word, const char *message)
{
    const int shown = word.length < 80 ? (int)word.length : 80;
    lines_fail(&reader->lines, code, word.text, word.length, word.length ? "'%.*s': %s" : "%.*s%s", shown, word.text,
               message)
        ->help = HELP;
    return false;
}

/* Takes the next word, on this line or a later one; length 0 at the end of the file. */
static struct slice ns3_take_word(struct ns3_reader *reader)
{
    for (;;) {
        const struct slice word = lines_take_word(&reader->lines);
        if (word.length || !lines_next(&reader->lines))
            return word;
    }
}

/* Takes a node that there is. */
static bool ns3_take_node(struct ns3_reader *reader, uint32_t *node)
{
    const struct slice word = ns3_take_word(reader);
    if (!word.length || parse_count(word, node) != VALUE_OK)
        return ns3_fail(reader, CODE_T026, word,
                        word.length ? "expected the number of a node" : "the file ends where a node is due");
    if (*node < reader->n_nodes)
        return true;
    return ns3_fail(reader, CODE_T004, word, "nodes are numbered from 0 on, and there are fewer");
}

/* ---- the first two lines ---- */

static struct slice ns3_first_line(const struct source *source)
{
    struct slice rest = slice_of(source_start(source));
    return slice_take_until(&rest, '\n');
}

/* Reads three numbers, or five, and a word behind them that is none; returns how many, 0 for another line. */
static uint32_t read_numbers(struct slice line, uint32_t *numbers)
{
    uint32_t n = 0;
    for (struct slice word = slice_take_word(&line); word.length; word = slice_take_word(&line)) {
        uint32_t number;
        if (parse_count(word, &number) != VALUE_OK)
            break;
        if (n < MOST_NUMBERS)
            numbers[n] = number;
        n++;
    }
    return n == 3 || n == MOST_NUMBERS ? n : 0;
}

static bool ns3_read_head(struct ns3_reader *reader)
{
    uint32_t numbers[MOST_NUMBERS] = {0};
    struct lines *lines = &reader->lines;
    lines_next(lines);
    while (lines_at_end(lines) && lines_next(lines))
        ;
    const struct slice line = lines_rest(lines);
    const uint32_t n = read_numbers(line, numbers);
    const bool is_simai = n == MOST_NUMBERS;
    if (!n)
        return ns3_fail(reader, CODE_T026, line, "expected three numbers, or five and the kind of the GPUs");
    reader->n_nodes = numbers[0];
    reader->n_nvswitches = is_simai ? numbers[2] : 0;
    reader->n_switches = numbers[is_simai ? 3 : 1];
    reader->n_links = numbers[is_simai ? 4 : 2];
    lines->at = lines->end;
    /* every node has a link, and every link some bytes */
    if (reader->n_links > lines->source->length / LEAST_LINK)
        return ns3_fail(reader, CODE_T004, line, "the file is too short for so many links: it is cut off");
    if (reader->n_nodes > 2 * (lines->source->length / LEAST_LINK))
        return ns3_fail(reader, CODE_T004, line, "the file is too short for so many nodes: it is cut off");
    if ((uint64_t)reader->n_nvswitches + reader->n_switches >= reader->n_nodes)
        return ns3_fail(reader, CODE_T004, line, "all nodes are switches");
    return true;
}

static bool ns3_read_switches(struct ns3_reader *reader)
{
    reader->kind = mem_alloc(reader->n_nodes, sizeof *reader->kind);
    for (uint32_t i = 0; i < reader->n_nvswitches + reader->n_switches; i++) {
        uint32_t node;
        if (!ns3_take_node(reader, &node))
            return false;
        if (reader->kind[node])
            return ns3_fail(reader, CODE_T004, (struct slice){reader->lines.at, 0}, "a switch is named twice");
        reader->kind[node] = i < reader->n_nvswitches ? NS3_NVSWITCH : NS3_SWITCH;
    }
    return true;
}

static void add_graph_nodes(struct ns3_reader *reader)
{
    static const char *const names[] = {"node", "switch", "nvswitch"};
    reader->node = mem_alloc(reader->n_nodes, sizeof *reader->node);
    for (uint32_t i = 0; i < reader->n_nodes; i++) {
        char name[32];
        const int length = snprintf(name, sizeof name, "%s%u", names[reader->kind[i]], i);
        reader->node[i] = graph_add_node(reader->graph, reader->kind[i] != NS3_HOST, name, (size_t)length);
    }
}

/* ---- links ---- */

/* Reads a rate, "100Gbps" or "12.5GB/s". */
static bool read_rate(struct ns3_reader *reader, uint64_t *bandwidth)
{
    const struct slice word = ns3_take_word(reader);
    char text[MAX_WORD + 1];
    size_t length = word.length;
    if (length > 3 && length < MAX_WORD && memcmp(word.text + length - 2, "ps", 2) == 0) {
        length = (size_t)snprintf(text, sizeof text, "%.*s/s", (int)length - 2, word.text);
        if (parse_bandwidth((struct slice){text, length}, bandwidth) == VALUE_OK)
            return true;
    } else if (length && parse_bandwidth(word, bandwidth) == VALUE_OK) {
        return true;
    }
    return ns3_fail(reader, CODE_T026, word, length ? "expected a rate such as 100Gbps" : "the file ends within a link");
}

static bool read_delay(struct ns3_reader *reader, uint64_t *latency)
{
    const struct slice word = ns3_take_word(reader);
    if (word.length && parse_latency(word, latency) == VALUE_OK)
        return true;
    return ns3_fail(reader, CODE_T026, word,
                    word.length ? "expected a delay such as 1us" : "the file ends within a link");
}

static bool read_loss(struct ns3_reader *reader)
{
    const struct slice word = ns3_take_word(reader);
    char text[MAX_WORD + 1], *end;
    const size_t length = word.length < MAX_WORD ? word.length : MAX_WORD;
    snprintf(text, sizeof text, "%.*s", (int)length, word.text);
    const double loss = strtod(text, &end);
    if (!length || *end || !(loss >= 0 && loss <= 1))
        return ns3_fail(reader, CODE_T026, word,
                        length ? "expected the share of lost packets, 0 to 1" : "the file ends within a link");
    reader->n_lossy += loss > 0;
    return true;
}

static bool ns3_read_link(struct ns3_reader *reader)
{
    uint32_t a, b;
    uint64_t bandwidth, latency;
    if (!ns3_take_node(reader, &a) || !ns3_take_node(reader, &b))
        return false;
    if (a == b)
        return ns3_fail(reader, CODE_T004, (struct slice){reader->lines.start, 0}, "a node is linked to itself");
    if (!read_rate(reader, &bandwidth) || !read_delay(reader, &latency) || !read_loss(reader))
        return false;
    graph_add_cable(reader->graph, reader->node[a], reader->node[b], bandwidth, latency);
    reader->n_read++;
    return true;
}

/* True if there is another word; the cursor is at it. */
static bool has_more(struct ns3_reader *reader)
{
    for (;;) {
        lines_skip_blanks(&reader->lines);
        if (!lines_at_end(&reader->lines))
            return true;
        if (!lines_next(&reader->lines))
            return false;
    }
}

static bool ns3_read_links(struct ns3_reader *reader)
{
    while (reader->n_read < reader->n_links && has_more(reader))
        if (!ns3_read_link(reader))
            return false;
    if (reader->n_read == reader->n_links)
        return true;
    const struct position end = {reader->lines.source, reader->lines.line, 1, 1};
    report(reader->lines.diagnostics, CODE_T004, end,
           "the file ends after %u of %u links", reader->n_read, reader->n_links)
        ->help = "the end of the file is missing: take it again";
    return false;
}

/* Says what is left out: as by the simulators, what stands behind the last link, which are remarks or links
 * that were taken away by the number in the first line. */
static void ns3_say_assumed(struct ns3_reader *reader)
{
    struct diagnostics *diagnostics = reader->lines.diagnostics;
    const struct position position = {.source = reader->lines.source};
    if (has_more(reader))
        report(diagnostics, CODE_T008, lines_position(&reader->lines, reader->lines.at, 1),
               "the first line says %u link%s: what follows them is left out", reader->n_links,
               plural(reader->n_links))
            ->help = "the simulators do so, too: if links follow, put the right number in the first line";
    if (reader->n_lossy)
        report(diagnostics, CODE_T008, position, "lost packets of %u link%s are left out", reader->n_lossy,
               plural(reader->n_lossy));
}

/* ---- the file ---- */

/* True for "100Gbps" and its like. */
static bool ns3_is_rate(struct slice word)
{
    static const char *const units[] = {"bps", "Bps", "b/s", "B/s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (word.length > 3 && memcmp(word.text + word.length - 3, units[i], 3) == 0)
            return text_is_digit(*word.text);
    return false;
}

/* True for a first line of three numbers, or five and perhaps a word, behind which a link follows: two
 * numbers and a rate. */
static bool is_ns3(const struct source *source)
{
    uint32_t numbers[MOST_NUMBERS];
    struct lines lines;
    if (!read_numbers(ns3_first_line(source), numbers))
        return false;
    lines_open(&lines, source, NULL);
    for (uint32_t line = 0; lines_next(&lines); line++) {
        uint32_t node;
        const struct slice a = lines_take_word(&lines), b = lines_take_word(&lines);
        const struct slice rate = lines_take_word(&lines);
        if (line && rate.length && parse_count(a, &node) == VALUE_OK && parse_count(b, &node) == VALUE_OK &&
            ns3_is_rate(rate))
            return true;
        if (line && rate.length && parse_count(rate, &node) != VALUE_OK)
            return false;
    }
    return false;
}

static struct topology *read_ns3(const struct source *source, struct diagnostics *diagnostics)
{
    struct ns3_reader reader = {.graph = graph_new()};
    lines_open(&reader.lines, source, diagnostics);
    bool good = ns3_read_head(&reader) && ns3_read_switches(&reader);
    if (good) {
        add_graph_nodes(&reader);
        good = ns3_read_links(&reader);
    }
    free(reader.kind);
    free(reader.node);
    if (!good) {
        graph_free(reader.graph);
        return NULL;
    }
    const struct topology_settings settings = {.name = source->path, .latency = TOPOLOGY_DEFAULT_LATENCY};
    ns3_say_assumed(&reader);
    return graph_topology(&settings, reader.graph, (struct position){source, 0, 0, 1}, diagnostics);
}

const struct topology_format ns3_format = {.is = is_ns3, .read = read_ns3};
