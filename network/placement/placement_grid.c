/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements by coordinates, for grids: the vcoordfile of the K computer and Fugaku, a
 * line "(x,y,z)" for each rank, and the map file of Blue Gene, a row "x y z t" for each
 * rank, t being the place within the machine.
 */
#include "network/placement/placement_files.h"
#include "base/codes.h"
#include "base/integer.h"
#include "network/grid.h"
#include "network/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool placement_grid_need_grid(struct line_reader *reader)
{
    const struct topology *topology = reader->request->topology;
    if (topology_grid(topology))
        return true;
    placement_complain_file(reader, "places ranks by coordinates, but '%s' is no grid", topology->name)
        ->help = "coordinates need a topology such as torus:8x8x8; elsewhere name the machines";
    return false;
}

/* Coordinates are those that programs see, or, on a Tofu network, all six. */
static bool expect_count(struct line_reader *reader, struct slice where, uint32_t n, uint32_t more)
{
    const struct topology *grid = topology_grid(reader->request->topology);
    if (n == view_n_axes(grid) + more || n == topology_as_grid(grid)->n_dimensions + more)
        return true;
    placement_complain(reader, CODE_A003, where,
                       diagnostics_text(reader->request->diagnostics, "%u number%s, expected %u", n,
                                        plural(n), view_n_axes(grid) + more))
        ->help = more ? "a row has a coordinate for each dimension of the grid and the place "
                        "within the machine"
                      : "a line has a coordinate for each dimension of the grid";
    return false;
}

/* Returns the machine at these coordinates; n_machines after reporting. */
static uint32_t placement_grid_machine_at(struct line_reader *reader, const uint32_t *at, uint32_t n,
                                          struct slice where)
{
    const struct topology *grid = topology_grid(reader->request->topology);
    bool is_view = n == view_n_axes(grid);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t extent = is_view ? view_extent(grid, i) : topology_as_grid(grid)->extent[i].value;
        if (at[i] < extent)
            continue;
        struct diagnostics *diagnostics = reader->request->diagnostics;
        const char *help = diagnostics_text(diagnostics, "number %u of them goes from 0 to %u", i + 1, extent - 1);
        reader->failed = true;
        if (!diagnostics_join_help(diagnostics, CODE_A002, reader->source, help))
            placement_complain(reader, CODE_A002, where, "coordinates outside the grid")->help = help;
        return reader->request->topology->n_machines;
    }
    return is_view ? view_machine(grid, at) : grid_machine(topology_as_grid(grid), at);
}

/* ---- "(x,y,z) core=1 mem=2" ---- */

/* Numbers up to ')'; how many, or 0 after reporting. */
static uint32_t placement_grid_take_coordinates(struct line_reader *reader, uint32_t *at)
{
    struct slice line = reader->line, number;
    uint32_t n = 0;
    bool good = placement_take_char(reader, '(');
    for (bool more = good; good && more; more = placement_take_char(reader, ',')) {
        slice_skip_blanks(&reader->line);
        number = (struct slice){reader->line.text, 0};
        while (number.length < reader->line.length &&
               !strchr(",) \t\r", reader->line.text[number.length]))
            number.length++;
        reader->line.text += number.length;
        reader->line.length -= number.length;
        good = n < TOPOLOGY_MAX_DIMENSIONS && parse_count(number, &at[n++]) == VALUE_OK;
    }
    if (good && placement_take_char(reader, ')'))
        return n;
    placement_complain(reader, CODE_A003, line, "expected coordinates such as (0,1,2)")->help =
        "a file that begins with '(' has one line '(x,y,z)' for each rank";
    return 0;
}

static void read_coordinate_line(struct line_reader *reader, struct assignment *assignment)
{
    const struct topology *topology = reader->request->topology;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS];
    struct slice where = reader->line;
    uint32_t n = placement_grid_take_coordinates(reader, at);
    where.length -= reader->line.length;
    if (!n || !expect_count(reader, where, n, 0))
        return;
    for (struct slice word = slice_take_word(&reader->line); word.length;
         word = slice_take_word(&reader->line))
        if (!slice_starts(word, "core=") && !slice_starts(word, "mem=")) {
            placement_complain(reader, CODE_A003, word, "unknown word after coordinates")->help =
                "'core=' and 'mem=' may follow; they make no difference here";
            return;
        }
    uint32_t machine = placement_grid_machine_at(reader, at, n, where);
    if (machine < topology->n_machines)
        placement_append_ranks(reader, assignment, machine, 1, where);
}

bool placement_read_coordinates(struct line_reader *reader, struct assignment *assignment)
{
    if (!placement_grid_need_grid(reader))
        return false;
    while (placement_next_words(reader))
        read_coordinate_line(reader, assignment);
    return placement_finish_ranks(reader, assignment, "write a line '(x,y,z)' for each rank");
}

/* ---- "x y z t" ---- */

/* Places of ranks, to find two ranks at one place. */
struct places {
    uint64_t *items; /* machine << 32 | slot */
    size_t capacity;
};

static void read_map_row(struct line_reader *reader, struct assignment *assignment,
                         struct places *places)
{
    const struct topology *topology = reader->request->topology;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS + 1], n = 0;
    struct slice row = reader->line;
    for (struct slice word = slice_take_word(&reader->line); word.length;
         word = slice_take_word(&reader->line), n++)
        if (n > TOPOLOGY_MAX_DIMENSIONS || parse_count(word, &at[n]) != VALUE_OK) {
            placement_complain(reader, CODE_A003, word, "expected a row of numbers 'x y z t'")->help =
                "a file that begins with a row of numbers has one for each rank";
            return;
        }
    if (!expect_count(reader, row, n, 1))
        return;
    uint32_t machine = placement_grid_machine_at(reader, at, n - 1, row), rank = assignment->n_ranks;
    if (machine == topology->n_machines || !placement_append_ranks(reader, assignment, machine, 1, row))
        return;
    places->items = mem_grow(places->items, &places->capacity, (size_t)rank + 1,
                             sizeof *places->items);
    places->items[rank] = (uint64_t)machine << 32 | at[n - 1];
}

static void placement_grid_check_places(struct line_reader *reader, struct places *places, uint32_t n)
{
    char name[64];
    if (n)
        qsort(places->items, n, sizeof *places->items, compare_uint64);
    for (uint32_t i = 1; i < n && !reader->failed; i++) {
        if (places->items[i] != places->items[i - 1])
            continue;
        topology_node_name(reader->request->topology, (uint32_t)(places->items[i] >> 32), name,
                           sizeof name);
        placement_complain_file(reader, "has two ranks at place %u of machine '%s'",
                                (uint32_t)places->items[i], name)
            ->help = "the last number tells apart the ranks of a machine";
    }
}

bool placement_read_map(struct line_reader *reader, struct assignment *assignment)
{
    struct places places = {0};
    if (!placement_grid_need_grid(reader))
        return false;
    while (placement_next_words(reader))
        read_map_row(reader, assignment, &places);
    if (!reader->failed)
        placement_grid_check_places(reader, &places, assignment->n_ranks);
    free(places.items);
    return placement_finish_ranks(reader, assignment, "write a row 'x y z t' for each rank");
}
