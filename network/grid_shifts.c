/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads that messages of one offset, one from each machine, put on the links of a grid. See grid_shifts.h.
 *
 * Dimension order, and which way round, depend on the offset alone, on what is carried where a digit goes
 * over several dimensions, and, without wrap-around and by xor, on the place in the line. By mirrored shifts
 * they depend on the parity of each place besides.
 */
#include "network/grid_shifts.h"

#include "network/grid.h"

enum { MAX_LINE = 1024 }; /* machines along a dimension whose links are not all alike */

/* True if messages of one offset load the links along a dimension differently. */
static bool is_uneven(const struct grid *grid, const struct machine_shifts *shifts, uint32_t dimension)
{
    return grid->extent[dimension].value > 1 && (shifts->is_xor || !grid->wraps[dimension]);
}

/* The digits of the shifts on the dimensions: each goes over one dimension or several in a row, and
 * begins at the first of these; bits, over a part of one. False: they do not go together. */
static bool lay_digits(const struct grid *grid, const struct machine_shifts *shifts, bool *begins)
{
    uint32_t dimension = 0;
    for (uint32_t i = 0; !shifts->is_xor && i < shifts->n; i++) {
        uint64_t product = 1;
        for (uint32_t k = 0; product < shifts->extent[i] && dimension < grid->n_dimensions; k++) {
            begins[dimension] = k == 0;
            product *= grid->extent[dimension++].value;
        }
        if (product != shifts->extent[i])
            return false;
    }
    for (; dimension < grid->n_dimensions; dimension++) {
        const uint32_t extent = grid->extent[dimension].value;
        begins[dimension] = true;
        if (extent != 1 && !(shifts->is_xor && !(extent & (extent - 1))))
            return false;
    }
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        if (is_uneven(grid, shifts, i) && grid->extent[i].value > MAX_LINE)
            return false;
    return true;
}

/* Mirrored shifts have a digit for each dimension that has several places, and wraps. */
static bool are_mirrored(const struct grid *grid, const struct machine_shifts *shifts)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        const uint32_t extent = grid->extent[i].value;
        if (extent == 1)
            continue;
        if (n == shifts->n || shifts->extent[n] != extent || extent % 2 || !grid->wraps[i])
            return false;
        n++;
    }
    return n == shifts->n;
}

bool grid_has_shifts(const struct topology *topology, const struct machine_shifts *shifts, bool *is_free)
{
    bool begins[TOPOLOGY_MAX_DIMENSIONS];
    *is_free = false;
    return shifts->is_mirrored ? are_mirrored(topology->self, shifts)
                               : lay_digits(topology->self, shifts, begins);
}

/* Messages on the links of a line, of both signs; and, for a link with one message, its place of origin in
 * the line. */
struct line {
    uint32_t n[2][MAX_LINE + 1], from[2][MAX_LINE + 1];
};

/* Adds to `length` places in a row, cyclic, as differences. */
static void add_in_row(uint32_t *more, uint32_t extent, uint32_t first, uint32_t length, uint32_t number)
{
    const uint32_t end = first + length;
    more[first] += number;
    more[end < extent ? end : extent] -= number;
    if (end > extent) {
        more[0] += number;
        more[end - extent] -= number;
    }
}

/* Adds one message from each machine of a line to the one `digit` away. */
static void load_line(const struct grid *grid, uint32_t dimension, uint32_t digit, bool is_xor,
                      struct line *line)
{
    struct grid_leg leg = {.dimension = dimension, .extent = grid->extent[dimension].value};
    for (uint32_t sign = 0; sign < 2; sign++)
        for (uint32_t at = 0; at <= leg.extent; at++)
            line->n[sign][at] = line->from[sign][at] = 0;
    for (; digit && leg.from < leg.extent; leg.from++) {
        grid_leg_plan(&leg, is_xor ? leg.from ^ digit : (leg.from + digit) % leg.extent,
                      grid->wraps[dimension]);
        const uint32_t lowest = leg.from + leg.extent + 1 - leg.length; /* of those that are left by - */
        const uint32_t first = leg.sign == GRID_PLUS ? leg.from : lowest % leg.extent;
        add_in_row(line->n[leg.sign], leg.extent, first, leg.length, 1);
        add_in_row(line->from[leg.sign], leg.extent, first, leg.length, leg.from);
    }
    for (uint32_t sign = 0; sign < 2; sign++)
        for (uint32_t at = 1; at < leg.extent; at++) {
            line->n[sign][at] += line->n[sign][at - 1];
            line->from[sign][at] += line->from[sign][at - 1];
        }
}

/* Place at which messages enter a dimension: that of their target among the `turns` places of the lower
 * dimensions of the digit. Where it is below that of the offset, `carried`, one was carried. */
