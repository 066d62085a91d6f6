/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads tables of cables: the NDT of UFM ("network design topology", planned or made by its plugin) and the
 * links of SONiC's testbeds. The first line names the columns, perhaps behind "#" or "#Fields:"; four are
 * needed,
 *
 *   #StartDevice,StartPort,EndDevice,EndPort,LinkType,Speed
 *   leaf1,Port 1,node1 mlx5_0,Port 1,Data,200000
 *
 * also StartDev and EndDev, and Speed or BandWidth has Mb/s, or is that of four lanes, such as HDR. A device
 * is a host if its name, or one of its ports, names an adapter; where none does, if it has one cable. All
 * others are switches. A cable may be listed from both ends.
 */
#include "base/codes.h"
#include "base/text/csv.h"
#include "network/format.h"
#include "network/formats/infiniband/fabric.h"
#include "network/graph_topology.h"

#include <stdlib.h>
#include <string.h>

enum ndt_column { START_DEVICE, START_PORT, END_DEVICE, END_PORT, SPEED, BAND_WIDTH, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"StartDevice", "StartPort", "EndDevice",
                                                    "EndPort",     "Speed",     "BandWidth"};
enum { N_NEEDED = SPEED, MAX_LINE_OF_HEAD = 8 };

struct ndt_end {
    uint32_t device;
    struct slice port, adapter; /* adapter: length 0, not told */
};

struct ndt_cable {
    struct ndt_end end[2];
    uint64_t bandwidth; /* 0: not told */
    uint32_t line;
    bool is_again;
};

struct ndt_reader {
    struct lines lines;
    struct csv_row row;
    uint32_t column[N_COLUMNS];
    struct graph *names; /* devices, in the order in which they are met */
    bool *is_host;       /* [device] */
    uint32_t *n_cables;  /* [device] */
    struct ndt_cable *cables;
    size_t n, capacity, host_capacity;
    uint32_t n_disabled;  /* lines of ports that are down, or without another end */
};

static const char *const HELP = "a line has the devices and ports at both ends of a cable, in the columns "
                                "StartDevice, StartPort, EndDevice and EndPort";

/* ---- the columns ---- */

/* Takes "#" and "#Fields:" off a name. */
static struct slice ndt_column_name(struct slice field)
{
    if (slice_starts(field, "#"))
        field = slice_trim((struct slice){field.text + 1, field.length - 1});
    if (slice_starts(field, "Fields:"))
        field = slice_trim((struct slice){field.text + 7, field.length - 7});
    return slice_is(field, "StartDev")  ? slice_of("StartDevice")
           : slice_is(field, "EndDev") ? slice_of("EndDevice")
                                       : field;
}

/* True if the current line names the columns. */
static bool ndt_find_columns(const struct lines *lines, struct csv_row *row, uint32_t *column)
{
    csv_split(lines, row);
    for (uint32_t i = 0; i < row->n; i++)
        row->field[i] = ndt_column_name(row->field[i]);
    for (int i = 0; i < N_COLUMNS; i++) {
        column[i] = csv_find(row, column_names[i]);
        if (i < N_NEEDED && column[i] == CSV_MAX_FIELDS)
            return false;
    }
    return true;
}

static bool is_ndt(const struct source *source)
{
    struct lines lines;
    struct csv_row *row = mem_alloc(1, sizeof *row);
    uint32_t column[N_COLUMNS];
    bool is_found = false;
    lines_open(&lines, source, NULL);
    for (int i = 0; i < MAX_LINE_OF_HEAD && !is_found && lines_next(&lines); i++)
        is_found = ndt_find_columns(&lines, row, column);
    free(row);
    return is_found;
}

/* ---- rows ---- */

static bool ndt_fail(struct ndt_reader *reader, uint32_t code, struct slice at, const char *message)
{
    const int shown = at.length < 80 ? (int)at.length : 80;
    lines_fail(&reader->lines, code, at.text, at.length, at.length ? "'%.*s': %s" : "%.*s%s", shown, at.text,
               message)
        ->help = HELP;
    return false;
}

/* Returns the device of that name, which it adds if it is new. */
static uint32_t ndt_device(struct ndt_reader *reader, struct slice name)
{
    const uint32_t known = graph_find(reader->names, name.text, name.length);
    if (known != GRAPH_NONE)
        return known;
    const uint32_t device = graph_add_node(reader->names, true, name.text, name.length);
    const size_t before = reader->host_capacity;
    reader->is_host =
        mem_grow(reader->is_host, &reader->host_capacity, (size_t)device + 1, sizeof *reader->is_host);
    reader->n_cables = mem_resize(reader->n_cables, reader->host_capacity, sizeof *reader->n_cables);
    for (size_t i = before; i < reader->host_capacity; i++) {
        reader->is_host[i] = false;
        reader->n_cables[i] = 0;
    }
    return device;
}

