/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shifted_ops.h.
 */
#include "verify/shifted_ops.h"

#include <stdlib.h>
#include <string.h>

/* The chunks from this one on that a shift treats as one: those that stay, or the rest of the cell. */
static uint32_t part_from(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                          const struct zone *zone)
{
    uint32_t end = UINT32_MAX;
    if (zone)
        return zone->cell - (chunk - zone->first) % zone->cell;
    for (uint32_t i = symmetry->n_zones[buffer]; i-- > 0 && symmetry->zones[buffer][i].first > chunk;)
        end = symmetry->zones[buffer][i].first;
    return end - chunk;
}

/* A range within a cell: the smallest blocks of which it is a part, or those of a period, are shifted as
 * one; within it smaller ones must be whole. */
static enum range_kind kind_in_cell(const struct symmetry *symmetry, const struct zone *zone, uint32_t place,
                                    uint32_t n, uint32_t *whole)
{
    uint32_t size = zone->block;
    if (n == zone->cell)
        return RANGE_SAME;
    for (uint32_t i = 0; i < zone->n; i++) {
        const uint64_t together = (uint64_t)size * symmetry->period[zone->coordinate[i]];
        *whole = i;
        if (place % together + n <= together)
            return i == 0 || (place % size == 0 && n % size == 0) ? RANGE_OF_BLOCK : RANGE_TORN;
        size *= symmetry->shifts.extent[zone->coordinate[i]];
    }
    return RANGE_TORN;
}

enum range_kind shifted_range_kind(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                                   uint32_t n, uint32_t *whole)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, chunk);
    *whole = 0;
    if (!n)
        return RANGE_SAME;
    if (zone && (chunk - zone->first) % zone->cell + (uint64_t)n <= zone->cell)
        return kind_in_cell(symmetry, zone, (chunk - zone->first) % zone->cell, n, whole);
    for (uint32_t part; n > 0; chunk += part, n -= part, zone = symmetry_zone(symmetry, buffer, chunk)) {
        part = part_from(symmetry, buffer, chunk, zone);
        if (zone && (part != zone->cell || part > n))
            return RANGE_TORN;
        part = part < n ? part : n;
    }
    return RANGE_SAME;
}

static uint32_t shifted_range(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk, uint32_t n,
                              uint32_t by)
{
    uint32_t whole;
    const bool is_same = shifted_range_kind(symmetry, buffer, chunk, n, &whole) == RANGE_SAME;
    const struct zone *zone = symmetry_zone(symmetry, buffer, chunk);
    return is_same || !zone ? chunk : symmetry_in_zone(symmetry, zone, chunk, by, whole);
}

/* Chunks of a range that a shift takes to their shifted range in one order: the first coordinates of a
 * zone move blocks in it, all of a cell of these; or nothing is moved. */
struct order {
    const struct zone *zone; /* NULL: nothing is moved */
    uint32_t n;              /* coordinates */
    uint32_t n_chunks;       /* of a cell of them; or in which nothing is moved */
};

static struct order order_from(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                               enum range_kind kind, uint32_t whole)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, chunk);
    struct order order = {NULL, 0, UINT32_MAX};
    if (kind == RANGE_SAME)
        order = (struct order){zone, zone ? zone->n : 0, part_from(symmetry, buffer, chunk, zone)};
    else if (whole)
        order = (struct order){zone, whole, zone->block};
    for (uint32_t i = 0; kind == RANGE_OF_BLOCK && i < whole; i++)
        order.n_chunks *= symmetry->shifts.extent[zone->coordinate[i]];
    return order;
}

static bool is_same_order(const struct order *a, const struct order *b)
{
    if (!a->zone || !b->zone)
        return a->zone == b->zone;
    return a->n_chunks == b->n_chunks && a->n == b->n && a->zone->block == b->zone->block &&
           memcmp(a->zone->coordinate, b->zone->coordinate, a->n * sizeof *a->zone->coordinate) == 0;
}

