/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads ibdiagnet2.net_dump, the ports of all switches as ibdiagnet lists them: a section for each switch,
 *
 *   "MF0;leaf07:MQM9700/U1", Mellanox, 0xb0cf0e0300e5b940, LID 24
 *     #     : IB# : Sta  : .. : LWA : LSA : .. : Neighbor Guid : N#             : NLID : Neighbor Description
 *     1/1/1 : 1   : ACT  : .. : 4x  : 100 : .. : 0x5c2573030a  : B184D0F0/0/0/1 : 156  : "node1 mlx5_10"
 *     1/1/2 : 2   : DOWN : .. : N/A : N/A : .. :               :                :      :
 *
 * LSA is Gb/s of a lane. A port has a number, IB#, and a label, #; the other end has only its label, so
 * the number of a switch's port is looked up in the switch's section. Adapters have no section: their
 * label ends in the number of the port. Columns are found by their heads, which differ from version to
 * version.
 */
#include "base/codes.h"
#include "base/map.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/formats/infiniband/fabric.h"
#include "network/formats/infiniband/messages.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64, MAX_ADAPTER_PORT = 2 };

/* The columns in use; the description is the last of a line and may hold colons. */
enum column { LABEL, NUMBER, STATE, WIDTH, SPEED, PEER_GUID, PEER_LABEL, PEER_LID, PEER_NAME, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {
    "#", "IB#", "Sta", "LWA", "LSA", "Neighbor Guid", "N#", "NLID", "Neighbor Description"};

/* A port of a switch. */
struct port_row {
    struct slice guid, label;           /* the switch's, and what is printed on the port */
    struct slice peer_guid, peer_label; /* length 0: unknown */
    struct slice peer_name;
    uint32_t node, number, peer_lid, line;
    uint64_t bandwidth;
};

struct reader {
    struct lines lines;
    struct fabric fabric;
    struct port_row *rows;
    size_t n_rows, capacity;
    struct hash_map by_label; /* rows by GUID and label */
    unsigned place[N_COLUMNS]; /* which column of a line it is */
    bool has_switch, has_heads;
    struct slice guid; /* GUID of the section */
    uint32_t node;
    uint32_t n_unknown; /* ports that are up, but have no other end */
};

/* ---- a line ---- */

/* Returns a GUID without "0x" and leading zeros, which some versions leave out. */
static struct slice short_guid(struct slice digits)
{
    while (digits.length > 1 && *digits.text == '0') {
        digits.text++;
        digits.length--;
    }
    return digits;
}

/* Returns the GUID of a text with "0x..." alone; length 0 for other text. */
static struct slice guid_of(struct slice text)
{
    if (!slice_starts(text, "0x") || text.length < 3 || text.length > 18)
        return (struct slice){text.text, 0};
    for (size_t i = 2; i < text.length; i++)
        if (hexadecimal_digit(text.text[i]) < 0)
            return (struct slice){text.text, 0};
    return short_guid((struct slice){text.text + 2, text.length - 2});
}

/* Splits a line into columns without the blanks around them; the last column wanted may hold colons.
 * Returns their number. */
static unsigned net_dump_split(const struct lines *lines, unsigned n_wanted, struct slice *columns)
{
    const char *at = lines->start;
    unsigned n = 0;
    while (n < n_wanted) {
        const size_t left = (size_t)(lines->end - at);
        const char *colon = n + 1 < n_wanted ? memchr(at, ':', left) : NULL;
        const char *end = colon ? colon : lines->end;
        columns[n++] = slice_trim((struct slice){at, (size_t)(end - at)});
        if (!colon)
            break;
        at = colon + 1;
    }
    return n;
}

/* True if the line is the line of column heads, which it takes, or reports as a wrong one. */
static bool take_heads(struct reader *reader)
{
    struct slice columns[MAX_COLUMNS];
    const unsigned n = net_dump_split(&reader->lines, MAX_COLUMNS, columns);
    if (n < 2 || !slice_is(columns[0], column_names[LABEL]) || !slice_is(columns[1], column_names[NUMBER]))
        return false;
    for (unsigned column = 0; column < N_COLUMNS; column++) {
        unsigned i = 0;
        while (i < n && !slice_is(columns[i], column_names[column]))
            i++;
        if (i == n || (column == PEER_NAME && i + 1 < n)) {
            lines_fail(&reader->lines, CODE_T003, reader->lines.start,
                       (size_t)(reader->lines.end - reader->lines.start),
                       i == n ? "there is no column '%s'" : "'%s' is not the last column",
                       column_names[column]);
            return true;
        }
        reader->place[column] = i;
    }
    reader->has_heads = true;
    return true;
}

/* Takes "NAME", VENDOR, 0xGUID, LID n. True if the line is one, or is reported as a wrong one. */
static bool take_switch(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    const char *close = NULL;
    if (!lines_starts(lines, "\""))
        return false;
    for (const char *at = lines->start + 1; at + 1 < lines->end; at++)
        if (at[0] == '"' && at[1] == ',')
            close = at;
    struct lines rest = *lines;
    rest.at = close ? close + 2 : lines->end;
    lines_take_after(&rest, ",");
    struct slice guid = lines_take_word(&rest);
    uint32_t lid = 0;
    if (guid.length && guid.text[guid.length - 1] == ',')
        guid.length--;
    reader->guid = guid_of(guid);
    lines_skip_blanks(&rest);
    const bool has_lid = lines_take_text(&rest, "LID ") && lines_take_decimal(&rest, &lid);
    if (!close || !reader->guid.length || !has_lid || lid >= SUBNET_LIDS) {
        lines_fail_here(lines, CODE_T003, "a switch begins with \"NAME\", VENDOR, 0xGUID, LID n");
        return true;
    }
    reader->node = fabric_node(&reader->fabric, FABRIC_SWITCH, reader->guid);
    struct fabric_node *node = &reader->fabric.nodes[reader->node];
    if (node->is_declared) {
        lines_fail_here(lines, CODE_T004, "the switch has two sections")->help =
            "a file has the output of one run";
        return true;
    }
    node->is_declared = reader->has_switch = true;
    reader->has_heads = false;
    node->line = lines->line;
    node->lid = (uint16_t)lid;
    node->description = (struct slice){lines->start + 1, (size_t)(close - lines->start) - 1};
    return true;
}

static bool net_dump_fail_at(struct reader *reader, uint32_t code, struct slice column, const char *message)
{
    lines_fail(&reader->lines, code, column.text, column.length ? column.length : 1, "%s", message);
    return false;
}

static bool net_dump_number_of(struct slice text, uint32_t most, uint32_t *number)
{
    return parse_count(text, number) == VALUE_OK && *number <= most;
}

/* Reads the columns about the other end. */
static bool net_dump_read_peer(struct reader *reader, const struct slice *column, struct port_row *row)
{
    const struct slice width = column[WIDTH], speed = column[SPEED];
    row->peer_guid = guid_of(column[PEER_GUID]);
    row->peer_label = column[PEER_LABEL];
    row->bandwidth = fabric_lanes(width) * fabric_lane_bandwidth(fabric_speed_name(speed));
    if (!row->peer_guid.length)
        return net_dump_fail_at(reader, CODE_T003, column[PEER_GUID], "expected the GUID of the other end");
    if (!row->peer_label.length)
        return net_dump_fail_at(reader, CODE_T003, column[PEER_LABEL], "expected the port at the other end");
    if (!row->bandwidth)
        return net_dump_fail_at(reader, CODE_T006,
                                (struct slice){width.text, (size_t)(speed.text + speed.length - width.text)},
                                "unknown width or speed of a cable");
    if (!net_dump_number_of(column[PEER_LID], SUBNET_LIDS - 1, &row->peer_lid))
        return net_dump_fail_at(reader, CODE_T003, column[PEER_LID], "expected the LID of the other end");
    row->peer_name = column[PEER_NAME];
    if (row->peer_name.length >= 2 && row->peer_name.text[0] == '"' &&
        row->peer_name.text[row->peer_name.length - 1] == '"')
        row->peer_name = (struct slice){row->peer_name.text + 1, row->peer_name.length - 2};
    return true;
}

static uint32_t hash_label(struct slice guid, struct slice label)
{
    return map_hash_text(map_hash_text(0, guid.text, guid.length), label.text, label.length);
}

static uint32_t hash_of_label(const void *rows, uint32_t i)
{
    const struct port_row *row = &((const struct port_row *)rows)[i];
    return hash_label(row->guid, row->label);
}

static bool has_label(const void *rows, uint32_t i, const void *other)
{
    const struct port_row *row = &((const struct port_row *)rows)[i], *wanted = other;
    return slice_compare(row->guid, wanted->guid) == 0 && slice_compare(row->label, wanted->label) == 0;
}

/* Returns the row with that GUID and label, or MAP_NONE. */
static uint32_t find_row(const struct reader *reader, struct slice guid, struct slice label)
{
    const struct port_row wanted = {.guid = guid, .label = label};
    return map_find(&reader->by_label, hash_label(guid, label), has_label, reader->rows, &wanted);
}

static bool net_dump_add_row(struct reader *reader, const struct port_row *row)
{
    if (find_row(reader, row->guid, row->label) != MAP_NONE)
        return net_dump_fail_at(reader, CODE_T004, row->label, "the switch has two ports of this label");
    reader->rows = mem_grow(reader->rows, &reader->capacity, reader->n_rows + 1, sizeof *reader->rows);
    reader->rows[reader->n_rows++] = *row;
    map_reserve(&reader->by_label, hash_of_label, reader->rows);
    const uint32_t hash = hash_of_label(reader->rows, (uint32_t)reader->n_rows - 1);
    map_fill(&reader->by_label, map_slot(&reader->by_label, hash, has_label, reader->rows, row));
    return true;
}

static void net_dump_read_port(struct reader *reader)
{
    struct slice all[MAX_COLUMNS], column[N_COLUMNS];
    const unsigned n = net_dump_split(&reader->lines, reader->place[PEER_NAME] + 1, all);
    if (n <= reader->place[PEER_NAME]) {
        lines_fail_here(&reader->lines, CODE_T003, "the line of a port has fewer columns than their heads");
        return;
    }
    for (unsigned i = 0; i < N_COLUMNS; i++)
        column[i] = all[reader->place[i]];
    struct port_row row = {.guid = reader->guid, .label = column[LABEL], .node = reader->node};
    row.line = reader->lines.line;
    if (!net_dump_number_of(column[NUMBER], SUBNET_MAX_PORT, &row.number) || !row.number) {
        net_dump_fail_at(reader, CODE_T003, column[NUMBER], "a port is a number from 1 to 254");
        return;
    }
    const bool is_down = slice_is(column[STATE], "DOWN"), has_peer = column[PEER_GUID].length > 0;
    reader->n_unknown += !is_down && !has_peer;
    if (is_down || !has_peer || net_dump_read_peer(reader, column, &row))
        net_dump_add_row(reader, &row);
}

static void net_dump_read_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    if (lines_starts(lines, "#") || infiniband_is_message(lines) || take_switch(reader))
        return;
    lines_skip_blanks(lines);
    if (lines_at_end(lines) || take_heads(reader))
        return;
    if (!reader->has_heads)
        lines_fail_here(lines, CODE_T003,
                        reader->has_switch ? "expected the heads of the columns" : "expected a switch");
    else
        net_dump_read_port(reader);
}