/* Takes the device and port in two columns. */
static bool ndt_take_end(struct ndt_reader *reader, enum ndt_column device, enum ndt_column port,
                         struct ndt_end *end)
{
    struct slice name = csv_get(&reader->lines, &reader->row, reader->column[device]);
    end->port = csv_get(&reader->lines, &reader->row, reader->column[port]);
    if (!name.length)
        return ndt_fail(reader, CODE_T003, name, "a cable lacks the device at one end");
    if (name.length > 200)
        return ndt_fail(reader, CODE_T006, (struct slice){name.text, 40}, "a name of more than 200 bytes");
    end->adapter = fabric_adapter_name(name);
    if (end->adapter.length && fabric_host_name(name).length)
        name = fabric_host_name(name);
    else
        end->adapter = fabric_adapter_name(end->port);
    end->device = ndt_device(reader, name);
    reader->is_host[end->device] |= end->adapter.length > 0;
    return true;
}

/* Takes a rate in Mb/s: 0 where there is none. */
static bool ndt_take_rate(struct ndt_reader *reader, uint64_t *bandwidth)
{
    struct slice field = csv_get(&reader->lines, &reader->row, reader->column[SPEED]);
    uint32_t rate = 0;
    if (!field.length)
        field = csv_get(&reader->lines, &reader->row, reader->column[BAND_WIDTH]);
    const uint64_t lane = fabric_lane_bandwidth(field);
    if (lane) {
        *bandwidth = 4 * lane;
        return true;
    }
    if (field.length && (parse_count(field, &rate) != VALUE_OK || rate > 100000000))
        return ndt_fail(reader, CODE_T003, field, "expected a rate in Mb/s, such as 200000, or such as HDR");
    *bandwidth = (uint64_t)rate * 125000;
    return true;
}

/* True for a line of UFM's plugin for a port that is down: it may lack the other end, and its columns may be
 * shifted. */
static bool ndt_is_disabled(const struct ndt_reader *reader)
{
    uint32_t i = 0;
    while (i < reader->row.n && !slice_is(reader->row.field[i], "Disabled"))
        i++;
    return i < reader->row.n;
}

/* Reads a line; passes over an empty one and a comment. */
static bool ndt_read_row(struct ndt_reader *reader)
{
    struct ndt_cable cable = {.line = reader->lines.line};
    csv_split(&reader->lines, &reader->row);
    if ((reader->row.n == 1 && !reader->row.field[0].length) || lines_starts(&reader->lines, "#"))
        return true;
    if (ndt_is_disabled(reader)) {
        reader->n_disabled++;
        return true;
    }
    if (!ndt_take_end(reader, START_DEVICE, START_PORT, &cable.end[0]) ||
        !ndt_take_end(reader, END_DEVICE, END_PORT, &cable.end[1]) ||
        !ndt_take_rate(reader, &cable.bandwidth))
        return false;
    if (cable.end[0].device == cable.end[1].device)
        return ndt_fail(reader, CODE_T004, csv_get(&reader->lines, &reader->row, reader->column[END_DEVICE]),
                        "both ends of the cable are there");
    reader->cables = mem_grow(reader->cables, &reader->capacity, reader->n + 1, sizeof *reader->cables);
    reader->cables[reader->n++] = cable;
    return true;
}

static bool ndt_read_rows(struct ndt_reader *reader)
{
    bool has_columns = false;
    while (lines_next(&reader->lines))
        if (!has_columns)
            has_columns = ndt_find_columns(&reader->lines, &reader->row, reader->column);
        else if (!ndt_read_row(reader))
            return false;
    return true;
}

/* ---- ports ---- */

/* An end of a cable whose port is told. */
struct ndt_port {
    const struct ndt_end *end;
    size_t cable;
};

static int ndt_compare_ends(const struct ndt_end *a, const struct ndt_end *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    const struct slice *x = &a->port, *y = &b->port;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int order = n ? memcmp(x->text, y->text, n) : 0;
    if (order)
        return order;
    const int adapters = (a->adapter.length > b->adapter.length) - (a->adapter.length < b->adapter.length);
    return x->length != y->length ? (x->length < y->length ? -1 : 1)
           : adapters             ? adapters
           : a->adapter.length    ? memcmp(a->adapter.text, b->adapter.text, a->adapter.length)
                                  : 0;
}

static int ndt_compare_ports(const void *a, const void *b)
{
    const struct ndt_port *x = a, *y = b;
    const int order = ndt_compare_ends(x->end, y->end);
    return order ? order : (x->cable > y->cable) - (x->cable < y->cable);
}

/* True if two cables have the same ends. */
static bool ndt_is_same(const struct ndt_cable *a, const struct ndt_cable *b)
{
    const bool is_straight =
        !ndt_compare_ends(&a->end[0], &b->end[0]) && !ndt_compare_ends(&a->end[1], &b->end[1]);
    return is_straight ||
           (!ndt_compare_ends(&a->end[0], &b->end[1]) && !ndt_compare_ends(&a->end[1], &b->end[0]));
}

static bool ndt_report_twice(struct ndt_reader *reader, const struct ndt_cable *first,
                             const struct ndt_cable *other, const struct ndt_end *end)
{
    const struct source *source = reader->lines.source;
    struct diagnostic *found =
        report(reader->lines.diagnostics, CODE_T004, (struct position){source, other->line, 1, 1},
               "port '%.*s' of '%s' is at a second cable", (int)end->port.length, end->port.text,
               graph_name(reader->names, end->device));
    found->related = (struct position){source, first->line, 1, 1};
    found->related_text = "the first one";
    found->help = "a port has one cable: correct one of the two lines";
    return false;
}

