/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searching what is sorted.
 */
#ifndef COLLC_BASE_SEARCH_H
#define COLLC_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Makes `low` the first number of low .. high - 1 for which the condition, about the number `middle`, does
 * not hold, or `high` as it was if there is none. The numbers for which it holds come before the others. */
#define SEARCH_FIRST(low, high, middle, condition)                                                          \
    while ((low) < (high)) {                                                                                \
        const __typeof__(high) middle = (low) + ((high) - (low)) / 2;                                       \
        if (condition)                                                                                      \
            (low) = middle + 1;                                                                             \
        else                                                                                                \
            (high) = middle;                                                                                \
    }

/* Finds, among the items low .. high - 1, each of `size` bytes and in ascending order of a key, the one with
 * that key; SEARCH_NONE if there is none. `keys` is the key of item 0. */
#define SEARCH_NONE SIZE_MAX
static inline size_t search_key(const uint32_t *keys, size_t size, size_t low, size_t high, uint32_t key)
{
    const size_t words = size / sizeof *keys, end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys[middle * words] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && keys[low * words] == key ? low : SEARCH_NONE;
}

#endif
