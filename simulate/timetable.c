/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See timetable.h.
 */
#include "simulate/timetable.h"

#include "base/search.h"

#include <string.h>

static struct timetable_box *first_full(struct timetable *table)
{
    return &table->boxes[__builtin_ctzll(table->full) + 1];
}

uint64_t timetable_find_next(struct timetable *table)
{
    const struct timetable_box *box = first_full(table);
    uint64_t next = box->items[0].time;
    for (size_t i = 1; i < box->n; i++)
        if (box->items[i].time < next)
            next = box->items[i].time;
    return next;
}

static bool timetable_is_in_order(const struct timetable_box *box)
{
    for (size_t i = 1; i < box->n; i++)
        if (box->items[i].number < box->items[i - 1].number)
            return false;
    return true;
}

/* Events of one box have mostly been put in in order. */
static void sort_now(struct timetable *table)
{
    struct timetable_box *box = &table->boxes[0];
    if (timetable_is_in_order(box))
        return;
    struct keyed *keyed = key_order_items(&table->order, box->n);
    for (size_t i = 0; i < box->n; i++)
        keyed[i] = (struct keyed){box->items[i].number, (uint32_t)i};
    key_order_sort(&table->order, box->n);
    for (size_t i = 0; i < box->n; i++)
        timetable_append(&table->spare, box->items[table->order.items[i].index]);
    const struct timetable_box sorted = table->spare;
    table->spare = (struct timetable_box){box->items, 0, box->capacity};
    *box = sorted;
}

void timetable_refill(struct timetable *table)
{
    struct timetable_box *from = first_full(table);
    const size_t n = from->n;
    table->last = timetable_next(table);
    table->is_next_known = false;
    table->full &= table->full - 1;
    table->first = table->boxes[0].n = 0;
    from->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct moment *moment = &from->items[i];
        const uint32_t box = timetable_box_of(table, moment->time); /* a lower one */
        timetable_append(&table->boxes[box], *moment);
        if (box)
            table->full |= UINT64_C(1) << (box - 1);
    }
    sort_now(table);
}

void timetable_insert_now(struct timetable *table, struct moment moment)
{
    struct timetable_box *box = &table->boxes[0];
    if (table->first == box->n)
        table->first = box->n = 0;
    size_t low = table->first, high = box->n;
    SEARCH_FIRST(low, high, middle, box->items[middle].number < moment.number);
    if (table->first && low - table->first < box->n - low) { /* there is room before the first */
        memmove(&box->items[table->first - 1], &box->items[table->first],
                (low - table->first) * sizeof *box->items);
        table->first--;
        box->items[low - 1] = moment;
        return;
    }
    timetable_append(box, moment);
    memmove(&box->items[low + 1], &box->items[low], (box->n - 1 - low) * sizeof *box->items);
    box->items[low] = moment;
}

void timetable_free(struct timetable *table)
{
    for (size_t i = 0; i < TIMETABLE_BOXES; i++)
        free(table->boxes[i].items);
    free(table->spare.items);
    key_order_free(&table->order);
    *table = (struct timetable){.full = 0};
}