bool shifted_is_alike(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk, uint8_t to_buffer,
                      uint32_t to_chunk, uint32_t n)
{
    uint32_t whole, to_whole;
    const enum range_kind from = shifted_range_kind(symmetry, buffer, chunk, n, &whole);
    const enum range_kind to = shifted_range_kind(symmetry, to_buffer, to_chunk, n, &to_whole);
    if (from == RANGE_TORN || to == RANGE_TORN)
        return false;
    for (uint32_t part; n > 0; chunk += part, to_chunk += part, n -= part) {
        const struct order a = order_from(symmetry, buffer, chunk, from, whole);
        const struct order b = order_from(symmetry, to_buffer, to_chunk, to, to_whole);
        if (!is_same_order(&a, &b))
            return false;
        part = a.n_chunks < b.n_chunks ? a.n_chunks : b.n_chunks;
        part = part < n ? part : n;
    }
    return true;
}

bool shifted_keeps_order(const struct symmetry *symmetry, const struct op *op, uint32_t by)
{
    uint32_t whole, chunk = op->chunk, n = op->n_chunks;
    const enum range_kind kind = shifted_range_kind(symmetry, op->buffer, chunk, n, &whole);
    if (kind == RANGE_TORN)
        return false;
    for (uint32_t part; n > 0; chunk += part, n -= part) {
        const struct order order = order_from(symmetry, op->buffer, chunk, kind, whole);
        for (uint32_t i = 0; i < order.n; i++)
            if (shifts_digit(&symmetry->shifts, order.zone->coordinate[i], by))
                return false;
        part = kind == RANGE_OF_BLOCK || order.n_chunks > n ? n : order.n_chunks;
    }
    return true;
}

/* What an operation becomes by a shift of the group. */
static struct op shifted_op(const struct symmetry *symmetry, const struct op *own, uint32_t by)
{
    struct op op = *own;
    op.rank = shifts_add(&symmetry->shifts, own->rank, by);
    op.chunk = shifted_range(symmetry, own->buffer, own->chunk, own->n_chunks, by);
    if (op_is_local(own))
        op.to_chunk = shifted_range(symmetry, own->to_buffer, own->to_chunk, own->n_chunks, by);
    else
        op.peer = shifts_add(&symmetry->shifts, own->peer, by);
    return op;
}

/* Whether `op` is what the operation of its representative becomes by a shift. */
static bool is_shifted_op(const struct symmetry *symmetry, const struct op *own, const struct op *op,
                          uint32_t by)
{
    const struct op shifted = shifted_op(symmetry, own, by);
    const bool is_local = op_is_local(own);
    return op->kind == own->kind && op->buffer == own->buffer && op->n_chunks == own->n_chunks &&
           op->network == own->network && op->line == own->line && op->rank == shifted.rank &&
           (!own->n_chunks || op->chunk == shifted.chunk) &&
           (is_local ? op->to_buffer == own->to_buffer && (!own->n_chunks || op->to_chunk == shifted.to_chunk)
                     : op->peer == shifted.peer);
}

/* The loop that has its rounds turned and the line of an operation; NULL: there is none. */
static const struct turned_loop *turned_loop(const struct symmetry *symmetry, const struct op *op)
{
    for (uint32_t i = 0; i < symmetry->n_turned; i++)
        if (op_is_local(op) && symmetry->turned[i].line <= op->line && op->line <= symmetry->turned[i].end)
            return &symmetry->turned[i];
    return NULL;
}

/* Which of the witnesses of its orbit a rank is; n_by: none. */
static uint32_t witness_of(const struct symmetry *symmetry, uint32_t rank)
{
    const uint32_t by = symmetry_shift_to(symmetry, rank);
    uint32_t witness = 0;
    while (witness < symmetry->n_by && symmetry->by[witness] != by)
        witness++;
    return witness;
}

/* The operations of one witness of each orbit, orbit by orbit; begin[orbit] is where they begin, with one
 * more for the end. */
static void gather(const struct symmetry *symmetry, const struct op *ops, size_t n, uint32_t witness,
                   struct op *own, size_t *begin)
{
    memset(begin, 0, (symmetry->n_orbits + 1) * sizeof *begin);
    for (size_t i = 0; i < n; i++)
        if (witness_of(symmetry, ops[i].rank) == witness)
            begin[symmetry_orbit(symmetry, ops[i].rank) + 1]++;
    for (uint32_t orbit = 0; orbit < symmetry->n_orbits; orbit++)
        begin[orbit + 1] += begin[orbit];
    for (size_t i = 0; i < n; i++)
        if (witness_of(symmetry, ops[i].rank) == witness)
            own[begin[symmetry_orbit(symmetry, ops[i].rank)]++] = ops[i];
    memmove(begin + 1, begin, symmetry->n_orbits * sizeof *begin);
    begin[0] = 0;
}

