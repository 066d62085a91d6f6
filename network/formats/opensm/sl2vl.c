/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads opensm-sl2vl.dump: a block per switch and adapter with a line for each
 * (port in, port out), the lane of each of the 16 service levels.
 *
 *   Switch 0x0002c90300000000, base LID 2, "sw0"
 *   #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
 *   1   2   : 0  1  0  1  0  1  0  1  4  5  4  5  4  5  4  5
 */
#include "network/formats/opensm/lft.h"

#include "base/codes.h"

#include <inttypes.h>

/* Limit of memory for all maps of all switches, in bytes. */
#define MAPS_LIMIT (UINT64_C(2) << 30)

struct block_reader {
    struct lines lines;
    const struct subnet_index *index;
    struct lanes *lanes;
    uint32_t router, machine; /* whose block this is; GRAPH_NONE: not that */
    bool has_block;
};

static void sl2vl_read_heading(struct block_reader *reader, bool is_switch)
{
    struct lines *lines = &reader->lines;
    uint64_t guid;
    const char *at = lines->at;
    reader->router = reader->machine = GRAPH_NONE;
    reader->has_block = true;
    if (!lines_take_hexadecimal(lines, &guid)) {
        lines_fail_here(lines, CODE_T014, "expected a GUID such as 0x0002c90300000000");
        return;
    }
    uint32_t port = is_switch ? GRAPH_NONE : subnet_find_port(reader->index, guid);
    const struct graph *graph = reader->index->graph;
    if (is_switch)
        reader->router = subnet_find_router(reader->index, guid);
    else if (port != GRAPH_NONE)
        reader->machine = graph_link_from(graph, graph->subnet->ports[port].link);
    if (reader->router == GRAPH_NONE && is_switch)
        lines_fail(lines, CODE_T010, at, (size_t)(lines->at - at),
                   "no switch of the topology has GUID 0x%016" PRIx64, guid)
            ->help = "take topology and SL2VL tables from the same subnet";
}

static bool take_lanes(struct lines *lines, uint64_t *map)
{
    *map = 0;
    for (unsigned level = 0; level < FORWARDING_LANES; level++) {
        uint32_t lane;
        lines_skip_blanks(lines);
        if (!lines_take_decimal(lines, &lane) || lane >= FORWARDING_LANES)
            return false;
        *map |= (uint64_t)lane << 4 * level;
    }
    lines_skip_blanks(lines);
    return lines_at_end(lines);
}

static bool sl2vl_take_row(struct lines *lines, uint32_t *in, uint32_t *out, uint64_t *map)
{
    if (!lines_take_decimal(lines, in))
        return false;
    lines_skip_blanks(lines);
    if (!lines_take_decimal(lines, out))
        return false;
    lines_skip_blanks(lines);
    return lines_take_text(lines, ":") && take_lanes(lines, map);
}

static void sl2vl_read_row(struct block_reader *reader)
{
    struct lines *lines = &reader->lines;
    uint32_t in, out;
    uint64_t map;
    const char *at = lines->at;
    if (!reader->has_block) {
        lines_fail_here(lines, CODE_T014, "a row without a switch before it");
    } else if (!sl2vl_take_row(lines, &in, &out, &map)) {
        lines->at = at;
        lines_fail_here(lines, CODE_T014, "not a row of an SL2VL table")->help =
            "expected 'IN OUT : ' and 16 lanes from 0 to 15";
    } else if (reader->router != GRAPH_NONE) {
        lanes_set_router(reader->lanes, reader->router, in, out, map);
    } else if (reader->machine != GRAPH_NONE) {
        lanes_set_machine(reader->lanes, reader->machine, map);
    }
}

static void sl2vl_read_line(struct block_reader *reader)
{
    struct lines *lines = &reader->lines;
    lines_skip_blanks(lines);
    if (lines_at_end(lines) || *lines->at == '#')
        return;
    if (lines_take_text(lines, "Switch "))
        sl2vl_read_heading(reader, true);
    else if (lines_take_text(lines, "Channel Adapter ") || lines_take_text(lines, "Router "))
        sl2vl_read_heading(reader, false);
    else
        sl2vl_read_row(reader);
}

static void sl2vl_report_missing(const struct source *source, const struct lanes *lanes,
                                 struct diagnostics *diagnostics)
{
    uint32_t n = lanes_n_unmapped_routers(lanes);
    if (n)
        report(diagnostics, CODE_T011, (struct position){0},
               "'%s': no SL2VL table for %u switches, lane = service level is assumed there",
               source->path, n)
            ->help = "take the tables again from a complete sweep";
}

bool sl2vl_read(const struct source *source, const struct subnet_index *index,
                struct forwarding *forwarding, struct diagnostics *diagnostics)
{
    struct block_reader reader = {.index = index,
                                  .lanes = forwarding->lanes,
                                  .router = GRAPH_NONE,
                                  .machine = GRAPH_NONE};
    uint64_t n_maps = (uint64_t)forwarding->n_routers * forwarding->stride * forwarding->stride;
    if (n_maps > MAPS_LIMIT / sizeof(uint64_t)) {
        report(diagnostics, CODE_T010, (struct position){0},
               "'%s': too many switches and ports for SL2VL tables", source->path);
        return false;
    }
    lines_open(&reader.lines, source, diagnostics);
    while (lines_next(&reader.lines))
        sl2vl_read_line(&reader);
    if (!reader.has_block && !reader.lines.failed) {
        report(diagnostics, CODE_T014, (struct position){source, 1, 1, 1},
               "'%s' holds no SL2VL table", source->path)
            ->help = "expected the form of opensm-sl2vl.dump";
        return false;
    }
    if (!reader.lines.failed)
        sl2vl_report_missing(source, forwarding->lanes, diagnostics);
    return !reader.lines.failed;
}
