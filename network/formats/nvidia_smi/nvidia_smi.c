/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the table of nvidia-smi topo -m: the distances between the GPUs and network adapters of a
 * machine,
 *
 *           GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity
 *   GPU0     X    NV2   PIX   0-23          0
 *   GPU1    NV2    X    SYS   24-47         1
 *   NIC0    PIX   SYS    X
 *
 *   NIC Legend:
 *     NIC0: mlx5_0
 *
 * GPUs are the machines. The table tells which devices share a PCI switch, a bridge, a NUMA node; that
 * becomes a tree of routers. For GPUs joined by NVLink it has only the links: these GPUs are on one NUMA
 * node if their processors are the same. Nothing has a rate, so rates are assumed and reported.
 */
#include "base/codes.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include <stdlib.h>

enum { MAX_DEVICES = 256, MOST_LINKS = 18 /* most links of a GPU, up to the H100 and B200 */ };
#define LINK_BANDWIDTH UINT64_C(25000000000) /* bytes per second of one link, NVLink 2 to 4 */

/* The distance of two devices: the highest level that the way between them crosses. */
enum level { LEVEL_SELF, LEVEL_SWITCH, LEVEL_SWITCHES, LEVEL_BRIDGE, LEVEL_NUMA, LEVEL_SYSTEM, N_LEVELS };
static const char *const level_name[N_LEVELS] = {"", "pix", "pxb", "phb", "node", "sys"};

struct device {
    struct slice name, alias; /* alias: of the legend */
    struct slice affinity;    /* processors; length 0: not said */
    uint32_t line;            /* line of its row; 0: none yet */
};

struct reader {
    struct lines lines;
    struct device devices[MAX_DEVICES];
    uint32_t n;
    uint8_t level[MAX_DEVICES][MAX_DEVICES];
    uint8_t n_links[MAX_DEVICES][MAX_DEVICES]; /* NVLink links; the level is then unknown */
    uint32_t group[MAX_DEVICES];   /* [device] the lowest device of its group at the current level */
    uint32_t router[MAX_DEVICES];  /* [lowest device of a group] the router above its devices */
    struct graph *graph;
};

static const char *const HELP = "take the whole output of nvidia-smi topo -m, with its first line";

static bool nvidia_smi_fail(struct reader *reader, struct slice at, const char *message)
{
    const int shown = at.length < 80 ? (int)at.length : 80;
    lines_fail(&reader->lines, CODE_T021, at.text, at.length, "'%.*s': %s", shown, at.text, message)->help = HELP;
    return false;
}

/* Takes a word; terminal sequences, ESC [ ... letter, count as blanks. */
static struct slice nvidia_smi_take_cell(struct lines *lines)
{
    for (;;) {
        lines_skip_blanks(lines);
        if (lines_at_end(lines) || *lines->at != '\033')
            break;
        while (!lines_at_end(lines) && !((*lines->at | 0x20) >= 'a' && (*lines->at | 0x20) <= 'z'))
            lines->at++;
        lines->at += !lines_at_end(lines);
    }
    struct slice cell = {lines->at, 0};
    while (!lines_at_end(lines) && *lines->at != ' ' && *lines->at != '\t' && *lines->at != '\033') {
        lines->at++;
        cell.length++;
    }
    return cell;
}

static bool nvidia_smi_is_gpu(const struct device *device)
{
    return slice_starts(device->name, "GPU");
}

/* Reads the columns of devices; "CPU Affinity" and others follow them. */
static bool read_head(struct reader *reader)
{
    for (;;) {
        const struct slice cell = nvidia_smi_take_cell(&reader->lines);
        if (!cell.length || slice_is(cell, "CPU") || slice_is(cell, "NUMA") || slice_is(cell, "GPU"))
            return true;
        for (uint32_t i = 0; i < reader->n; i++)
            if (slice_compare(reader->devices[i].name, cell) == 0)
                return nvidia_smi_fail(reader, cell, "a second column of that name");
        if (reader->n == MAX_DEVICES)
            return nvidia_smi_fail(reader, cell, "more than 256 devices");
        reader->devices[reader->n++] = (struct device){.name = cell};
    }
}

