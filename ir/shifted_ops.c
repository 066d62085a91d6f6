/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shifted_ops.h.
 */
#include "ir/shifted_ops.h"

#include <string.h>

/* Returns the chunks from this one on that a shift treats as one: those that stay, or the rest of the
 * cell. */
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

/* `zone` is that of the first chunk. */
static enum range_kind kind_of_range(const struct symmetry *symmetry, uint8_t buffer, const struct zone *zone,
                                     uint32_t chunk, uint32_t n, uint32_t *whole)
{
    *whole = 0;
    if (n <= 1)
        return n && zone && zone->cell > 1 ? RANGE_OF_BLOCK : RANGE_SAME;
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

enum range_kind shifted_range_kind(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                                   uint32_t n, uint32_t *whole)
{
    return kind_of_range(symmetry, buffer, symmetry_zone(symmetry, buffer, chunk), chunk, n, whole);
}

static uint32_t shifted_range(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk, uint32_t n,
                              const struct shifts_digits *by)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, chunk);
    uint32_t whole;
    const bool is_same = kind_of_range(symmetry, buffer, zone, chunk, n, &whole) == RANGE_SAME;
    return is_same || !zone ? chunk : symmetry_in_zone(symmetry, zone, chunk, by, whole);
}

/* Chunks of a range that a shift takes to their shifted range in one order: the first coordinates of a
 * zone move blocks in it, all of a cell of these; or nothing is moved. */
struct order {
    const struct zone *zone; /* NULL: nothing is moved */
    uint32_t n;              /* coordinates */
    uint32_t n_chunks;       /* of a cell of them; or in which nothing is moved */
};

static struct order shifted_ops_order_from(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
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
    if (n <= 1)
        return true;
    const enum range_kind from = shifted_range_kind(symmetry, buffer, chunk, n, &whole);
    const enum range_kind to = shifted_range_kind(symmetry, to_buffer, to_chunk, n, &to_whole);
    if (from == RANGE_TORN || to == RANGE_TORN)
        return false;
    for (uint32_t part; n > 0; chunk += part, to_chunk += part, n -= part) {
        const struct order a = shifted_ops_order_from(symmetry, buffer, chunk, from, whole);
        const struct order b = shifted_ops_order_from(symmetry, to_buffer, to_chunk, to, to_whole);
        if (!is_same_order(&a, &b))
            return false;
        part = a.n_chunks < b.n_chunks ? a.n_chunks : b.n_chunks;
        part = part < n ? part : n;
    }
    return true;
}

static bool shifted_ops_is_set(const struct op *op)
{
    return !op_is_local(op) && op->is_set;
}

bool shifted_keeps_order(const struct symmetry *symmetry, const struct op *op, uint32_t by)
{
    uint32_t whole, chunk = op->chunk, n = op->n_chunks;
    if (n <= 1 || shifted_ops_is_set(op))
        return true;
    const enum range_kind kind = shifted_range_kind(symmetry, op->buffer, chunk, n, &whole);
    if (kind == RANGE_TORN)
        return false;
    for (uint32_t part; n > 0; chunk += part, n -= part) {
        const struct order order = shifted_ops_order_from(symmetry, op->buffer, chunk, kind, whole);
        for (uint32_t i = 0; i < order.n; i++)
            if (by == ANY_SHIFT || shifts_digit(&symmetry->shifts, order.zone->coordinate[i], by))
                return false;
        part = kind == RANGE_OF_BLOCK || order.n_chunks > n ? n : order.n_chunks;
    }
    return true;
}

bool shifted_is_paired(const struct symmetry *symmetry, const struct op *send, const struct op *receive)
{
    if (send->is_set || receive->is_set)
        return shifted_keeps_order(symmetry, send, ANY_SHIFT) &&
               shifted_keeps_order(symmetry, receive, ANY_SHIFT);
    return shifted_is_alike(symmetry, send->buffer, send->chunk, receive->buffer, receive->chunk,
                            send->n_chunks);
}

/* Ranks on which chunk b does not lie behind chunk a, of a zone. How far its blocks are apart in each
 * coordinate is the same on all ranks; they may be neighbours where it is 1 in the first few, 0 in others. */
