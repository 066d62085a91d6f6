/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Boxes of ranks as numbers, and what they are together. See rank_boxes.h.
 */
#include "verify/rank_boxes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN = 1 << 12 /* unions of sides */, MOST_SETS = 1 << 10 /* of places, which are looked through */ };

static uint64_t mask_of(const struct rank_boxes *boxes, uint32_t d)
{
    return ((UINT64_C(1) << boxes->width[d]) - 1) << boxes->shift[d];
}

/* Returns the number of the places in a dimension. */
static uint64_t rank_boxes_side_of(const struct rank_boxes *boxes, uint64_t box, uint32_t d)
{
    return (box & mask_of(boxes, d)) >> boxes->shift[d];
}

/* `n` places from `first` on, cyclic. */
struct row {
    uint32_t first, n;
};

static bool rank_boxes_is_row(const struct rank_boxes *boxes, uint32_t d, uint64_t side)
{
    return side >> 2 * boxes->bits[d] == 0;
}

static struct row rank_boxes_row_of(const struct rank_boxes *boxes, uint32_t d, uint64_t side)
{
    const uint64_t low = (UINT64_C(1) << boxes->bits[d]) - 1;
    return (struct row){(uint32_t)(side & low), (uint32_t)(side >> boxes->bits[d]) + 1};
}

static uint64_t side_of_row(const struct rank_boxes *boxes, uint32_t d, struct row row)
{
    return (uint64_t)(row.n - 1) << boxes->bits[d] | (row.n == boxes->extent[d] ? 0 : row.first);
}

/* Sets the flags of its places. False: one of them was set. */
static bool mark_side(const struct rank_boxes *boxes, uint32_t d, uint64_t side, uint8_t *flags)
{
    const uint32_t extent = boxes->extent[d];
    bool is_new = true;
    if (!rank_boxes_is_row(boxes, d, side)) {
        const size_t index = (size_t)(side - (UINT64_C(1) << 2 * boxes->bits[d]));
        const uint8_t *set = boxes->more[d].flags + index * extent;
        for (uint32_t place = 0; place < extent; place++) {
            is_new = is_new && !(set[place] && flags[place]);
            flags[place] |= set[place];
        }
        return is_new;
    }
    const struct row row = rank_boxes_row_of(boxes, d, side);
    for (uint32_t i = 0, place = row.first; i < row.n; i++) {
        is_new = is_new && !flags[place];
        flags[place] = 1;
        place = place + 1 == extent ? 0 : place + 1;
    }
    return is_new;
}

/* A set of places that is no row. False: there is no number left for it. */
static bool find_more(struct rank_boxes *boxes, uint32_t d, const uint8_t *flags, uint64_t *side)
{
    struct place_sets *more = &boxes->more[d];
    const uint32_t extent = boxes->extent[d];
    const uint64_t first = UINT64_C(1) << 2 * boxes->bits[d], most = (UINT64_C(1) << boxes->width[d]) - first;
    size_t i = 0;
    while (i < more->n && memcmp(more->flags + i * extent, flags, extent) != 0)
        i++;
    *side = first + i;
    if (i < more->n)
        return true;
    if (i >= most || i >= MOST_SETS)
        return false;
    more->flags = mem_grow(more->flags, &more->capacity, (i + 1) * extent, 1);
    memcpy(more->flags + i * extent, flags, extent);
    more->n++;
    return true;
}

/* The number of the places whose flags are set, of at least one. */
static bool find_side(struct rank_boxes *boxes, uint32_t d, const uint8_t *flags, uint64_t *side)
{
    const uint32_t extent = boxes->extent[d];
    uint32_t n_begins = 0;
    struct row row = {0, 0};
    for (uint32_t place = 0; place < extent; place++) {
        row.n += flags[place];
        if (flags[place] && !flags[place ? place - 1 : extent - 1]) {
            row.first = place;
            n_begins++;
        }
    }
    *side = row.n ? side_of_row(boxes, d, row) : 0;
    return n_begins <= 1 || find_more(boxes, d, flags, side);
}

/* Gives each dimension its bits; those that are left, to sets of places that are no rows. */
static void place_sides(struct rank_boxes *boxes, uint32_t n_left)
{
    const uint32_t each = n_left / boxes->n;
    uint32_t shift = 0;
    for (uint32_t d = 0; d < boxes->n; d++) {
        boxes->width[d] = (uint8_t)(2u * boxes->bits[d] + each);
        boxes->shift[d] = (uint8_t)shift;
        memset(boxes->of_bit + shift, (int)d, boxes->width[d]);
        shift += boxes->width[d];
    }
}

