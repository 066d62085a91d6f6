/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the output of ibnetdiscover: its topology file, one block per node,
 *
 *   Switch  36 "S-0002c90300000000"  # "sw0" base port 0 lid 2 lmc 0
 *   [1]  "H-0002c90400000000"[1](2c90400000001)  # "node000 HCA-1" lid 1 4xEDR
 *
 * and its ports report (-p), one line per port, without a peer if unlinked,
 *
 *   SW 2 1 0x0002c90300000000 4x EDR - CA 1 1 0x0002c90400000001 ( 'sw0' - 'node000 HCA-1' )
 *
 * Any text may precede the first node: a byte order mark, a shell prompt, the progress lines of -s. After
 * it every line must be of a known form. Tabs may be lost on the way: `Switch36 "S-..."`.
 */
#include "network/formats/infiniband/fabric.h"
#include "network/formats/infiniband/messages.h"
#include "base/text/lines.h"
#include "network/format.h"

#include "base/codes.h"

#include <string.h>

enum { MAX_LID = SUBNET_LIDS - 1, MAX_LMC = 7 };

struct reader {
    struct fabric fabric;
    struct lines lines;
    uint32_t node; /* whose block this is, or GRAPH_NONE */
    bool failed;
    bool is_over;  /* another dump begins: what follows is not of this network */
};

/* ---- scanning a line ---- */

static bool ibnetdiscover_fail(struct reader *reader, uint32_t code, struct slice slice, const char *message)
{
    reader->failed = true;
    fabric_report(&reader->fabric, code, reader->lines.line, slice, message);
    return false;
}

static bool ibnetdiscover_fail_here(struct reader *reader, const char *message)
{
    return ibnetdiscover_fail(reader, CODE_T003, lines_rest(&reader->lines), message);
}

/* Reports what a line lacks, or has too much: most often a terminal has wrapped it. */
static bool ibnetdiscover_fail_wrapped(struct reader *reader, const char *message)
{
    reader->failed = true;
    fabric_report(&reader->fabric, CODE_T003, reader->lines.line, lines_rest(&reader->lines), message)->help =
        "if a terminal wrapped the line, write the output to a file: ibnetdiscover >FILE";
    return false;
}

static bool line_starts(const struct reader *reader, const char *prefix)
{
    const struct lines *lines = &reader->lines;
    size_t length = strlen(prefix);
    return (size_t)(lines->end - lines->start) >= length &&
           memcmp(lines->start, prefix, length) == 0;
}

static const char *find_between(const char *at, const char *end, const char *part)
{
    size_t length = strlen(part);
    for (; (size_t)(end - at) >= length; at++)
        if (memcmp(at, part, length) == 0)
            return at;
    return NULL;
}

/* ---- rates ---- */

static bool set_bandwidth(struct reader *reader, struct slice width, struct slice speed,
                          uint64_t *bandwidth)
{
    *bandwidth = fabric_lanes(width) * fabric_lane_bandwidth(speed);
    if (*bandwidth)
        return true;
    struct slice both = {width.text, (size_t)(speed.text + speed.length - width.text)};
    return ibnetdiscover_fail(reader, CODE_T006, both, "unknown width or speed of a cable");
}

/* Reads "4xEDR", last but for "s=4 w=2 v=4", after the last quote. */
static bool ibnetdiscover_read_rate(struct reader *reader, uint64_t *bandwidth)
{
    struct lines *lines = &reader->lines;
    struct slice rate = {lines->at, 0};
    lines->at = lines->end;
    while (lines->at > rate.text && lines->at[-1] != '"' && lines->at[-1] != '#')
        lines->at--;
    for (struct slice word = lines_take_word(lines); word.length; word = lines_take_word(lines))
        if (!memchr(word.text, '=', word.length))
            rate = word;
    const char *x = memchr(rate.text, 'x', rate.length);
    size_t width = x ? (size_t)(x - rate.text) + 1 : rate.length < 2 ? rate.length : 2;
    if (!x && (!rate.length || *rate.text != '?'))
        return ibnetdiscover_fail_wrapped(reader, "the port line does not end in a rate such as 4xEDR");
    return set_bandwidth(reader, (struct slice){rate.text, width},
                         (struct slice){rate.text + width, rate.length - width}, bandwidth);
}

/* ---- the topology file ---- */

