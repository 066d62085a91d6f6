/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds items by their keys: a hash table with open addressing over items that are kept elsewhere,
 * in an array 0 .. n-1 of the caller's, with their keys. A slot costs 4 bytes, an item 2 to 4
 * slots. Nothing is removed.
 *
 *   map_reserve(&map, hash_of, items);
 *   slot = map_slot(&map, hash, is_item, items, &key);
 *   if (*slot == MAP_NONE)
 *       map_fill(&map, slot);      the new item is number map.n before that
 *
 * The inline functions are as fast as a table by hand if the functions given are static.
 */
#ifndef COLLC_BASE_MAP_H
#define COLLC_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct hash_map {
    uint32_t *slots;  /* [n_slots] an item, MAP_NONE: free */
    uint32_t n_slots; /* a power of two, at least 2 * n; 0 before the first map_reserve */
    uint32_t n;       /* items in it */
};

/* Hash of an item's key; and true if an item has a key. */
typedef uint32_t map_hash(const void *items, uint32_t item);
typedef bool map_is(const void *items, uint32_t item, const void *key);

void map_free(struct hash_map *map);
/* Places the items 0 .. n-1 anew, whose keys differ, with room for twice as many if `is_larger`. */
void map_rebuild(struct hash_map *map, map_hash *hash_of, const void *items, bool is_larger);

/* Returns FNV-1a with its upper bits brought down: names that differ in a number would else fill neighbouring
 * slots. */
static inline uint32_t map_hash_text(uint32_t seed, const char *text, size_t length)
{
    uint32_t hash = (2166136261u ^ seed) * (seed ? 16777619u : 1);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return hash ^ hash >> 12;
}

/* Fibonacci hashing (Knuth 1973, section 6.4). */
static inline uint32_t map_hash_number(uint64_t number)
{
    return (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Returns the slot of the item that has the key, or the free one where it belongs. Requires slots. */
static inline uint32_t *map_slot(const struct hash_map *map, uint32_t hash, map_is *is,
                                 const void *items, const void *key)
{
    const uint32_t mask = map->n_slots - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask)
        if (map->slots[i] == MAP_NONE || is(items, map->slots[i], key))
            return &map->slots[i];
}

/* Returns the item that has the key, or MAP_NONE. */
static inline uint32_t map_find(const struct hash_map *map, uint32_t hash, map_is *is,
                                const void *items, const void *key)
{
    return map->n_slots ? *map_slot(map, hash, is, items, key) : MAP_NONE;
}

/* Makes room for one more item. */
static inline void map_reserve(struct hash_map *map, map_hash *hash_of, const void *items)
{
    if (map->n_slots / 2 < map->n + 1)
        map_rebuild(map, hash_of, items, true);
}

/* Puts the next item into a free slot of map_slot; returns its number. */
static inline uint32_t map_fill(struct hash_map *map, uint32_t *slot)
{
    return *slot = map->n++;
}

#endif
