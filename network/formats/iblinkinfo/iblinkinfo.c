/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the output of iblinkinfo: a block for each node,
 *
 *   Switch: 0x0002c90300000070 leaf07:
 *         36    1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>   76    1[  ] "node063 HCA-1" ( )
 *         36    2[  ] ==(              Down/ Polling)==>             [  ] "" ( )
 *   CA: node063 HCA-1:
 *     0x0002c904000003f1   76    1[  ] ==( 4X ... LinkUp)==>      36    1[  ] "leaf07" ( )
 *
 * or with -l all of it in each line,
 *
 *   0x0002c904000003f1 "node063 HCA-1" 76 1[  ] ==( ... )==> 0x0002c90300000070 36 1[  ] "leaf07" ( )
 *
 * Numbers are a LID and a port; in blocks the other end has only its LID. With -l nothing marks switches:
 * a node with several lines, or with a port number that no adapter has, is one. An adapter with two ports
 * is two nodes with one description, as in the ports report of ibnetdiscover.
 */
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/formats/infiniband/fabric.h"
#include "network/formats/infiniband/messages.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ADAPTER_PORT = 2 };

/* A line of a port. */
struct port_line {
    struct slice guid, description;   /* this end */
    struct slice peer_guid, peer_lid, peer_description; /* the other; length 0: not stated */
    uint32_t lid, port, peer_port, peer_lid_number;
    uint64_t bandwidth;               /* 0: no link */
    uint32_t line;
    enum fabric_kind kind;            /* with -l found later */
    bool is_list;                     /* a line of -l */
};

struct reader {
    struct lines lines;
    struct fabric fabric;
    struct port_line *ports;
    size_t n_ports, capacity;
    struct slice guid, description; /* GUID (only of a switch) and description of the block */
    enum fabric_kind kind;
    bool has_block;
};

static bool iblinkinfo_fail_here(struct reader *reader, const char *message)
{
    lines_fail_here(&reader->lines, CODE_T003, message);
    return false;
}

/* ---- a line ---- */

/* Takes "0x..." as a slice of its digits. Returns false and leaves the cursor if there is none. */
static bool iblinkinfo_take_guid(struct lines *lines, struct slice *guid)
{
    struct lines rest = *lines;
    lines_skip_blanks(&rest);
    if (!lines_take_text(&rest, "0x"))
        return false;
    *guid = (struct slice){rest.at, 0};
    while (rest.at < rest.end && hexadecimal_digit(*rest.at) >= 0) {
        rest.at++;
        guid->length++;
    }
    if (!guid->length)
        return false;
    *lines = rest;
    return true;
}

static bool iblinkinfo_take_number(struct lines *lines, uint32_t *number)
{
    lines_skip_blanks(lines);
    return lines_take_decimal(lines, number);
}

/* Takes "36    1[ 4]": a LID and a port. */
static bool iblinkinfo_take_port(struct reader *reader, struct slice *lid, uint32_t *lid_number,
                                 uint32_t *port)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    lid->text = lines->at;
    if (!iblinkinfo_take_number(lines, lid_number))
        return iblinkinfo_fail_here(reader, "expected a LID");
    lid->length = (size_t)(lines->at - lid->text);
    if (*lid_number >= SUBNET_LIDS)
        return iblinkinfo_fail_here(reader, "the LID is none of a port");
    if (!iblinkinfo_take_number(lines, port) || *port > SUBNET_MAX_PORT || !lines_take_text(lines, "[") ||
        !lines_take_after(lines, "]"))
        return iblinkinfo_fail_here(reader, "expected a port such as 1[  ]");
    return true;
}

/* Returns the name of a speed in Gb/s of a lane on the wire, as the tools print it; "" if unknown. */
static const char *speed_name(struct slice speed)
{
    static const char *const speeds[][2] = {
        {"2.5", "SDR"},      {"5.0", "DDR"},    {"5", "DDR"},       {"10.0", "QDR"},   {"10", "QDR"},
        {"14.0625", "FDR"},  {"25.78125", "EDR"}, {"53.125", "HDR"}, {"106.25", "NDR"}, {"212.5", "XDR"}};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (slice_is(speed, speeds[i][0]))
            return speeds[i][1];
    return "";
}

