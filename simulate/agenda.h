/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens when: items, numbered by the caller from 0 on, and the time of each. Much of what a
 * simulation waits for happens at one time, so items of a time hang in one list, a date, and only
 * dates are in the heap. An item has at most one time. Items of a date come out in the order in
 * which they were put in.
 */
#ifndef COLLC_SIMULATE_AGENDA_H
#define COLLC_SIMULATE_AGENDA_H

#include <stddef.h>
#include <stdint.h>

enum { AGENDA_NONE = UINT32_MAX, AGENDA_RECENT = 64 };
#define AGENDA_NEVER UINT64_MAX

struct agenda_item {
    uint32_t next, previous, date; /* date AGENDA_NONE: it is not in */
};
struct agenda_date {
    uint64_t time;
    uint32_t first, last; /* items; AGENDA_NONE: all were taken out. `first` links free dates */
};
struct agenda_entry {
    uint64_t time;
    uint32_t date;
};
struct agenda {
    struct agenda_item *items;
    size_t n_items, item_capacity;
    struct agenda_date *dates;
    size_t n_dates, date_capacity;
    uint32_t free_date;
    struct agenda_entry *heap; /* earliest first */
    size_t n_heap, heap_capacity;
    uint32_t recent[AGENDA_RECENT]; /* the date that was last made for a time of that hash */
};

struct agenda agenda_new(void);
void agenda_free(struct agenda *agenda);

/* Puts an item in, or moves it to another time. */
void agenda_put(struct agenda *agenda, uint32_t item, uint64_t time);
void agenda_remove(struct agenda *agenda, uint32_t item);
/* The earliest time at which there is an item; AGENDA_NEVER if there is none. */
uint64_t agenda_time(struct agenda *agenda);
/* Takes the first item of that time out. Requires that there is one. */
uint32_t agenda_take(struct agenda *agenda);

#endif
