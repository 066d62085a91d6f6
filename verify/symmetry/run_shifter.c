/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_shifter.h.
 */
#include "verify/symmetry/run_shifter.h"

#include "ir/counts.h"
#include "verify/agreement.h"

static struct datum_shape shape_of_data(const struct data *data)
{
    const struct schedule_header *header = data->header;
    const uint64_t segments = header->segments;
    const struct collective_info *info = &collective_table[header->collective];
    if (collective_is_said(header->collective))
        return (struct datum_shape){.has_rank = true, .has_in = true, .per_rank = data->n_in};
    switch (info->numbering) {
    case NUMBERED_PAIRS:
        return (struct datum_shape){
            .has_rank = true, .has_block = true, .per_rank = data->n_in, .per_block = segments};
    case NUMBERED_RANKS:
        if (info->before == HELD_EACH)
            return (struct datum_shape){.has_rank = true, .per_rank = segments};
        return (struct datum_shape){.has_block = true, .per_block = segments};
    case NUMBERED_PLACES:
    case NUMBERED_WHOLE:
    case NUMBERED_NONE:
        break;
    }
    return (struct datum_shape){.is_chunk = true};
}

static uint64_t shift_datum(const struct run_shifter *shifter, uint64_t datum, uint32_t by)
{
    const struct datum_shape *shape = &shifter->shape;
    const struct shifts *shifts = &shifter->symmetry->shifts;
    uint64_t rest = datum, shifted = 0;
    if (shape->is_chunk)
        return symmetry_chunk(shifter->symmetry, BUFFER_BUF, (uint32_t)datum, by);
    if (shape->has_rank) {
        shifted += shifts_add(shifts, (uint32_t)(rest / shape->per_rank), by) * shape->per_rank;
        rest %= shape->per_rank;
    }
    if (shape->has_block) {
        shifted += shifts_add(shifts, (uint32_t)(rest / shape->per_block), by) * shape->per_block;
        rest %= shape->per_block;
    }
    return shifted +
           (shape->has_in ? symmetry_chunk(shifter->symmetry, BUFFER_IN, (uint32_t)rest, by) : rest);
}

/* True if ranks from a to b, `step` / per apart, differ in one coordinate only: then all of them or none go
 * round the end if both ends do or neither does. */
static bool is_line(const struct shifts *shifts, uint32_t a, uint32_t b, int64_t step, uint64_t per)
{
    for (uint32_t i = 0; i < shifts->n; i++) {
        if (shifts_digit(shifts, i, a) == shifts_digit(shifts, i, b))
            continue;
        const int64_t place = (int64_t)(per * shifts->stride[i]);
        const uint32_t back = b - a, digits = shifts_digit(shifts, i, b) - shifts_digit(shifts, i, a);
        return back == digits * shifts->stride[i] && (shifts->stride[i] == 1 || step % place == 0);
    }
    return true;
}

/* True if a shift treats chunks of `buf`, `step` apart, from a to b alike if it does the first and the last:
 * they stay, or are of blocks of one line of a cell, of which all or none go round the end then. */
static bool is_in_line(const struct symmetry *symmetry, uint32_t a, uint32_t b, int64_t step, uint32_t by)
{
    const struct zone *zone = symmetry_zone(symmetry, BUFFER_BUF, a);
    if (symmetry_zone(symmetry, BUFFER_BUF, b) != zone)
        return false;
    if (!zone)
        return symmetry->n_zones[BUFFER_BUF] == 0;
    uint32_t size = zone->block;
    for (uint32_t i = 0; i < zone->n; i++) {
        const uint32_t extent = symmetry->shifts.extent[zone->coordinate[i]];
        const uint64_t line = (uint64_t)size * extent;
        if (shifts_digit(&symmetry->shifts, zone->coordinate[i], by) || step % (int64_t)line == 0) {
            const bool is_one = (a - zone->first) / line == (b - zone->first) / line;
            if (is_one)
                return true;
            if (step % (int64_t)line)
                return false;
        }
        size *= extent;
    }
    return true;
}

/* True if a progression of data remains one after a shift if its ends do. */
static bool has_regular_data(const struct run_shifter *shifter, const struct run *run, uint32_t by)
{
    const struct datum_shape *shape = &shifter->shape;
    const struct shifts *shifts = &shifter->symmetry->shifts;
    const uint64_t last = run_datum(run, run->n - 1);
    const int64_t stride = run->datum_stride;
    if (run->datum_stride == 0 || shifts_turns(shifts, by))
        return run->datum_stride == 0;
    if (shape->is_chunk)
        return is_in_line(shifter->symmetry, (uint32_t)run->datum, (uint32_t)last, stride, by);
    if (!shape->has_rank && !shape->has_block)
        return true;
    if (!shape->has_rank)
        return is_line(shifts, (uint32_t)(run->datum / shape->per_block),
                       (uint32_t)(last / shape->per_block), stride, shape->per_block);
    const uint32_t rank = (uint32_t)(run->datum / shape->per_rank);
    const uint32_t last_rank = (uint32_t)(last / shape->per_rank);
    if (shape->has_in)
        return rank == last_rank && !shifter->symmetry->n_zones[BUFFER_IN];
    if (!shape->has_block)
        return is_line(shifts, rank, last_rank, stride, shape->per_rank);
    if (rank == last_rank)
        return is_line(shifts, (uint32_t)(run->datum % shape->per_rank / shape->per_block),
                       (uint32_t)(last % shape->per_rank / shape->per_block), stride,
                       shape->per_block);
    return stride % (int64_t)shape->per_rank == 0 &&
           is_line(shifts, rank, last_rank, stride, shape->per_rank);
}