static enum packed_on apart_in_zone(const struct symmetry *symmetry, const struct zone *zone, uint32_t a,
                                    uint32_t b)
{
    const struct shifts *shifts = &symmetry->shifts;
    const uint32_t place = a - zone->first, behind = b - zone->first;
    uint32_t from = place / zone->block, to = behind / zone->block;
    bool is_next = true;
    if (from == to)
        return behind == place + 1 ? PACKED_ON_NONE : PACKED_ON_ALL;
    if ((place + 1) % zone->block || behind % zone->block)
        return PACKED_ON_ALL;
    for (uint32_t i = 0; i < zone->n; i++) {
        const uint32_t extent = shifts->extent[zone->coordinate[i]];
        const uint32_t far = (to % extent + extent - from % extent) % extent;
        const bool is_one = far == 1 || (shifts->is_mirrored && far == extent - 1);
        if (far ? !is_next || !is_one : extent > 1 && i == 0)
            return PACKED_ON_ALL;
        is_next = is_next && (extent == 1 || far);
        from /= extent;
        to /= extent;
    }
    return PACKED_ON_SOME;
}

/* The same of any chunks. */
static enum packed_on apart_on(const struct symmetry *symmetry, uint8_t buffer, uint32_t a, uint32_t b)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, a);
    if (zone != symmetry_zone(symmetry, buffer, b))
        return PACKED_ON_SOME;
    if (zone)
        return apart_in_zone(symmetry, zone, a, b);
    const uint32_t behind = b - symmetry_plane(symmetry, buffer, b);
    return behind == a - symmetry_plane(symmetry, buffer, a) + 1 ? PACKED_ON_NONE : PACKED_ON_ALL;
}

/* True if chunks `first` to `last`, which lie in a row here, do so on all ranks. */
static bool is_in_block(const struct symmetry *symmetry, uint8_t buffer, uint32_t first, uint32_t last)
{
    const struct zone *zone = symmetry_zone(symmetry, buffer, first);
    return zone == symmetry_zone(symmetry, buffer, last) &&
           (!zone || (first - zone->first) / zone->block == (last - zone->first) / zone->block);
}

enum packed_on shifted_packed_on(const struct symmetry *symmetry, const struct op *op)
{
    enum packed_on packed = PACKED_ON_NONE, on;
    uint32_t last = 0;
    if (op->kind == OP_REDUCE || !shifted_ops_is_set(op))
        return PACKED_ON_NONE;
    struct op_ranges ranges = op_ranges(&symmetry->schedule->header, op);
    for (bool is_first = true; op_ranges_next(&ranges); is_first = false) {
        on = is_first ? PACKED_ON_NONE : apart_on(symmetry, op->buffer, last, ranges.chunk);
        if (on == PACKED_ON_ALL)
            return PACKED_ON_ALL;
        last = ranges.chunk + ranges.n - 1;
        if (on == PACKED_ON_SOME || !is_in_block(symmetry, op->buffer, ranges.chunk, last))
            packed = PACKED_ON_SOME;
    }
    return packed;
}

struct op shifted_set(const struct symmetry *symmetry, const struct op *own, uint32_t by)
{
    struct op op = *own;
    struct chunk_sets *sets = symmetry->schedule->header.sets;
    const size_t first = sets->n;
    chunk_sets_reserve(sets, own->n_chunks);
    for (struct op_ranges ranges = op_ranges(&symmetry->schedule->header, own); op_ranges_next(&ranges);)
        for (uint32_t k = 0; k < ranges.n; k++)
            chunk_sets_append(sets, first, symmetry_chunk(symmetry, own->buffer, ranges.chunk + k, by), 1);
    chunk_sets_end(sets, first, &op);
    return op;
}

void shifter_init(struct shifter *shifter, const struct symmetry *symmetry, uint32_t by)
{
    shifts_split(&symmetry->shifts, by, &shifter->by);
    shifter->rank = shifter->peer = 0;
    shifter->to_rank = shifter->to_peer = by; /* from rank 0 */
}

