/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See key_order.h.
 */
#include "base/key_order.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 64 };

struct keyed *key_order_items(struct key_order *order, size_t n)
{
    if (n > order->capacity)
        order->items = mem_grow(order->items, &order->capacity, n, sizeof *order->items);
    return order->items;
}

static void insert_each(struct keyed *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct keyed item = items[i];
        if (items[i - 1].key <= item.key)
            continue;
        size_t low = 0, high = i - 1; /* items[high] comes after it */
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (items[middle].key > item.key)
                high = middle;
            else
                low = middle + 1;
        }
        memmove(&items[low + 1], &items[low], (i - low) * sizeof *items);
        items[low] = item;
    }
}

/* Sorts `from` into `to` by one digit of the keys. */
static void sort_by_digit(const struct keyed *from, struct keyed *to, size_t n, unsigned shift)
{
    size_t starts[DIGITS] = {0};
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t count = starts[digit];
        starts[digit] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void key_order_sort(struct key_order *order, size_t n)
{
    uint64_t differing = 0;
    if (n <= FEW) {
        insert_each(order->items, n);
        return;
    }
    for (size_t i = 1; i < n; i++)
        differing |= order->items[i].key ^ order->items[0].key;
    if (n > order->spare_capacity)
        order->spare = mem_grow(order->spare, &order->spare_capacity, n, sizeof *order->spare);
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differing >> shift & (DIGITS - 1)))
            continue;
        sort_by_digit(order->items, order->spare, n, shift);
        const struct key_order sorted = {order->spare, order->items, order->spare_capacity,
                                         order->capacity};
        *order = sorted;
    }
}

void key_order_free(struct key_order *order)
{
    free(order->items);
    free(order->spare);
    *order = (struct key_order){0};
}
