/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Neighbours: servers whose route passes no other server. On a torus, for example, all other routes
 * consist of these; if machines hang on switches every server is a neighbour of every other.
 */
#ifndef COLLC_SYNTH_ARCS_H
#define COLLC_SYNTH_ARCS_H

#include "base/heap.h"
#include "base/search.h"
#include "network/load.h"
#include "network/placement/placement.h"

struct arc {
    uint32_t to;
    size_t links; /* its links: arcs->links from here up to those of the next arc */
};
struct arcs {
    struct arc *all; /* by source, then by `to`; one more at the end */
    size_t *first;   /* [server] n + 1 */
    size_t n, capacity;
    uint32_t *links; /* links that contend */
    size_t n_links, links_capacity;
};

/* Finds the arcs. O(servers^2 * hops). Release with arcs_free. */
struct arcs arcs_of(const struct topology *topology, const struct placement *placement);
void arcs_free(struct arcs *arcs);

/* Returns the arc from server to server, or SEARCH_NONE. O(log servers) */
static inline size_t arcs_find(const struct arcs *arcs, uint32_t from, uint32_t to)
{
    return search_key(&arcs->all->to, sizeof *arcs->all, arcs->first[from], arcs->first[from + 1], to);
}

/* Sets cost[link] of a byte: the bandwidth of the slowest link, which it returns, over the link's. */
uint64_t arcs_link_costs(const struct topology *topology, double *cost);

/* Returns the sum of the prices of an arc's links. */
static inline double arcs_price(const struct arcs *arcs, size_t arc, const double *price)
{
    double sum = 0;
    for (size_t link = arcs->all[arc].links; link < arcs->all[arc + 1].links; link++)
        sum += price[arcs->links[link]];
    return sum;
}

/* ---- ways by prices ---- */

/* A server to which a way was found. */
struct priced_server {
    double price;
    uint32_t server;
};

static inline bool arcs_is_cheaper(const void *a, const void *b)
{
    const struct priced_server *left = a, *right = b;
    return left->price < right->price;
}

static inline void arcs_push(struct heap *heap, double price, uint32_t server)
{
    const struct priced_server item = {price, server};
    heap_push(heap, &item, sizeof item, arcs_is_cheaper);
}

/* Removes and returns the cheapest one. Requires heap->n > 0. */
static inline struct priced_server arcs_pop(struct heap *heap)
{
    const struct priced_server cheapest = *(const struct priced_server *)heap->items;
    heap_drop(heap, sizeof cheapest, arcs_is_cheaper);
    return cheapest;
}

#endif