struct op shifted_op(const struct symmetry *symmetry, const struct op *own, struct shifter *shifter)
{
    struct op op = *own;
    if (own->rank != shifter->rank) {
        shifter->rank = own->rank;
        shifter->to_rank = shifts_add(&symmetry->shifts, own->rank, shifter->by.number);
    }
    op.rank = shifter->to_rank;
    if (!shifted_ops_is_set(own))
        op.chunk = shifted_range(symmetry, own->buffer, own->chunk, own->n_chunks, &shifter->by);
    if (op_is_local(own)) {
        op.to_chunk = shifted_range(symmetry, own->to_buffer, own->to_chunk, own->n_chunks, &shifter->by);
        return op;
    }
    if (own->peer != shifter->peer) {
        shifter->peer = own->peer;
        shifter->to_peer = shifts_add(&symmetry->shifts, own->peer, shifter->by.number);
    }
    op.peer = shifter->to_peer;
    return op;
}

/* True if the chunks of a set are those of its representative, each shifted. */
static bool is_shifted_set(const struct symmetry *symmetry, const struct op *own, const struct op *op,
                           const struct shifts_digits *by)
{
    const struct schedule_header *header = &symmetry->schedule->header;
    bool is_same = op->is_set && own->n_chunks == op->n_chunks;
    for (struct op_range_pairs pairs = op_range_pairs(header, own, op);
         is_same && op_range_pairs_next(&pairs);)
        for (uint32_t k = 0; is_same && k < pairs.n; k++) {
            const uint32_t chunk = pairs.from.chunk + k;
            const struct zone *zone = symmetry_zone(symmetry, own->buffer, chunk);
            const uint32_t shifted = zone ? symmetry_in_zone(symmetry, zone, chunk, by, 0) : chunk;
            is_same = pairs.to.chunk + k + symmetry_plane(symmetry, own->buffer, chunk) == shifted;
        }
    return is_same;
}

static bool has_shifted_chunks(const struct symmetry *symmetry, const struct op *own, const struct op *op,
                               const struct op *shifted, const struct shifter *shifter)
{
    if (shifted_ops_is_set(own))
        return is_shifted_set(symmetry, own, op, &shifter->by);
    return !own->n_chunks || op->chunk + symmetry_plane(symmetry, own->buffer, own->chunk) == shifted->chunk;
}

/* True if `op` is what the operation of its representative, in its planes, becomes by a shift. */
static bool is_shifted_op(const struct symmetry *symmetry, const struct op *own, const struct op *op,
                          struct shifter *shifter)
{
    const struct op shifted = shifted_op(symmetry, own, shifter);
    const bool is_local = op_is_local(own);
    const uint32_t to_plane = is_local ? symmetry_plane(symmetry, own->to_buffer, own->to_chunk) : 0;
    return op->kind == own->kind && op->buffer == own->buffer && op->n_chunks == own->n_chunks &&
           op->network == own->network && op->line == own->line && op->rank == shifted.rank &&
           has_shifted_chunks(symmetry, own, op, &shifted, shifter) &&
           (is_local ? op->to_buffer == own->to_buffer &&
                           (!own->n_chunks || op->to_chunk + to_plane == shifted.to_chunk)
                     : op->peer == shifted.peer && op->is_set == own->is_set);
}

const struct rotated_loop *shifted_rotated_loop(const struct symmetry *symmetry, const struct op *op)
{
    for (uint32_t i = 0; i < symmetry->n_rotated; i++)
        if (op_is_local(op) && symmetry->rotated[i].line <= op->line && op->line <= symmetry->rotated[i].end)
            return &symmetry->rotated[i];
    return NULL;
}

/* Guess at the witness that does the next operation: mostly the same one again, or the one that came after it
 * the last time. */
struct doers {
    uint32_t at; /* the place in the list of witnesses of the last one */
    uint16_t next[ORBITS_MAX * WITNESSES_MAX];
};

