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
    free(agenda->heap.items);
    *agenda = (struct agenda){0};
}

static bool agenda_is_earlier(const void *a, const void *b)
{
    const struct agenda_entry *left = a, *right = b;
    return left->time < right->time;
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
    const struct agenda_entry entry = {time, date};
    heap_push(&agenda->heap, &entry, sizeof entry, agenda_is_earlier);
    return *agenda_recent(agenda, time) = date;
}

void agenda_drop_date(struct agenda *agenda)
{
    const uint32_t date = agenda_first(agenda)->date;
    uint32_t *recent = agenda_recent(agenda, agenda_first(agenda)->time);
    if (*recent == date)
        *recent = AGENDA_NONE;
    agenda->dates[date].first = agenda->free_date;
    agenda->free_date = date;
    heap_drop(&agenda->heap, sizeof(struct agenda_entry), agenda_is_earlier);
}

void agenda_make_room(struct agenda *agenda, uint32_t item)
{
    const size_t n = (size_t)item + 1;
    agenda->items = mem_grow(agenda->items, &agenda->item_capacity, n, sizeof *agenda->items);
    while (agenda->n_items < n)
        agenda->items[agenda->n_items++].date = AGENDA_NONE;
}