/* ---- cables ---- */

/* Returns the number at the end of the label of an adapter's port, "B184D0F0/0/0/1" with the PCI bus; 0 if
 * none. */
static uint32_t last_number(struct slice label)
{
    size_t from = label.length;
    uint32_t number;
    while (from && label.text[from - 1] >= '0' && label.text[from - 1] <= '9')
        from--;
    const struct slice digits = {label.text + from, label.length - from};
    return net_dump_number_of(digits, SUBNET_MAX_PORT, &number) ? number : 0;
}

/* Adds a cable to an adapter, which has no line of its own, or to a switch without a section. */
static void net_dump_add_adapter(struct reader *reader, const struct port_row *row, uint32_t *peer,
                                 uint32_t *peer_port)
{
    *peer_port = last_number(row->peer_label);
    const bool has_bus = *row->peer_label.text == 'B';
    const bool is_adapter = *peer_port && (*peer_port <= MAX_ADAPTER_PORT || has_bus) &&
                            !slice_starts(row->peer_name, "MF0;"); /* as managed switches are called */
    *peer = fabric_node(&reader->fabric, is_adapter ? FABRIC_HOST : FABRIC_SWITCH, row->peer_guid);
    struct fabric_node *node = &reader->fabric.nodes[*peer];
    node->description = row->peer_name;
    if (!is_adapter)
        return;
    node->is_declared = true;
    node->line = node->line ? node->line : row->line;
    fabric_add_port(&reader->fabric, (struct fabric_port){.node = *peer,
                                                          .port = *peer_port,
                                                          .peer = row->node,
                                                          .peer_port = row->number,
                                                          .bandwidth = row->bandwidth,
                                                          .guid = row->peer_guid,
                                                          .line = row->line,
                                                          .lid = (uint16_t)row->peer_lid});
}

