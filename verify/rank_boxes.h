/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of ranks that are boxes of a grid: the ranks are its points, and a box has some of the places in each
 * dimension, mostly a cyclic interval. What rings, exchanges and reductions along the dimensions of a
 * torus, or along the bits of rank numbers, put together are boxes, so a box is one number and takes no
 * memory. Sets in general are in values.h.
 */
#ifndef COLLC_VERIFY_RANK_BOXES_H
#define COLLC_VERIFY_RANK_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_BOXES_MAX = 26 }; /* dimensions of SCHEDULE_MAX_RANKS */
#define BOX_SET (UINT64_C(1) << 62)

/* Sorted places [lo, hi). */
struct rank_interval {
    uint32_t lo, hi;
};

/* Places of a dimension that are no cyclic interval, as [extent] flags. */
struct place_sets {
    uint8_t *flags;
    size_t n, capacity;
};

/* Union of the places of two boxes in a dimension, as found before. */
struct side_union {
    uint64_t a, b, both; /* numbers of the side */
    uint32_t d;
};

/* Boxes of a grid by number. In a number, dimension d has width[d] bits from shift[d] on: the number of its
 * places. That of an interval is its first place in bits[d] bits, above them the length less one; that of all
 * places has first place 0. Numbers from 4^bits[d] on are those of `more`. So a box has one number. */
struct rank_boxes {
    uint32_t n; /* dimensions of more than one place; 0: there is no grid */
    uint32_t extent[RANK_BOXES_MAX], stride[RANK_BOXES_MAX];
    uint8_t shift[RANK_BOXES_MAX], bits[RANK_BOXES_MAX], width[RANK_BOXES_MAX];
    uint8_t of_bit[64]; /* the dimension */
    uint64_t full;      /* the box of all ranks */
    uint8_t *seen;      /* scratch: [sum of extents] */
    struct place_sets more[RANK_BOXES_MAX];
    struct side_union *known; /* by hash */
};

/* Makes boxes of at least one rank; the first extent is of consecutive ranks. False, and there is no grid: a
 * number is too small for its boxes. Release with rank_boxes_free. */
bool rank_boxes_make(struct rank_boxes *boxes, const uint32_t *extent, uint32_t n);
void rank_boxes_free(struct rank_boxes *boxes);
uint64_t rank_box_of(const struct rank_boxes *boxes, uint32_t rank);
/* Returns the union of two that have nothing in common and differ in one dimension; 0: they do not, or there
 * are too many sets of places. O(1), O(places) the first time */
uint64_t rank_box_union(struct rank_boxes *boxes, uint64_t a, uint64_t b);
/* Returns the box moved by so many ranks, by the coordinates of that number, each cyclic; mirrored: by an odd
 * number of places x is moved to that less x. 0: there are too many sets of places. O(dimensions), O(places)
 * where they are no rows */
uint64_t rank_box_shift(struct rank_boxes *boxes, uint64_t box, uint32_t by, bool is_mirrored);
/* Returns its ranks, as n sorted intervals that do not touch. The caller frees them. O(ranks in it) */
struct rank_interval *rank_box_intervals(const struct rank_boxes *boxes, uint64_t box, size_t *n);
/* Returns the box that has just these ranks, of intervals as above; 0: it is none, or there are too many sets
 * of places, as there are from then on. O(intervals * dimensions) */
uint64_t rank_box_find(struct rank_boxes *boxes, const struct rank_interval *intervals, size_t n);

#endif
