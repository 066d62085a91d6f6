/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes all calls of cgraph in the readers. cgraph keeps the state of its parser in globals, so one text
 * is read after the other, each to its end; it stores no positions, and its messages have at best a line.
 */
#include "network/formats/dot/dot.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <cgraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Drops const: cgraph does not write to its strings, though its header says it may. */
static char *dot_parse_plain(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = {text};
    return both.out;
}

struct diagnostic *dot_report(struct dot_network *network, uint32_t code, struct slice slice,
                              const char *format, ...)
{
    const struct diagnostics *diagnostics = network->diagnostics;
    uint32_t keep = diagnostics->keep_per_code ? diagnostics->keep_per_code : DIAGNOSTICS_KEEP;
    struct position position = {network->source, 0, 0, 1};
    if (diagnostics->n_of_code[code] < keep) /* finding the line takes a while */
        position = slice_position(network->source, slice);
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    network->failed = true;
    return report(network->diagnostics, code, position, "%s", message);
}

/* ---- text ---- */

struct reading {
    const char *at, *end;
};

static int dot_parse_read_some(void *channel, char *buffer, int size)
{
    struct reading *reading = channel;
    size_t left = (size_t)(reading->end - reading->at);
    size_t n = left < (size_t)size ? left : (size_t)size;
    memcpy(buffer, reading->at, n);
    reading->at += n;
    return (int)n;
}

/* Reads all graphs of a text and forgets them; true if there was one and no error. */
static bool read_and_forget(const char *text)
{
    struct reading reading = {text, text + strlen(text)};
    Agiodisc_t io = {dot_parse_read_some, AgIoDisc.putstr, AgIoDisc.flush};
    Agdisc_t discipline = {&AgMemDisc, &AgIdDisc, &io};
    bool is_graph = false;
    agreseterrors();
    for (Agraph_t *graph; (graph = agread(&reading, &discipline)) != NULL;) {
        is_graph = true;
        agclose(graph);
    }
    return is_graph && agreseterrors() < AGERR;
}

/* Ends an open string, comment or HTML text, in which a text with an error may leave the scanner, before
 * the next text. HTML is nested at most as deep as there are '<'. */
static void clean_scanner(const struct source *wrong)
{
    size_t depth = 0;
    for (const char *at = wrong->text; (at = strchr(at, '<')) != NULL; at++)
        depth++;
    char *html_ends = mem_alloc(depth + 1, 1);
    memset(html_ends, '>', depth);
    const char *const ends[] = {"\"", "*/", html_ends};
    for (size_t i = 0; !read_and_forget("graph {}\n") && i < sizeof ends / sizeof *ends; i++)
        read_and_forget(ends[i]);
    free(html_ends);
}

/* ---- errors ---- */

static uint32_t n_lines(const struct source *source)
{
    uint32_t n = 1;
    for (const char *at = source->text; (at = strchr(at, '\n')) != NULL; at++)
        n++;
    return n;
}

static struct slice dot_parse_line_of(const struct source *source, uint32_t line)
{
    const char *start = source->text;
    while (--line)
        start = strchr(start, '\n') + 1;
    return (struct slice){start, strcspn(start, "\n")};
}

/* Returns the text in quotes after "near"; length 0 if there is none. */
static struct slice near_word(const char *message)
{
    const char *start = strstr(message, "near '");
    const char *end = start ? strrchr(start, '\'') : NULL;
    start = start ? start + 6 : message;
    return (struct slice){start, end && end > start ? (size_t)(end - start) : 0};
}

/* Returns the word in its line, or the whole line if the word is not there. */
static struct slice dot_parse_place_of(const struct source *source, uint32_t line, struct slice word)
{
    struct slice found = dot_parse_line_of(source, line);
    for (size_t i = found.length; word.length && i-- > 0;)
        if (found.length - i >= word.length &&
            memcmp(found.text + i, word.text, word.length) == 0)
            return (struct slice){found.text + i, word.length};
    return found;
}

