/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines and words of placement files, and the ranks that come from them.
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"
#include "network/restrict.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines and words ---- */

static bool placement_lines_next_line(struct line_reader *reader)
{
    if (!reader->rest.length)
        return false;
    const char *newline = memchr(reader->rest.text, '\n', reader->rest.length);
    size_t length = newline ? (size_t)(newline - reader->rest.text) : reader->rest.length;
    size_t taken = length + (newline != NULL);
    const char *comment = memchr(reader->rest.text, '#', length);
    reader->start = reader->rest.text;
    reader->line.text = reader->start;
    reader->line.length = comment ? (size_t)(comment - reader->start) : length;
    reader->rest.text += taken;
    reader->rest.length -= taken;
    reader->number++;
    return true;
}

bool placement_next_words(struct line_reader *reader)
{
    while (placement_lines_next_line(reader)) {
        slice_skip_blanks(&reader->line);
        if (reader->line.length)
            return true;
    }
    return false;
}

bool placement_take_char(struct line_reader *reader, char c)
{
    slice_skip_blanks(&reader->line);
    if (!reader->line.length || *reader->line.text != c)
        return false;
    reader->line.text++;
    reader->line.length--;
    return true;
}

/* ---- what is wrong ---- */

struct diagnostic *placement_complain(struct line_reader *reader, uint32_t code, struct slice slice,
                                      const char *message)
{
    reader->failed = true;
    struct position position = {reader->source, reader->number,
                                (uint32_t)(slice.text - reader->start) + 1,
                                slice.length ? (uint32_t)slice.length : 1};
    int shown = slice.length < 80 ? (int)slice.length : 80;
    if (!shown)
        return report(reader->request->diagnostics, code, position, "%s", message);
    return report(reader->request->diagnostics, code, position, "'%.*s': %s", shown, slice.text,
                  message);
}

struct diagnostic *placement_complain_file(struct line_reader *reader, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&reader->request->diagnostics->arena, format, args);
    va_end(args);
    reader->failed = true;
    struct position position = {reader->source, 0, 0, 0};
    return report(reader->request->diagnostics, CODE_A001, position, "'%s' %s",
                  reader->source->path, message);
}

/* A file of another cluster has no name that is right: what is said to all of them is said once. A
 * near name is looked for among all machines, so only for the first names. */
static void placement_lines_complain_absent(struct line_reader *reader, struct slice name, struct slice where)
{
    struct diagnostics *diagnostics = reader->request->diagnostics;
    const bool is_like_last = reader->absent_help && diagnostics->n_of_code[CODE_A002] >= DIAGNOSTICS_KEEP;
    const char *help = is_like_last ? reader->absent_help
                                    : topology_help_with_machine(reader->request->topology, name,
                                                                 &diagnostics->arena);
    reader->absent_help = help;
    reader->failed = true;
    if (diagnostics_join_help(diagnostics, CODE_A002, reader->source, help))
        return;
    if (name.text >= where.text && name.text + name.length <= where.text + where.length)
        placement_complain(reader, CODE_A002, name, "the topology has no machine of this name")->help = help;
    else
        placement_complain(reader, CODE_A002, where,
                           diagnostics_text(diagnostics, "the topology has no machine '%.*s'",
                                            (int)name.length, name.text))
            ->help = help;
}

uint32_t placement_find_machine(struct line_reader *reader, struct slice name, struct slice where)
{
    const struct topology *topology = reader->request->topology;
    const uint32_t machine = topology_find_host(topology, name.text, name.length);
    if (machine == topology->n_machines)
        placement_lines_complain_absent(reader, name, where);
    return machine;
}

/* ---- ranks ---- */

bool placement_take_rank(struct line_reader *reader, struct slice number, uint32_t *rank)
{
    if (parse_count(number, rank) == VALUE_OK && *rank < MAX_RANKS)
        return true;
    placement_complain(reader, CODE_A003, number, "expected a rank, 0 to 67108863")->help =
        "ranks are numbered from 0 on";
    return false;
}

static void placement_lines_make_room(struct assignment *assignment, size_t n)
{
    size_t before = assignment->capacity;
    assignment->machine = mem_grow(assignment->machine, &assignment->capacity, n,
                                   sizeof *assignment->machine);
    for (size_t i = before; i < assignment->capacity; i++)
        assignment->machine[i] = UNPLACED;
    assignment->n_ranks = n > assignment->n_ranks ? (uint32_t)n : assignment->n_ranks;
}

void place_rank(struct line_reader *reader, struct assignment *assignment, uint32_t rank,
                uint32_t machine, struct slice where)
{
    if (rank < assignment->n_ranks && assignment->machine[rank] != UNPLACED) {
        placement_complain(reader, CODE_A003, where, "rank placed twice")->help =
            "every rank has one line";
        return;
    }
    placement_lines_make_room(assignment, (size_t)rank + 1);
    assignment->machine[rank] = machine;
}

bool placement_append_ranks(struct line_reader *reader, struct assignment *assignment, uint32_t machine,
                            uint64_t n, struct slice where)
{
    uint32_t first = assignment->n_ranks;
    if (n > MAX_RANKS - first) {
        placement_complain(reader, CODE_A003, where, "more than 67108864 ranks");
        return false;
    }
    placement_lines_make_room(assignment, (size_t)(first + n));
    for (uint64_t i = 0; i < n; i++)
        assignment->machine[first + i] = machine;
    return true;
}

bool placement_finish_ranks(struct line_reader *reader, struct assignment *assignment, const char *help)
{
    uint32_t rank = 0, wanted = reader->request->asked->n_ranks;
    if (reader->failed)
        return false;
    while (rank < assignment->n_ranks && assignment->machine[rank] != UNPLACED)
        rank++;
    if (!assignment->n_ranks)
        placement_complain_file(reader, "names no machine")->help = help;
    else if (rank < assignment->n_ranks)
        placement_complain_file(reader, "has no machine for rank %u", rank)->help = help;
    else if (rank < wanted)
        placement_complain_file(reader, "has places for %u rank%s, not for %u", rank, plural(rank), wanted)
            ->help = "lower --ranks, or place more ranks";
    assignment->n_ranks = wanted ? wanted : assignment->n_ranks;
    return !reader->failed;
}
