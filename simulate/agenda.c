/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See agenda.h. A date stays in the heap when its last item is taken out, and goes when it comes
 * to the top. Two dates may have one time: `recent` finds most of those that are there already.
 */
#include "simulate/agenda.h"

#include "base/map.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct agenda agenda_new(void)
{
    struct agenda agenda = {.free_date = AGENDA_NONE};
    for (size_t i = 0; i < AGENDA_RECENT; i++)
        agenda.recent[i] = AGENDA_NONE;
    return agenda;
}

void agenda_free(struct agenda *agenda)
{
    free(agenda->items);
    free(agenda->dates);
    free(agenda->heap);
    *agenda = (struct agenda){0};
}

static inline size_t recent_slot(uint64_t time)
{
    return map_hash_number(time) % AGENDA_RECENT;
}

static void heap_push(struct agenda *agenda, struct agenda_entry entry)
{
    agenda->heap = mem_grow(agenda->heap, &agenda->heap_capacity, agenda->n_heap + 1,
                            sizeof *agenda->heap);
    size_t at = agenda->n_heap++;
    for (; at && entry.time < agenda->heap[(at - 1) / 2].time; at = (at - 1) / 2)
        agenda->heap[at] = agenda->heap[(at - 1) / 2];
    agenda->heap[at] = entry;
}

static void heap_pop(struct agenda *agenda)
{
    struct agenda_entry *heap = agenda->heap;
    const size_t n = --agenda->n_heap;
    const struct agenda_entry last = heap[n];
    size_t at = 0;
    for (size_t child = 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && heap[child + 1].time < heap[child].time;
        if (last.time <= heap[child].time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
}

static uint32_t new_date(struct agenda *agenda, uint64_t time)
{
    uint32_t date = agenda->free_date;
    if (date != AGENDA_NONE) {
        agenda->free_date = agenda->dates[date].first;
    } else {
        date = (uint32_t)agenda->n_dates;
        agenda->dates = mem_grow(agenda->dates, &agenda->date_capacity, ++agenda->n_dates,
                                 sizeof *agenda->dates);
    }
    agenda->dates[date] = (struct agenda_date){time, AGENDA_NONE, AGENDA_NONE};
    heap_push(agenda, (struct agenda_entry){time, date});
    return agenda->recent[recent_slot(time)] = date;
}

/* A recent date is still in the heap: drop_date takes what it drops from `recent`. */
static uint32_t date_of(struct agenda *agenda, uint64_t time)
{
    const uint32_t recent = agenda->recent[recent_slot(time)];
    return recent != AGENDA_NONE && agenda->dates[recent].time == time ? recent
                                                                       : new_date(agenda, time);
}

static void drop_date(struct agenda *agenda)
{
    const uint32_t date = agenda->heap[0].date;
    uint32_t *recent = &agenda->recent[recent_slot(agenda->heap[0].time)];
    if (*recent == date)
        *recent = AGENDA_NONE;
    agenda->dates[date].first = agenda->free_date;
    agenda->free_date = date;
    heap_pop(agenda);
}

static void make_room(struct agenda *agenda, uint32_t item)
{
    const size_t n = (size_t)item + 1;
    agenda->items = mem_grow(agenda->items, &agenda->item_capacity, n, sizeof *agenda->items);
    while (agenda->n_items < n)
        agenda->items[agenda->n_items++].date = AGENDA_NONE;
}

void agenda_remove(struct agenda *agenda, uint32_t item)
{
    if (item >= agenda->n_items || agenda->items[item].date == AGENDA_NONE)
        return;
    struct agenda_item *out = &agenda->items[item];
    struct agenda_date *date = &agenda->dates[out->date];
    *(out->previous == AGENDA_NONE ? &date->first : &agenda->items[out->previous].next) = out->next;
    *(out->next == AGENDA_NONE ? &date->last : &agenda->items[out->next].previous) = out->previous;
    out->date = AGENDA_NONE;
}

void agenda_put(struct agenda *agenda, uint32_t item, uint64_t time)
{
    if (item >= agenda->n_items)
        make_room(agenda, item);
    struct agenda_item *in = &agenda->items[item];
    if (in->date != AGENDA_NONE && agenda->dates[in->date].time == time)
        return;
    agenda_remove(agenda, item);
    const uint32_t number = date_of(agenda, time);
    struct agenda_date *date = &agenda->dates[number];
    *in = (struct agenda_item){AGENDA_NONE, date->last, number};
    *(date->last == AGENDA_NONE ? &date->first : &agenda->items[date->last].next) = item;
    date->last = item;
}

uint64_t agenda_time(struct agenda *agenda)
{
    while (agenda->n_heap && agenda->dates[agenda->heap[0].date].first == AGENDA_NONE)
        drop_date(agenda);
    return agenda->n_heap ? agenda->heap[0].time : AGENDA_NEVER;
}

uint32_t agenda_take(struct agenda *agenda)
{
    assert(agenda_time(agenda) != AGENDA_NEVER);
    const uint32_t item = agenda->dates[agenda->heap[0].date].first;
    agenda_remove(agenda, item);
    return item;
}