/* Takes "S-0002c90300000000". */
static bool ibnetdiscover_take_node(struct reader *reader, uint32_t *node)
{
    struct lines *lines = &reader->lines;
    struct slice id;
    const char *start = lines->at;
    if (!lines_starts(lines, "\"") || !lines_take_quoted(lines, &id) || id.length < 3 ||
        id.text[1] != '-' || !memchr("SHR", id.text[0], 3)) {
        lines->at = start;
        return ibnetdiscover_fail_here(reader, "expected a node such as \"S-0002c90300000000\"");
    }
    enum fabric_kind kind = id.text[0] == 'S'   ? FABRIC_SWITCH
                            : id.text[0] == 'H' ? FABRIC_HOST
                                                : FABRIC_ROUTER;
    *node = fabric_node(&reader->fabric, kind, (struct slice){id.text + 2, id.length - 2});
    return true;
}

/* Returns the text from the first quote after '#' to the last one: descriptions may hold quotes. */
static struct slice quoted_comment(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    const char *hash = memchr(lines->at, '#', (size_t)(lines->end - lines->at));
    const char *open = hash ? memchr(hash, '"', (size_t)(lines->end - hash)) : NULL;
    const char *close = lines->end;
    while (open && close > open + 1 && close[-1] != '"')
        close--;
    if (!open || close == open + 1)
        return (struct slice){lines->at, 0};
    return (struct slice){open + 1, (size_t)(close - open) - 2};
}

/* Takes the number after "lid " or "lmc " at the cursor, which moves past it; 0 if there is none (a field
 * can be empty) or if it is above the limit. */
static uint32_t ibnetdiscover_take_field(struct reader *reader, const char *name, uint32_t limit)
{
    struct lines *lines = &reader->lines;
    size_t length = strlen(name);
    uint32_t number;
    lines_skip_blanks(lines);
    if ((size_t)(lines->end - lines->at) < length || memcmp(lines->at, name, length) != 0)
        return 0;
    lines->at += length;
    return lines_take_decimal(lines, &number) && number <= limit ? number : 0;
}

/* Reads `base port 0 lid 83 lmc 0` behind the description. */
static void read_switch_lid(struct reader *reader, struct fabric_node *node)
{
    struct lines *lines = &reader->lines;
    if (node->description.length)
        lines->at = node->description.text + node->description.length;
    const char *lid = find_between(lines->at, lines->end, " lid ");
    if (node->kind != FABRIC_SWITCH || !lid)
        return;
    lines->at = lid;
    node->lid = (uint16_t)ibnetdiscover_take_field(reader, "lid ", MAX_LID);
}

/* Reads Switch\t36 "S-..."\t\t# "DESCRIPTION" ... */
static void ibnetdiscover_read_header(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    uint32_t n_ports;
    while (lines->at < lines->end && (*lines->at | 0x20) >= 'a' && (*lines->at | 0x20) <= 'z')
        lines->at++;
    lines_skip_blanks(lines);
    reader->node = GRAPH_NONE;
    if (!lines_take_decimal(lines, &n_ports)) {
        ibnetdiscover_fail_here(reader, "expected the number of ports");
        return;
    }
    lines_skip_blanks(lines);
    if (!ibnetdiscover_take_node(reader, &reader->node))
        return;
    struct fabric_node *node = &reader->fabric.nodes[reader->node];
    if (node->is_declared) {
        reader->failed = true;
        struct diagnostic *found = fabric_report(&reader->fabric, CODE_T004, lines->line,
                                                 node->guid, "node listed twice");
        found->related = (struct position){reader->fabric.source, node->line, 1, 1};
        found->related_text = "first here";
        found->help = "if the file holds two dumps, give each a file of its own";
    }
    node->is_declared = true;
    node->line = lines->line;
    node->description = quoted_comment(reader);
    read_switch_lid(reader, node);
}

/* Takes "[7]" and perhaps "[ext 4]" and "(2c90300000000)", the port's GUID. */
static bool ibnetdiscover_take_port(struct reader *reader, uint32_t *port, struct slice *guid)
{
    struct lines *lines = &reader->lines;
    if (!lines_take_text(lines, "[") || !lines_take_decimal(lines, port) ||
        !lines_take_text(lines, "]"))
        return ibnetdiscover_fail_here(reader, "expected a port such as [1]");
    while (lines->at < lines->end && (*lines->at == '[' || *lines->at == '(')) {
        char close = *lines->at == '[' ? ']' : ')';
        const char *found = memchr(lines->at, close, (size_t)(lines->end - lines->at));
        if (!found)
            return ibnetdiscover_fail_here(reader, "bracket not closed");
        if (close == ')')
            *guid = (struct slice){lines->at + 1, (size_t)(found - lines->at) - 1};
        lines->at = found + 1;
    }
    return true;
}

