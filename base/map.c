/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See map.h.
 */
#include "base/map.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

void map_free(struct hash_map *map)
{
    free(map->slots);
    *map = (struct hash_map){0};
}

void map_rebuild(struct hash_map *map, map_hash *hash_of, const void *items, bool is_larger)
{
    if (is_larger || !map->n_slots) {
        if (map->n_slots > UINT32_MAX / 2)
            fatal("more than 2^30 names or numbers in one table");
        uint32_t n_slots = map->n_slots ? 2 * map->n_slots : FIRST_SLOTS;
        uint32_t *slots = mem_alloc(n_slots, sizeof *slots); /* may not return: the map stays */
        free(map->slots);
        map->slots = slots;
        map->n_slots = n_slots;
    }
    memset(map->slots, 0xff, map->n_slots * sizeof *map->slots);
    for (uint32_t item = 0; item < map->n; item++) {
        uint32_t i = hash_of(items, item) & (map->n_slots - 1);
        while (map->slots[i] != MAP_NONE)
            i = (i + 1) & (map->n_slots - 1);
        map->slots[i] = item;
    }
}