struct entry {
    uint32_t dimension, turns, carried, digit, stride, start;
};

/* Along a line whose links are not alike. The position of a link is its place in the line, then that of the
 * entry. */
static uint32_t uneven_hops(const struct grid *grid, bool is_xor, const struct entry *entry,
                            struct class_hops *hops)
{
    const uint32_t extent = grid->extent[entry->dimension].value, n_lines = entry->carried ? 2 : 1;
    struct line line[2];
    uint32_t n = 0;
    load_line(grid, entry->dimension, entry->digit, is_xor, &line[0]);
    load_line(grid, entry->dimension, (entry->digit + n_lines - 1) % extent, is_xor, &line[n_lines - 1]);
    for (uint32_t sign = 0; sign < 2; sign++)
        for (uint32_t place = 0; place < extent; place++)
            for (uint32_t carry = n_lines; carry-- > 0;) {
                const uint32_t first = place * entry->turns, count = line[carry].n[sign][place];
                if (count)
                    hops[n++] = (struct class_hops){
                        2 * entry->dimension + sign, first + (carry ? 0 : entry->carried),
                        first + (carry ? entry->carried : entry->turns), count,
                        entry->start + line[carry].from[sign][place] * entry->stride};
            }
    return n;
}

/* Along lines with wrap-around: all of their links are alike. */
static uint32_t even_hops(const struct grid *grid, const struct entry *entry, struct class_hops *hops)
{
    struct grid_leg leg = {.dimension = entry->dimension, .extent = grid->extent[entry->dimension].value};
    uint32_t n = 0;
    for (uint32_t carry = entry->carried ? 2 : 1; carry-- > 0;) {
        const uint32_t to = entry->digit + carry < leg.extent ? entry->digit + carry : 0;
        if (!to)
            continue;
        grid_leg_plan(&leg, to, true);
        hops[n++] = (struct class_hops){2 * leg.dimension + leg.sign, carry ? 0 : entry->carried,
                                        carry ? entry->carried : entry->turns, leg.length, entry->start};
    }
    return n;
}

/* Writes the hops of mirrored shifts. A message goes forward from an even place and back from an odd one, as
 * far as the digit says. So it enters a link from every other place, and the position of a link is the parity
 * of its place in its line: of the other places each parity has as many messages, which come as far. */
static uint32_t mirrored_hops(const struct grid *grid, uint32_t offset, struct class_hops *hops)
{
    uint32_t n = 0, stride = 1;
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        const uint32_t extent = grid->extent[i].value, digit = offset / stride % extent;
        for (uint32_t parity = 0; parity < 2 && digit; parity++) {
            struct grid_leg leg = {.dimension = i, .extent = extent};
            grid_leg_plan(&leg, parity ? extent - digit : digit, true);
            for (uint32_t k = 0; k < 2 && k < leg.length; k++) {
                const uint32_t position = parity ^ k;
                hops[n++] = (struct class_hops){2 * i + leg.sign, position, position + 1,
                                                (leg.length + 1 - k) / 2, offset % stride + k * stride};
            }
        }
        stride *= extent;
    }
    return n;
}

uint32_t grid_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                         uint32_t offset, struct class_hops *hops)
{
    const struct grid *grid = topology->self;
    bool begins[TOPOLOGY_MAX_DIMENSIONS];
    struct entry entry = {.turns = 1, .stride = 1};
    uint32_t n = 0;
    if (shifts->is_mirrored)
        return mirrored_hops(grid, offset, hops);
    lay_digits(grid, shifts, begins);
    for (; entry.dimension < grid->n_dimensions; entry.dimension++) {
        const uint32_t extent = grid->extent[entry.dimension].value;
        entry.turns = begins[entry.dimension] ? 1 : entry.turns;
        entry.digit = offset / entry.stride % extent;
        entry.carried = entry.turns == 1 ? 0 : offset / (entry.stride / entry.turns) % entry.turns;
        entry.start = offset % entry.stride;
        n += is_uneven(grid, shifts, entry.dimension) ? uneven_hops(grid, shifts->is_xor, &entry, hops + n)
                                                      : even_hops(grid, &entry, hops + n);
        entry.stride *= extent;
        entry.turns *= extent;
    }
    return n;
}

/* The longest way from a place of a line to that which a shift takes it to, if the shift has a bit for each
 * digit of places, or mirrors them. */
static uint32_t longest_leg(const struct grid *grid, const struct machine_shifts *shifts, uint32_t dimension,
                            uint32_t digit)
{
    struct grid_leg leg = {.dimension = dimension, .extent = grid->extent[dimension].value};
    uint32_t longest = 0;
    for (; digit && leg.from < (shifts->is_xor ? leg.extent : 1); leg.from++) {
        grid_leg_plan(&leg, leg.from ^ digit, grid->wraps[dimension]);
        longest = leg.length > longest ? leg.length : longest;
    }
    return longest;
}

