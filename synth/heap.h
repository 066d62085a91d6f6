/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A heap of servers by price, the cheapest first.
 */
#ifndef COLLC_SYNTH_HEAP_H
#define COLLC_SYNTH_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_entry {
    double price;
    uint32_t server;
};
/* Must be zero-initialised; `entries` is to be freed. */
struct heap {
    struct heap_entry *entries;
    size_t n, capacity;
};

void heap_push(struct heap *heap, struct heap_entry entry);
/* Removes and returns the cheapest entry. Requires n > 0. */
struct heap_entry heap_pop(struct heap *heap);

#endif