/* Returns the place in the list of witnesses of a rank, or n_witnesses: none. */
static uint32_t search_witness(const struct symmetry *symmetry, uint32_t rank)
{
    const uint32_t n = symmetry->n_witnesses;
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        low = symmetry->witness[middle] < rank ? middle + 1 : low;
        high = symmetry->witness[middle] < rank ? high : middle;
    }
    return low < n && symmetry->witness[low] == rank ? low : n;
}

/* Does the same for the next operation. */
static inline uint32_t next_doer(const struct symmetry *symmetry, struct doers *doers, uint32_t rank)
{
    const uint32_t before = doers->at;
    if (symmetry->witness[before] == rank)
        return before;
    if (symmetry->witness[doers->next[before]] != rank) {
        const uint32_t found = search_witness(symmetry, rank);
        if (found == symmetry->n_witnesses)
            return found;
        doers->next[before] = (uint16_t)found;
    }
    return doers->at = doers->next[before];
}

/* Does as shifted_take() where the witnesses, in their order, do one operation each, and then the next one.
 * False, without a report: they do not. */
static bool take_by_turns(const struct symmetry *symmetry, const struct op *ops, size_t n, struct op *own,
                          size_t *begin)
{
    const uint32_t n_witnesses = symmetry->n_witnesses;
    const size_t n_turns = n / n_witnesses;
    if (n_turns * n_witnesses != n)
        return false;
    for (size_t turn = 0; turn < n_turns; turn++)
        for (uint32_t i = 0; i < n_witnesses; i++, ops++) {
            if (ops->rank != symmetry->witness[i])
                return false;
            own[symmetry->place[i] * n_turns + turn] = *ops;
        }
    for (uint32_t i = 0; i <= symmetry->n_orbits; i++)
        begin[i] = i * n_turns;
    return true;
}

bool shifted_take(const struct symmetry *symmetry, const struct op *ops, size_t n, struct op *own,
                  size_t *begin)
{
    if (take_by_turns(symmetry, ops, n, own, begin))
        return true;
    const uint32_t n_orbits = symmetry->n_orbits;
    size_t at[ORBITS_MAX * WITNESSES_MAX + 1];
    struct doers doers = {.at = 0};
    memset(at, 0, (symmetry->n_witnesses + 1) * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const uint32_t witness = next_doer(symmetry, &doers, ops[i].rank);
        if (witness == symmetry->n_witnesses)
            return false;
        at[symmetry->place[witness] + 1]++;
    }
    bool is_same = true; /* number of operations */
    for (uint32_t i = n_orbits; i < symmetry->n_witnesses; i++)
        is_same = is_same && at[i + 1] == at[i % n_orbits + 1];
    for (uint32_t i = 0; i < symmetry->n_witnesses; i++)
        at[i + 1] += at[i];
    memcpy(begin, at, (n_orbits + 1) * sizeof *begin);
    for (size_t i = 0; is_same && i < n; i++)
        own[at[symmetry->place[next_doer(symmetry, &doers, ops[i].rank)]]++] = ops[i];
    return is_same;
}

bool shifted_is_witnessed(const struct symmetry *symmetry, const struct op *own, const size_t *begin,
                          struct rotated_room *room)
{
    const size_t n = begin[symmetry->n_orbits];
    bool is_same = true;
    for (uint32_t witness = 1; witness < symmetry->n_by; witness++) {
        struct shifter shifter;
        shifter_init(&shifter, symmetry, symmetry->by[witness]);
        for (size_t i = 0; is_same && i < n; i++)
            is_same = shifted_rotated_loop(symmetry, &own[i]) ||
                      is_shifted_op(symmetry, &own[i], &own[witness * n + i], &shifter);
    }
    return is_same && shifted_turns_alike(symmetry, own, begin, room);
}

bool shifted_is_whole(const struct symmetry *symmetry, const struct op *op)
{
    uint32_t whole;
    if (op_is_local(op))
        return shifted_is_alike(symmetry, op->buffer, op->chunk, op->to_buffer, op->to_chunk, op->n_chunks);
    return op->is_set ||
           shifted_range_kind(symmetry, op->buffer, op->chunk, op->n_chunks, &whole) != RANGE_TORN;
}
