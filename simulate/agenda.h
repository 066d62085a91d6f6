/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An agenda of items, numbered by the caller from 0 on, and the time of each. Much of what a
 * simulation waits for happens at one time, so items of a time hang in one list, a date, and only
 * dates are in the heap. An item has at most one time. Items of a date come out in the order in
 * which they were put in.
 */
#ifndef COLLC_SIMULATE_AGENDA_H
#define COLLC_SIMULATE_AGENDA_H

#include "base/heap.h"
#include "base/map.h"

#include <assert.h>

#define AGENDA_NONE UINT32_MAX
enum { AGENDA_RECENT = 64 };
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
    struct heap heap; /* of struct agenda_entry, earliest first */
    uint32_t recent[AGENDA_RECENT]; /* the date that was last made for a time of that hash */
};

struct agenda agenda_new(void);
void agenda_free(struct agenda *agenda);

/* For what is inline below: a new date of that time, the first date of the heap taken out, and
 * room for an item that was never in. */
uint32_t agenda_new_date(struct agenda *agenda, uint64_t time);
void agenda_drop_date(struct agenda *agenda);
void agenda_make_room(struct agenda *agenda, uint32_t item);

/* The entry of the earliest date. Requires one in the heap. */
static inline const struct agenda_entry *agenda_first(const struct agenda *agenda)
{
    return agenda->heap.items;
}

static inline uint32_t *agenda_recent(struct agenda *agenda, uint64_t time)
{
    return &agenda->recent[map_hash_number(time) % AGENDA_RECENT];
}

/* Takes an item out, if it is in. */
static inline void agenda_remove(struct agenda *agenda, uint32_t item)
{
    struct agenda_item *out = &agenda->items[item];
    if (out->date == AGENDA_NONE)
        return;
    struct agenda_date *date = &agenda->dates[out->date];
    *(out->previous == AGENDA_NONE ? &date->first : &agenda->items[out->previous].next) = out->next;
    *(out->next == AGENDA_NONE ? &date->last : &agenda->items[out->next].previous) = out->previous;
    out->date = AGENDA_NONE;
}

/* Puts an item in, or moves it to another time. A recent date is still in the heap. */
static inline void agenda_put(struct agenda *agenda, uint32_t item, uint64_t time)
{
    if (item >= agenda->n_items)
        agenda_make_room(agenda, item);
    struct agenda_item *in = &agenda->items[item];
    if (in->date != AGENDA_NONE && agenda->dates[in->date].time == time)
        return;
    agenda_remove(agenda, item);
    uint32_t number = *agenda_recent(agenda, time);
    if (number == AGENDA_NONE || agenda->dates[number].time != time)
        number = agenda_new_date(agenda, time);
    struct agenda_date *date = &agenda->dates[number];
    *in = (struct agenda_item){AGENDA_NONE, date->last, number};
    *(date->last == AGENDA_NONE ? &date->first : &agenda->items[date->last].next) = item;
    date->last = item;
}

/* The earliest time at which there is an item; AGENDA_NEVER if there is none. */
static inline uint64_t agenda_time(struct agenda *agenda)
{
    while (agenda->heap.n && agenda->dates[agenda_first(agenda)->date].first == AGENDA_NONE)
        agenda_drop_date(agenda);
    return agenda->heap.n ? agenda_first(agenda)->time : AGENDA_NEVER;
}

/* Takes the first item of that time out. Requires that agenda_time has just found one. */
static inline uint32_t agenda_take(struct agenda *agenda)
{
    const uint32_t item = agenda->dates[agenda_first(agenda)->date].first;
    assert(item != AGENDA_NONE);
    agenda_remove(agenda, item);
    return item;
}

#endif
