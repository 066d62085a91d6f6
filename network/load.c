/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See load.h.
 */
#include "network/load.h"

#include <stdlib.h>
#include <string.h>

struct link_loads link_loads_new(const struct topology *topology, bool has_totals)
{
    const size_t n_blocks = topology->n_link_ids / LINK_LOADS_BLOCK + 1;
    return (struct link_loads){
        .load = mem_alloc(n_blocks, LINK_LOADS_BLOCK * sizeof(uint64_t)),
        .is_touched = mem_alloc(n_blocks, sizeof(bool)),
        .touched = mem_alloc(n_blocks, sizeof(uint32_t)),
        .n_blocks = (uint32_t)n_blocks,
        .total = has_totals ? mem_alloc(n_blocks, LINK_LOADS_BLOCK * sizeof(uint64_t)) : NULL,
    };
}

void link_loads_free(struct link_loads *loads)
{
    free(loads->load);
    free(loads->is_touched);
    free(loads->touched);
    free(loads->total);
    *loads = (struct link_loads){0};
}

void link_loads_touch_all(struct link_loads *loads)
{
    for (uint32_t block = 0; block < loads->n_blocks; block++) {
        loads->is_touched[block] = true;
        loads->touched[block] = block;
    }
    loads->n_touched = loads->n_blocks;
}

static inline void load_count(struct link_loads *loads, uint64_t mask, uint64_t times)
{
    for (uint32_t i = 0; i < loads->n_touched; i++) {
        const size_t first = (size_t)loads->touched[i] * LINK_LOADS_BLOCK;
        uint64_t *restrict load = loads->load + first;
        uint64_t *restrict total = loads->total + first;
        for (size_t k = 0; k < LINK_LOADS_BLOCK; k++) {
            total[k] += (load[k] & mask) * times;
            load[k] = 0;
        }
        loads->is_touched[loads->touched[i]] = false;
    }
    loads->n_touched = 0;
}

void link_loads_count(struct link_loads *loads, uint64_t mask)
{
    load_count(loads, mask, 1);
}

void link_loads_count_times(struct link_loads *loads, uint64_t times)
{
    load_count(loads, UINT64_MAX, times);
}

void link_loads_clear(struct link_loads *loads)
{
    for (uint32_t i = 0; i < loads->n_touched; i++) {
        const size_t block = loads->touched[i];
        memset(loads->load + block * LINK_LOADS_BLOCK, 0,
               LINK_LOADS_BLOCK * sizeof *loads->load);
        loads->is_touched[block] = false;
    }
    loads->n_touched = 0;
}