/* Whether the witnesses do what the representatives of their orbits do, shifted, in that order. */
static bool is_as_witnessed(const struct symmetry *symmetry, const struct op *ops, size_t n,
                            const struct op *own, const size_t *begin)
{
    enum { FEW = 16 };
    const size_t n_witnesses = (size_t)symmetry->n_orbits * symmetry->n_by;
    size_t n_seen = 0, few[FEW] = {0}, *seen = few;
    if (n_witnesses > FEW)
        seen = mem_alloc(n_witnesses, sizeof *seen);
    bool is_same = true;
    for (size_t i = 0; is_same && i < n; i++) {
        const uint32_t orbit = symmetry_orbit(symmetry, ops[i].rank);
        const uint32_t witness = witness_of(symmetry, ops[i].rank);
        is_same = witness < symmetry->n_by;
        const size_t at = is_same ? begin[orbit] + seen[orbit * symmetry->n_by + witness]++ : 0;
        is_same = is_same && at < begin[orbit + 1] &&
                  (!witness || turned_loop(symmetry, &own[at]) ||
                   is_shifted_op(symmetry, &own[at], &ops[i], symmetry->by[witness]));
        n_seen++;
    }
    if (seen != few)
        free(seen);
    return is_same && n_seen == begin[symmetry->n_orbits] * symmetry->n_by;
}

/* ---- loops whose rounds are turned ---- */

