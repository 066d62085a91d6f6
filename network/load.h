/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of links: something is routed, added to the links that it crosses, looked at, and taken
 * off again. Links are kept in blocks; those with a load are listed, so that a small job on a
 * large network does not walk all of it, and a busy one lists few of them.
 *
 * A load is a word of the caller's: messages, chunks, or two numbers packed in one. Zero means
 * none.
 */
#ifndef COLLC_NETWORK_LOAD_H
#define COLLC_NETWORK_LOAD_H

#include "network/topology.h"

enum { LINK_LOADS_BLOCK = 64 };

struct link_loads {
    uint64_t *load;     /* [link], up to a whole block */
    bool *is_touched;   /* [block] */
    uint32_t *touched;  /* [n_touched] blocks, in the order in which they were first asked for */
    uint32_t n_touched, n_blocks;
    uint64_t *total;    /* [link] what link_loads_count added; NULL: it is not called */
};

/* 8 bytes a link id, and 8 more with totals. Release with link_loads_free. */
struct link_loads link_loads_new(const struct topology *topology, bool has_totals);
void link_loads_free(struct link_loads *loads);

/* Returns the load of a link, to be changed. */
static inline uint64_t *link_loads_at(struct link_loads *loads, uint32_t link)
{
    const uint32_t block = link / LINK_LOADS_BLOCK;
    if (!loads->is_touched[block]) {
        loads->is_touched[block] = true;
        loads->touched[loads->n_touched++] = block;
    }
    return &loads->load[link];
}

/* Adds to every link of a route. Returns the largest load on it then, 0 without links. */
static inline uint64_t link_loads_add(struct link_loads *loads, const struct hop *hops, uint32_t n,
                                      uint64_t amount)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t load = *link_loads_at(loads, hops[i].link) += amount;
        most = load > most ? load : most;
    }
    return most;
}

/* Iterates over the links with a load: from *at == 0 on, while it returns true. */
static inline bool link_loads_next(const struct link_loads *loads, uint64_t *at, uint32_t *link)
{
    const uint64_t end = (uint64_t)loads->n_touched * LINK_LOADS_BLOCK;
    while (*at < end) {
        const uint32_t first = loads->touched[*at / LINK_LOADS_BLOCK] * LINK_LOADS_BLOCK;
        uint32_t i = (uint32_t)(*at % LINK_LOADS_BLOCK);
        while (i < LINK_LOADS_BLOCK && !loads->load[first + i])
            i++;
        *at += i - *at % LINK_LOADS_BLOCK;
        if (i == LINK_LOADS_BLOCK)
            continue;
        *link = first + i;
        ++*at;
        return true;
    }
    return false;
}

/* Lists all links, so that each may be changed without link_loads_at. O(links). */
void link_loads_touch_all(struct link_loads *loads);

/* Removes all loads, after adding their bits that are in the mask to the totals. O(links with a load). */
void link_loads_count(struct link_loads *loads, uint64_t mask);
/* Does the same with all bits, adding the loads so many times. */
void link_loads_count_times(struct link_loads *loads, uint64_t times);

/* Removes all loads. O(links with a load). */
void link_loads_clear(struct link_loads *loads);

/* Removes the hops over fat pipes, which carry no load. Returns how many are left. */
static inline uint32_t link_loads_drop_fat_pipes(const struct topology *topology, struct hop *hops,
                                                 uint32_t n)
{
    uint32_t n_kept = 0;
    if (!topology->has_fat_pipes)
        return n;
    for (uint32_t i = 0; i < n; i++)
        if (topology_link_contends(topology, hops[i].link))
            hops[n_kept++] = hops[i];
    return n_kept;
}

#endif