/* Takes " 4X  25.78125 Gbps Active/  LinkUp)==>"; a port that is down has neither width nor speed. */
static bool iblinkinfo_take_link(struct reader *reader, uint64_t *bandwidth)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    if (!lines_take_text(lines, "==("))
        return iblinkinfo_fail_here(reader, "expected the state of the link, ==( ... )==>");
    struct lines state = *lines;
    if (!lines_take_after(lines, "==>"))
        return iblinkinfo_fail_here(reader, "the state of the link does not end in ==>");
    struct slice width = lines_take_word(&state), speed = lines_take_word(&state);
    struct slice unit = lines_take_word(&state);
    *bandwidth = 0;
    if (memchr(width.text, '/', width.length) || slice_is(width, "Down"))
        return true;
    const char *name = slice_is(unit, "Gbps") ? speed_name(speed) : "";
    lines_skip_blanks(&state);
    if (lines_starts(&state, "(FDR10)"))
        name = "FDR10";
    *bandwidth = fabric_lanes(width) * fabric_lane_bandwidth(slice_of(name));
    if (*bandwidth)
        return true;
    const size_t length = (size_t)(unit.text + unit.length - width.text);
    lines_fail(lines, CODE_T006, width.text, length ? length : 1, "unknown width or speed of a cable");
    return false;
}

/* Takes the text in the quotes at the cursor. Names may hold quotes: it ends at the last quote before "
 * (". */
static bool iblinkinfo_take_description(struct reader *reader, struct slice *description)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    if (!lines_take_text(lines, "\""))
        return iblinkinfo_fail_here(reader, "expected a node description in quotes");
    const char *close = NULL;
    for (const char *at = lines->at; at < lines->end; at++)
        if (*at == '"' && (!close || (lines->end - at > 2 && at[1] == ' ' && at[2] == '(')))
            close = at;
    if (!close)
        return iblinkinfo_fail_here(reader, "the quote is not closed");
    *description = (struct slice){lines->at, (size_t)(close - lines->at)};
    lines->at = close + 1;
    return true;
}

/* Takes the right-aligned name of a line of -l: it ends at the quote before a blank and a number. */
static bool take_own_description(struct reader *reader, struct slice *description)
{
    struct lines *lines = &reader->lines;
    const char *end = lines->at;
    while (lines->end - end > 3 && memcmp(end, "==(", 3) != 0)
        end++;
    lines_skip_blanks(lines);
    const char *open = lines->at, *close = end;
    while (close > open && close[-1] != '"')
        close--;
    if (!lines_take_text(lines, "\"") || close < open + 2)
        return iblinkinfo_fail_here(reader, "expected a node description in quotes");
    *description = slice_trim((struct slice){open + 1, (size_t)(close - open) - 2});
    lines->at = close;
    return true;
}

static bool take_peer(struct reader *reader, struct port_line *port)
{
    struct lines *lines = &reader->lines;
    iblinkinfo_take_guid(lines, &port->peer_guid);
    if (!iblinkinfo_take_port(reader, &port->peer_lid, &port->peer_lid_number, &port->peer_port) ||
        !iblinkinfo_take_description(reader, &port->peer_description))
        return false;
    if (port->peer_guid.length || port->peer_lid_number)
        return true;
    lines_fail(lines, CODE_T004, port->peer_lid.text, port->peer_lid.length,
               "the other end has no LID yet, and nothing else says which node it is")
        ->help = "take the output of iblinkinfo -l, which has GUIDs";
    return false;
}

