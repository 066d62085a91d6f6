/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders things by numbers: what is to be ordered stays where it is, a key and an index stand for it.
 *
 *   struct keyed *items = key_order_items(&order, n);   fill in key and index of each
 *   key_order_sort(&order, n);                          order.items is in the order of the keys
 *
 * Items with equal keys keep their order. O(n) for each byte in which keys differ: a radix sort, from the
 * lowest byte on.
 */
#ifndef COLLC_BASE_KEY_ORDER_H
#define COLLC_BASE_KEY_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t index;
};

/* Zero-initialise; release with key_order_free. Its memory is kept from one use to the next. */
struct key_order {
    struct keyed *items, *spare;
    size_t capacity, spare_capacity;
};

/* Returns room for n items, which are not initialised. */
struct keyed *key_order_items(struct key_order *order, size_t n);
void key_order_sort(struct key_order *order, size_t n);
void key_order_free(struct key_order *order);

#endif