#define GENERAL (UINT64_C(1) << 63) /* a set that is no interval (values.h) */

static uint64_t shift_set(struct run_shifter *shifter, uint64_t set, uint32_t by)
{
    const struct shifts *shifts = &shifter->symmetry->shifts;
    const uint32_t length = (uint32_t)(set >> 32);
    const bool is_aligned = shifts->is_xor && set && !(set & GENERAL) && !(length & (length - 1)) &&
                            (uint32_t)set % length == 0;
    if (is_aligned) /* the same bits above, all that there are below */
        return (uint64_t)length << 32 | ((uint32_t)set ^ (by & ~(length - 1)));
    if (!rank_set_shift(&shifter->data->sets, set, shifts, by, &set))
        shifter->is_lost = true;
    return set;
}

static void shifter_append(struct run_list *list, const struct run *run)
{
    if (list->n == list->capacity)
        list->runs = mem_grow(list->runs, &list->capacity, list->n + 1, sizeof *list->runs);
    list->runs[list->n++] = *run;
}

/* True if the sets of a run remain a progression if its ends do. */
static bool has_regular_sets(const struct run_shifter *shifter, const struct run *run, uint32_t by)
{
    if (shifter->data->sets.boxes.n)
        return run->set_stride == 0;
    const struct shifts *shifts = &shifter->symmetry->shifts;
    const uint64_t last = run_set(run, run->n - 1);
    uint32_t slowest = 0;
    for (uint32_t i = 1; i < shifts->n; i++)
        slowest = shifts->stride[i] > shifts->stride[slowest] ? i : slowest;
    return run->set_stride == 0 ||
           (by % shifts->stride[slowest] == 0 && !((run->set | last) & GENERAL) && /* all go round together */
            !shifts_turns(shifts, by));
}

/* Returns an expression of a representative, shifted. */
static uint64_t shift_expression(const struct run_shifter *shifter, uint64_t expression, uint32_t by)
{
    return expression == NO_BRACKETS
               ? NO_BRACKETS
               : brackets_shift(agreement_brackets(shifter->data->agreement), expression, by);
}

/* True if the expressions of a run stay a progression if its ends do: their anchors are on a line. */
static bool has_regular_expressions(const struct run_shifter *shifter, const struct run *run, uint32_t by)
{
    const struct shifts *shifts = &shifter->symmetry->shifts;
    if (run->expr_stride == 0)
        return true;
    const struct brackets *brackets = agreement_brackets(shifter->data->agreement);
    const uint32_t first = brackets_anchor(brackets, run->expr);
    const uint32_t last = brackets_anchor(brackets, run_expr(run, run->n - 1));
    const int64_t stride = (int64_t)brackets_anchor(brackets, run_expr(run, 1)) - first;
    return !shifts_turns(shifts, by) && !shifts->is_xor &&
           (int64_t)last - first == stride * (run->n - 1) && is_line(shifts, first, last, stride, 1);
}

/* Appends what a run becomes by a shift, in pieces that are progressions. */
void run_shifter_append(struct run_shifter *shifter, const struct run *run, uint32_t by,
                        struct run_list *list)
{
    struct run shifted = *run;
    const uint64_t n = run->n - 1;
    if (run_is_poison(run)) {
        shifter_append(list, run);
        return;
    }
    shifted.datum = shift_datum(shifter, run->datum, by);
    shifted.set = shift_set(shifter, run->set, by);
    shifted.expr = shift_expression(shifter, run->expr, by);
    if (!n) {
        shifter_append(list, &shifted);
        return;
    }
    const uint64_t last = shift_datum(shifter, run_datum(run, n), by);
    const uint64_t last_set = shift_set(shifter, run_set(run, n), by);
    const uint64_t last_expr = shift_expression(shifter, run_expr(run, n), by);
    if (has_regular_data(shifter, run, by) && has_regular_sets(shifter, run, by) &&
        has_regular_expressions(shifter, run, by) && last_expr == run_expr(&shifted, n) &&
        last == run_datum(&shifted, n) && last_set == run_set(&shifted, n)) {
        shifter_append(list, &shifted);
        return;
    }
    const uint32_t half = run->n / 2;
    const struct run left = run_cut(run, run->first, half);
    const struct run right = run_cut(run, run->first + half, run->n - half);
    run_shifter_append(shifter, &left, by, list);
    run_shifter_append(shifter, &right, by, list);
}

void run_shifter_init(struct run_shifter *shifter, const struct symmetry *symmetry, struct data *data)
{
    *shifter = (struct run_shifter){symmetry, data, shape_of_data(data), false};
}