bool rank_boxes_make(struct rank_boxes *boxes, const uint32_t *extent, uint32_t n)
{
    enum { BITS = 62 };
    struct rank_boxes made = {0};
    uint32_t n_bits = 0, stride = 1, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bits = 0;
        while (extent[i] > UINT32_C(1) << bits)
            bits++;
        if (!bits)
            continue;
        if (made.n == RANK_BOXES_MAX || n_bits + 2u * bits > BITS)
            return false;
        made.extent[made.n] = extent[i];
        made.stride[made.n] = stride;
        made.bits[made.n++] = bits;
        n_bits += 2u * bits;
        stride *= extent[i];
        sum += extent[i];
    }
    if (!made.n)
        return false;
    place_sides(&made, BITS - n_bits);
    made.full = BOX_SET;
    for (uint32_t d = 0; d < made.n; d++)
        made.full |= side_of_row(&made, d, (struct row){0, made.extent[d]}) << made.shift[d];
    made.seen = mem_alloc(sum, 1);
    made.known = mem_alloc(KNOWN, sizeof *made.known);
    *boxes = made;
    return true;
}

void rank_boxes_free(struct rank_boxes *boxes)
{
    for (uint32_t d = 0; d < boxes->n; d++)
        free(boxes->more[d].flags);
    free(boxes->known);
    free(boxes->seen);
}

uint64_t rank_box_of(const struct rank_boxes *boxes, uint32_t rank)
{
    uint64_t box = BOX_SET;
    for (uint32_t d = 0; d < boxes->n; d++) {
        box |= (uint64_t)(rank % boxes->extent[d]) << boxes->shift[d];
        rank /= boxes->extent[d];
    }
    return box;
}

/* Two rows, one behind the other. */
static bool join_rows(const struct rank_boxes *boxes, uint32_t d, uint64_t a, uint64_t b, uint64_t *both)
{
    if (!rank_boxes_is_row(boxes, d, a) || !rank_boxes_is_row(boxes, d, b))
        return false;
    const struct row x = rank_boxes_row_of(boxes, d, a), y = rank_boxes_row_of(boxes, d, b);
    const uint32_t extent = boxes->extent[d], end_x = x.first + x.n, end_y = y.first + y.n;
    const bool is_x_first = end_x == y.first || end_x == y.first + extent;
    if (x.n + y.n > extent || (!is_x_first && end_y != x.first && end_y != x.first + extent))
        return false;
    *both = side_of_row(boxes, d, (struct row){is_x_first ? x.first : y.first, x.n + y.n});
    return true;
}

static struct side_union *place_of_union(const struct rank_boxes *boxes, uint32_t d, uint64_t a, uint64_t b)
{
    const uint64_t hash = ((a * RANK_BOXES_MAX + d) * UINT64_C(0x9e3779b97f4a7c15) ^ b) *
                          UINT64_C(0xc2b2ae3d27d4eb4f);
    return &boxes->known[hash >> 52 & (KNOWN - 1)];
}

/* Any two, with nothing in common. */
static bool join_sides(struct rank_boxes *boxes, uint32_t d, uint64_t a, uint64_t b, uint64_t *both)
{
    struct side_union *known = place_of_union(boxes, d, a, b);
    if (a != b && known->a == a && known->b == b && known->d == d) {
        *both = known->both;
        return true;
    }
    memset(boxes->seen, 0, boxes->extent[d]);
    if (!mark_side(boxes, d, a, boxes->seen) || !mark_side(boxes, d, b, boxes->seen) ||
        !find_side(boxes, d, boxes->seen, both))
        return false;
    *known = (struct side_union){a, b, *both, d};
    return true;
}

uint64_t rank_box_union(struct rank_boxes *boxes, uint64_t a, uint64_t b)
{
    const uint64_t differ = a ^ b;
    if (!differ)
        return 0;
    const uint32_t d = boxes->of_bit[__builtin_ctzll(differ)];
    const uint64_t mask = mask_of(boxes, d), side_a = rank_boxes_side_of(boxes, a, d),
                   side_b = rank_boxes_side_of(boxes, b, d);
    uint64_t both;
    if (differ & ~mask ||
        (!join_rows(boxes, d, side_a, side_b, &both) && !join_sides(boxes, d, side_a, side_b, &both)))
        return 0;
    return (a & ~mask) | both << boxes->shift[d];
}

/* A side moved by some places: 0 of them is none. */
static bool shift_side(struct rank_boxes *boxes, uint32_t d, uint64_t *side, uint32_t by)
{
    const uint32_t extent = boxes->extent[d];
    if (!rank_boxes_is_row(boxes, d, *side)) {
        const size_t index = (size_t)(*side - (UINT64_C(1) << 2 * boxes->bits[d]));
        const uint8_t *set = boxes->more[d].flags + index * extent;
        memcpy(boxes->seen + by, set, extent - by);
        memcpy(boxes->seen, set + extent - by, by);
        return find_side(boxes, d, boxes->seen, side);
    }
    struct row row = rank_boxes_row_of(boxes, d, *side);
    row.first = row.first + by < extent ? row.first + by : row.first + by - extent;
    *side = side_of_row(boxes, d, row);
    return true;
}

