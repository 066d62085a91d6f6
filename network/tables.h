/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the forwarding tables of a network lead. Asked of a topology or of a part of it, for those who
 * print it; how tables are kept is in network/forwarding.h.
 */
#ifndef COLLC_NETWORK_TABLES_H
#define COLLC_NETWORK_TABLES_H

#include "network/topology.h"

/* Ways in which a pair of machines fares. */
enum forwarding_fate {
    FATE_ARRIVES,
    FATE_NO_LID,    /* source or destination has no LID */
    FATE_NO_TABLE,  /* a router on the way has no table */
    FATE_NO_ENTRY,  /* its table has no entry */
    FATE_NO_CABLE,  /* the entry names a port without a cable, or the router itself */
    FATE_ASTRAY,    /* arrives at another machine or port */
    FATE_LOOPS,
    N_FATES
};

/* True if forwarding tables decide the routes. The functions below that speak of tables require
 * it. */
bool tables_are_used(const struct topology *topology);

/* What the tables do with the pair, whatever has failed. */
enum forwarding_fate tables_fate(const struct topology *topology, uint32_t source,
                                 uint32_t destination);
/* The ordered pairs without a route by their fate; FATE_ARRIVES are those whose way has failed
 * since. O(pairs) for a part, else O(1). */
void tables_count_unrouted(const struct topology *topology, uint64_t pairs[N_FATES]);

/* The LIDs by which a machine is addressed: the one in use, and how many there are from it on. */
struct table_lids {
    uint32_t first, n; /* n == 0: it has none */
};
struct table_lids tables_lids(const struct topology *topology, uint32_t machine);
/* Links on a route to any of them, at most. */
uint32_t tables_max_hops(const struct topology *topology);
/* The route to one of the LIDs of the destination, on lane 0; 0 if it does not arrive. */
uint32_t tables_route(const struct topology *topology, uint32_t source, uint32_t destination,
                      uint32_t lid, struct hop *hops);

#endif
