/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See planes.h.
 */
#include "ir/planes.h"

#include "ir/shifted_ops.h"

#include <stdlib.h>
#include <string.h>

void planes_init(struct planes *planes, const struct symmetry *symmetry)
{
    *planes = (struct planes){.symmetry = symmetry};
    if (!symmetry->n_areas)
        return;
    for (uint32_t i = 0; i < symmetry->n_labels; i++)
        if (symmetry->labels[i].line >= planes->n_lines)
            planes->n_lines = symmetry->labels[i].line + 1;
    planes->of_line = mem_alloc(planes->n_lines, ZONES_MAX);
    for (uint32_t i = 0; i < symmetry->n_labels; i++)
        planes->of_line[symmetry->labels[i].line * ZONES_MAX + symmetry->labels[i].area] =
            (uint8_t)(symmetry->labels[i].plane + 1);
    planes->named = mem_alloc(symmetry->n_orbits, ZONES_MAX);
    planes->used = mem_alloc(symmetry->n_orbits, ZONES_MAX);
}

void planes_free(struct planes *planes)
{
    free(planes->of_line);
    free(planes->named);
    free(planes->used);
}

/* Range that an operation that is being named reads or writes. */
struct side {
    uint32_t orbit, line, chunk, n;
    bool is_written;
    const struct op *from; /* what is copied there, named; NULL: it is no copy */
};

/* A range that is the same on all ranks: in the plane that was written last if it is of whole cells there;
 * a copy of cells of another zone, in a plane in which they are cells; else in the plane without zones. */
static uint32_t plane_of_same(const struct planes *planes, const struct side *side, uint32_t area)
{
    const struct symmetry *symmetry = planes->symmetry;
    const uint32_t bare = symmetry->areas[area].n_planes - 1;
    const uint32_t last = planes->named[side->orbit * ZONES_MAX + area];
    for (uint32_t i = 0; i <= bare; i++) {
        const uint32_t plane = i == 0 ? last : i - 1, chunk = side->chunk + plane * symmetry->plane;
        const bool may_be = i == 0 || side->from;
        uint32_t whole;
        if (may_be && shifted_range_kind(symmetry, BUFFER_TMP, chunk, side->n, &whole) == RANGE_SAME &&
            (!side->from || shifted_is_alike(symmetry, side->from->buffer, side->from->chunk, BUFFER_TMP,
                                             chunk, side->n)))
            return plane;
    }
    return bare;
}

/* Chooses the plane of one side; false: it is not that which was used before. */
static bool name_side(struct planes *planes, const struct side *side, uint32_t *chunk)
{
    const struct symmetry *symmetry = planes->symmetry;
    const uint64_t end = (uint64_t)side->chunk + side->n;
    const uint32_t at = symmetry_area(symmetry, side->chunk);
    uint32_t plane = 0; /* of what goes over several areas, or farther */
    if (at < symmetry->n_areas && end <= symmetry->areas[at].end) {
        const uint8_t label =
            side->line < planes->n_lines ? planes->of_line[side->line * ZONES_MAX + at] : 0;
        plane = label ? label - 1u : plane_of_same(planes, side, at);
    }
    bool is_one = true;
    for (uint32_t i = 0; i < symmetry->n_areas; i++) {
        const struct area *area = &symmetry->areas[i];
        uint8_t *used = &planes->used[side->orbit * ZONES_MAX + i];
        uint8_t *named = &planes->named[side->orbit * ZONES_MAX + i];
        if (end <= area->first || area->end <= side->chunk)
            continue;
        is_one = is_one && (!*used || *used == plane + 1) &&
                 (i == at && end <= area->end ? true : *named == 0);
        *used = (uint8_t)(plane + 1);
        *named = side->is_written ? (uint8_t)plane : *named;
    }
    *chunk = side->chunk + plane * symmetry->plane;
    return is_one;
}

/* Gives the message a set of its own, in which each range is in its plane: ranks may share the one it has. */
static bool name_set(struct planes *planes, uint32_t orbit, bool is_written, struct op *op)
{
    const struct schedule_header *header = &planes->symmetry->schedule->header;
    const size_t first = header->sets->n;
    bool is_one = true;
    chunk_sets_reserve(header->sets, op->n_chunks);
    for (struct op_ranges ranges = op_ranges(header, op); is_one && op_ranges_next(&ranges);) {
        const struct side side = {orbit, op->line, ranges.chunk, ranges.n, is_written, NULL};
        uint32_t chunk = ranges.chunk;
        is_one = name_side(planes, &side, &chunk);
        chunk_sets_append(header->sets, first, chunk, ranges.n);
    }
    return chunk_sets_end(header->sets, first, op) && is_one;
}

static bool name_message(struct planes *planes, uint32_t orbit, bool is_written, struct op *op)
{
    const struct side side = {orbit, op->line, op->chunk, op->n_chunks, is_written, NULL};
    if (!op->n_chunks || op->buffer != BUFFER_TMP)
        return true;
    return op->is_set ? name_set(planes, orbit, is_written, op) : name_side(planes, &side, &op->chunk);
}

static bool name_copy(struct planes *planes, uint32_t orbit, struct op *copy)
{
    const struct side from = {orbit, copy->line, copy->chunk, copy->n_chunks, false, NULL};
    const struct side to = {orbit, copy->line, copy->to_chunk, copy->n_chunks, true, copy};
    return (copy->buffer != BUFFER_TMP || name_side(planes, &from, &copy->chunk)) &&
           (copy->to_buffer != BUFFER_TMP || name_side(planes, &to, &copy->to_chunk));
}

bool planes_name_copies(struct planes *planes, struct op *copies, const size_t *begin)
{
    const struct symmetry *symmetry = planes->symmetry;
    bool is_one = true;
    for (uint32_t orbit = 0; symmetry->n_areas && orbit < symmetry->n_orbits; orbit++) {
        const struct rotated_loop *last = NULL;
        for (size_t i = begin[orbit]; is_one && i < begin[orbit + 1]; i++) {
            const struct rotated_loop *loop = shifted_rotated_loop(symmetry, &copies[i]);
            if (!loop || loop != last)
                memset(planes->used + orbit * ZONES_MAX, 0, ZONES_MAX);
            last = loop;
            is_one = !copies[i].n_chunks || name_copy(planes, orbit, &copies[i]);
        }
    }
    return is_one;
}

bool planes_name_messages(struct planes *planes, struct op *sends, const size_t *sends_begin,
                           struct op *receives, const size_t *receives_begin)
{
    const struct symmetry *symmetry = planes->symmetry;
    bool is_one = true;
    for (uint32_t orbit = 0; symmetry->n_areas && orbit < symmetry->n_orbits; orbit++) {
        memset(planes->used + orbit * ZONES_MAX, 0, ZONES_MAX);
        for (int k = 0; k < 2; k++) {
            struct op *ops = k ? receives : sends;
            const size_t *begin = k ? receives_begin : sends_begin;
            for (size_t i = begin[orbit]; is_one && i < begin[orbit + 1]; i++)
                is_one = name_message(planes, orbit, k, &ops[i]);
        }
    }
    return is_one;
}