static bool take_level(struct slice cell, uint8_t *level, uint8_t *n_links)
{
    static const struct {
        const char *word;
        uint8_t level;
    } words[] = {{"X", LEVEL_SELF},      {"PSB", LEVEL_SWITCH},  {"PIX", LEVEL_SWITCH}, {"PXB", LEVEL_SWITCHES},
                 {"PHB", LEVEL_BRIDGE},  {"NODE", LEVEL_NUMA},   {"SYS", LEVEL_SYSTEM}, {"SOC", LEVEL_SYSTEM}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(cell, words[i].word)) {
            *level = words[i].level;
            *n_links = 0;
            return true;
        }
    uint32_t number;
    if (!slice_starts(cell, "NV") ||
        parse_count((struct slice){cell.text + 2, cell.length - 2}, &number) != VALUE_OK || !number ||
        number > MOST_LINKS)
        return false;
    *level = LEVEL_SYSTEM;
    *n_links = (uint8_t)number;
    return true;
}

/* Reads the cells behind the name of the row. */
static bool nvidia_smi_read_row(struct reader *reader, uint32_t row, struct slice name)
{
    struct lines *lines = &reader->lines;
    struct device *device = &reader->devices[row];
    if (device->line)
        return nvidia_smi_fail(reader, name, "a second row of that name");
    device->line = lines->line;
    for (uint32_t column = 0; column < reader->n; column++) {
        const struct slice cell = nvidia_smi_take_cell(lines);
        uint8_t *level = &reader->level[row][column], *n_links = &reader->n_links[row][column];
        if (!cell.length)
            return nvidia_smi_fail(reader, name, "the row is shorter than the first line");
        if (!take_level(cell, level, n_links))
            return nvidia_smi_fail(reader, cell, "expected X, NV#, PIX, PXB, PHB, NODE or SYS");
        if ((*level == LEVEL_SELF) != (row == column))
            return nvidia_smi_fail(reader, cell, "X stands where a device meets itself, and nowhere else");
        if (column < row && reader->devices[column].line &&
            (*level != reader->level[column][row] || *n_links != reader->n_links[column][row]))
            return nvidia_smi_fail(reader, cell, "the other way round it is another");
    }
    if (nvidia_smi_is_gpu(device))
        device->affinity = nvidia_smi_take_cell(lines);
    return true;
}

/* Reads "NIC0: mlx5_0". */
static void read_legend(struct reader *reader, struct slice name)
{
    if (!name.length || name.text[name.length - 1] != ':')
        return;
    name.length--;
    for (uint32_t i = 0; i < reader->n; i++)
        if (slice_compare(reader->devices[i].name, name) == 0)
            reader->devices[i].alias = nvidia_smi_take_cell(&reader->lines);
}

static void nvidia_smi_read_line(struct reader *reader)
{
    const struct lines before = reader->lines;
    const struct slice first = nvidia_smi_take_cell(&reader->lines);
    if (!reader->n && slice_starts(first, "GPU")) {
        reader->lines = before;
        read_head(reader);
        return;
    }
    for (uint32_t i = 0; i < reader->n; i++)
        if (slice_compare(reader->devices[i].name, first) == 0) {
            nvidia_smi_read_row(reader, i, first);
            return;
        }
    read_legend(reader, first);
}

/* ---- the network ---- */

static uint32_t nvidia_smi_add_node(struct reader *reader, bool is_router, const char *name, size_t length)
{
    const uint32_t node = graph_add_node(reader->graph, is_router, name, length < 255 ? length : 255);
    if (node == GRAPH_NONE)
        report(reader->lines.diagnostics, CODE_T004, (struct position){reader->lines.source, 0, 0, 1},
               "two devices are called '%.*s'", length < 80 ? (int)length : 80, name);
    return node;
}