static int compare_ops(const void *a, const void *b)
{
    const struct op *x = a, *y = b;
    const uint32_t keys[][2] = {{x->line, y->line},         {x->kind, y->kind},
                                {x->buffer, y->buffer},     {x->to_buffer, y->to_buffer},
                                {x->to_chunk, y->to_chunk}, {x->chunk, y->chunk},
                                {x->n_chunks, y->n_chunks}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static int compare_written(const void *a, const void *b)
{
    const struct op *x = a, *y = b;
    if (x->to_buffer != y->to_buffer)
        return x->to_buffer < y->to_buffer ? -1 : 1;
    return (x->to_chunk > y->to_chunk) - (x->to_chunk < y->to_chunk);
}

/* Whether copies may be done in any order: what one writes no other reads or writes, `in` and `out` being
 * perhaps the same in place. Reorders them. O(n log n) */
static bool are_independent(struct op *copies, size_t n)
{
    bool are = true, reads_in = false, writes_out = false;
    for (size_t i = 0; i < n; i++) {
        reads_in = reads_in || copies[i].buffer == BUFFER_IN;
        writes_out = writes_out || copies[i].to_buffer == BUFFER_OUT;
    }
    if (reads_in && writes_out)
        return false;
    qsort(copies, n, sizeof *copies, compare_written);
    for (size_t i = 1; are && i < n; i++)
        are = copies[i].to_buffer != copies[i - 1].to_buffer ||
              (uint64_t)copies[i - 1].to_chunk + copies[i - 1].n_chunks <= copies[i].to_chunk;
    for (size_t i = 0; are && i < n; i++) {
        size_t low = 0, high = n; /* the last that writes below the end of what this one reads */
        const uint64_t end = (uint64_t)copies[i].chunk + copies[i].n_chunks;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            const struct op *other = &copies[middle];
            const bool is_below = other->to_buffer < copies[i].buffer ||
                                  (other->to_buffer == copies[i].buffer && other->to_chunk < end);
            low = is_below ? middle + 1 : low;
            high = is_below ? high : middle;
        }
        are = !low || copies[low - 1].to_buffer != copies[i].buffer ||
              (uint64_t)copies[low - 1].to_chunk + copies[low - 1].n_chunks <= copies[i].chunk;
    }
    return are;
}

/* The copies of a witness, and those of its representative: equal after the shift, but for the order of
 * those of a turned loop, which must not matter. */
static bool are_turned(const struct symmetry *symmetry, const struct op *own, const struct op *theirs,
                       size_t n, uint32_t witness)
{
    struct op *shifted = mem_alloc(2 * n + 1, sizeof *shifted), *others = shifted + n;
    bool are = true;
    for (size_t i = 0, end; are && i < n; i = end) {
        const struct turned_loop *loop = turned_loop(symmetry, &own[i]);
        for (end = i; end < n && turned_loop(symmetry, &own[end]) == loop; end++) {
            shifted[end] = shifted_op(symmetry, &own[end], symmetry->by[witness]);
            others[end] = theirs[end];
        }
        if (!loop)
            continue;
        qsort(shifted + i, end - i, sizeof *shifted, compare_ops);
        qsort(others + i, end - i, sizeof *others, compare_ops);
        for (size_t k = i; are && k < end; k++)
            are = compare_ops(&shifted[k], &others[k]) == 0;
        are = are && (witness > 1 || are_independent(shifted + i, end - i)); /* of all or none */
    }
    free(shifted);
    return are;
}

/* Copies in loops over all of a coordinate, or all points. From rank to rank the text moves what each line
 * copies by some coordinates, all rounds by the same; so if the rounds of some witnesses are those of the
 * representative, shifted, and their shifts generate the group, so are those of any rank. */
static bool are_all_turned(const struct symmetry *symmetry, const struct op *copies, size_t n,
                           const struct op *own, const size_t *begin)
{
    if (!symmetry->n_turned || !n)
        return true;
    bool are = true;
    struct op *theirs = mem_alloc(n, sizeof *theirs);
    size_t *begin_theirs = mem_alloc(symmetry->n_orbits + 1, sizeof *begin_theirs);
    for (uint32_t witness = 1; are && witness < symmetry->n_by; witness++) {
        gather(symmetry, copies, n, witness, theirs, begin_theirs);
        for (uint32_t orbit = 0; are && orbit < symmetry->n_orbits; orbit++)
            are = are_turned(symmetry, own + begin[orbit], theirs + begin[orbit],
                             begin[orbit + 1] - begin[orbit], witness);
    }
    free(theirs);
    free(begin_theirs);
    return are;
}

/* The same of one orbit, whose ranks are the shifts that take rank 0 there. */
static bool take_of_one_orbit(const struct symmetry *symmetry, const struct op *ops, size_t n, struct op *own,
                              size_t *begin)
{
    size_t seen[WITNESSES_MAX] = {0}, n_own = 0;
    bool is_same = true;
    for (size_t i = 0; i < n; i++)
        if (ops[i].rank == 0)
            own[n_own++] = ops[i];
    for (size_t i = 0; is_same && i < n; i++) {
        uint32_t witness = 0;
        while (witness < symmetry->n_by && symmetry->by[witness] != ops[i].rank)
            witness++;
        is_same = witness < symmetry->n_by && seen[witness] < n_own;
        const struct op *like = &own[is_same ? seen[witness]++ : 0];
        is_same = is_same && (!witness || turned_loop(symmetry, like) ||
                              is_shifted_op(symmetry, like, &ops[i], ops[i].rank));
    }
    begin[0] = 0;
    begin[1] = n_own;
    return is_same && n == n_own * symmetry->n_by;
}

bool shifted_take(const struct symmetry *symmetry, const struct op *ops, size_t n, struct op *own,
                  size_t *begin)
{
    if (symmetry->n_orbits == 1)
        return take_of_one_orbit(symmetry, ops, n, own, begin) &&
               are_all_turned(symmetry, ops, n, own, begin);
    gather(symmetry, ops, n, 0, own, begin);
    return is_as_witnessed(symmetry, ops, n, own, begin) && are_all_turned(symmetry, ops, n, own, begin);
}

bool shifted_is_whole(const struct symmetry *symmetry, const struct op *op)
{
    uint32_t whole;
    if (op_is_local(op))
        return shifted_is_alike(symmetry, op->buffer, op->chunk, op->to_buffer, op->to_chunk, op->n_chunks);
    return shifted_range_kind(symmetry, op->buffer, op->chunk, op->n_chunks, &whole) != RANGE_TORN;
}
