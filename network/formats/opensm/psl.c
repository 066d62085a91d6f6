/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the service levels of paths, a line for each, as the subnet manager assigns them: GUID of the
 * source adapter, LID of the destination, service level.
 *
 *   0x0002c90400000000 6 2
 */
#include "network/formats/opensm/lft.h"

#include "base/codes.h"

#include <inttypes.h>

/* Limit in bytes of the levels, n_machines^2. */
#define LEVELS_LIMIT (UINT64_C(1) << 32)

struct path_level {
    uint64_t guid;
    uint32_t lid, level;
};

/* Takes "6" or, as saquery prints it, "0x6", below the limit. */
static bool psl_take_number(struct lines *lines, uint32_t limit, uint32_t *number)
{
    uint64_t value;
    if (!lines_starts(lines, "0x"))
        return lines_take_decimal(lines, number) && *number < limit;
    if (!lines_take_hexadecimal(lines, &value) || value >= limit)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool take_path(struct lines *lines, struct path_level *path)
{
    if (!lines_take_hexadecimal(lines, &path->guid))
        return false;
    lines_skip_blanks(lines);
    if (!psl_take_number(lines, SUBNET_LIDS, &path->lid))
        return false;
    lines_skip_blanks(lines);
    return psl_take_number(lines, FORWARDING_LANES, &path->level) && lines_at_end(lines);
}

/* Sets the level of a pair; lines of adapters and LIDs that carry no route are ignored. */
static void set_level(struct lines *lines, const struct subnet_index *index,
                      struct forwarding *forwarding, const struct path_level *path)
{
    const struct graph *graph = index->graph;
    uint32_t port = subnet_find_port(index, path->guid);
    uint32_t destination = subnet_find_machine(index, path->lid);
    size_t length = (size_t)(lines->end - lines->start);
    if (port == GRAPH_NONE) {
        lines_fail(lines, CODE_T010, lines->start, length,
                   "no adapter of the topology has GUID 0x%016" PRIx64, path->guid)
            ->help = "take topology and service levels from the same subnet";
    } else if (index->owner[path->lid] == GRAPH_NONE) {
        lines_fail(lines, CODE_T010, lines->start, length, "nobody in the topology has LID %u",
                   path->lid)
            ->help = "take topology and service levels from the same subnet";
    } else if (destination != GRAPH_NONE && forwarding->machines[destination].lid == path->lid) {
        uint32_t source = graph_link_from(graph, graph->subnet->ports[port].link);
        uint32_t link = forwarding->machines[source].link;
        bool is_used = link == graph->subnet->ports[port].link;
        if (is_used || lanes_level(forwarding->lanes, source, destination) < 0)
            lanes_set_level(forwarding->lanes, source, destination, (uint8_t)path->level);
    }
}

static void psl_report_missing(const struct source *source, const struct subnet_index *index,
                               const struct forwarding *forwarding, struct diagnostics *diagnostics)
{
    uint32_t n_machines = index->graph->n_machines;
    uint64_t n_missing = 0;
    for (uint32_t from = 0; from < n_machines; from++)
        for (uint32_t to = 0; to < n_machines; to++)
            n_missing += from != to && lanes_level(forwarding->lanes, from, to) < 0;
    if (n_missing)
        report(diagnostics, CODE_T011, (struct position){0},
               "'%s': no service level for %" PRIu64 " pairs of machines, 0 is assumed",
               source->path, n_missing)
            ->help = "ask the subnet manager for every pair";
}

bool psl_read(const struct source *source, const struct subnet_index *index,
              struct forwarding *forwarding, struct diagnostics *diagnostics)
{
    struct lines lines;
    struct path_level path;
    uint64_t n_machines = index->graph->n_machines;
    lines_open(&lines, source, diagnostics);
    if (n_machines * n_machines > LEVELS_LIMIT) {
        report(diagnostics, CODE_T010, (struct position){0},
               "'%s': too many machines for a service level per pair", source->path);
        return false;
    }
    while (lines_next(&lines)) {
        lines_skip_blanks(&lines);
        const char *at = lines.at;
        if (lines_at_end(&lines) || *at == '#')
            continue;
        if (take_path(&lines, &path)) {
            set_level(&lines, index, forwarding, &path);
            continue;
        }
        lines.at = at;
        lines_fail_here(&lines, CODE_T014, "not a path with its service level")->help =
            "expected lines such as '0x0002c90400000000 6 2': GUID of the source, LID of the "
            "destination, service level from 0 to 15";
    }
    if (!lines.failed)
        psl_report_missing(source, index, forwarding, diagnostics);
    return !lines.failed;
}