/* Keeps the description that a port line has of the other end: that node may have no entry. */
static void keep_peer_description(struct reader *reader, uint32_t peer)
{
    struct fabric_node *node = &reader->fabric.nodes[peer];
    if (!node->is_declared && !node->description.length)
        node->description = quoted_comment(reader);
}

/* Reads `# lid 87 lmc 0 "PEER" lid 83 4xEDR`: a host states its own LID first. */
static void read_own_lid(struct reader *reader, struct fabric_port *port)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    if (!lines_take_text(lines, "#"))
        return;
    port->lid = (uint16_t)ibnetdiscover_take_field(reader, "lid ", MAX_LID);
    port->lmc = (uint8_t)ibnetdiscover_take_field(reader, "lmc ", MAX_LMC);
}

static void read_port_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    struct fabric_port port = {.node = reader->node, .line = lines->line};
    if (reader->node == GRAPH_NONE) {
        ibnetdiscover_fail_here(reader, "a port without a node before it");
        return;
    }
    struct slice peer_guid;
    if (!ibnetdiscover_take_port(reader, &port.port, &port.guid))
        return;
    lines_skip_blanks(lines);
    if (!ibnetdiscover_take_node(reader, &port.peer) ||
        !ibnetdiscover_take_port(reader, &port.peer_port, &peer_guid))
        return;
    keep_peer_description(reader, port.peer);
    read_own_lid(reader, &port);
    if (ibnetdiscover_read_rate(reader, &port.bandwidth))
        fabric_add_port(&reader->fabric, port);
}

/* ---- the ports report ---- */

/* Takes "SW 2 1 0x0002c90300000000": a node and its port. The GUID is the port's if the node is a host. */
static bool ibnetdiscover_take_end(struct reader *reader, uint32_t *node, uint32_t *port, uint32_t *lid)
{
    struct lines *lines = &reader->lines;
    struct slice kind = lines_take_word(lines);
    lines_skip_blanks(lines);
    bool numbers = lines_take_decimal(lines, lid);
    lines_skip_blanks(lines);
    numbers = numbers && lines_take_decimal(lines, port);
    struct slice guid = lines_take_word(lines);
    if (!numbers || guid.length < 3 || memcmp(guid.text, "0x", 2) != 0)
        return ibnetdiscover_fail_here(reader, "expected a kind, a LID, a port and a GUID");
    guid.text += 2;
    guid.length -= 2;
    enum fabric_kind known = slice_is(kind, "CA")   ? FABRIC_HOST
                             : slice_is(kind, "SW") ? FABRIC_SWITCH
                                                    : FABRIC_ROUTER;
    *node = fabric_node(&reader->fabric, known, guid);
    return true;
}

/* Reads ( 'A' - 'B' ), or ( ) without descriptions. */
static bool read_descriptions(struct reader *reader, uint32_t node, uint32_t peer)
{
    struct lines *lines = &reader->lines;
    const char *end = lines->end;
    while (end > lines->at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    lines_skip_blanks(lines);
    if (!lines_take_text(lines, "(") || end[-1] != ')')
        return ibnetdiscover_fail_here(reader, "expected the two descriptions in parentheses");
    const char *middle = find_between(lines->at, end, "' - '");
    const char *open = middle ? memchr(lines->at, '\'', (size_t)(middle - lines->at)) : NULL;
    if (!open)
        return true;
    const char *close = end - 1;
    while (close > middle + 5 && *close != '\'')
        close--;
    struct slice first = {open + 1, (size_t)(middle - open) - 1};
    struct slice second = {middle + 5, (size_t)(close - middle) - 5};
    reader->fabric.nodes[node].description = first;
    reader->fabric.nodes[peer].description = second;
    return true;
}

static void read_report_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    struct fabric_port port = {.line = lines->line};
    uint32_t lid, peer_lid;
    if (!ibnetdiscover_take_end(reader, &port.node, &port.port, &lid))
        return;
    reader->node = GRAPH_NONE;
    struct fabric_node *node = &reader->fabric.nodes[port.node];
    node->is_declared = true;
    port.guid = node->guid;
    port.lid = node->lid = (uint16_t)(lid <= MAX_LID ? lid : 0);
    struct slice width = lines_take_word(lines), speed = lines_take_word(lines);
    lines_skip_blanks(lines);
    bool is_linked = lines->end - lines->at >= 2 && memcmp(lines->at, "- ", 2) == 0;
    if (!speed.length)
        ibnetdiscover_fail_here(reader, "expected the width and speed of the port");
    if (!speed.length || !is_linked)
        return;
    lines->at++;
    if (set_bandwidth(reader, width, speed, &port.bandwidth) &&
        ibnetdiscover_take_end(reader, &port.peer, &port.peer_port, &peer_lid) &&
        read_descriptions(reader, port.node, port.peer))
        fabric_add_port(&reader->fabric, port);
}

