/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See heap.h.
 */
#include "synth/heap.h"

#include "base/memory.h"

void heap_push(struct heap *heap, struct heap_entry entry)
{
    if (heap->n == heap->capacity)
        heap->entries = mem_grow(heap->entries, &heap->capacity, heap->n + 1, sizeof *heap->entries);
    size_t i = heap->n++;
    for (; i > 0 && heap->entries[(i - 1) / 2].price > entry.price; i = (i - 1) / 2)
        heap->entries[i] = heap->entries[(i - 1) / 2];
    heap->entries[i] = entry;
}

struct heap_entry heap_pop(struct heap *heap)
{
    const struct heap_entry top = heap->entries[0], last = heap->entries[--heap->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && heap->entries[child + 1].price < heap->entries[child].price)
            child++;
        if (heap->entries[child].price >= last.price)
            break;
        heap->entries[i] = heap->entries[child];
    }
    heap->entries[i] = last;
    return top;
}
