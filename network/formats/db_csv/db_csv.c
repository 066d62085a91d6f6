/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads ibdiagnet2.db_csv, the database that ibdiagnet writes: sections of comma-separated values, each with
 * the names of its columns, of which three are needed,
 *
 *   START_NODES
 *   NodeDesc,NumPorts,NodeType,...,NodeGUID,...
 *   "n1 mlx5_0",1,1,...,0x0002c90400000021,...
 *   END_NODES
 *
 * START_LINKS with NodeGuid1, PortNum1, NodeGuid2, PortNum2, and START_PORTS with the LID, width and speed of
 * each port. Without it, rates are assumed and reported.
 */
#include "base/codes.h"
#include "base/text/csv.h"
#include "network/format.h"
#include "network/formats/infiniband/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { GUID_DIGITS = 16, MOST_COLUMNS = 8 };

enum section { SECTION_NONE, SECTION_NODES, SECTION_PORTS, SECTION_LINKS, N_SECTIONS };

/* Columns of a section; the first ones are needed. */
static const struct {
    const char *title;
    const char *columns[MOST_COLUMNS + 1];
    uint32_t n_needed;
} sections[N_SECTIONS] = {
    [SECTION_NODES] = {"NODES", {"NodeGUID", "NodeType", "NodeDesc", NULL}, 3},
    [SECTION_PORTS] = {"PORTS",
                       {"NodeGuid", "PortNum", "LID", "PortGuid", "LinkWidthActv", "LinkSpeedActv", "LMC", NULL}, 2},
    [SECTION_LINKS] = {"LINKS", {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2", NULL}, 4},
};
enum { NODE_GUID, NODE_TYPE, NODE_DESCRIPTION };
enum { PORT_NODE, PORT_NUMBER, PORT_LID, PORT_GUID, PORT_WIDTH, PORT_SPEED, PORT_LMC };
enum { LINK_GUID_1, LINK_PORT_1, LINK_GUID_2, LINK_PORT_2 };

/* A port, until the links are known. */
struct db_port {
    struct slice guid, port_guid; /* of its node, and its own */
    uint32_t number, lid, lmc;
    uint64_t bandwidth; /* 0: not said */
};

struct db_link {
    struct slice guid[2];
    uint32_t port[2], line;
};

struct db_reader {
    struct lines lines;
    struct fabric fabric;
    enum section section;
    uint32_t section_line; /* of its START_ */
    bool has_head;
    bool was_read[N_SECTIONS];
    uint32_t column[MOST_COLUMNS]; /* of the section, CSV_MAX_FIELDS for one that is missing */
    struct csv_row row;
    struct db_port *ports; /* by node and number, once sorted */
    struct db_link *links;
    size_t n_ports, ports_capacity, n_links, links_capacity;
    uint32_t n_assumed; /* cables of the network without a rate */
};

static const char *const HELP = "take ibdiagnet2.db_csv as ibdiagnet wrote it, with NODES, PORTS and LINKS";

static bool db_fail(struct db_reader *reader, uint32_t code, struct slice at, const char *message)
{
    const int shown = at.length < 80 ? (int)at.length : 80;
    if (at.length)
        lines_fail(&reader->lines, code, at.text, at.length, "'%.*s': %s", shown, at.text, message)->help = HELP;
    else
        lines_fail(&reader->lines, code, at.text, 0, "%s", message)->help = HELP;
    return false;
}

/* ---- fields ---- */

static struct slice db_field(const struct db_reader *reader, uint32_t column)
{
    return csv_get(&reader->lines, &reader->row, reader->column[column]);
}

/* Takes the digits of "0x0002c90400000021". */
static bool db_take_guid(struct db_reader *reader, uint32_t column, struct slice *guid)
{
    const struct slice field = db_field(reader, column);
    *guid = slice_starts(field, "0x") ? (struct slice){field.text + 2, field.length - 2} : field;
    bool good = guid->length && guid->length <= GUID_DIGITS;
    for (size_t i = 0; good && i < guid->length; i++)
        good = hexadecimal_digit(guid->text[i]) >= 0;
    return good || db_fail(reader, CODE_T003, field, "expected a GUID of up to 16 hexadecimal digits");
}

static bool db_take_number(struct db_reader *reader, uint32_t column, uint32_t most, uint32_t *number)
{
    const struct slice field = db_field(reader, column);
    if (parse_count(field, number) == VALUE_OK && *number <= most)
        return true;
    return db_fail(reader, CODE_T003, field, "expected a number, and not so large a one");
}

/* Returns the number in a column that may be missing or hold "N/A"; 0 then. */
static uint32_t db_number_or_0(const struct db_reader *reader, uint32_t column, uint32_t most)
{
    uint32_t number;
    return parse_count(db_field(reader, column), &number) == VALUE_OK && number <= most ? number : 0;
}

/* Returns the rate of a port from its active width and speed, 0 if they say none. Both are bits, of which a
 * dump may set several of the speed: the basic one, and from 256 on that of an extended speed, which
 * counts. */
static uint64_t db_rate(uint32_t width, uint32_t speed)
{
    struct db_bit {
        uint32_t bit;
        const char *name;
    };
    static const struct db_bit widths[] = {{1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}};
    static const struct db_bit speeds[] = {{4096, "XDR"}, {2048, "NDR"}, {1024, "HDR"}, {512, "EDR"},
                                           {256, "FDR"}, {65536, "FDR10"}, {4, "QDR"}, {2, "DDR"}, {1, "SDR"}};
    uint64_t lanes = 0, lane = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (width == widths[i].bit)
            lanes = fabric_lanes(slice_of(widths[i].name));
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds && !lane; i++)
        if (speed & speeds[i].bit)
            lane = fabric_lane_bandwidth(slice_of(speeds[i].name));
    return lanes * lane;
}

/* ---- rows ---- */

static bool db_read_node(struct db_reader *reader)
{
    static const enum fabric_kind kinds[] = {FABRIC_HOST, FABRIC_HOST, FABRIC_SWITCH, FABRIC_ROUTER};
    struct slice guid;
    uint32_t type;
    if (!db_take_guid(reader, NODE_GUID, &guid) || !db_take_number(reader, NODE_TYPE, 3, &type))
        return false;
    const uint32_t index = fabric_node(&reader->fabric, kinds[type], guid);
    struct fabric_node *node = &reader->fabric.nodes[index];
    if (node->is_declared)
        return db_fail(reader, CODE_T004, db_field(reader, NODE_GUID), "the node is listed twice");
    node->is_declared = true;
    node->line = reader->lines.line;
    node->description = db_field(reader, NODE_DESCRIPTION);
    return true;
}

static bool db_read_port(struct db_reader *reader)
{
    struct db_port port = {.lid = db_number_or_0(reader, PORT_LID, SUBNET_LIDS - 1),
                           .lmc = db_number_or_0(reader, PORT_LMC, 7),
                           .bandwidth = db_rate(db_number_or_0(reader, PORT_WIDTH, UINT32_MAX),
                                                db_number_or_0(reader, PORT_SPEED, UINT32_MAX))};
    if (!db_take_guid(reader, PORT_NODE, &port.guid) ||
        !db_take_number(reader, PORT_NUMBER, SUBNET_MAX_PORT, &port.number))
        return false;
    const struct slice own = db_field(reader, PORT_GUID);
    port.port_guid = slice_starts(own, "0x") ? (struct slice){own.text + 2, own.length - 2} : own;
    reader->ports =
        mem_grow(reader->ports, &reader->ports_capacity, reader->n_ports + 1, sizeof *reader->ports);
    reader->ports[reader->n_ports++] = port;
    return true;
}

static bool db_read_link(struct db_reader *reader)
{
    struct db_link link = {.line = reader->lines.line};
    for (uint32_t i = 0; i < 2; i++)
        if (!db_take_guid(reader, LINK_GUID_1 + 2 * i, &link.guid[i]) ||
            !db_take_number(reader, LINK_PORT_1 + 2 * i, SUBNET_MAX_PORT, &link.port[i]))
            return false;
    reader->links =
        mem_grow(reader->links, &reader->links_capacity, reader->n_links + 1, sizeof *reader->links);
    reader->links[reader->n_links++] = link;
    return true;
}

/* Finds the columns of a section. */
static bool db_read_head(struct db_reader *reader)
{
    const char *const *columns = sections[reader->section].columns;
    reader->has_head = true;
    for (uint32_t i = 0; columns[i]; i++) {
        reader->column[i] = csv_find(&reader->row, columns[i]);
        if (i < sections[reader->section].n_needed && reader->column[i] == CSV_MAX_FIELDS) {
            lines_fail(&reader->lines, CODE_T003, reader->lines.start, 1, "section %s has no column %s",
                       sections[reader->section].title, columns[i])->help = HELP;
            return false;
        }
    }
    return true;
}

/* Opens "START_NODES"; sections of other names are passed over. */
static bool db_start(struct db_reader *reader, struct slice title)
{
    if (reader->section != SECTION_NONE)
        return db_fail(reader, CODE_T003, title, "a section begins in another one");
    for (uint32_t i = SECTION_NONE + 1; i < N_SECTIONS; i++) {
        if (!slice_is(title, sections[i].title))
            continue;
        if (reader->was_read[i])
            return db_fail(reader, CODE_T004, title, "a second section of that name: give each run a file of its own");
        reader->section = (enum section)i;
        reader->section_line = reader->lines.line;
        reader->was_read[i] = true;
        reader->has_head = false;
    }
    return true;
}

static bool db_read_line(struct db_reader *reader)
{
    const struct slice line = lines_rest(&reader->lines);
    if (slice_starts(line, "START_"))
        return db_start(reader, (struct slice){line.text + 6, line.length - 6});
    if (slice_starts(line, "END_"))
        reader->section = SECTION_NONE;
    if (reader->section == SECTION_NONE || !line.length || *line.text == '#')
        return true;
    csv_split(&reader->lines, &reader->row);
    if (!reader->has_head)
        return db_read_head(reader);
    switch (reader->section) {
    case SECTION_NODES: return db_read_node(reader);
    case SECTION_PORTS: return db_read_port(reader);
    case SECTION_LINKS: return db_read_link(reader);
    case SECTION_NONE:
    case N_SECTIONS: break;
    }
    return true;
}

/* ---- the fabric ---- */

static int db_compare_ports(const void *a, const void *b)
{
    const struct db_port *x = a, *y = b;
    const int order = slice_compare(x->guid, y->guid);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static const struct db_port *db_find_port(const struct db_reader *reader, struct slice guid, uint32_t number)
{
    const struct db_port key = {.guid = guid, .number = number};
    return reader->n_ports
               ? bsearch(&key, reader->ports, reader->n_ports, sizeof *reader->ports, db_compare_ports)
               : NULL;
}

/* Returns the node of a GUID; one that NODES lacks is added without description. */
static uint32_t db_find_node(struct db_reader *reader, struct slice guid)
{
    static const enum fabric_kind kinds[] = {FABRIC_SWITCH, FABRIC_HOST, FABRIC_ROUTER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const uint32_t node = fabric_find_node(&reader->fabric, kinds[i], guid);
        if (node != GRAPH_NONE)
            return node;
    }
    return fabric_node(&reader->fabric, FABRIC_HOST, guid);
}

static void db_add_cable(struct db_reader *reader, const struct db_link *link)
{
    const struct db_port *ports[2];
    uint32_t nodes[2];
    uint64_t bandwidth = 0;
    for (int side = 0; side < 2; side++) {
        nodes[side] = db_find_node(reader, link->guid[side]);
        ports[side] = db_find_port(reader, link->guid[side], link->port[side]);
        const uint64_t own = ports[side] ? ports[side]->bandwidth : 0;
        bandwidth = !bandwidth || (own && own < bandwidth) ? own : bandwidth;
    }
    reader->n_assumed += !bandwidth && !fabric_is_aggregation_node(&reader->fabric.nodes[nodes[0]]) &&
                         !fabric_is_aggregation_node(&reader->fabric.nodes[nodes[1]]);
    for (int side = 0; side < 2; side++) {
        const struct db_port *port = ports[side];
        struct fabric_node *node = &reader->fabric.nodes[nodes[side]];
        const struct db_port *switch_port =
            node->kind == FABRIC_SWITCH ? db_find_port(reader, link->guid[side], 0) : NULL;
        const bool is_host = port && node->kind != FABRIC_SWITCH;
        node->lid = (uint16_t)(switch_port ? switch_port->lid : node->lid);
        fabric_add_port(&reader->fabric,
                        (struct fabric_port){.node = nodes[side],
                                             .port = link->port[side],
                                             .peer = nodes[1 - side],
                                             .peer_port = link->port[1 - side],
                                             .bandwidth = bandwidth ? bandwidth : TOPOLOGY_DEFAULT_BANDWIDTH,
                                             .guid = port ? port->port_guid : (struct slice){"", 0},
                                             .line = link->line,
                                             .lid = (uint16_t)(is_host ? port->lid : 0),
                                             .lmc = (uint8_t)(port ? port->lmc : 0)});
    }
}

/* True if the file has what is needed, and ends where a section does. */
static bool db_is_whole(struct db_reader *reader)
{
    const struct position end = {reader->lines.source, reader->lines.line, 1, 1};
    if (reader->lines.failed)
        return false;
    if (reader->section != SECTION_NONE) {
        struct diagnostic *found = report(reader->fabric.diagnostics, CODE_T003, end, "the file ends in section %s",
                                          sections[reader->section].title);
        found->related = (struct position){reader->lines.source, reader->section_line, 1, 1};
        found->related_text = "it begins here";
        found->help = HELP;
        return false;
    }
    for (uint32_t i = SECTION_NODES; i < N_SECTIONS; i++)
        if (!reader->was_read[i] && i != SECTION_PORTS) {
            report(reader->fabric.diagnostics, CODE_T003, end, "the file has no section %s", sections[i].title)->help =
                HELP;
            return false;
        }
    return true;
}

static struct topology *db_make_topology(struct db_reader *reader)
{
    if (reader->n_ports)
        qsort(reader->ports, reader->n_ports, sizeof *reader->ports, db_compare_ports);
    for (size_t i = 0; i < reader->n_links; i++)
        db_add_cable(reader, &reader->links[i]);
    struct topology *topology = fabric_topology(&reader->fabric);
    if (topology && reader->n_assumed)
        report(reader->fabric.diagnostics, CODE_T008, (struct position){.source = reader->lines.source},
               "'%s' tells no rate of %u cable%s: 100 Gb/s are assumed", reader->lines.source->path,
               reader->n_assumed, plural(reader->n_assumed))
            ->help = "its section PORTS has the active width and speed of each port; ibnetdiscover prints them, too";
    return topology;
}

static bool is_db_csv(const struct source *source)
{
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        if (slice_is(lines_rest(&lines), "START_NODES") || slice_is(lines_rest(&lines), "START_LINKS"))
            return true;
    return false;
}

static struct topology *read_db_csv(const struct source *source, struct diagnostics *diagnostics)
{
    struct db_reader *reader = mem_alloc(1, sizeof *reader);
    struct topology *topology = NULL;
    reader->fabric = (struct fabric){.source = source, .diagnostics = diagnostics};
    lines_open(&reader->lines, source, diagnostics);
    while (lines_next(&reader->lines) && db_read_line(reader))
        ;
    if (db_is_whole(reader))
        topology = db_make_topology(reader);
    fabric_free(&reader->fabric);
    free(reader->ports);
    free(reader->links);
    free(reader);
    return topology;
}

const struct topology_format db_csv_format = {.is = is_db_csv, .read = read_db_csv};
