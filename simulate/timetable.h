/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is still to happen, by time. What happens at one time happens in the order of its numbers.
 * Moments of one kind are mostly added in the order in which they happen: each kind has a queue, and
 * what comes out of order goes to a heap of four children to a node.
 */
#ifndef COLLC_SIMULATE_TIMETABLE_H
#define COLLC_SIMULATE_TIMETABLE_H

#include "base/memory.h"

#include <stdlib.h>

struct moment {
    uint64_t time, number;
    uint32_t kind, what; /* the owner's */
};

enum { TIMETABLE_LANES = 8 };

/* Moments in order; those before `first` are gone. */
struct timetable_lane {
    struct moment *items;
    size_t first, n, capacity;
};

/* Zero-initialise; release with timetable_free. */
struct timetable {
    struct timetable_lane lanes[TIMETABLE_LANES]; /* of the kinds below TIMETABLE_LANES */
    struct moment *items;                         /* the heap */
    size_t n, capacity;
    size_t n_all;                                 /* of all */
};

/* No time of a simulation is later; sums stay there (time_sum). */
#define SIMULATE_TIME_MAX (UINT64_C(1) << 62)

static inline uint64_t time_sum(uint64_t a, uint64_t b)
{
    return a >= SIMULATE_TIME_MAX || b >= SIMULATE_TIME_MAX - a ? SIMULATE_TIME_MAX : a + b;
}

/* How long so many bytes take at bandwidth B/s, in ns, rounded up. */
static inline uint64_t transfer_ns(uint64_t bytes, uint64_t bandwidth)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t product;
    if (mem_multiply(bytes, UINT64_C(1000000000), &product))
        return time_sum(product / bandwidth, product % bandwidth != 0);
    const wide ns = ((wide)bytes * 1000000000 + bandwidth - 1) / bandwidth;
    return ns > SIMULATE_TIME_MAX ? SIMULATE_TIME_MAX : (uint64_t)ns;
}

static inline bool moment_is_before(const struct moment *a, const struct moment *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static inline void timetable_add_to_heap(struct timetable *table, const struct moment *moment)
{
    if (table->n == table->capacity)
        table->items = (struct moment *)mem_grow(table->items, &table->capacity, table->n + 1,
                                                 sizeof *table->items);
    size_t at = table->n++;
    for (; at > 0 && moment_is_before(moment, &table->items[(at - 1) / 4]); at = (at - 1) / 4)
        table->items[at] = table->items[(at - 1) / 4];
    table->items[at] = *moment;
}

static inline void timetable_drop_of_heap(struct timetable *table)
{
    const struct moment last = table->items[--table->n];
    size_t at = 0;
    for (size_t child; (child = 4 * at + 1) < table->n; at = child) {
        const size_t end = child + 4 < table->n ? child + 4 : table->n;
        for (size_t i = child + 1; i < end; i++)
            if (moment_is_before(&table->items[i], &table->items[child]))
                child = i;
        if (!moment_is_before(&table->items[child], &last))
            break;
        table->items[at] = table->items[child];
    }
    if (table->n)
        table->items[at] = last;
}

static inline void timetable_add(struct timetable *table, const struct moment *moment)
{
    struct timetable_lane *lane =
        moment->kind < TIMETABLE_LANES ? &table->lanes[moment->kind] : NULL;
    table->n_all++;
    if (!lane || (lane->first < lane->n && moment_is_before(moment, &lane->items[lane->n - 1]))) {
        timetable_add_to_heap(table, moment);
        return;
    }
    if (lane->first == lane->n)
        lane->first = lane->n = 0;
    if (lane->n == lane->capacity && lane->first > lane->n / 2) { /* half of it is gone */
        for (size_t i = lane->first; i < lane->n; i++)
            lane->items[i - lane->first] = lane->items[i];
        lane->n -= lane->first;
        lane->first = 0;
    }
    if (lane->n == lane->capacity)
        lane->items = (struct moment *)mem_grow(lane->items, &lane->capacity, lane->n + 1,
                                                sizeof *lane->items);
    lane->items[lane->n++] = *moment;
}

/* The first moment, and its lane (TIMETABLE_LANES: the heap), of a table that is not empty. */
static inline const struct moment *timetable_first(const struct timetable *table, size_t *of_lane)
{
    const struct moment *first = table->n ? &table->items[0] : NULL;
    *of_lane = TIMETABLE_LANES;
    for (size_t i = 0; i < TIMETABLE_LANES; i++) {
        const struct timetable_lane *lane = &table->lanes[i];
        if (lane->first == lane->n || (first && !moment_is_before(&lane->items[lane->first], first)))
            continue;
        first = &lane->items[lane->first];
        *of_lane = i;
    }
    return first;
}

/* The time of the first moment, or UINT64_MAX. */
static inline uint64_t timetable_next(const struct timetable *table)
{
    size_t lane;
    return table->n_all ? timetable_first(table, &lane)->time : UINT64_MAX;
}

/* Takes the first moment out of a table that is not empty. */
static inline struct moment timetable_take(struct timetable *table)
{
    size_t lane;
    const struct moment first = *timetable_first(table, &lane);
    table->n_all--;
    if (lane < TIMETABLE_LANES)
        table->lanes[lane].first++;
    else
        timetable_drop_of_heap(table);
    return first;
}

static inline void timetable_free(struct timetable *table)
{
    for (size_t i = 0; i < TIMETABLE_LANES; i++)
        free(table->lanes[i].items);
    free(table->items);
    *table = (struct timetable){0};
}

#endif
