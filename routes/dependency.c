/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects dependencies and searches them for a cycle. A routing function cannot
 * deadlock if there is none (Dally and Seitz 1987, theorem 1).
 */
#include "routes/dependency.h"

#include "base/integer.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY UINT64_MAX
enum { LANES = 16 }; /* limit of lanes of a link */

/* ---- the set ----
 * The edges stand in the slots themselves, of which there are as many as links and pairs of links
 * that follow each other on some route: a table of base/map.h would look in two places for each
 * hop of all routes. */

static uint64_t *dependency_find_slot(const struct dependencies *set, uint64_t edge)
{
    uint64_t i = (edge * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
    for (;; i++) {
        uint64_t *slot = &set->slots[i & set->mask];
        if (*slot == edge || *slot == EMPTY)
            return slot;
    }
}

static void dependency_grow(struct dependencies *set)
{
    struct dependencies old = *set;
    size_t n_slots = old.slots ? 2 * (size_t)(old.mask + 1) : 1024;
    set->slots = mem_alloc(n_slots, sizeof *set->slots);
    set->mask = n_slots - 1;
    memset(set->slots, 0xff, n_slots * sizeof *set->slots);
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i] != EMPTY)
            *dependency_find_slot(set, old.slots[i]) = old.slots[i];
    free(old.slots);
}

static uint32_t channel_of(struct hop hop)
{
    return hop.link * LANES + hop.lane % LANES;
}

void dependencies_add(struct dependencies *set, struct hop first, struct hop second)
{
    if (!set->slots)
        dependency_grow(set);
    uint64_t edge = (uint64_t)channel_of(first) << 32 | channel_of(second);
    uint64_t *slot = dependency_find_slot(set, edge);
    if (*slot == edge)
        return;
    *slot = edge;
    if (2 * ++set->n > set->mask)
        dependency_grow(set);
}

void dependencies_free(struct dependencies *set)
{
    free(set->slots);
}

/* ---- the search ---- */

/* State of the search. A channel is identified by its place in the sorted list of edges: the first edge
 * that leaves it. */
struct search {
    uint64_t *edges; /* sorted */
    size_t n_edges;
    uint8_t *colour; /* [first edge]; of channels that no edge leaves nothing is kept */
    size_t *stack, *next; /* first edges on the path, and which edge to try next */
    size_t depth;
};
enum { WHITE, ON_STACK, DONE };

static void dependency_sort_edges(struct search *search, const struct dependencies *set)
{
    search->edges = mem_alloc(set->n, sizeof *search->edges);
    for (size_t i = 0; set->slots && i <= set->mask; i++)
        if (set->slots[i] != EMPTY)
            search->edges[search->n_edges++] = set->slots[i];
    if (search->n_edges)
        qsort(search->edges, search->n_edges, sizeof *search->edges, compare_uint64);
}

/* Returns the first edge that leaves the channel, or n_edges. */
static size_t first_edge(const struct search *search, uint32_t channel)
{
    size_t low = 0, high = search->n_edges;
    SEARCH_FIRST(low, high, middle, search->edges[middle] >> 32 < channel);
    bool is_found = low < search->n_edges && search->edges[low] >> 32 == channel;
    return is_found ? low : search->n_edges;
}

static void dependency_push(struct search *search, size_t first)
{
    search->colour[first] = ON_STACK;
    search->stack[search->depth] = search->next[search->depth] = first;
    search->depth++;
}

/* Follows one edge of the channel on top. True if it closes a cycle; *closes is the first edge of the
 * channel it leads back to. */
static bool dependency_advance(struct search *search, size_t *closes)
{
    size_t first = search->stack[search->depth - 1], edge = search->next[search->depth - 1]++;
    bool is_own = edge < search->n_edges && search->edges[edge] >> 32 == search->edges[first] >> 32;
    if (!is_own) {
        search->colour[first] = DONE;
        search->depth--;
        return false;
    }
    size_t to = first_edge(search, (uint32_t)search->edges[edge]);
    if (to == search->n_edges || search->colour[to] == DONE)
        return false;
    *closes = to;
    if (search->colour[to] == ON_STACK)
        return true;
    dependency_push(search, to);
    return false;
}

static struct channel_cycle copy_cycle(const struct search *search, size_t closes)
{
    size_t start = search->depth;
    while (search->stack[start - 1] != closes)
        start--;
    struct channel_cycle cycle = {NULL, (uint32_t)(search->depth - start + 1)};
    cycle.channels = mem_alloc(cycle.n, sizeof *cycle.channels);
    for (uint32_t i = 0; i < cycle.n; i++) {
        uint32_t channel = (uint32_t)(search->edges[search->stack[start - 1 + i]] >> 32);
        cycle.channels[i] = (struct hop){channel / LANES, channel % LANES};
    }
    return cycle;
}

struct channel_cycle dependencies_cycle(const struct dependencies *set)
{
    struct search search = {0};
    struct channel_cycle cycle = {0};
    dependency_sort_edges(&search, set);
    search.colour = mem_alloc(search.n_edges, 1);
    search.stack = mem_alloc(search.n_edges, sizeof *search.stack);
    search.next = mem_alloc(search.n_edges, sizeof *search.next);
    for (size_t i = 0; i < search.n_edges && !cycle.n; i++) {
        size_t closes = 0;
        bool is_first = i == 0 || search.edges[i] >> 32 != search.edges[i - 1] >> 32;
        if (!is_first || search.colour[i] != WHITE)
            continue;
        dependency_push(&search, i);
        while (search.depth && !cycle.n)
            if (dependency_advance(&search, &closes))
                cycle = copy_cycle(&search, closes);
    }
    free(search.edges);
    free(search.colour);
    free(search.stack);
    free(search.next);
    return cycle;
}