static uint32_t nvidia_smi_add_router(struct reader *reader, const char *name, uint32_t number)
{
    char text[32];
    const int length = snprintf(text, sizeof text, "%s%u", name, number);
    return nvidia_smi_add_node(reader, true, text, (size_t)length);
}

static void nvidia_smi_join(struct reader *reader, uint32_t a, uint32_t b, uint64_t bandwidth)
{
    if (a != GRAPH_NONE && b != GRAPH_NONE)
        graph_add_cable(reader->graph, a, b, bandwidth, TOPOLOGY_DEFAULT_LATENCY);
}

static bool are_near(const struct reader *reader, uint32_t a, uint32_t b, enum level level)
{
    const struct slice x = reader->devices[a].affinity, y = reader->devices[b].affinity;
    if (level == LEVEL_SYSTEM)
        return true;
    if (reader->n_links[a][b])
        return level == LEVEL_NUMA && x.length && slice_compare(x, y) == 0;
    return reader->level[a][b] <= level;
}

/* Joins groups with devices that are near at this level. True if device `a` is the lowest of its group. */
static bool widen_group(struct reader *reader, uint32_t a, enum level level)
{
    if (reader->group[a] != a)
        return false;
    for (bool is_wider = true; is_wider;) {
        is_wider = false;
        for (uint32_t i = 0; i < reader->n; i++)
            for (uint32_t b = 0; reader->group[i] == a && b < reader->n; b++)
                if (reader->group[b] != a && are_near(reader, i, b, level)) {
                    const uint32_t other = reader->group[b];
                    for (uint32_t k = 0; k < reader->n; k++)
                        if (reader->group[k] == other)
                            reader->group[k] = a;
                    is_wider = true;
                }
    }
    return true;
}

/* Adds a router over each group that consists of several at the level below. O(devices^2) for each group. */
static void nvidia_smi_add_level(struct reader *reader, enum level level)
{
    uint32_t before[MAX_DEVICES], n = 0;
    memcpy(before, reader->group, sizeof before);
    for (uint32_t a = 0; a < reader->n; a++) {
        uint32_t parts = 0;
        if (!widen_group(reader, a, level))
            continue;
        for (uint32_t b = a; b < reader->n; b++)
            parts += reader->group[b] == a && before[b] == b;
        if (parts < 2)
            continue;
        const uint32_t router = nvidia_smi_add_router(reader, level_name[level], n++);
        for (uint32_t b = a; b < reader->n; b++)
            if (reader->group[b] == a && before[b] == b)
                nvidia_smi_join(reader, reader->router[b], router, TOPOLOGY_DEFAULT_BANDWIDTH);
        reader->router[a] = router;
    }
}

/* True if a GPU would have more links than it can if each pair had its own: then they lead to switches,
 * which count as one. */
static bool has_nvswitch(const struct reader *reader)
{
    for (uint32_t a = 0; a < reader->n; a++) {
        uint32_t sum = 0;
        for (uint32_t b = 0; b < reader->n; b++)
            sum += reader->n_links[a][b];
        if (sum > MOST_LINKS)
            return true;
    }
    return false;
}

static uint32_t most_links(const struct reader *reader, uint32_t a)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < reader->n; b++)
        most = reader->n_links[a][b] > most ? reader->n_links[a][b] : most;
    return most;
}

static void nvidia_smi_add_devices(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->n; i++) {
        const struct device *device = &reader->devices[i];
        const struct slice name = device->alias.length ? device->alias : device->name;
        reader->group[i] = i;
        reader->router[i] = nvidia_smi_add_node(reader, !nvidia_smi_is_gpu(device), name.text, name.length);
    }
}