static void iblinkinfo_read_port(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    struct port_line port = {.line = lines->line};
    struct slice lid;
    const bool has_guid = iblinkinfo_take_guid(lines, &port.guid);
    struct lines name = *lines;
    lines_skip_blanks(&name);
    port.is_list = has_guid && lines_starts(&name, "\"");
    if (port.is_list && !take_own_description(reader, &port.description))
        return;
    if (!port.is_list) {
        port.kind = reader->kind;
        port.description = reader->description;
        if (!reader->has_block) {
            iblinkinfo_fail_here(reader, "a port without a node before it");
            return;
        }
        if (!has_guid)
            port.guid = reader->guid;
    }
    if (!port.guid.length) {
        iblinkinfo_fail_here(reader, "expected the GUID of the port");
        return;
    }
    if (!iblinkinfo_take_port(reader, &lid, &port.lid, &port.port) ||
        !iblinkinfo_take_link(reader, &port.bandwidth) || (port.bandwidth && !take_peer(reader, &port)))
        return;
    reader->ports = mem_grow(reader->ports, &reader->capacity, reader->n_ports + 1, sizeof *reader->ports);
    reader->ports[reader->n_ports++] = port;
}

/* Takes "Switch: 0xGUID NAME:", "CA: NAME:", or "Switch 0xGUID NAME:" of old versions. */
static bool take_header(struct reader *reader)
{
    static const struct { const char *word; enum fabric_kind kind; } words[] = {
        {"Switch", FABRIC_SWITCH}, {"CA", FABRIC_HOST}, {"Router", FABRIC_ROUTER}};
    struct lines *lines = &reader->lines;
    size_t i = 0;
    while (i < 3 && !lines_take_text(lines, words[i].word))
        i++;
    if (i == 3 || (!lines_starts(lines, ":") && !lines_starts(lines, " ")))
        return false;
    lines_take_text(lines, ":");
    reader->has_block = true;
    reader->kind = words[i].kind;
    reader->guid = (struct slice){lines->at, 0};
    iblinkinfo_take_guid(lines, &reader->guid);
    reader->description = slice_trim(lines_rest(lines));
    if (reader->description.length && reader->description.text[reader->description.length - 1] == ':')
        reader->description.length--;
    return true;
}

/* True for the line of a port, which has "==(". */
static bool iblinkinfo_has_link(const struct lines *lines)
{
    struct lines rest = *lines;
    return lines_take_after(&rest, "==(");
}

static void iblinkinfo_read_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    if (iblinkinfo_has_link(lines)) {
        iblinkinfo_read_port(reader);
        return;
    }
    if (infiniband_is_message(lines) || lines_starts(lines, "#") || take_header(reader))
        return;
    lines_skip_blanks(lines);
    if (reader->has_block && !lines_at_end(lines))
        iblinkinfo_fail_here(reader, "not a line of iblinkinfo");
}

/* ---- nodes ---- */

static int compare_by_guid(const void *a, const void *b)
{
    const struct port_line *x = *(struct port_line *const *)a, *y = *(struct port_line *const *)b;
    const int order = slice_compare(x->guid, y->guid);
    return order ? order : (x > y) - (x < y);
}

/* Finds the GUIDs that are switches' in lines of -l. */
static void find_kinds(struct reader *reader)
{
    struct port_line **sorted = mem_alloc(reader->n_ports + 1, sizeof(struct port_line *));
    for (size_t i = 0; i < reader->n_ports; i++)
        sorted[i] = &reader->ports[i];
    qsort(sorted, reader->n_ports, sizeof(struct port_line *), compare_by_guid);
    for (size_t first = 0, end; first < reader->n_ports; first = end) {
        bool is_switch = sorted[first]->port > MAX_ADAPTER_PORT;
        end = first + 1;
        while (end < reader->n_ports && slice_compare(sorted[end]->guid, sorted[first]->guid) == 0)
            end++;
        is_switch |= end > first + 1;
        for (size_t i = first; i < end; i++)
            if (sorted[i]->is_list)
                sorted[i]->kind = is_switch ? FABRIC_SWITCH : FABRIC_HOST;
    }
    free(sorted);
}