static bool net_dump_add_cable(struct reader *reader, const struct port_row *row)
{
    uint32_t peer = fabric_find_node(&reader->fabric, FABRIC_SWITCH, row->peer_guid), peer_port;
    const bool is_switch = peer != GRAPH_NONE && reader->fabric.nodes[peer].is_declared;
    if (is_switch) {
        const uint32_t other = find_row(reader, row->peer_guid, row->peer_label);
        if (other == MAP_NONE) {
            fabric_report(&reader->fabric, CODE_T004, row->line, row->peer_label,
                          "the switch at the other end has no port of this label");
            return false;
        }
        peer_port = reader->rows[other].number;
    } else {
        net_dump_add_adapter(reader, row, &peer, &peer_port);
    }
    fabric_add_port(&reader->fabric, (struct fabric_port){.node = row->node,
                                                          .port = row->number,
                                                          .peer = peer,
                                                          .peer_port = peer_port,
                                                          .bandwidth = row->bandwidth,
                                                          .guid = row->guid,
                                                          .line = row->line});
    return true;
}

static struct topology *net_dump_make_topology(struct reader *reader)
{
    bool is_sound = true;
    for (size_t i = 0; i < reader->n_rows; i++)
        if (reader->rows[i].peer_guid.length)
            is_sound &= net_dump_add_cable(reader, &reader->rows[i]);
    struct topology *topology = is_sound ? fabric_topology(&reader->fabric) : NULL;
    if (topology && reader->n_unknown)
        report(reader->fabric.diagnostics, CODE_T008, (struct position){reader->fabric.source, 0, 0, 0},
               "%u port%s of '%s' %s up, but nothing is told of the other end", reader->n_unknown,
               plural(reader->n_unknown), reader->fabric.source->path, reader->n_unknown == 1 ? "is" : "are");
    return topology;
}

/* ---- all of it ---- */

/* True if the first line that is neither a comment nor the head of a switch has column heads. */
static bool is_net_dump(const struct source *source)
{
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        struct slice columns[3];
        if (lines_starts(&lines, "#") || lines_starts(&lines, "\"") || lines_at_end(&lines))
            continue;
        return net_dump_split(&lines, 3, columns) == 3 && slice_is(columns[0], column_names[LABEL]) &&
               slice_is(columns[1], column_names[NUMBER]);
    }
    return false;
}

static struct topology *read_net_dump(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {.fabric = {.source = source, .diagnostics = diagnostics}};
    lines_open(&reader.lines, source, diagnostics);
    while (lines_next(&reader.lines))
        net_dump_read_line(&reader);
    struct topology *topology = reader.lines.failed ? NULL : net_dump_make_topology(&reader);
    free(reader.rows);
    map_free(&reader.by_label);
    fabric_free(&reader.fabric);
    return topology;
}

const struct topology_format net_dump_format = {.is = is_net_dump, .read = read_net_dump};