/* Place x moved to place `at` - x. */
static bool turn_side(struct rank_boxes *boxes, uint32_t d, uint64_t *side, uint32_t at)
{
    const uint32_t extent = boxes->extent[d];
    if (!rank_boxes_is_row(boxes, d, *side)) {
        const size_t index = (size_t)(*side - (UINT64_C(1) << 2 * boxes->bits[d]));
        const uint8_t *set = boxes->more[d].flags + index * extent;
        for (uint32_t place = 0; place < extent; place++)
            boxes->seen[place <= at ? at - place : at + extent - place] = set[place];
        return find_side(boxes, d, boxes->seen, side);
    }
    struct row row = rank_boxes_row_of(boxes, d, *side);
    row.first = (at + 2 * extent - (row.first + row.n - 1)) % extent;
    *side = side_of_row(boxes, d, row);
    return true;
}

uint64_t rank_box_shift(struct rank_boxes *boxes, uint64_t box, uint32_t by, bool is_mirrored)
{
    for (uint32_t d = 0; d < boxes->n; d++, by /= boxes->extent[d - 1]) {
        const uint32_t digit = by % boxes->extent[d];
        uint64_t side = rank_boxes_side_of(boxes, box, d);
        if (!digit)
            continue;
        if (!(is_mirrored && digit & 1 ? turn_side : shift_side)(boxes, d, &side, digit))
            return 0;
        box = (box & ~mask_of(boxes, d)) | side << boxes->shift[d];
    }
    return box;
}

/* ---- a box as intervals ---- */

struct rank_interval *rank_box_intervals(const struct rank_boxes *boxes, uint64_t box, size_t *n)
{
    uint32_t *place[RANK_BOXES_MAX], at[RANK_BOXES_MAX] = {0}, n_places[RANK_BOXES_MAX] = {0};
    uint32_t low = 0, d, sum = 0;
    size_t most = 1;
    for (d = 0; d < boxes->n; d++)
        sum += boxes->extent[d];
    uint32_t *places = mem_alloc(sum, sizeof *places);
    uint8_t *flags = mem_alloc(sum, 1);
    sum = 0;
    for (d = 0; d < boxes->n; sum += boxes->extent[d++]) {
        place[d] = places + sum;
        (void)mark_side(boxes, d, rank_boxes_side_of(boxes, box, d), flags + sum);
        for (uint32_t i = 0; i < boxes->extent[d]; i++)
            if (flags[sum + i])
                place[d][n_places[d]++] = i;
        if (d == low && n_places[d] == boxes->extent[d])
            low++; /* dimensions from the first on that are full */
        else
            most *= n_places[d];
    }
    const uint32_t length =
        low < boxes->n ? boxes->stride[low] : boxes->stride[low - 1] * boxes->extent[low - 1];
    struct rank_interval *intervals = mem_alloc(most, sizeof *intervals);
    *n = 0;
    do {
        uint32_t lo = 0;
        for (d = low; d < boxes->n; d++)
            lo += place[d][at[d]] * boxes->stride[d];
        if (*n && intervals[*n - 1].hi == lo)
            intervals[*n - 1].hi = lo + length;
        else
            intervals[(*n)++] = (struct rank_interval){lo, lo + length};
        for (d = low; d < boxes->n && ++at[d] == n_places[d]; d++)
            at[d] = 0;
    } while (d < boxes->n);
    free(flags);
    free(places);
    return intervals;
}

/* ---- a box found ---- */

/* Places of dimension d that the interval has, of all ranks from lo on. */
static uint32_t mark(const struct rank_boxes *boxes, uint32_t d, uint8_t *seen, struct rank_interval interval)
{
    const uint32_t first = interval.lo / boxes->stride[d], extent = boxes->extent[d];
    const uint32_t last = (interval.hi - 1) / boxes->stride[d];
    const uint32_t n = last - first < extent ? last - first + 1 : extent;
    uint32_t n_new = 0;
    for (uint32_t i = 0, place = first % extent; i < n; i++) {
        n_new += !seen[place];
        seen[place] = 1;
        place = place + 1 == extent ? 0 : place + 1;
    }
    return n_new;
}

/* The smallest product of sets of places around the ranks has as many as they are, if and only if they are
 * that product. */
uint64_t rank_box_find(struct rank_boxes *boxes, const struct rank_interval *intervals, size_t n)
{
    uint32_t n_seen[RANK_BOXES_MAX] = {0};
    uint64_t n_ranks = 0, product = 0, box = BOX_SET;
    uint8_t *seen = boxes->seen;
    for (size_t i = 0; i < n; i++)
        n_ranks += intervals[i].hi - intervals[i].lo;
    for (uint32_t d = 0; d < boxes->n; seen += boxes->extent[d++])
        memset(seen, 0, boxes->extent[d]);
    for (size_t i = 0; i < n && product <= n_ranks; i++) {
        seen = boxes->seen;
        product = 1;
        for (uint32_t d = 0; d < boxes->n; seen += boxes->extent[d++]) {
            if (n_seen[d] < boxes->extent[d])
                n_seen[d] += mark(boxes, d, seen, intervals[i]);
            product *= n_seen[d];
        }
    }
    seen = boxes->seen;
    for (uint32_t d = 0; d < boxes->n && product == n_ranks; seen += boxes->extent[d++]) {
        uint64_t side;
        if (!find_side(boxes, d, seen, &side))
            return 0;
        box |= side << boxes->shift[d];
    }
    return n && product == n_ranks ? box : 0;
}