/* Adds a node for each GUID. Returns the node of each LID. */
static uint32_t *make_nodes(struct reader *reader)
{
    uint32_t *by_lid = mem_alloc(SUBNET_LIDS, sizeof *by_lid);
    memset(by_lid, 0xff, SUBNET_LIDS * sizeof *by_lid);
    for (size_t i = 0; i < reader->n_ports; i++) {
        const struct port_line *port = &reader->ports[i];
        const uint32_t index = fabric_node(&reader->fabric, port->kind, port->guid);
        struct fabric_node *node = &reader->fabric.nodes[index];
        if (!node->is_declared) {
            node->is_declared = true;
            node->line = port->line;
            node->description = port->description;
            node->lid = (uint16_t)(port->kind == FABRIC_SWITCH ? port->lid : 0);
        }
        if (port->lid)
            by_lid[port->lid] = index;
    }
    return by_lid;
}

/* Returns the node with that GUID, or GRAPH_NONE. */
static uint32_t find_by_guid(const struct reader *reader, struct slice guid)
{
    static const enum fabric_kind kinds[] = {FABRIC_SWITCH, FABRIC_HOST, FABRIC_ROUTER};
    uint32_t node = GRAPH_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && node == GRAPH_NONE; i++)
        node = fabric_find_node(&reader->fabric, kinds[i], guid);
    return node;
}

/* Returns the node at the other end, by its GUID, or else by its LID. A node without a line of its own is
 * added as not declared. */
static uint32_t find_peer(struct reader *reader, const struct port_line *port, const uint32_t *by_lid)
{
    const bool has_guid = port->peer_guid.length;
    const uint32_t found = has_guid ? find_by_guid(reader, port->peer_guid) : by_lid[port->peer_lid_number];
    if (found != GRAPH_NONE)
        return found;
    const struct fabric_node named = {.kind = FABRIC_HOST, .description = port->peer_description};
    const enum fabric_kind kind = fabric_is_aggregation_node(&named) ? FABRIC_HOST : FABRIC_SWITCH;
    const uint32_t node = fabric_node(&reader->fabric, kind, has_guid ? port->peer_guid : port->peer_lid);
    reader->fabric.nodes[node].description = port->peer_description;
    return node;
}

static void add_ports(struct reader *reader)
{
    find_kinds(reader);
    uint32_t *by_lid = make_nodes(reader);
    for (size_t i = 0; i < reader->n_ports; i++) {
        const struct port_line *port = &reader->ports[i];
        if (!port->bandwidth)
            continue;
        const uint32_t node = fabric_node(&reader->fabric, port->kind, port->guid);
        const uint32_t peer = find_peer(reader, port, by_lid);
        fabric_add_port(&reader->fabric,
                        (struct fabric_port){.node = node,
                                             .port = port->port,
                                             .peer = peer,
                                             .peer_port = port->peer_port,
                                             .bandwidth = port->bandwidth,
                                             .guid = port->guid,
                                             .line = port->line,
                                             .lid = (uint16_t)(port->kind == FABRIC_SWITCH ? 0 : port->lid)});
    }
    free(by_lid);
}

/* ---- all of it ---- */

static bool is_iblinkinfo(const struct source *source)
{
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        if (lines_take_after(&lines, "==(") && lines_take_after(&lines, ")==>"))
            return true;
    return false;
}

static struct topology *read_iblinkinfo(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {.fabric = {.source = source, .diagnostics = diagnostics}};
    struct topology *topology = NULL;
    lines_open(&reader.lines, source, diagnostics);
    while (lines_next(&reader.lines))
        iblinkinfo_read_line(&reader);
    if (!reader.lines.failed) {
        add_ports(&reader);
        topology = fabric_topology(&reader.fabric);
    }
    free(reader.ports);
    fabric_free(&reader.fabric);
    return topology;
}

const struct topology_format iblinkinfo_format = {.is = is_iblinkinfo, .read = read_iblinkinfo};
