/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads opensm-subnet.lst, the list of all ports that OpenSM writes: a line per end of a
 * cable, this end first,
 *
 *   { SW Ports:24 SystemGUID:0002c90300000000 NodeGUID:0002c90300000000
 *     PortGUID:0002c90300000000 VenID:000000 DevID:BD36 Rev:000000A1 {sw0} LID:0002 PN:01 }
 *   { CA-SM Ports:01 ... {node000 HCA-1} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=25
 *
 * without the breaks. Numbers are hexadecimal.
 */
#include "network/formats/infiniband/fabric.h"
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/format.h"

#include <string.h>

struct list_reader {
    struct lines lines;
    struct fabric fabric;
};

/* One end of a cable. */
struct list_end {
    uint32_t node, port, lid;
    struct slice port_guid;
};

static bool opensm_subnet_fail(struct list_reader *reader, const char *message)
{
    lines_fail_here(&reader->lines, CODE_T003, message);
    return false;
}

/* Takes the word behind `key`, up to a blank. */
static bool opensm_subnet_take_value(struct lines *lines, const char *key, struct slice *value)
{
    const char *start = lines->at;
    if (!lines_take_after(lines, key))
        return false;
    *value = (struct slice){lines->at, 0};
    while (lines->at < lines->end && *lines->at != ' ') {
        lines->at++;
        value->length++;
    }
    if (value->length)
        return true;
    lines->at = start;
    return false;
}

/* Takes a hexadecimal number without "0x", up to `most`. */
static bool opensm_subnet_take_field(struct lines *lines, const char *key, uint32_t most, uint32_t *number)
{
    struct slice value;
    if (!opensm_subnet_take_value(lines, key, &value) || value.length > 8)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < value.length; i++) {
        int digit = hexadecimal_digit(value.text[i]);
        if (digit < 0)
            return false;
        sum = sum << 4 | (unsigned)digit;
    }
    *number = (uint32_t)sum;
    return sum <= most;
}

static bool take_kind(struct lines *lines, enum fabric_kind *kind)
{
    *kind = lines_starts(lines, "SW")   ? FABRIC_SWITCH
            : lines_starts(lines, "CA") ? FABRIC_HOST
                                        : FABRIC_ROUTER;
    return *kind != FABRIC_ROUTER || lines_starts(lines, "RT") || lines_starts(lines, "Rt");
}

/* Takes the description in its braces; it may hold braces itself. */
static bool opensm_subnet_take_description(struct lines *lines, struct slice *description)
{
    if (!lines_take_after(lines, " {"))
        return false;
    *description = (struct slice){lines->at, 0};
    if (!lines_take_after(lines, "} LID:"))
        return false;
    lines->at -= strlen("} LID:");
    description->length = (size_t)(lines->at - description->text);
    return true;
}

/* Takes { KIND ... }. */
static bool opensm_subnet_take_end(struct list_reader *reader, struct list_end *end)
{
    struct lines *lines = &reader->lines;
    struct slice node_guid, description;
    enum fabric_kind kind;
    if (!lines_take_text(lines, "{ ") || !take_kind(lines, &kind))
        return opensm_subnet_fail(reader, "expected '{ CA', '{ SW' or '{ RT'");
    if (!opensm_subnet_take_value(lines, " NodeGUID:", &node_guid) ||
        !opensm_subnet_take_value(lines, " PortGUID:", &end->port_guid))
        return opensm_subnet_fail(reader, "expected the GUIDs of node and port");
    if (!opensm_subnet_take_description(lines, &description) ||
        !opensm_subnet_take_field(lines, " LID:", SUBNET_LIDS - 1, &end->lid) ||
        !opensm_subnet_take_field(lines, " PN:", 255, &end->port) || !lines_take_text(lines, " }"))
        return opensm_subnet_fail(reader, "expected '{DESCRIPTION} LID:XXXX PN:XX }'");
    end->node = fabric_node(&reader->fabric, kind, node_guid);
    struct fabric_node *node = &reader->fabric.nodes[end->node];
    node->description = description;
    if (kind == FABRIC_SWITCH)
        node->lid = (uint16_t)end->lid;
    return true;
}

static bool opensm_subnet_read_rate(struct list_reader *reader, uint64_t *bandwidth)
{
    struct lines *lines = &reader->lines;
    struct slice width, speed;
    if (!opensm_subnet_take_value(lines, " PHY=", &width) ||
        !opensm_subnet_take_value(lines, " SPD=", &speed))
        return opensm_subnet_fail(reader, "the line does not end in a rate such as PHY=4x LOG=ACT SPD=25");
    *bandwidth = fabric_lanes(width) * fabric_lane_bandwidth(fabric_speed_name(speed));
    if (*bandwidth)
        return true;
    lines_fail(lines, CODE_T006, width.text, (size_t)(speed.text + speed.length - width.text),
               "unknown width or speed of a cable");
    return false;
}

static void opensm_subnet_read_line(struct list_reader *reader)
{
    struct lines *lines = &reader->lines;
    struct list_end near = {0}, far = {0};
    uint64_t bandwidth;
    if (lines_at_end(lines) || lines_starts(lines, "#") || !opensm_subnet_take_end(reader, &near))
        return;
    if (!lines_take_text(lines, " ")) {
        opensm_subnet_fail(reader, "expected the other end of the cable");
        return;
    }
    if (!opensm_subnet_take_end(reader, &far) || !opensm_subnet_read_rate(reader, &bandwidth))
        return;
    reader->fabric.nodes[near.node].is_declared = true;
    fabric_add_port(&reader->fabric, (struct fabric_port){.node = near.node,
                                                          .port = near.port,
                                                          .peer = far.node,
                                                          .peer_port = far.port,
                                                          .bandwidth = bandwidth,
                                                          .guid = near.port_guid,
                                                          .line = lines->line,
                                                          .lid = (uint16_t)near.lid});
}

static bool is_opensm_subnet(const struct source *source)
{
    static const char *const starts[] = {"{ CA", "{ SW", "{ RT", "{ Rt", NULL};
    const char *text = source_start(source);
    const char *line_end = strchr(text, '\n');
    for (int i = 0; starts[i]; i++)
        if (strncmp(text, starts[i], 4) == 0) {
            const char *found = strstr(text, " Ports:");
            return found && (!line_end || found < line_end);
        }
    return false;
}

static struct topology *read_opensm_subnet(const struct source *source,
                                           struct diagnostics *diagnostics)
{
    struct list_reader reader = {.fabric = {.source = source, .diagnostics = diagnostics}};
    lines_open(&reader.lines, source, diagnostics);
    while (lines_next(&reader.lines))
        opensm_subnet_read_line(&reader);
    struct topology *topology = reader.lines.failed ? NULL : fabric_topology(&reader.fabric);
    fabric_free(&reader.fabric);
    return topology;
}

const struct topology_format opensm_subnet_format = {
    .is = is_opensm_subnet, .read = read_opensm_subnet};
