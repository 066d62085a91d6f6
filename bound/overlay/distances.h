/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds shortest ways over relays, by lengths of the links, and the bound that these lengths prove. A way
 * goes from server to server by routes of the network, and a block goes at least as far as the shortest
 * of them. So, as for any routes (bound/flow/lengths.h), some link carries at least
 *
 *     sum over pairs of (demand * distance) / sum over links of (capacity * length)
 */
#ifndef COLLC_BOUND_OVERLAY_DISTANCES_H
#define COLLC_BOUND_OVERLAY_DISTANCES_H

#include "bound/overlay/network.h"

/* Bits of a length, a whole number. Sums over any way are then exact in a double: a way has below 2^24
 * links. */
enum { OVERLAY_LENGTH_BITS = 28 };

struct overlay_ways {
    const struct overlay_network *network;
    double *arc;      /* [arc] length */
    double *distance; /* [server] distance from the source */
    uint32_t *before; /* [server] server before it on the shortest way; the source for itself */
    bool *is_done;
};

struct overlay_ways overlay_ways_new(const struct overlay_network *network);
void overlay_ways_free(struct overlay_ways *ways);
/* Sets the lengths of links, none negative. O(hops of the arcs) */
void overlay_ways_measure(struct overlay_ways *ways, const double *length);
/* Finds the shortest ways from the source. O(servers^2) */
void overlay_ways_find(struct overlay_ways *ways, uint32_t source);

/* Returns the exact quotient of lengths that are whole numbers of at most OVERLAY_LENGTH_BITS; none if all
 * are 0. Time O(servers^3 + hops of the arcs). */
struct fraction overlay_quotient(const struct overlay_network *network, enum flow_measure measure,
                                 const double *length);

#endif
