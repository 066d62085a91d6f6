/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that are still to happen, by time. Those of one time happen in the order of their numbers.
 *
 * Time never goes back: nothing is added before what was last taken. So this is a radix heap (Ahuja,
 * Mehlhorn, Orlin, Tarjan 1990): box i > 0 has the moments whose highest bit that differs from the time
 * `last` is bit i - 1, box 0 those of that time, in order. When box 0 is empty, time goes on to the least
 * one of the first box that is not, whose moments then fall into lower ones. A moment moves at
 * most 64 times, and mostly two or three.
 */
#ifndef COLLC_SIMULATE_TIMETABLE_H
#define COLLC_SIMULATE_TIMETABLE_H

#include "base/key_order.h"
#include "base/memory.h"

#include <stdlib.h>

struct moment {
    uint64_t time, number;
    uint32_t kind, what; /* the owner's */
};

enum { TIMETABLE_BOXES = 65 };

struct timetable_box {
    struct moment *items;
    size_t n, capacity;
};

/* Zero-initialise; release with timetable_free. */
struct timetable {
    struct timetable_box boxes[TIMETABLE_BOXES];
    uint64_t full;      /* bit i: box i + 1 has moments */
    uint64_t last;      /* the time of box 0 */
    size_t first;       /* of box 0; those before it are gone */
    uint64_t next;      /* if it is known: the least time of the other boxes */
    bool is_next_known;
    struct timetable_box spare; /* empty */
    struct key_order order;
};

/* No time of a simulation is later; sums stay there (time_sum). */
#define SIMULATE_TIME_MAX (UINT64_C(1) << 62)

static inline uint64_t time_sum(uint64_t a, uint64_t b)
{
    return a >= SIMULATE_TIME_MAX || b >= SIMULATE_TIME_MAX - a ? SIMULATE_TIME_MAX : a + b;
}

/* Returns the time of so many bytes at bandwidth B/s, in ns, rounded up. */
static inline uint64_t transfer_ns(uint64_t bytes, uint64_t bandwidth)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t product;
    if (mem_multiply(bytes, UINT64_C(1000000000), &product))
        return time_sum(product / bandwidth, product % bandwidth != 0);
    const wide ns = ((wide)bytes * 1000000000 + bandwidth - 1) / bandwidth;
    return ns > SIMULATE_TIME_MAX ? SIMULATE_TIME_MAX : (uint64_t)ns;
}

/* For the functions below: find the least time where box 0 is empty; fill box 0 from the first box that is
 * not empty; put in a moment of the time of box 0 where others of it are. */
uint64_t timetable_find_next(struct timetable *table);
void timetable_refill(struct timetable *table);
void timetable_insert_now(struct timetable *table, struct moment moment);
void timetable_free(struct timetable *table);

/* Moments go by value: read back from memory as a whole, what was just written field by field is late. */
static inline void timetable_append(struct timetable_box *box, struct moment moment)
{
    if (box->n == box->capacity)
        box->items = (struct moment *)mem_grow(box->items, &box->capacity, box->n + 1,
                                               sizeof *box->items);
    box->items[box->n++] = moment;
}

static inline uint32_t timetable_box_of(const struct timetable *table, uint64_t time)
{
    return time == table->last ? 0 : 64 - (uint32_t)__builtin_clzll(time ^ table->last);
}

/* Requires a time that is not before that of the moment last taken. */
static inline void timetable_add(struct timetable *table, struct moment moment)
{
    const uint32_t box = timetable_box_of(table, moment.time);
    if (!box) {
        timetable_insert_now(table, moment);
        return;
    }
    if (table->is_next_known && moment.time < table->next)
        table->next = moment.time;
    timetable_append(&table->boxes[box], moment);
    table->full |= UINT64_C(1) << (box - 1);
}

/* The time of the first moment, or UINT64_MAX. */
static inline uint64_t timetable_next(struct timetable *table)
{
    if (table->first < table->boxes[0].n)
        return table->last;
    if (!table->full)
        return UINT64_MAX;
    if (!table->is_next_known) {
        table->next = timetable_find_next(table);
        table->is_next_known = true;
    }
    return table->next;
}

/* Takes the first moment out of a table that is not empty. */
static inline struct moment timetable_take(struct timetable *table)
{
    if (table->first == table->boxes[0].n)
        timetable_refill(table);
    return table->boxes[0].items[table->first++];
}

#endif