#define DOT_HELP "a network is one graph: graph NAME { n0 -- sw0; ... } or digraph NAME { n0 -> sw0; ... }"

static void report_syntax(struct dot_network *network, const char *message)
{
    const char *number = message ? strstr(message, "line ") : NULL;
    unsigned long line = number ? strtoul(number + 5, NULL, 10) : 0;
    /* A '# 7' in the text renumbers lines. */
    if (!message || line < 1 || line > n_lines(network->source)) {
        dot_report(network, CODE_T019, (struct slice){network->source->text, 1},
                   "'%s' is not a graph in DOT", network->source->path)
            ->help = DOT_HELP;
        return;
    }
    struct slice word = near_word(message);
    struct slice place = dot_parse_place_of(network->source, (uint32_t)line, word);
    int shown = word.length < 80 ? (int)word.length : 80;
    if (shown)
        dot_report(network, CODE_T019, place, "'%.*s': not expected here", shown, word.text)
            ->help = DOT_HELP;
    else
        dot_report(network, CODE_T019, place, "the graph is not complete")->help = DOT_HELP;
}

/* Reports an error that cgraph remembers, unless one was reported. */
static void check_errors(struct dot_network *network)
{
    bool is_wrong = agreseterrors() >= AGERR;
    char *message = is_wrong ? aglasterr() : NULL;
    if (is_wrong && !network->failed)
        report_syntax(network, message);
    free(message);
}

/* ---- reading ---- */

/* Reads to the end: what is left in the buffers of cgraph would begin the next text. */
static void dot_parse_read_all(struct dot_network *network)
{
    const struct source *source = network->source;
    bool mark = source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0;
    struct reading reading = {source->text + (mark ? 3 : 0), source->text + source->length};
    Agiodisc_t io = {dot_parse_read_some, AgIoDisc.putstr, AgIoDisc.flush};
    Agdisc_t discipline = {&AgMemDisc, &AgIdDisc, &io};
    agreadline(1);
    network->handle = agread(&reading, &discipline);
    check_errors(network);
    for (Agraph_t *more; network->handle && (more = agread(&reading, &discipline)) != NULL;) {
        if (!network->failed)
            dot_report(network, CODE_T019, dot_find_name(source, agnameof(more)),
                       "a second graph in one file")
                ->help = "give each network a file of its own";
        agclose(more);
    }
    check_errors(network);
    if (network->failed)
        clean_scanner(source);
}

static const char *dot_parse_value_of(void *object, Agsym_t *attribute)
{
    const char *value = attribute ? agxget(object, attribute) : NULL;
    return value ? value : "";
}

static Agsym_t *attribute_of(Agraph_t *graph, int kind, const char *name)
{
    return agattr(graph, kind, dot_parse_plain(name), NULL);
}

/* Warns of a declared name that nearly is one of those read here and is no attribute of Graphviz; otherwise
 * it would silently be ignored. */
static void warn_of_slips(struct dot_network *network, Agraph_t *graph, int kind)
{
    static const char *const known[] = {"type", "bandwidth", "latency", "ports", "comment"};
    for (Agsym_t *s = agnxtattr(graph, kind, NULL); s; s = agnxtattr(graph, kind, s)) {
        const char *meant = nearest(s->name, strlen(s->name), known, sizeof known / sizeof *known);
        if (!meant || strcmp(s->name, meant) == 0)
            continue;
        struct slice place = dot_find_name(network->source, s->name);
        report(network->diagnostics, CODE_T008, slice_position(network->source, place),
               "attribute '%.80s' means nothing here", s->name)
            ->help = did_you_mean(&network->diagnostics->arena, meant, NULL);
    }
}

/* Takes the nodes, which cgraph numbers from 1 in the order of the text. */
static void take_nodes(struct dot_network *network, Agraph_t *graph)
{
    Agsym_t *type = attribute_of(graph, AGNODE, "type");
    network->nodes = mem_alloc((size_t)agnnodes(graph), sizeof *network->nodes);
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        network->nodes[network->n_nodes++] =
            (struct dot_node){.name = agnameof(node), .type = dot_parse_value_of(node, type)};
}