/* The longest ways so far of messages of which one is carried to the next dimension, or none. */
struct carried {
    bool is_any;
    uint64_t latency;
};

static void raise_carried(struct carried *carried, uint64_t latency)
{
    carried->latency = carried->is_any && carried->latency > latency ? carried->latency : latency;
    carried->is_any = true;
}

/* Goes on by so many places in a dimension: how long that takes depends on whether it goes round the end. */
static void grid_shifts_go_on(const struct grid *grid, const struct link_class *links, uint32_t dimension,
                              uint32_t places, uint64_t latency, struct carried after[2])
{
    struct grid_leg leg = {.dimension = dimension, .extent = grid->extent[dimension].value};
    if (places % leg.extent == 0) {
        raise_carried(&after[places > 0], latency);
        return;
    }
    grid_leg_plan(&leg, places, grid->wraps[dimension]);
    raise_carried(&after[0], latency + leg.length * links->latency);
    leg.from = leg.extent - 1;
    grid_leg_plan(&leg, places - 1, grid->wraps[dimension]);
    raise_carried(&after[1], latency + leg.length * links->latency);
}

uint64_t grid_offset_latency(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t offset)
{
    const struct grid *grid = topology->self;
    const bool is_apart = shifts->is_xor || shifts->is_mirrored; /* nothing is carried */
    bool begins[TOPOLOGY_MAX_DIMENSIONS] = {false};
    struct carried longest[2] = {{true, 0}, {false, 0}};
    if (!is_apart)
        lay_digits(grid, shifts, begins);
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        const struct link_class links = topology_links_of(topology, 2 * i);
        const uint32_t extent = grid->extent[i].value, digit = offset % extent;
        struct carried after[2] = {{false, 0}, {false, 0}};
        offset /= extent;
        if (begins[i] && longest[1].is_any) {
            raise_carried(&longest[0], longest[1].latency);
            longest[1].is_any = false;
        }
        if (is_apart)
            raise_carried(&after[0],
                          longest[0].latency + longest_leg(grid, shifts, i, digit) * links.latency);
        for (uint32_t carry = 0; carry < 2 && !is_apart; carry++)
            if (longest[carry].is_any)
                grid_shifts_go_on(grid, &links, i, digit + carry, longest[carry].latency, after);
        longest[0] = after[0];
        longest[1] = after[1];
    }
    raise_carried(&longest[0], longest[1].is_any ? longest[1].latency : 0);
    return longest[0].latency;
}

/* Returns the turns of the entries of a dimension (struct entry). */
static uint32_t turns_of(const struct grid *grid, const struct machine_shifts *shifts, uint32_t dimension)
{
    bool begins[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t turns = 1;
    lay_digits(grid, shifts, begins);
    for (uint32_t i = 0; i <= dimension; i++) {
        turns = begins[i] ? 1 : turns;
        if (i < dimension)
            turns *= grid->extent[i].value;
    }
    return turns;
}

uint32_t grid_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                          uint32_t class)
{
    const struct grid *grid = topology->self;
    if (shifts->is_mirrored)
        return grid->extent[class / 2].value > 1 ? 2 : 1;
    const uint32_t turns = turns_of(grid, shifts, class / 2);
    return is_uneven(grid, shifts, class / 2) ? turns * grid->extent[class / 2].value : turns;
}

uint32_t grid_links_at(const struct topology *topology, const struct machine_shifts *shifts, uint32_t class)
{
    return topology->n_machines / grid_n_positions(topology, shifts, class);
}

uint32_t grid_link_class(const struct topology *topology, const struct machine_shifts *shifts, uint32_t link,
                         uint32_t *position)
{
    const struct grid *grid = topology->self;
    const uint32_t class = link % (2 * grid->n_dimensions), node = link / (2 * grid->n_dimensions);
    uint32_t stride = 1;
    for (uint32_t i = 0; i < class / 2; i++)
        stride *= grid->extent[i].value;
    const uint32_t place = node / stride % grid->extent[class / 2].value;
    if (shifts->is_mirrored) {
        *position = place % 2;
        return class;
    }
    const uint32_t turns = turns_of(grid, shifts, class / 2);
    *position = node % stride / (stride / turns);
    if (is_uneven(grid, shifts, class / 2))
        *position += turns * place;
    return class;
}

uint32_t grid_max_class_hops(const struct topology *topology)
{
    const struct grid *grid = topology->self;
    uint32_t n = 0;
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        n += 4 * (grid->extent[i].value < MAX_LINE ? grid->extent[i].value : MAX_LINE);
    return n;
}

uint32_t grid_n_classes(const struct topology *topology)
{
    return 2 * ((const struct grid *)topology->self)->n_dimensions;
}