/* ---- lines ---- */

static bool ibnetdiscover_is_header(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    static const char *const kinds[] = {"Switch", "Ca", "Rt", "Hca", NULL};
    for (int i = 0; kinds[i]; i++) {
        size_t length = strlen(kinds[i]);
        if (line_starts(reader, kinds[i]) && lines->start + length < lines->end &&
            memchr(" \t0123456789", lines->start[length], 12))
            return true;
    }
    return false;
}

/* True for "CA " and a LID. */
static bool is_report_line(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    if (!line_starts(reader, "CA ") && !line_starts(reader, "SW ") && !line_starts(reader, "RT "))
        return false;
    const char *at = lines->start + 3;
    while (at < lines->end && *at == ' ')
        at++;
    return at < lines->end && *at >= '0' && *at <= '9';
}

static bool is_port_line(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    return line_starts(reader, "[") && lines->start + 1 < lines->end &&
           lines->start[1] >= '0' && lines->start[1] <= '9';
}

/* True for "vendid=0x2c9" and its like. */
static bool is_setting(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    const char *at = lines->start;
    while (at < lines->end && *at >= 'a' && *at <= 'z')
        at++;
    return at > lines->start && at < lines->end && *at == '=';
}

static bool is_known_noise(const struct reader *reader)
{
    static const char *const noise[] = {"#", "DR path ", "Chassis ", "Non-Chassis ", "src/", NULL};
    for (int i = 0; noise[i]; i++)
        if (line_starts(reader, noise[i]))
            return true;
    return is_setting(reader) || infiniband_is_message(&reader->lines);
}

/* True if a second dump begins, whose node GUIDs would be met again, hundreds of times. */
static bool begins_again(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    static const char title[] = "# Topology file: generated on";
    if (!reader->fabric.n_nodes || !line_starts(reader, title))
        return false;
    reader->failed = reader->is_over = true;
    fabric_report(&reader->fabric, CODE_T004, lines->line,
                  (struct slice){lines->start, sizeof title - 1}, "a second dump in this file")
        ->help = "give each subnet, and each time it was looked at, a file of its own";
    return true;
}

static void ibnetdiscover_read_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    if (begins_again(reader))
        return;
    if (is_port_line(reader))
        read_port_line(reader);
    else if (ibnetdiscover_is_header(reader))
        ibnetdiscover_read_header(reader);
    else if (is_report_line(reader))
        read_report_line(reader);
    else if (!is_known_noise(reader) && reader->fabric.n_nodes) {
        lines_skip_blanks(lines);
        if (lines->at < lines->end)
            ibnetdiscover_fail_wrapped(reader, "not a line of ibnetdiscover");
    }
}

/* True for a header with a node id, which the list of -l lacks. */
static bool is_node_header(const struct reader *reader)
{
    const struct lines *lines = &reader->lines;
    return ibnetdiscover_is_header(reader) &&
           (find_between(lines->start, lines->end, "\"S-") ||
            find_between(lines->start, lines->end, "\"H-") || find_between(lines->start, lines->end, "\"R-"));
}

static bool is_ibnetdiscover(const struct source *source)
{
    struct reader reader = {0};
    lines_open(&reader.lines, source, NULL);
    while (lines_next(&reader.lines))
        if (is_node_header(&reader) || is_report_line(&reader) ||
            line_starts(&reader, "# Topology file: generated on"))
            return true;
    return false;
}

static struct topology *read_ibnetdiscover(const struct source *source,
                                           struct diagnostics *diagnostics)
{
    struct reader reader = {.fabric = {.source = source, .diagnostics = diagnostics},
                            .node = GRAPH_NONE};
    lines_open(&reader.lines, source, diagnostics);
    while (!reader.is_over && lines_next(&reader.lines))
        ibnetdiscover_read_line(&reader);
    struct topology *topology = reader.failed ? NULL : fabric_topology(&reader.fabric);
    fabric_free(&reader.fabric);
    return topology;
}

const struct topology_format ibnetdiscover_format = {
    .is = is_ibnetdiscover, .read = read_ibnetdiscover};