static int compare_sequences(const void *a, const void *b)
{
    const struct dot_channel *x = a, *y = b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Returns the port at an end of an edge, without the side of the drawn node; "" if there is none. */
static struct slice dot_parse_port(Agraph_t *graph, Agedge_t *edge, const char *port, const char *label)
{
    static const char *const sides[] = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"};
    const char *name = dot_parse_value_of(edge, attribute_of(graph, AGEDGE, port));
    const char *colon = strrchr(name, ':'), *side = colon ? colon + 1 : name;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (strcmp(side, sides[i]) == 0)
            length = colon ? (size_t)(colon - name) : 0;
    return length ? (struct slice){name, length}
                  : slice_of(dot_parse_value_of(edge, attribute_of(graph, AGEDGE, label)));
}

static struct dot_channel take_channel(Agraph_t *graph, Agedge_t *edge, const uint32_t *index)
{
    const char *key = agnameof(edge);
    return (struct dot_channel){
        .tail = index[AGSEQ(agtail(edge))],
        .head = index[AGSEQ(aghead(edge))],
        .sequence = (uint32_t)AGSEQ(edge),
        .port = {dot_parse_port(graph, edge, "tailport", "taillabel"),
                 dot_parse_port(graph, edge, "headport", "headlabel")},
        .key = key ? key : "",
        .bandwidth = dot_parse_value_of(edge, attribute_of(graph, AGEDGE, "bandwidth")),
        .latency = dot_parse_value_of(edge, attribute_of(graph, AGEDGE, "latency")),
        .comment = dot_parse_value_of(edge, attribute_of(graph, AGEDGE, "comment")),
        .direction = dot_parse_value_of(edge, attribute_of(graph, AGEDGE, "dir")),
    };
}

static uint32_t *dot_parse_number_nodes(Agraph_t *graph)
{
    size_t n = 1;
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        n = AGSEQ(node) >= n ? (size_t)AGSEQ(node) + 1 : n;
    uint32_t *index = mem_alloc(n, sizeof *index), next = 0;
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        index[AGSEQ(node)] = next++;
    return index;
}

static void take_channels(struct dot_network *network, Agraph_t *graph)
{
    uint32_t *index = dot_parse_number_nodes(graph);
    network->channels = mem_alloc((size_t)agnedges(graph), sizeof *network->channels);
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        for (Agedge_t *edge = agfstout(graph, node); edge; edge = agnxtout(graph, edge))
            network->channels[network->n_channels++] = take_channel(graph, edge, index);
    qsort(network->channels, network->n_channels, sizeof *network->channels, compare_sequences);
    free(index);
}

static void take_graph(struct dot_network *network, Agraph_t *graph)
{
    const char *name = agnameof(graph);
    network->name = name && *name && *name != '%' ? name : network->source->path;
    network->is_directed = agisdirected(graph);
    network->bandwidth = dot_parse_value_of(graph, attribute_of(graph, AGRAPH, "bandwidth"));
    network->latency = dot_parse_value_of(graph, attribute_of(graph, AGRAPH, "latency"));
    network->ports = dot_parse_value_of(graph, attribute_of(graph, AGRAPH, "ports"));
    take_nodes(network, graph);
    take_channels(network, graph);
}

bool dot_parse(struct dot_network *network)
{
    agerrlevel_t level = agseterr(AGMAX); /* prints nothing */
    dot_parse_read_all(network);
    if (!network->handle && !network->failed)
        report_syntax(network, NULL);
    if (!network->failed) {
        static const int kinds[] = {AGRAPH, AGNODE, AGEDGE};
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            warn_of_slips(network, network->handle, kinds[i]);
        take_graph(network, network->handle);
    }
    agseterr(level);
    return !network->failed;
}

void dot_network_free(struct dot_network *network)
{
    free(network->nodes);
    free(network->channels);
    if (network->handle)
        agclose(network->handle);
}