/* Marks cables that are listed from both ends. False after reporting a port that is at two cables. */
static bool ndt_join_ends(struct ndt_reader *reader)
{
    struct ndt_port *ports = mem_alloc(2 * reader->n + 1, sizeof *ports);
    size_t n = 0;
    bool is_right = true;
    for (size_t i = 0; i < reader->n; i++)
        for (int side = 0; side < 2; side++)
            if (reader->cables[i].end[side].port.length)
                ports[n++] = (struct ndt_port){&reader->cables[i].end[side], i};
    if (n)
        qsort(ports, n, sizeof *ports, ndt_compare_ports);
    for (size_t i = 1; i < n && is_right; i++) {
        struct ndt_cable *first = &reader->cables[ports[i - 1].cable];
        struct ndt_cable *other = &reader->cables[ports[i].cable];
        if (ndt_compare_ends(ports[i - 1].end, ports[i].end) != 0)
            continue;
        is_right = ndt_is_same(first, other) || ndt_report_twice(reader, first, other, ports[i].end);
        other->is_again = true;
    }
    free(ports);
    return is_right;
}

/* ---- the network ---- */

/* Makes devices with one cable hosts, where no adapter is named. */
static void ndt_find_hosts(struct ndt_reader *reader)
{
    bool has_host = false;
    for (uint32_t device = 0; device < reader->names->n_nodes; device++)
        has_host |= reader->is_host[device];
    for (size_t i = 0; i < reader->n; i++)
        for (int side = 0; side < 2 && !reader->cables[i].is_again; side++)
            reader->n_cables[reader->cables[i].end[side].device]++;
    for (uint32_t device = 0; device < reader->names->n_nodes && !has_host; device++)
        reader->is_host[device] = reader->n_cables[device] == 1;
}

static void ndt_add_cables(const struct ndt_reader *reader, struct graph *graph)
{
    uint32_t n_assumed = 0;
    for (size_t i = 0; i < reader->n; i++) {
        const struct ndt_cable *cable = &reader->cables[i];
        if (cable->is_again)
            continue;
        n_assumed += !cable->bandwidth;
        graph_add_cable(graph, cable->end[0].device, cable->end[1].device,
                        cable->bandwidth ? cable->bandwidth : TOPOLOGY_DEFAULT_BANDWIDTH,
                        TOPOLOGY_DEFAULT_LATENCY);
    }
    for (size_t i = 0, link = 0; i < reader->n; i++) {
        for (uint32_t side = 0; side < 2 && !reader->cables[i].is_again; side++) {
            const struct ndt_end *end = &reader->cables[i].end[side];
            if (end->adapter.length && reader->is_host[end->device])
                graph_name_adapter(graph, (uint32_t)link + side, end->adapter.text, end->adapter.length);
            if (end->port.length && (!end->adapter.length || end->port.text != end->adapter.text))
                graph_name_port(graph, (uint32_t)link + side, end->port.text, end->port.length);
        }
        link += reader->cables[i].is_again ? 0 : 2;
    }
    if (n_assumed)
        report(reader->lines.diagnostics, CODE_T008, (struct position){.source = reader->lines.source},
               "'%s' tells no rate of %u cable%s: 100 Gb/s are assumed", reader->lines.source->path, n_assumed,
               plural(n_assumed))
            ->help = "a column Speed has Mb/s, such as 200000";
    if (reader->n_disabled)
        report(reader->lines.diagnostics, CODE_T008, (struct position){.source = reader->lines.source},
               "'%s': left out %u line%s of disabled ports", reader->lines.source->path, reader->n_disabled,
               plural(reader->n_disabled));
}

static struct topology *ndt_make_topology(struct ndt_reader *reader)
{
    const struct topology_settings settings = {.name = reader->lines.source->path,
                                               .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                                               .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct graph *graph = graph_new();
    ndt_find_hosts(reader);
    for (uint32_t device = 0; device < reader->names->n_nodes; device++)
        graph_add_node(graph, !reader->is_host[device], graph_name(reader->names, device),
                       reader->names->nodes[device].name_length);
    ndt_add_cables(reader, graph);
    graph->may_be_apart = true;
    return graph_topology(&settings, graph, (struct position){reader->lines.source, 1, 1, 1},
                          reader->lines.diagnostics);
}

static struct topology *read_ndt(const struct source *source, struct diagnostics *diagnostics)
{
    struct ndt_reader *reader = mem_alloc(1, sizeof *reader);
    struct topology *topology = NULL;
    reader->names = graph_new();
    lines_open(&reader->lines, source, diagnostics);
    if (ndt_read_rows(reader) && ndt_join_ends(reader))
        topology = ndt_make_topology(reader);
    graph_free(reader->names);
    free(reader->is_host);
    free(reader->n_cables);
    free(reader->cables);
    free(reader);
    return topology;
}

const struct topology_format ndt_format = {.is = is_ndt, .read = read_ndt};
