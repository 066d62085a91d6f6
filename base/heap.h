/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A binary heap of items of one type: no item comes before the first.
 *
 *   static bool is_earlier(const void *a, const void *b)    of two items
 *   heap_push(&heap, &item, sizeof item, is_earlier);
 *   const struct event *first = heap.items;                  requires heap.n > 0
 *   heap_drop(&heap, sizeof *first, is_earlier);
 *
 * The order of items that are equal depends on the calls alone, so a run can be repeated. The functions are
 * inline: they are as fast as a heap by hand if `before` is static and `size` is a constant.
 */
#ifndef COLLC_BASE_HEAP_H
#define COLLC_BASE_HEAP_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Zero-initialise; `items` is to be freed. */
struct heap {
    void *items;
    size_t n, capacity;
};

/* True if item a comes before item b. */
typedef bool heap_before(const void *a, const void *b);

/* Puts an item, which is not in the heap, where it belongs at place `at` or below. */
__attribute__((always_inline)) static inline void heap_sink(struct heap *heap, size_t at, const void *item,
                                                            size_t size, heap_before *before)
{
    char *const items = heap->items;
    const size_t n = heap->n;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && before(items + (child + 1) * size, items + child * size);
        if (!before(items + child * size, item))
            break;
        memcpy(items + at * size, items + child * size, size);
    }
    memcpy(items + at * size, item, size);
}

__attribute__((always_inline)) static inline void heap_push(struct heap *heap, const void *item, size_t size,
                                                            heap_before *before)
{
    if (heap->n == heap->capacity)
        heap->items = mem_grow(heap->items, &heap->capacity, heap->n + 1, size);
    char *const items = heap->items;
    size_t at = heap->n++;
    for (; at && before(item, items + (at - 1) / 2 * size); at = (at - 1) / 2)
        memcpy(items + at * size, items + (at - 1) / 2 * size, size);
    memcpy(items + at * size, item, size);
}

/* Removes the first item. Requires n > 0. */
__attribute__((always_inline)) static inline void heap_drop(struct heap *heap, size_t size,
                                                            heap_before *before)
{
    heap->n--;
    if (heap->n)
        heap_sink(heap, 0, (const char *)heap->items + heap->n * size, size, before);
}

#endif