static void add_nvlinks(struct reader *reader, const uint32_t *node)
{
    const bool is_switched = has_nvswitch(reader);
    const uint32_t nvswitch =
        is_switched ? nvidia_smi_add_node(reader, true, "nvswitch", strlen("nvswitch")) : GRAPH_NONE;
    for (uint32_t a = 0; a < reader->n; a++) {
        if (is_switched && most_links(reader, a))
            nvidia_smi_join(reader, node[a], nvswitch, LINK_BANDWIDTH * most_links(reader, a));
        for (uint32_t b = a + 1; !is_switched && b < reader->n; b++)
            if (reader->n_links[a][b])
                nvidia_smi_join(reader, node[a], node[b], LINK_BANDWIDTH * reader->n_links[a][b]);
    }
}

/* Gives each GPU a port of its own on PCI, so that no way over PCI is as short as one over the NVSwitch. */
static void add_pci_ports(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->n; i++) {
        if (!nvidia_smi_is_gpu(&reader->devices[i]))
            continue;
        const uint32_t port = nvidia_smi_add_router(reader, "pci", i);
        nvidia_smi_join(reader, reader->router[i], port, TOPOLOGY_DEFAULT_BANDWIDTH);
        reader->router[i] = port;
    }
}

static struct topology *nvidia_smi_make_topology(struct reader *reader)
{
    const struct source *source = reader->lines.source;
    const struct topology_settings settings = {.name = source->path, .latency = TOPOLOGY_DEFAULT_LATENCY};
    uint32_t node[MAX_DEVICES];
    reader->graph = graph_new();
    nvidia_smi_add_devices(reader);
    memcpy(node, reader->router, sizeof node);
    add_nvlinks(reader, node);
    if (has_nvswitch(reader))
        add_pci_ports(reader);
    for (enum level level = LEVEL_SWITCH; level < N_LEVELS; level++)
        nvidia_smi_add_level(reader, level);
    if (diagnostics_has_errors(reader->lines.diagnostics)) {
        graph_free(reader->graph);
        return NULL;
    }
    return graph_topology(&settings, reader->graph, (struct position){source, 0, 0, 1},
                          reader->lines.diagnostics);
}

static bool has_all_rows(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->n; i++)
        if (!reader->devices[i].line) {
            const struct slice name = reader->devices[i].name;
            report(reader->lines.diagnostics, CODE_T021, (struct position){reader->lines.source, 0, 0, 1},
                   "there is no row for '%.*s'", name.length < 80 ? (int)name.length : 80, name.text)
                ->help = HELP;
            return false;
        }
    return true;
}

static struct topology *read_nvidia_smi(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader *reader = mem_alloc(1, sizeof *reader);
    struct topology *topology = NULL;
    lines_open(&reader->lines, source, diagnostics);
    while (!reader->lines.failed && lines_next(&reader->lines))
        nvidia_smi_read_line(reader);
    if (!reader->lines.failed && has_all_rows(reader))
        topology = nvidia_smi_make_topology(reader);
    if (topology)
        report(diagnostics, CODE_T008, (struct position){source, 0, 0, 0},
               "'%s' tells no rates: 25 GB/s are assumed of an NVLink, 100 Gb/s of all else", source->path)
            ->help = "NCCL knows them: NCCL_TOPO_DUMP_FILE=FILE writes its topology as it starts";
    free(reader);
    return topology;
}

/* True if the first line names GPUs and the row of the first of them follows. */
static bool is_nvidia_smi(const struct source *source)
{
    struct diagnostics unread = {0};
    struct lines lines;
    lines_open(&lines, source, &unread);
    while (lines_next(&lines)) {
        const struct slice first = nvidia_smi_take_cell(&lines);
        if (!first.length)
            continue;
        if (!slice_starts(first, "GPU") || !lines_next(&lines))
            return false;
        const struct slice row = nvidia_smi_take_cell(&lines), self = nvidia_smi_take_cell(&lines);
        return slice_compare(row, first) == 0 && slice_is(self, "X");
    }
    return false;
}

const struct topology_format nvidia_smi_format = {.is = is_nvidia_smi, .read = read_nvidia_smi};
