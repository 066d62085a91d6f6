/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See agenda.h. A date stays in the heap when its last item is taken out, and goes when it comes
 * to the top. Two dates may have one time: `recent` finds most of those that are there already.
 */
#include "simulate/agenda.h"

#include "base/memory.h"

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

static void agenda_heap_push(struct agenda *agenda, struct agenda_entry entry)
{
    agenda->heap = mem_grow(agenda->heap, &agenda->heap_capacity, agenda->n_heap + 1,
                            sizeof *agenda->heap);
    size_t at = agenda->n_heap++;
    for (; at && entry.time < agenda->heap[(at - 1) / 2].time; at = (at - 1) / 2)
        agenda->heap[at] = agenda->heap[(at - 1) / 2];
    agenda->heap[at] = entry;
}

static void agenda_heap_pop(struct agenda *agenda)
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

uint32_t agenda_new_date(struct agenda *agenda, uint64_t time)
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
    agenda_heap_push(agenda, (struct agenda_entry){time, date});
    return *agenda_recent(agenda, time) = date;
}

void agenda_drop_date(struct agenda *agenda)
{
    const uint32_t date = agenda->heap[0].date;
    uint32_t *recent = agenda_recent(agenda, agenda->heap[0].time);
    if (*recent == date)
        *recent = AGENDA_NONE;
    agenda->dates[date].first = agenda->free_date;
    agenda->free_date = date;
    agenda_heap_pop(agenda);
}

void agenda_make_room(struct agenda *agenda, uint32_t item)
{
    const size_t n = (size_t)item + 1;
    agenda->items = mem_grow(agenda->items, &agenda->item_capacity, n, sizeof *agenda->items);
    while (agenda->n_items < n)
        agenda->items[agenda->n_items++].date = AGENDA_NONE;
}
